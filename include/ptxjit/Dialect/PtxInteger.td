//===- PtxInteger.td - integer arithmetic ---------------------------------===//

#ifndef PTXJIT_DIALECT_PTXINTEGER_TD
#define PTXJIT_DIALECT_PTXINTEGER_TD
include "ptxjit/Dialect/PtxBase.td"

defvar Int = "u16|u32|u64|s16|s32|s64";
defvar Int32Up = "u32|u64|s32|s64";

def Ptx_AddIntOp : Ptx_Binary<"add.int", "integer-arithmetic-instructions-add",
    [Form<!strconcat("add.{", Int, "} d, a, b")>, Form<"add.sat.s32 d, a, b">],
    (ins Flag_Sat:$sat)> {
  let summary = "integer addition modulo 2^n; `.sat` clamps to s32";
}
def Ptx_SubIntOp : Ptx_Binary<"sub.int", "integer-arithmetic-instructions-sub",
    [Form<!strconcat("sub.{", Int, "} d, a, b")>, Form<"sub.sat.s32 d, a, b">],
    (ins Flag_Sat:$sat)> {
  let summary = "integer subtraction modulo 2^n; `.sat` clamps to s32";
}
def Ptx_MulIntOp : Ptx_Binary<"mul.int", "integer-arithmetic-instructions-mul",
    [Form<!strconcat("mul.{lo|hi}.{", Int, "} d, a, b")>,
     Form<"mul.wide.{u16|u32|s16|s32} d:w, a, b">],
    (ins Ptx_Part:$part)> {
  let summary = "low half, high half or all of the 2n-bit product";
}
def Ptx_MadIntOp : Ptx_Ternary<"mad.int", "integer-arithmetic-instructions-mad",
    [Form<!strconcat("mad.{lo|hi}.{", Int, "} d, a, b, c")>,
     Form<"mad.wide.{u16|u32|s16|s32} d:w, a, b, c:w">,
     Form<"mad.hi.sat.s32 d, a, b, c">],
    (ins Ptx_Part:$part, Flag_Sat:$sat)> {
  let summary = "mul, then add; `.sat` clamps the final addition";
}
def Ptx_Mul24Op : Ptx_Binary<"mul24", "integer-arithmetic-instructions-mul24",
    [Form<"mul24.{lo|hi}.{u32|s32} d, a, b">], (ins Ptx_Part:$part)> {
  let summary = "bits 31..0 or 47..16 of the product of the low 24 bits";
}
def Ptx_Mad24Op : Ptx_Ternary<"mad24", "integer-arithmetic-instructions-mad24",
    [Form<"mad24.{lo|hi}.{u32|s32} d, a, b, c">,
     Form<"mad24.hi.sat.s32 d, a, b, c">],
    (ins Ptx_Part:$part, Flag_Sat:$sat)> {
  let summary = "mul24, then add";
}
def Ptx_SadOp : Ptx_Ternary<"sad", "integer-arithmetic-instructions-sad",
    [Form<!strconcat("sad.{", Int, "} d, a, b, c")>]> {
  let summary = "c plus the absolute difference of a and b";
}
def Ptx_DivIntOp : Ptx_Binary<"div.int", "integer-arithmetic-instructions-div",
    [Form<!strconcat("div.{", Int, "} d, a, b")>]> {
  let summary = "integer division; by zero: all ones (ISA: unspecified)";
}
def Ptx_RemOp : Ptx_Binary<"rem", "integer-arithmetic-instructions-rem",
    [Form<!strconcat("rem.{", Int, "} d, a, b")>]> {
  let summary = "remainder, sign of the dividend; by zero: the dividend";
}
def Ptx_AbsIntOp : Ptx_Unary<"abs.int", "integer-arithmetic-instructions-abs",
    [Form<"abs.{s16|s32|s64} d, a">]> {
  let summary = "absolute value; of the minimum: the minimum";
}
def Ptx_NegIntOp : Ptx_Unary<"neg.int", "integer-arithmetic-instructions-neg",
    [Form<"neg.{s16|s32|s64} d, a">]> {
  let summary = "arithmetic negation modulo 2^n";
}
def Ptx_MinIntOp : Ptx_Binary<"min.int", "integer-arithmetic-instructions-min",
    [Form<!strconcat("min.{", Int, "} d, a, b")>]>;
def Ptx_MaxIntOp : Ptx_Binary<"max.int", "integer-arithmetic-instructions-max",
    [Form<!strconcat("max.{", Int, "} d, a, b")>]>;
def Ptx_PopcOp : Ptx_Unary<"popc", "integer-arithmetic-instructions-popc",
    [Form<"popc.{b32|b64} d:u32, a", [Since<"2.0", "sm_20+">]>]>;
def Ptx_ClzOp : Ptx_Unary<"clz", "integer-arithmetic-instructions-clz",
    [Form<"clz.{b32|b64} d:u32, a", [Since<"2.0", "sm_20+">]>]>;
def Ptx_BfindOp : Ptx_Unary<"bfind", "integer-arithmetic-instructions-bfind",
    [Form<!strconcat("bfind{.shiftamt}.{", Int32Up, "} d:u32, a"),
          [Since<"2.0", "sm_20+">]>],
    (ins Flag_Shiftamt:$shiftamt)> {
  let summary = "position of the most significant non-sign bit, or ~0";
}
def Ptx_BrevOp : Ptx_Unary<"brev", "integer-arithmetic-instructions-brev",
    [Form<"brev.{b32|b64} d, a", [Since<"2.0", "sm_20+">]>]>;
def Ptx_BfeOp : Ptx_Ternary<"bfe", "integer-arithmetic-instructions-bfe",
    [Form<!strconcat("bfe.{", Int32Up, "} d, a, b:u32, c:u32"),
          [Since<"2.0", "sm_20+">]>]> {
  let summary = "field of a at position b[7:0], length c[7:0]";
}
def Ptx_BfiOp : Ptx_Instr<"bfi", "integer-arithmetic-instructions-bfi",
    [Form<"bfi.{b32|b64} f, a, b, c:u32, d:u32", [Since<"2.0", "sm_20+">]>],
    [Pure]> {
  let summary = "b with the low bits of a inserted at c[7:0], length d[7:0]";
  let arguments = (ins AnyType:$a, AnyType:$b, AnyType:$c, AnyType:$d,
                       Ptx_ScalarType:$ty);
  let results = (outs AnyType:$f);
}
def Ptx_Dp4aOp : Ptx_Ternary<"dp4a", "integer-arithmetic-instructions-dp4a",
    [Form<"dp4a.{u32|s32}.{u32|s32} d:s32, a:b32, b:b32, c:s32",
          [Since<"5.0", "sm_61+">]>],
    (ins Ptx_ScalarType:$ty2)> {
  let summary = "c plus the dot product of four bytes of a and of b";
}
#endif

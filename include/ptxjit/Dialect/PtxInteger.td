//===- PtxInteger.td - integer arithmetic ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXINTEGER_TD
#define PTXJIT_DIALECT_PTXINTEGER_TD
include "ptxjit/Dialect/PtxBase.td"

defvar Int = "u16|u32|u64|s16|s32|s64";
defvar Int32Up = "u32|u64|s32|s64";
// Packed integers and saturation, new in PTX 9.2.
defvar From92Sm120f = [Since<"9.2", "sm_120f">, Since<"9.2", "sm_120a">,
                       Since<"9.2", "sm_121a">];

def Ptx_AddIntOp : Ptx_Binary<"add.int", "integer-arithmetic-instructions-add",
    [Form<!strconcat("add.{", Int, "} d, a, b")>, Form<"add.sat.s32 d, a, b">,
     Form<"add.{u16x2|s16x2} d, a, b", [Since<"8.0", "sm_90+">]>,
     Form<"add.sat.{u32|u16x2|s16x2} d, a, b", From92Sm120f>,
     Form<"add{.sat}.{u8x4|s8x4} d, a, b", From92Sm120f>],
    (ins Flag_Sat:$sat), [AddressArithmetic]> {
  let summary = "integer addition modulo 2^n; `.sat` clamps to the type";
}
def Ptx_SubIntOp : Ptx_Binary<"sub.int", "integer-arithmetic-instructions-sub",
    [Form<!strconcat("sub.{", Int, "} d, a, b")>, Form<"sub.sat.s32 d, a, b">,
     Form<"sub{.sat}.{u8x4|s8x4} d, a, b", From92Sm120f>],
    (ins Flag_Sat:$sat), [AddressArithmetic]> {
  let summary = "integer subtraction modulo 2^n; `.sat` clamps to the type";
}
def Ptx_MulIntOp : Ptx_Binary<"mul.int", "integer-arithmetic-instructions-mul",
    [Form<!strconcat("mul.{lo|hi}.{", Int, "} d, a, b")>,
     Form<"mul.wide.{u16|u32|s16|s32} d:w, a, b">],
    (ins Ptx_Part:$part), [AddressArithmetic, Widens]> {
  let summary = "low half, high half or all of the 2n-bit product";
}
def Ptx_MadIntOp : Ptx_Ternary<"mad.int", "integer-arithmetic-instructions-mad",
    [Form<!strconcat("mad.{lo|hi}.{", Int, "} d, a, b, c")>,
     Form<"mad.wide.{u16|u32|s16|s32} d:w, a, b, c:w">,
     Form<"mad.hi.sat.s32 d, a, b, c">],
    (ins Ptx_Part:$part, Flag_Sat:$sat), [AddressArithmetic, Widens]> {
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
  let summary = "remainder, sign of the dividend; by zero: all ones";
}
def Ptx_AbsIntOp : Ptx_Unary<"abs.int", "integer-arithmetic-instructions-abs",
    [Form<"abs.{s16|s32|s64} d, a">]> {
  let summary = "absolute value; of the minimum: the minimum";
}
def Ptx_NegIntOp : Ptx_Unary<"neg.int", "integer-arithmetic-instructions-neg",
    [Form<"neg.{s16|s32|s64} d, a">, Form<"neg.s8x4 d, a", From92Sm120f>]> {
  let summary = "arithmetic negation modulo 2^n";
}
class Ptx_IntMinMax<string mnemonic, string opcode>
    : Ptx_Binary<mnemonic, !strconcat("integer-arithmetic-instructions-", opcode),
        [Form<!strconcat(opcode, ".{", Int, "} d, a, b")>,
         Form<!strconcat(opcode, ".{u16x2|s16x2} d, a, b"), [Since<"8.0", "sm_90+">]>,
         Form<!strconcat(opcode, ".relu.{s32|s16x2} d, a, b"), [Since<"8.0", "sm_90+">]>,
         Form<!strconcat(opcode, ".{u8x4|s8x4} d, a, b"), From92Sm120f>],
        (ins Flag_Relu:$relu)> {
  let summary = "minimum or maximum; `.relu` makes negative results 0";
}
def Ptx_MinIntOp : Ptx_IntMinMax<"min.int", "min">;
def Ptx_MaxIntOp : Ptx_IntMinMax<"max.int", "max">;
def Ptx_PopcOp : Ptx_Unary<"popc", "integer-arithmetic-instructions-popc",
    [Form<"popc.{b32|b64} d:u32, a", [Since<"2.0", "sm_20+">]>]> {
  let summary = "the number of set bits of a";
}
def Ptx_ClzOp : Ptx_Unary<"clz", "integer-arithmetic-instructions-clz",
    [Form<"clz.{b32|b64} d:u32, a", [Since<"2.0", "sm_20+">]>]> {
  let summary = "the number of leading zeros of a; of 0: the width";
}
def Ptx_BfindOp : Ptx_Unary<"bfind", "integer-arithmetic-instructions-bfind",
    [Form<!strconcat("bfind{.shiftamt}.{", Int32Up, "} d:u32, a"),
          [Since<"2.0", "sm_20+">]>],
    (ins Flag_Shiftamt:$shiftamt)> {
  let summary = "position of the most significant non-sign bit, or ~0";
}
def Ptx_BrevOp : Ptx_Unary<"brev", "integer-arithmetic-instructions-brev",
    [Form<"brev.{b32|b64} d, a", [Since<"2.0", "sm_20+">]>]> {
  let summary = "the bits of a in reverse order";
}
def Ptx_BfeOp : Ptx_Ternary<"bfe", "integer-arithmetic-instructions-bfe",
    [Form<!strconcat("bfe.{", Int32Up, "} d, a, b:u32, c:u32"),
          [Since<"2.0", "sm_20+">]>]> {
  let summary = "field of a at position b[7:0], length c[7:0]";
}
def Ptx_BfiOp : Ptx_Instr<"bfi", "integer-arithmetic-instructions-bfi",
    [Form<"bfi.{b32|b64} f, a, b, c:u32, d:u32", [Since<"2.0", "sm_20+">]>],
    [Pure, LaneWise]> {
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
def Ptx_Dp2aOp : Ptx_Ternary<"dp2a", "integer-arithmetic-instructions-dp2a",
    [Form<"dp2a.{lo|hi}.{u32|s32}.{u32|s32} d:s32, a:b32, b:b32, c:s32",
          [Since<"5.0", "sm_61+">]>],
    (ins Ptx_ScalarType:$ty2, Ptx_Part:$part)> {
  let summary = "c plus the dot product of both halves of a and two bytes of b";
}
def Ptx_FnsOp : Ptx_Ternary<"fns", "integer-arithmetic-instructions-fns",
    [Form<"fns.b32 d, a, b, c:s32", [Since<"6.0", "sm_30+">]>]> {
  let summary = "position of the c-th set bit of a, counted from bit b";
}
def Ptx_SzextOp : Ptx_Binary<"szext", "integer-arithmetic-instructions-szext",
    [Form<"szext.{clamp|wrap}.{u32|s32} d, a, b:u32", [Since<"7.6", "sm_70+">]>],
    (ins Ptx_Clamp:$mode)> {
  let summary = "the low b bits of a, sign- or zero-extended";
}
def Ptx_BmskOp : Ptx_Binary<"bmsk", "integer-arithmetic-instructions-bmsk",
    [Form<"bmsk.{clamp|wrap}.b32 d, a, b", [Since<"7.6", "sm_70+">]>],
    (ins Ptx_Clamp:$mode)> {
  let summary = "a mask of b bits that begins at bit a";
}

//===----------------------------------------------------------------------===//
// Extended precision
//===----------------------------------------------------------------------===//

class Ptx_Carry<string mnemonic, string opcode, list<Form> forms, dag operands,
                dag modifiers>
    : Ptx_Instr<mnemonic,
        !strconcat("extended-precision-integer-arithmetic-instructions-", opcode),
        forms, [Pure, LaneWise]> {
  let description = [{
    The carry flag is a value in IR: the operand `carry` and, with `.cc`, the
    second result. Like hardware, subtractions set it if there is no borrow, so
    that `addc` may follow `sub.cc`; `subc` is a - b - (1 - `carry`).
  }];
  let arguments = !con(operands, (ins Ptx_ScalarType:$ty), modifiers);
  let results = (outs Variadic<AnyType>:$d);
}
class CarryForms<string head, string operands, string carry, string since32> {
  list<Form> L = [
    Form<!strconcat(head, ".{u32|s32} ", operands, carry), [Since<since32, "sm_10+">]>,
    Form<!strconcat(head, ".{u64|s64} ", operands, carry), [Since<"4.3", "sm_20+">]>];
}
class Ptx_CarryOut<string mnemonic, string opcode, string since>
    : Ptx_Carry<mnemonic, !strconcat(opcode, "-cc"),
        CarryForms<!strconcat(opcode, ".cc"), "d, &d, a, b", "", since>.L,
        (ins AnyType:$a, AnyType:$b), (ins Flag_Cc:$cc)>;
class Ptx_CarryIn<string opcode, string since>
    : Ptx_Carry<opcode, opcode,
        !listconcat(
          [Form<!strconcat(opcode, ".{u32|s32|u64|s64} d, a, b, &carry"),
                [Since<since, "sm_10+">]>],
          CarryForms<!strconcat(opcode, ".cc"), "d, &d, a, b", ", &carry", since>.L),
        (ins AnyType:$a, AnyType:$b, I1:$carry), (ins Flag_Cc:$cc)>;
def Ptx_AddCcOp : Ptx_CarryOut<"add.cc", "add", "1.2"> {
  let summary = "addition with carry-out";
}
def Ptx_SubCcOp : Ptx_CarryOut<"sub.cc", "sub", "1.3"> {
  let summary = "subtraction with borrow-out";
}
def Ptx_AddcOp : Ptx_CarryIn<"addc", "1.2"> {
  let summary = "addition with carry-in; with `.cc` also carry-out";
}
def Ptx_SubcOp : Ptx_CarryIn<"subc", "1.3"> {
  let summary = "subtraction with borrow-in; with `.cc` also borrow-out";
}
def Ptx_MadCcOp : Ptx_Carry<"mad.cc", "mad-cc",
    [Form<"mad.{lo|hi}.cc.{u32|s32} d, &d, a, b, c", [Since<"3.0", "sm_20+">]>,
     Form<"mad.{lo|hi}.cc.{u64|s64} d, &d, a, b, c", [Since<"4.3", "sm_20+">]>],
    (ins AnyType:$a, AnyType:$b, AnyType:$c),
    (ins Ptx_Part:$part, Flag_Cc:$cc)> {
  let summary = "mul, then addition with carry-out";
}
def Ptx_MadcOp : Ptx_Carry<"madc", "madc",
    [Form<"madc.{lo|hi}.{u32|s32|u64|s64} d, a, b, c, &carry", [Since<"3.0", "sm_20+">]>,
     Form<"madc.{lo|hi}.cc.{u32|s32} d, &d, a, b, c, &carry", [Since<"3.0", "sm_20+">]>,
     Form<"madc.{lo|hi}.cc.{u64|s64} d, &d, a, b, c, &carry", [Since<"4.3", "sm_20+">]>],
    (ins AnyType:$a, AnyType:$b, AnyType:$c, I1:$carry),
    (ins Ptx_Part:$part, Flag_Cc:$cc)> {
  let summary = "mul, then addition with carry-in; with `.cc` also carry-out";
}
#endif

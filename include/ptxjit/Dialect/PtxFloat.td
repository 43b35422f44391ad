//===- PtxFloat.td - f32 and f64 arithmetic -------------------------------===//

#ifndef PTXJIT_DIALECT_PTXFLOAT_TD
#define PTXJIT_DIALECT_PTXFLOAT_TD
include "ptxjit/Dialect/PtxBase.td"

defvar Rnd = "rn|rz|rm|rp";
defvar OptRnd = !strconcat("{.", Rnd, "}");

class Ptx_Arith<string mnemonic, string opcode, string operands>
    : Ptx_Instr<mnemonic, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, OptRnd, "{.ftz}{.sat}.f32 ", operands)>,
         Form<!strconcat(opcode, OptRnd, ".f64 ", operands), [Since<"1.0", "sm_13+">]>],
        [Pure]> {
  let arguments = (ins AnyType:$a, AnyType:$b, Ptx_ScalarType:$ty,
                       OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz,
                       Flag_Sat:$sat);
  let results = (outs AnyType:$d);
}
def Ptx_AddFloatOp : Ptx_Arith<"add.float", "add", "d, a, b">;
def Ptx_SubFloatOp : Ptx_Arith<"sub.float", "sub", "d, a, b">;
def Ptx_MulFloatOp : Ptx_Arith<"mul.float", "mul", "d, a, b">;

def Ptx_FmaOp : Ptx_Ternary<"fma", "floating-point-instructions-fma",
    [Form<!strconcat("fma.{", Rnd, "}{.ftz}{.sat}.f32 d, a, b, c"),
          [Since<"2.0", "sm_20+">]>,
     Form<!strconcat("fma.{", Rnd, "}.f64 d, a, b, c"), [Since<"1.4", "sm_13+">]>],
    (ins Ptx_Rounding:$rnd, Flag_Ftz:$ftz, Flag_Sat:$sat)> {
  let summary = "a*b+c, rounded once";
}
def Ptx_MadFloatOp : Ptx_Ternary<"mad.float", "floating-point-instructions-mad",
    [Form<!strconcat("mad", OptRnd, "{.ftz}{.sat}.f32 d, a, b, c")>,
     Form<!strconcat("mad", OptRnd, ".f64 d, a, b, c"), [Since<"1.0", "sm_13+">]>],
    (ins OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz, Flag_Sat:$sat)> {
  let summary = "as fma on sm_20 and later";
}
def Ptx_DivFloatOp : Ptx_Binary<"div.float", "floating-point-instructions-div",
    [Form<"div.approx{.ftz}.f32 d, a, b">, Form<"div.full{.ftz}.f32 d, a, b">,
     Form<!strconcat("div.{", Rnd, "}{.ftz}.f32 d, a, b")>,
     Form<!strconcat("div.{", Rnd, "}.f64 d, a, b"), [Since<"1.0", "sm_13+">]>],
    (ins OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz, Flag_Approx:$approx,
         Flag_Full:$full)>;
class Ptx_Root<string opcode>
    : Ptx_Unary<opcode, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, ".approx{.ftz}.f32 d, a")>,
         Form<!strconcat(opcode, ".{", Rnd, "}{.ftz}.f32 d, a")>,
         Form<!strconcat(opcode, ".{", Rnd, "}.f64 d, a"), [Since<"1.4", "sm_13+">]>],
        (ins OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz,
             Flag_Approx:$approx)>;
def Ptx_RcpOp : Ptx_Root<"rcp">;
def Ptx_SqrtOp : Ptx_Root<"sqrt">;

class Ptx_Approx<string opcode>
    : Ptx_Unary<opcode, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, ".approx{.ftz}.f32 d, a")>],
        (ins Flag_Ftz:$ftz, Flag_Approx:$approx)>;
def Ptx_SinOp : Ptx_Approx<"sin">;
def Ptx_CosOp : Ptx_Approx<"cos">;
def Ptx_Lg2Op : Ptx_Approx<"lg2">;
def Ptx_Ex2Op : Ptx_Approx<"ex2">;
def Ptx_RsqrtOp : Ptx_Unary<"rsqrt", "floating-point-instructions-rsqrt",
    [Form<"rsqrt.approx{.ftz}.f32 d, a">,
     Form<"rsqrt.approx.f64 d, a", [Since<"1.0", "sm_13+">]>],
    (ins Flag_Ftz:$ftz, Flag_Approx:$approx)>;

class Ptx_FloatSign<string mnemonic, string opcode>
    : Ptx_Unary<mnemonic, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, "{.ftz}.f32 d, a")>,
         Form<!strconcat(opcode, ".f64 d, a"), [Since<"1.0", "sm_13+">]>],
        (ins Flag_Ftz:$ftz)>;
def Ptx_AbsFloatOp : Ptx_FloatSign<"abs.float", "abs">;
def Ptx_NegFloatOp : Ptx_FloatSign<"neg.float", "neg">;

class Ptx_FloatMinMax<string mnemonic, string opcode>
    : Ptx_Binary<mnemonic, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, "{.ftz}.f32 d, a, b")>,
         Form<!strconcat(opcode, "{.ftz}.NaN.f32 d, a, b"), [Since<"7.0", "sm_80+">]>,
         Form<!strconcat(opcode, ".f64 d, a, b"), [Since<"1.0", "sm_13+">]>],
        (ins Flag_Ftz:$ftz, Flag_NaN:$nan)>;
def Ptx_MinFloatOp : Ptx_FloatMinMax<"min.float", "min">;
def Ptx_MaxFloatOp : Ptx_FloatMinMax<"max.float", "max">;

def Ptx_CopysignOp : Ptx_Binary<"copysign",
    "floating-point-instructions-copysign",
    [Form<"copysign.{f32|f64} d, a, b", [Since<"2.0", "sm_20+">]>]> {
  let summary = "the sign of a on the magnitude of b";
}
def Ptx_TestpOp : Ptx_Unary<"testp", "floating-point-instructions-testp",
    [Form<"testp.{finite|infinite|number|notanumber|normal|subnormal}"
          ".{f32|f64} d:pred, a", [Since<"2.0", "sm_20+">]>],
    (ins Ptx_Test:$test)>;
#endif

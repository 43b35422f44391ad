//===- PtxFloat.td - floating point arithmetic ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXFLOAT_TD
#define PTXJIT_DIALECT_PTXFLOAT_TD
include "ptxjit/Dialect/PtxBase.td"

defvar Rnd = "rn|rz|rm|rp";
defvar OptRnd = !strconcat("{.", Rnd, "}");
// Up to PTX 1.3, the rounding and `.approx` could be omitted.
defvar Old = [Since<"1.0-1.3", "sm_10+">];

class Ptx_Arith<string mnemonic, string opcode, string operands>
    : Ptx_Instr<mnemonic, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, OptRnd, "{.ftz}{.sat}.f32 ", operands)>,
         Form<!strconcat(opcode, OptRnd, ".f64 ", operands), [Since<"1.0", "sm_13+">]>,
         Form<!strconcat(opcode, OptRnd, "{.ftz}.f32x2 ", operands), [Since<"8.6", "sm_100+">]>,
         Form<!strconcat(opcode, "{.rn}{.ftz}{.sat}.{f16|f16x2} ", operands), [Since<"4.2", "sm_53+">]>,
         Form<!strconcat(opcode, "{.rn}.{bf16|bf16x2} ", operands), [Since<"7.8", "sm_90+">]>],
        [Pure, LaneWise]> {
  let description = [{
    Without `rnd` it rounds to nearest even. `.ftz` makes subnormal operands and
    results 0 of the same sign. `.sat` clamps to [0, 1], and NaN becomes 0.
  }];
  let arguments = (ins AnyType:$a, AnyType:$b, Ptx_ScalarType:$ty,
                       OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz,
                       Flag_Sat:$sat);
  let results = (outs AnyType:$d);
}
def Ptx_AddFloatOp : Ptx_Arith<"add.float", "add", "d, a, b"> {
  let summary = "floating-point addition";
}
def Ptx_SubFloatOp : Ptx_Arith<"sub.float", "sub", "d, a, b"> {
  let summary = "floating-point subtraction";
}
def Ptx_MulFloatOp : Ptx_Arith<"mul.float", "mul", "d, a, b"> {
  let summary = "floating-point multiplication";
}

def Ptx_FmaOp : Ptx_Ternary<"fma", "floating-point-instructions-fma",
    [Form<!strconcat("fma.{", Rnd, "}{.ftz}{.sat}.f32 d, a, b, c"),
          [Since<"2.0", "sm_20+">]>,
     Form<!strconcat("fma.{", Rnd, "}.f64 d, a, b, c"), [Since<"1.4", "sm_13+">]>,
     Form<!strconcat("fma.{", Rnd, "}{.ftz}.f32x2 d, a, b, c"), [Since<"8.6", "sm_100+">]>,
     Form<"fma.rn{.ftz}{.sat}.{f16|f16x2} d, a, b, c", [Since<"4.2", "sm_53+">]>,
     Form<"fma.rn{.ftz}.relu.{f16|f16x2} d, a, b, c", [Since<"7.0", "sm_80+">]>,
     Form<"fma.{rn|rz}{.relu}.{bf16|bf16x2} d, a, b, c", [Since<"7.0", "sm_80+">]>,
     Form<"fma.rn.oob{.relu}.{f16|f16x2} d, a, b, c", [Since<"8.1", "sm_90+">]>,
     Form<"fma.{rn|rz}.oob{.relu}.{bf16|bf16x2} d, a, b, c", [Since<"8.1", "sm_90+">]>],
    (ins Ptx_Rounding:$rnd, Flag_Ftz:$ftz, Flag_Sat:$sat, Flag_Relu:$relu,
         Flag_Oob:$oob)> {
  let summary = "`a*b+c`, rounded once; `.oob`: 0 if an operand is the "
                "out-of-bounds NaN";
}
def Ptx_MadFloatOp : Ptx_Ternary<"mad.float", "floating-point-instructions-mad",
    [Form<!strconcat("mad", OptRnd, "{.ftz}{.sat}.f32 d, a, b, c")>,
     Form<!strconcat("mad", OptRnd, ".f64 d, a, b, c"), [Since<"1.0", "sm_13+">]>,
     Form<"mad.f64 d, a, b, c", Old>],
    (ins OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz, Flag_Sat:$sat)> {
  let summary = "like fma, as on sm_20 and later";
}

//===----------------------------------------------------------------------===//
// Mixed precision: f16 and bf16 operands become f32
//===----------------------------------------------------------------------===//

class Ptx_Mixed<string mnemonic, string opcode>
    : Ptx_Binary<mnemonic,
        !strconcat("mixed-precision-floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, OptRnd, "{.sat}.f32.{f16|bf16} d, a:2, b"),
              [Since<"8.6", "sm_100+">]>],
        (ins Ptx_ScalarType:$ty2, OptionalAttr<Ptx_Rounding>:$rnd,
             Flag_Sat:$sat)>;
def Ptx_AddMixedOp : Ptx_Mixed<"add.mixed", "add"> {
  let summary = "addition in f32; a is f16 or bf16";
}
def Ptx_SubMixedOp : Ptx_Mixed<"sub.mixed", "sub"> {
  let summary = "subtraction in f32; a is f16 or bf16";
}
def Ptx_FmaMixedOp : Ptx_Ternary<"fma.mixed",
    "mixed-precision-floating-point-instructions-fma",
    [Form<!strconcat("fma.{", Rnd, "}{.sat}.f32.{f16|bf16} d, a:2, b:2, c"),
          [Since<"8.6", "sm_100+">]>],
    (ins Ptx_ScalarType:$ty2, Ptx_Rounding:$rnd, Flag_Sat:$sat)> {
  let summary = "fma in f32; a and b are f16 or bf16";
}

//===----------------------------------------------------------------------===//
// Division, roots, functions
//===----------------------------------------------------------------------===//

def Ptx_DivFloatOp : Ptx_Binary<"div.float", "floating-point-instructions-div",
    [Form<"div.approx{.ftz}.f32 d, a, b">, Form<"div.full{.ftz}.f32 d, a, b">,
     Form<!strconcat("div.{", Rnd, "}{.ftz}.f32 d, a, b")>,
     Form<!strconcat("div.{", Rnd, "}.f64 d, a, b"), [Since<"1.0", "sm_13+">]>,
     Form<"div.{f32|f64} d, a, b", Old>],
    (ins OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz, Flag_Approx:$approx,
         Flag_Full:$full)> {
  let summary = "floating-point division";
  let description = [{
    `.approx` is a * (1/b), and 1/b is 0 for |b| > 2^126, as the ISA says.
    `.full` rounds to nearest even, which the ISA allows.
  }];
}
class Ptx_Root<string opcode, list<Form> more>
    : Ptx_Unary<opcode, !strconcat("floating-point-instructions-", opcode),
        !listconcat(
        [Form<!strconcat(opcode, ".approx{.ftz}.f32 d, a")>,
         Form<!strconcat(opcode, ".{", Rnd, "}{.ftz}.f32 d, a")>,
         Form<!strconcat(opcode, ".{", Rnd, "}.f64 d, a"), [Since<"1.4", "sm_13+">]>,
         Form<!strconcat(opcode, ".f32 d, a"), Old>], more),
        (ins OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz,
             Flag_Approx:$approx)>;
def Ptx_RcpOp : Ptx_Root<"rcp",
    [Form<"rcp.approx.ftz.f64 d, a", [Since<"2.1", "sm_20+">]>,
     Form<"rcp.f64 d, a", Old>,
     // Not in the ISA document; `.ftz` has no effect on f64.
     Form<!strconcat("rcp.{", Rnd, "}.ftz.f64 d, a"), [Since<"1.4", "sm_13+">]>]> {
  let summary = "reciprocal";
  let description = [{
    `.approx.ftz.f64` reads the upper 32 bits of a and writes those of d; the
    lower ones of d are 0.
  }];
}
def Ptx_SqrtOp : Ptx_Root<"sqrt", [Form<"sqrt.f64 d, a", Old>]> {
  let summary = "square root";
}

class Ptx_Approx<string opcode, list<Form> more = []>
    : Ptx_Unary<opcode, !strconcat("floating-point-instructions-", opcode),
        !listconcat([Form<!strconcat(opcode, ".approx{.ftz}.f32 d, a")>,
                     Form<!strconcat(opcode, ".f32 d, a"), Old>], more),
        (ins Flag_Ftz:$ftz, Flag_Approx:$approx)>;
def Ptx_SinOp : Ptx_Approx<"sin"> {
  let summary = "sine of an angle in radians, approximated";
}
def Ptx_CosOp : Ptx_Approx<"cos"> {
  let summary = "cosine of an angle in radians, approximated";
}
def Ptx_Lg2Op : Ptx_Approx<"lg2"> {
  let summary = "logarithm to base 2, approximated";
}
def Ptx_Ex2Op : Ptx_Approx<"ex2",
    [Form<"ex2.approx.{f16|f16x2} d, a", [Since<"7.0", "sm_75+">]>,
     Form<"ex2.approx.ftz.{bf16|bf16x2} d, a", [Since<"7.8", "sm_90+">]>]> {
  let summary = "2 to the power of a, approximated";
}
def Ptx_TanhOp : Ptx_Unary<"tanh", "floating-point-instructions-tanh",
    [Form<"tanh.approx.{f32|f16|f16x2} d, a", [Since<"7.0", "sm_75+">]>,
     Form<"tanh.approx.{bf16|bf16x2} d, a", [Since<"7.8", "sm_90+">]>],
    (ins Flag_Approx:$approx)> {
  let summary = "hyperbolic tangent, approximated";
}
def Ptx_RsqrtOp : Ptx_Unary<"rsqrt", "floating-point-instructions-rsqrt",
    [Form<"rsqrt.approx{.ftz}.f32 d, a">,
     Form<"rsqrt.approx.f64 d, a", [Since<"1.0", "sm_13+">]>,
     Form<"rsqrt.approx.ftz.f64 d, a", [Since<"4.0", "sm_20+">]>,
     Form<"rsqrt.{f32|f64} d, a", Old>],
    (ins Flag_Ftz:$ftz, Flag_Approx:$approx)> {
  let summary = "reciprocal of the square root, approximated";
  let description = [{
    `.approx.ftz.f64` reads the upper 32 bits of a and writes those of d; the
    lower ones of d are 0.
  }];
}

class Ptx_FloatSign<string mnemonic, string opcode, string half>
    : Ptx_Unary<mnemonic, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, "{.ftz}.f32 d, a")>,
         Form<!strconcat(opcode, ".f64 d, a"), [Since<"1.0", "sm_13+">]>,
         Form<!strconcat(opcode, "{.ftz}.{f16|f16x2} d, a"), [Since<half, "sm_53+">]>,
         Form<!strconcat(opcode, ".{bf16|bf16x2} d, a"), [Since<"7.0", "sm_80+">]>],
        (ins Flag_Ftz:$ftz)>;
def Ptx_AbsFloatOp : Ptx_FloatSign<"abs.float", "abs", "6.5"> {
  let summary = "absolute value: clears the sign bit, also of NaN";
}
def Ptx_NegFloatOp : Ptx_FloatSign<"neg.float", "neg", "6.0"> {
  let summary = "negation: flips the sign bit, also of NaN";
}

class Ptx_FloatMinMax<string mnemonic, string opcode>
    : Ptx_Instr<mnemonic, !strconcat("floating-point-instructions-", opcode),
        [Form<!strconcat(opcode, "{.ftz}.f32 d, a, b")>,
         Form<!strconcat(opcode, "{.ftz}.NaN.f32 d, a, b"), [Since<"7.0", "sm_80+">]>,
         Form<!strconcat(opcode, ".f64 d, a, b"), [Since<"1.0", "sm_13+">]>,
         Form<!strconcat(opcode, "{.ftz}{.NaN}.{f16|f16x2} d, a, b"), [Since<"7.0", "sm_80+">]>,
         Form<!strconcat(opcode, "{.NaN}.{bf16|bf16x2} d, a, b"), [Since<"7.0", "sm_80+">]>,
         Form<!strconcat(opcode, "{.ftz}{.NaN}.xorsign.abs.{f32|f16|f16x2} d, a, b"), [Since<"7.2", "sm_86+">]>,
         Form<!strconcat(opcode, "{.NaN}.xorsign.abs.{bf16|bf16x2} d, a, b"), [Since<"7.2", "sm_86+">]>,
         Form<!strconcat(opcode, "{.ftz}{.NaN}{.abs}.f32 d, a, b, c"), [Since<"8.8", "sm_100+">]>],
        [Pure, LaneWise]> {
  let description = [{
    `c` is an optional third operand. `.abs` takes the operands' magnitudes;
    with `.xorsign` the result has the product of the signs of a and b.
  }];
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<AnyType>:$c,
                       Ptx_ScalarType:$ty, Flag_Ftz:$ftz, Flag_NaN:$nan,
                       Flag_Xorsign:$xorsign, Flag_Abs:$abs);
  let results = (outs AnyType:$d);
}
def Ptx_MinFloatOp : Ptx_FloatMinMax<"min.float", "min"> {
  let summary = "minimum; skips NaN unless `.NaN`; -0 is less than +0";
}
def Ptx_MaxFloatOp : Ptx_FloatMinMax<"max.float", "max"> {
  let summary = "maximum; skips NaN unless `.NaN`; +0 is greater than -0";
}

def Ptx_CopysignOp : Ptx_Binary<"copysign",
    "floating-point-instructions-copysign",
    [Form<"copysign.{f32|f64} d, a, b", [Since<"2.0", "sm_20+">]>]> {
  let summary = "the sign of a on the magnitude of b";
}
def Ptx_TestpOp : Ptx_Unary<"testp", "floating-point-instructions-testp",
    [Form<"testp.{finite|infinite|number|notanumber|normal|subnormal}"
          ".{f32|f64} d:pred, a", [Since<"2.0", "sm_20+">]>],
    (ins Ptx_Test:$test)> {
  let summary = "whether a has the property `test`; zeros count as normal";
}
#endif

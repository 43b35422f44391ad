//===- PtxMove.td - moves, conversions, addresses -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMOVE_TD
#define PTXJIT_DIALECT_PTXMOVE_TD
include "ptxjit/Dialect/PtxBase.td"

defvar AnyInt = "u8|u16|u32|u64|s8|s16|s32|s64";
defvar AnyBits = "b16|b32|b64";
defvar Cvt78 = [Since<"7.8", "sm_90+">];
defvar CvtFp8 = [Since<"7.8", "sm_90+">, Since<"8.1", "sm_89+">];

def Ptx_MovOp : Ptx_Unary<"mov", "data-movement-and-conversion-instructions-mov",
    [Form<"mov.{pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64} d, %a">]> {
  let summary = "copy; also of special registers, addresses, packed vectors";
}
def Ptx_MovVectorOp : Ptx_Instr<"mov.vector",
    "data-movement-and-conversion-instructions-mov",
    [Form<"mov.{v2|v4}.{b16|b32|u16|u32|s16|s32|f32} d*, %a*">,
     Form<"mov.v2.{b64|u64|s64|f64} d*, %a*">], [Pure, LaneWise]> {
  let summary = "copy of a vector, element by element; also of %tid and the like";
  let arguments = (ins Variadic<AnyType>:$a, Ptx_ScalarType:$ty,
                       Ptx_Vector:$vec);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_MovWideOp : Ptx_Instr<"mov.wide",
    "data-movement-and-conversion-instructions-mov",
    [Form<"mov.b128 d, a*2:b64", [Since<"8.3", "sm_70+">]>,
     Form<"mov.b128 d*2:b64, a", [Since<"8.3", "sm_70+">]>,
     Form<"mov.b128 d, a*4:b32", [Since<"8.3", "sm_70+">]>,
     Form<"mov.b128 d, a", [Since<"8.3", "sm_70+">]>],
    [Pure, LaneWise]> {
  let summary = "copy of 128 bits: both halves, or four words, the low one first";
  let arguments = (ins Variadic<AnyType>:$a, Ptx_ScalarType:$ty);
  let results = (outs Variadic<I64>:$d);
}
def Ptx_PrmtOp : Ptx_Ternary<"prmt",
    "data-movement-and-conversion-instructions-prmt",
    [Form<"prmt.b32{.f4e|b4e|rc8|ecl|ecr|rc16} d, a, b, c",
          [Since<"2.0", "sm_20+">]>],
    (ins OptionalAttr<Ptx_Permute>:$mode)> {
  let summary = "four bytes picked from {b, a}";
}
def Ptx_CvtOp : Ptx_Unary<"cvt",
    "data-movement-and-conversion-instructions-cvt",
    [Form<!strconcat("cvt{.sat}.{", AnyInt, "}.{", AnyInt, "} d, %a:2")>,
     Form<!strconcat("cvt.{rni|rzi|rmi|rpi}{.ftz}{.sat}.{", AnyInt, "}.f32 d, a:2")>,
     Form<!strconcat("cvt.{rni|rzi|rmi|rpi}{.sat}.{", AnyInt, "}.{f16|f64} d, a:2")>,
     Form<!strconcat("cvt.{rn|rz|rm|rp}{.ftz}{.sat}.f32.{", AnyInt, "} d, a:2")>,
     Form<!strconcat("cvt.{rn|rz|rm|rp}{.sat}.{f16|f64}.{", AnyInt, "} d, a:2")>,
     Form<"cvt.{rn|rz|rm|rp}{.ftz}{.sat}.f32.f64 d, a:2">,
     Form<"cvt.{rn|rz|rm|rp}{.ftz}{.sat}.f16.f32 d, a:2">,
     Form<"cvt.{rn|rz|rm|rp}{.sat}.f16.f64 d, a:2">,
     Form<"cvt{.ftz}{.sat}.f64.f32 d, a:2">,
     Form<"cvt{.ftz}{.sat}.f32.f16 d, a:2">,
     Form<"cvt{.sat}.f64.f16 d, a:2">,
     Form<"cvt{.rni|rzi|rmi|rpi}{.ftz}{.sat}.f32.f32 d, a:2">,
     Form<"cvt{.rni|rzi|rmi|rpi}{.sat}.f64.f64 d, a:2">,
     Form<"cvt{.rni|rzi|rmi|rpi}{.sat}.f16.f16 d, a:2">,
     Form<"cvt.{rn|rz}{.satfinite}.relu.f16.f32 d, a:2", [Since<"7.0", "sm_80+">]>,
     Form<"cvt.{rn|rz}.satfinite.f16.f32 d, a:2", [Since<"8.1", "sm_70+">]>,
     // bf16
     Form<"cvt.{rn|rz|rm|rp}{.ftz}.bf16.f32 d, a:2", [Since<"7.0", "sm_80+">]>,
     Form<"cvt.{rn|rz}{.satfinite}.relu.bf16.f32 d, a:2", [Since<"7.0", "sm_80+">]>,
     Form<"cvt.{rn|rz}.satfinite.bf16.f32 d, a:2", [Since<"8.1", "sm_80+">]>,
     Form<"cvt{.rn|rz|rm|rp}.f32.bf16 d, a:2", [Since<"7.1", "sm_80+">]>,
     Form<"cvt{.rn|rz|rm|rp}.ftz.f32.bf16 d, a:2", Cvt78>,
     Form<"cvt{.rn|rz|rm|rp}.f64.bf16 d, a:2", Cvt78>,
     Form<"cvt.{rn|rz|rm|rp}.bf16.f64 d, a:2", Cvt78>,
     Form<"cvt{.rn|rz|rm|rp}.bf16.f16 d, a:2", Cvt78>,
     Form<"cvt{.rn|rz|rm|rp}.f16.bf16 d, a:2", Cvt78>,
     Form<"cvt{.rni|rzi|rmi|rpi}.bf16.bf16 d, a:2", Cvt78>,
     Form<"cvt.{rn|rz|rm|rp}.bf16.{u16|s16|u32|s32|u64|s64} d, a:2", Cvt78>,
     Form<"cvt.{rni|rzi|rmi|rpi}.{u16|s16|u32|s32|u64|s64}.bf16 d, a:2", Cvt78>,
     // tf32
     Form<"cvt.rna.tf32.f32 d, a:2", [Since<"7.0", "sm_80+">]>,
     Form<"cvt.rna.satfinite.tf32.f32 d, a:2", [Since<"8.1", "sm_80+">]>,
     Form<"cvt.{rn|rz}{.relu}.tf32.f32 d, a:2", Cvt78>,
     Form<"cvt.{rn|rz}.satfinite{.relu}.tf32.f32 d, a:2", [Since<"8.6", "sm_100+">]>],
    (ins Ptx_ScalarType:$ty2, OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz,
         Flag_Sat:$sat, Flag_Relu:$relu, Flag_Satfinite:$satfinite),
    [AddressArithmetic, Widens]> {
  let summary = "converts a from type `ty2` to type `ty`";
  let description = [{
    Floating point to integer always clamps. NaN becomes 0, but from f64, or to
    64 bits, an integer of which only the top bit is set. Integer to integer
    drops the upper bits unless `.sat` clamps. In floating-point results `.sat`
    clamps to [0, 1], `.satfinite` to the finite numbers, and `.relu` makes
    negative numbers 0.
  }];
  let WideOperands = 1;
}
class SmallFloatTargets<string version> {
  list<Since> L = [Since<version, "sm_100f">, Since<version, "sm_110f">,
                   Since<version, "sm_120f">, Since<version, "sm_100a">,
                   Since<version, "sm_103a">, Since<version, "sm_110a">,
                   Since<version, "sm_120a">, Since<version, "sm_121a">];
}
defvar Cvt91 = SmallFloatTargets<"9.1">.L;
defvar Cvt92 = SmallFloatTargets<"9.2">.L;
defvar Cvt86 = [
    Since<"8.8", "sm_100f">, Since<"8.8", "sm_110f">, Since<"8.8", "sm_120f">,
    Since<"8.6", "sm_100a">, Since<"8.6", "sm_103a">, Since<"8.6", "sm_110a">,
    Since<"8.6", "sm_120a">, Since<"8.6", "sm_121a">];
def Ptx_CvtPairOp : Ptx_Binary<"cvt.pair",
    "data-movement-and-conversion-instructions-cvt",
    [Form<"cvt.{rn|rz}{.relu}.{f16x2|bf16x2}.f32 d, a:2, b:2", [Since<"7.0", "sm_80+">]>,
     Form<"cvt.{rn|rz}.satfinite{.relu}.{f16x2|bf16x2}.f32 d, a:2, b:2", [Since<"8.1", "sm_80+">]>,
     Form<"cvt.rn.satfinite{.relu}.{e4m3x2|e5m2x2}.f32 d, a:2, b:2", CvtFp8>,
     Form<"cvt.rn.satfinite{.relu}.{e2m1x2|e2m3x2|e3m2x2}.f32 d, a:2, b:2", Cvt86>,
     Form<"cvt.{rz|rp}{.satfinite}.ue8m0x2.f32 d, a:2, b:2", Cvt86>],
    (ins Ptx_ScalarType:$ty2, Ptx_Rounding:$rnd, Flag_Relu:$relu,
         Flag_Satfinite:$satfinite)> {
  let summary = "converts two values to a packed type, a to the upper half";
}
def Ptx_CvtPackedOp : Ptx_Unary<"cvt.packed",
    "data-movement-and-conversion-instructions-cvt",
    [Form<"cvt.rn{.relu}.f16x2.{e4m3x2|e5m2x2} d, a:2", CvtFp8>,
     Form<"cvt.rn{.relu}.f16x2.{e2m1x2|e2m3x2|e3m2x2} d, a:2", Cvt86>,
     Form<"cvt.rn.bf16x2.ue8m0x2 d, a:2", Cvt86>,
     Form<"cvt.rn.satfinite{.relu}.{e4m3x2|e5m2x2}.f16x2 d, a:2", CvtFp8>,
     Form<"cvt.rn.satfinite{.relu}.e2m1x2.f16x2 d, a:2", Cvt86>,
     Form<"cvt.{rz|rp}{.satfinite}.ue8m0x2.bf16x2 d, a:2", Cvt86>,
     Form<"cvt.rn.satfinite{.relu}.{e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2}.bf16x2 d, a:2", Cvt91>,
     Form<"cvt.rn.satfinite{.relu}.{e2m3x2|e3m2x2}.f16x2 d, a:2", Cvt91>,
     Form<"cvt.rn{.relu}{.satfinite}.bf16x2.{e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2} d, a:2", Cvt92>],
    (ins Ptx_ScalarType:$ty2, Ptx_Rounding:$rnd, Flag_Relu:$relu,
         Flag_Satfinite:$satfinite)> {
  let summary = "converts both halves of a packed type";
}
def Ptx_CvtPackOp : Ptx_Instr<"cvt.pack",
    "data-movement-and-conversion-instructions-cvt-pack",
    [Form<"cvt.pack.sat.{u16|s16}.s32 d:b32, a:2, b:2", [Since<"6.5", "sm_72+">]>,
     Form<"cvt.pack.sat.{u8|s8}.s32.b32 d:b32, a:2, b:2, c:b32", [Since<"6.5", "sm_72+">]>,
     Form<"cvt.pack.sat.{u2|s2|u4|s4}.s32.b32 d:b32, a:2, b:2, c:b32", [Since<"6.5", "sm_75+">]>],
    [Pure, LaneWise]> {
  let summary = "packs a and b, clamped to a small type, below bits of c";
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<AnyType>:$c,
                       Ptx_ScalarType:$ty, Ptx_ScalarType:$ty2,
                       OptionalAttr<Ptx_ScalarType>:$ty3, Flag_Sat:$sat,
                       Flag_Pack:$pack);
  let results = (outs AnyType:$d);
}
defvar Cvt87 = [Since<"8.7", "sm_100a">, Since<"8.7", "sm_103a">];
def Ptx_CvtRandomOp : Ptx_Ternary<"cvt.random",
    "data-movement-and-conversion-instructions-cvt",
    [Form<"cvt.rs{.relu}{.satfinite}.{f16x2|bf16x2}.f32 d:b32, a:2, b:2, c:b32", Cvt87>],
    (ins Ptx_ScalarType:$ty2, Ptx_Rounding:$rnd, Flag_Relu:$relu,
         Flag_Satfinite:$satfinite)> {
  let summary = "converts two values to a packed type with stochastic "
                "rounding by `c`";
  let description = [{
    `a` and its random bits are in the upper halves of d and `c`. A value is
    rounded away from zero if the sum of its random bits and of the digits that
    are dropped carries, else toward zero.
  }];
}
def Ptx_CvtRandomQuadOp : Ptx_Instr<"cvt.random.quad",
    "data-movement-and-conversion-instructions-cvt",
    [Form<"cvt.rs{.relu}.satfinite.{e4m3x4|e5m2x4|e2m3x4|e3m2x4}.f32 d:b32, a*4, b:b32", Cvt87>,
     Form<"cvt.rs{.relu}.satfinite.{e2m1x4}.f32 d:b16, a*4, b:b32", Cvt87>],
    [Pure, LaneWise]> {
  let summary = "converts four values to a packed type with stochastic "
                "rounding by `b`";
  let description = [{
    The first value goes to the uppermost byte, of e2m1 to the uppermost 4 bits.
    `cvt.random` says how values are rounded; `docs/Execution.md` says which
    bits of `b` belong to which value.
  }];
  let arguments = (ins Variadic<AnyType>:$a, AnyType:$b, Ptx_ScalarType:$ty,
                       Ptx_QuadFormat:$format, Ptx_Rounding:$rnd,
                       Flag_Relu:$relu, Flag_Satfinite:$satfinite);
  let results = (outs AnyType:$d);
}
// The forms for generic addresses of one width.
class IsSpacepForms<string width> {
  list<Form> L = [
    Form<!strconcat("isspacep.{global|local|shared|shared::cta} d:pred, a:", width),
         [Since<"2.0", "sm_20+">]>,
    Form<!strconcat("isspacep.const d:pred, a:", width),
         [Since<"3.1", "sm_20+">]>,
    Form<!strconcat("isspacep.shared::cluster d:pred, a:", width),
         [Since<"7.8", "sm_90+">]>,
    Form<!strconcat("isspacep.{param|param::entry} d:pred, a:", width),
         [Since<"7.7", "sm_70+">]>];
}
def Ptx_IsSpacepOp : Ptx_Instr<"isspacep",
    "data-movement-and-conversion-instructions-isspacep",
    !listconcat(IsSpacepForms<"b64">.L, IsSpacepForms<"b32">.L),
    [Pure, SpaceOpInterface]> {
  let summary = "whether generic address `a` is in the state space";
  let arguments = (ins AnyType:$a, Ptx_Space:$space);
  let results = (outs I1:$d);
}
def Ptx_CvtaOp : Ptx_Instr<"cvta",
    "data-movement-and-conversion-instructions-cvta",
    [Form<"cvta{.to}.{global|shared|shared::cta|shared::cluster|local|const|param|param::entry}"
          ".{u32|u64} d, %a", [Since<"2.0", "sm_20+">]>],
    [Pure, AddressArithmetic, SpaceOpInterface, WarpDependent]> {
  let summary = "converts an address of a space to generic, or back (`.to`)";
  let arguments = (ins AnyType:$a, Ptx_ScalarType:$ty, Ptx_Space:$space,
                       Flag_To:$to);
  let results = (outs AnyType:$d);
}
#endif

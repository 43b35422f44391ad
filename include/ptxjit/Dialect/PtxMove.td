//===- PtxMove.td - moves, conversions, addresses -------------------------===//

#ifndef PTXJIT_DIALECT_PTXMOVE_TD
#define PTXJIT_DIALECT_PTXMOVE_TD
include "ptxjit/Dialect/PtxBase.td"

defvar AnyInt = "u8|u16|u32|u64|s8|s16|s32|s64";
defvar AnyBits = "b16|b32|b64";

def Ptx_MovOp : Ptx_Unary<"mov", "data-movement-and-conversion-instructions-mov",
    [Form<"mov.{pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64} d, %a">]> {
  let summary = "copy; also of special registers, addresses, packed vectors";
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
     Form<"cvt{.rni|rzi|rmi|rpi}{.sat}.f16.f16 d, a:2">],
    (ins Ptx_ScalarType:$ty2, OptionalAttr<Ptx_Rounding>:$rnd, Flag_Ftz:$ftz,
         Flag_Sat:$sat)> {
  let WideOperands = 1;
}
def Ptx_CvtaOp : Ptx_Unary<"cvta",
    "data-movement-and-conversion-instructions-cvta",
    [Form<"cvta{.to}.{global|shared|shared::cta|local|const|param|param::entry}"
          ".{u32|u64} d, %a", [Since<"2.0", "sm_20+">]>],
    (ins Ptx_Space:$space, Flag_To:$to)> {
  let summary = "address of a space to generic, or with `.to` back";
}
#endif

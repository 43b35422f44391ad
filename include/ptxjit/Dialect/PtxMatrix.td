//===- PtxMatrix.td - forms of warp-level matrix instructions -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PtxMatrixOps.td has the ops.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMATRIX_TD
#define PTXJIT_DIALECT_PTXMATRIX_TD
include "ptxjit/Dialect/PtxMatrixOps.td"

defvar MatrixFrom87Sm120f = [
    Since<"8.8", "sm_120f">,
    Since<"8.7", "sm_120a">,
    Since<"8.7", "sm_121a">];
defvar MatrixFrom91Sm120a = [
    Since<"9.1", "sm_120a">,
    Since<"9.1", "sm_121a">];
defvar MatrixFrom91Sm120f = [
    Since<"9.1", "sm_120f">,
    Since<"9.1", "sm_120a">,
    Since<"9.1", "sm_121a">];
defvar MatrixFrom87Sm120a = [
    Since<"8.7", "sm_120a">,
    Since<"8.7", "sm_121a">];
defvar MatrixFrom87Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.7", "sm_100a">,
    Since<"8.7", "sm_103a">,
    Since<"8.7", "sm_110a">,
    Since<"8.7", "sm_120a">,
    Since<"8.7", "sm_121a">];
defvar MatrixFrom86Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">,
    Since<"8.6", "sm_120a">,
    Since<"8.6", "sm_121a">];

def Matrix_mma : RowForms<"mma", Ptx_MmaOp,
    "warp-level-matrix-instructions-mma", [
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16"
       ".{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}.f16 d*2:b32, "
       "a*4:b32, b*4:b32, c*2:b32, e:b32, #f=0x0",
       MatrixFrom87Sm120f>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.{e4m3|e5m2}"
       ".{e4m3|e5m2}.f16 d*2:b32, a*4:b32, b*4:b32, c*2:b32, e:b32, #f=0x0",
       MatrixFrom87Sm120f>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32"
       ".{e4m3|e5m2|e3m2|e2m3|e2m1}.{e3m2|e2m3|e2m1}.f32 d*4:f32, a*4:b32, "
       "b*4:b32, c*4:f32, e:b32, #f=0x0",
       MatrixFrom87Sm120f>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32"
       ".{e3m2|e2m3|e2m1}.{e4m3|e5m2}.f32 d*4:f32, a*4:b32, b*4:b32, c*4:f32, "
       "e:b32, #f=0x0",
       MatrixFrom87Sm120f>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.bloc"
       "k_scale.f32.e2m1.e2m1.f32.ue8m0 d*4:f32, a*4:b32, b*4:b32, c*4:f32, "
       "e:b32, #f=0x0, g:b32, h*2:b16, i:b32, j*2:b16",
       MatrixFrom87Sm120a>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4."
       "block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 d*4:f32, a*4:b32, "
       "b*4:b32, c*4:f32, e:b32, #f=0x0, g:b32, h*2:b16, i:b32, j*2:b16",
       MatrixFrom87Sm120a>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4."
       "block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0 d*4:f32, a*4:b32, "
       "b*4:b32, c*4:f32, e:b32, #f=0x0, g:b32, h*2:b16, i:b32, j*2:b16",
       MatrixFrom91Sm120a>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.{kind::mxf4|"
       "kind::mxf4nvf4}.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 "
       "d*4:f32, a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0, g:b32, h*2:b16, "
       "i:b32, j*2:b16",
       MatrixFrom87Sm120a>,
  Form<"mma.sync.aligned.m8n8k4.{row|col}.{row|col}.f16.f16.f16.f16 d*4:b32, "
       "a*2:b32, b*2:b32, c*4:b32",
       [Since<"6.4", "sm_70+">]>,
  Form<"mma.sync.aligned.m8n8k4.{row|col}.{row|col}.f32.f16.f16.f16 d*8:f32, "
       "a*2:b32, b*2:b32, c*4:b32",
       [Since<"6.4", "sm_70+">]>,
  Form<"mma.sync.aligned.m8n8k4.{row|col}.{row|col}.f32.f16.f16.f32 d*8:f32, "
       "a*2:b32, b*2:b32, c*8:f32",
       [Since<"6.4", "sm_70+">]>,
  Form<"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 d*2:b32, a*2:b32, "
       "b*1:b32, c*2:b32",
       [Since<"6.5", "sm_75+">]>,
  Form<"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 d*4:f32, a*2:b32, "
       "b*1:b32, c*4:f32",
       [Since<"6.5", "sm_75+">]>,
  Form<"mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32.{u8|s8}.{u8|s8}.s32 "
       "d*2:b32, a*1:b32, b*1:b32, c*2:b32",
       [Since<"6.5", "sm_75+">]>,
  Form<"mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32.{u4|s4}.{u4|s4}.s32 "
       "d*2:b32, a*1:b32, b*1:b32, c*2:b32",
       [Since<"6.5", "sm_75+">]>,
  Form<"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc d*2:b32, "
       "a*1:b32, b*1:b32, c*2:b32",
       [Since<"7.0", "sm_75+">]>,
  Form<"mma.sync.aligned.m16n8k4.row.col{.rn|rz|rm|rp}.f64.f64.f64.f64 "
       "d*4:f64, a*2:f64, b*1:f64, c*4:f64",
       [Since<"7.8", "sm_90+">]>,
  Form<"mma.sync.aligned.m16n8k8.row.col{.rn|rz|rm|rp}.f64.f64.f64.f64 "
       "d*4:f64, a*4:f64, b*2:f64, c*4:f64",
       [Since<"7.8", "sm_90+">]>,
  Form<"mma.sync.aligned.m16n8k16.row.col{.rn|rz|rm|rp}.f64.f64.f64.f64 "
       "d*4:f64, a*8:f64, b*4:f64, c*4:f64",
       [Since<"7.8", "sm_90+">]>,
  Form<"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d*2:b32, a*4:b32, "
       "b*2:b32, c*2:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d*4:f32, a*4:b32, "
       "b*2:b32, c*4:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d*4:f32, a*4:b32, "
       "b*2:b32, c*4:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d*4:f32, a*4:b32, "
       "b*2:b32, c*4:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 d*4:f32, a*2:b32, "
       "b*1:b32, c*4:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 d*4:f32, a*2:b32, "
       "b*1:b32, c*4:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m8n8k4.row.col{.rn|rz|rm|rp}.f64.f64.f64.f64 d*2:f64, "
       "a*1:f64, b*1:f64, c*2:f64",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32.{u8|s8}.{u8|s8}.s32 "
       "d*4:b32, a*2:b32, b*1:b32, c*4:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc d*4:b32, "
       "a*2:b32, b*1:b32, c*4:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.{u4|s4}.{u4|s4}.s32 "
       "d*4:b32, a*2:b32, b*1:b32, c*4:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc d*4:b32, "
       "a*4:b32, b*2:b32, c*4:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.{u8|s8}.{u8|s8}.s32 "
       "d*4:b32, a*4:b32, b*2:b32, c*4:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32.{u4|s4}.{u4|s4}.s32 "
       "d*4:b32, a*4:b32, b*2:b32, c*4:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc d*2:b32, "
       "a*1:b32, b*1:b32, c*2:b32",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc d*4:b32, "
       "a*2:b32, b*1:b32, c*4:b32",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc d*4:b32, "
       "a*4:b32, b*2:b32, c*4:b32",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d*2:b32, a*2:b32, "
       "b*2:b32, c*2:b32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d*4:f32, a*2:b32, "
       "b*2:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d*4:f32, "
       "a*2:b32, b*2:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d*4:f32, "
       "a*2:b32, b*2:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 d*2:b32, a*4:b32, "
       "b*4:b32, c*2:b32, e:b32, #f=0x0|0x1",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 d*4:f32, a*4:b32, "
       "b*4:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 d*4:f32, "
       "a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0|0x1",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 d*4:f32, "
       "a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0|0x1",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.{u4|s4}.{u4|s4}"
       ".s32 d*4:b32, a*2:b32, b*2:b32, c*4:b32, e:b32, #f=0x0|0x1",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k32.row.col{.satfinite}.s32.{u8|s8}.{u8|s8}"
       ".s32 d*4:b32, a*2:b32, b*2:b32, c*4:b32, e:b32, #f=0x0|0x1",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k128.row.col{.satfinite}.s32.{u4|s4}.{u4|s4}"
       ".s32 d*4:b32, a*4:b32, b*4:b32, c*4:b32, e:b32, #f=0x0",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.{u8|s8}.{u8|s8}"
       ".s32 d*4:b32, a*4:b32, b*4:b32, c*4:b32, e:b32, #f=0x0",
       [Since<"7.1", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
       "d*2:b32, a*2:b32, b*2:b32, c*2:b32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
       " d*4:f32, a*2:b32, b*2:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f3"
       "2 d*4:f32, a*2:b32, b*2:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
       "d*4:f32, a*2:b32, b*2:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 "
       "d*2:b32, a*4:b32, b*4:b32, c*2:b32, e:b32, #f=0x0|0x1",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
       "d*4:f32, a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0|0x1|0x2|0x3",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f3"
       "2 d*4:f32, a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0|0x1",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f3"
       "2 d*4:f32, a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0|0x1",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col{.satfinite}"
       ".s32.{u4|s4}.{u4|s4}.s32 d*4:b32, a*2:b32, b*2:b32, c*4:b32, e:b32, "
       "#f=0x0|0x1",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col{.satfinite}"
       ".s32.{u8|s8}.{u8|s8}.s32 d*4:b32, a*2:b32, b*2:b32, c*4:b32, e:b32, "
       "#f=0x0|0x1",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col{.satfinite}"
       ".s32.{u8|s8}.{u8|s8}.s32 d*4:b32, a*4:b32, b*4:b32, c*4:b32, e:b32, "
       "#f=0x0",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col{.satfinite}"
       ".s32.{u4|s4}.{u4|s4}.s32 d*4:b32, a*4:b32, b*4:b32, c*4:b32, e:b32, "
       "#f=0x0",
       [Since<"8.5", "sm_80+">]>,
  Form<"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.{e4m3|e5m2}.{e4m3|"
       "e5m2}.f16 d*2:b32, a*4:b32, b*2:b32, c*2:b32",
       MatrixFrom87Sm100f>,
  Form<"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{e4m3|e5m2}.{e4m3|"
       "e5m2}.f32 d*4:f32, a*4:b32, b*2:b32, c*4:f32",
       MatrixFrom86Sm100f>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32"
       ".{e4m3|e5m2}.{e4m3|e5m2}.f32 d*4:f32, a*4:b32, b*4:b32, c*4:f32, "
       "e:b32, #f=0x0",
       MatrixFrom86Sm100f>,
  Form<"mma.sync.aligned.m16n8k16.row.col.f16.{e4m3|e5m2}.{e4m3|e5m2}.f16 "
       "d*2:b32, a*2:b32, b*1:b32, c*2:b32",
       [Since<"8.7", "sm_89+">]>,
  Form<"mma.sync.aligned.m16n8k16.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32 "
       "d*4:f32, a*2:b32, b*1:b32, c*4:f32",
       [Since<"8.7", "sm_89+">]>,
  Form<"mma.sync.aligned.m16n8k32.row.col.f16.{e4m3|e5m2}.{e4m3|e5m2}.f16 "
       "d*2:b32, a*4:b32, b*2:b32, c*2:b32",
       [Since<"8.7", "sm_89+">]>,
  Form<"mma.sync.aligned.m16n8k32.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32 "
       "d*4:f32, a*4:b32, b*2:b32, c*4:f32",
       [Since<"8.4", "sm_89+">]>,
  Form<"mma.sp.sync.aligned.m16n8k64.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32 "
       "d*4:f32, a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0",
       [Since<"8.4", "sm_89+">]>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.{e4m3|e5m2}"
       ".{e4m3|e5m2}.f32 d*4:f32, a*4:b32, b*4:b32, c*4:f32, e:b32, #f=0x0",
       [Since<"8.5", "sm_89+">]>,
  Form<"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.{e3m2|e2m3|e2m1}"
       ".{e4m3|e5m2}.f16 d*2:b32, a*4:b32, b*2:b32, c*2:b32",
       MatrixFrom87Sm120f>,
  Form<"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.{e4m3|e5m2|e3m2|"
       "e2m3|e2m1}.{e3m2|e2m3|e2m1}.f16 d*2:b32, a*4:b32, b*2:b32, c*2:b32",
       MatrixFrom87Sm120f>,
  Form<"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{e4m3|e5m2|e3m2|"
       "e2m3|e2m1}.{e3m2|e2m3|e2m1}.f32 d*4:f32, a*4:b32, b*2:b32, c*4:f32",
       MatrixFrom87Sm120f>,
  Form<"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{e3m2|e2m3|e2m1}"
       ".{e4m3|e5m2}.f32 d*4:f32, a*4:b32, b*2:b32, c*4:f32",
       MatrixFrom87Sm120f>,
  Form<"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1."
       "f32.ue8m0 d*4:f32, a*4:b32, b*2:b32, c*4:f32, e:b32, f*2:b16, g:b32, "
       "h*2:b16",
       MatrixFrom87Sm120f>,
  Form<"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec:"
       ":4X.f32.e2m1.e2m1.f32.ue4m3 d*4:f32, a*4:b32, b*2:b32, c*4:f32, e:b32, "
       "f*2:b16, g:b32, h*2:b16",
       MatrixFrom87Sm120f>,
  Form<"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec:"
       ":4X.f32.e2m1.e2m1.f32.ue8m0 d*4:f32, a*4:b32, b*2:b32, c*4:f32, e:b32, "
       "f*2:b16, g:b32, h*2:b16",
       MatrixFrom91Sm120f>,
  Form<"mma.sync.aligned.m16n8k64.row.col.{kind::mxf4|kind::mxf4nvf4}"
       ".block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 d*4:f32, a*4:b32, "
       "b*2:b32, c*4:f32, e:b32, f*2:b16, g:b32, h*2:b16",
       MatrixFrom87Sm120f>,
  Form<"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec"
       "::1X}.f32.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|e3m2|e2m3|e2m1}"
       ".f32.ue8m0 d*4:f32, a*4:b32, b*2:b32, c*4:f32, e:b32, f*2:b16, g:b32, "
       "h*2:b16",
       MatrixFrom87Sm120f>,
  Form<"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.b"
       "lock_scale{.scale_vec::1X}.f32.{e4m3|e5m2|e3m2|e2m3|e2m1}.{e4m3|e5m2|"
       "e3m2|e2m3|e2m1}.f32.ue8m0 d*4:f32, a*4:b32, b*4:b32, c*4:f32, e:b32, "
       "#f=0x0, g:b32, h*2:b16, i:b32, j*2:b16",
       MatrixFrom87Sm120f>]>;
def Matrix_wmma_load : RowForms<"wmma", Ptx_WmmaLoadOp,
    "warp-level-matrix-instructions-wmma-ld", [
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f16 d*8:b32, [a]",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f16 d*8:b32, [a], b:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16{.global|shared}.{u8|"
       "s8} d*2:b32, [a]",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16{.global|shared}.{u8|"
       "s8} d*2:b32, [a], b:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f16 d*4:b32, [a]",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f16 d*4:b32, [a], b:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f32 d*8:f32, [a]",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f32 d*8:f32, [a], b:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.s32 d*8:b32, [a]",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.s32 d*8:b32, [a], b:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f16 d*8:b32, [a]",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f16 d*8:b32, [a], b:b32",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16.shared::cta.{u8|s8} "
       "d*2:b32, [a]",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16.shared::cta.{u8|s8} "
       "d*2:b32, [a], b:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f16 d*4:b32, [a]",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f16 d*4:b32, [a], b:b32",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f32 d*8:f32, [a]",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f32 d*8:f32, [a], b:b32",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.s32 d*8:b32, [a]",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.s32 d*8:b32, [a], b:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16{.global|shared}.{u8|s8} "
       "d*1:b32, [a]",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16{.global|shared}.{u8|s8} "
       "d*1:b32, [a], b:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16{.global|shared}.{u8|s8} "
       "d*1:b32, [a]",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16{.global|shared}.{u8|s8} "
       "d*1:b32, [a], b:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16{.global|shared}.{u8|s8} "
       "d*4:b32, [a]",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16{.global|shared}.{u8|s8} "
       "d*4:b32, [a], b:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16{.global|shared}.{u8|s8} "
       "d*4:b32, [a]",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16{.global|shared}.{u8|s8} "
       "d*4:b32, [a], b:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16.shared::cta.{u8|s8} "
       "d*1:b32, [a]",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16.shared::cta.{u8|s8} "
       "d*1:b32, [a], b:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16.shared::cta.{u8|s8} "
       "d*1:b32, [a]",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16.shared::cta.{u8|s8} "
       "d*1:b32, [a], b:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16.shared::cta.{u8|s8} "
       "d*4:b32, [a]",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16.shared::cta.{u8|s8} "
       "d*4:b32, [a], b:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16.shared::cta.{u8|s8} "
       "d*4:b32, [a]",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16.shared::cta.{u8|s8} "
       "d*4:b32, [a], b:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k32{.global|shared}.{u4|s4} d*1:b32, "
       "[a]",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k32{.global|shared}.{u4|s4} d*1:b32, "
       "[a], b:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k32{.global|shared}.{u4|s4} d*1:b32, "
       "[a]",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k32{.global|shared}.{u4|s4} d*1:b32, "
       "[a], b:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k128{.global|shared}.b1 d*1:b32, [a]",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k128{.global|shared}.b1 d*1:b32, [a], "
       "b:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k128{.global|shared}.b1 d*1:b32, [a]",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k128{.global|shared}.b1 d*1:b32, [a], "
       "b:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m8n8k32|m8n8k128}{.global|shared}"
       ".s32 d*2:b32, [a]",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m8n8k32|m8n8k128}{.global|shared}"
       ".s32 d*2:b32, [a], b:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k32.shared::cta.{u4|s4} d*1:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k32.shared::cta.{u4|s4} d*1:b32, [a], "
       "b:b32",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k128.shared::cta.b1 d*1:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k128.shared::cta.b1 d*1:b32, [a], "
       "b:b32",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k32.shared::cta.{u4|s4} d*1:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.a.sync.aligned.row.m8n8k32.shared::cta.{u4|s4} d*1:b32, [a], "
       "b:b32",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k128.shared::cta.b1 d*1:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.b.sync.aligned.col.m8n8k128.shared::cta.b1 d*1:b32, [a], "
       "b:b32",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m8n8k32|m8n8k128}.shared::cta.s32 "
       "d*2:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.{m8n8k32|m8n8k128}.shared::cta.s32 "
       "d*2:b32, [a], b:b32",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16{.global|shared}.bf16 "
       "d*4:b32, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16{.global|shared}.bf16 "
       "d*4:b32, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k8{.global|shared}.tf32 "
       "d*4:b32, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k8{.global|shared}.tf32 "
       "d*4:b32, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16.shared::cta.bf16 "
       "d*4:b32, [a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k16.shared::cta.bf16 "
       "d*4:b32, [a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k8.shared::cta.tf32 "
       "d*4:b32, [a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m16n16k8.shared::cta.tf32 "
       "d*4:b32, [a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16{.global|shared}.bf16 "
       "d*2:b32, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16{.global|shared}.bf16 "
       "d*2:b32, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16{.global|shared}.bf16 "
       "d*2:b32, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16{.global|shared}.bf16 "
       "d*2:b32, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16{.global|shared}.bf16 "
       "d*8:b32, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16{.global|shared}.bf16 "
       "d*8:b32, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16{.global|shared}.bf16 "
       "d*8:b32, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16{.global|shared}.bf16 "
       "d*8:b32, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16.shared::cta.bf16 d*2:b32, "
       "[a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m32n8k16.shared::cta.bf16 d*2:b32, "
       "[a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16.shared::cta.bf16 d*2:b32, "
       "[a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m8n32k16.shared::cta.bf16 d*2:b32, "
       "[a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16.shared::cta.bf16 d*8:b32, "
       "[a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.a.sync.aligned.{row|col}.m32n8k16.shared::cta.bf16 d*8:b32, "
       "[a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16.shared::cta.bf16 d*8:b32, "
       "[a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.b.sync.aligned.{row|col}.m8n32k16.shared::cta.bf16 d*8:b32, "
       "[a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m16n16k8{.global|shared}.f32 "
       "d*8:f32, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m16n16k8{.global|shared}.f32 "
       "d*8:f32, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m16n16k8.shared::cta.f32 d*8:f32, "
       "[a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m16n16k8.shared::cta.f32 d*8:f32, "
       "[a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m8n8k4{.global|shared}.f64 "
       "d*1:f64, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m8n8k4{.global|shared}.f64 "
       "d*1:f64, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m8n8k4{.global|shared}.f64 d*2:f64, "
       "[a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m8n8k4{.global|shared}.f64 d*2:f64, "
       "[a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m8n8k4.shared::cta.f64 d*1:f64, "
       "[a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.{b|a}.sync.aligned.{row|col}.m8n8k4.shared::cta.f64 d*1:f64, "
       "[a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m8n8k4.shared::cta.f64 d*2:f64, [a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.load.c.sync.aligned.{row|col}.m8n8k4.shared::cta.f64 d*2:f64, "
       "[a], b:b32",
       [Since<"7.8", "sm_80+">]>]>;
def Matrix_wmma_mma : RowForms<"wmma", Ptx_MmaOp,
    "warp-level-matrix-instructions-wmma-mma", [
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f16.f16.satfinite d*4:b32, a*8:b32, b*8:b32, c*4:b32",
       [Since<"6.0-6.4", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f16.f32.satfinite d*4:b32, a*8:b32, b*8:b32, c*8:f32",
       [Since<"6.0-6.4", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f32.f16.satfinite d*8:f32, a*8:b32, b*8:b32, c*4:b32",
       [Since<"6.0-6.4", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f32.f32.satfinite d*8:f32, a*8:b32, b*8:b32, c*8:f32",
       [Since<"6.0-6.4", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f16.f16 d*4:b32, a*8:b32, b*8:b32, c*4:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f16.f32 d*4:b32, a*8:b32, b*8:b32, c*8:f32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f32.f16 d*8:f32, a*8:b32, b*8:b32, c*4:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".f32.f32 d*8:f32, a*8:b32, b*8:b32, c*8:f32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}"
       ".m16n16k16.s32.s8.s8.s32{.satfinite} d*8:b32, a*2:b32, b*2:b32, c*8:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}"
       ".m16n16k16.s32.u8.u8.s32{.satfinite} d*8:b32, a*2:b32, b*2:b32, c*8:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}"
       ".m8n32k16.s32.s8.s8.s32{.satfinite} d*8:b32, a*1:b32, b*4:b32, c*8:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}"
       ".m8n32k16.s32.u8.u8.s32{.satfinite} d*8:b32, a*1:b32, b*4:b32, c*8:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}"
       ".m32n8k16.s32.s8.s8.s32{.satfinite} d*8:b32, a*4:b32, b*1:b32, c*8:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}"
       ".m32n8k16.s32.u8.u8.s32{.satfinite} d*8:b32, a*4:b32, b*1:b32, c*8:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite} "
       "d*2:b32, a*1:b32, b*1:b32, c*2:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite} "
       "d*2:b32, a*1:b32, b*1:b32, c*2:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 d*2:b32, "
       "a*1:b32, b*1:b32, c*2:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.m16n16k16.f32.bf16.bf16.f32 "
       "d*8:f32, a*4:b32, b*4:b32, c*8:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.m16n16k8.f32.tf32.tf32.f32 "
       "d*8:f32, a*4:b32, b*4:b32, c*8:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.m8n32k16.f32.bf16.bf16.f32 "
       "d*8:f32, a*2:b32, b*8:b32, c*8:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.m32n8k16.f32.bf16.bf16.f32 "
       "d*8:f32, a*8:b32, b*2:b32, c*8:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.mma.sync.aligned.{row|col}.{row|col}.m8n8k4{.rn|rz|rm|rp}"
       ".f64.f64.f64.f64 d*2:f64, a*1:f64, b*1:f64, c*2:f64",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 d*2:b32, "
       "a*1:b32, b*1:b32, c*2:b32",
       [Since<"7.1", "sm_80+">]>]>;
def Matrix_wmma_store : RowForms<"wmma", Ptx_WmmaStoreOp,
    "warp-level-matrix-instructions-wmma-st", [
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f16 [a], b*4:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f16 [a], b*4:b32, c:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f32 [a], b*8:f32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.f32 [a], b*8:f32, c:b32",
       [Since<"6.0", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.s32 [a], b*8:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       "{.global|shared}.s32 [a], b*8:b32, c:b32",
       [Since<"6.3", "sm_72+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f16 [a], b*4:b32",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f16 [a], b*4:b32, c:b32",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f32 [a], b*8:f32",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.f32 [a], b*8:f32, c:b32",
       [Since<"7.8", "sm_70+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.s32 [a], b*8:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}"
       ".shared::cta.s32 [a], b*8:b32, c:b32",
       [Since<"7.8", "sm_72+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m8n8k32|m8n8k128}{.global|shared}"
       ".s32 [a], b*2:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m8n8k32|m8n8k128}{.global|shared}"
       ".s32 [a], b*2:b32, c:b32",
       [Since<"6.3", "sm_75+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m8n8k32|m8n8k128}.shared::cta.s32 "
       "[a], b*2:b32",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.{m8n8k32|m8n8k128}.shared::cta.s32 "
       "[a], b*2:b32, c:b32",
       [Since<"7.8", "sm_75+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m16n16k8{.global|shared}.f32 [a], "
       "b*8:f32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m16n16k8{.global|shared}.f32 [a], "
       "b*8:f32, c:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m16n16k8.shared::cta.f32 [a], "
       "b*8:f32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m16n16k8.shared::cta.f32 [a], "
       "b*8:f32, c:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m8n8k4{.global|shared}.f64 [a], "
       "b*2:f64",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m8n8k4{.global|shared}.f64 [a], "
       "b*2:f64, c:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m8n8k4.shared::cta.f64 [a], b*2:f64",
       [Since<"7.8", "sm_80+">]>,
  Form<"wmma.store.d.sync.aligned.{row|col}.m8n8k4.shared::cta.f64 [a], "
       "b*2:f64, c:b32",
       [Since<"7.8", "sm_80+">]>]>;
def Matrix_ldmatrix : RowForms<"ldmatrix", Ptx_LdMatrixOp,
    "warp-level-matrix-instructions-ldmatrix", [
  Form<"ldmatrix.sync.aligned.m8n8.x1{.trans}{.shared}.b16 d*1:b32, [a]",
       [Since<"6.5", "sm_75+">]>,
  Form<"ldmatrix.sync.aligned.m8n8.x1{.trans}.shared::cta.b16 d*1:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"ldmatrix.sync.aligned.m8n8.x2{.trans}{.shared}.b16 d*2:b32, [a]",
       [Since<"6.5", "sm_75+">]>,
  Form<"ldmatrix.sync.aligned.m8n8.x2{.trans}.shared::cta.b16 d*2:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared}.b16 d*4:b32, [a]",
       [Since<"6.5", "sm_75+">]>,
  Form<"ldmatrix.sync.aligned.m8n8.x4{.trans}.shared::cta.b16 d*4:b32, [a]",
       [Since<"7.8", "sm_75+">]>,
  Form<"ldmatrix.sync.aligned.m8n16.x2{.shared|shared::cta}.b8x16.{b6x16_p32|"
       "b4x16_p64} d*2:b32, [a]",
       MatrixFrom86Sm100f>,
  Form<"ldmatrix.sync.aligned.m16n16.x1.trans{.shared|shared::cta}.b8 d*2:b32, "
       "[a]",
       MatrixFrom86Sm100f>,
  Form<"ldmatrix.sync.aligned.m16n16.x1.trans{.shared|shared::cta}"
       ".b8x16.{b6x16_p32|b4x16_p64} d*2:b32, [a]",
       MatrixFrom86Sm100f>,
  Form<"ldmatrix.sync.aligned.m16n16.x2.trans{.shared|shared::cta}.b8 d*4:b32, "
       "[a]",
       MatrixFrom86Sm100f>,
  Form<"ldmatrix.sync.aligned.m16n16.x2.trans{.shared|shared::cta}"
       ".b8x16.{b6x16_p32|b4x16_p64} d*4:b32, [a]",
       MatrixFrom86Sm100f>,
  Form<"ldmatrix.sync.aligned.m8n16.x4{.shared|shared::cta}.b8x16.{b6x16_p32|"
       "b4x16_p64} d*4:b32, [a]",
       MatrixFrom86Sm100f>,
  Form<"ldmatrix.sync.aligned.m8n16.x1{.shared|shared::cta}.b8x16.{b6x16_p32|"
       "b4x16_p64} d*1:b32, [a]",
       MatrixFrom86Sm100f>]>;
def Matrix_movmatrix : RowForms<"movmatrix", Ptx_MovMatrixOp,
    "warp-level-matrix-instructions-movmatrix", [
  Form<"movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a:b32",
       [Since<"7.8", "sm_75+">]>]>;
def Matrix_stmatrix : RowForms<"stmatrix", Ptx_StMatrixOp,
    "warp-level-matrix-instructions-stmatrix", [
  Form<"stmatrix.sync.aligned.m8n8.x1{.trans}{.shared|shared::cta}.b16 "
       "[a], b*1:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"stmatrix.sync.aligned.m8n8.x2{.trans}{.shared|shared::cta}.b16 "
       "[a], b*2:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"stmatrix.sync.aligned.m8n8.x4{.trans}{.shared|shared::cta}.b16 "
       "[a], b*4:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"stmatrix.sync.aligned.m16n8.x1.trans{.shared|shared::cta}.b8 [a], "
       "b*1:b32",
       MatrixFrom86Sm100f>,
  Form<"stmatrix.sync.aligned.m16n8.x2.trans{.shared|shared::cta}.b8 [a], "
       "b*2:b32",
       MatrixFrom86Sm100f>,
  Form<"stmatrix.sync.aligned.m16n8.x4.trans{.shared|shared::cta}.b8 [a], "
       "b*4:b32",
       MatrixFrom86Sm100f>]>;
#endif

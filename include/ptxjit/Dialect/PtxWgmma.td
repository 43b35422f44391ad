//===- PtxWgmma.td - matrix instructions of a warpgroup -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known forms: parsed, checked and printed. Nothing executes them yet.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXWGMMA_TD
#define PTXJIT_DIALECT_PTXWGMMA_TD
include "ptxjit/Dialect/PtxBase.td"

defvar WgmmaFloatK16 =
    "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|"
    "m64n64k16|m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|"
    "m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|m64n160k16|"
    "m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|"
    "m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16";
defvar WgmmaFloatK32 =
    "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|"
    "m64n64k32|m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|"
    "m64n120k32|m64n128k32|m64n136k32|m64n144k32|m64n152k32|m64n160k32|"
    "m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|"
    "m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32";
defvar WgmmaFloatK8 =
    "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|"
    "m64n72k8|m64n80k8|m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|"
    "m64n128k8|m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|m64n176k8|"
    "m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|"
    "m64n240k8|m64n248k8|m64n256k8";
defvar WgmmaIntK256 =
    "m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|"
    "m64n80k256|m64n96k256|m64n112k256|m64n128k256|m64n144k256|m64n160k256|"
    "m64n176k256|m64n192k256|m64n208k256|m64n224k256|m64n240k256|m64n256k256";
defvar WgmmaIntK32 =
    "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|"
    "m64n96k32|m64n112k32|m64n128k32|m64n144k32|m64n160k32|m64n176k32|"
    "m64n192k32|m64n208k32|m64n224k32|m64n240k32|m64n256k32";
defvar WgmmaFloatK64 =
    "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n40k64|m64n48k64|m64n56k64|"
    "m64n64k64|m64n72k64|m64n80k64|m64n88k64|m64n96k64|m64n104k64|m64n112k64|"
    "m64n120k64|m64n128k64|m64n136k64|m64n144k64|m64n152k64|m64n160k64|"
    "m64n168k64|m64n176k64|m64n184k64|m64n192k64|m64n200k64|m64n208k64|"
    "m64n216k64|m64n224k64|m64n232k64|m64n240k64|m64n248k64|m64n256k64";
defvar WgmmaIntK64 =
    "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n48k64|m64n64k64|m64n80k64|"
    "m64n96k64|m64n112k64|m64n128k64|m64n144k64|m64n160k64|m64n176k64|"
    "m64n192k64|m64n208k64|m64n224k64|m64n240k64|m64n256k64";

def Known_wgmma : Known<"wgmma",
    "asynchronous-warpgroup-level-matrix-instructions", [
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK16,
       "}.f16.f16.f16 d*N/4:b32, a:b64, b:b64, c:pred, #e=-1|1, #f=-1|1, #g=0|"
       "1, #h=0|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK16,
       "}.f16.f16.f16 d*N/4:b32, a*4:b32, b:b64, c:pred, #e=-1|1, #f=-1|1, "
       "#g=0|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK16,
       "}.f32.f16.f16 d*N/2:f32, a:b64, b:b64, c:pred, #e=-1|1, #f=-1|1, #g=0|"
       "1, #h=0|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK16,
       "}.f32.f16.f16 d*N/2:f32, a*4:b32, b:b64, c:pred, #e=-1|1, #f=-1|1, "
       "#g=0|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK16,
       "}.f32.bf16.bf16 d*N/2:f32, a:b64, b:b64, c:pred, #e=-1|1, #f=-1|1, "
       "#g=0|1, #h=0|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK16,
       "}.f32.bf16.bf16 d*N/2:f32, a*4:b32, b:b64, c:pred, #e=-1|1, #f=-1|1, "
       "#g=0|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK32,
       "}.f32.{e4m3|e5m2}.{e4m3|e5m2} d*N/2:f32, a:b64, b:b64, c:pred, #e=-1|"
       "1, #f=-1|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK8,
       "}.f32.tf32.tf32 d*N/2:f32, a:b64, b:b64, c:pred, #e=-1|1, #f=-1|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK8,
       "}.f32.tf32.tf32 d*N/2:f32, a*4:b32, b:b64, c:pred, #e=-1|1, #f=-1|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK32,
       "}.f32.{e4m3|e5m2}.{e4m3|e5m2} d*N/2:f32, a*4:b32, b:b64, c:pred, #e=-1|"
       "1, #f=-1|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK32,
       "}.f16.{e4m3|e5m2}.{e4m3|e5m2} d*N/4:b32, a:b64, b:b64, c:pred, #e=-1|"
       "1, #f=-1|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaFloatK32,
       "}.f16.{e4m3|e5m2}.{e4m3|e5m2} d*N/4:b32, a*4:b32, b:b64, c:pred, #e=-1|"
       "1, #f=-1|1"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK256,
       "}.s32.b1.b1.and.popc d*N/2:b32, a:b64, b:b64, c:pred"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.u8.u8 d*N/2:b32, a:b64, b:b64, c:pred"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.s8.s8 d*N/2:b32, a:b64, b:b64, c:pred"),
       [Since<"8.0", "sm_90a">]>,
  Form<"wgmma.mma_async.sync.aligned.{m64n8k256|m64n256k256}"
       ".s32.b1.b1.and.popc d*N/2:b32, a*4:b32, b:b64, c:pred",
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.u8.u8 d*N/2:b32, a*4:b32, b:b64, c:pred"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.s8.s8 d*N/2:b32, a*4:b32, b:b64, c:pred"),
       [Since<"8.0", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.u8.s8 d*N/2:b32, a:b64, b:b64, c:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.s8.u8 d*N/2:b32, a:b64, b:b64, c:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.u8.s8 d*N/2:b32, a*4:b32, b:b64, c:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sync.aligned.{", WgmmaIntK32,
       "}{.satfinite}.s32.s8.u8 d*N/2:b32, a*4:b32, b:b64, c:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK32,
       "}.f16.f16.f16 d*N/4:b32, a:b64, b:b64, c:b32, #e=0..3, f:pred, #g=-1|"
       "1, #h=-1|1, #i=0|1, #j=0|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK32,
       "}.f16.f16.f16 d*N/4:b32, a*4:b32, b:b64, c:b32, #e=0..3, f:pred, #g=-1|"
       "1, #h=-1|1, #i=0|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK32,
       "}.f32.f16.f16 d*N/2:f32, a:b64, b:b64, c:b32, #e=0..3, f:pred, #g=-1|"
       "1, #h=-1|1, #i=0|1, #j=0|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK32,
       "}.f32.f16.f16 d*N/2:f32, a*4:b32, b:b64, c:b32, #e=0..3, f:pred, #g=-1|"
       "1, #h=-1|1, #i=0|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK32,
       "}.f32.bf16.bf16 d*N/2:f32, a:b64, b:b64, c:b32, #e=0..3, f:pred, #g=-1|"
       "1, #h=-1|1, #i=0|1, #j=0|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK32,
       "}.f32.bf16.bf16 d*N/2:f32, a*4:b32, b:b64, c:b32, #e=0..3, f:pred, "
       "#g=-1|1, #h=-1|1, #i=0|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK16,
       "}.f32.tf32.tf32 d*N/2:f32, a:b64, b:b64, c:b32, #e=0..3, f:pred, #g=-1|"
       "1, #h=-1|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK16,
       "}.f32.tf32.tf32 d*N/2:f32, a*4:b32, b:b64, c:b32, #e=0..3, f:pred, "
       "#g=-1|1, #h=-1|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK64,
       "}.f32.{e4m3|e5m2}.{e4m3|e5m2} d*N/2:f32, a:b64, b:b64, c:b32, #e=0..3, "
       "f:pred, #g=-1|1, #h=-1|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK64,
       "}.f32.{e4m3|e5m2}.{e4m3|e5m2} d*N/2:f32, a*4:b32, b:b64, c:b32, "
       "#e=0..3, f:pred, #g=-1|1, #h=-1|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK64,
       "}.f16.{e4m3|e5m2}.{e4m3|e5m2} d*N/4:b32, a:b64, b:b64, c:b32, #e=0..3, "
       "f:pred, #g=-1|1, #h=-1|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaFloatK64,
       "}.f16.{e4m3|e5m2}.{e4m3|e5m2} d*N/4:b32, a*4:b32, b:b64, c:b32, "
       "#e=0..3, f:pred, #g=-1|1, #h=-1|1"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.u8.u8 d*N/2:b32, a:b64, b:b64, c:b32, #e=0..3, f:pred"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.s8.s8 d*N/2:b32, a:b64, b:b64, c:b32, #e=0..3, f:pred"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.u8.u8 d*N/2:b32, a*4:b32, b:b64, c:b32, #e=0..3, "
       "f:pred"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.s8.s8 d*N/2:b32, a*4:b32, b:b64, c:b32, #e=0..3, "
       "f:pred"),
       [Since<"8.2", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.s8.u8 d*N/2:b32, a:b64, b:b64, c:b32, #e=0..3, f:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.u8.s8 d*N/2:b32, a:b64, b:b64, c:b32, #e=0..3, f:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.u8.s8 d*N/2:b32, a*4:b32, b:b64, c:b32, #e=0..3, "
       "f:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<!strconcat("wgmma.mma_async.sp.sync.aligned.{", WgmmaIntK64,
       "}{.satfinite}.s32.s8.u8 d*N/2:b32, a*4:b32, b:b64, c:b32, #e=0..3, "
       "f:pred"),
       [Since<"8.4", "sm_90a">]>,
  Form<"wgmma.{commit_group|fence}.sync.aligned",
       [Since<"8.0", "sm_90a">]>,
  Form<"wgmma.wait_group.sync.aligned #a",
       [Since<"8.0", "sm_90a">]>]>;
#endif

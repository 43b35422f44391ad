//===- PtxTcgen05.td - fifth generation tensor cores ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory is executed (PtxTensorMemoryOps.td). The other forms are known:
// parsed, checked and printed.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXTCGEN05_TD
#define PTXJIT_DIALECT_PTXTCGEN05_TD
include "ptxjit/Dialect/PtxTensorMemoryOps.td"

defvar Tcgen05From86Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">];
defvar Tcgen05From86Sm100fx = [
    Since<"8.8", "sm_100f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">];
defvar Tcgen05From88Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_100a">,
    Since<"8.8", "sm_103a">,
    Since<"8.8", "sm_110a">];
defvar Tcgen05From86Sm100a = [
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">];
defvar Tcgen05From86Sm100ax = [
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_110a">];
defvar Tcgen05From87Sm100a = [
    Since<"8.7", "sm_100a">,
    Since<"8.7", "sm_103a">,
    Since<"8.7", "sm_110a">];
defvar Tcgen05From88Sm100a = [
    Since<"8.8", "sm_100a">,
    Since<"8.8", "sm_103a">,
    Since<"8.8", "sm_110a">];
defvar Tcgen05From88Sm103f = [
    Since<"8.8", "sm_103f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_103a">,
    Since<"8.8", "sm_110a">];

defvar Tcgen05Anchor = "tensorcore-5th-generation-instructions";

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

def Forms_Tcgen05Alloc : RowForms<"tcgen05", Ptx_Tcgen05AllocOp, Tcgen05Anchor, [
  Form<"tcgen05.alloc.{cta_group::1|cta_group::2}.sync.aligned{.shared::cta}"
       ".b32 [a], #b=32|64|128|256|512",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.alloc.{cta_group::1|cta_group::2}.sync.aligned{.shared::cta}"
       ".b32 [a], b:b32",
       Tcgen05From86Sm100f>]>;
def Forms_Tcgen05Dealloc : RowForms<"tcgen05", Ptx_Tcgen05DeallocOp, Tcgen05Anchor, [
  Form<"tcgen05.dealloc.{cta_group::1|cta_group::2}.sync.aligned.b32 a:b32, "
       "#b=32|512",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.dealloc.{cta_group::1|cta_group::2}.sync.aligned.b32 a:b32, "
       "b:b32",
       Tcgen05From86Sm100f>]>;
def Forms_Tcgen05Relinquish : RowForms<"tcgen05", Ptx_Tcgen05RelinquishOp, Tcgen05Anchor, [
  Form<"tcgen05.relinquish_alloc_permit.{cta_group::1|cta_group::2}"
       ".sync.aligned",
       Tcgen05From86Sm100f>]>;
def Forms_Tcgen05Ld : RowForms<"tcgen05", Ptx_Tcgen05LdOp, Tcgen05Anchor, [
  Form<"tcgen05.ld.sync.aligned.{16x64b|32x32b}.{x1|x2|x4|x8|x16|x32|x64|x128}"
       "{.pack::16b}.b32 d*1x:b32, [a]",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.ld.sync.aligned.16x128b.{x1|x2|x4|x8|x16|x32|x64}{.pack::16b}"
       ".b32 d*2x:b32, [a]",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.ld.sync.aligned.16x256b.{x1|x2|x4|x8|x16|x32}{.pack::16b}.b32 "
       "d*4x:b32, [a]",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.ld.sync.aligned.16x32bx2.{x1|x2|x4|x8|x16|x32|x64|x128}"
       "{.pack::16b}.b32 d*1x:b32, [a], #b",
       Tcgen05From86Sm100f>]>;
def Forms_Tcgen05St : RowForms<"tcgen05", Ptx_Tcgen05StOp, Tcgen05Anchor, [
  Form<"tcgen05.st.sync.aligned.{16x64b|32x32b}.{x1|x2|x4|x8|x16|x32|x64|x128}"
       "{.unpack::16b}.b32 [a], b*1x:b32",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.st.sync.aligned.16x128b.{x1|x2|x4|x8|x16|x32|x64}{.unpack::16b}"
       ".b32 [a], b*2x:b32",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.st.sync.aligned.16x256b.{x1|x2|x4|x8|x16|x32}{.unpack::16b}"
       ".b32 [a], b*4x:b32",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.st.sync.aligned.16x32bx2.{x1|x2|x4|x8|x16|x32|x64|x128}"
       "{.unpack::16b}.b32 [a], #b, c*1x:b32",
       Tcgen05From86Sm100f>]>;
// Accesses of tensor memory complete when they are issued.
def Advice_tcgen05 : Advice<"tcgen05", Tcgen05Anchor, [
  Form<"tcgen05.{wait::ld|wait::st}.sync.aligned",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.{fence::before_thread_sync|fence::after_thread_sync}",
       Tcgen05From86Sm100f>]>;

//===----------------------------------------------------------------------===//
// Known forms
//===----------------------------------------------------------------------===//

def Known_tcgen05 : Known<"tcgen05", Tcgen05Anchor, [
  Form<"tcgen05.cp.{cta_group::1|cta_group::2}.32x128b.warpx4 [a], b:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.cp.{cta_group::1|cta_group::2}.{128x256b|4x256b|128x128b}"
       ".b8x16.{b6x16_p32|b4x16_p64} [a], b:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.cp.{cta_group::1|cta_group::2}.32x128b.warpx4.b8x16.{b6x16_p32|"
       "b4x16_p64} [a], b:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.cp.{cta_group::1|cta_group::2}.64x128b.{warpx2::02_13|"
       "warpx2::01_23}.b8x16.{b6x16_p32|b4x16_p64} [a], b:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.cp.{cta_group::1|cta_group::2}.64x128b.{warpx2::02_13|"
       "warpx2::01_23} [a], b:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.cp.{cta_group::1|cta_group::2}.{128x256b|4x256b|128x128b} [a], "
       "b:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.commit.{cta_group::1|cta_group::2}"
       ".mbarrier::arrive::one{.shared::cluster}.b64 [a]",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.commit.{cta_group::1|cta_group::2}"
       ".mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [a], "
       "b:b16",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::f8f6f4|kind::f16|"
       "kind::tf32}{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], b:b64, c:b64, e:b32, "
       "f:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.ws.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
       "collector::b0::discard|collector::b1::fill|collector::b1::use|"
       "collector::b1::lastuse|collector::b1::discard|collector::b2::fill|"
       "collector::b2::use|collector::b2::lastuse|collector::b2::discard|"
       "collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
       "collector::b3::discard} [a], b:b64, c:b64, e:b32, f:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.ws.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
       "collector::b0::discard|collector::b1::fill|collector::b1::use|"
       "collector::b1::lastuse|collector::b1::discard|collector::b2::fill|"
       "collector::b2::use|collector::b2::lastuse|collector::b2::discard|"
       "collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
       "collector::b3::discard} [a], [b], c:b64, e:b32, f:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::f16|kind::tf32}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], b:b64, c:b64, e:b32, f:pred, #g",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill} [a], b:b64, c:b64, e:b32, f*4:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.cta_group::1.{kind::f16|kind::tf32} [a], b:b64, c:b64, "
       "e:b32, f*4:b32, g:pred, #h",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::f8f6f4|kind::f16|"
       "kind::tf32}{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard|ashift} [a], [b], c:b64, "
       "e:b32, f:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::f8f6f4|kind::f16|"
       "kind::tf32}.ashift.{collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, e:b32, f:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::f16|kind::tf32}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard|ashift} [a], [b], c:b64, e:b32, f:pred, #g",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::f16|kind::tf32}"
       ".ashift.{collector::a::lastuse|collector::a::discard} [a], [b], c:b64, "
       "e:b32, f:pred, #g",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill|ashift} [a], [b], c:b64, e:b32, f*4:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.cta_group::1.{kind::f16|kind::tf32}{.ashift} [a], [b], "
       "c:b64, e:b32, f*4:b32, g:pred, #h",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::mxf4|kind::mxf8f6f4|"
       "kind::mxf4nvf4}.block_scale.block32{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::mxf4|kind::mxf8f6f4|"
       "kind::mxf4nvf4}.block_scale.block32{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::mxf4|kind::mxf8f6f4}"
       ".block_scale{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], b:b64, c:b64, e:b32, "
       "[f], [g], h:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.{kind::mxf4|kind::mxf8f6f4}"
       ".block_scale{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], [b], c:b64, e:b32, "
       "[f], [g], h:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.block16{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.block16{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
       "collector::b0::discard|collector::b1::fill|collector::b1::use|"
       "collector::b1::lastuse|collector::b1::discard|collector::b2::fill|"
       "collector::b2::use|collector::b2::lastuse|collector::b2::discard|"
       "collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
       "collector::b3::discard} [a], b:b64, c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
       "collector::b0::discard|collector::b1::fill|collector::b1::use|"
       "collector::b1::lastuse|collector::b1::discard|collector::b2::fill|"
       "collector::b2::use|collector::b2::lastuse|collector::b2::discard|"
       "collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
       "collector::b3::discard} [a], [b], c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::f8f6f4|kind::f16|"
       "kind::tf32}{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], b:b64, c:b64, [e], "
       "f:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::f16|kind::tf32}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], b:b64, c:b64, [e], f:b32, g:pred, #h",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.sp.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill} [a], b:b64, c:b64, [e], f:b32, g*4:b32, h:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.cta_group::1.{kind::f16|kind::tf32} [a], b:b64, c:b64, "
       "[e], f:b32, g*4:b32, h:pred, #i",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::f8f6f4|kind::f16|"
       "kind::tf32}{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard|ashift} [a], [b], c:b64, "
       "[e], f:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::f8f6f4|kind::f16|"
       "kind::tf32}.ashift.{collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::f16|kind::tf32}"
       ".ashift.{collector::a::lastuse|collector::a::discard} [a], [b], c:b64, "
       "[e], f:b32, g:pred, #h",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::f16|kind::tf32}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard|ashift} [a], [b], c:b64, [e], f:b32, g:pred, #h",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.sp.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill|ashift} [a], [b], c:b64, [e], f:b32, g*4:b32, "
       "h:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.cta_group::1.{kind::f16|kind::tf32}{.ashift} [a], [b], "
       "c:b64, [e], f:b32, g*4:b32, h:pred, #i",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard|block32} [a], b:b64, "
       "c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard|block32} [a], [b], c:b64, "
       "[e], f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale.block32.{collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale.block32.{collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100f>,
  Form<"tcgen05.mma.cta_group::2.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill} [a], b:b64, c:b64, e:b32, f*8:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.cta_group::2.{kind::f16|kind::tf32} [a], b:b64, c:b64, "
       "e:b32, f*8:b32, g:pred, #h",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.cta_group::2.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill|ashift} [a], [b], c:b64, e:b32, f*8:b32, g:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.cta_group::2.{kind::f16|kind::tf32}{.ashift} [a], [b], "
       "c:b64, e:b32, f*8:b32, g:pred, #h",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.sp.cta_group::2.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill} [a], b:b64, c:b64, [e], f:b32, g*8:b32, h:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.cta_group::2.{kind::f16|kind::tf32} [a], b:b64, c:b64, "
       "[e], f:b32, g*8:b32, h:pred, #i",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.sp.cta_group::2.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::a::fill|ashift} [a], [b], c:b64, [e], f:b32, g*8:b32, "
       "h:pred",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.sp.cta_group::2.{kind::f16|kind::tf32}{.ashift} [a], [b], "
       "c:b64, [e], f:b32, g*8:b32, h:pred, #i",
       Tcgen05From86Sm100fx>,
  Form<"tcgen05.mma.ws.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b1::use} [a], b:b64, c:b64, e:b32, f:pred, g:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.ws.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b1::use} [a], [b], c:b64, e:b32, f:pred, g:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b1::use} [a], b:b64, c:b64, [e], f:b32, g:pred, h:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.{kind::f8f6f4|kind::f16|kind::tf32}"
       "{.collector::b1::use} [a], [b], c:b64, [e], f:b32, g:pred, h:b64",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.shift.{cta_group::1|cta_group::2}.down [a]",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.ws.cta_group::1.kind::i8{.collector::b0::fill|"
       "collector::b0::use|collector::b0::lastuse|collector::b0::discard|"
       "collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
       "collector::b1::discard|collector::b2::fill|collector::b2::use|"
       "collector::b2::lastuse|collector::b2::discard|collector::b3::fill|"
       "collector::b3::use|collector::b3::lastuse|collector::b3::discard} [a], "
       "b:b64, c:b64, e:b32, f:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.ws.cta_group::1.kind::i8{.collector::b0::fill|"
       "collector::b0::use|collector::b0::lastuse|collector::b0::discard|"
       "collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
       "collector::b1::discard|collector::b2::fill|collector::b2::use|"
       "collector::b2::lastuse|collector::b2::discard|collector::b3::fill|"
       "collector::b3::use|collector::b3::lastuse|collector::b3::discard} [a], "
       "[b], c:b64, e:b32, f:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.kind::i8{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, e:b32, f:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.kind::i8{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, e:b32, f:pred, #g",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.cta_group::1.kind::i8{.collector::a::fill} [a], b:b64, "
       "c:b64, e:b32, f*4:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.cta_group::1.kind::i8 [a], b:b64, c:b64, e:b32, f*4:b32, "
       "g:pred, #h",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.kind::i8{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard|ashift} "
       "[a], [b], c:b64, e:b32, f:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}.kind::i8{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard|ashift} "
       "[a], [b], c:b64, e:b32, f:pred, #g",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::i8.ashift.{collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, e:b32, f:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::i8.ashift.{collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, e:b32, f:pred, #g",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.cta_group::1.kind::i8{.collector::a::fill|ashift} [a], "
       "[b], c:b64, e:b32, f*4:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.cta_group::1.kind::i8{.ashift} [a], [b], c:b64, e:b32, "
       "f*4:b32, g:pred, #h",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale.scale_vec::1X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale.scale_vec::1X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf4.block_scale.scale_vec::2X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf4.block_scale.scale_vec::2X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.{scale_vec::2X|scale_vec::4X}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], b:b64, c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From87Sm100a>,
  Form<"tcgen05.mma.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.{scale_vec::2X|scale_vec::4X}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], [b], c:b64, e:b32, [f], [g], h:pred",
       Tcgen05From87Sm100a>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.kind::i8{.collector::b0::fill|"
       "collector::b0::use|collector::b0::lastuse|collector::b0::discard|"
       "collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
       "collector::b1::discard|collector::b2::fill|collector::b2::use|"
       "collector::b2::lastuse|collector::b2::discard|collector::b3::fill|"
       "collector::b3::use|collector::b3::lastuse|collector::b3::discard} [a], "
       "b:b64, c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.kind::i8{.collector::b0::fill|"
       "collector::b0::use|collector::b0::lastuse|collector::b0::discard|"
       "collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
       "collector::b1::discard|collector::b2::fill|collector::b2::use|"
       "collector::b2::lastuse|collector::b2::discard|collector::b3::fill|"
       "collector::b3::use|collector::b3::lastuse|collector::b3::discard} [a], "
       "[b], c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::i8{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], b:b64, c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::i8{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], b:b64, c:b64, [e], f:b32, g:pred, #h",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.cta_group::1.kind::i8{.collector::a::fill} [a], b:b64, "
       "c:b64, [e], f:b32, g*4:b32, h:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::i8{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard|ashift} [a], [b], c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::i8{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard|ashift} [a], [b], c:b64, [e], f:b32, g:pred, #h",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::i8.ashift.{collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, [e], f:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::i8.ashift.{collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, [e], f:b32, g:pred, #h",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.cta_group::1.kind::i8{.collector::a::fill|ashift} [a], "
       "[b], c:b64, [e], f:b32, g*4:b32, h:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4.block_scale.scale_vec::2X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4.block_scale.scale_vec::2X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale.scale_vec::1X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf8f6f4.block_scale.scale_vec::1X{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From86Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::mxf4|kind::mxf4nvf4}"
       ".block_scale.block32{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], b:b64, c:b64, [e], "
       "f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}.{kind::mxf4|kind::mxf4nvf4}"
       ".block_scale.block32{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], [b], c:b64, [e], "
       "f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.block16{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "b:b64, c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.block16{.collector::a::fill|"
       "collector::a::use|collector::a::lastuse|collector::a::discard} [a], "
       "[b], c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4.block_scale{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], b:b64, c:b64, [e], "
       "f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4.block_scale{.collector::a::fill|collector::a::use|"
       "collector::a::lastuse|collector::a::discard} [a], [b], c:b64, [e], "
       "f:b32, [g], [h], i:pred",
       Tcgen05From88Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.{scale_vec::2X|scale_vec::4X}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], b:b64, c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From87Sm100a>,
  Form<"tcgen05.mma.sp.{cta_group::1|cta_group::2}"
       ".kind::mxf4nvf4.block_scale.{scale_vec::2X|scale_vec::4X}"
       "{.collector::a::fill|collector::a::use|collector::a::lastuse|"
       "collector::a::discard} [a], [b], c:b64, [e], f:b32, [g], [h], i:pred",
       Tcgen05From87Sm100a>,
  Form<"tcgen05.mma.cta_group::2.kind::i8{.collector::a::fill} [a], b:b64, "
       "c:b64, e:b32, f*8:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.cta_group::2.kind::i8 [a], b:b64, c:b64, e:b32, f*8:b32, "
       "g:pred, #h",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.cta_group::2.kind::i8{.collector::a::fill|ashift} [a], "
       "[b], c:b64, e:b32, f*8:b32, g:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.cta_group::2.kind::i8{.ashift} [a], [b], c:b64, e:b32, "
       "f*8:b32, g:pred, #h",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.cta_group::2.kind::i8{.collector::a::fill} [a], b:b64, "
       "c:b64, [e], f:b32, g*8:b32, h:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.sp.cta_group::2.kind::i8{.collector::a::fill|ashift} [a], "
       "[b], c:b64, [e], f:b32, g*8:b32, h:pred",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.ws.cta_group::1.kind::i8{.collector::b1::use} [a], b:b64, "
       "c:b64, e:b32, f:pred, g:b64",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.ws.cta_group::1.kind::i8{.collector::b1::use} [a], [b], "
       "c:b64, e:b32, f:pred, g:b64",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.kind::i8{.collector::b1::use} [a], "
       "b:b64, c:b64, [e], f:b32, g:pred, h:b64",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.mma.ws.sp.cta_group::1.kind::i8{.collector::b1::use} [a], [b], "
       "c:b64, [e], f:b32, g:pred, h:b64",
       Tcgen05From86Sm100ax>,
  Form<"tcgen05.ld.red.sync.aligned.32x32b.{x2|x4|x8|x16|x32|x64|x128}.{min|"
       "max}.{u32|s32} d*1x:b32, d2:b32, [a]",
       Tcgen05From88Sm103f>,
  Form<"tcgen05.ld.red.sync.aligned.32x32b.{x2|x4|x8|x16|x32|x64|x128}.{min|"
       "max}{.abs|NaN}.f32 d*1x:f32, d2:f32, [a]",
       Tcgen05From88Sm103f>,
  Form<"tcgen05.ld.red.sync.aligned.32x32b.{x2|x4|x8|x16|x32|x64|x128}.{min|"
       "max}.abs.NaN.f32 d*1x:f32, d2:f32, [a]",
       Tcgen05From88Sm103f>,
  Form<"tcgen05.ld.red.sync.aligned.16x32bx2.{x2|x4|x8|x16|x32|x64|x128}.{min|"
       "max}.{u32|s32} d*1x:b32, d2:b32, [a], #b",
       Tcgen05From88Sm103f>,
  Form<"tcgen05.ld.red.sync.aligned.16x32bx2.{x2|x4|x8|x16|x32|x64|x128}.{min|"
       "max}.abs.NaN.f32 d*1x:f32, d2:f32, [a], #b",
       Tcgen05From88Sm103f>,
  Form<"tcgen05.ld.red.sync.aligned.16x32bx2.{x2|x4|x8|x16|x32|x64|x128}.{min|"
       "max}{.abs|NaN}.f32 d*1x:f32, d2:f32, [a], #b",
       Tcgen05From88Sm103f>]>;
#endif

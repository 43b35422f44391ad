//===- PtxTcgen05.td - fifth generation tensor cores ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of the ops of PtxTensorMemoryOps.td and PtxTensorCoreOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXTCGEN05_TD
#define PTXJIT_DIALECT_PTXTCGEN05_TD
include "ptxjit/Dialect/PtxTensorCoreOps.td"
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
class LdRedForms<string shape, string rest> {
  defvar Start = "tcgen05.ld.red.sync.aligned." # shape #
                 ".{x2|x4|x8|x16|x32|x64|x128}.{min|max}";
  list<Form> L = [
    Form<Start # ".{u32|s32} d*1x:b32, d2:b32, [a]" # rest,
         Tcgen05From88Sm103f>,
    Form<Start # "{.abs}{.NaN}.f32 d*1x:f32, d2:f32, [a]" # rest,
         Tcgen05From88Sm103f>];
}
def Forms_Tcgen05LdRed : RowForms<"tcgen05", Ptx_Tcgen05LdRedOp, Tcgen05Anchor,
    !listconcat(LdRedForms<"32x32b", "">.L, LdRedForms<"16x32bx2", ", #b">.L)>;
// Accesses of tensor memory complete when they are issued.
def Advice_tcgen05 : Advice<"tcgen05", Tcgen05Anchor, [
  Form<"tcgen05.{wait::ld|wait::st}.sync.aligned",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.{fence::before_thread_sync|fence::after_thread_sync}",
       Tcgen05From86Sm100f>]>;

//===----------------------------------------------------------------------===//
// Copies, shifts and multiplications
//===----------------------------------------------------------------------===//

def Forms_Tcgen05Cp : RowForms<"tcgen05", Ptx_Tcgen05CpOp, Tcgen05Anchor, [
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
       Tcgen05From86Sm100f>]>;
def Forms_Tcgen05Shift : RowForms<"tcgen05", Ptx_Tcgen05ShiftOp, Tcgen05Anchor, [
  Form<"tcgen05.shift.{cta_group::1|cta_group::2}.down [a]",
       Tcgen05From86Sm100a>]>;
def Forms_Tcgen05Commit : RowForms<"tcgen05", Ptx_Tcgen05CommitOp, Tcgen05Anchor, [
  Form<"tcgen05.commit.{cta_group::1|cta_group::2}"
       ".mbarrier::arrive::one{.shared::cluster}.b64 [a]",
       Tcgen05From86Sm100f>,
  Form<"tcgen05.commit.{cta_group::1|cta_group::2}"
       ".mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [a], "
       "b:b16",
       Tcgen05From86Sm100f>]>;

/// The parts of the text of a multiplication whose A is `a`, a descriptor or an
/// address.
class MultiplyText<string a> {
  defvar Uses = "collector::a::fill|collector::a::use|collector::a::lastuse|"
                "collector::a::discard";
  string AnyGroup = "{cta_group::1|cta_group::2}.";
  string Collectors = "{." # Uses # "}";
  // Rows of A are shifted on their way from tensor memory only.
  list<string> Orders = !if(!eq(a, "[a]"),
      ["{." # Uses # "}",
       ".ashift{.collector::a::lastuse|collector::a::discard}"],
      ["{." # Uses # "}"]);
  string Start = " [sums], " # a # ", b:b64, ";
}
class SparseText<string sparse> {
  string Instruction = !if(!eq(sparse, ""), "", "[metadata], ") #
                       "instruction:b32, ";
}
class UnscaledForms<string a, string kinds, string shift, list<Since> since> {
  defvar Text = MultiplyText<a>;
  defvar End = "p:pred" # shift;
  list<Form> L = !foldl([]<Form>, ["", ".sp"], all, sparse,
    !foldl(all, Text.Orders, some, order,
      !foldl(some, [Text.AnyGroup, "cta_group::1.", "cta_group::2."], forms,
             group,
        !listconcat(forms, [
          Form<"tcgen05.mma" # sparse # "." # group # kinds # order #
               Text.Start # SparseText<sparse>.Instruction #
               !cond(!eq(group, "cta_group::1."): "lanes*4:b32, ",
                     !eq(group, "cta_group::2."): "lanes*8:b32, ",
                     true: "") # End, since>]))));
}
class WeightStationaryForms<string a, string kinds, list<Since> since> {
  defvar Buffers = "{." # !interleave(!foldl([]<string>,
      ["b0", "b1", "b2", "b3"], all, buffer,
      !listconcat(all, Collectors<buffer>.L)), "|") # "}";
  list<Form> L = !foldl([]<Form>, ["", ".sp"], all, sparse,
    !foldl(all, ["", ", zeros:b64"], some, zeros,
      !listconcat(some, [
        Form<"tcgen05.mma.ws" # sparse # ".cta_group::1." # kinds # Buffers #
             MultiplyText<a>.Start # SparseText<sparse>.Instruction #
             "p:pred" # zeros, since>])));
}
class ScaledForms<string a, string sparse, string kinds, string vec,
                  list<Since> since> {
  defvar Text = MultiplyText<a>;
  list<Form> L = [
    Form<"tcgen05.mma" # sparse # "." # Text.AnyGroup # kinds #
         ".block_scale" # vec # Text.Collectors # Text.Start #
         SparseText<sparse>.Instruction # "[scaleA], [scaleB], p:pred",
         since>];
}
class MultiplyForms<string a> {
  defvar Floats = "{kind::f8f6f4|kind::f16|kind::tf32}";
  defvar AnyVec = ".{scale_vec::2X|scale_vec::4X}";
  list<Form> L = !listconcat(
    UnscaledForms<a, Floats, "", Tcgen05From86Sm100f>.L,
    UnscaledForms<a, "{kind::f16|kind::tf32}", ", #shift",
                  Tcgen05From86Sm100fx>.L,
    UnscaledForms<a, "kind::i8", "", Tcgen05From86Sm100ax>.L,
    UnscaledForms<a, "kind::i8", ", #shift", Tcgen05From86Sm100ax>.L,
    WeightStationaryForms<a, Floats, Tcgen05From86Sm100f>.L,
    WeightStationaryForms<a, "kind::i8", Tcgen05From86Sm100ax>.L,
    ScaledForms<a, "", "{kind::mxf4|kind::mxf8f6f4}", "",
                Tcgen05From88Sm100f>.L,
    ScaledForms<a, "", "{kind::mxf4|kind::mxf8f6f4|kind::mxf4nvf4}", ".block32",
                Tcgen05From88Sm100f>.L,
    ScaledForms<a, "", "kind::mxf4nvf4", ".block16", Tcgen05From88Sm100f>.L,
    ScaledForms<a, "", "kind::mxf8f6f4", ".scale_vec::1X",
                Tcgen05From86Sm100a>.L,
    ScaledForms<a, "", "kind::mxf4", ".scale_vec::2X", Tcgen05From86Sm100a>.L,
    ScaledForms<a, "", "kind::mxf4nvf4", AnyVec, Tcgen05From87Sm100a>.L,
    ScaledForms<a, ".sp", "kind::mxf8f6f4", "{.block32}",
                Tcgen05From88Sm100f>.L,
    ScaledForms<a, ".sp", "kind::mxf4", "", Tcgen05From88Sm100a>.L,
    ScaledForms<a, ".sp", "{kind::mxf4|kind::mxf4nvf4}", ".block32",
                Tcgen05From88Sm100a>.L,
    ScaledForms<a, ".sp", "kind::mxf4nvf4", ".block16",
                Tcgen05From88Sm100a>.L,
    ScaledForms<a, ".sp", "kind::mxf8f6f4", ".scale_vec::1X",
                Tcgen05From86Sm100a>.L,
    ScaledForms<a, ".sp", "kind::mxf4", ".scale_vec::2X",
                Tcgen05From86Sm100a>.L,
    ScaledForms<a, ".sp", "kind::mxf4nvf4", AnyVec, Tcgen05From87Sm100a>.L);
}
def Forms_Tcgen05Mma : RowForms<"tcgen05", Ptx_Tcgen05MmaOp, Tcgen05Anchor,
                                MultiplyForms<"a:b64">.L>;
def Forms_Tcgen05MmaTmem : RowForms<"tcgen05", Ptx_Tcgen05MmaTmemOp,
                                    Tcgen05Anchor, MultiplyForms<"[a]">.L>;
#endif

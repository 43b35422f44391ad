//===- PtxTensorCopy.td - copies of tensors -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor map describes a tensor in global memory, and the box of it that one
// copy moves (Runtime/TensorMap.h). Like other bulk copies (PtxBulk.td), a copy
// completes when it is issued. TensorCopy.h decodes the ops.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXTENSORCOPY_TD
#define PTXJIT_DIALECT_PTXTENSORCOPY_TD
include "ptxjit/Dialect/PtxBase.td"

defvar TensorCopyFrom83Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.3", "sm_90a">,
    Since<"8.3", "sm_100a">,
    Since<"8.3", "sm_103a">,
    Since<"8.3", "sm_110a">,
    Since<"8.3", "sm_120a">,
    Since<"8.3", "sm_121a">];
defvar TensorCopyFrom87Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.7", "sm_100a">,
    Since<"8.7", "sm_103a">,
    Since<"8.7", "sm_110a">,
    Since<"8.7", "sm_120a">,
    Since<"8.7", "sm_121a">];
defvar TensorCopyFrom86Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">,
    Since<"8.6", "sm_120a">,
    Since<"8.6", "sm_121a">];
defvar TensorCopyFrom86Sm100fx = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">];

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

/// How a copy walks through the tensor. ISA: "tensor access modes".
def Ptx_TensorModeEnum : Ptx_Enum<"TensorMode", [
  Case<0, "tile", "Tile">, Case<1, "tile::gather4", "Gather4">,
  Case<2, "tile::scatter4", "Scatter4">, Case<3, "im2col", "Im2col">,
  Case<4, "im2col_no_offs", "Im2colNoOffsets">, Case<5, "im2col::w", "Im2colW">,
  Case<6, "im2col::w::128", "Im2colW128">]>;
def Ptx_TensorMode : Ptx_Modifier<Ptx_TensorModeEnum, "tensor_mode">;

def Ptx_TensorDimEnum : Ptx_Enum<"TensorDim", [
  Case<1, "1d", "D1">, Case<2, "2d", "D2">, Case<3, "3d", "D3">,
  Case<4, "4d", "D4">, Case<5, "5d", "D5">]>;
def Ptx_TensorDim : Ptx_Modifier<Ptx_TensorDimEnum, "tensor_dim">;

/// A field of a tensor map. The values are those of PtxjitTensorField.
def Ptx_TensorFieldEnum : Ptx_Enum<"TensorField", [
  Case<0, "global_address", "GlobalAddress">, Case<1, "rank", "Rank">,
  Case<2, "box_dim", "BoxDim">, Case<3, "global_dim", "GlobalDim">,
  Case<4, "global_stride", "GlobalStride">,
  Case<5, "element_stride", "ElementStride">, Case<6, "elemtype", "ElementType">,
  Case<7, "interleave_layout", "Interleave">, Case<8, "swizzle_mode", "Swizzle">,
  Case<9, "swizzle_atomicity", "Atomicity">, Case<10, "fill_mode", "Fill">]>;
def Ptx_TensorField : Ptx_Modifier<Ptx_TensorFieldEnum, "tensor_field">;

def Flag_Multicast : Ptx_Flag<"multicast::cluster">;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// `inputs` are the operands in the order of the text, without cache policies.
class Ptx_TensorOp<string mnemonic, dag modifiers, list<Trait> traits = []>
    : Ptx_RowOp<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                                       MaskedOpInterface, OtherBytes,
                                       CommunicatingOpInterface,
                                       AttrSizedOperandSegments], traits)> {
  let arguments = !con((ins Variadic<AnyType>:$inputs, Optional<I1>:$mask),
                       modifiers);
}
class Ptx_TensorCopyOp<string mnemonic, string meets, dag modifiers,
                       list<Trait> traits = []>
    : Ptx_TensorOp<mnemonic, !con((ins
          Ptx_TensorDim:$dim,
          DefaultValuedAttr<Ptx_TensorMode, "TensorMode::Tile">:$mode),
          modifiers), traits> {
  let extraClassDeclaration =
      !strconcat("TensorCopy getCopy();", meets);
  let Ignored = !listconcat(["tensor"], BulkTokens);
}
def Ptx_TensorLoadOp : Ptx_TensorCopyOp<"tensor.load", MeetsInShared, (ins
    Flag_Multicast:$multicast, OptionalAttr<Ptx_CtaGroup>:$group),
    [ClusterOpInterface]> {
  let summary = "copies a box of a tensor to the cluster's shared memory";
  let description = [{
    The operands are the place in shared memory, the tensor map, coordinates of
    the box, the mbarrier that counts the bytes, offsets (`im2col`), and a bit
    for each CTA that receives the box (`multicast`).
  }];
}
def Ptx_TensorStoreOp : Ptx_TensorCopyOp<"tensor.store",
    !strconcat(MeetsInGlobal, ReleasesNothing), (ins)> {
  let summary = "copies a box of a tensor from the CTA's shared memory";
  let description = [{
    The operands are the tensor map, coordinates of the box, and the place in
    shared memory. Elements outside of the tensor are not written.
  }];
}
def Ptx_TensorReduceOp : Ptx_TensorCopyOp<"tensor.reduce",
    !strconcat(MeetsInGlobal, ReleasesNothing), (ins Ptx_Atomic:$op)> {
  let summary = "combines the elements of a box with those in shared memory";
  let description = [{
    The operands are those of `tensor.store`. The tensor map says of which type
    the elements are.
  }];
}

def Ptx_TensorMapReplaceOp : Ptx_TensorOp<"tensormap.replace", (ins
    Ptx_TensorField:$field, OptionalAttr<Ptx_Space>:$space),
    [SpaceOpInterface]> {
  let summary = "replaces a field of a tensor map in memory";
  let description = [{
    The operands are the address of the map, the number of the dimension for
    fields that have one value for each, and the new value.
  }];
  let Ignored = ["replace", "tile", "b1024", "b32", "b64"];
}
def Ptx_TensorMapCopyOp : Ptx_TensorOp<"tensormap.copy", (ins)> {
  let summary = "the warp copies a tensor map from shared to global memory";
  let description = [{
    The operands are the addresses of the copy and of the original, and 128.
  }];
  let extraClassDeclaration = !strconcat(MeetsInGlobal, ReleasesNothing);
  let Ignored = ["cp_fenceproxy", "global", "shared::cta", "tensormap::generic",
                 "release", "cta", "cluster", "gpu", "sys", "sync", "aligned"];
}

//===----------------------------------------------------------------------===//
// Forms of tensor maps
//===----------------------------------------------------------------------===//

/// `name` is a field, and `value` what replaces it.
class TensorMapForm<string name, string value, list<Since> since>
    : Form<!strconcat("tensormap.replace.tile.", name,
                      "{.global|shared::cta}.b1024.", value), since>;
def Tensor_map : RowForms<"tensormap", Ptx_TensorMapReplaceOp,
    "data-movement-and-conversion-instructions-tensormap-replace", [
  TensorMapForm<"rank", "b32 [a], b:b32", TensorCopyFrom83Sm100f>,
  TensorMapForm<"{box_dim|global_dim|element_stride}", "b32 [a], #b=0..4, c:b32",
                TensorCopyFrom83Sm100f>,
  TensorMapForm<"global_address", "b64 [a], b:b64", TensorCopyFrom83Sm100f>,
  TensorMapForm<"global_stride", "b64 [a], #b=0..4, c:b64",
                TensorCopyFrom83Sm100f>,
  TensorMapForm<"elemtype", "b32 [a], #b=0..12", TensorCopyFrom83Sm100f>,
  TensorMapForm<"elemtype", "b32 [a], #b=13..15", TensorCopyFrom87Sm100f>,
  TensorMapForm<"interleave_layout", "b32 [a], #b=0..2", TensorCopyFrom83Sm100f>,
  TensorMapForm<"swizzle_mode", "b32 [a], #b=0..3", TensorCopyFrom83Sm100f>,
  TensorMapForm<"swizzle_mode", "b32 [a], #b=0..4", [Since<"8.8", "sm_103a">]>,
  TensorMapForm<"swizzle_atomicity", "b32 [a], #b=0..3", TensorCopyFrom86Sm100f>,
  TensorMapForm<"fill_mode", "b32 [a], #b=0..1", TensorCopyFrom83Sm100f>]>;
def Tensor_map_copy : RowForms<"tensormap", Ptx_TensorMapCopyOp,
    "parallel-synchronization-and-communication-instructions-tensormap-cp-fenceproxy",
    [Form<"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release"
          ".{sys|cta|cluster|gpu}.sync.aligned [a], [b], #c=128",
          [Since<"8.3", "sm_90+">]>]>;

//===----------------------------------------------------------------------===//
// Forms of copies
//===----------------------------------------------------------------------===//

/// A copy with and without a cache policy.
class TensorCopies<string modifiers, string operands, list<Since> since> {
  list<Form> L = [
    Form<!strconcat(modifiers, " ", operands), since>,
    Form<!strconcat(modifiers, ".L2::cache_hint ", operands, ", ?policy:b64"),
         since>];
}
/// The loads of a mode. `cta` and `cluster` say where the mode may load to the
/// CTA's own and to the cluster's shared memory.
class TensorLoads<string dims, string mode, string at, string offsets,
                  list<Since> cta, list<Since> cluster> {
  defvar Head = !strconcat("cp.async.bulk.tensor.{", dims, "}.");
  defvar Tail = !strconcat(".global", mode, ".", CompleteTx);
  defvar Group = ".{cta_group::1|cta_group::2}";
  defvar Multicast = ".multicast::cluster";
  defvar Operands =
      !strconcat("[dst], [map,at*", at, ":b32], [mbar]", offsets);
  defvar ToMany = !strconcat(Operands, ", ctas:b16");
  list<Form> L = !listconcat(
    TensorCopies<!strconcat(Head, "shared::cta", Tail), Operands, cta>.L,
    TensorCopies<!strconcat(Head, "shared::cluster", Tail), Operands,
                 cluster>.L,
    TensorCopies<!strconcat(Head, "shared::cluster", Tail, Multicast), ToMany,
                 cluster>.L,
    TensorCopies<!strconcat(Head, "{shared::cta|shared::cluster}", Tail, Group),
                 Operands, TensorCopyFrom86Sm100fx>.L,
    TensorCopies<!strconcat(Head, "shared::cluster", Tail, Multicast, Group),
                 ToMany, TensorCopyFrom86Sm100fx>.L);
}
defvar AllDims = "1d|2d|3d|4d|5d";
defvar Since80Sm90 = [Since<"8.0", "sm_90+">];
defvar Since86Sm90 = [Since<"8.6", "sm_90+">];
defvar Since86Sm100 = [Since<"8.6", "sm_100+">];
def Tensor_loads : RowForms<"cp", Ptx_TensorLoadOp,
    "data-movement-and-conversion-instructions-cp-async-bulk-tensor",
    !listconcat(
      TensorLoads<AllDims, "{.tile}", "D", "", Since86Sm90, Since80Sm90>.L,
      TensorLoads<"3d", ".im2col", "D", ", offsets*1:b16", Since86Sm90,
                  Since80Sm90>.L,
      TensorLoads<"4d", ".im2col", "D", ", offsets*2:b16", Since86Sm90,
                  Since80Sm90>.L,
      TensorLoads<"5d", ".im2col", "D", ", offsets*3:b16", Since86Sm90,
                  Since80Sm90>.L,
      TensorLoads<"2d", ".tile::gather4", "5", "", Since86Sm100,
                  TensorCopyFrom86Sm100fx>.L,
      TensorLoads<"3d|4d|5d", ".im2col::w", "D", ", offsets*2:b16",
                  Since86Sm100, TensorCopyFrom86Sm100fx>.L,
      TensorLoads<"3d|4d|5d", ".im2col::w::128", "D", ", offsets*2:b16",
                  TensorCopyFrom86Sm100fx, TensorCopyFrom86Sm100fx>.L)>;

/// Stores or reductions of a mode. `op` is the opcode, and `reduction` the
/// modifier of a reduction.
class TensorStores<string op, string dims, string reduction, string mode,
                   string at, list<Since> since> {
  list<Form> L =
      TensorCopies<!strconcat(op, ".async.bulk.tensor.{", dims,
                              "}.global.shared::cta", reduction, mode,
                              ".bulk_group"),
                   !strconcat("[map,at*", at, ":b32], [src]"), since>.L;
}
def Tensor_stores : RowForms<"cp", Ptx_TensorStoreOp,
    "data-movement-and-conversion-instructions-cp-async-bulk-tensor",
    !listconcat(
      TensorStores<"cp", AllDims, "", "{.tile}", "D", Since80Sm90>.L,
      TensorStores<"cp", "3d|4d|5d", "", ".im2col_no_offs", "D",
                   Since80Sm90>.L,
      TensorStores<"cp", "2d", "", ".tile::scatter4", "5",
                   TensorCopyFrom86Sm100fx>.L)>;
defvar TensorReductions = ".{add|min|max|and|or|xor|inc|dec}";
def Tensor_reductions : RowForms<"cp", Ptx_TensorReduceOp,
    "data-movement-and-conversion-instructions-cp-reduce-async-bulk-tensor",
    !listconcat(
      TensorStores<"cp.reduce", AllDims, TensorReductions, "{.tile}", "D",
                   Since80Sm90>.L,
      TensorStores<"cp.reduce", "3d|4d|5d", TensorReductions,
                   ".im2col_no_offs", "D", Since80Sm90>.L)>;

class TensorPrefetches<string dims, string mode, string at, string offsets,
                       list<Since> since> {
  defvar Head =
      !strconcat("cp.async.bulk.prefetch.tensor.{", dims, "}.L2.global", mode);
  defvar Operands = !strconcat("[map,at*", at, ":b32]", offsets);
  list<Form> L = [
    Form<!strconcat(Head, " ", Operands), since>,
    Form<!strconcat(Head, ".L2::cache_hint ", Operands, ", policy:b64"),
         since>];
}
def Advice_prefetch_tensor : Advice<"cp",
    "data-movement-and-conversion-instructions-cp-async-bulk-prefetch-tensor",
    !listconcat(
      TensorPrefetches<AllDims, "{.tile}", "D", "", Since80Sm90>.L,
      TensorPrefetches<"3d", ".im2col", "D", ", offsets*1:b16", Since80Sm90>.L,
      TensorPrefetches<"4d", ".im2col", "D", ", offsets*2:b16", Since80Sm90>.L,
      TensorPrefetches<"5d", ".im2col", "D", ", offsets*3:b16", Since80Sm90>.L,
      TensorPrefetches<"2d", ".tile::gather4", "5", "",
                       TensorCopyFrom86Sm100fx>.L,
      TensorPrefetches<"3d|4d|5d", ".{im2col::w|im2col::w::128}", "D",
                       ", offsets*2:b16", TensorCopyFrom86Sm100fx>.L)>;
#endif

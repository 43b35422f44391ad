//===- PtxBulk.td - bulk copies, and stores that mbarriers track ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy completes when it is issued, which the ISA allows. Its bytes are then
// counted on the mbarrier, if it has one. So waiting for a group of bulk copies
// does nothing (PtxAdvice.td).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXBULK_TD
#define PTXJIT_DIALECT_PTXBULK_TD
include "ptxjit/Dialect/PtxBase.td"

defvar Sm90Bulk = [Since<"8.0", "sm_90+">];
defvar Sm100Bulk = [Since<"8.6", "sm_100+">];

//===----------------------------------------------------------------------===//
// cp.async.bulk
//===----------------------------------------------------------------------===//

class Ptx_Bulk<string mnemonic, string anchor, list<Form> forms,
               dag more = (ins), list<Trait> traits = []>
    : Ptx_Instr<mnemonic,
                !strconcat("data-movement-and-conversion-instructions-", anchor),
                forms,
                !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                             MaskedOpInterface, CommunicatingOpInterface,
                             AttrSizedOperandSegments], traits)> {
  let Ignored = BulkTokens;
  // Addresses are those of their state space and have 64 bits. `size` is in
  // bytes, a multiple of 16.
  let arguments = !con((ins I64:$dst, I64:$src, I32:$size, Optional<I64>:$mbar,
                            Optional<AnyType>:$ctas, Optional<AnyType>:$bytes,
                            Optional<I1>:$mask), more);
  let extraClassDeclaration = MeetsInShared;
}
class BulkLoadForms {
  defvar Cta = !strconcat("cp.async.bulk.shared::cta.global.", CompleteTx);
  defvar Cluster =
      !strconcat("cp.async.bulk.shared::cluster.global.", CompleteTx);
  defvar Operands = " [dst], [src], size:b32, [mbar]";
  list<Form> L = [
    Form<!strconcat(Cta, Operands), [Since<"8.6", "sm_90+">]>,
    Form<!strconcat(Cta, ".L2::cache_hint", Operands, ", ?policy:b64"),
         [Since<"8.6", "sm_90+">]>,
    Form<!strconcat(Cluster, Operands), Sm90Bulk>,
    Form<!strconcat(Cluster, ".L2::cache_hint", Operands, ", ?policy:b64"),
         Sm90Bulk>,
    Form<!strconcat(Cluster, ".multicast::cluster", Operands, ", ctas:b16"),
         Sm90Bulk>,
    Form<!strconcat(Cluster, ".multicast::cluster.L2::cache_hint", Operands,
                    ", ctas:b16, ?policy:b64"), Sm90Bulk>];
}
def Ptx_BulkLoadOp : Ptx_Bulk<"cp.bulk.load", "cp-async-bulk",
                              BulkLoadForms<>.L, (ins), [ClusterOpInterface]> {
  let summary = "bulk copy from global memory to the cluster's shared memory";
  let description = [{
    `ctas` has a bit for each CTA of the cluster that receives the bytes. Each
    uses the offsets of `dst` and `mbar` in its own shared memory.
  }];
}
def Ptx_BulkPeerOp : Ptx_Bulk<"cp.bulk.peer", "cp-async-bulk",
    [Form<!strconcat("cp.async.bulk.shared::cluster.shared::cta.", CompleteTx,
                     " [dst], [src], size:b32, [mbar]"), Sm90Bulk>],
    (ins), [ClusterOpInterface]> {
  let summary = "bulk copy from the CTA's shared memory to another CTA's";
}
class BulkStoreForms {
  defvar Head = "cp.async.bulk.global.shared::cta.bulk_group";
  defvar Operands = " [dst], [src], size:b32";
  list<Form> L = [
    Form<!strconcat(Head, Operands), Sm90Bulk>,
    Form<!strconcat(Head, ".L2::cache_hint", Operands, ", ?policy:b64"),
         Sm90Bulk>,
    Form<!strconcat(Head, ".cp_mask", Operands, ", bytes:b16"), Sm100Bulk>,
    Form<!strconcat(Head, ".L2::cache_hint.cp_mask", Operands,
                    ", ?policy:b64, bytes:b16"), Sm100Bulk>];
}
def Ptx_BulkStoreOp : Ptx_Bulk<"cp.bulk.store", "cp-async-bulk",
                               BulkStoreForms<>.L> {
  let summary = "bulk copy from the CTA's shared memory to global memory";
  let description = "`bytes`: which of every 16 bytes are written.";
  let extraClassDeclaration = !strconcat(MeetsInGlobal, ReleasesNothing);
}

//===----------------------------------------------------------------------===//
// cp.reduce.async.bulk
//===----------------------------------------------------------------------===//

defvar ReduceModifiers = (ins Ptx_ScalarType:$ty, Ptx_Atomic:$op);
class ReducePeerForms<string ops> {
  list<Form> L = [
    Form<!strconcat("cp.reduce.async.bulk.shared::cluster.shared::cta.",
                    CompleteTx, ops, " [dst], [src], size:b32, [mbar]"),
         Sm90Bulk>];
}
def Ptx_BulkReducePeerOp : Ptx_Bulk<"cp.reduce.peer", "cp-reduce-async-bulk",
    !listconcat(ReducePeerForms<".{add|min|max}.s32">.L,
                ReducePeerForms<".add.u64">.L,
                ReducePeerForms<".{and|or|xor}.b32">.L,
                ReducePeerForms<".{add|min|max|inc|dec}.u32">.L),
    ReduceModifiers, [ClusterOpInterface]> {
  let summary = "combines elements with those in another CTA's shared memory";
}
class ReduceStoreForms<string ops, list<Since> since = Sm90Bulk> {
  defvar Head = "cp.reduce.async.bulk.global.shared::cta.bulk_group";
  list<Form> L = [
    Form<!strconcat(Head, ops, " [dst], [src], size:b32"), since>,
    Form<!strconcat(Head, ".L2::cache_hint", ops,
                    " [dst], [src], size:b32, ?policy:b64"), since>];
}
def Ptx_BulkReduceStoreOp : Ptx_Bulk<"cp.reduce.store", "cp-reduce-async-bulk",
    !listconcat(ReduceStoreForms<".{add|min|max}.{u64|s32}">.L,
                ReduceStoreForms<".add.{f32|f64}">.L,
                ReduceStoreForms<".add.noftz.{f16|bf16}">.L,
                ReduceStoreForms<".add.noftz.f32", [Since<"9.4", "sm_90+">]>.L,
                ReduceStoreForms<".{add|min|max|inc|dec}.u32">.L,
                ReduceStoreForms<".{and|or|xor}.{b32|b64}">.L,
                ReduceStoreForms<".{min|max}.{s64|f16|bf16}">.L),
    ReduceModifiers> {
  let summary = "combines elements with those in global memory";
  let extraClassDeclaration = !strconcat(MeetsInGlobal, ReleasesNothing);
}

//===----------------------------------------------------------------------===//
// st.async, red.async, st.bulk
//===----------------------------------------------------------------------===//

class StAsyncForms {
  defvar Types = ".{u32|u64|s32|s64|b32|b64|f32|f64}";
  defvar Since81 = [Since<"8.1", "sm_90+">];
  list<Form> L = [
    Form<!strconcat("st.async{.weak|cluster}{.shared::cluster}.", CompleteTx,
                    Types, " [dst], b, [mbar]"), Since81>,
    Form<!strconcat("st.async{.weak}{.shared::cluster}.", CompleteTx, ".v2",
                    Types, " [dst], b*, [mbar]"), Since81>,
    Form<!strconcat("st.async{.weak}{.shared::cluster}.", CompleteTx,
                    ".v4.{u32|s32|b32|f32} [dst], b*, [mbar]"), Since81>];
}
def Ptx_StAsyncOp : Ptx_Instr<"st.async",
    "data-movement-and-conversion-instructions-st-async", StAsyncForms<>.L,
    [MemoryEffects<[MemRead, MemWrite]>, CommunicatingOpInterface,
     SpaceOpInterface, OtherBytes, NeedsNoMask]> {
  let summary = "store to the cluster's shared memory, tracked by `mbar`";
  let Ignored = !filter(t, BulkTokens, !ne(t, "shared::cluster"));
  let arguments = (ins I64:$dst, Variadic<AnyType>:$b, I64:$mbar,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Vector>:$vec,
                       OptionalAttr<Ptx_Space>:$space);
}
def Ptx_StAsyncGlobalOp : Ptx_Instr<"st.async.global",
    "data-movement-and-conversion-instructions-st-async",
    [Form<"st.async{.mmio}.release.{sys|gpu}{.global}.{u16|u32|u64|s16|s32|s64|"
          "b32|b64|f32|f64|b16|b8|u8|s8} [dst], b", [Since<"8.7", "sm_100+">]>],
    [MemoryEffects<[MemRead, MemWrite]>, CommunicatingOpInterface,
     SpaceOpInterface, OtherBytes, NeedsNoMask]> {
  let summary = "store to global memory with release semantics";
  let Ignored = ["async", "mmio", "release", "sys", "gpu"];
  let arguments = (ins AnyType:$dst, AnyType:$b, Ptx_ScalarType:$ty,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       OptionalAttr<Ptx_Space>:$space);
}
class RedAsyncForms<string ops> {
  list<Form> L = [
    Form<!strconcat("red.async.relaxed.cluster{.shared::cluster}.", CompleteTx,
                    ops, " [dst], b, [mbar]"), [Since<"8.1", "sm_90+">]>];
}
def Ptx_RedAsyncOp : Ptx_Instr<"red.async",
    "parallel-synchronization-and-communication-instructions-red-async",
    !listconcat(RedAsyncForms<".{add|min|max|inc|dec}.u32">.L,
                RedAsyncForms<".{add|min|max}.s32">.L,
                RedAsyncForms<".add.{u64|s64}">.L,
                RedAsyncForms<".{and|or|xor}.b32">.L),
    [MemoryEffects<[MemRead, MemWrite]>, CommunicatingOpInterface,
     SpaceOpInterface, OtherBytes, NeedsNoMask]> {
  let summary = "update of the cluster's shared memory, tracked by `mbar`";
  let Ignored = !filter(t, BulkTokens, !ne(t, "shared::cluster"));
  let arguments = (ins I64:$dst, AnyType:$b, I64:$mbar, Ptx_ScalarType:$ty,
                       Ptx_Atomic:$op, OptionalAttr<Ptx_Space>:$space);
}
def Ptx_RedAsyncGlobalOp : Ptx_Instr<"red.async.global",
    "parallel-synchronization-and-communication-instructions-red-async",
    [Form<"red.async{.mmio}.release.{sys|gpu}{.global}.add.{u32|u64|s32|s64} "
          "[dst], b", [Since<"8.7", "sm_100+">]>],
    [MemoryEffects<[MemRead, MemWrite]>, CommunicatingOpInterface,
     SpaceOpInterface, OtherBytes, NeedsNoMask]> {
  let summary = "update of global memory with release semantics";
  let Ignored = ["async", "mmio", "release", "sys", "gpu"];
  let arguments = (ins AnyType:$dst, AnyType:$b, Ptx_ScalarType:$ty,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_Atomic:$op, OptionalAttr<Ptx_Space>:$space);
}
def Ptx_StBulkOp : Ptx_Instr<"st.bulk",
    "data-movement-and-conversion-instructions-st-bulk",
    [Form<"st.bulk{.weak}{.shared::cta} [dst], size:b64, #value=0", Sm100Bulk>],
    [MemoryEffects<[MemWrite]>, MaskedOpInterface, CommunicatingOpInterface,
     SpaceOpInterface, OtherBytes]> {
  let summary = "fills `size` bytes of shared memory with zeros";
  let Ignored = ["bulk", "weak"];
  let arguments = (ins AnyType:$dst, I64:$size, Optional<I1>:$mask,
                       I64Attr:$value,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       OptionalAttr<Ptx_Space>:$space);
}

def Flag_NoInc : Ptx_Flag<"noinc">;
/// cp.async.mbarrier.arrive. The copies before it have completed already.
def Ptx_CpAsyncArriveOp : Ptx_Instr<"cp.async.mbarrier.arrive",
    "parallel-synchronization-and-communication-instructions-cp-async-mbarrier-arrive",
    [Form<"cp.async.mbarrier.arrive{.noinc}{.shared|shared::cta}.b64 [a]",
          [Since<"7.0", "sm_80+">]>],
    [MemoryEffects<[MemRead, MemWrite]>, CommunicatingOpInterface,
     SpaceOpInterface, OtherBytes, NeedsNoMask]> {
  let summary = "arrives at `a` when the thread's copies have completed";
  let description = [{
    With `noinc` the arrival is one of those that the mbarrier expects. Without
    it, the number of expected arrivals is raised by one first.
  }];
  let Ignored = ["async", "mbarrier", "arrive", "b64"];
  let arguments = (ins AnyType:$a, DefaultValuedAttr<I64Attr, "0">:$offset,
                       OptionalAttr<Ptx_Space>:$space, Flag_NoInc:$noinc);
}
#endif

//===- PtxCluster.td - the CTAs of a cluster ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXCLUSTER_TD
#define PTXJIT_DIALECT_PTXCLUSTER_TD
include "ptxjit/Dialect/PtxBase.td"

defvar Sm90Cluster = [Since<"7.8", "sm_90+">];
def Ptx_ClusterBarrierEnum : Ptx_Enum<"ClusterBarrier", [
  Case<0, "arrive", "Arrive">, Case<1, "wait", "Wait">]>;
def Ptx_ClusterBarrier : Ptx_Modifier<Ptx_ClusterBarrierEnum, "cluster_barrier">;

def Ptx_BarrierClusterOp : Ptx_Instr<"barrier.cluster",
    "parallel-synchronization-and-communication-instructions-barrier-cluster",
    [Form<"barrier.cluster.{arrive|wait}{.aligned}", Sm90Cluster>,
     Form<"barrier.cluster.wait.acquire{.aligned}", [Since<"8.0", "sm_90+">]>,
     Form<"barrier.cluster.arrive.{relaxed|release}{.aligned}",
          [Since<"8.0", "sm_90+">]>],
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface, ClusterWideBarrier,
     ClusterOpInterface]> {
  let summary = "arrives at the barrier of the cluster, or waits for it";
  let Ignored = ["cluster", "acquire", "release", "relaxed"];
  let arguments = (ins Optional<I1>:$mask, Ptx_ClusterBarrier:$mode,
                       Flag_Aligned:$aligned);
}
def Ptx_MapaOp : Ptx_Instr<"mapa",
    "data-movement-and-conversion-instructions-mapa",
    [Form<"mapa.{u32|u64} d, a, b:b32", Sm90Cluster>,
     Form<"mapa.shared::cluster.{u32|u64} d, %a, b:b32", Sm90Cluster>],
    [Pure, ClusterOpInterface, SpaceOpInterface]> {
  let summary = "the address in CTA `b` of the cluster that matches `a`";
  let arguments = (ins AnyType:$a, AnyType:$b, Ptx_ScalarType:$ty,
                       OptionalAttr<Ptx_Space>:$space);
  let results = (outs AnyType:$d);
}
def Ptx_GetCtaRankOp : Ptx_Instr<"getctarank",
    "data-movement-and-conversion-instructions-getctarank",
    [Form<"getctarank.{u32|u64} d:b32, a", Sm90Cluster>,
     Form<"getctarank.shared::cluster.{u32|u64} d:b32, %a", Sm90Cluster>],
    [Pure, ClusterOpInterface, SpaceOpInterface]> {
  let summary = "the rank of the CTA that shared address `a` belongs to";
  let arguments = (ins AnyType:$a, Ptx_ScalarType:$ty,
                       OptionalAttr<Ptx_Space>:$space);
  let results = (outs AnyType:$d);
}

//===----------------------------------------------------------------------===//
// Launch control
//===----------------------------------------------------------------------===//

defvar Sm100Cluster = [Since<"8.6", "sm_100+">];
def Flag_MulticastAll : Ptx_Flag<"multicast::cluster::all">;
def Ptx_ClcTryCancelOp : Ptx_Instr<"clusterlaunchcontrol.try_cancel",
    "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-try-cancel",
    [Form<"clusterlaunchcontrol.try_cancel.async{.shared::cta}"
          ".mbarrier::complete_tx::bytes.b128 [dst], [mbar]", Sm100Cluster>,
     Form<"clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::"
          "complete_tx::bytes.multicast::cluster::all.b128 [dst], [mbar]",
          [Since<"8.8", "sm_100f">, Since<"8.8", "sm_110f">,
           Since<"8.8", "sm_120f">, Since<"8.6", "sm_100a">,
           Since<"8.6", "sm_103a">, Since<"8.6", "sm_110a">,
           Since<"8.6", "sm_120a">, Since<"8.6", "sm_121a">]>],
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
     CommunicatingOpInterface, ClusterOpInterface, SpaceOpInterface,
     OtherBytes]> {
  let summary = "asks to take over the work of a cluster that has not started";
  let description = [{
    The answer, 16 bytes, is written to `dst` (see `query_cancel`). A request
    that comes when all clusters have started fails: the answer is zeros.
  }];
  let Ignored = ["try_cancel", "async", "b128", "mbarrier::complete_tx::bytes"];
  let arguments = (ins I64:$dst, I64:$mbar, Optional<I1>:$mask,
                       Flag_MulticastAll:$all, OptionalAttr<Ptx_Space>:$space);
  let extraClassDeclaration = MeetsInShared;
}
def Ptx_ClcQueryEnum : Ptx_Enum<"ClcQuery", [
  Case<0, "is_canceled", "IsCanceled">, Case<1, "get_first_ctaid", "All">,
  Case<2, "get_first_ctaid::x", "X">, Case<3, "get_first_ctaid::y", "Y">,
  Case<4, "get_first_ctaid::z", "Z">]>;
def Ptx_ClcQuery : Ptx_Modifier<Ptx_ClcQueryEnum, "clc_query">;
def Ptx_ClcQueryOp : Ptx_Instr<"clusterlaunchcontrol.query_cancel",
    "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-query-cancel",
    [Form<"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 d:pred, "
          "a:b128", Sm100Cluster>,
     Form<"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
          "d*4:b32, a:b128", Sm100Cluster>,
     Form<"clusterlaunchcontrol.query_cancel.{get_first_ctaid::x|"
          "get_first_ctaid::y|get_first_ctaid::z}.b32.b128 d:b32, a:b128",
          Sm100Cluster>], [Pure, LaneWise]> {
  let summary = "decodes an answer of `try_cancel`";
  let description = [{
    Bit 0 of the answer is set if the request succeeded. In that case the second
    to fourth word are the coordinates of the first CTA; else they are
    undefined.
  }];
  let Ignored = ["query_cancel", "pred", "b32", "b128", "v4"];
  let arguments = (ins Variadic<I64>:$a, Ptx_ClcQuery:$query);
  let results = (outs Variadic<AnyType>:$d);
}
#endif

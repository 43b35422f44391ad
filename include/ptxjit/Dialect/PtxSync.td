//===- PtxSync.td - barriers and warp collectives -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that several threads execute together. They have masks before the
// kernel is packetized: inactive lanes do not take part.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXSYNC_TD
#define PTXJIT_DIALECT_PTXSYNC_TD
include "ptxjit/Dialect/PtxBase.td"

class Ptx_Collective<string mnemonic, string anchor, list<Form> forms,
                     list<Trait> traits = []>
    : Ptx_Instr<mnemonic, anchor, forms,
                !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                             MaskedOpInterface], traits)>;

//===----------------------------------------------------------------------===//
// Barriers of a CTA
//===----------------------------------------------------------------------===//

defvar BarrierAnchor =
    "parallel-synchronization-and-communication-instructions-bar-barrier";
class BarrierForms<string opcode, string aligned, Since first, Since red> {
  list<Form> L = [
    Form<!strconcat(opcode, "{.cta}.sync", aligned, " a:u32{, b:u32}"),
         [first]>,
    Form<!strconcat(opcode, "{.cta}.arrive", aligned, " a:u32, b:u32"), [red]>,
    Form<!strconcat(opcode, "{.cta}.red.popc", aligned, ".u32 d, a:u32, !c:pred"),
         [red]>,
    Form<!strconcat(opcode, "{.cta}.red.popc", aligned,
                    ".u32 d, a:u32, b:u32, !c:pred"), [red]>,
    Form<!strconcat(opcode, "{.cta}.red.{and|or}", aligned,
                    ".pred d, a:u32, !c:pred"), [red]>,
    Form<!strconcat(opcode, "{.cta}.red.{and|or}", aligned,
                    ".pred d, a:u32, b:u32, !c:pred"), [red]>];
}
class Ptx_Barrier<string mnemonic, list<Form> forms>
    : Ptx_Collective<mnemonic, BarrierAnchor, forms,
                     [CtaBarrierOpInterface, AttrSizedOperandSegments]> {
  let summary = "waits or arrives at barrier `a` of the CTA";
  let description = [{
    `b` is the number of threads, a multiple of the warp size; without it, all
    threads of the CTA take part. Warps arrive as a whole. `red` combines the
    predicate `c` over the threads.
  }];
  let arguments = (ins AnyType:$a, Optional<AnyType>:$b, Optional<AnyType>:$c,
                       Optional<I1>:$mask, Ptx_BarrierMode:$mode,
                       OptionalAttr<Ptx_BarrierReduce>:$reduce,
                       OptionalAttr<Ptx_ScalarType>:$ty, Flag_Cta:$cta,
                       Flag_Aligned:$aligned);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_BarOp : Ptx_Barrier<"bar",
    BarrierForms<"bar", "", Since<"1.0", "sm_10+">,
                 Since<"2.0", "sm_20+">>.L>;
def Ptx_BarrierOp : Ptx_Barrier<"barrier",
    BarrierForms<"barrier", "{.aligned}", Since<"6.0", "sm_30+">,
                 Since<"6.0", "sm_30+">>.L>;

//===----------------------------------------------------------------------===//
// Within a warp
//===----------------------------------------------------------------------===//

def Ptx_BarWarpOp : Ptx_Collective<"bar.warp",
    "parallel-synchronization-and-communication-instructions-bar-warp-sync",
    [Form<"bar.warp.sync a:b32", [Since<"6.0", "sm_30+">]>],
    [WarpCollectiveOpInterface]> {
  let summary = "waits for the lanes in the member mask `a`";
  let extraClassDeclaration = [{
    ::mlir::Value getMemberMask() { return getA(); }
  }];
  let arguments = (ins AnyType:$a, Optional<I1>:$mask, Flag_Warp:$warp,
                       Flag_Sync:$sync);
}
def Ptx_ShflOp : Ptx_Collective<"shfl",
    "data-movement-and-conversion-instructions-shfl-sync",
    [Form<"shfl.sync.{up|down|bfly|idx}.b32 d{|p:pred}, a, b, c, m",
          [Since<"6.0", "sm_30+">]>,
     Form<"shfl.{up|down|bfly|idx}.b32 d{|p:pred}, a, b, c",
          [Since<"3.0", "sm_30+">]>],
    [WarpCollectiveOpInterface, AttrSizedOperandSegments]> {
  let summary = "reads a register of another lane";
  let arguments = (ins AnyType:$a, AnyType:$b, AnyType:$c, Optional<AnyType>:$m,
                       Optional<I1>:$mask, Ptx_ScalarType:$ty,
                       Ptx_Shuffle:$mode, Flag_Sync:$sync);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_VoteOp : Ptx_Collective<"vote",
    "parallel-synchronization-and-communication-instructions-vote-sync",
    [Form<"vote.sync.{all|any|uni}.pred d, !a:pred, m:b32",
          [Since<"6.0", "sm_30+">]>,
     Form<"vote.sync.ballot.b32 d, !a:pred, m:b32", [Since<"6.0", "sm_30+">]>,
     Form<"vote.{all|any|uni}.pred d, !a:pred", [Since<"1.2", "sm_12+">]>,
     Form<"vote.ballot.b32 d, !a:pred", [Since<"2.0", "sm_20+">]>],
    [WarpCollectiveOpInterface, AttrSizedOperandSegments]> {
  let summary = "combines a predicate over the lanes of the warp";
  let arguments = (ins AnyType:$a, Optional<AnyType>:$m, Optional<I1>:$mask,
                       Ptx_ScalarType:$ty, Ptx_Vote:$mode, Flag_Sync:$sync);
  let results = (outs AnyType:$d);
}
def Ptx_MatchOp : Ptx_Collective<"match",
    "parallel-synchronization-and-communication-instructions-match-sync",
    [Form<"match.any.sync.{b32|b64} d:b32, a, m:b32",
          [Since<"6.0", "sm_70+">]>,
     Form<"match.all.sync.{b32|b64} d:b32{|p:pred}, a, m:b32",
          [Since<"6.0", "sm_70+">]>],
    [WarpCollectiveOpInterface, VariesByLane]> {
  let summary = "finds the lanes that hold the same value";
  let arguments = (ins AnyType:$a, AnyType:$m, Optional<I1>:$mask,
                       Ptx_ScalarType:$ty, Ptx_Match:$mode, Flag_Sync:$sync);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_ReduxOp : Ptx_Collective<"redux",
    "parallel-synchronization-and-communication-instructions-redux-sync",
    [Form<"redux.sync.{add|min|max}.{u32|s32} d, a, m:b32",
          [Since<"7.0", "sm_80+">]>,
     Form<"redux.sync.{and|or|xor}.b32 d, a, m:b32",
          [Since<"7.0", "sm_80+">]>,
     Form<"redux.sync.{min|max}{.abs}{.NaN}.f32 d, a, m:b32",
          [Since<"8.8", "sm_100f">, Since<"8.6", "sm_100a">,
           Since<"8.6", "sm_103a">]>],
    [WarpCollectiveOpInterface]> {
  let summary = "combines a value over the lanes of the warp";
  let arguments = (ins AnyType:$a, AnyType:$m, Optional<I1>:$mask,
                       Ptx_ScalarType:$ty, Ptx_Atomic:$op, Flag_Abs:$abs,
                       Flag_NaN:$nan, Flag_Sync:$sync);
  let results = (outs AnyType:$d);
}
def Ptx_ElectOp : Ptx_Collective<"elect",
    "parallel-synchronization-and-communication-instructions-elect-sync",
    [Form<"elect.sync d:b32{|p:pred}, m:b32", [Since<"8.0", "sm_90+">]>],
    [WarpCollectiveOpInterface, VariesByLane]> {
  let summary = "elects the first lane of the member mask";
  let arguments = (ins AnyType:$m, Optional<I1>:$mask, Flag_Sync:$sync);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_ActivemaskOp : Ptx_Collective<"activemask",
    "parallel-synchronization-and-communication-instructions-activemask",
    [Form<"activemask.b32 d", [Since<"6.2", "sm_30+">]>],
    [UnseenByOthers]> {
  let summary = "the mask of the lanes that execute this instruction now";
  let arguments = (ins Optional<I1>:$mask, Ptx_ScalarType:$ty);
  let results = (outs AnyType:$d);
}
def Ptx_NanosleepOp : Ptx_Collective<"nanosleep",
    "miscellaneous-instructions-nanosleep",
    [Form<"nanosleep.u32 a", [Since<"6.3", "sm_70+">]>],
    [UnseenByOthers, GivesWay]> {
  let summary = "lets other warps and CTAs run; does not sleep";
  let arguments = (ins AnyType:$a, Optional<I1>:$mask, Ptx_ScalarType:$ty);
}
#endif

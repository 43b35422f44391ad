//===- PtxMbarrier.td - mbarrier objects ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that are objects in shared memory. A phase ends when all expected
// threads have arrived and all expected bytes have been copied. IR does not
// keep memory orders and scopes: every operation is ordered for the whole
// device.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMBARRIER_TD
#define PTXJIT_DIALECT_PTXMBARRIER_TD
include "ptxjit/Dialect/PtxBase.td"

def Ptx_MbarrierTxEnum : Ptx_Enum<"MbarrierTx", [
  Case<0, "expect_tx", "Expect">, Case<1, "complete_tx", "Complete">]>;
def Ptx_MbarrierTx : Ptx_Modifier<Ptx_MbarrierTxEnum, "mbarrier_tx">;
def Ptx_MbarrierArriveEnum : Ptx_Enum<"MbarrierArrive", [
  Case<0, "arrive", "Arrive">, Case<1, "arrive_drop", "ArriveDrop">]>;
def Ptx_MbarrierArrive : Ptx_Modifier<Ptx_MbarrierArriveEnum, "mbarrier_arrive">;
def Ptx_MbarrierWaitEnum : Ptx_Enum<"MbarrierWait", [
  Case<0, "test_wait", "Test">, Case<1, "try_wait", "Try">]>;
def Ptx_MbarrierWait : Ptx_Modifier<Ptx_MbarrierWaitEnum, "mbarrier_wait">;
def Flag_NoComplete : Ptx_Flag<"noComplete">;
def Flag_ExpectTx : Ptx_Flag<"expect_tx">;
def Flag_Parity : Ptx_Flag<"parity">;

defvar Mbarrier = "parallel-synchronization-and-communication-instructions-mbarrier";
defvar OwnMbarrier = "{.shared|shared::cta}.b64";
defvar AnyMbarrier = "{.shared|shared::cta|shared::cluster}.b64";
defvar PeerMbarrier = ".shared::cluster.b64";
defvar MbarrierSm80 = [Since<"7.0", "sm_80+">];
defvar MbarrierSm80Scope = [Since<"8.0", "sm_80+">];
defvar MbarrierSm90 = [Since<"8.0", "sm_90+">];
defvar MbarrierRelaxed = [Since<"8.6", "sm_90+">];

class Ptx_Mbarrier<string mnemonic, string anchor, list<Form> forms, dag more,
                   list<Trait> traits = []>
    : Ptx_Instr<mnemonic, !strconcat(Mbarrier, anchor), forms,
                !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                             MaskedOpInterface, CommunicatingOpInterface,
                             SpaceOpInterface, OtherBytes], traits)> {
  let Ignored = ["b64", "release", "acquire", "relaxed", "cta", "cluster",
                 "init", "inval"];
  let arguments = !con((ins AnyType:$a),
                       more,
                       (ins Optional<I1>:$mask,
                            DefaultValuedAttr<I64Attr, "0">:$offset,
                            OptionalAttr<Ptx_Space>:$space));
  let extraClassDeclaration = MeetsInShared;
}
def Ptx_MbarrierInitOp : Ptx_Mbarrier<"mbarrier.init", "-init",
    [Form<!strconcat("mbarrier.init", OwnMbarrier, " [a], b:b32"),
          MbarrierSm80>], (ins I32:$b)> {
  let summary = "initializes an object that expects `b` arrivals in each phase";
}
def Ptx_MbarrierInvalOp : Ptx_Mbarrier<"mbarrier.inval", "-inval",
    [Form<!strconcat("mbarrier.inval", OwnMbarrier, " [a]"), MbarrierSm80>],
    (ins)> {
  let summary = "ends an object; its memory may be used for other data";
  let extraClassDeclaration = !strconcat(MeetsInShared, ReleasesNothing);
}
def Ptx_MbarrierTxOp : Ptx_Mbarrier<"mbarrier.tx", "-expect-tx-operation",
    [Form<!strconcat("mbarrier.{expect_tx|complete_tx}", AnyMbarrier,
                     " [a], b:b32"), MbarrierSm90>,
     Form<!strconcat("mbarrier.{expect_tx|complete_tx}.relaxed.{cta|cluster}",
                     AnyMbarrier, " [a], b:b32"), MbarrierSm90>],
    (ins I32:$b, Ptx_MbarrierTx:$tx)> {
  let summary = "expects `b` more bytes, or counts `b` bytes as copied";
}

class MbarrierArriveForms {
  defvar A = "mbarrier.{arrive|arrive_drop}";
  defvar Orders = ".{release|relaxed}.{cta|cluster}";
  list<Form> L = [
    Form<!strconcat(A, OwnMbarrier, " d:b64, [a]"), MbarrierSm80>,
    Form<!strconcat(A, ".release.cta", OwnMbarrier, " d:b64, [a]"),
         MbarrierSm80Scope>,
    Form<!strconcat(A, ".release.cluster", OwnMbarrier, " d:b64, [a]"),
         MbarrierSm90>,
    Form<!strconcat(A, ".relaxed.{cta|cluster}", OwnMbarrier, " d:b64, [a]"),
         MbarrierRelaxed>,
    Form<!strconcat(A, ".noComplete", OwnMbarrier, " d:b64, [a], b:b32"),
         MbarrierSm80>,
    Form<!strconcat(A, ".noComplete.release.cta", OwnMbarrier,
                    " d:b64, [a], b:b32"), MbarrierSm80Scope>,
    Form<!strconcat(A, OwnMbarrier, " d:b64, [a], b:b32"),
         [Since<"7.8", "sm_90+">]>,
    Form<!strconcat(A, ".expect_tx", OwnMbarrier, " d:b64, [a], b:b32"),
         MbarrierSm90>,
    Form<!strconcat(A, "{.expect_tx}.release.{cta|cluster}", OwnMbarrier,
                    " d:b64, [a], b:b32"), MbarrierSm90>,
    Form<!strconcat(A, "{.expect_tx}.relaxed.{cta|cluster}", OwnMbarrier,
                    " d:b64, [a], b:b32"), MbarrierRelaxed>,
    // An arrival at another CTA's object returns no state.
    Form<!strconcat(A, PeerMbarrier, " _, [a]"), MbarrierSm90>,
    Form<!strconcat(A, ".release.{cta|cluster}", PeerMbarrier, " _, [a]"),
         MbarrierSm90>,
    Form<!strconcat(A, ".relaxed.{cta|cluster}", PeerMbarrier, " _, [a]"),
         MbarrierRelaxed>,
    Form<!strconcat(A, "{.expect_tx}", PeerMbarrier, " _, [a], b:b32"),
         MbarrierSm90>,
    Form<!strconcat(A, "{.expect_tx}.release.{cta|cluster}", PeerMbarrier,
                    " _, [a], b:b32"), MbarrierSm90>,
    Form<!strconcat(A, "{.expect_tx}.relaxed.{cta|cluster}", PeerMbarrier,
                    " _, [a], b:b32"), MbarrierRelaxed>];
}
def Ptx_MbarrierArriveOp : Ptx_Mbarrier<"mbarrier.arrive", "-arrive",
    MbarrierArriveForms<>.L,
    (ins Optional<I32>:$b, Ptx_MbarrierArrive:$arrive,
         Flag_NoComplete:$noComplete, Flag_ExpectTx:$expectTx),
    [AttrSizedOperandSegments]> {
  let summary = "arrives at the object; d is its state before that";
  let description = [{
    `b` is the number of arrivals, 1 if absent. With `expect_tx` there is one
    arrival, and `b` is the number of bytes to expect before it. `arrive_drop`
    also takes the arrivals off the number that later phases expect.
  }];
  let results = (outs Variadic<I64>:$d);
}

class MbarrierWaitForms<list<Since> first, string parity,
                        string state> {
  defvar T = !strconcat("mbarrier.test_wait", parity);
  defvar W = !strconcat("mbarrier.try_wait", parity);
  defvar D = !strconcat(" d:pred, [a], ", state);
  list<Form> L = [
    Form<!strconcat(T, OwnMbarrier, D), first>,
    Form<!strconcat(T, ".acquire.cta", OwnMbarrier, D), MbarrierSm80Scope>,
    Form<!strconcat(T, ".acquire.cluster", OwnMbarrier, D), MbarrierSm90>,
    Form<!strconcat(T, ".relaxed.{cta|cluster}", OwnMbarrier, D),
         MbarrierRelaxed>,
    Form<!strconcat(W, OwnMbarrier, D), [Since<"7.8", "sm_90+">]>,
    Form<!strconcat(W, OwnMbarrier, D, ", ?hint:b32"),
         [Since<"7.8", "sm_90+">]>,
    Form<!strconcat(W, ".acquire.{cta|cluster}", OwnMbarrier, D), MbarrierSm90>,
    Form<!strconcat(W, ".acquire.{cta|cluster}", OwnMbarrier, D, ", ?hint:b32"),
         MbarrierSm90>,
    Form<!strconcat(W, ".relaxed.{cta|cluster}", OwnMbarrier, D),
         MbarrierRelaxed>,
    Form<!strconcat(W, ".relaxed.{cta|cluster}", OwnMbarrier, D, ", ?hint:b32"),
         MbarrierRelaxed>];
}
def Ptx_MbarrierWaitOp : Ptx_Mbarrier<"mbarrier.wait", "-test-wait-try-wait",
    !listconcat(MbarrierWaitForms<MbarrierSm80, "", "b:b64">.L,
                MbarrierWaitForms<[Since<"7.1", "sm_80+">], ".parity",
                                  "b:b32">.L),
    (ins AnyType:$b, Ptx_MbarrierWait:$wait, Flag_Parity:$parity)> {
  let summary = "whether the phase of state `b`, or of parity `b`, has ended";
  let results = (outs I1:$d);
  let extraClassDeclaration = !strconcat(MeetsInShared, Polled, ReleasesNothing);
}
def Ptx_MbarrierPendingOp : Ptx_Instr<"mbarrier.pending_count",
    !strconcat(Mbarrier, "-pending-count"),
    [Form<"mbarrier.pending_count.b64 d:b32, a:b64", MbarrierSm80>], [Pure, LaneWise]> {
  let summary = "the number of arrivals that were pending in state `a`";
  let Ignored = ["b64", "pending_count"];
  let arguments = (ins I64:$a);
  let results = (outs I32:$d);
}
#endif

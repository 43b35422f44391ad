//===- PtxControl.td - control flow, barriers, warp collectives -----------===//

#ifndef PTXJIT_DIALECT_PTXCONTROL_TD
#define PTXJIT_DIALECT_PTXCONTROL_TD
include "ptxjit/Dialect/PtxBase.td"

def Ptx_BraOp : Ptx_Instr<"bra", "control-flow-instructions-bra",
    [Form<"bra{.uni} L:label">],
    [Terminator, DeclareOpInterfaceMethods<BranchOpInterface>, Pure]> {
  let arguments = (ins Flag_Uni:$uni);
  let successors = (successor AnySuccessor:$dest);
}
def Ptx_BrxOp : Ptx_Instr<"brx", "control-flow-instructions-brx-idx",
    [Form<"brx.idx{.uni} a:u32, L:label", [Since<"6.0", "sm_30+">]>],
    [Terminator, Pure]> {
  let summary = "branch to the label of that index in a `.branchtargets` list";
  let arguments = (ins AnyType:$a, Flag_Idx:$idx, Flag_Uni:$uni);
  let successors = (successor VariadicSuccessor<AnySuccessor>:$targets);
}
def Ptx_RetOp : Ptx_Instr<"ret", "control-flow-instructions-ret",
    [Form<"ret{.uni}">], [Terminator, ReturnLike]> {
  let arguments = (ins Flag_Uni:$uni);
}
def Ptx_ExitOp : Ptx_Instr<"exit", "control-flow-instructions-exit",
    [Form<"exit">], [Terminator, ReturnLike]>;
def Ptx_TrapOp : Ptx_Instr<"trap", "miscellaneous-instructions-trap",
    [Form<"trap">], [Terminator, ReturnLike]> {
  let summary = "abort the grid; the launch fails";
}
def Ptx_CallOp : Ptx_Instr<"call", "control-flow-instructions-call",
    [Form<"call{.uni} f:callee">], [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "direct or indirect call; arguments are `.param` variables";
  let arguments = (ins Optional<AnyType>:$target,
                       OptionalAttr<FlatSymbolRefAttr>:$callee,
                       DefaultValuedAttr<ArrayAttr, "{}">:$rets,
                       DefaultValuedAttr<ArrayAttr, "{}">:$params,
                       Flag_Uni:$uni);
}

//===----------------------------------------------------------------------===//
// Barriers and warp collectives
//===----------------------------------------------------------------------===//

class Ptx_Barrier<string mnemonic, list<Form> forms>
    : Ptx_Instr<mnemonic,
        "parallel-synchronization-and-communication-instructions-bar", forms,
        [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins AnyType:$a, Optional<AnyType>:$b, Flag_Sync:$sync,
                       Flag_Aligned:$aligned);
}
def Ptx_BarOp : Ptx_Barrier<"bar", [Form<"bar.sync a:u32{, b:u32}">]>;
def Ptx_BarrierOp : Ptx_Barrier<"barrier",
    [Form<"barrier.sync{.aligned} a:u32{, b:u32}", [Since<"6.0", "sm_30+">]>]>;
def Ptx_BarWarpOp : Ptx_Instr<"bar.warp",
    "parallel-synchronization-and-communication-instructions-bar-warp-sync",
    [Form<"bar.warp.sync a:b32", [Since<"6.0", "sm_30+">]>],
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins AnyType:$a, Flag_Warp:$warp, Flag_Sync:$sync);
}
def Ptx_ShflOp : Ptx_Instr<"shfl",
    "data-movement-and-conversion-instructions-shfl-sync",
    [Form<"shfl.sync.{up|down|bfly|idx}.b32 d{|p:pred}, a, b, c, m",
          [Since<"6.0", "sm_30+">]>],
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins AnyType:$a, AnyType:$b, AnyType:$c, AnyType:$m,
                       Ptx_ScalarType:$ty, Ptx_Shuffle:$mode, Flag_Sync:$sync);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_VoteOp : Ptx_Instr<"vote",
    "parallel-synchronization-and-communication-instructions-vote-sync",
    [Form<"vote.sync.{all|any|uni}.pred d, !a:pred, m:b32",
          [Since<"6.0", "sm_30+">]>,
     Form<"vote.sync.ballot.b32 d, !a:pred, m:b32", [Since<"6.0", "sm_30+">]>],
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins AnyType:$a, AnyType:$m, Ptx_ScalarType:$ty,
                       Ptx_Vote:$mode, Flag_Sync:$sync);
  let results = (outs AnyType:$d);
}
def Ptx_ActivemaskOp : Ptx_Instr<"activemask",
    "parallel-synchronization-and-communication-instructions-activemask",
    [Form<"activemask.b32 d", [Since<"6.2", "sm_30+">]>],
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface]> {
  let summary = "the lanes that execute this instruction now";
  let arguments = (ins Optional<I1>:$mask, Ptx_ScalarType:$ty);
  let results = (outs AnyType:$d);
}
#endif

//===- PtxControl.td - control flow ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXCONTROL_TD
#define PTXJIT_DIALECT_PTXCONTROL_TD
include "ptxjit/Dialect/PtxBase.td"

def Ptx_BraOp : Ptx_Instr<"bra", "control-flow-instructions-bra",
    [Form<"bra{.uni} L:label">],
    [Terminator, DeclareOpInterfaceMethods<BranchOpInterface>, Pure]> {
  let summary = "branches to `dest`";
  let description = [{
    `@p bra` is a `cf.cond_br` instead. `uni` changes nothing.
  }];
  let arguments = (ins Flag_Uni:$uni);
  let successors = (successor AnySuccessor:$dest);
}
def Ptx_BrxOp : Ptx_Instr<"brx", "control-flow-instructions-brx-idx",
    [Form<"brx.idx{.uni} a:u32, L:label", [Since<"6.0", "sm_30+">]>],
    [Terminator, Pure]> {
  let summary = "branches to label number `a` of a `.branchtargets` list";
  let arguments = (ins AnyType:$a, Flag_Idx:$idx, Flag_Uni:$uni);
  let successors = (successor VariadicSuccessor<AnySuccessor>:$targets);
}
def Ptx_RetOp : Ptx_Instr<"ret", "control-flow-instructions-ret",
    [Form<"ret{.uni}">], [Terminator, ReturnLike]> {
  let summary = "returns to the caller; in a kernel: ends the thread";
  let arguments = (ins Flag_Uni:$uni);
}
def Ptx_ExitOp : Ptx_Instr<"exit", "control-flow-instructions-exit",
    [Form<"exit">], [Terminator, ReturnLike]> {
  let summary = "ends the thread, also in a function that is called";
}
def Ptx_TrapOp : Ptx_Instr<"trap", "miscellaneous-instructions-trap",
    [Form<"trap">], [Terminator, ReturnLike]> {
  let summary = "aborts the grid; the launch fails";
}
// UnseenByOthers: a kernel that calls a function with a body runs thread by
// thread anyway, and the functions of the runtime communicate with no other
// thread.
def Ptx_CallOp : Ptx_Instr<"call", "control-flow-instructions-call",
    [Form<"call{.uni} f:callee">],
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface, UnseenByOthers,
     AttrSizedOperandSegments]> {
  let summary = "calls `callee`, or the function at address `target`";
  let description = [{
    Arguments and results are passed in memory: `args` and `results` are
    addresses in the caller's `.local` space, one for each formal parameter.
    (The parser stores registers and constants to variables of their own.) An
    indirect call has the `formals` of its prototype and, if the text lists
    them, the functions it may call (`candidates`).
  }];
  let arguments = (ins Optional<AnyType>:$target, Variadic<AnyType>:$args,
                       Variadic<AnyType>:$results, Optional<I1>:$mask,
                       OptionalAttr<FlatSymbolRefAttr>:$callee,
                       OptionalAttr<ArrayAttr>:$candidates,
                       OptionalAttr<ArrayAttr>:$formals,
                       Flag_Uni:$uni);
}

#endif

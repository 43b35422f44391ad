//===- Passes.td - the lowering, pass by pass -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_PASSES_TD
#define PTXJIT_LOWERING_PASSES_TD
include "mlir/Pass/PassBase.td"

/// A pass that asks what its kernel is compiled for: its options are those of
/// KernelTarget.h.
class TargetPass<string flag, string op>
    : PassBase<flag, "::ptxjit::TargetPass<" # op # ">">;

def InlineCallsPass : Pass<"ptx-inline-calls", "::mlir::ModuleOp"> {
  let summary = "functions become part of their kernels";
  let description = [{
    Indirect calls become tests of the address and direct calls; these are
    replaced by the function's body. Recursion, and what would make a kernel too
    large, stays a call. Afterwards `.param` means the kernel's parameters
    alone, arguments are `.local` variables, and the address of a function is a
    number.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    Option<"sizeLimit", "size-limit", "unsigned", "60000",
           "ops that calls may add to one function">];
}

def RefuseUnloweredPass : Pass<"ptx-refuse-unlowered",
                               "::ptxjit::ptx::FuncOp"> {
  let summary = "an error for the first instruction that nothing executes yet";
}

def ExpandInstructionsPass : Pass<"ptx-expand-instructions",
                                  "::ptxjit::ptx::FuncOp"> {
  let summary = "instructions to simpler ones; advice is dropped";
  let description = [{
    Asynchronous stores, `multimem` (of one device), `redux` of f32.

    An asynchronous store is complete when it is issued, so that waiting for it
    has nothing left to do.

    ```mlir
    ptx.st.async.global "release.sys.b32"(%dst, %b)
    // becomes
    ptx.st "release.sys.global.b32"(%dst, %b)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PromoteLocalsPass : Pass<"ptx-promote-locals", "::ptxjit::ptx::FuncOp"> {
  let summary = "local variables at constant offsets to virtual registers";
  let description = [{
    A `.local` variable of which only constant parts are loaded and stored
    becomes registers: arguments of inlined calls, mostly.

    ```mlir
    %a = ptx.addressof @f::call$0
    ptx.st "local.b32"(%a, %v) ; %w = ptx.ld "local.b32"(%a)
    // becomes
    ptx.write %v, %r ; %w = ptx.read %r
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandGuardsPass : Pass<"ptx-expand-guards", "::ptxjit::ptx::FuncOp"> {
  let summary = "turn guarded instructions into selects and conditionals";
  let description = [{
    An instruction without effects runs in every thread and its result is kept
    or dropped by a select; one with effects moves into an `scf.if`.

    ```mlir
    ptx.guard %p { %a = ptx.add.int ...; ptx.write %a, %r }
    // becomes
    %a = ptx.add.int ...
    %old = ptx.read %r
    %new = arith.select %p, %a, %old
    ptx.write %new, %r
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def UnifyExitsPass : Pass<"ptx-unify-exits", "::ptxjit::ptx::FuncOp"> {
  let summary = "one exit per kernel, no unreachable blocks";
  let description = [{
    `ret`, `exit` and `trap` of a kernel branch to a single block with
    `ptx.ret`; a trap raises first. `ptx.bra` becomes `cf.br`.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def PromoteRegistersPass : Pass<"ptx-promote-registers", "::ptxjit::ptx::FuncOp"> {
  let summary = "virtual registers to SSA values";
  let description = [{
    Every `ptx.reg` becomes SSA; one that is read before it is written reads 0.
    `ptx.mov` disappears.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def StructureControlFlowPass
    : Pass<"ptx-structure-control-flow", "::ptxjit::ptx::FuncOp"> {
  let summary = "lift control flow to scf regions";
  let description = [{
    Upstream `transformCFGToSCF`, with `ptx.undef` for values that do not exist
    on a path (poison would spread through selects). Irreducible loops and
    several exits are handled; `scf.index_switch` becomes `scf.if`.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def InsertYieldsPass : Pass<"ptx-insert-yields", "::ptxjit::ptx::FuncOp"> {
  let summary = "let others run in loops that wait on memory";
  let description = [{
    A loop whose condition depends on an atomic, volatile or ordered load may
    wait for another thread. Each iteration then gives way with
    `ptx.yield_warp`, and the kernel runs in a mode in which that has a meaning.
  }];
}

def OrderSharedPass : TargetPass<"ptx-order-shared",
                                 "::ptxjit::ptx::FuncOp"> {
  let summary = "keep warps together where they share memory without a barrier";
  let description = [{
    A warp that runs ahead of the others shows races that no GPU shows. Where a
    warp reads shared memory and another one later writes the same bytes, or the
    other way round, without a barrier in between, `ptx.order_shared` stands in
    front of the later access (see SharedOrder.h).

    ```mlir
    %v = ptx.ld "shared.f32"(%all) ; ptx.st "shared.f32"(%own, %w)
    // becomes
    %v = ptx.ld "shared.f32"(%all)
    ptx.order_shared "other warps read s at line 7"
    ptx.st "shared.f32"(%own, %w)
    ```
  }];
}

def InterleaveLocalsPass : Pass<"ptx-interleave-locals", "::ptxjit::ptx::FuncOp"> {
  let summary = "local memory whose lanes lie side by side";
  let description = [{
    Marks the accesses of local variables whose addresses do not escape with the
    size of their smallest element, the granule. A warp stores these variables
    as [granule][lane], so that equal offsets in all lanes are one contiguous
    access. What nvcc puts into one depot is judged object by object.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def LinearizePass : TargetPass<"ptx-linearize", "::ptxjit::ptx::FuncOp"> {
  let summary = "divergent control flow to masks";
  let description = [{
    Afterwards only warp-uniform `scf.if` and `scf.while` are left, and every op
    that touches memory, traps or communicates carries the mask of its lanes
    (none: all lanes of the CTA). A divergent region runs if any lane wants it,
    a divergent loop while any lane is active.

    ```mlir
    scf.if %divergent { ptx.st ... }
    // becomes
    %any = ptx.any %divergent
    scf.if %any { ptx.st ... mask %divergent }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    Option<"cloneLimit", "clone-limit", "unsigned", "1500",
           "largest region, in ops, to duplicate for the all-lanes case">];
}

def CombineAccessesPass : TargetPass<"ptx-combine-accesses",
                                     "::ptxjit::ptx::FuncOp"> {
  let summary = "neighbouring accesses as one";
  let description = [{
    Loads (and stores) of neighbouring elements behind one address become one of
    a vector, where lanes lie further apart than the vector is long: fields of a
    structure, pairs of a fragment's columns. Such a vector is aligned as its
    elements are, which `ptx.element_aligned` says.
  }];
}

def PrintShapesPass : TargetPass<"ptx-print-shapes", "::ptxjit::ptx::FuncOp"> {
  let summary = "prints structured or masked ops with the shapes of their results";
  let description = [{
    To standard output, one op a line: how its results vary over the lanes of a
    warp. Changes nothing.
  }];
}

def PacketizePass : TargetPass<"ptx-packetize", "::mlir::ModuleOp"> {
  let summary = "one thread per lane: vector code on native chunks";
  let description = [{
    Replaces each kernel by an `llvm.func` that runs one CTA: a loop over warps,
    whose 32 lanes are vectors of `chunk` elements. Uniform values are scalars,
    affine ones a scalar base and a constant lane vector.
  }];
  let dependentDialects = [
    "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
    "::mlir::LLVM::LLVMDialect"];
}

def LowerToLLVMPass : Pass<"ptx-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "scf, arith, math and vector to the llvm dialect";
  let description = [{
    A full conversion: an op that nobody lowers is an error at its location.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}
#endif

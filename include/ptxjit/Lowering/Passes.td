//===- Passes.td - the lowering, pass by pass -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_PASSES_TD
#define PTXJIT_LOWERING_PASSES_TD
include "mlir/Pass/PassBase.td"

/// A pass that depends on the launch or the CPU. Its options are those of
/// KernelTarget.h.
class TargetPass<string flag, string op>
    : PassBase<flag, "::ptxjit::TargetPass<" # op # ">">;

def InlineCallsPass : Pass<"ptx-inline-calls", "::mlir::ModuleOp"> {
  let summary = "inline functions into their kernels";
  let description = [{
    An indirect call becomes a direct call for each function that the address
    may mean, behind a test of the address. Direct calls are replaced by the
    function's body. Recursive calls, and calls that would make a kernel too
    large, remain. Afterwards only the kernel's own parameters are in `.param`,
    arguments are `.local` variables, and the address of a function is a number.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    Option<"sizeLimit", "size-limit", "unsigned", "60000",
           "ops that calls may add to one function">];
}

def RefuseUnloweredPass : Pass<"ptx-refuse-unlowered",
                               "::ptxjit::ptx::FuncOp"> {
  let summary = "report the first instruction that cannot be executed yet";
}

def ExpandInstructionsPass : Pass<"ptx-expand-instructions",
                                  "::ptxjit::ptx::FuncOp"> {
  let summary = "replace instructions by simpler ones";
  let description = [{
    Expands asynchronous stores and `redux` of f32.
    Instructions that only advise are dropped.

    An asynchronous store is complete when it is issued, so waiting for it does
    nothing.

    ```mlir
    ptx.st.async.global "release.sys.b32"(%dst, %b)
    // becomes
    ptx.st "release.sys.global.b32"(%dst, %b)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PromoteLocalsPass : Pass<"ptx-promote-locals", "::ptxjit::ptx::FuncOp"> {
  let summary = "promote local variables to virtual registers";
  let description = [{
    A `.local` variable that is only loaded and stored at constant offsets
    becomes registers. Most such variables are arguments of inlined calls.

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
    An instruction without effects runs in every thread, and a select keeps or
    drops its result. An instruction with effects moves into an `scf.if`.

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
  let summary = "promote virtual registers to SSA values";
  let description = [{
    Every `ptx.reg` becomes SSA values. A register that is read before it is
    written is 0. `ptx.mov` disappears.
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

def AbsorbTailsPass : TargetPass<"ptx-absorb-tails",
                                 "::ptxjit::ptx::FuncOp"> {
  let summary = "let lanes that leave a waiting loop go on at once";
  let description = [{
    In lockstep, lanes that have left a loop go on when all lanes have. That is
    too late if the others wait for what these lanes do next (see Waiting.h): a
    lock, which they release, is an example. The pass moves the code behind such
    a loop into it, up to the last op that others may wait for:

    ```mlir
    scf.while { %got = ... ; scf.condition(%again) }
    ptx.st "volatile.global.u32"(%lock, %zero)
    // becomes
    scf.while {
      %got = ...
      scf.if %done { ptx.st "volatile.global.u32"(%lock, %zero) }
      scf.condition(%again)
    }
    ```

    If the code is behind a conditional around the loop, the loop moves out of
    that first, and only its body stays conditional. Barriers, warp operations
    and calls are not moved.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def InsertYieldsPass : Pass<"ptx-insert-yields", "::ptxjit::ptx::FuncOp"> {
  let summary = "give way to other threads in loops that wait on memory";
  let description = [{
    A loop whose condition depends on an atomic, volatile or ordered load may
    wait for another thread (see Waiting.h). `ptx.yield_warp` then lets other
    strands run in each iteration, and the kernel runs in fiber or thread mode.
  }];
}

def OrderSharedPass : TargetPass<"ptx-order-shared",
                                 "::ptxjit::ptx::FuncOp"> {
  let summary = "keep warps together where they share memory without a barrier";
  let description = [{
    A warp that runs ahead of the others shows races that no GPU shows. The pass
    finds places where one warp reads shared memory and another one later writes
    the same bytes, or the other way round, without a barrier in between. It
    puts `ptx.order_shared` in front of the later access (see SharedOrder.h).

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
  let summary = "store the lanes of local variables side by side";
  let description = [{
    Marks the accesses of local variables whose addresses do not escape with the
    size of their smallest element, the granule. A warp stores these variables
    as [granule][lane], so that equal offsets in all lanes are one contiguous
    access. nvcc puts all variables of a function into one depot, whose parts
    are judged one by one.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def FoldAssertionsPass : Pass<"ptx-fold-assertions", "::ptxjit::ptx::FuncOp"> {
  let summary = "assertions without arguments in memory";
  let description = [{
    `assert` calls `__assertfail` with five arguments, each in a variable of its
    own, which each lane would have to write. They are constants and addresses
    of texts, known when the kernel is compiled. Then the call becomes a
    `ptx.assert_fail` of them, and the variables are gone.

    ```mlir
    ptx.st "local.b64"(%a, %message) ; ... ; ptx.call(%a, %b, %c, %d, %e)
    // becomes
    ptx.assert_fail %message, %file, %line, %function, %size
    ```
  }];
}

def SettleSumsPass : Pass<"ptx-settle-sums", "::ptxjit::ptx::FuncOp"> {
  let summary = "read the sums of wgmma behind the wait that completes them";
  let description = [{
    The results of a `ptx.wgmma` do not name the `ptx.wgmma.wait` behind which
    they may be read. This pass puts a `ptx.settle` behind each wait for the sums
    that may be pending there, also through loops and branches. Without it, code
    that reads the sums would have to complete them itself.

    ```mlir
    %d:4 = ptx.wgmma ... ; ptx.wgmma.wait ... ; ptx.st "f32"(%p, %d#0)
    // becomes
    %d:4 = ptx.wgmma ... ; ptx.wgmma.wait ...
    %s:4 = ptx.settle <f32> %d#0, %d#1, %d#2, %d#3
    ptx.st "f32"(%p, %s#0)
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def JamLoopsPass : TargetPass<"ptx-jam-loops", "::ptxjit::ptx::FuncOp"> {
  let summary = "run turns of an outer loop side by side";
  let description = [{
    Some turns of a loop whose inner loops load the same in each turn are made
    side by side (unroll and jam): their inner loops become one, which loads
    once for all. The loop itself makes the turns that are left. Inner loops must
    run alike in all turns, and not depend on the turns before. Where all lanes
    of a warp have enough turns left, and none is masked off, turns are made so;
    not if they store what the inner loops load, which is asked at run time.

    ```mlir
    scf.while (%c = 0) { %s = scf.while (%k = 0, %d = 0.0) {
        %x = ptx.ld(%row + %k) ; %y = ptx.ld(%c + %k) ; %d + %x * %y } ; %c + 1 }
    // becomes
    scf.while (%c = 0) { %s:2 = scf.while (%k = 0, %d = 0.0, %e = 0.0) {
        %x = ptx.ld(%row + %k) ; %y = ptx.ld(%c + %k) ; %z = ptx.ld(%c + 1 + %k)
        %d + %x * %y, %e + %x * %z } ; %c + 2 }, then the loop as it was
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def SimplifyIndicesPass : TargetPass<"ptx-simplify-indices",
                                     "::ptxjit::ptx::FuncOp"> {
  let summary = "find divisions by constants, and terms that cancel each other";
  let description = [{
    A high half of a product that stands for a quotient by a constant becomes
    `ptx.div.int`, for which a CPU may have better code. A sum of products of
    which some cancel each other becomes the sum of the others, so that shapes
    see that neighbouring lanes have neighbouring places.

    ```mlir
    %q = add (shr (mul.hi %i, 0x78787879), 4), (shr.u32 (mul.hi ...), 31)
    %c = sub %i, (mul.lo %q, 34)
    %p = add (mul.lo %q, 34), %c
    // becomes
    %q = div.s32 %i, 34 ; %c = sub %i, (mul.lo %q, 34) ; %p = %i
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def JoinGuardsPass : TargetPass<"ptx-join-guards", "::ptxjit::ptx::FuncOp"> {
  let summary = "test the guards of neighbouring accesses together";
  let description = [{
    Conditionals side by side that each guard an access, with conditions
    `i < n`, `i + 1 < n` and so on, become one that tests whether all of them
    hold in all active lanes. If so, the accesses are done without guards, and
    `--ptx-combine-accesses` makes a vector of them.

    ```mlir
    %a = scf.if %p { ld [%x] }; %b = scf.if %q { ld [%x + 4] }
    // becomes
    %all = ptx.all (%p and %q)
    %ab:2 = scf.if %all { ld [%x]; ld [%x + 4] }
            else { scf.if %p { ld [%x] }; scf.if %q { ld [%x + 4] } }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def SplitInductionsPass : TargetPass<"ptx-split-inductions",
                                     "::ptxjit::ptx::FuncOp"> {
  let summary = "keep the steps of pointers apart from what differs by lane";
  let description = [{
    A pointer that a loop moves by the same number of bytes in all lanes becomes
    the sum of the pointer before the loop, which no longer changes, and of a
    scalar that goes through the loop. Pointers with one step share the scalar.
    Results of a loop that have the same value become one.

    ```mlir
    %r = scf.while (%p = %lane) { ptx.ld(%p) ; %q = add %p, %step }
    // becomes
    %r = scf.while (%s = 0) { %p = add %lane, %s ; ptx.ld(%p)
                              %t = add %s, %step }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def HoistLoadsPass : TargetPass<"ptx-hoist-loads", "::ptxjit::ptx::FuncOp"> {
  let summary = "load neighbours before stores between them";
  let description = [{
    Where lanes have rows of their own, four loads of neighbours are one vector
    for each lane, if no store of the lane in between changes what they load.
    Compilers of CUDA cannot tell; addresses can.

    ```mlir
    %x = ptx.ld(%a) ; ptx.st(%b, %x) ; %y = ptx.ld(%a + 4) ; ptx.st(%c, %y) ; ...
    // becomes
    %all = ptx.all (%b and %c are apart from %a to %a + 15)
    scf.if %all { %x = ptx.ld(%a) ; %y = ptx.ld(%a + 4) ; ... ; ptx.st(%b, %x) ;
                  ptx.st(%c, %y) ; ... } else { as before }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrefetchCtasPass : TargetPass<"ptx-prefetch-ctas",
                                  "::ptxjit::ptx::FuncOp"> {
  let summary = "fetch what the next CTA loads before its first barrier";
  let description = [{
    A CTA that loads a row, waits, and computes leaves the memory idle
    meanwhile. The CPU runs the next CTA behind it, so behind the first barrier
    a `ptx.prefetch_row` names the address that the next CTA will load from. A
    loop behind the barrier that loads the row once more fetches the next one
    turn by turn. Where CTAs are narrow tiles, whose borders are the rows of the
    next one, it is the next CTA but one.

    ```mlir
    %a = address %ctaid ; ptx.ld(%a) ; ptx.bar ; ...
    // becomes
    %a = address %ctaid ; ptx.ld(%a) ; ptx.bar ;
    %n = address min(%ctaid + 1, %nctaid - 1) ; ptx.prefetch_row %n ; ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PrefetchTurnsPass : TargetPass<"ptx-prefetch-turns",
                                   "::ptxjit::ptx::FuncOp"> {
  let summary = "fetch what a tiled loop loads in its next turn";
  let description = [{
    In a loop with a barrier, all warps load a tile, wait, and compute. A CPU
    sees the loads of the next turn too late to make them early, and its
    prefetchers do not follow rows that are far apart. So a `ptx.prefetch_row`
    in front of the barrier names the address of the next turn.

    ```mlir
    ptx.ld(%p) ; ptx.bar ; ... ; %q = add %p, %step
    // becomes
    ptx.ld(%p) ; %n = add %p, %step ; ptx.prefetch_row %n ; ptx.bar ; ...
    ```
  }];
}

def InterchangeTurnsPass : TargetPass<"ptx-interchange-turns",
                                      "::ptxjit::ptx::FuncOp"> {
  let summary = "run a loop over the grid turn by turn for many CTAs";
  let description = [{
    A thread of `for (i = thread; i < n; i += threads)` steps over a whole grid
    in each turn. On a CPU, where a warp runs to its end before the next one
    begins, each turn is another page, which no prefetcher sees coming. Where
    no order between threads forbids it, all threads of many CTAs make the
    first turn, then all the second one: memory is read from end to end. The
    loop as it was is left for steps and bounds with which it may wrap around.

    ```mlir
    scf.if %i0 < %n { scf.while (%i = %i0) { ... ; add %i, %step ; ... < %n } }
    // becomes
    scf.if (%step > 0 and %n <= MAX - %step) {
      %t = ptx.turn ; %i = %i0 + %t * %step
      scf.if %i0 < %n - %t * %step { ptx.next_turn ; ... }
    } else { the same as before } {ptx.in_turns}
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def LinearizePass : TargetPass<"ptx-linearize", "::ptxjit::ptx::FuncOp"> {
  let summary = "turn divergent control flow into masks";
  let description = [{
    Afterwards all `scf.if` and `scf.while` are warp-uniform. Every op that
    accesses memory, traps or communicates carries the mask of its active lanes;
    without a mask, all threads of the CTA are active. A divergent region runs
    if any lane enters it, a divergent loop as long as any lane stays in it.

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
  let summary = "combine accesses of neighbouring elements";
  let description = [{
    Loads (or stores) of neighbouring elements behind one address become one
    vector load (or store) if the addresses of the lanes lie further apart than
    the vector is long. Examples are the fields of a structure, and the pairs of
    columns of a fragment. The vector is aligned to its element size only, which
    the attribute `ptx.element_aligned` says.
  }];
}

def PrintShapesPass : TargetPass<"ptx-print-shapes", "::ptxjit::ptx::FuncOp"> {
  let summary = "print structured or masked ops with their shapes";
  let description = [{
    Prints to standard output, one op a line, how its results vary over the
    lanes of a warp. Changes nothing.
  }];
}

def PacketizePass : TargetPass<"ptx-packetize", "::mlir::ModuleOp"> {
  let summary = "one thread per lane: vector code on native chunks";
  let description = [{
    Replaces each kernel by an `llvm.func` that runs one CTA: a loop over the
    warps. The 32 lanes of a warp are vectors of `chunk` elements. A uniform
    value is a scalar, an affine value a scalar base and a constant vector of
    offsets.
  }];
  let dependentDialects = [
    "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
    "::mlir::LLVM::LLVMDialect"];
}

def LowerToLLVMPass : Pass<"ptx-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert scf, arith, math and vector to the llvm dialect";
  let description = [{
    This is a full conversion: an op without a lowering is an error at its
    location.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}
#endif

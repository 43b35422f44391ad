//===- PtxMatrixOps.td - ops of matrix instructions -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All lanes of a warp execute such an instruction together. Its modifiers are
// attributes; Matrix.h and Wgmma.h decode them. PtxMatrix.td and PtxWgmma.td
// have the forms.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMATRIXOPS_TD
#define PTXJIT_DIALECT_PTXMATRIXOPS_TD
include "ptxjit/Dialect/PtxMatrixModifiers.td"

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// `getter` declares the accessor that describes what the instruction does.
class Ptx_MatrixOp<string mnemonic, dag modifiers, string getter = "",
                   list<Trait> traits = []>
    : Ptx_RowOp<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                                       MaskedOpInterface, WholeWarp,
                                       VariesByLane, AttrSizedOperandSegments],
                                      traits)> {
  let arguments = !con((ins Variadic<AnyType>:$inputs, Optional<I1>:$mask),
                       modifiers);
  let results = (outs Variadic<AnyType>:$d);
  let extraClassDeclaration = getter;
  let Ignored = ["sync", "aligned"];
}

/// A move between registers and memory; `move` is the C++ type that describes
/// it.
class Ptx_MatrixMoveOp<string mnemonic, string move, dag modifiers,
                       list<Trait> traits = []>
    : Ptx_MatrixOp<mnemonic,
                   !con(modifiers, (ins OptionalAttr<Ptx_Space>:$space)),
                   move # " getMove();",
                   !listconcat([SpaceOpInterface], traits)>;

def Ptx_MmaOp : Ptx_MatrixOp<"mma", (ins
    Ptx_MmaOpcode:$opcode, OptionalAttr<Ptx_Sparse>:$sparse,
    Ptx_MatrixShape:$shape, OptionalAttr<Ptx_MatrixLayout>:$layout,
    OptionalAttr<Ptx_MatrixLayout>:$layout2, OptionalAttr<Ptx_MmaKind>:$kind,
    Flag_BlockScale:$blockScale, OptionalAttr<Ptx_ScaleVec>:$scaleVec,
    OptionalAttr<Ptx_Rounding>:$rnd, Flag_Satfinite:$satfinite,
    Ptx_MatrixType:$ty, Ptx_MatrixType:$ty2, OptionalAttr<Ptx_MatrixType>:$ty3,
    OptionalAttr<Ptx_MatrixType>:$ty4, OptionalAttr<Ptx_BoolOp>:$bitOp,
    OptionalAttr<Ptx_ScaleType>:$scaleType)> {
  let summary = "D = A * B + C on fragments";
  let description = [{
    `ty` to `ty4` are the element types of D, A, B and C. For `wmma` of f16,
    `ty` and `ty2` are the types of D and C, and `ty3` and `ty4` are absent.
  }];
  let Ignored = ["mma", "sync", "aligned", "popc"];
  let extraClassDeclaration = [{
    MatrixMultiply getMultiply();
    /// Do both ops have the same modifiers?
    bool isAlike(MmaOp other);
  }];
}
def Ptx_LdMatrixOp : Ptx_MatrixMoveOp<"ldmatrix", "MatrixMove", (ins
    Ptx_TileShape:$shape, Ptx_MatrixCount:$count, Flag_Trans:$trans,
    Ptx_TileType:$ty, OptionalAttr<Ptx_PackedType>:$packed),
    [DeclareOpInterfaceMethods<AccessOpInterface>]> {
  let summary = "loads fragments from matrix rows in shared memory";
}
def Ptx_StMatrixOp : Ptx_MatrixMoveOp<"stmatrix", "MatrixMove", (ins
    Ptx_TileShape:$shape, Ptx_MatrixCount:$count, Flag_Trans:$trans,
    Ptx_TileType:$ty),
    [DeclareOpInterfaceMethods<AccessOpInterface>]> {
  let summary = "stores fragments to matrix rows in shared memory";
}
def Ptx_MovMatrixOp : Ptx_MatrixOp<"movmatrix", (ins
    Ptx_TileShape:$shape, Flag_Trans:$trans, Ptx_TileType:$ty)> {
  let summary = "transposes a fragment";
}
def Ptx_WmmaLoadOp : Ptx_MatrixMoveOp<"wmma.load", "WmmaMove", (ins
    Ptx_MatrixRole:$role, Ptx_MatrixLayout:$layout, Ptx_MatrixShape:$shape,
    Ptx_MatrixType:$ty), [OtherBytes]> {
  let summary = "loads a fragment from a matrix in memory";
  let Ignored = ["load", "sync", "aligned"];
}
def Ptx_WmmaStoreOp : Ptx_MatrixMoveOp<"wmma.store", "WmmaMove", (ins
    Ptx_MatrixRole:$role, Ptx_MatrixLayout:$layout, Ptx_MatrixShape:$shape,
    Ptx_MatrixType:$ty), [OtherBytes]> {
  let summary = "stores a fragment to a matrix in memory";
  let Ignored = ["store", "sync", "aligned"];
}

//===----------------------------------------------------------------------===//
// Ops of a warpgroup
//===----------------------------------------------------------------------===//

def Ptx_WgmmaOp : Ptx_MatrixOp<"wgmma", (ins
    OptionalAttr<Ptx_Sparse>:$sparse, Ptx_MatrixShape:$shape,
    Flag_Satfinite:$satfinite, Ptx_MatrixType:$ty, Ptx_MatrixType:$ty2,
    Ptx_MatrixType:$ty3, OptionalAttr<Ptx_BoolOp>:$bitOp), "",
    [OtherBytes, MayMeetWarpgroup]> {
  let summary = "D = A * B + D for the 64 rows of a warpgroup";
  let description = [{
    `ty`, `ty2` and `ty3` are the element types of D, A and B. The operands are
    the registers of D, A (a descriptor or four registers), the descriptor of B,
    metadata and selector (`sp`), the predicate of D (false: D = A * B), and
    factors and layouts of A and B, as far as the form has them. The results
    hold the sums only behind the `ptx.wgmma.wait` that completes the op; until
    then nothing but another `ptx.wgmma` may use them.
  }];
  let Ignored = ["mma_async", "sync", "aligned", "popc"];
  let extraClassDeclaration = "WgmmaMultiply getMultiply();";
}
def Ptx_WgmmaWaitOp : Ptx_RowOp<"wgmma.wait",
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
     WarpgroupBarrier, AttrSizedOperandSegments]> {
  let summary = "waits for the groups of `ptx.wgmma` before the last ones";
  let description = [{
    The operand is the number of groups that may remain incomplete.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Optional<I1>:$mask);
  let Ignored = ["wait_group", "sync", "aligned"];
}
def Ptx_SettleOp : Op<Ptx_Dialect, "settle",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask,
     VariesByLane]> {
  let summary = "the registers of D, now that they hold the sums";
  let description = [{
    Stands behind a `ptx.wgmma.wait`. Whoever reads D there reads it from the
    results of this op. `ty` is the type of the sums.
  }];
  let arguments = (ins Variadic<AnyType>:$d, Ptx_MatrixType:$ty);
  let results = (outs Variadic<AnyType>:$settled);
  let assemblyFormat = "$ty $d attr-dict `:` functional-type($d, $settled)";
}
#endif

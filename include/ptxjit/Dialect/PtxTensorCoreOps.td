//===- PtxTensorCoreOps.td - what tensor cores do to tensor memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplications, copies and shifts that one thread issues for a whole CTA or
// a pair of CTAs. They are done in the order of issue, at the latest when a
// `ptx.tcgen05.commit` tells an mbarrier so. TensorCore.h decodes the ops;
// PtxTcgen05.td has the forms.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXTENSORCOREOPS_TD
#define PTXJIT_DIALECT_PTXTENSORCOREOPS_TD
include "ptxjit/Dialect/PtxMatrixModifiers.td"

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

/// What a copy to tensor memory reads: rows, and the bits of each.
def Ptx_CellCopyShapeEnum : Ptx_Enum<"CellCopyShape", [
  Case<0, "128x256b", "R128B256">, Case<1, "4x256b", "R4B256">,
  Case<2, "128x128b", "R128B128">, Case<3, "64x128b", "R64B128">,
  Case<4, "32x128b", "R32B128">]>;
def Ptx_CellCopyShape : Ptx_Modifier<Ptx_CellCopyShapeEnum, "cell_copy_shape">;

/// Which quarters of the lanes, those that a warp accesses, get the same rows.
def Ptx_CellSpreadEnum : Ptx_Enum<"CellSpread", [
  Case<0, "warpx4", "All">, Case<1, "warpx2::02_13", "Alternating">,
  Case<2, "warpx2::01_23", "Adjacent">]>;
def Ptx_CellSpread : Ptx_Modifier<Ptx_CellSpreadEnum, "cell_spread">;

def Flag_WeightStationary : Ptx_Flag<"ws">;
def Flag_ShiftRows : Ptx_Flag<"ashift">;
def Flag_MulticastCommit : Ptx_Flag<"multicast::cluster">;

/// Buffers of operands change no result.
class Collectors<string buffer> {
  list<string> L = !foreach(use, ["fill", "use", "lastuse", "discard"],
                            "collector::" # buffer # "::" # use);
}
defvar AllCollectors = !listconcat(
    Collectors<"a">.L, Collectors<"b0">.L, Collectors<"b1">.L,
    Collectors<"b2">.L, Collectors<"b3">.L);

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Ptx_TensorCoreOp<string mnemonic, dag modifiers, list<Trait> traits = []>
    : Ptx_RowOp<!strconcat("tcgen05.", mnemonic),
                !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                             MaskedOpInterface, OtherBytes, ClusterOpInterface,
                             CommunicatingOpInterface,
                             AttrSizedOperandSegments], traits)> {
  let arguments = !con((ins Variadic<AnyType>:$inputs, Optional<I1>:$mask,
                            Ptx_CtaGroup:$group), modifiers);
  let extraClassDeclaration = MeetsInShared;
}

class Ptx_TensorMultiplyOp<string mnemonic>
    : Ptx_TensorCoreOp<mnemonic, (ins
          Flag_WeightStationary:$ws, OptionalAttr<Ptx_Sparse>:$sparse,
          Ptx_MmaKind:$kind, Flag_BlockScale:$blockScale,
          OptionalAttr<Ptx_ScaleVec>:$scaleVec, Flag_ShiftRows:$ashift)> {
  let extraClassDeclaration =
      !strconcat("TensorMultiply getMultiply();", MeetsInShared);
  let Ignored = !listconcat(["mma"], AllCollectors);
}
def Ptx_Tcgen05MmaOp : Ptx_TensorMultiplyOp<"mma"> {
  let summary = "D = A * B + D, with A and B in shared memory";
  let description = [{
    The operands are the address of D, the matrix descriptors of A and B, the
    address of the metadata of a sparse A, the instruction descriptor, then
    either the addresses of the scale factors of A and B (`blockScale`) or 0, 4
    or 8 words with a bit for each lane of D that is not written, a predicate
    (false: D = A * B), and perhaps the zero-column mask descriptor (`ws`) or
    the power of two by which D is divided.
  }];
}
def Ptx_Tcgen05MmaTmemOp : Ptx_TensorMultiplyOp<"mma_tmem"> {
  let summary = "D = A * B + D, with A in tensor memory and B in shared memory";
  let description = [{
    The operands are those of `ptx.tcgen05.mma`, with the address of A instead
    of its descriptor.
  }];
}
def Ptx_Tcgen05CpOp : Ptx_TensorCoreOp<"cp", (ins
    Ptx_CellCopyShape:$shape, OptionalAttr<Ptx_CellSpread>:$spread,
    OptionalAttr<Ptx_PackedType>:$packed)> {
  let summary = "copies a matrix from shared memory to tensor memory";
  let description = [{
    The operands are the address in tensor memory and the matrix descriptor.
    `packed` is the format of elements that become bytes.
  }];
  let Ignored = ["cp", "b8x16"];
}
def Ptx_Tcgen05ShiftOp : Ptx_TensorCoreOp<"shift", (ins)> {
  let summary = "moves 8 columns of 32 lanes by one lane";
  let Ignored = ["shift", "down"];
}
def Ptx_Tcgen05CommitOp : Ptx_TensorCoreOp<"commit", (ins
    OptionalAttr<Ptx_Space>:$space, Flag_MulticastCommit:$multicast),
    [SpaceOpInterface]> {
  let summary = "arrives at an mbarrier once earlier ops are done";
  let description = [{
    The operands are the address of the mbarrier, and a bit for each CTA of the
    cluster whose mbarrier at this offset gets an arrival (`multicast`).
  }];
  let Ignored = ["commit", "mbarrier::arrive::one", "b64"];
}
#endif

//===- PtxTensorMemoryOps.td - ops of tensor memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each CTA has a tensor memory of 128 lanes and 512 columns of 32-bit cells. An
// address has the lane in its upper half, and the column in its lower half.
// Warps allocate columns of it. A warp accesses the 32 lanes of its place in the
// warpgroup. TensorMemory.h decodes the ops; PtxTcgen05.td has the forms.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXTENSORMEMORYOPS_TD
#define PTXJIT_DIALECT_PTXTENSORMEMORYOPS_TD
include "ptxjit/Dialect/PtxBase.td"

/// Which cells the lanes of a warp access: rows x bits of columns. `x2` are two
/// halves.
def Ptx_CellShapeEnum : Ptx_Enum<"CellShape", [
  Case<0, "32x32b", "R32B32">, Case<1, "16x64b", "R16B64">,
  Case<2, "16x128b", "R16B128">, Case<3, "16x256b", "R16B256">,
  Case<4, "16x32bx2", "R16B32x2">]>;
def Ptx_CellShape : Ptx_Modifier<Ptx_CellShapeEnum, "cell_shape">;

/// How often the shape is repeated along the columns.
def Ptx_CellCountEnum : Ptx_Enum<"CellCount", [
  Case<1, "x1", "X1">, Case<2, "x2", "X2">, Case<4, "x4", "X4">,
  Case<8, "x8", "X8">, Case<16, "x16", "X16">, Case<32, "x32", "X32">,
  Case<64, "x64", "X64">, Case<128, "x128", "X128">]>;
def Ptx_CellCount : Ptx_Modifier<Ptx_CellCountEnum, "cell_count">;

/// Two columns of 16-bit elements share a register.
def Flag_PackCells : Ptx_Flag<"pack::16b">;
def Flag_UnpackCells : Ptx_Flag<"unpack::16b">;

class Ptx_TensorMemoryOp<string mnemonic, dag modifiers,
                         list<Trait> traits = []>
    : Ptx_RowOp<!strconcat("tcgen05.", mnemonic),
                !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                             MaskedOpInterface, WholeWarp, VariesByLane,
                             AttrSizedOperandSegments, OtherBytes], traits)> {
  let arguments = !con((ins Variadic<AnyType>:$inputs, Optional<I1>:$mask),
                       modifiers);
  let results = (outs Variadic<AnyType>:$d);
  let Ignored = [mnemonic, "sync", "aligned", "b32"];
}

def Ptx_Tcgen05AllocOp : Ptx_TensorMemoryOp<"alloc", (ins
    Ptx_CtaGroup:$group, OptionalAttr<Ptx_Space>:$space), [SpaceOpInterface]> {
  let summary = "allocates columns, and stores their address in shared memory";
  let description = [{
    The operands are the address in shared memory and the number of columns.
    Waits until there are as many columns.
  }];
}
def Ptx_Tcgen05DeallocOp : Ptx_TensorMemoryOp<"dealloc", (ins
    Ptx_CtaGroup:$group)> {
  let summary = "gives columns back";
  let description = [{
    The operands are the address that `ptx.tcgen05.alloc` has stored, and the
    number of columns.
  }];
}
def Ptx_Tcgen05RelinquishOp : Ptx_TensorMemoryOp<"relinquish_alloc_permit", (ins
    Ptx_CtaGroup:$group)> {
  let summary = "says that the CTA allocates no more";
}
def Ptx_Tcgen05LdOp : Ptx_TensorMemoryOp<"ld", (ins
    Ptx_CellShape:$shape, Ptx_CellCount:$count, Flag_PackCells:$pack)> {
  let summary = "loads registers from tensor memory";
  let description = [{
    The operands are the address, the same in all lanes, and for `16x32bx2` the
    distance of the halves in columns.
  }];
  let extraClassDeclaration = "CellAccess getAccess();";
}
def Ptx_Tcgen05LdRedOp : Ptx_TensorMemoryOp<"ld_red", (ins
    Ptx_CellShape:$shape, Ptx_CellCount:$count, Ptx_Atomic:$op, Flag_Abs:$abs,
    Flag_NaN:$nan, Ptx_ScalarType:$ty)> {
  let summary = "loads registers, and each lane's least or greatest one";
  let description = [{
    The operands are those of `ptx.tcgen05.ld`. The last result is the least or
    greatest of the others in the same lane.
  }];
  let extraClassDeclaration = "CellAccess getAccess();";
  let Ignored = ["ld", "red", "sync", "aligned"];
}
def Ptx_Tcgen05StOp : Ptx_TensorMemoryOp<"st", (ins
    Ptx_CellShape:$shape, Ptx_CellCount:$count, Flag_UnpackCells:$unpack)> {
  let summary = "stores registers to tensor memory";
  let description = [{
    The operands are those of `ptx.tcgen05.ld`, and the registers.
  }];
  let extraClassDeclaration = "CellAccess getAccess();";
}
#endif

//===- PtxOps.h - ops of the ptx dialect ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXOPS_H
#define PTXJIT_DIALECT_PTXOPS_H

#include "ptxjit/Dialect/Matrix.h"
#include "ptxjit/Dialect/PtxDialect.h"
#include "ptxjit/Dialect/TensorCopy.h"
#include "ptxjit/Dialect/TensorCore.h"
#include "ptxjit/Dialect/TensorMemory.h"
#include "ptxjit/Dialect/TextureAccess.h"
#include "ptxjit/Dialect/Video.h"
#include "ptxjit/Dialect/Wgmma.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/MemorySlotInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ptxjit::ptx {
/// The assembly format and verifier of every `Ptx_Instr`, by the form table.
mlir::ParseResult parseInstruction(mlir::OpAsmParser &parser,
                                   mlir::OperationState &result);
void printInstruction(mlir::OpAsmPrinter &printer, mlir::Operation *op);
llvm::LogicalResult verifyInstruction(mlir::Operation *op);
/// The same for a `Ptx_RowOp`, which has one list of operands.
mlir::ParseResult parseRowInstruction(mlir::OpAsmParser &parser,
                                      mlir::OperationState &result);
void printRowInstruction(mlir::OpAsmPrinter &printer, mlir::Operation *op);
llvm::LogicalResult verifyRowInstruction(mlir::Operation *op);
/// The verifier of an op that keeps its text; `instruction` is that text.
llvm::LogicalResult verifyTextInstruction(mlir::Operation *op,
                                          llvm::StringRef instruction);
} // namespace ptxjit::ptx

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxOps.h.inc"

#endif

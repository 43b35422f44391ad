//===- PtxDialect.h - types and attributes of the ptx dialect ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect with its types, attributes and interfaces. PtxOps.h has the ops.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXDIALECT_H
#define PTXJIT_DIALECT_PTXDIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/Types.h"

#include "ptxjit/Dialect/PtxInterfaces.h"

#define GET_ATTRDEF_CLASSES
#include "ptxjit/Dialect/PtxAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ptxjit/Dialect/PtxTypes.h.inc"

#include "ptxjit/Dialect/PtxDialect.h.inc"

namespace ptxjit::ptx {

/// Names of the module attributes that hold `.version`, `.target` and
/// `.address_size`.
inline constexpr llvm::StringLiteral kVersionAttr = "ptx.version";
inline constexpr llvm::StringLiteral kTargetAttr = "ptx.target";
inline constexpr llvm::StringLiteral kAddressSizeAttr = "ptx.address_size";
/// A unit attribute of a module with `.target sm_1x, map_f64_to_f32`.
inline constexpr llvm::StringLiteral kMapF64Attr = "ptx.map_f64_to_f32";
/// An attribute of a function that `.alias` declares: the aliased symbol.
inline constexpr llvm::StringLiteral kAliasAttr = "ptx.alias_of";

/// Does the runtime supply the function `name`? Programs only declare it.
inline bool isSystemFunction(llvm::StringRef name) {
  return name == "vprintf" || name == "__assertfail" || name == "malloc" ||
         name == "free" || name == "cudaGraphSetConditional" ||
         name == "cudaGraphLaunch" || name == "cudaGraphKernelNodeSetParam" ||
         name == "cudaGraphKernelNodeSetEnabled" ||
         name == "cudaGraphKernelNodeSetGridDim" ||
         name == "cudaGraphKernelNodeUpdatesApply";
}

} // namespace ptxjit::ptx

#endif

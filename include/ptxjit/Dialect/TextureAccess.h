//===- TextureAccess.h - accesses of textures and surfaces ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes what the ops of PtxTexture.td do, decoded from their attributes and
// operands, for the lowering and the reference interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_TEXTUREACCESS_H
#define PTXJIT_DIALECT_TEXTUREACCESS_H

#include "mlir/IR/ValueRange.h"
#include "ptxjit/Dialect/PtxDialect.h"

namespace ptxjit::ptx {

/// Size and alignment of a variable of an opaque type.
inline constexpr int64_t kOpaqueBytes = 64, kOpaqueAlign = 16;

/// Coordinates, extents and gradients that a geometry has: 1 to 3. Directions
/// into cubes have 3.
unsigned countDimensions(Geometry geometry);
/// Does the geometry choose one of several layers?
bool isLayered(Geometry geometry);
bool isMultisampled(Geometry geometry);

/// The operands of an access. What an op does not have is null or empty. ISA:
/// "texture instructions", "surface instructions".
struct TextureAccess {
  Geometry geometry = Geometry::D1; ///< not of queries
  mlir::Value handle;               ///< i64, of the texture or surface
  mlir::Value sampler;              ///< i64, a handle; null: the texture's own
  mlir::Value layer, sample;        ///< i32
  /// x, y and z. Of `tex` and `tld4` f32 numbers (`isFloat`) or s32, of
  /// surfaces s32. The types of the values are those of the text: f32 or i32
  /// (the bits).
  mlir::ValueRange at;
  bool isFloat = false;
  mlir::Value level;           ///< `.level`: like a coordinate; `txq`: i32
  mlir::ValueRange dPdx, dPdy; ///< `.grad`: f32, one a dimension
  mlir::ValueRange offsets;    ///< i32, texels, one a dimension
  mlir::Value compare;         ///< f32, the reference for depths
  mlir::ValueRange data;       ///< what `sust` and `sured` store
};

} // namespace ptxjit::ptx

#endif

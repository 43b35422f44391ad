//===- Functions.h - the functions of the device library --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant for each function of Functions.def. Code that calls functions by
// these constants cannot name one that the library lacks.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DEVICE_FUNCTIONS_H
#define PTXJIT_DEVICE_FUNCTIONS_H

namespace ptxjit::device {

/// `<name>_x<W>`, on vectors of W lanes; W is 1, 4, 8 or 16.
struct LaneFunction {
  const char *name;  ///< "ptxjit_sin"
  unsigned operands; ///< passed by reference, after the result
};

/// A function in the three directed rounding modes.
struct DirectedFunction {
  LaneFunction rm, rp, rz;
};

/// Conversions between f32 and a small format: to nearest, with random rounding
/// bits (`.rs`), and back.
struct FormatFunctions {
  LaneFunction encode, encodeRandom, decode;
};

/// A function whose operands are pointers and integers.
struct Function {
  const char *symbol;    ///< "ptxjit_matrix_quad_pairs"
  const char *signature; ///< a letter for each parameter, see Functions.def
};

/// A function in its variants for tiles of 8 and of 16 rows.
struct TileFunction {
  Function r8, r16;
  /// \param rows  8 or 16.
  constexpr const Function &of(unsigned rows) const {
    return rows == 8 ? r8 : r16;
  }
};

/// The functions that make images of A and of B.
struct ImageFunctions {
  TileFunction a;
  Function b;
};

#define PTXJIT_LANE_FUNCTION(name, operands)                                   \
  inline constexpr LaneFunction name{"ptxjit_" #name, operands};
#define PTXJIT_MATRIX_FUNCTION(name, signature)                                \
  inline constexpr Function name{"ptxjit_matrix_" #name, signature};
#define PTXJIT_DOT_FUNCTION(name, signature)                                   \
  PTXJIT_MATRIX_FUNCTION(name, signature)
#define PTXJIT_FAST_FUNCTION(name, signature)                                  \
  PTXJIT_MATRIX_FUNCTION(name, signature)
#define PTXJIT_HALF_FUNCTION(name, signature)                                  \
  PTXJIT_MATRIX_FUNCTION(name, signature)
#define PTXJIT_WGMMA_FUNCTION(name, signature)                                 \
  inline constexpr Function wgmma_##name{"ptxjit_wgmma_" #name, signature};
#define PTXJIT_WGMMA_DOT_FUNCTION(name, signature)                             \
  PTXJIT_WGMMA_FUNCTION(name, signature)
#define PTXJIT_WGMMA_FAST_FUNCTION(name, signature)                            \
  PTXJIT_WGMMA_FUNCTION(name, signature)
#define PTXJIT_WGMMA_TILE_FUNCTION(name, signature)                            \
  PTXJIT_WGMMA_FUNCTION(name, signature)
#define PTXJIT_TENSOR_FUNCTION(name, signature)                                \
  inline constexpr Function tensor_##name{"ptxjit_tensor_" #name, signature};
#define PTXJIT_TENSOR_DOT_FUNCTION(name, signature)                            \
  PTXJIT_TENSOR_FUNCTION(name, signature)
#define PTXJIT_TENSOR_FAST_FUNCTION(name, signature)                           \
  PTXJIT_TENSOR_FUNCTION(name, signature)
#define PTXJIT_TENSOR_TILE_FUNCTION(name, signature)                           \
  PTXJIT_TENSOR_FUNCTION(name, signature)
#define PTXJIT_CELL_FUNCTION(name, signature)                                  \
  inline constexpr Function cells_##name{"ptxjit_cells_" #name, signature};
#define PTXJIT_FRAGMENT_FUNCTION(name, signature)                              \
  inline constexpr Function fragment_##name{"ptxjit_fragment_" #name,          \
                                            signature};
#include "ptxjit/Device/Functions.def"

#define PTXJIT_DIRECTED_FUNCTIONS(name, type, operands)                        \
  inline constexpr DirectedFunction name##_##type{                             \
      name##_rm_##type, name##_rp_##type, name##_rz_##type};
#define PTXJIT_FORMAT_FUNCTIONS(format)                                        \
  inline constexpr FormatFunctions format{                                     \
      cvt_##format##_f32, cvt_rs_##format##_f32, cvt_f32_##format};
#define PTXJIT_TILE_FUNCTIONS(name, signature)                                 \
  inline constexpr TileFunction name{name##_r8, name##_r16};
#define PTXJIT_DOT_TILE_FUNCTIONS(name, signature)                             \
  PTXJIT_TILE_FUNCTIONS(name, signature)
#define PTXJIT_FAST_TILE_FUNCTIONS(name, signature)                            \
  PTXJIT_TILE_FUNCTIONS(name, signature)
#define PTXJIT_HALF_TILE_FUNCTIONS(name, signature)                            \
  PTXJIT_TILE_FUNCTIONS(name, signature)
#define PTXJIT_IMAGE_FUNCTIONS(elements)                                       \
  PTXJIT_TILE_FUNCTIONS(a_##elements, "ppi")
#include "ptxjit/Device/Functions.def"

#define PTXJIT_IMAGE_FUNCTIONS(elements)                                       \
  inline constexpr ImageFunctions image_##elements{a_##elements, b_##elements};
#include "ptxjit/Device/Functions.def"

} // namespace ptxjit::device

#endif

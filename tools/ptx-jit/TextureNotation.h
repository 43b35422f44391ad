//===- TextureNotation.h - textures among test arguments --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer of a test becomes a texture or surface by a word behind it:
//
//   in=f32[iota:64]@texture(2d,8,8,linear,wrap)   the parameter is its handle
//   io=u32[...]->[...]@surface(1d,16)
//   in=u8[...]@texref(NAME,2d,4,4,x4,fraction)    binds a variable; no
//   parameter in=u32[...]@surfref(NAME,...)
//
// The list: the shape (buffer, 1d, 2d, 3d, cube, a1d, a2d, acube, 2dms, a2dms),
// its extents, then the number of layers or cubes (a...), and of samples
// (...ms); then x2, x4, f16, levels=N, and how it is read: linear, miplinear,
// normalized, fraction, srgb, seamless, address modes (wrap, clamp, mirror,
// border; one for all or one a dimension), aniso=N, bias=X, minlevel=X,
// maxlevel=X, color=R;G;B;A. The elements of the buffer are the channels.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_TEXTURENOTATION_H
#define PTXJIT_TOOLS_TEXTURENOTATION_H

#include "ptxjit/ptxjit.h"

#include <optional>
#include <string>

namespace ptxjit {

/// What a buffer is seen as.
struct TextureRequest {
  TextureConfig config;
  std::string variable; ///< that is bound; empty: the handle is a parameter
  std::string text;     ///< the list in parentheses, without the variable
};

/// Takes `@...(...)` from the end of a word, if it is there. `type` is that of
/// the buffer's elements. \returns false if it is malformed.
bool takeTexture(std::string &word, std::optional<TextureRequest> &request);

/// Completes the configuration by the type of the elements. \returns false if
/// a channel cannot have it.
bool setChannelType(TextureRequest &request, const std::string &type);

} // namespace ptxjit

#endif

//===- TextureCubes.h - directions into cubes -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TEXTURECUBES_H
#define PTXJIT_LIB_RUNTIME_TEXTURECUBES_H

#include <array>

namespace ptxjit {

/// A direction: x, y, z.
using Direction = std::array<double, 3>;

/// A face of a cube (+x, -x, +y, -y, +z, -z), and the coordinates in it, from 0
/// to 1.
struct FacePlace {
  int face;
  double s, t;
};

/// The direction that hardware takes one for. NaN is 0. If a component is
/// infinite, the finite ones are 0, and the others NaN: the face is chosen
/// among the finite ones.
Direction cleanDirection(Direction direction);

/// The face that a clean direction meets. ISA: "tex.cube".
FacePlace findFace(const Direction &direction);

/// s and t, from -1 to 1, at which a direction meets the plane of a face.
std::array<double, 2> projectOn(int face, const Direction &direction);

/// The texel of a neighbouring face that continues a face of `n` x `n` texels
/// at (i, j), which is beside one of its edges.
struct CubeTexel {
  int face, i, j;
};
CubeTexel crossEdge(int face, int i, int j, int n);

} // namespace ptxjit

#endif

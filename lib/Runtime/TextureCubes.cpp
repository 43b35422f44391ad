//===- TextureCubes.cpp - directions into cubes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextureCubes.h"

#include <algorithm>
#include <cmath>

using namespace ptxjit;

namespace {
/// How a face lies in space: which component is s, t and the major one, and
/// their signs. ISA: "cubemap textures"; the orientation is OpenGL's.
struct FaceAxes {
  unsigned s, t, major;
  int signS, signT, signMajor;
};
} // namespace

static constexpr FaceAxes kFaces[6] = {
    {2, 1, 0, -1, -1, 1}, {2, 1, 0, 1, -1, -1}, {0, 2, 1, 1, 1, 1},
    {0, 2, 1, 1, -1, -1}, {0, 1, 2, 1, -1, 1},  {0, 1, 2, -1, -1, -1}};

/// Of equal components z counts before y, and y before x; NaN counts least.
static int chooseFace(const Direction &d) {
  auto sizeOf = [&](unsigned i) {
    return std::isnan(d[i]) ? -1 : std::fabs(d[i]);
  };
  double x = sizeOf(0), y = sizeOf(1), z = sizeOf(2);
  unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return int(axis) * 2 + std::signbit(d[axis]);
}

std::array<double, 2> ptxjit::projectOn(int face, const Direction &direction) {
  const FaceAxes &axes = kFaces[face];
  double major = direction[axes.major] * axes.signMajor;
  return {direction[axes.s] * axes.signS / major,
          direction[axes.t] * axes.signT / major};
}

Direction ptxjit::cleanDirection(Direction direction) {
  bool isInfinite = std::any_of(direction.begin(), direction.end(),
                                [](double x) { return std::isinf(x); });
  for (double &x : direction) {
    if (isInfinite)
      x = std::isfinite(x) ? 0 : double(NAN);
    else if (std::isnan(x))
      x = 0;
  }
  return direction;
}

FacePlace ptxjit::findFace(const Direction &direction) {
  int face = chooseFace(direction);
  if (!(std::fabs(direction[kFaces[face].major]) > 0)) // no direction
    return {face, 0.5, 0.5};
  auto [s, t] = projectOn(face, direction);
  // Coordinates in a face have 21 fractional bits.
  auto cut = [](double x) {
    return (std::floor(x * 0x1p20) + 0x1p20) * 0x1p-21;
  };
  return {face, cut(s), cut(t)};
}

CubeTexel ptxjit::crossEdge(int face, int i, int j, int n) {
  const FaceAxes &axes = kFaces[face];
  // The place on the edge, half a texel below it: on the neighbouring face, in
  // its first row.
  auto along = [n](int index) {
    return std::clamp((2.0 * index + 1) / n - 1, -1.0, 1.0);
  };
  Direction direction;
  direction[axes.s] = along(i) * axes.signS;
  direction[axes.t] = along(j) * axes.signT;
  direction[axes.major] = (1 - 1.0 / n) * axes.signMajor;
  FacePlace place = findFace(direction);
  auto indexOf = [n](double at) {
    return std::clamp(int(std::floor(at * n)), 0, n - 1);
  };
  return {place.face, indexOf(place.s), indexOf(place.t)};
}

//===- TextureAccess.cpp - decodes accesses of textures -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op definitions of PtxTexture.td, and the descriptions of TextureAccess.h.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/TextureAccess.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxTexture.cpp.inc"

//===----------------------------------------------------------------------===//
// Geometries
//===----------------------------------------------------------------------===//

unsigned ptx::countDimensions(Geometry geometry) {
  switch (geometry) {
  case Geometry::D1:
  case Geometry::A1:
    return 1;
  case Geometry::D2:
  case Geometry::A2:
  case Geometry::D2MS:
  case Geometry::A2MS:
    return 2;
  case Geometry::D3:
  case Geometry::Cube:
  case Geometry::ACube:
    return 3;
  }
  llvm_unreachable("all geometries are listed");
}

bool ptx::isLayered(Geometry geometry) {
  return geometry == Geometry::A1 || geometry == Geometry::A2 ||
         geometry == Geometry::ACube || geometry == Geometry::A2MS;
}

bool ptx::isMultisampled(Geometry geometry) {
  return geometry == Geometry::D2MS || geometry == Geometry::A2MS;
}

/// Elements of the vectors in the text, of which the last may count for
/// nothing: 1, 2 or 4.
static unsigned roundToVector(unsigned elements) {
  return elements == 3 ? 4 : elements;
}

/// Elements of a vector of coordinates in the text.
static unsigned countCoordinates(Geometry geometry) {
  return roundToVector(countDimensions(geometry) + isLayered(geometry) +
                       isMultisampled(geometry));
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

namespace {
/// Takes operands from the front of a list.
class Operands {
public:
  explicit Operands(ValueRange values) : values(values) {}

  size_t size() const { return values.size(); }
  Value front() const { return values.front(); }
  Value back() const { return values.back(); }
  bool areFloats() const {
    return llvm::all_of(values.getTypes(), [](Type t) { return t.isF32(); });
  }
  Value take() { return takeVector(1).front(); }
  ValueRange takeVector(unsigned count) {
    ValueRange taken = values.take_front(count);
    values = values.drop_front(count);
    return taken;
  }

private:
  ValueRange values;
};
} // namespace

/// Before PTX 1.5 a vector of four floats could be used for any geometry. Such
/// an access has no other operands.
static bool isOldVector(const Operands &operands, Geometry geometry) {
  return operands.size() == 4 && operands.areFloats() &&
         countCoordinates(geometry) < 4 && !isLayered(geometry);
}

/// The layer and sample indices, and the coordinates.
static void decodeCoordinates(Operands &operands, bool isOld,
                              TextureAccess &access) {
  ValueRange vector =
      operands.takeVector(isOld ? 4 : countCoordinates(access.geometry));
  if (isMultisampled(access.geometry)) {
    access.sample = vector.front();
    vector = vector.drop_front();
  }
  if (isLayered(access.geometry)) {
    access.layer = vector.front();
    vector = vector.drop_front();
  }
  access.at = vector.take_front(countDimensions(access.geometry));
}

/// `text` are the operands of `tex` or `tld4`, as in the text.
static TextureAccess decodeRead(ValueRange text, Geometry geometry,
                                std::optional<LevelMode> level, bool isFloat) {
  TextureAccess access;
  access.geometry = geometry;
  access.isFloat = isFloat;
  Operands operands(text);
  access.handle = operands.take();
  if (operands.front().getType().isInteger(64))
    access.sampler = operands.take();
  bool isOld = !level && isOldVector(operands, geometry);
  decodeCoordinates(operands, isOld, access);
  unsigned dims = countDimensions(geometry), vector = roundToVector(dims);
  if (level == LevelMode::Level)
    access.level = operands.take();
  if (level == LevelMode::Grad) {
    access.dPdx = operands.takeVector(vector).take_front(dims);
    access.dPdy = operands.takeVector(vector).take_front(dims);
  }
  if (operands.size() && operands.front().getType().isInteger(32))
    access.offsets = operands.takeVector(vector).take_front(dims);
  if (operands.size())
    access.compare = operands.take();
  assert(!operands.size() && "the forms have no other operands");
  return access;
}

TextureAccess TexOp::getAccess() {
  return decodeRead(getInputs(), getGeometry(), getLevel(),
                    getTy2() == ScalarType::F32);
}
TextureAccess Tld4Op::getAccess() {
  return decodeRead(getInputs(), getGeometry(), std::nullopt,
                    getTy2() == ScalarType::F32);
}

static TextureAccess decodeQuery(ValueRange text) {
  TextureAccess access;
  access.handle = text.front();
  if (text.size() > 1)
    access.level = text[1];
  return access;
}
TextureAccess TxqOp::getAccess() { return decodeQuery(getInputs()); }
TextureAccess SuqOp::getAccess() { return decodeQuery(getInputs()); }
TextureAccess IstypepOp::getAccess() { return decodeQuery(getInputs()); }

static TextureAccess decodeSurface(ValueRange text, Geometry geometry) {
  TextureAccess access;
  access.geometry = geometry;
  Operands operands(text);
  access.handle = operands.take();
  decodeCoordinates(operands, /*isOld=*/false, access);
  access.data = operands.takeVector(operands.size());
  return access;
}
TextureAccess SuldOp::getAccess() {
  return decodeSurface(getInputs(), getGeometry());
}
TextureAccess SustOp::getAccess() {
  return decodeSurface(getInputs(), getGeometry());
}
TextureAccess SuredOp::getAccess() {
  return decodeSurface(getInputs(), getGeometry());
}

//===- TensorDescriptors.cpp - descriptors of tcgen05.mma -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorDescriptors.h"

#include <algorithm>
#include <optional>

using namespace ptxjit;
using device::TensorElement;
using device::TensorMatrix;

namespace {
/// Bits `first` to `last` of a descriptor.
struct Fields {
  uint64_t bits;
  uint32_t operator()(unsigned last, unsigned first) const {
    return uint32_t(bits >> first & ((uint64_t(1) << (last - first + 1)) - 1));
  }
  bool has(unsigned bit) const { return bits >> bit & 1; }
};

/// Decodes an instruction descriptor.
class Decoder {
public:
  Decoder(const PtxjitTensorMultiply &multiply, TensorInstruction &to)
      : multiply(multiply), fields{multiply.instruction}, to(to),
        isScaled(multiply.scaleBlock != 0) {}

  const char *decode() {
    for (auto step : {&Decoder::checkReserved, &Decoder::decodeTypes,
                      &Decoder::decodeShape, &Decoder::checkShape,
                      &Decoder::checkTransposes, &Decoder::decodeScales})
      if (const char *problem = (this->*step)())
        return problem;
    return nullptr;
  }

private:
  bool has(unsigned flag) const { return multiply.flags & flag; }
  bool isPair() const { return has(PTXJIT_MULTIPLY_PAIR); }
  bool isSparse() const { return has(PTXJIT_MULTIPLY_SPARSE); }
  bool isStationary() const { return has(PTXJIT_MULTIPLY_STATIONARY); }
  bool isInteger() const { return multiply.kind == PTXJIT_KIND_I8; }
  bool isFourBits() const {
    return multiply.kind == PTXJIT_KIND_MXF4 ||
           multiply.kind == PTXJIT_KIND_MXF4NVF4;
  }
  const char *checkReserved();
  const char *decodeTypes();
  const char *decodeShape();
  const char *checkShape();
  const char *checkTransposes();
  const char *decodeScales();
  std::optional<TensorElement> typeOf(uint32_t code) const;

  const PtxjitTensorMultiply &multiply;
  Fields fields;
  TensorInstruction &to;
  bool isScaled;
};
} // namespace

const char *Decoder::checkReserved() {
  bool reserved = fields.has(6);
  if (isScaled)
    reserved |= fields(1, 0) || fields.has(3) || fields(26, 24) ||
                (isFourBits() && fields.has(12)) ||
                (!isFourBits() && fields.has(31));
  else
    reserved |= fields.has(23) || fields.has(29) ||
                (!isInteger() && fields.has(3)) ||
                (isInteger() && fields(14, 13));
  if (reserved)
    return "a reserved bit of an instruction descriptor is set";
  if (fields.has(2) != isSparse())
    return "an instruction descriptor and its instruction disagree whether A "
           "is sparse";
  bool hasSelector = isSparse() && (multiply.kind == PTXJIT_KIND_F16 ||
                                    multiply.kind == PTXJIT_KIND_TF32);
  to.selector = isScaled || !isSparse() ? 0 : fields(1, 0);
  if (to.selector && !hasSelector)
    return "the sparsity selector of an instruction descriptor is not 0";
  return nullptr;
}

/// The type that stands for a code of A or B.
std::optional<TensorElement> Decoder::typeOf(uint32_t code) const {
  switch (multiply.kind) {
  case PTXJIT_KIND_F16:
    if (code > 1)
      return std::nullopt;
    return code ? TensorElement::BF16 : TensorElement::F16;
  case PTXJIT_KIND_TF32:
    if (code != 2)
      return std::nullopt;
    return TensorElement::TF32;
  case PTXJIT_KIND_I8:
    if (code > 1)
      return std::nullopt;
    return code ? TensorElement::S8 : TensorElement::U8;
  case PTXJIT_KIND_MXF4:
  case PTXJIT_KIND_MXF4NVF4:
    if (code != 1)
      return std::nullopt;
    return TensorElement::E2M1;
  default:
    break;
  }
  switch (code) {
  case 0:
    return TensorElement::E4M3;
  case 1:
    return TensorElement::E5M2;
  case 3:
    return TensorElement::E2M3;
  case 4:
    return TensorElement::E3M2;
  case 5:
    return TensorElement::E2M1;
  }
  return std::nullopt;
}

const char *Decoder::decodeTypes() {
  auto a = typeOf(fields(9, 7));
  auto b = typeOf(isFourBits() ? fields(11, 10) : fields(12, 10));
  if (!a || !b)
    return "an instruction descriptor has a type of A or B that its kind "
           "lacks";
  to.typeA = *a;
  to.typeB = *b;
  to.negatesA = fields.has(13);
  to.negatesB = fields.has(14);
  if (isScaled)
    return nullptr;
  uint32_t sums = fields(5, 4);
  bool mayBeHalf =
      multiply.kind == PTXJIT_KIND_F16 || multiply.kind == PTXJIT_KIND_F8F6F4;
  bool fits = isInteger() ? sums == 2 : sums == 1 || (sums == 0 && mayBeHalf);
  // Sums of bf16 are f32.
  if (sums == 0 &&
      (to.typeA == TensorElement::BF16 || to.typeB == TensorElement::BF16))
    fits = false;
  if (!fits)
    return "an instruction descriptor has a type of D that its kind lacks";
  to.hasHalfSums = sums == 0;
  to.saturates = fields.has(3);
  return nullptr;
}

const char *Decoder::decodeShape() {
  to.n = fields(22, 17) * 8;
  to.m = fields(28, 24) * 16;
  switch (multiply.kind) {
  case PTXJIT_KIND_F16:
    to.k = 16;
    break;
  case PTXJIT_KIND_TF32:
    to.k = 8;
    break;
  case PTXJIT_KIND_MXF4:
  case PTXJIT_KIND_MXF4NVF4:
    to.k = fields.has(31) ? 96 : 64;
    break;
  default:
    to.k = 32;
  }
  if (to.k == 96 && (isSparse() || !isPair() || to.m != 256))
    return "K is 96 in an instruction descriptor, but A is sparse or M is not "
           "256";
  if (isSparse())
    to.k *= 2;
  return nullptr;
}

const char *Decoder::checkShape() {
  auto isOneOf = [](uint32_t x, std::initializer_list<uint32_t> values) {
    return std::find(values.begin(), values.end(), x) != values.end();
  };
  bool fitsM;
  if (isStationary())
    fitsM = isOneOf(to.m, {32, 64, 128});
  else if (isPair())
    fitsM = to.m == 256 || (to.m == 128 && !(isScaled && isSparse()));
  else
    fitsM = to.m == 128 || (to.m == 64 && !isScaled);
  if (!fitsM)
    return "an instruction descriptor has a value of M that its instruction "
           "lacks";
  uint32_t step = isPair() ? 16 : 8;
  if (isInteger())
    step = isPair() ? 32 : to.n > 32 ? 16 : 8;
  bool fitsN = to.n >= 8 && to.n <= 256 && to.n % step == 0;
  if (isStationary())
    fitsN = isOneOf(to.n, {64, 128}) || (to.n == 256 && !isSparse());
  if (!fitsN)
    return "an instruction descriptor has a value of N that its instruction "
           "lacks";
  if (has(PTXJIT_MULTIPLY_SHIFTS) && to.m < 128)
    return "rows of A are shifted (.ashift), but M is not 128 or 256";
  if (multiply.inputShift && isInteger())
    return "D of .kind::i8 is scaled";
  return nullptr;
}

const char *Decoder::checkTransposes() {
  to.transposesA = fields.has(15);
  to.transposesB = fields.has(16);
  if (to.transposesA && has(PTXJIT_MULTIPLY_A_IN_MEMORY))
    return "an instruction descriptor transposes A, which is in tensor memory";
  if (isFourBits() && (to.transposesA || to.transposesB))
    return "an instruction descriptor transposes a matrix of two elements in "
           "a byte";
  // Padded elements of 4 and 6 bits are as far apart as bytes.
  if (to.transposesB && bitsOf(to.typeB) <= 8 && to.n % (isPair() ? 32 : 16))
    return "an instruction descriptor transposes a B of 8-bit elements, but N "
           "is no multiple of 16, or 32 for two CTAs";
  return nullptr;
}

const char *Decoder::decodeScales() {
  if (!isScaled)
    return nullptr;
  // A sparse A has as many scale factors as a dense one.
  to.scales = (isSparse() ? to.k / 2 : to.k) / multiply.scaleBlock;
  to.isUE4M3 = !fields.has(23);
  if (to.isUE4M3 &&
      (multiply.kind != PTXJIT_KIND_MXF4NVF4 || multiply.scaleBlock != 16))
    return "an instruction descriptor has a type of scale factors that its "
           "instruction lacks";
  to.scaleIdA = fields(30, 29);
  to.scaleIdB = fields(5, 4);
  for (uint32_t id : {to.scaleIdA, to.scaleIdB}) {
    bool fits = to.scales == 1 || to.scales == 3 || id == 0 ||
                (id == 2 && (to.scales == 2 || to.scales == 6));
    if (!fits)
      return "an instruction descriptor has a scale factor ID that its "
             "instruction lacks";
  }
  return nullptr;
}

const char *ptxjit::decodeInstruction(const PtxjitTensorMultiply &multiply,
                                      TensorInstruction &to) {
  return Decoder(multiply, to).decode();
}

//===----------------------------------------------------------------------===//
// Matrix descriptors
//===----------------------------------------------------------------------===//

const char *ptxjit::decodeMatrix(uint64_t descriptor, bool alongRows,
                                 bool mayBeAbsolute, TensorMatrix &to) {
  Fields fields{descriptor};
  // The ISA demands 0b001. Mosaic, which was written on devices, leaves 0.
  if (fields(48, 46) > 1)
    return "bits 46 to 48 of a matrix descriptor are not 0b001";
  if (fields(60, 53))
    return "a reserved bit of a matrix descriptor is set";
  constexpr uint8_t invalid = 0;
  constexpr uint8_t widthLogs[8] = {4, 7, 7, invalid, 6, invalid, 5, invalid};
  uint32_t mode = fields(63, 61);
  if (widthLogs[mode] == invalid)
    return "a matrix descriptor has an invalid swizzling mode";
  to.start = fields(13, 0) << 4;
  to.leading = fields(29, 16) << 4;
  to.stride = fields(45, 32) << 4;
  to.phase = fields(51, 49) << 7;
  to.widthLog = widthLogs[mode];
  to.atomLog = mode == 1 ? 5 : 4;
  to.alongRows = alongRows;
  to.isAbsolute = fields.has(52);
  if (to.isAbsolute && (!mayBeAbsolute || to.phase || mode == 1))
    return "a matrix descriptor has an absolute address, but K is not 96, or "
           "it has a base offset or 32-byte atoms";
  return nullptr;
}

uint64_t ptxjit::endOf(const TensorMatrix &matrix, uint32_t lines,
                       uint32_t bytes) {
  uint64_t width = uint64_t(1) << matrix.widthLog;
  // Swizzles exchange what is in `width` bytes.
  auto behind = [&](uint32_t byte) {
    return (matrix.place(lines - 1, byte) | (width - 1)) + 1;
  };
  return std::max(behind(0), behind(bytes - 1));
}

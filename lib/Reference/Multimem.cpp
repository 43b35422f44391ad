//===- Multimem.cpp - multimem accesses -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA: "multimem". In which order devices are added, and what sums of 8 bits
// become that are too large, the ISA does not say. Chosen: the order in which
// memory was bound; the largest number.
//
//===----------------------------------------------------------------------===//

#include "Cta.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Sums that have another type than the elements, and 8-bit numbers
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &formatOf(MultimemLdOp op) {
  if (auto format = op.getFormat())
    return *format == MultimemFormat::E4M3 || *format == MultimemFormat::E4M3x4
               ? APFloat::Float8E4M3FN()
               : APFloat::Float8E5M2();
  switch (*op.getTy()) {
  case ScalarType::E4M3x2:
    return APFloat::Float8E4M3FN();
  case ScalarType::E5M2x2:
    return APFloat::Float8E5M2();
  case ScalarType::F16:
  case ScalarType::F16x2:
    return APFloat::IEEEhalf();
  default:
    return APFloat::BFloat();
  }
}

/// Rounds to nearest even. Numbers of 8 bits do not become infinite.
static APFloat roundTo(const llvm::fltSemantics &format, const APFloat &x) {
  bool losesInfo;
  APFloat d = x;
  d.convert(format, llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  bool isTooLarge = d.isNaN() ? !x.isNaN() : d.isInfinity() && x.isFinite();
  return isTooLarge && APFloat::getSizeInBits(format) == 8
             ? APFloat::getLargest(format, x.isNegative())
             : d;
}

/// f64 holds all numbers and sums here, or has so many more digits that
/// rounding twice does no harm.
static APFloat toF64(const APFloat &x) {
  return roundTo(APFloat::IEEEdouble(), x);
}

/// Combines numbers of `format`. Each sum is rounded to `sum`.
static Bits combineParts(AtomicOp op, const llvm::fltSemantics &format,
                         const llvm::fltSemantics &sum, ArrayRef<Bits> parts) {
  unsigned width = APFloat::getSizeInBits(format);
  auto decode = [&](Bits bits) {
    return toF64(APFloat(format, llvm::APInt(width, bits, false, true)));
  };
  APFloat x = decode(parts.front());
  for (Bits part : parts.drop_front()) {
    APFloat y = decode(part);
    if (op == AtomicOp::Add)
      x = toF64(roundTo(sum, x + y));
    else
      x = op == AtomicOp::Min ? minimumnum(x, y) : maximumnum(x, y);
  }
  return x.isNaN() ? llvm::maskTrailingOnes<Bits>(width - 1)
                   : roundTo(format, x).bitcastToAPInt().getZExtValue();
}

/// \param elements  one of each device.
static Bits combine(MultimemLdOp op, unsigned width, ArrayRef<Bits> elements) {
  if (elements.size() == 1)
    return elements.front();
  bool isPlain = op.getTy() && !op.getSum() &&
                 *op.getTy() != ScalarType::E4M3x2 &&
                 *op.getTy() != ScalarType::E5M2x2;
  if (isPlain) {
    Bits d = elements.front();
    for (Bits element : elements.drop_front())
      d = atomicResult(op.getOp(), *op.getTy(), d, element, 0);
    return d;
  }
  const llvm::fltSemantics &format = formatOf(op);
  const llvm::fltSemantics &sum = !op.getSum() ? format
                                  : *op.getSum() == MultimemSum::F32
                                      ? APFloat::IEEEsingle()
                                      : APFloat::IEEEhalf();
  unsigned step = APFloat::getSizeInBits(format);
  Bits d = 0;
  for (unsigned at = 0; at < width; at += step) {
    SmallVector<Bits, 4> parts;
    for (Bits element : elements)
      parts.push_back(element >> at);
    d |= combineParts(op.getOp(), format, sum, parts) << at;
  }
  return d;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<uint64_t>> Cta::findReplicas(Thread &t, Operation &op,
                                                   Bits address,
                                                   std::optional<Space> space,
                                                   unsigned bytes) {
  if (address % bytes != 0)
    return op.emitError("misaligned address");
  FailureOr<uint64_t> host = hostAddress(t, op, address, space);
  if (failed(host))
    return failure();
  SmallVector<uint64_t> found(PTXJIT_MOST_REPLICAS);
  found.resize(launch.findReplicas(*host, found.data()));
  bool isAccessible = !found.empty() && llvm::all_of(found, [&](uint64_t at) {
    return probe.isAccessible(at, bytes);
  });
  if (!isAccessible)
    return op.emitError() << "illegal memory access 0x"
                          << llvm::utohexstr(*host, /*LowerCase=*/true);
  return found;
}

template <typename MultimemOp>
LogicalResult Cta::accessReplicas(Thread &t, MultimemOp op,
                                  ValueRange elements) {
  unsigned width = elements.front().getType().getIntOrFloatBitWidth();
  unsigned bytes = width / 8;
  FailureOr<SmallVector<uint64_t>> replicas =
      findReplicas(t, *op, get(t, op.getA()) + op.getOffset(), op.getSpace(),
                   bytes * elements.size());
  if (failed(replicas))
    return failure();
  for (auto [i, v] : llvm::enumerate(elements)) {
    SmallVector<Bits> loaded;
    for (uint64_t at : *replicas) {
      uint64_t place = at + i * bytes;
      if constexpr (std::is_same_v<MultimemOp, MultimemLdOp>)
        loaded.push_back(loadBits(place, bytes));
      else if constexpr (std::is_same_v<MultimemOp, MultimemStOp>)
        storeBits(place, bytes, get(t, v));
      else
        storeBits(place, bytes,
                  atomicResult(op.getOp(), *op.getTy(), loadBits(place, bytes),
                               get(t, v), 0));
    }
    if constexpr (std::is_same_v<MultimemOp, MultimemLdOp>)
      set(t, v, combine(op, width, loaded));
  }
  return success();
}

LogicalResult Cta::multimem(Thread &t, Operation &op) {
  if (auto ld = dyn_cast<MultimemLdOp>(op))
    return accessReplicas(t, ld, ld.getD());
  if (auto st = dyn_cast<MultimemStOp>(op))
    return accessReplicas(t, st, st.getB());
  auto red = cast<MultimemRedOp>(op);
  return accessReplicas(t, red, red.getB());
}

//===- SmallFloat.cpp - fp8, fp6 and fp4 conversions; fns -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats are in SmallFloat.h.
//
//===----------------------------------------------------------------------===//

#include "SmallFloat.h"

using namespace ptxjit::device;

namespace {

/// ISA "fns": finds the |offset|-th set bit of `mask` from bit `base` on,
/// upwards or downwards.
template <int W> U32<W> findNthSet(U32<W> mask, U32<W> base, I32<W> offset) {
  mask &= U32<W>(I32<W>(base < 32u)); // undefined in the ISA; finds nothing
  I32<W> isDown = offset < 0;
  U32<W> wanted = U32<W>((isDown & -offset) | (~isDown & offset));
  // Offset 0 tests bit `base` only, which offset 1 tests first.
  I32<W> isZero = offset == 0;
  wanted = (U32<W>(isZero) & 1u) | (~U32<W>(isZero) & wanted);
  U32<W> result = ~U32<W>(0), at = base;
  for (int i = 0; i < 32; ++i) {
    I32<W> inside = at < 32u;
    I32<W> isSet = inside & I32<W>((mask >> (at & 31u) & 1u) != 0);
    wanted -= U32<W>(isSet) & 1u;
    I32<W> found = isSet & I32<W>(wanted == 0);
    result = (U32<W>(found) & at) | (~U32<W>(found) & result);
    // Once the search is over, no further bit counts.
    I32<W> done = found | isZero;
    wanted = (U32<W>(done) & ~0u) | (~U32<W>(done) & wanted);
    at = at + ((U32<W>(isDown) & ~0u) | (~U32<W>(isDown) & 1u));
    at = (U32<W>(isZero) & ~0u) | (~U32<W>(isZero) & at);
  }
  return result;
}

} // namespace

#define PTXJIT_AT_WIDTHS(at, name, Type)                                       \
  at(name, Type, 1) at(name, Type, 4) at(name, Type, 8) at(name, Type, 16)

#define PTXJIT_FORMAT_AT(name, Type, W)                                        \
  PTXJIT_EXPORT void ptxjit_cvt_##name##_f32_x##W(U32<W> *d,                   \
                                                  const F32<W> *a) {           \
    *d = Type::encode<W>(*a);                                                  \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_cvt_f32_##name##_x##W(F32<W> *d,                   \
                                                  const U32<W> *a) {           \
    *d = Type::decode<W>(*a);                                                  \
  }
#define PTXJIT_FORMAT(name, Type) PTXJIT_AT_WIDTHS(PTXJIT_FORMAT_AT, name, Type)
PTXJIT_FORMAT(e4m3, E4M3)
PTXJIT_FORMAT(e5m2, E5M2)
PTXJIT_FORMAT(e2m3, E2M3)
PTXJIT_FORMAT(e3m2, E3M2)
PTXJIT_FORMAT(e2m1, E2M1)

// cvt.rs
#define PTXJIT_RANDOM_AT(name, Type, W)                                        \
  PTXJIT_EXPORT void ptxjit_cvt_rs_##name##_f32_x##W(                          \
      U32<W> *d, const F32<W> *a, const U32<W> *random) {                      \
    *d = Type::encodeRandom<W>(*a, *random);                                   \
  }
#define PTXJIT_RANDOM(name, Type) PTXJIT_AT_WIDTHS(PTXJIT_RANDOM_AT, name, Type)
PTXJIT_RANDOM(f16, Half)
PTXJIT_RANDOM(e4m3, E4M3)
PTXJIT_RANDOM(e5m2, E5M2)
PTXJIT_RANDOM(e2m3, E2M3)
PTXJIT_RANDOM(e3m2, E3M2)
PTXJIT_RANDOM(e2m1, E2M1)

#define PTXJIT_FNS(W)                                                          \
  PTXJIT_EXPORT void ptxjit_fns_x##W(U32<W> *d, const U32<W> *mask,            \
                                     const U32<W> *base,                       \
                                     const U32<W> *offset) {                   \
    *d = findNthSet<W>(*mask, *base, I32<W>(*offset));                         \
  }
PTXJIT_FNS(1)
PTXJIT_FNS(4)
PTXJIT_FNS(8)
PTXJIT_FNS(16)

#define PTXJIT_SMALL_FLOAT_FUNCTION(name, operands)                            \
  PTXJIT_ASSERT_LANES(name, operands)
#include "ptxjit/Device/Functions.def"

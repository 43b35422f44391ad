//===- RelocationsAArch64.cpp - relocations of AArch64 code ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions hold distances in units of their own: bytes, words, pages of
// 4096 bytes (whatever the system's are), or the low bits of an address.
//
//===----------------------------------------------------------------------===//

#include "Relocations.h"

#include <cstring>
#include <elf.h>

using namespace ptxjit;

/// R_AARCH64_PLT32, which older headers lack.
static constexpr uint32_t kPlt32 = 314;
/// The pages of ADRP.
static constexpr uint64_t kPage = 4096;

namespace {
/// The bits of an instruction that hold a number.
struct Field {
  unsigned first, bits;
};
} // namespace

/// Sets a field of the instruction to the low bits of `units`.
static bool setField(const Relocation &relocation, Field field,
                     uint64_t units) {
  if (relocation.room < 4)
    return false;
  uint32_t instruction;
  std::memcpy(&instruction, relocation.bytes, 4);
  uint32_t mask = (uint32_t(1) << field.bits) - 1;
  instruction &= ~(mask << field.first);
  instruction |= (uint32_t(units) & mask) << field.first;
  std::memcpy(relocation.bytes, &instruction, 4);
  return true;
}

static bool fits(int64_t number, unsigned bits) {
  int64_t limit = int64_t(1) << (bits - 1);
  return number >= -limit && number < limit;
}

/// The distance of a branch or load, in words.
static bool setWords(const Relocation &relocation, Field field,
                     int64_t distance) {
  return distance % 4 == 0 && fits(distance / 4, field.bits) &&
         setField(relocation, field, uint64_t(distance / 4));
}

/// ADR and ADRP have the two low bits of their number apart from the others.
static bool setAddress(const Relocation &relocation, int64_t units) {
  return fits(units, 21) && setField(relocation, {29, 2}, uint64_t(units)) &&
         setField(relocation, {5, 19}, uint64_t(units >> 2));
}

/// The low 12 bits of an address, in units of an access of 2^shift bytes.
static bool setLowBits(const Relocation &relocation, unsigned shift) {
  uint64_t low = relocation.to & (kPage - 1);
  return low >> shift << shift == low &&
         setField(relocation, {10, 12}, low >> shift);
}

bool ptxjit::relocateAArch64(const Relocation &relocation) {
  auto distance = int64_t(relocation.to - relocation.at);
  auto pages = int64_t(relocation.to / kPage) - int64_t(relocation.at / kPage);
  switch (relocation.type) {
  case R_AARCH64_PREL32:
  case kPlt32:
    return writeDistance<int32_t>(relocation, distance);
  case R_AARCH64_PREL64:
    return writeDistance<int64_t>(relocation, distance);
  case R_AARCH64_ADR_PREL_LO21:
    return setAddress(relocation, distance);
  case R_AARCH64_ADR_PREL_PG_HI21:
  case R_AARCH64_ADR_PREL_PG_HI21_NC:
    return setAddress(relocation, pages);
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC:
    return setLowBits(relocation, 0);
  case R_AARCH64_LDST16_ABS_LO12_NC:
    return setLowBits(relocation, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC:
    return setLowBits(relocation, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC:
    return setLowBits(relocation, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC:
    return setLowBits(relocation, 4);
  case R_AARCH64_LD_PREL_LO19:
  case R_AARCH64_CONDBR19:
    return setWords(relocation, {5, 19}, distance);
  case R_AARCH64_TSTBR14:
    return setWords(relocation, {5, 14}, distance);
  case R_AARCH64_JUMP26:
  case R_AARCH64_CALL26:
    return setWords(relocation, {0, 26}, distance);
  }
  return false;
}

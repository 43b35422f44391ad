//===- RelocationsTest.cpp - distances in instructions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expected instructions are those of LLVM's assembler.
//
//===----------------------------------------------------------------------===//

#include "lib/Cache/Relocations.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <optional>

using namespace ptxjit;

/// What becomes of `instruction` at `at`; nothing if that is refused.
static std::optional<uint32_t> complete(uint32_t type, uint32_t instruction,
                                        uint64_t at, uint64_t to,
                                        size_t room = 4) {
  uint8_t bytes[4];
  std::memcpy(bytes, &instruction, 4);
  if (!relocateAArch64({type, bytes, room, at, to}))
    return std::nullopt;
  std::memcpy(&instruction, bytes, 4);
  return instruction;
}

TEST(Relocations, AddressesOfAArch64) {
  // adrp x0, two pages on; one page back
  EXPECT_EQ(complete(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x1ffc, 0x3008),
            0xd0000000u);
  EXPECT_EQ(complete(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x2000, 0x1008),
            0xf0ffffe0u);
  // adr x1, #-3
  EXPECT_EQ(complete(R_AARCH64_ADR_PREL_LO21, 0x10000001, 0x1003, 0x1000),
            0x30ffffe1u);
  // add x0, x0, #0x234
  EXPECT_EQ(complete(R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0, 0x1234),
            0x9108d000u);
  // ldr q0, [x1, #0x230]; ldr x0, [x1, #0x238]
  EXPECT_EQ(complete(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00020, 0, 0x1230),
            0x3dc08c20u);
  EXPECT_EQ(complete(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400020, 0, 0x1238),
            0xf9411c20u);
  // No multiple of 16.
  EXPECT_EQ(complete(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00020, 0, 0x1238),
            std::nullopt);
  // Farther than 4 GiB.
  EXPECT_EQ(
      complete(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0, uint64_t(1) << 32),
      std::nullopt);
}

TEST(Relocations, BranchesOfAArch64) {
  EXPECT_EQ(complete(R_AARCH64_CALL26, 0x94000000, 0x1000, 0x0ffc),
            0x97ffffffu); // bl #-4
  EXPECT_EQ(complete(R_AARCH64_JUMP26, 0x14000000, 0x1000, 0x1008),
            0x14000002u); // b #8
  EXPECT_EQ(complete(R_AARCH64_CONDBR19, 0x54000001, 0x1000, 0x1010),
            0x54000081u); // b.ne #16
  EXPECT_EQ(complete(R_AARCH64_TSTBR14, 0x36000000, 0x1000, 0x1010),
            0x36000080u); // tbz w0, #0, #16
  EXPECT_EQ(complete(R_AARCH64_JUMP26, 0x14000000, 0, 2), std::nullopt);
  EXPECT_EQ(complete(R_AARCH64_CALL26, 0x94000000, 0, uint64_t(1) << 27),
            std::nullopt);
}

TEST(Relocations, OthersAreRefused) {
  EXPECT_EQ(complete(R_AARCH64_ABS64, 0, 0, 8, 8), std::nullopt);
  EXPECT_EQ(complete(R_AARCH64_CALL26, 0x94000000, 0, 4, /*room=*/3),
            std::nullopt);
  EXPECT_EQ(complete(R_AARCH64_PREL32, 0, 0x10, 0x8), 0xfffffff8u);
  EXPECT_EQ(complete(R_AARCH64_PREL32, 0, 0, uint64_t(1) << 31), std::nullopt);
  uint8_t word[8] = {};
  EXPECT_TRUE(relocateX86({R_X86_64_PC64, word, 8, 8, 4}));
  EXPECT_EQ(word[0], 0xfc);
  EXPECT_EQ(word[7], 0xff);
  EXPECT_FALSE(relocateX86({R_X86_64_PC64, word, 7, 8, 4}));
  EXPECT_FALSE(relocateX86({R_X86_64_64, word, 8, 8, 4}));
}

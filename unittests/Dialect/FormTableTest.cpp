//===- FormTableTest.cpp - the ISA table as a whole -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <gtest/gtest.h>

using namespace ptxjit::ptx;
using llvm::StringRef;

static const FormSpec *match(StringRef mnemonic) {
  llvm::SmallVector<StringRef> tokens;
  mnemonic.split(tokens, '.');
  StringRef opcode = tokens.front();
  tokens.erase(tokens.begin());
  unsigned bad;
  for (const FormSpec &form : getFormsOfOpcode(opcode))
    if (matchForm(form, tokens, bad))
      return &form;
  return nullptr;
}

TEST(FormTable, ModifierOrderIsFree) {
  EXPECT_TRUE(match("setp.lt.u32"));
  EXPECT_TRUE(match("setp.u32.lt"));
  EXPECT_TRUE(match("ld.global.u32"));
  EXPECT_TRUE(match("ld.u32.global"));
  EXPECT_TRUE(match("add.s32.sat"));
}

TEST(FormTable, OrderOfTypesIsNot) {
  unsigned bad;
  for (const FormSpec &form : getFormsOfOpcode("cvt"))
    if (auto m = matchForm(form, {"rn", "f32", "s32"}, bad)) {
      EXPECT_EQ(m->first, ScalarType::F32);
      EXPECT_EQ(m->second, ScalarType::S32);
      return;
    }
  FAIL() << "cvt.rn.f32.s32 is not found";
}

TEST(FormTable, RefusesWhatTheIsaDoesNotHave) {
  for (StringRef text :
       {"add.b32", "sub.sat.u32", "mul.wide.s64", "setp.lt.b32", "ld.v3.u32",
        "cvt.u32.f32", "add.s32.s32", "min.sat.s32", "sin.f64", "ret.s32"})
    EXPECT_FALSE(match(text)) << text.str();
}

// The parser looks forms up by opcode, the verifier and the printer by op. Both
// lists must hold every form.
TEST(FormTable, EveryFormIsFoundByOpcodeAndByOp) {
  for (const FormSpec &form : getForms()) {
    auto contains = [&](llvm::ArrayRef<FormSpec> list) {
      return llvm::any_of(list, [&](const FormSpec &f) {
        return f.syntax == form.syntax && f.slots == form.slots &&
               f.operands == form.operands;
      });
    };
    EXPECT_TRUE(contains(getFormsOfOpcode(form.opcode))) << form.syntax;
    EXPECT_TRUE(contains(getFormsOfOp(form.opName))) << form.syntax;
    EXPECT_NE(StringRef(form.isaAnchor), "") << form.syntax;
    EXPECT_FALSE(form.getSince().empty()) << form.syntax;
  }
}

// Before PTX 1.4 some modifiers could be left out, here .approx.
TEST(FormTable, OldFormsEnd) {
  const FormSpec *form = match("sin.f32");
  ASSERT_TRUE(form);
  EXPECT_TRUE(parseAvailability("1.3", "sm_13")->satisfies(*form));
  EXPECT_FALSE(parseAvailability("1.4", "sm_13")->satisfies(*form));
  EXPECT_FALSE(parseAvailability("9.0", "sm_90")->satisfies(*form));
}

TEST(FormTable, SizesOfVectors) {
  OperandSpec operand{};
  operand.countRule = CountRule::ShapeN;
  operand.count = 4;
  EXPECT_EQ(getVectorSize(operand, {"sync", "m64n128k16", "f16"}), 32u);
  operand.countRule = CountRule::Repeat;
  operand.count = 2;
  EXPECT_EQ(getVectorSize(operand, {"16x128b", "x8"}), 16u);
  operand.countRule = CountRule::Dimension;
  EXPECT_EQ(getVectorSize(operand, {"tensor", "3d", "tile"}), 3u);
  operand.countRule = CountRule::Modifier;
  EXPECT_EQ(getVectorSize(operand, {"global", "v4", "f32"}), 4u);
  EXPECT_EQ(getVectorSize(operand, {"global", "f32"}), 1u);
}

TEST(FormTable, ImmediatesHaveValues) {
  OperandSpec operand{};
  operand.allowed = "";
  EXPECT_TRUE(isAllowed(operand, -7));
  operand.allowed = "4|8|16";
  EXPECT_TRUE(isAllowed(operand, 8));
  EXPECT_FALSE(isAllowed(operand, 12));
  operand.allowed = "0..3";
  EXPECT_TRUE(isAllowed(operand, 3));
  EXPECT_FALSE(isAllowed(operand, 4));
  EXPECT_FALSE(isAllowed(operand, -1));
}

TEST(FormTable, Availability) {
  auto at = [](StringRef version, StringRef target) {
    return *parseAvailability(version, target);
  };
  SinceSpec plain{"7.0", "sm_80+"}, exact{"8.0", "sm_90a"},
      family{"8.8", "sm_100f"};
  EXPECT_TRUE(at("7.0", "sm_80").satisfies(plain));
  EXPECT_TRUE(at("10.0", "sm_90").satisfies(plain));
  EXPECT_FALSE(at("6.9", "sm_80").satisfies(plain));
  EXPECT_FALSE(at("7.0", "sm_75").satisfies(plain));
  EXPECT_TRUE(at("8.0", "sm_90a").satisfies(exact));
  EXPECT_FALSE(at("8.0", "sm_90").satisfies(exact));
  EXPECT_FALSE(at("9.0", "sm_100a").satisfies(exact));
  EXPECT_TRUE(at("9.0", "sm_100f").satisfies(family));
  EXPECT_TRUE(at("9.0", "sm_103a").satisfies(family));
  EXPECT_FALSE(at("9.0", "sm_120a").satisfies(family));
  EXPECT_FALSE(at("9.0", "sm_100").satisfies(family));
  for (StringRef bad : {"sm_", "sm_x", "sm_90b", ""})
    EXPECT_FALSE(parseAvailability("8.0", bad)) << bad.str();
}

TEST(FormTable, RegisterTypes) {
  EXPECT_TRUE(isCompatible(ScalarType::U32, ScalarType::S32));
  EXPECT_TRUE(isCompatible(ScalarType::F32, ScalarType::B32));
  EXPECT_TRUE(isCompatible(ScalarType::B32, ScalarType::F32));
  EXPECT_FALSE(isCompatible(ScalarType::F32, ScalarType::S32));
  EXPECT_FALSE(isCompatible(ScalarType::U32, ScalarType::F32));
}

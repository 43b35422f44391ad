//===- FormTable.h - the ISA's forms as data --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ptx-tblgen makes of the records in the .td files: for each form its
// modifiers, operands and availability. Parser, printer and verifier read this
// table, so text and IR cannot disagree about what is legal. Holds no opcode's
// name.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_FORMTABLE_H
#define PTXJIT_DIALECT_FORMTABLE_H

#include "ptxjit/Dialect/PtxDialect.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxjit::ptx {

/// Where a modifier lives in IR: an inherent attribute of the op.
struct ModifierSpec {
  const char *attrName;
  bool isFlag;
  /// Of types, whose order in the text counts: is the token one? Else null.
  bool (*isType)(llvm::StringRef token);
  /// The attribute for `token`; null if `token` is none of this modifier's.
  mlir::Attribute (*build)(mlir::MLIRContext *, llvm::StringRef token);
  /// The token for an attribute built by `build`; empty if it is not one.
  llvm::StringRef (*spell)(mlir::Attribute);
};

/// One `.x`, `{.x}`, `.{a|b}` or `{.a|b}` of a form.
struct SlotSpec {
  const ModifierSpec *modifier;
  bool optional;
  const char *const *tokens;
  unsigned numTokens;

  llvm::ArrayRef<const char *> getTokens() const { return {tokens, numTokens}; }
  bool accepts(llvm::StringRef token) const;
};

enum class OperandKind : uint8_t {
  Value,
  Vector,
  Address,
  Label,
  Callee,
  Immediate, ///< a constant, perhaps of few values
  Sink,      ///< `_` and nothing else
  Carry,     ///< the carry flag, which the text does not name
  Ignored    ///< a value that is checked and not kept in IR
};
/// How many elements a vector operand has.
enum class CountRule : uint8_t {
  Modifier, ///< as `.v2/.v4/.v8` says, 1 without
  Fixed,    ///< `count`
  ShapeN,   ///< n of the `.mMnNkK` modifier, divided by `count`
  Repeat,   ///< N of the `.xN` modifier, times `count`
  Dimension ///< N of the `.Nd` modifier
};
enum class TypeRule : uint8_t { First, Second, Wide, Fixed };

/// One operand of a form.
struct OperandSpec {
  const char *name;
  OperandKind kind = {};
  TypeRule rule = {};
  ScalarType fixed = {};
  bool isResult = false;
  bool isSecondResult = false; ///< written `d|q`
  bool optional = false;       ///< may be left out, with all that follow
  bool negatable = false;      ///< predicate, may be written `!p`
  bool special = false;        ///< special registers and symbols allowed
  bool signable = false;       ///< may be written `-a`
  /// May be written `a.b0`, `a.h1` (1), `a.h10` (2), `a.b3210` (4): parts of a
  /// register, or of two; 0: not.
  unsigned char selectLanes = 0;
  CountRule countRule = {}; ///< of a vector
  uint16_t count = 0;
  uint8_t numParts = 0; ///< of an address: operands that follow it, in its `[]`
  const char *allowed = ""; ///< of an immediate: "", "16", "4|8|16", "0..3"
  uint8_t group = 0;        ///< ODS operand or result group
};

struct SinceSpec {
  const char *ptxVersion;
  const char *target;
};

struct FormSpec {
  const char *opcode;
  const char *opName;
  const char *syntax;
  const char *isaAnchor;
  bool wideOperands;
  /// ODS operand groups if the op is AttrSizedOperandSegments, else 0.
  uint8_t operandGroups;
  const SlotSpec *slots;
  unsigned numSlots;
  const OperandSpec *operands;
  unsigned numOperands;
  const SinceSpec *since;
  unsigned numSince;
  /// The op has its operands in one list, in the order of the text: a
  /// `Ptx_RowOp`, or an op that keeps its text.
  bool isRow;
  /// The op is `ptx.unlowered` or `ptx.advice`, which hold any instruction.
  bool keepsText;
  /// The attribute that tells the opcode; null if the op's name does.
  const ModifierSpec *opcodeModifier;

  llvm::ArrayRef<SlotSpec> getSlots() const { return {slots, numSlots}; }
  llvm::ArrayRef<OperandSpec> getOperands() const {
    return {operands, numOperands};
  }
  llvm::ArrayRef<SinceSpec> getSince() const { return {since, numSince}; }
};

/// All forms, grouped by opcode.
llvm::ArrayRef<FormSpec> getForms();
/// The forms of `opcode`, empty if there is none.
llvm::ArrayRef<FormSpec> getFormsOfOpcode(llvm::StringRef opcode);
/// The forms of an op, "ptx.add.int", whatever their opcode; empty if none.
llvm::ArrayRef<FormSpec> getFormsOfOp(llvm::StringRef opName);

/// Since when a modifier may be used at all; null if as long as its forms.
const SinceSpec *getModifierAvailability(llvm::StringRef token);

/// A modifier that `opcode` has to have from `ptxVersion` on; older text means
/// it and may not have it.
struct ImpliedSpec {
  const char *opcode;
  const char *token;
  const char *ptxVersion;
};
/// Null if there is none.
const ImpliedSpec *getImpliedModifier(llvm::StringRef opcode);

/// Is `value` one of `operand.allowed`?
bool isAllowed(const OperandSpec &operand, int64_t value);
/// The elements of the vector `operand`; `tokens` are the modifiers.
unsigned getVectorSize(const OperandSpec &operand,
                       llvm::ArrayRef<llvm::StringRef> tokens);

/// The type an operand has under `form`, when its type tokens are `first` and
/// `second`.
ScalarType getOperandType(const OperandSpec &operand, ScalarType first,
                          ScalarType second);

//===----------------------------------------------------------------------===//
// Scalar types
//===----------------------------------------------------------------------===//

unsigned getBitWidth(ScalarType type);
bool isFloat(ScalarType type);
bool isSignedInt(ScalarType type);
bool isUnsignedInt(ScalarType type);
/// An untyped `.bN`, or packed type.
bool isBits(ScalarType type);
ScalarType getWide(ScalarType type);
/// The type of the two parts of a packed type (f16x2); any other type itself.
ScalarType getPartType(ScalarType type);
inline bool isPacked(ScalarType type) { return getPartType(type) != type; }
inline bool isHalf(ScalarType type) {
  return type == ScalarType::F16 || type == ScalarType::BF16;
}
/// The builtin type of values of `type`: signless iN, f16, f32, f64.
mlir::Type getValueType(mlir::MLIRContext *context, ScalarType type);
/// May a register declared as `reg` stand where an instruction wants `type`
/// (ISA "operand type checking"), sizes being equal?
bool isCompatible(ScalarType type, ScalarType reg);
/// The type a special register is read as.
ScalarType getRegisterType(SpecialRegister reg);
SinceSpec getAvailability(SpecialRegister reg);

//===----------------------------------------------------------------------===//
// Availability
//===----------------------------------------------------------------------===//

/// A module's `.version` and `.target`.
struct Availability {
  unsigned major = 9, minor = 0;
  unsigned sm = 75;
  char suffix = 0; ///< 'a', 'f' or 0

  bool satisfies(const SinceSpec &since) const;
  bool satisfies(const FormSpec &form) const;
};

/// Reads "8.0" and "sm_90a". Returns nothing if malformed.
std::optional<Availability> parseAvailability(llvm::StringRef version,
                                              llvm::StringRef target);

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The outcome of matching a mnemonic's modifiers against one form.
struct FormMatch {
  /// Attribute and token for each slot that is filled.
  llvm::SmallVector<std::pair<const ModifierSpec *, llvm::StringRef>, 8>
      modifiers;
  ScalarType first = ScalarType::B32, second = ScalarType::B32;
};

/// Matches the modifiers, given without dots, in any order but for types.
/// On failure `badToken` is the index of the first token that does not fit, or
/// the number of tokens if one is missing.
std::optional<FormMatch> matchForm(const FormSpec &form,
                                   llvm::ArrayRef<llvm::StringRef> tokens,
                                   unsigned &badToken);

/// Adds the attributes that hold what `match` found of `form`.
void addModifiers(const FormSpec &form, const FormMatch &match,
                  mlir::OperationState &state);

/// The modifiers of `op` as PTX spells them, "sat.s32", in the order of `form`,
/// or of a form that fits; nothing if its attributes fit no form.
std::optional<std::string> spellModifiers(mlir::Operation *op,
                                          const FormSpec &form);
std::optional<std::string> spellModifiers(mlir::Operation *op);

/// May an operand name these `parts` of `width` bits of its register?
bool isSelectable(const OperandSpec &operand, unsigned width,
                  llvm::ArrayRef<unsigned> parts);

/// "add.{u16|...} d, a, b": a form for people.
std::string describeForm(const FormSpec &form);

} // namespace ptxjit::ptx

#endif

//===- FormTable.h - the instruction forms of the ISA -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form table, which ptx-tblgen generates from the .td files. It lists the
// modifiers, operands and availability of each form. Parser, printer and
// verifier read this table, so text and IR cannot disagree about what is legal.
// Nothing here depends on a particular opcode.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_FORMTABLE_H
#define PTXJIT_DIALECT_FORMTABLE_H

#include "ptxjit/Dialect/PtxDialect.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxjit::ptx {

/// A modifier of an op, and the inherent attribute that holds it in IR.
struct ModifierSpec {
  const char *attrName; ///< empty: IR does not keep the modifier
  bool isFlag;
  /// Is `token` a type? Null for modifiers that are not types. The relative
  /// order of type tokens matters; that of other modifiers does not.
  bool (*isType)(llvm::StringRef token);
  /// The attribute for `token`; null if this modifier has no such token.
  mlir::Attribute (*build)(mlir::MLIRContext *, llvm::StringRef token);
  /// The token for an attribute that `build` made; empty for any other.
  llvm::StringRef (*spell)(mlir::Attribute);
};

/// The place of one modifier in a form: `.x`, `{.x}`, `.{a|b}` or `{.a|b}`.
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
  Immediate, ///< an integer constant; see OperandSpec::allowed
  Sink,      ///< `_` and nothing else
  Carry,     ///< the carry flag, which the text does not name
  Ignored    ///< a value that is checked but not kept in IR
};
/// What gives the number of elements of a vector operand.
enum class CountRule : uint8_t {
  Modifier, ///< `.v2`, `.v4` or `.v8`; 1 without such a modifier
  Fixed,    ///< `count`
  ShapeN,   ///< n of the `.mMnNkK` modifier, divided by `count`
  Repeat,   ///< N of the `.xN` modifier, times `count`
  Dimension ///< N of the `.Nd` modifier
};
/// Which type an operand has: the first or second type token of the form, the
/// first at twice its width, or always the same type.
enum class TypeRule : uint8_t { First, Second, Wide, Fixed };

/// One operand of a form.
struct OperandSpec {
  const char *name;
  OperandKind kind = {};
  TypeRule rule = {};
  ScalarType fixed = {};
  bool isResult = false;
  bool isUpdated = false;      ///< a result that is read, too
  bool isSecondResult = false; ///< written `d|q`
  bool optional = false;       ///< a trailing operand that may be omitted
  bool negatable = false;      ///< predicate, may be written `!p`
  bool special = false;        ///< special registers and symbols allowed
  bool signable = false;       ///< may be written `-a`
  /// How many parts a selector names: 1 (`a.b0`, `a.h1`), 2 (`a.h10`) or 4
  /// (`a.b3210`). 0: the operand takes no selector. See isSelectable.
  unsigned char selectLanes = 0;
  CountRule countRule = {}; ///< of a vector
  uint16_t count = 0;
  uint8_t numParts = 0; ///< of an address: the operands after it in the same []
  /// Of an immediate, its values: "16", "4|8|16", "0..3"; empty: any.
  const char *allowed = "";
  uint8_t group = 0; ///< ODS operand or result group
};

/// PTX versions and targets, written as in class Since of PtxBase.td.
struct SinceSpec {
  const char *ptxVersion;
  const char *target;
};

struct FormSpec {
  const char *opcode;
  const char *opName;
  const char *syntax;
  const char *isaAnchor;
  bool wideOperands; ///< WideOperands of Ptx_Instr in PtxBase.td
  /// The number of ODS operand groups if the op has AttrSizedOperandSegments,
  /// else 0.
  uint8_t operandGroups;
  const SlotSpec *slots;
  unsigned numSlots;
  const OperandSpec *operands;
  unsigned numOperands;
  const SinceSpec *since;
  unsigned numSince;
  /// The op has one list of operands, in the order of the text: it is a
  /// `Ptx_RowOp`, or it keeps its text.
  bool isRow;
  /// The op is `ptx.unlowered` or `ptx.advice`. Their modifiers are kept as
  /// text, so that they can hold any instruction.
  bool keepsText;
  /// The attribute that holds the opcode, for ops that stand for several
  /// opcodes; else null.
  const ModifierSpec *opcodeModifier;

  llvm::ArrayRef<SlotSpec> getSlots() const { return {slots, numSlots}; }
  llvm::ArrayRef<OperandSpec> getOperands() const {
    return {operands, numOperands};
  }
  llvm::ArrayRef<SinceSpec> getSince() const { return {since, numSince}; }
};

/// All forms, grouped by opcode.
llvm::ArrayRef<FormSpec> getForms();
/// The forms of `opcode`; empty if there is none.
llvm::ArrayRef<FormSpec> getFormsOfOpcode(llvm::StringRef opcode);
/// The forms of the op named `opName` ("ptx.add.int"), of all its opcodes;
/// empty if there is none.
llvm::ArrayRef<FormSpec> getFormsOfOp(llvm::StringRef opName);

/// The availability of a modifier that came later than the forms it stands in;
/// null for other modifiers.
const SinceSpec *getModifierAvailability(llvm::StringRef token);

/// A modifier that `opcode` must have from `ptxVersion` on. Older text implies
/// the modifier and must not spell it.
struct ImpliedSpec {
  const char *opcode;
  const char *token;
  const char *ptxVersion;
};
/// The implied modifier of `opcode`; null if there is none.
const ImpliedSpec *getImpliedModifier(llvm::StringRef opcode);

/// Is `value` one of `operand.allowed`?
bool isAllowed(const OperandSpec &operand, int64_t value);
/// The number of elements of vector `operand` in an instruction with the
/// modifiers `tokens`.
unsigned getVectorSize(const OperandSpec &operand,
                       llvm::ArrayRef<llvm::StringRef> tokens);

/// The type of `operand` in an instruction whose type tokens are `first` and
/// `second`.
ScalarType getOperandType(const OperandSpec &operand, ScalarType first,
                          ScalarType second);

//===----------------------------------------------------------------------===//
// Scalar types
//===----------------------------------------------------------------------===//

unsigned getBitWidth(ScalarType type);
/// One of f16, f32 and f64, the floating-point types that registers may have.
bool isFloat(ScalarType type);
bool isSignedInt(ScalarType type);
bool isUnsignedInt(ScalarType type);
/// Neither a predicate, nor isFloat, nor an integer of 8 to 64 bits: `.bN`, and
/// the types of instructions whose registers are `.bN` (bf16, tf32, f16x2, u4).
bool isBits(ScalarType type);
/// The type of twice the width for 16- and 32-bit integers; else `type` itself.
ScalarType getWide(ScalarType type);
/// The type of the 2 parts of f16x2, bf16x2, f32x2, u16x2 and s16x2, or of the
/// 4 parts of u8x4 and s8x4; any other type itself.
ScalarType getPartType(ScalarType type);
inline bool isPacked(ScalarType type) { return getPartType(type) != type; }
inline bool isHalf(ScalarType type) {
  return type == ScalarType::F16 || type == ScalarType::BF16;
}
/// Is an access with this modifier an ordinary one, which other threads may see
/// in any order? ISA: "memory consistency model".
inline bool isWeak(std::optional<Order> order) {
  return !order || *order == Order::Weak;
}
/// The builtin type of values of `type`: f16, f32, f64, or signless iN. A value
/// of b128 is two of i64.
mlir::Type getValueType(mlir::MLIRContext *context, ScalarType type);
/// May a register declared as `reg` stand where an instruction wants `type`?
/// Assumes that both have the same size. ISA: "operand type checking".
bool isCompatible(ScalarType type, ScalarType reg);
/// The type of a special register's value.
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
  /// The modifier and token of each slot that is filled.
  llvm::SmallVector<std::pair<const ModifierSpec *, llvm::StringRef>, 8>
      modifiers;
  /// The first two type tokens; equal if the instruction has only one.
  ScalarType first = ScalarType::B32, second = ScalarType::B32;
};

/// Matches the modifiers `tokens`, which have no dots. Their order is free, but
/// types must stand in the order of the form. On failure `badToken` is the
/// index of the first token that does not fit, or the number of tokens if one
/// is missing.
std::optional<FormMatch> matchForm(const FormSpec &form,
                                   llvm::ArrayRef<llvm::StringRef> tokens,
                                   unsigned &badToken);

/// Adds the attributes of the modifiers in `match`, and of the opcode if `form`
/// has an attribute for it.
void addModifiers(const FormSpec &form, const FormMatch &match,
                  mlir::OperationState &state);

/// The modifiers of `op` as PTX spells them ("sat.s32"), in the order of `form`
/// or of the first form that fits. Returns nothing if the attributes of `op` do
/// not fit `form`, or fit no form.
std::optional<std::string> spellModifiers(mlir::Operation *op,
                                          const FormSpec &form);
std::optional<std::string> spellModifiers(mlir::Operation *op);

/// May a selector of `operand` name these `parts`, of `width` bits each?
bool isSelectable(const OperandSpec &operand, unsigned width,
                  llvm::ArrayRef<unsigned> parts);

/// The syntax of `form` for diagnostics: "add.{u16|...} d, a, b".
std::string describeForm(const FormSpec &form);

} // namespace ptxjit::ptx

#endif

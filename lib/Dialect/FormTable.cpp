//===- FormTable.cpp - queries of the form table, and matching ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Dialect/Targets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using llvm::ArrayRef;
using llvm::StringRef;

namespace ptxjit::ptx {
#include "ptxjit/Dialect/FormTable.inc"
} // namespace ptxjit::ptx

bool SlotSpec::accepts(StringRef token) const {
  return llvm::is_contained(getTokens(), token);
}

ArrayRef<FormSpec> ptx::getForms() { return kForms; }

namespace {
/// The forms with each key, in the order of the table.
using Index = llvm::StringMap<std::vector<FormSpec>>;
Index buildIndex(const char *FormSpec::*key) {
  Index index;
  for (const FormSpec &form : kForms)
    index[form.*key].push_back(form);
  return index;
}
ArrayRef<FormSpec> find(const Index &index, StringRef key) {
  auto it = index.find(key);
  return it == index.end() ? ArrayRef<FormSpec>() : ArrayRef(it->second);
}
} // namespace

ArrayRef<FormSpec> ptx::getFormsOfOpcode(StringRef opcode) {
  static const Index index = buildIndex(&FormSpec::opcode);
  return find(index, opcode);
}
ArrayRef<FormSpec> ptx::getFormsOfOp(StringRef opName) {
  static const Index index = buildIndex(&FormSpec::opName);
  return find(index, opName);
}

const SinceSpec *ptx::getModifierAvailability(StringRef token) {
  for (const auto &[name, since] : kTokenSince)
    if (name == token)
      return &since;
  return nullptr;
}

const ImpliedSpec *ptx::getImpliedModifier(StringRef opcode) {
  for (const ImpliedSpec &implied : kTokenImplied)
    if (opcode == implied.opcode)
      return &implied;
  return nullptr;
}

ScalarType ptx::getOperandType(const OperandSpec &operand, ScalarType first,
                               ScalarType second) {
  switch (operand.rule) {
  case TypeRule::First:
    return first;
  case TypeRule::Second:
    return second;
  case TypeRule::Wide:
    return getWide(first);
  case TypeRule::Fixed:
    return operand.fixed;
  }
  llvm_unreachable("all rules handled");
}

bool ptx::isAllowed(const OperandSpec &operand, int64_t value) {
  StringRef text(operand.allowed);
  if (text.empty())
    return true;
  auto number = [](StringRef digits) {
    int64_t n = 0;
    (void)digits.getAsInteger(0, n);
    return n;
  };
  if (text.contains("..")) {
    auto [low, high] = text.split("..");
    return value >= number(low) && value <= number(high);
  }
  llvm::SmallVector<StringRef, 8> values;
  text.split(values, '|');
  return llvm::any_of(values, [&](StringRef v) { return number(v) == value; });
}

unsigned ptx::getVectorSize(const OperandSpec &operand,
                            ArrayRef<StringRef> tokens) {
  if (operand.countRule == CountRule::Fixed)
    return operand.count;
  unsigned n = 1;
  for (StringRef token : tokens) {
    bool counts = false;
    switch (operand.countRule) {
    case CountRule::Modifier:
      counts = token.consume_front("v");
      break;
    case CountRule::Repeat:
      counts = token.consume_front("x");
      break;
    case CountRule::Dimension:
      counts = token.consume_back("d");
      break;
    default: // "m64n128k16"
      counts = token.consume_front("m");
      token = token.split('n').second.split('k').first;
    }
    if (counts && !token.empty() && !token.getAsInteger(10, n))
      break;
    n = 1;
  }
  if (operand.countRule == CountRule::ShapeN)
    return n / operand.count;
  return operand.countRule == CountRule::Repeat ? n * operand.count : n;
}

//===----------------------------------------------------------------------===//
// Scalar types
//===----------------------------------------------------------------------===//

unsigned ptx::getBitWidth(ScalarType type) {
  switch (type) {
  case ScalarType::Pred:
    return 1;
  case ScalarType::B8:
  case ScalarType::U8:
  case ScalarType::S8:
    return 8;
  case ScalarType::B16:
  case ScalarType::U16:
  case ScalarType::S16:
  case ScalarType::F16:
  case ScalarType::BF16:
    return 16;
  case ScalarType::B32:
  case ScalarType::U32:
  case ScalarType::S32:
  case ScalarType::F32:
  case ScalarType::F16x2:
  case ScalarType::BF16x2:
  case ScalarType::TF32:
  case ScalarType::U16x2:
  case ScalarType::S16x2:
  case ScalarType::U8x4:
  case ScalarType::S8x4:
    return 32;
  case ScalarType::U2:
  case ScalarType::S2:
    return 2;
  case ScalarType::U4:
  case ScalarType::S4:
    return 4;
  case ScalarType::E2M1x2:
    return 8;
  case ScalarType::E4M3x2:
  case ScalarType::E5M2x2:
  case ScalarType::E2M3x2:
  case ScalarType::E3M2x2:
  case ScalarType::UE8M0x2:
    return 16;
  case ScalarType::B64:
  case ScalarType::U64:
  case ScalarType::S64:
  case ScalarType::F64:
  case ScalarType::F32x2:
    return 64;
  case ScalarType::B128:
    return 128;
  }
  llvm_unreachable("all types handled");
}

bool ptx::isFloat(ScalarType type) {
  return type == ScalarType::F16 || type == ScalarType::F32 ||
         type == ScalarType::F64;
}
bool ptx::isSignedInt(ScalarType type) {
  return type >= ScalarType::S8 && type <= ScalarType::S64;
}
bool ptx::isUnsignedInt(ScalarType type) {
  return type >= ScalarType::U8 && type <= ScalarType::U64;
}
bool ptx::isBits(ScalarType type) {
  return !isFloat(type) && !isSignedInt(type) && !isUnsignedInt(type) &&
         type != ScalarType::Pred;
}

ScalarType ptx::getPartType(ScalarType type) {
  switch (type) {
  case ScalarType::F16x2:
    return ScalarType::F16;
  case ScalarType::BF16x2:
    return ScalarType::BF16;
  case ScalarType::F32x2:
    return ScalarType::F32;
  case ScalarType::U16x2:
    return ScalarType::U16;
  case ScalarType::S16x2:
    return ScalarType::S16;
  case ScalarType::U8x4:
    return ScalarType::U8;
  case ScalarType::S8x4:
    return ScalarType::S8;
  default:
    return type;
  }
}

ScalarType ptx::getWide(ScalarType type) {
  switch (type) {
  case ScalarType::U16:
    return ScalarType::U32;
  case ScalarType::U32:
    return ScalarType::U64;
  case ScalarType::S16:
    return ScalarType::S32;
  case ScalarType::S32:
    return ScalarType::S64;
  default:
    return type;
  }
}

Type ptx::getValueType(MLIRContext *context, ScalarType type) {
  switch (type) {
  case ScalarType::F16:
    return Float16Type::get(context);
  case ScalarType::F32:
    return Float32Type::get(context);
  case ScalarType::F64:
    return Float64Type::get(context);
  case ScalarType::B128: // the type of each half
    return IntegerType::get(context, 64);
  default:
    return IntegerType::get(context, getBitWidth(type));
  }
}

bool ptx::isCompatible(ScalarType type, ScalarType reg) {
  if (type == reg)
    return true;
  if (type == ScalarType::Pred || reg == ScalarType::Pred)
    return false;
  return isBits(type) || isBits(reg) || (!isFloat(type) && !isFloat(reg));
}

ScalarType ptx::getRegisterType(SpecialRegister reg) {
  return kSRegs[unsigned(reg)].type;
}
SinceSpec ptx::getAvailability(SpecialRegister reg) {
  return kSRegs[unsigned(reg)].since;
}

//===----------------------------------------------------------------------===//
// Availability
//===----------------------------------------------------------------------===//

ArrayRef<SinceSpec> ptx::getTargets() { return kTargets; }

const SinceSpec *ptx::findTarget(StringRef name) {
  std::string plain = name.str();
  if (name.consume_front("compute_"))
    plain = ("sm_" + name).str();
  for (const SinceSpec &target : kTargets)
    if (plain == target.target)
      return &target;
  return nullptr;
}

std::optional<unsigned> ptx::getLastMinor(unsigned major) {
  if (major < 1 || major > std::size(kLastMinor))
    return std::nullopt;
  return kLastMinor[major - 1];
}

std::string ptx::getNewestVersion() {
  unsigned major = std::size(kLastMinor);
  return std::to_string(major) + "." + std::to_string(kLastMinor[major - 1]);
}

std::optional<Availability> ptx::parseAvailability(StringRef version,
                                                   StringRef target) {
  Availability a;
  auto [major, minor] = version.split('.');
  if (major.getAsInteger(10, a.major) || minor.getAsInteger(10, a.minor))
    return std::nullopt;
  if (!target.consume_front("sm_") && !target.consume_front("compute_"))
    return std::nullopt;
  if (target.ends_with("a") || target.ends_with("f")) {
    a.suffix = target.back();
    target = target.drop_back();
  }
  if (target.getAsInteger(10, a.sm))
    return std::nullopt;
  return a;
}

bool Availability::satisfies(const SinceSpec &since) const {
  auto read = [](StringRef text) {
    auto [x, y] = text.split('.');
    std::pair<unsigned, unsigned> version(0, 0);
    (void)x.getAsInteger(10, version.first);
    (void)y.getAsInteger(10, version.second);
    return version;
  };
  auto [first, last] = StringRef(since.ptxVersion).split('-');
  std::pair<unsigned, unsigned> have(major, minor);
  if (have < read(first) || (!last.empty() && have > read(last)))
    return false;
  StringRef target(since.target);
  target.consume_front("sm_");
  if (target.consume_back("+")) {
    unsigned want = 0;
    (void)target.getAsInteger(10, want);
    return sm >= want;
  }
  char kind = target.back();
  unsigned want = 0;
  (void)target.drop_back().getAsInteger(10, want);
  // Architecture-specific features exist on that target only. Family-specific
  // ones exist on every suffixed target of the family (same tens, not older).
  if (kind == 'a')
    return suffix == 'a' && sm == want;
  return suffix && sm / 10 == want / 10 && sm >= want;
}

bool Availability::satisfies(const FormSpec &form) const {
  return llvm::any_of(form.getSince(),
                      [&](const SinceSpec &s) { return satisfies(s); });
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

std::optional<FormMatch> ptx::matchForm(const FormSpec &form,
                                        ArrayRef<StringRef> tokens,
                                        unsigned &badToken) {
  FormMatch match;
  llvm::SmallVector<bool, 12> used(form.numSlots, false);
  unsigned numTypes = 0;
  for (auto [i, token] : llvm::enumerate(tokens)) {
    bool found = false;
    for (auto [s, slot] : llvm::enumerate(form.getSlots())) {
      if (used[s])
        continue;
      if (slot.accepts(token)) {
        used[s] = found = true;
        match.modifiers.push_back({slot.modifier, token});
        auto type =
            slot.modifier->isType ? symbolizeScalarType(token) : std::nullopt;
        if (type && numTypes < 2)
          (numTypes ? match.second : match.first) = *type;
        numTypes += type.has_value();
        break;
      }
      // Type tokens must stand in the order of the form, so a type may not skip
      // a slot for a type.
      if (slot.modifier->isType && slot.modifier->isType(token))
        break;
    }
    if (!found) {
      badToken = i;
      return std::nullopt;
    }
  }
  for (auto [s, slot] : llvm::enumerate(form.getSlots()))
    if (!used[s] && !slot.optional) {
      badToken = tokens.size();
      return std::nullopt;
    }
  if (numTypes == 1)
    match.second = match.first;
  return match;
}

/// The modifiers that the forms of an op have, each once. (The verifier asks
/// this for each op, and `ld` has a hundred forms of a few modifiers.)
static ArrayRef<const ModifierSpec *> getModifiersOfOp(StringRef opName) {
  using List = llvm::SmallVector<const ModifierSpec *, 8>;
  static const auto index = [] {
    llvm::StringMap<List> all;
    for (const FormSpec &form : kForms) {
      List &list = all[form.opName];
      for (const SlotSpec &slot : form.getSlots())
        if (*slot.modifier->attrName &&
            !llvm::is_contained(list, slot.modifier))
          list.push_back(slot.modifier);
    }
    return all;
  }();
  auto it = index.find(opName);
  return it == index.end() ? ArrayRef<const ModifierSpec *>()
                           : ArrayRef(it->second);
}

void ptx::addModifiers(const FormSpec &form, const FormMatch &match,
                       OperationState &state) {
  MLIRContext *context = state.getContext();
  if (const ModifierSpec *opcode = form.opcodeModifier)
    state.addAttribute(opcode->attrName, opcode->build(context, form.opcode));
  for (auto &[modifier, token] : match.modifiers)
    if (*modifier->attrName) // IR keeps it
      state.addAttribute(modifier->attrName, modifier->build(context, token));
}

std::optional<std::string> ptx::spellModifiers(Operation *op,
                                               const FormSpec &form) {
  std::string text;
  if (const ModifierSpec *opcode = form.opcodeModifier) {
    std::optional<Attribute> attr = op->getInherentAttr(opcode->attrName);
    if (!attr || !*attr || opcode->spell(*attr) != form.opcode)
      return std::nullopt;
  }
  llvm::SmallVector<const ModifierSpec *, 8> covered;
  for (const SlotSpec &slot : form.getSlots()) {
    // IR does not keep ignored modifiers: spell those that are required.
    bool ignored = !*slot.modifier->attrName;
    std::optional<Attribute> attr;
    if (!ignored) {
      covered.push_back(slot.modifier);
      attr = op->getInherentAttr(slot.modifier->attrName);
    }
    StringRef token = attr && *attr ? slot.modifier->spell(*attr) : StringRef();
    if (ignored && !slot.optional)
      token = slot.getTokens().front();
    if (token.empty() ? !slot.optional : !slot.accepts(token))
      return std::nullopt;
    if (token.empty())
      continue;
    if (!text.empty())
      text += '.';
    text += token;
  }
  // Modifiers that the form does not have must be absent.
  for (const ModifierSpec *other : getModifiersOfOp(form.opName)) {
    if (llvm::is_contained(covered, other))
      continue;
    if (std::optional<Attribute> attr = op->getInherentAttr(other->attrName);
        attr && *attr && !other->spell(*attr).empty())
      return std::nullopt;
  }
  return text;
}

std::optional<std::string> ptx::spellModifiers(Operation *op) {
  for (const FormSpec &form : getFormsOfOp(op->getName().getStringRef()))
    if (auto text = spellModifiers(op, form))
      return text;
  return std::nullopt;
}

/// ISA: "video instructions". A scalar operand selects one part of its
/// register. In a SIMD instruction, a source selects a part of a or b for each
/// lane, and the result selects the lanes that are written, the highest first.
bool ptx::isSelectable(const OperandSpec &operand, unsigned width,
                       ArrayRef<unsigned> parts) {
  unsigned lanes = operand.selectLanes;
  auto allBelow = [&](unsigned end) {
    return llvm::all_of(parts, [&](unsigned part) { return part < end; });
  };
  if (width != 8 && width != 16)
    return false;
  if (lanes <= 1)
    return lanes == 1 && parts.size() == 1 && allBelow(32 / width);
  if (width * lanes != 32 || parts.empty())
    return false;
  if (!operand.isResult)
    return parts.size() == lanes && allBelow(2 * lanes);
  return allBelow(lanes) &&
         std::adjacent_find(parts.begin(), parts.end(), std::less_equal<>()) ==
             parts.end();
}

std::string ptx::describeForm(const FormSpec &form) {
  // The annotations of operands are for ptx-tblgen: leave them out.
  std::string out;
  auto [head, operands] = StringRef(form.syntax).split(' ');
  out += head;
  if (!operands.empty())
    out += ' ';
  for (size_t i = 0; i < operands.size(); ++i) {
    char c = operands[i];
    if (c == ':') {
      while (i + 1 < operands.size() && llvm::isAlnum(operands[i + 1]))
        ++i;
    } else if (c == '&') { // the carry flag is not in the text
      i = operands.find(',', i);
      if (i == StringRef::npos) {
        out = StringRef(out).rtrim(", ").str();
        break;
      }
      ++i;
    } else if (c == '*') { // the number of elements
      std::string count;
      while (i + 1 < operands.size() &&
             (llvm::isAlnum(operands[i + 1]) || operands[i + 1] == '/'))
        count += operands[++i];
      if (!count.empty())
        out += "{" + count + "}";
    } else if (c != '%' && c != '#' && c != '~' && c != '?') {
      bool sign = c == '!' || c == '-';
      out += sign ? std::string("{") + c + "}" : std::string(1, c);
    }
  }
  return out;
}

//===- ptx-tblgen.cpp - writes tables of the ISA's records ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the .td files and writes the form table (-gen-form-table) that parser,
// printer and verifier share, or the list of opcodes for the coverage report
// (-gen-form-list). Build time only.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"
#include <map>

using namespace llvm;

namespace {
enum class Action { FormTable, FormList };
cl::opt<Action> action(
    cl::desc("action"),
    cl::values(clEnumValN(Action::FormTable, "gen-form-table", "form table"),
               clEnumValN(Action::FormList, "gen-form-list", "opcodes, forms")),
    cl::init(Action::FormTable));

/// A modifier argument of an op.
struct Modifier {
  std::string attrName;
  std::string enumName;  ///< C++ enum, empty for a flag
  std::string flagToken; ///< token of a flag
  std::vector<std::string> tokens;
  std::string key() const {
    std::string name =
        attrName + "_" + (enumName.empty() ? "flag_" + flagToken : enumName);
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
  }
};

struct Operand {
  std::string name, kind = "Value", rule = "First", fixed = "B32";
  std::string countRule = "Modifier", allowed;
  bool isResult = false, isUpdated = false, isSecond = false, optional = false,
       negatable = false, special = false, signable = false;
  unsigned selectLanes = 0;
  unsigned group = 0, count = 1, numParts = 0;
};

struct Slot {
  std::vector<std::string> tokens;
  bool optional = false;
};

/// The arguments and results of an op, from its ODS record.
struct OpLayout {
  std::vector<Modifier> modifiers;
  std::map<std::string, unsigned> operandGroups, resultGroups;
  unsigned numOperandGroups = 0;
  bool sized = false;
  /// For `Known` forms: the operands are one list, and those whose names begin
  /// with `d` are destinations.
  bool isRow = false;
  /// The IR keeps the text, so modifiers are words.
  bool keepsText = false;
  std::optional<Modifier> opcode;   ///< the attribute that holds the opcode
  std::vector<std::string> ignored; ///< modifiers that the IR does not keep
};
const Modifier &ignoredModifier() {
  static const Modifier ignored{"", "", "", {}};
  return ignored;
}
const Modifier &wordModifier(bool isType) {
  static const Modifier word{"instruction", "", "", {}},
      type{"instruction", "ScalarType", "", {}};
  return isType ? type : word;
}

std::vector<std::string> enumTokens(const Record *enumRecord) {
  std::vector<std::string> tokens;
  for (const Record *c : enumRecord->getValueAsListOfDefs("enumerants"))
    tokens.push_back(c->getValueAsString("str").str());
  return tokens;
}

/// Strips OptionalAttr<> and DefaultValuedAttr<>.
const Record *stripWrapper(const Record *attr) {
  while (!attr->isSubClassOf("Ptx_Modifier") && !attr->isSubClassOf("Ptx_Flag"))
    if (const auto *base = attr->getValue("baseAttr")) {
      const auto *def = dyn_cast<DefInit>(base->getValue());
      if (!def)
        return nullptr;
      attr = def->getDef();
    } else {
      return nullptr;
    }
  return attr;
}

OpLayout readLayout(const Record *op) {
  OpLayout layout;
  const DagInit *args = op->getValueAsDag("arguments");
  for (unsigned i = 0; i < args->getNumArgs(); ++i) {
    const auto *def = cast<DefInit>(args->getArg(i))->getDef();
    std::string name = args->getArgNameStr(i).str();
    if (def->isSubClassOf("TypeConstraint")) {
      layout.operandGroups[name] = layout.numOperandGroups++;
      continue;
    }
    const Record *base = stripWrapper(def);
    if (!base)
      continue;
    Modifier m;
    m.attrName = name;
    if (base->isSubClassOf("Ptx_Flag")) {
      m.flagToken = base->getValueAsString("Token").str();
      m.tokens = {m.flagToken};
    } else {
      const Record *enumRecord = base->getValueAsDef("enum");
      m.enumName = enumRecord->getValueAsString("className").str();
      m.tokens = enumTokens(enumRecord);
    }
    if (name == "opcode")
      layout.opcode = std::move(m);
    else
      layout.modifiers.push_back(std::move(m));
  }
  const DagInit *results = op->getValueAsDag("results");
  for (unsigned i = 0; i < results->getNumArgs(); ++i)
    layout.resultGroups[results->getArgNameStr(i).str()] = i;
  for (const Init *trait : *op->getValueAsListInit("traits"))
    if (cast<DefInit>(trait)->getDef()->getName() == "AttrSizedOperandSegments")
      layout.sized = true;
  for (StringRef token : op->getValueAsListOfStrings("Ignored"))
    layout.ignored.push_back(token.str());
  return layout;
}

/// The arguments and results of the op of a `Known` record.
OpLayout readRowLayout(const Record *known) {
  OpLayout layout;
  if (const RecordVal *op = known->getValue("IrOp"))
    layout = readLayout(cast<DefInit>(op->getValue())->getDef());
  else
    layout.keepsText = true;
  layout.isRow = true;
  layout.sized = false; // the parser handles the single list
  return layout;
}

[[noreturn]] void fail(const Record *op, const Twine &message) {
  PrintFatalError(op->getLoc(), message);
}

std::vector<Slot> parseSlots(const Record *op, StringRef text) {
  std::vector<Slot> slots;
  while (!text.empty()) {
    Slot slot;
    StringRef body;
    if (text.consume_front("{.")) {
      slot.optional = true;
      size_t end = text.find('}');
      body = text.take_front(end);
      text = text.drop_front(end + 1);
    } else if (text.consume_front(".{")) {
      size_t end = text.find('}');
      body = text.take_front(end);
      text = text.drop_front(end + 1);
    } else if (text.consume_front(".")) {
      size_t end = text.find_first_of(".{");
      body = text.take_front(end);
      text = text.substr(body.size());
    } else {
      fail(op, "bad modifier syntax at '" + text + "'");
    }
    SmallVector<StringRef> parts;
    body.split(parts, '|');
    for (StringRef p : parts)
      slot.tokens.push_back(p.str());
    slots.push_back(std::move(slot));
  }
  return slots;
}

/// Parses what follows the `*` of a vector: "", "4", "N/4", "2x", "D".
void parseCount(const Record *op, Operand &o, StringRef count) {
  o.kind = "Vector";
  if (count.empty())
    return;
  if (count == "D") {
    o.countRule = "Dimension";
    return;
  }
  if (count.consume_front("N/"))
    o.countRule = "ShapeN";
  else
    o.countRule = count.consume_back("x") ? "Repeat" : "Fixed";
  if (count.getAsInteger(10, o.count))
    fail(op, "bad number of elements of '" + o.name + "'");
}

Operand parseOperand(const Record *op, const OpLayout &layout, StringRef text) {
  Operand o;
  if (text.consume_front("#")) {
    o.kind = "Immediate";
    auto [name, allowed] = text.split('=');
    o.allowed = allowed.str();
    o.rule = "Fixed", o.fixed = "B64";
    text = name;
  }
  if (text == "_")
    o.kind = "Sink";
  if (text.consume_front("?"))
    o.kind = "Ignored";
  if (text.consume_front("&")) {
    o.kind = "Carry";
    o.rule = "Fixed", o.fixed = "Pred";
  }
  if (text.consume_front("["))
    o.kind = "Address", text.consume_back("]");
  if (text.consume_front("-"))
    o.signable = true;
  if (text.consume_front("+"))
    o.isUpdated = true;
  if (text.consume_front("~")) {
    o.selectLanes = 1;
    if (text.consume_front("2"))
      o.selectLanes = 2;
    else if (text.consume_front("4"))
      o.selectLanes = 4;
  }
  if (text.consume_front("!"))
    o.negatable = true;
  if (text.consume_front("%"))
    o.special = true;
  auto [name, type] = text.split(':');
  if (size_t star = name.find('*'); star != StringRef::npos) {
    o.name = name.take_front(star).str();
    parseCount(op, o, name.drop_front(star + 1));
    name = name.take_front(star);
  }
  o.name = name.str();
  if (type == "2")
    o.rule = "Second";
  else if (type == "w")
    o.rule = "Wide";
  else if (type == "label")
    o.kind = "Label";
  else if (type == "callee")
    o.kind = "Callee";
  else if (!type.empty())
    o.rule = "Fixed", o.fixed = type.upper() == "PRED" ? "Pred" : type.upper();
  if (o.kind == "Label" || o.kind == "Callee" || o.kind == "Sink" ||
      o.kind == "Ignored" || (o.kind == "Immediate" && !layout.isRow))
    return o;
  if (layout.isRow) {
    o.isResult = name.starts_with("d") && o.kind != "Address";
    if (o.isUpdated && !o.isResult)
      fail(op, "operand '" + o.name + "' is no result");
    return o;
  }
  if (auto it = layout.resultGroups.find(o.name);
      it != layout.resultGroups.end())
    o.isResult = true, o.group = it->second;
  else if (auto in = layout.operandGroups.find(o.name);
           in != layout.operandGroups.end())
    o.group = in->second;
  else
    fail(op, "operand '" + o.name + "' is neither an argument nor a result");
  return o;
}

std::vector<Operand> parseOperands(const Record *op, const OpLayout &layout,
                                   StringRef text) {
  std::vector<Operand> operands;
  while (!text.empty()) {
    bool optional = text.consume_front("{, ");
    bool second = !optional && text.consume_front("{|");
    if (!optional && !second)
      text.consume_front(", ");
    size_t end = text.find_first_of(",{}[");
    if (end == 0 && text[0] == '[')
      end = text.find_first_of(",]") + (text[text.find_first_of(",]")] == ']');
    StringRef body = text.take_front(end);
    text = text.substr(body.size());
    if (body.starts_with("[") && !body.ends_with("]") &&
        text.consume_front(",")) {
      // Parts of an address.
      size_t close = text.find(']');
      size_t at = operands.size();
      operands.push_back(parseOperand(op, layout, body));
      SmallVector<StringRef> parts;
      text.take_front(close).split(parts, ',');
      text = text.drop_front(close + 1);
      for (StringRef part : parts)
        operands.push_back(parseOperand(op, layout, part));
      operands[at].numParts = parts.size();
      operands[at].optional = optional;
      if (optional)
        text.consume_front("}");
      continue;
    }
    if (second) {
      Operand o = operands.back();
      auto [name, type] = body.split(':');
      o.name = name.str();
      o.kind = "Value";
      o.isSecond = true;
      if (!type.empty())
        o.rule = "Fixed", o.fixed = "Pred";
      operands.push_back(o);
    } else {
      operands.push_back(parseOperand(op, layout, body));
      operands.back().optional = optional;
    }
    if (optional || second)
      text.consume_front("}");
  }
  return operands;
}

struct FormText {
  StringRef opcode, modifiers, operands;
};
FormText splitSyntax(StringRef syntax) {
  FormText f;
  auto [head, operands] = syntax.split(' ');
  size_t end = head.find_first_of(".{");
  f.opcode = head.take_front(end);
  f.modifiers = end == StringRef::npos ? "" : head.substr(end);
  f.operands = operands;
  return f;
}

class TableWriter {
public:
  TableWriter(raw_ostream &os, const RecordKeeper &records)
      : os(os), types(enumTokens(records.getDef("Ptx_ScalarTypeEnum"))) {}

  void modifier(const Modifier &m) {
    if (!modifiers.insert({m.key(), true}).second)
      return;
    if (m.attrName.empty()) {
      os << "static const ModifierSpec kMod_" << m.key()
         << " = {\"\", false, nullptr, nullptr, nullptr};\n";
      return;
    }
    if (m.attrName == "instruction") {
      os << "static const ModifierSpec kMod_" << m.key()
         << " = {\"instruction\", false, " << isTypeFunction(m)
         << ", nullptr, nullptr};\n";
      return;
    }
    os << "static const ModifierSpec kMod_" << m.key() << " = {\"" << m.attrName
       << "\", " << (m.enumName.empty() ? "true" : "false") << ", "
       << isTypeFunction(m)
       << ",\n  [](mlir::MLIRContext *c, llvm::StringRef t) -> mlir::Attribute "
          "{\n";
    if (m.enumName.empty())
      os << "    return t == \"" << m.flagToken
         << "\" ? mlir::Attribute(mlir::UnitAttr::get(c)) : mlir::Attribute(); "
            "},\n  [](mlir::Attribute a) -> llvm::StringRef { return "
            "llvm::isa<mlir::UnitAttr>(a) ? \""
         << m.flagToken << "\" : \"\"; }};\n";
    else
      os << "    auto e = symbolize" << m.enumName
         << "(t); return e ? mlir::Attribute(" << m.enumName
         << "Attr::get(c, *e)) : mlir::Attribute(); },\n"
            "  [](mlir::Attribute a) -> llvm::StringRef { auto e = "
            "llvm::dyn_cast<"
         << m.enumName << "Attr>(a); return e ? stringify" << m.enumName
         << "(e.getValue()) : \"\"; }};\n";
  }

  /// A C++ function that recognizes tokens of types, or nullptr for other
  /// modifiers. The order of types matters.
  static std::string isTypeFunction(const Modifier &m) {
    if (m.enumName != "ScalarType" && m.enumName != "MatrixType")
      return "nullptr";
    return "[](llvm::StringRef t) { return symbolize" + m.enumName +
           "(t).has_value(); }";
  }

  /// The name of an array of token strings. Slots with equal tokens share one.
  std::string tokens(const Slot &slot) {
    std::string key = join(slot.tokens, "|");
    auto [it, fresh] =
        tokenArrays.insert({key, "kTok" + utostr(tokenArrays.size())});
    if (fresh) {
      os << "static const char *const " << it->second << "[] = {";
      for (const std::string &t : slot.tokens)
        os << '"' << t << "\", ";
      os << "};\n";
    }
    return it->second;
  }

  void form(const Record *op, const OpLayout &layout, const Record *form,
            StringRef syntax, StringRef opName, bool wideOperands) {
    FormText text = splitSyntax(syntax);
    std::vector<Slot> slots = parseSlots(op, text.modifiers);
    std::vector<Operand> operands = parseOperands(op, layout, text.operands);
    std::string id = utostr(rows.size());
    slotArray(op, layout, slots, id);
    operandArray(operands, id);
    os << "static const SinceSpec kSince" << id << "[] = {";
    auto since = form->getValueAsListOfDefs("Availability");
    for (const Record *s : since)
      os << "{\"" << s->getValueAsString("PtxVersion") << "\", \""
         << s->getValueAsString("Target") << "\"}, ";
    os << "};\n";
    std::string row;
    raw_string_ostream r(row);
    r << "{\"" << text.opcode << "\", \"ptx." << opName << "\", \"" << syntax
      << "\", \"" << op->getValueAsString("IsaAnchor") << "\", "
      << int(wideOperands) << ", "
      << (layout.sized ? layout.numOperandGroups : 0) << ", "
      << (slots.empty() ? "nullptr" : "kSlots" + id) << ", " << slots.size()
      << ", " << (operands.empty() ? "nullptr" : "kOperands" + id) << ", "
      << operands.size() << ", kSince" << id << ", " << since.size() << ", "
      << int(layout.isRow) << ", " << int(layout.keepsText) << ", "
      << (layout.opcode ? "&kMod_" + layout.opcode->key() : "nullptr") << "}";
    rows.push_back({text.opcode.str(), row});
  }

  void finish(const RecordKeeper &records) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](auto &a, auto &b) { return a.first < b.first; });
    os << "static const FormSpec kForms[] = {\n";
    for (auto &[opcode, row] : rows)
      os << "  " << row << ",\n";
    os << "};\n\nstatic const std::pair<llvm::StringLiteral, SinceSpec> "
          "kTokenSince[] = {\n";
    for (const Record *r : records.getAllDerivedDefinitions("TokenSince")) {
      const Record *since = r->getValueAsDef("Availability");
      os << "  {\"" << r->getValueAsString("Token") << "\", {\""
         << since->getValueAsString("PtxVersion") << "\", \""
         << since->getValueAsString("Target") << "\"}},\n";
    }
    os << "};\n\nstatic const ImpliedSpec kTokenImplied[] = {\n";
    for (const Record *r : records.getAllDerivedDefinitions("TokenImplied"))
      os << "  {\"" << r->getValueAsString("Opcode") << "\", \""
         << r->getValueAsString("Token") << "\", \""
         << r->getValueAsString("PtxVersion") << "\"},\n";
    os << "};\n\nstatic const unsigned kLastMinor[] = {\n";
    for (int64_t minor :
         records.getDef("Ptx_Versions")->getValueAsListOfInts("LastMinor"))
      os << "  " << minor << ",\n";
    os << "};\n\nstatic const SinceSpec kTargets[] = {\n";
    for (const Record *r :
         records.getDef("Ptx_Targets")->getValueAsListOfDefs("All"))
      for (StringRef name : r->getValueAsListOfStrings("Names"))
        os << "  {\"" << r->getValueAsString("PtxVersion") << "\", \"" << name
           << "\"},\n";
    os << "};\n\nstruct SRegRow { ScalarType type; SinceSpec since; };\n"
          "static const SRegRow kSRegs[] = {\n";
    const Record *sregs = records.getDef("Ptx_SpecialRegisterEnum");
    for (const Record *r : sregs->getValueAsListOfDefs("enumerants")) {
      const Record *since = r->getValueAsDef("Availability");
      StringRef type = r->getValueAsString("RegType");
      os << "  {ScalarType::" << (type == "pred" ? "Pred" : type.upper())
         << ", {\"" << since->getValueAsString("PtxVersion") << "\", \""
         << since->getValueAsString("Target") << "\"}},\n";
    }
    os << "};\n";
  }

private:
  void slotArray(const Record *op, const OpLayout &layout,
                 const std::vector<Slot> &slots, const std::string &id) {
    std::string array;
    raw_string_ostream a(array);
    std::map<std::string, unsigned> used;
    for (const Slot &slot : slots) {
      const Modifier *owner = findOwner(op, layout, slot, used);
      a << "{&kMod_" << owner->key() << ", " << int(slot.optional) << ", "
        << tokens(slot) << ", " << slot.tokens.size() << "}, ";
    }
    if (!slots.empty())
      os << "static const SlotSpec kSlots" << id << "[] = {" << array << "};\n";
  }

  /// The op's first modifier that no earlier slot has taken and that has all
  /// tokens of `slot`.
  const Modifier *findOwner(const Record *op, const OpLayout &layout,
                            const Slot &slot,
                            std::map<std::string, unsigned> &used) {
    if (layout.keepsText)
      return &wordModifier(all_of(slot.tokens, [&](const std::string &t) {
        return is_contained(types, t);
      }));
    for (const Modifier &m : layout.modifiers) {
      if (used.count(m.attrName))
        continue;
      if (all_of(slot.tokens, [&](const std::string &t) {
            return is_contained(m.tokens, t);
          })) {
        used[m.attrName] = 1;
        return &m;
      }
    }
    if (all_of(slot.tokens, [&](const std::string &t) {
          return is_contained(layout.ignored, t);
        }))
      return &ignoredModifier();
    fail(op, "no argument of the op holds '." + join(slot.tokens, "|") + "'");
  }

  void operandArray(const std::vector<Operand> &operands,
                    const std::string &id) {
    if (operands.empty())
      return;
    os << "static const OperandSpec kOperands" << id << "[] = {";
    for (const Operand &o : operands)
      os << "{\"" << o.name << "\", OperandKind::" << o.kind
         << ", TypeRule::" << o.rule << ", ScalarType::" << o.fixed << ", "
         << o.isResult << ", " << o.isUpdated << ", " << o.isSecond << ", "
         << o.optional << ", " << o.negatable << ", " << o.special << ", "
         << o.signable << ", " << o.selectLanes
         << ", CountRule::" << o.countRule << ", " << o.count << ", "
         << o.numParts << ", \"" << o.allowed << "\", " << o.group << "}, ";
    os << "};\n";
  }

  raw_ostream &os;
  std::vector<std::string> types; ///< tokens of scalar types
  std::map<std::string, bool> modifiers;
  std::map<std::string, std::string> tokenArrays;
  std::vector<std::pair<std::string, std::string>> rows;
};

bool emitFormTable(raw_ostream &os, const RecordKeeper &records) {
  os << "// Made by ptx-tblgen. Do not edit.\n";
  TableWriter writer(os, records);
  writer.modifier(ignoredModifier());
  for (const Record *op : records.getAllDerivedDefinitions("Ptx_Instr")) {
    OpLayout layout = readLayout(op);
    for (const Modifier &m : layout.modifiers)
      writer.modifier(m);
    for (const Record *form : op->getValueAsListOfDefs("Forms"))
      writer.form(op, layout, form, form->getValueAsString("Syntax"),
                  op->getValueAsString("opName"),
                  op->getValueAsBit("WideOperands"));
  }
  writer.modifier(wordModifier(false));
  writer.modifier(wordModifier(true));
  for (const Record *known : records.getAllDerivedDefinitions("Known")) {
    OpLayout layout = readRowLayout(known);
    for (const Modifier &m : layout.modifiers)
      writer.modifier(m);
    if (layout.opcode)
      writer.modifier(*layout.opcode);
    for (const Record *form : known->getValueAsListOfDefs("Forms"))
      writer.form(known, layout, form, form->getValueAsString("Syntax"),
                  known->getValueAsString("OpName"), false);
  }
  writer.finish(records);
  return false;
}

/// The first target that has the form in current PTX versions; empty if none
/// has.
std::string firstTarget(const Record *form) {
  for (const Record *since : form->getValueAsListOfDefs("Availability")) {
    if (since->getValueAsString("PtxVersion").contains('-'))
      continue;
    StringRef target = since->getValueAsString("Target");
    target.consume_back("+");
    return target.str();
  }
  return "";
}

/// Writes one line a form: opcode, op, syntax and a target.
bool emitFormList(raw_ostream &os, const RecordKeeper &records) {
  auto list = [&](const Record *record, StringRef opName) {
    for (const Record *form : record->getValueAsListOfDefs("Forms"))
      if (std::string target = firstTarget(form); !target.empty())
        os << splitSyntax(form->getValueAsString("Syntax")).opcode << '\t'
           << opName << '\t' << form->getValueAsString("Syntax") << '\t'
           << target << '\n';
  };
  for (const Record *op : records.getAllDerivedDefinitions("Ptx_Instr"))
    list(op, op->getValueAsString("opName"));
  for (const Record *known : records.getAllDerivedDefinitions("Known"))
    list(known, known->getValueAsString("OpName"));
  return false;
}
} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(
      argv[0], [](raw_ostream &os, const RecordKeeper &records) {
        return action == Action::FormTable ? emitFormTable(os, records)
                                           : emitFormList(os, records);
      });
}

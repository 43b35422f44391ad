//===- WriteAssembly.cpp - the object of a module as directives -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code is written as bytes: it is complete, and has no relocations. Only the
// tables refer to it, by addresses in a section that the program may write to.
//
//===----------------------------------------------------------------------===//

#include "CompiledModule.h"
#include "ptxjit/Ahead/AheadABI.h"
#include "ptxjit/Cache/Records.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit;

namespace {
/// Writes directives that assemblers of all architectures know.
class Assembly {
public:
  /// \param flags  of ELF: "ax" is code, "a" is read only, "aw" is data.
  void section(const std::string &name, const char *flags) {
    text += ".section " + name + ",\"" + flags + "\"\n";
  }
  void align(uint64_t bytes) {
    text += ".balign " + std::to_string(bytes) + "\n";
  }
  void label(const std::string &name) { text += quote(name) + ":\n"; }
  void number(uint32_t value) {
    text += ".4byte " + std::to_string(value) + "\n";
  }
  void wide(uint64_t value) {
    text += ".8byte " + std::to_string(value) + "\n";
  }
  void address(const std::string &name) {
    text += ".8byte " + quote(name) + "\n";
  }
  void bytes(const std::string &data);
  /// Tells the linker, debuggers and profilers what a label is.
  void describe(const std::string &name, const char *type, uint64_t bytes) {
    text += ".type " + quote(name) + ", " + type + "\n.size " + quote(name) +
            ", " + std::to_string(bytes) + "\n";
  }
  void exportLabel(const std::string &name) {
    text += ".globl " + quote(name) + "\n";
  }
  std::string take() { return std::move(text); }

private:
  static std::string quote(const std::string &name) {
    return "\"" + name + "\"";
  }
  std::string text;
};

/// Writes the parts of an object.
class ObjectWriter {
public:
  explicit ObjectWriter(const CompiledModule &module) : module(module) {}
  std::string write();

private:
  void writeCode();
  void writeRecords();
  void writeTables();
  void writeString(const std::string &label, const std::string &text);
  std::string kernelName(const CompiledVariant &variant) const {
    return module.info.kernels[variant.kernel].name;
  }
  /// The symbol that profilers show for the code of a variant.
  std::string symbolOf(size_t i) const;

  const CompiledModule &module;
  std::vector<std::string> records; ///< of the variants' images
  Assembly out;
};
} // namespace

void Assembly::bytes(const std::string &data) {
  constexpr size_t line = 64;
  for (size_t begin = 0; begin < data.size(); begin += line) {
    text += ".ascii \"";
    for (char c : data.substr(begin, line)) {
      auto byte = uint8_t(c);
      text += '\\';
      text += char('0' + (byte >> 6));
      text += char('0' + (byte >> 3 & 7));
      text += char('0' + (byte & 7));
    }
    text += "\"\n";
  }
}

// Labels of this file end with a number or a word behind a dot, which neither
// C nor PTX has in names.
static std::string label(const char *what, size_t i) {
  return std::string(".Lptxjit.") + what + "." + std::to_string(i);
}

std::string ObjectWriter::symbolOf(size_t i) const {
  const CompiledVariant &variant = module.variants[i];
  const uint32_t *block = variant.spec.block;
  std::string name = kernelName(variant) + ".block.";
  if (variant.spec.anyBlock == PTXJIT_ANY_BLOCK_ROW)
    return name + "row";
  if (variant.spec.anyBlock == PTXJIT_ANY_BLOCK_ALL)
    return name + "any";
  return name + std::to_string(block[0]) + "x" + std::to_string(block[1]) +
         "x" + std::to_string(block[2]);
}

void ObjectWriter::writeCode() {
  out.section(".text.ptxjit", "ax");
  for (size_t i = 0; i < module.variants.size(); ++i) {
    const FlatCode &code = module.variants[i].code;
    out.align(kCodeAlign);
    out.label(label("code", i));
    out.bytes(code.bytes.substr(0, code.entry));
    out.label(symbolOf(i));
    out.bytes(code.bytes.substr(code.entry));
    out.describe(symbolOf(i), "STT_FUNC",
                 code.codeBegin + code.codeBytes - code.entry);
  }
}

void ObjectWriter::writeString(const std::string &label,
                               const std::string &text) {
  out.label(label);
  out.bytes(text + '\0');
}

/// The record of an image. What the object has elsewhere is left out: the code,
/// and the contents of the module's variables.
static std::string encodeRest(const PtxjitImage &image,
                              const PtxjitModuleInfo &module) {
  auto isModules = [&](const PtxjitVariable &variable) {
    return std::any_of(module.variables, module.variables + module.numVariables,
                       [&](const PtxjitVariable &other) {
                         return std::strcmp(other.name, variable.name) == 0;
                       });
  };
  std::vector<PtxjitVariable> globals(image.globals,
                                      image.globals + image.numGlobals);
  for (PtxjitVariable &variable : globals)
    if (isModules(variable))
      variable.initBytes = variable.numRelocs = 0;
  PtxjitImage copy = image;
  copy.globals = globals.data();
  copy.object = nullptr;
  copy.objectBytes = 0;
  return encode(copy);
}

void ObjectWriter::writeRecords() {
  out.section(".rodata.ptxjit", "a");
  for (size_t i = 0; i < module.variants.size(); ++i) {
    out.label(label("image", i));
    out.bytes(records.emplace_back(
        encodeRest(*module.variants[i].image, module.info)));
  }
  out.label(label("module", 0));
  out.bytes(encode(module.info));
  writeString(label("producer", 0), module.request.producer);
  writeString(label("file", 0), module.info.fileName);
  writeString(label("text", 0),
              module.request.keepsText ? module.info.text : "");
  writeString(label("cpu", 0), module.cpu);
  // All variants are for one CPU.
  writeString(label("features", 0), module.variants.front().image->cpuFeatures);
}

/// The tables of AheadABI.h, field by field.
void ObjectWriter::writeTables() {
  out.section(".data.ptxjit", "aw");
  out.align(8);
  out.label(label("variants", 0));
  for (size_t i = 0; i < module.variants.size(); ++i) {
    const CompiledVariant &variant = module.variants[i];
    out.address(label("image", i));
    out.wide(records[i].size());
    out.address(label("code", i));
    out.wide(variant.code.entry);
    out.wide(variant.code.codeBegin);
    out.wide(variant.code.codeBytes);
    out.number(variant.kernel);
    out.number(variant.spec.anyBlock);
    for (uint32_t extent : variant.spec.block)
      out.number(extent);
    out.number(variant.spec.smallGrid);
  }
  const std::string symbol = PTXJIT_OBJECT_PREFIX + module.request.name;
  out.exportLabel(symbol);
  out.label(symbol);
  out.bytes(PTXJIT_AHEAD_MAGIC);
  out.wide(PTXJIT_AHEAD_ABI_VERSION);
  out.wide(0); // state
  out.number(PTXJIT_KERNEL_ABI_VERSION);
  out.number(PTXJIT_COMPILER_ABI_VERSION);
  out.number(kRecordFormat);
  out.number(module.variants.front().image->sveBits);
  for (const char *text : {"producer", "file", "text", "cpu", "features"})
    out.address(label(text, 0));
  out.wide(module.variants.size());
  out.address(label("variants", 0));
  out.address(label("module", 0));
  out.wide(encode(module.info).size());
  out.describe(symbol, "STT_OBJECT", sizeof(PtxjitObject));
}

std::string ObjectWriter::write() {
  writeCode();
  writeRecords();
  writeTables();
  return out.take();
}

std::string ptxjit::writeAssembly(const CompiledModule &module) {
  return ObjectWriter(module).write();
}

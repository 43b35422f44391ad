//===- WriteHeader.cpp - the header of an object --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledModule.h"
#include "ptxjit/Ahead/AheadABI.h"

#include <algorithm>
#include <cctype>

using namespace ptxjit;

namespace {
/// A parameter of a function of the header.
struct Formal {
  std::string name, type;
  uint64_t offset, bytes; ///< in `.param` space
  bool isPointed;         ///< the argument is a pointer to the bytes
};

class HeaderWriter {
public:
  explicit HeaderWriter(const CompiledModule &module)
      : module(module), prefix(module.request.name + "_"),
        object(PTXJIT_OBJECT_PREFIX + module.request.name) {}
  std::string write();

private:
  void writeBegin();
  void writeKernel(uint32_t index, const std::string &name);
  void writeVariables(const std::vector<std::string> &kernels);
  std::vector<Formal> getFormals(const PtxjitKernelInfo &kernel) const;
  std::string listBlocks(uint32_t kernel) const;

  const CompiledModule &module;
  const std::string prefix, object;
  std::string out;
};
} // namespace

std::string ptxjit::describeBlock(const CompiledVariant &variant) {
  const uint32_t *block = variant.spec.block;
  if (variant.spec.anyBlock == PTXJIT_ANY_BLOCK_ROW)
    return "N x 1 x 1 threads";
  if (variant.spec.anyBlock == PTXJIT_ANY_BLOCK_ALL)
    return "any threads (slower)";
  return std::to_string(block[0]) + " x " + std::to_string(block[1]) + " x " +
         std::to_string(block[2]) + " threads";
}

/// A text in a comment must not end it.
static std::string inComment(std::string text) {
  for (size_t at = text.find("*/"); at != text.npos; at = text.find("*/"))
    text.replace(at, 2, "* /");
  for (char &c : text)
    c = c == '\n' ? ' ' : c;
  return text;
}

static std::string toUpper(std::string text) {
  for (char &c : text)
    c = char(std::toupper(uint8_t(c)));
  return text;
}

/// The type of C that has the kind and size of a parameter's type; "" if none
/// has.
static std::string typeOf(const PtxjitParam &param) {
  char kind = param.type[0];
  std::string bits = std::to_string(8 * param.elementBytes);
  if (param.count != 1 || param.elementBytes > 8)
    return "";
  if (kind == 'f' && param.elementBytes == 4)
    return "float";
  if (kind == 'f' && param.elementBytes == 8)
    return "double";
  return (kind == 's' ? "int" : "uint") + bits + "_t";
}

std::vector<Formal>
HeaderWriter::getFormals(const PtxjitKernelInfo &kernel) const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < kernel.numParams; ++i) {
    std::string name = kernel.params[i].name;
    // nvcc names them KERNEL_param_N.
    const std::string front = std::string(kernel.name) + "_";
    if (name.compare(0, front.size(), front) == 0)
      name.erase(0, front.size());
    names.push_back(name);
  }
  names = toIdentifiers(names);
  std::vector<Formal> formals;
  for (uint32_t i = 0; i < kernel.numParams; ++i) {
    const PtxjitParam &param = kernel.params[i];
    std::string type = typeOf(param);
    formals.push_back({names[i], type.empty() ? "const void *" : type + " ",
                       param.offset, param.elementBytes * param.count,
                       type.empty()});
  }
  return formals;
}

std::string HeaderWriter::listBlocks(uint32_t kernel) const {
  std::string list;
  for (const CompiledVariant &variant : module.variants)
    if (variant.kernel == kernel)
      list += (list.empty() ? "" : "; ") + describeBlock(variant);
  return list;
}

void HeaderWriter::writeBegin() {
  out += "/* Kernels of " + inComment(module.info.fileName) + ", compiled by " +
         module.request.producer + " for CPU " + module.cpu +
         ".\n * Programs include this, and link the object file and "
         "libptxjit-runtime. */\n";
  std::string guard = "PTXJIT_AHEAD_" + toUpper(module.request.name) + "_H";
  out += "#ifndef " + guard + "\n#define " + guard +
         "\n#include \"ptxjit/ptxjit-runtime.h\"\n\n"
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
         "extern PtxjitObject " +
         object + ";\n\n";
  out += "/** See ptxjitLoad. */\nstatic inline PtxjitError " + prefix +
         "load(void) {\n  return ptxjitLoad(&" + object +
         ");\n}\n/** See ptxjitUnload. */\nstatic inline void " + prefix +
         "unload(void) {\n  ptxjitUnload(&" + object + ");\n}\n";
}

void HeaderWriter::writeKernel(uint32_t index, const std::string &name) {
  const PtxjitKernelInfo &kernel = module.info.kernels[index];
  std::vector<Formal> formals = getFormals(kernel);
  out += "\n/** Launches '" + inComment(kernel.name) + "'. Blocks of " +
         listBlocks(index) + ".";
  for (const Formal &formal : formals)
    if (formal.isPointed)
      out += "\n *  `" + formal.name + "` points to the " +
             std::to_string(formal.bytes) + " bytes of the parameter.";
  out += " */\nstatic inline PtxjitError " + prefix + name +
         "(PtxjitLaunch launch";
  for (const Formal &formal : formals)
    out += ", " + formal.type + formal.name;
  uint64_t bytes = kernel.paramBytes ? kernel.paramBytes : 1;
  out += ") {\n  unsigned char block_[" + std::to_string(bytes) +
         "];\n  memset(block_, 0, sizeof(block_));\n";
  for (const Formal &formal : formals)
    out += "  memcpy(block_ + " + std::to_string(formal.offset) + ", " +
           (formal.isPointed ? "" : "&") + formal.name + ", " +
           std::to_string(formal.bytes) + ");\n";
  out += "  return ptxjitLaunchKernel(&" + object + ", " +
         std::to_string(index) + ", &launch, block_, sizeof(block_));\n}\n";
}

/// Compilers call variables of their own `$str` and the like.
static bool isProgrammers(const std::string &name) {
  return name.find('$') == name.npos && name.find('%') == name.npos;
}

/// \param kernels  names that are taken.
void HeaderWriter::writeVariables(const std::vector<std::string> &kernels) {
  std::vector<std::string> names;
  std::vector<const PtxjitVariable *> variables;
  for (uint32_t i = 0; i < module.info.numVariables; ++i)
    if (isProgrammers(module.info.variables[i].name)) {
      variables.push_back(&module.info.variables[i]);
      names.push_back(variables.back()->name);
    }
  names = toIdentifiers(names);
  for (std::string &name : names)
    while (std::find(kernels.begin(), kernels.end(), "get_" + name) !=
           kernels.end())
      name += "_";
  for (size_t i = 0; i < names.size(); ++i)
    out += "\n/** The memory of variable '" + inComment(variables[i]->name) +
           "', " + std::to_string(variables[i]->bytes) +
           " bytes; null in case of an error (ptxjitGetLastError). */\n"
           "static inline void *" +
           prefix + "get_" + names[i] +
           "(void) {\n  void *address = 0;\n  ptxjitFindVariable(&" + object +
           ", \"" + variables[i]->name +
           "\", &address, 0);\n"
           "  return address;\n}\n";
}

std::string HeaderWriter::write() {
  writeBegin();
  std::vector<std::string> names;
  for (uint32_t i = 0; i < module.info.numKernels; ++i)
    names.push_back(module.info.kernels[i].name);
  names = toIdentifiers(names);
  for (uint32_t i = 0; i < module.info.numKernels; ++i)
    writeKernel(i, names[i]);
  writeVariables(names);
  out += "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
  return std::move(out);
}

std::string ptxjit::writeHeader(const CompiledModule &module) {
  return HeaderWriter(module).write();
}

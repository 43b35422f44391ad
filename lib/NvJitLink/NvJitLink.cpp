//===- NvJitLink.cpp - the functions of libnvJitLink ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It links PTX, which our driver loads where programs expect machine code.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "ptxjit/Images/DeviceLink.h"
#include "ptxjit/Images/HostObject.h"
#include "ptxjit/Runtime/HandleTable.h"
#include "ptxjit/Runtime/ReadFile.h"

#include <cstdint>
#include <cstring>
#include <optional>

using namespace ptxjit;
using namespace ptxjit::jitlink;

namespace {
/// What a handle stands for.
struct Link {
  Options options;
  std::optional<DeviceLink> inputs; ///< none if the options are wrong
  std::string result;               ///< with a zero behind it; empty: none yet
  std::string errors, infos;        ///< the logs
};
} // namespace

static HandleTable<Link, nvJitLinkHandle> &getLinks() {
  static auto &links = *new HandleTable<Link, nvJitLinkHandle>;
  return links;
}

// Programs call a function by a name with the version of their header. All
// versions are the same.
#define PTXJIT_ALIAS(name, version)                                            \
  extern "C"                                                                   \
      __attribute__((visibility("default"),                                    \
                     alias("nvJitLink" #name))) decltype(nvJitLink##name)      \
          __nvJitLink##name##_##version;
#if PTXJIT_NVJITLINK_VERSION == 12
static constexpr unsigned kMajor = 12, kMinor = 9;
#define PTXJIT_ALIASES(name)                                                   \
  PTXJIT_ALIAS(name, 12_0)                                                     \
  PTXJIT_ALIAS(name, 12_1)                                                     \
  PTXJIT_ALIAS(name, 12_2)                                                     \
  PTXJIT_ALIAS(name, 12_3)                                                     \
  PTXJIT_ALIAS(name, 12_4)                                                     \
  PTXJIT_ALIAS(name, 12_5)                                                     \
  PTXJIT_ALIAS(name, 12_6)                                                     \
  PTXJIT_ALIAS(name, 12_7) PTXJIT_ALIAS(name, 12_8) PTXJIT_ALIAS(name, 12_9)
#else
static constexpr unsigned kMajor = 13, kMinor = 0;
#define PTXJIT_ALIASES(name)                                                   \
  PTXJIT_ALIAS(name, 13_0)                                                     \
  PTXJIT_ALIAS(name, 13_1)                                                     \
  PTXJIT_ALIAS(name, 13_2)                                                     \
  PTXJIT_ALIAS(name, 13_3)                                                     \
  PTXJIT_ALIAS(name, 13_4)                                                     \
  PTXJIT_ALIAS(name, 13_5)                                                     \
  PTXJIT_ALIAS(name, 13_6)                                                     \
  PTXJIT_ALIAS(name, 13_7) PTXJIT_ALIAS(name, 13_8) PTXJIT_ALIAS(name, 13_9)
#endif
#define PTXJIT_NVJITLINK_API                                                   \
  extern "C" __attribute__((visibility("default"))) nvJitLinkResult

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

PTXJIT_NVJITLINK_API nvJitLinkVersion(unsigned *major, unsigned *minor) {
  if (!major || !minor)
    return NVJITLINK_ERROR_NULL_INPUT;
  *major = kMajor;
  *minor = kMinor;
  return NVJITLINK_SUCCESS;
}

/// After an error of the options, too, there is a handle, for its log.
PTXJIT_NVJITLINK_API nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count,
                                     const char *const *words) {
  if (!handle || !count || !words)
    return NVJITLINK_ERROR_NULL_INPUT;
  std::vector<std::string> given;
  for (uint32_t i = 0; i < count; ++i) {
    if (!words[i])
      return NVJITLINK_ERROR_NULL_INPUT;
    given.push_back(words[i]);
  }
  auto link = std::make_shared<Link>();
  nvJitLinkResult result = readOptions(given, link->options, link->errors);
  if (result == NVJITLINK_SUCCESS)
    link->inputs.emplace(link->options.device, link->options.arch);
  *handle = getLinks().add(std::move(link));
  return result;
}
PTXJIT_ALIASES(Create)

PTXJIT_NVJITLINK_API nvJitLinkDestroy(nvJitLinkHandle *handle) {
  if (!handle || !getLinks().remove(*handle))
    return NVJITLINK_ERROR_NULL_INPUT;
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}
PTXJIT_ALIASES(Destroy)

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Is a file what its type says? Our tools write PTX as machine code.
static bool isOfType(FileKind kind, int type) {
  switch (type) {
  case NVJITLINK_INPUT_PTX:
    return kind == FileKind::Text;
  case NVJITLINK_INPUT_CUBIN:
    return kind == FileKind::Text || kind == FileKind::MachineCode;
  case NVJITLINK_INPUT_FATBIN:
    return kind == FileKind::Container;
  case NVJITLINK_INPUT_OBJECT:
    return kind == FileKind::Object;
  case NVJITLINK_INPUT_LIBRARY:
    return kind == FileKind::Archive;
  case NVJITLINK_INPUT_ANY:
    return kind != FileKind::Other && kind != FileKind::Program;
  default:
    return false;
  }
}

/// Moves the lines of `diagnostics` to the logs.
static void logLines(Link &link, const std::string &diagnostics) {
  bool isWarning = diagnostics.compare(0, 8, "warning:") == 0;
  (isWarning ? link.infos : link.errors) += diagnostics;
}

static nvJitLinkResult addBytes(Link &link, int type, const std::string &bytes,
                                const std::string &name) {
  if (!link.inputs)
    return NVJITLINK_ERROR_INTERNAL;
  if (type == NVJITLINK_INPUT_LTOIR || type == NVJITLINK_INPUT_INDEX) {
    link.errors += "error: " + name +
                   ": LTO IR cannot be linked by ptx-jit; compile to PTX, "
                   "without -dlto\n";
    return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
  }
  if (!isOfType(kindOfFile(bytes), type)) {
    link.errors += "error: " + name + ": bad input: does not match its type\n";
    return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
  }
  std::string diagnostics;
  bool isGood = link.inputs->add(bytes, name, diagnostics);
  logLines(link, diagnostics);
  return isGood ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
}

PTXJIT_NVJITLINK_API nvJitLinkAddData(nvJitLinkHandle handle, int type,
                                      const void *data, size_t size,
                                      const char *name) {
  std::shared_ptr<Link> link = getLinks().find(handle);
  if (!link)
    return NVJITLINK_ERROR_NULL_INPUT;
  if (!data || !size)
    return NVJITLINK_ERROR_INVALID_INPUT;
  return addBytes(*link, type,
                  std::string(static_cast<const char *>(data), size),
                  name ? name : "<unnamed>");
}
PTXJIT_ALIASES(AddData)

PTXJIT_NVJITLINK_API nvJitLinkAddFile(nvJitLinkHandle handle, int type,
                                      const char *path) {
  std::shared_ptr<Link> link = getLinks().find(handle);
  if (!link)
    return NVJITLINK_ERROR_NULL_INPUT;
  std::string bytes;
  if (!path || readFile(path, bytes) != 0)
    return NVJITLINK_ERROR_INVALID_INPUT;
  return addBytes(*link, type, bytes, path);
}
PTXJIT_ALIASES(AddFile)

static std::string describe(const LinkProblem &problem) {
  switch (problem.kind) {
  case LinkProblem::Kind::Undefined:
    return "error   : Undefined reference to '" + problem.symbol + "' in '" +
           problem.module + "'\n";
  case LinkProblem::Kind::Multiple:
    return "error   : Multiple definition of '" + problem.symbol + "' in '" +
           problem.module + "', first defined in '" + problem.first + "'\n";
  case LinkProblem::Kind::Other:
    break;
  }
  return problem.text + "\n";
}

PTXJIT_NVJITLINK_API nvJitLinkComplete(nvJitLinkHandle handle) {
  std::shared_ptr<Link> link = getLinks().find(handle);
  if (!link)
    return NVJITLINK_ERROR_NULL_INPUT;
  if (!link->inputs || !link->result.empty())
    return NVJITLINK_ERROR_INTERNAL;
  std::vector<LinkProblem> problems;
  std::string text = link->inputs->link(problems, link->options.isRelocatable);
  bool isSyntax = false;
  for (const LinkProblem &problem : problems) {
    link->errors += describe(problem);
    isSyntax |= problem.kind == LinkProblem::Kind::Other;
  }
  if (!problems.empty())
    return isSyntax ? NVJITLINK_ERROR_PTX_COMPILE : NVJITLINK_ERROR_INTERNAL;
  link->result = std::move(text);
  return NVJITLINK_SUCCESS;
}
PTXJIT_ALIASES(Complete)

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Finds the result, as PTX or as what stands for machine code.
static nvJitLinkResult findResult(nvJitLinkHandle handle, bool isPtx,
                                  std::shared_ptr<Link> &link) {
  link = getLinks().find(handle);
  if (!link)
    return NVJITLINK_ERROR_NULL_INPUT;
  if (isPtx != link->options.wantsPtx)
    return NVJITLINK_ERROR_INVALID_INPUT;
  return link->result.empty() ? NVJITLINK_ERROR_INTERNAL : NVJITLINK_SUCCESS;
}

/// The size of a text with the zero behind it.
static nvJitLinkResult getSize(const std::string &text, size_t *size) {
  if (!size)
    return NVJITLINK_ERROR_NULL_INPUT;
  *size = text.size() + 1;
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult getText(const std::string &text, void *buffer) {
  if (!buffer)
    return NVJITLINK_ERROR_NULL_INPUT;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return NVJITLINK_SUCCESS;
}

#define PTXJIT_LINKED(name, isPtx)                                             \
  PTXJIT_NVJITLINK_API nvJitLinkGetLinked##name##Size(nvJitLinkHandle handle,  \
                                                      size_t *size) {          \
    std::shared_ptr<Link> link;                                                \
    nvJitLinkResult error = findResult(handle, isPtx, link);                   \
    return error ? error : getSize(link->result, size);                        \
  }                                                                            \
  PTXJIT_ALIASES(GetLinked##name##Size)                                        \
  PTXJIT_NVJITLINK_API nvJitLinkGetLinked##name(nvJitLinkHandle handle,        \
                                                void *buffer) {                \
    std::shared_ptr<Link> link;                                                \
    nvJitLinkResult error = findResult(handle, isPtx, link);                   \
    return error ? error : getText(link->result, buffer);                      \
  }                                                                            \
  PTXJIT_ALIASES(GetLinked##name)
PTXJIT_LINKED(Cubin, false)
PTXJIT_LINKED(Ptx, true)

/// The size of a log is 0 if there is none, as of NVIDIA's library.
#define PTXJIT_LOG(name, log)                                                  \
  PTXJIT_NVJITLINK_API nvJitLinkGet##name##LogSize(nvJitLinkHandle handle,     \
                                                   size_t *size) {             \
    std::shared_ptr<Link> link = getLinks().find(handle);                      \
    if (!link || !size)                                                        \
      return NVJITLINK_ERROR_NULL_INPUT;                                       \
    *size = link->log.empty() ? 0 : link->log.size() + 1;                      \
    return NVJITLINK_SUCCESS;                                                  \
  }                                                                            \
  PTXJIT_ALIASES(Get##name##LogSize)                                           \
  PTXJIT_NVJITLINK_API nvJitLinkGet##name##Log(nvJitLinkHandle handle,         \
                                               char *buffer) {                 \
    std::shared_ptr<Link> link = getLinks().find(handle);                      \
    if (!link)                                                                 \
      return NVJITLINK_ERROR_NULL_INPUT;                                       \
    return link->log.empty() ? NVJITLINK_SUCCESS : getText(link->log, buffer); \
  }                                                                            \
  PTXJIT_ALIASES(Get##name##Log)
PTXJIT_LOG(Error, errors)
PTXJIT_LOG(Info, infos)

/// LTO IR is never the result.
PTXJIT_NVJITLINK_API nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle,
                                                 size_t *) {
  return getLinks().find(handle) ? NVJITLINK_ERROR_LTO_NOT_ENABLED
                                 : NVJITLINK_ERROR_NULL_INPUT;
}
PTXJIT_ALIASES(GetLinkedLTOIRSize)
PTXJIT_NVJITLINK_API nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void *) {
  return getLinks().find(handle) ? NVJITLINK_ERROR_LTO_NOT_ENABLED
                                 : NVJITLINK_ERROR_NULL_INPUT;
}
PTXJIT_ALIASES(GetLinkedLTOIR)

//===- Coredump.cpp - files about failed kernels --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dump is a text: what failed and where, and the allocations. It has no
// memory, which is the process's own: a core file of the process contains it.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

namespace {
struct Settings {
  bool isEnabled = false;
  bool abortsHost = true;
  bool isLightweight = false;
  std::string file = "core.cuda.%h.%p";
  std::string pipe = "corepipe.cuda.%h.%p";
  int flags = 0;
};

/// Never destroyed, like the State.
struct AllSettings {
  std::mutex mutex;
  Settings global;
  std::map<uint64_t, Settings> ofContexts; ///< by id, where they differ
  bool isFixed[CU_COREDUMP_MAX] = {};      ///< by the environment
};
} // namespace

/// Reads what cuda-gdb documents. The environment overrules later calls.
static AllSettings *readEnvironment() {
  auto *all = new AllSettings;
  auto read = [&](const char *variable, int attribute, auto set) {
    const char *text = std::getenv(variable);
    if (!text || !*text)
      return;
    set(text);
    all->isFixed[attribute] = true;
  };
  auto toBool = [](bool &value) {
    return [&value](const char *text) { value = std::strcmp(text, "0") != 0; };
  };
  Settings &s = all->global;
  read("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", CU_COREDUMP_ENABLE_ON_EXCEPTION,
       toBool(s.isEnabled));
  read("CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION", CU_COREDUMP_TRIGGER_HOST,
       toBool(s.abortsHost));
  read("CUDA_ENABLE_LIGHTWEIGHT_COREDUMP", CU_COREDUMP_LIGHTWEIGHT,
       toBool(s.isLightweight));
  read("CUDA_COREDUMP_FILE", CU_COREDUMP_FILE,
       [&](const char *text) { s.file = text; });
  return all;
}

static AllSettings &getAll() {
  static AllSettings *all = readEnvironment();
  return *all;
}

/// The settings of a context. The caller holds the lock.
static Settings &settingsOf(const Context &context) {
  return getAll().ofContexts.emplace(context.id, getAll().global).first->second;
}

static bool isText(int attribute) {
  return attribute == CU_COREDUMP_FILE || attribute == CU_COREDUMP_PIPE;
}

constexpr size_t kMostText = 1024; // with the NUL

/// The size of a value that a program has to provide for; 0: no attribute.
static size_t sizeOf(int attribute) {
  if (attribute < CU_COREDUMP_ENABLE_ON_EXCEPTION ||
      attribute >= CU_COREDUMP_MAX)
    return 0;
  return isText(attribute)                           ? kMostText
         : attribute == CU_COREDUMP_GENERATION_FLAGS ? sizeof(int)
                                                     : sizeof(bool);
}

static bool *findBool(Settings &settings, int attribute) {
  switch (attribute) {
  case CU_COREDUMP_ENABLE_ON_EXCEPTION:
    return &settings.isEnabled;
  case CU_COREDUMP_TRIGGER_HOST:
    return &settings.abortsHost;
  case CU_COREDUMP_LIGHTWEIGHT:
    return &settings.isLightweight;
  }
  return nullptr;
}

static std::string &findText(Settings &settings, int attribute) {
  return attribute == CU_COREDUMP_FILE ? settings.file : settings.pipe;
}

static CUresult read(Settings &settings, int attribute, void *value,
                     size_t *size) {
  std::string text = isText(attribute) ? findText(settings, attribute) : "";
  size_t needed = isText(attribute) ? text.size() + 1 : sizeOf(attribute);
  if (*size < needed)
    return CUDA_ERROR_INVALID_VALUE;
  *size = needed;
  bool isOff = false; // nobody can trigger a dump
  bool *known = findBool(settings, attribute);
  if (isText(attribute))
    std::memcpy(value, text.c_str(), needed);
  else if (attribute == CU_COREDUMP_GENERATION_FLAGS)
    std::memcpy(value, &settings.flags, needed);
  else
    std::memcpy(value, known ? known : &isOff, needed);
  return CUDA_SUCCESS;
}

static CUresult write(Settings &settings, int attribute, const void *value,
                      size_t size) {
  if (isText(attribute)) {
    std::string text(static_cast<const char *>(value),
                     strnlen(static_cast<const char *>(value), size));
    if (text.empty() || text.size() >= kMostText)
      return CUDA_ERROR_INVALID_VALUE;
    findText(settings, attribute) = std::move(text);
    return CUDA_SUCCESS;
  }
  if (size < sizeOf(attribute))
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_COREDUMP_GENERATION_FLAGS) {
    int flags;
    std::memcpy(&flags, value, sizeof(flags));
    if (flags & ~0x3f)
      return CUDA_ERROR_INVALID_VALUE;
    settings.flags = flags;
    return CUDA_SUCCESS;
  }
  bool wanted = *static_cast<const unsigned char *>(value);
  if (bool *known = findBool(settings, attribute)) {
    *known = wanted;
    return CUDA_SUCCESS;
  }
  if (!wanted)
    return CUDA_SUCCESS;
  log(LogKind::Error, "cuCoredumpSetAttributeGlobal: dumps that another "
                      "process asks for by a pipe are not supported");
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// Does what all four functions have in common.
/// \param context  null: for all contexts.
template <typename Act>
static CUresult access(Context *context, int attribute, const void *value,
                       size_t *size, Act act) {
  if (!size || !sizeOf(attribute))
    return CUDA_ERROR_INVALID_VALUE;
  if (!value) {
    *size = sizeOf(attribute);
    return CUDA_SUCCESS;
  }
  AllSettings &all = getAll();
  std::lock_guard<std::mutex> lock(all.mutex);
  return act(context ? settingsOf(*context) : all.global);
}

PTXJIT_CUDA_API(cuCoredumpGetAttribute,
                (int attribute, void *value, size_t *size), attribute, value,
                size) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  return access(context, attribute, value, size, [&](Settings &settings) {
    return read(settings, attribute, value, size);
  });
}
PTXJIT_CUDA_PLAIN_API(cuCoredumpGetAttributeGlobal,
                      (int attribute, void *value, size_t *size), attribute,
                      value, size) {
  return access(nullptr, attribute, value, size, [&](Settings &settings) {
    return read(settings, attribute, value, size);
  });
}
PTXJIT_CUDA_API(cuCoredumpSetAttribute,
                (int attribute, void *value, size_t *size), attribute, value,
                size) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  return access(context, attribute, value, size, [&](Settings &settings) {
    bool isGlobal = attribute == CU_COREDUMP_PIPE ||
                    attribute == CU_COREDUMP_ENABLE_USER_TRIGGER;
    return isGlobal || getAll().isFixed[attribute]
               ? CUDA_ERROR_NOT_PERMITTED
               : write(settings, attribute, value, *size);
  });
}
PTXJIT_CUDA_PLAIN_API(cuCoredumpSetAttributeGlobal,
                      (int attribute, void *value, size_t *size), attribute,
                      value, size) {
  return access(nullptr, attribute, value, size, [&](Settings &settings) {
    return getAll().isFixed[attribute]
               ? CUDA_ERROR_NOT_PERMITTED
               : write(settings, attribute, value, *size);
  });
}

//===----------------------------------------------------------------------===//
// Dumps
//===----------------------------------------------------------------------===//

static std::string hostName() {
  char name[256] = "localhost";
  (void)!gethostname(name, sizeof(name) - 1);
  return name;
}

/// Replaces %h, %p and %t by the host, the process and the time.
static std::string expand(const std::string &pattern, std::time_t now) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char next = i + 1 < pattern.size() ? pattern[i + 1] : 0;
    if (pattern[i] != '%' || !std::strchr("hpt%", next) || !next) {
      path += pattern[i];
      continue;
    }
    path += next == 'h'   ? hostName()
            : next == 'p' ? std::to_string(getpid())
            : next == 't' ? std::to_string(now)
                          : "%";
    ++i;
  }
  return path;
}

static const char *nameOf(Allocation::Kind kind) {
  switch (kind) {
  case Allocation::Device:
    return "device";
  case Allocation::Host:
    return "host";
  case Allocation::Registered:
    return "registered";
  case Allocation::Managed:
    return "managed";
  case Allocation::Variable:
    return "variable";
  case Allocation::OfGraph:
    return "graph";
  case Allocation::Mapped:
    return "mapped";
  case Allocation::Shared:
    return "shared";
  case Allocation::Imported:
    return "imported";
  case Allocation::External:
    return "external";
  }
  return "";
}

static void writeDump(std::ostream &out, const Context &context, CUresult error,
                      const std::string &launch, const std::string &report,
                      std::time_t now) {
  out << "ptx-jit core dump 1\nhost " << hostName() << "\nprocess " << getpid()
      << "\ntime " << now << "\ncontext " << context.id << "\nerror "
      << int(error) << " " << cuda::nameOf(error) << "\nlaunch " << launch
      << "\nreport\n"
      << report << "\nallocations\n";
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  for (auto &[address, allocation] : getState().allocations)
    out << "0x" << std::hex << address << std::dec << " " << allocation.bytes
        << " " << nameOf(allocation.kind) << "\n";
  out << "end\n";
}

void cuda::dumpFailure(const Context &context, CUresult error,
                       const std::string &launch, const std::string &report) {
  Settings settings;
  {
    AllSettings &all = getAll();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto own = all.ofContexts.find(context.id);
    settings = own == all.ofContexts.end() ? all.global : own->second;
  }
  if (!settings.isEnabled)
    return;
  std::time_t now = std::time(nullptr);
  std::string path = expand(settings.file, now);
  std::ofstream file(path);
  writeDump(file, context, error, launch, report, now);
  file.close();
  log(LogKind::Error,
      file ? "core dump: " + path : "core dump: cannot write '" + path + "'");
  if (settings.abortsHost && !(settings.flags & CU_COREDUMP_SKIP_ABORT))
    std::abort();
}

//===- NvidiaLibrary.cpp - NVIDIA's library behind one of ours ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/NvidiaLibrary.h"

#include "Cpu.h"
#include "ptxjit/Runtime/ReadFile.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <sys/stat.h>

using namespace ptxjit;

namespace {
/// Collects paths of files that exist, each once.
class Candidates {
public:
  explicit Candidates(const std::string &name) : name(name) {}
  /// \param folders  a pattern of the shell
  void add(const std::string &folders);
  /// Adds the folders of wheels below "site-packages".
  void addPackages(const std::string &packages) {
    add(packages + "/nvidia/*/lib");
  }
  std::vector<std::string> paths;

private:
  std::string name;
};
} // namespace

void Candidates::add(const std::string &folders) {
  glob_t found{};
  if (glob((folders + "/" + name).c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i)
      if (std::find(paths.begin(), paths.end(), found.gl_pathv[i]) ==
          paths.end())
        paths.push_back(found.gl_pathv[i]);
  globfree(&found);
}

/// The packages of Python among what is loaded: "/usr/lib/.../site-packages".
static std::vector<std::string> listPackageFolders() {
  std::vector<std::string> folders;
  auto visit = [](dl_phdr_info *info, size_t, void *user) {
    auto &list = *static_cast<std::vector<std::string> *>(user);
    std::string path = info->dlpi_name;
    for (const char *folder : {"/site-packages/", "/dist-packages/"}) {
      size_t at = path.find(folder);
      if (at != path.npos)
        list.push_back(path.substr(0, path.find('/', at + 1)));
    }
    return 0;
  };
  dl_iterate_phdr(visit, &folders);
  return folders;
}

/// The root of the Python environment whose program this process runs; empty if
/// there is none. Its name leads there, not what it links to.
static std::string findProgramRoot() {
  std::string arguments;
  if (readFile("/proc/self/cmdline", arguments) != 0)
    return "";
  std::string program = arguments.c_str();
  size_t slash = program.rfind('/');
  return slash == program.npos ? "" : program.substr(0, slash) + "/..";
}

static void addToolkit(Candidates &candidates, const std::string &root) {
  candidates.add(root + "/lib64");
  candidates.add(root + "/lib");
}

std::vector<std::string> ptxjit::findLibraryFiles(const std::string &name) {
  Candidates candidates(name);
  for (const std::string &folder : listPackageFolders())
    candidates.addPackages(folder);
  const char *environment = std::getenv("VIRTUAL_ENV");
  for (const std::string &root :
       {findProgramRoot(), std::string(environment ? environment : "")})
    if (!root.empty())
      candidates.addPackages(root + "/lib/python3*/site-packages");
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      addToolkit(candidates, root);
  const char *list = std::getenv("LD_LIBRARY_PATH");
  std::string rest = list ? list : "";
  while (!rest.empty()) {
    std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    if (!folder.empty())
      candidates.add(folder);
  }
  addToolkit(candidates, "/usr/local/cuda");
  addToolkit(candidates, "/usr/local/cuda-*");
  candidates.add(kLibraryFolder);
  candidates.add("/usr/lib64");
  return candidates.paths;
}

/// Are both the same file, maybe under two names?
static bool isSameFile(const std::string &path, const struct stat &other) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && info.st_dev == other.st_dev &&
         info.st_ino == other.st_ino;
}

/// The same path in a spelling that no program uses. If one has asked for this
/// file, and got our library, the dynamic linker knows ours by the path, too.
static std::string respell(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == path.npos ? path
                            : path.substr(0, slash) + "/." + path.substr(slash);
}

void *ptxjit::openNvidiaLibrary(const std::vector<std::string> &names,
                                const char *variable, const void *ours,
                                std::string &error) {
  std::vector<std::string> paths;
  if (const char *chosen = std::getenv(variable)) {
    paths.push_back(chosen);
  } else {
    for (const std::string &name : names)
      for (std::string &path : findLibraryFiles(name))
        paths.push_back(std::move(path));
  }
  Dl_info own{};
  struct stat ownFile{};
  if (!dladdr(ours, &own) || stat(own.dli_fname, &ownFile) != 0)
    ownFile = {};
  error.clear();
  for (const std::string &path : paths) {
    if (isSameFile(path, ownFile))
      continue;
    if (void *handle = dlopen(respell(path).c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    error = dlerror();
  }
  if (error.empty())
    error = names.front() + " of NVIDIA's is not installed";
  return nullptr;
}

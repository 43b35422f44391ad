//===- nvcc.cpp - starts NVIDIA's nvcc with our tools ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc takes its tools from the folder that it was started from, whatever PATH
// says. So this program makes a temporary folder that looks like the toolkit:
// links to NVIDIA's programs, and to ours where there are any. It starts nvcc
// from there, and removes the folder when nvcc has ended.
//
// NVIDIA's static runtime refuses to work with our driver. So where the user
// does not choose a runtime, nvcc links the shared one, and not the static one.
//
// The nvcc in PATH may be a script that starts the toolkit's. It is asked where
// that one is.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

static const char *const kOurs[] = {"ptxas", "nvlink", "fatbinary",
                                    "cuobjdump"};

/// The exit code if nvcc cannot be started, as in shells.
static constexpr int kNotFound = 127;

static int fail(const std::string &why) {
  std::fprintf(stderr, "nvcc (of ptx-jit): %s\n", why.c_str());
  return kNotFound;
}

/// The folders of PATH. An empty one is the current folder.
static std::vector<std::string> splitPath() {
  std::vector<std::string> folders;
  const char *path = std::getenv("PATH");
  std::istringstream list(path ? path : "");
  for (std::string folder; std::getline(list, folder, ':');)
    folders.push_back(folder);
  return folders;
}

/// The folders where nvcc may be, best first.
static std::vector<fs::path> listFolders() {
  std::vector<fs::path> folders;
  for (const std::string &folder : splitPath())
    if (!folder.empty())
      folders.emplace_back(folder);
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(name))
      folders.push_back(fs::path(root) / "bin");
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

/// Takes the folder of this program out of PATH. Else a script that looks for
/// nvcc in PATH would start this program again.
static void leavePath(const fs::path &self) {
  if (!std::getenv("PATH"))
    return;
  std::string rest;
  for (const std::string &folder : splitPath()) {
    std::error_code error;
    if (fs::canonical(folder, error) != self.parent_path())
      rest += (rest.empty() ? "" : ":") + folder;
  }
  setenv("PATH", rest.c_str(), 1);
}

/// Asks a script where the toolkit's nvcc is, which its dry run tells.
/// \returns an empty path if it does not say.
static fs::path askScript(const fs::path &script, const fs::path &self) {
  int ends[2];
  if (pipe(ends) != 0)
    return {};
  pid_t child = fork();
  if (child == 0) {
    leavePath(self);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    execl(script.c_str(), "nvcc", "--dryrun", "-E", "-x", "cu", "/dev/null",
          static_cast<char *>(nullptr));
    _exit(kNotFound);
  }
  close(ends[1]);
  std::string answer;
  char bytes[4096];
  for (ssize_t got; (got = read(ends[0], bytes, sizeof(bytes))) > 0;)
    answer.append(bytes, size_t(got));
  close(ends[0]);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  static const std::string sign = "#$ _HERE_=";
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, sign.size(), sign) == 0)
      return fs::path(line.substr(sign.size())) / "nvcc";
  return {};
}

/// The toolkit's nvcc, with its links resolved, if `found` is it or a script
/// that starts it; else an empty path.
static fs::path resolve(const fs::path &found, const fs::path &self) {
  std::error_code error;
  fs::path nvcc = fs::canonical(found, error);
  if (error || nvcc == self || access(nvcc.c_str(), X_OK) != 0)
    return {};
  // The toolkit's has its settings beside it.
  if (fs::exists(nvcc.parent_path() / "nvcc.profile", error))
    return nvcc;
  nvcc = fs::canonical(askScript(found, self), error);
  return error || nvcc == self ? fs::path() : nvcc;
}

/// Finds NVIDIA's nvcc, with its links resolved; empty if there is none.
static fs::path findNvcc(const fs::path &self) {
  for (const fs::path &folder : listFolders()) {
    fs::path nvcc = resolve(folder / "nvcc", self);
    if (!nvcc.empty())
      return nvcc;
  }
  return {};
}

/// Copies nvcc's settings, with the toolkit's folder as it is. Else programs
/// that ask nvcc for it, like CMake, would get the temporary one.
static void copyProfile(const fs::path &from, const fs::path &to,
                        const fs::path &toolkit) {
  std::ifstream in(from);
  std::ofstream out(to);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name, sign;
    words >> name >> sign;
    if (name == "TOP" && sign == "=")
      line = "TOP = " + toolkit.string();
    out << line << '\n';
  }
}

/// Makes the folder. Throws std::system_error.
static void fillFolder(const fs::path &folder, const fs::path &nvcc,
                       const fs::path &ours) {
  fs::path bin = nvcc.parent_path(), toolkit = bin.parent_path();
  fs::create_directory(folder / "bin");
  for (const fs::directory_entry &entry : fs::directory_iterator(bin)) {
    fs::path name = entry.path().filename();
    if (name == "nvcc.profile")
      copyProfile(entry.path(), folder / "bin" / name, toolkit);
    else
      fs::create_symlink(entry.path(), folder / "bin" / name);
  }
  for (const char *name : kOurs) {
    fs::remove(folder / "bin" / name);
    fs::create_symlink(ours / name, folder / "bin" / name);
  }
  // nvcc looks for it beside `bin`, whatever its settings say.
  if (fs::exists(toolkit / "targets"))
    fs::create_symlink(toolkit / "targets", folder / "targets");
}

/// The process of nvcc, for the signal handler; 0 before there is one.
static volatile sig_atomic_t nvccProcess = 0;

/// Hands a signal on to nvcc, whose end is waited for: else this program would
/// end first, and leave its folder.
static void handOn(int signal) {
  if (nvccProcess > 0)
    kill(nvccProcess, signal);
}

/// Does the user choose a runtime, on the command line or in nvcc's variables?
static bool choosesRuntime(char **argv) {
  static const char *const option = "-cudart"; // also as --cudart
  for (char **arg = argv + 1; *arg; ++arg)
    if (std::strncmp(*arg, option, std::strlen(option)) == 0 ||
        std::strncmp(*arg + (**arg == '-'), option, std::strlen(option)) == 0)
      return true;
  for (const char *name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
    const char *flags = std::getenv(name);
    if (flags && std::strstr(flags, option))
      return true;
  }
  return false;
}

/// The arguments for nvcc. They live as long as `argv`.
static std::vector<char *> argumentsFor(char **argv) {
  static char option[] = "--cudart=shared";
  std::vector<char *> arguments = {argv[0]};
  if (!choosesRuntime(argv))
    arguments.push_back(option);
  for (char **arg = argv + 1; *arg; ++arg)
    arguments.push_back(*arg);
  arguments.push_back(nullptr);
  return arguments;
}

/// Runs a program to its end. \returns its exit status, as shells report it.
static int run(const fs::path &program, char **argv) {
  // Signals that come before there is a process wait until there is one.
  sigset_t ending, before;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGHUP);
  sigprocmask(SIG_BLOCK, &ending, &before);
  pid_t child = fork();
  if (child < 0)
    return fail(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    std::string name = program.string();
    argv[0] = name.data();
    execv(name.c_str(), argv);
    _exit(fail(name + ": " + std::strerror(errno)));
  }
  // The terminal also sends them to the child, whose end is waited for.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  nvccProcess = child;
  std::signal(SIGTERM, handOn);
  std::signal(SIGHUP, handOn);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return fail(std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int, char **argv) {
  std::error_code error;
  fs::path self = fs::canonical("/proc/self/exe", error);
  if (error)
    return fail("/proc: " + error.message());
  fs::path nvcc = findNvcc(self);
  if (nvcc.empty())
    return fail("NVIDIA's nvcc is neither in PATH nor in CUDA_HOME/bin; "
                "install the CUDA toolkit");
  fs::path place = fs::temp_directory_path(error);
  std::string folder = (place / "ptx-jit-nvcc-XXXXXX").string();
  if (error || !mkdtemp(folder.data()))
    return fail(folder + ": " + std::strerror(errno));
  int status = kNotFound;
  try {
    fillFolder(folder, nvcc, self.parent_path());
    status = run(fs::path(folder) / "bin" / "nvcc", argumentsFor(argv).data());
  } catch (const std::system_error &problem) {
    fail(problem.what());
  }
  fs::remove_all(folder, error);
  return status;
}

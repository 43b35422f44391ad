//===- nvidia-smi.cpp - reports the devices in place of NVIDIA's tool -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frameworks and scripts run nvidia-smi to see which devices there are. This
// program prints what our libnvidia-ml.so.1 knows, in the same form. What has
// no meaning here (temperatures, power, use) is N/A, as for GPUs that lack it.
//
// It has a folder of its own, so that it never hides NVIDIA's; `ptx-jit exec`
// puts that folder in front.
//
//===----------------------------------------------------------------------===//

#include "Query.h"
#include "Report.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

using namespace ptxjit::smi;

/// Exit codes of NVIDIA's tool.
static constexpr int kBadArgument = 2, kNotFound = 6, kNoDriver = 9;

static const char kHelp[] =
    R"(NVIDIA-SMI of ptx-jit, in place of NVIDIA's: reports the devices of ptx-jit.

nvidia-smi [OPTION1 [ARG1]] [OPTION2 [ARG2]] ...

    -h,   --help                Print usage information and exit.
          --version             Print versions and exit.
    -L,   --list-gpus           Display a list of the devices.
    -q,   --query               Display what is known of the devices.
    -d,   --display=            Only these sections of -q: MEMORY, UTILIZATION,
                                ECC, TEMPERATURE, POWER, CLOCK, COMPUTE, PIDS,
                                PERFORMANCE.
          --query-gpu=          These fields of the devices, by commas.
          --query-compute-apps= These fields of processes, of which none is known.
          --format=             Of a query: csv[,noheader][,nounits]
          --help-query-gpu      List the fields.
    -i,   --id=                 Only these devices: index, UUID or bus id, by
                                commas.
    -l,   --loop=               Repeat after so many seconds.
    -lms, --loop-ms=            Repeat after so many milliseconds.
)";

namespace {
/// What the command line asks for.
struct Options {
  bool wantsHelp = false, wantsVersion = false, wantsFields = false,
       wantsList = false, wantsDetails = false;
  std::optional<std::string> id, fields, processFields, format, sections,
      seconds, milliseconds;

  /// \returns false if something is not known, or goes not with the rest.
  bool read(int argc, char **argv);

private:
  bool *findFlag(const std::string &name);
  std::optional<std::string> *findValue(const std::string &name);
};
} // namespace

bool *Options::findFlag(const std::string &name) {
  if (name == "-h" || name == "--help")
    return &wantsHelp;
  if (name == "--version")
    return &wantsVersion;
  if (name == "--help-query-gpu")
    return &wantsFields;
  if (name == "-L" || name == "--list-gpus")
    return &wantsList;
  if (name == "-q" || name == "--query")
    return &wantsDetails;
  return nullptr;
}

std::optional<std::string> *Options::findValue(const std::string &name) {
  if (name == "-i" || name == "--id")
    return &id;
  if (name == "-d" || name == "--display")
    return &sections;
  if (name == "-l" || name == "--loop")
    return &seconds;
  if (name == "-lms" || name == "--loop-ms")
    return &milliseconds;
  if (name == "--query-gpu")
    return &fields;
  if (name == "--query-compute-apps")
    return &processFields;
  if (name == "--format")
    return &format;
  return nullptr;
}

bool Options::read(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (bool *flag = findFlag(word)) {
      *flag = true;
      continue;
    }
    // `-i 0`, `--id=0` and `--id 0`
    size_t equals =
        word.compare(0, 2, "--") ? std::string::npos : word.find('=');
    auto *value = findValue(word.substr(0, equals));
    if (!value)
      return false;
    if (equals != std::string::npos)
      *value = word.substr(equals + 1);
    else if (i + 1 < argc)
      *value = argv[++i];
    else
      return false;
  }
  return !sections || wantsDetails;
}

static int complain(const std::string &text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return kBadArgument;
}

static void printVersion() {
  std::printf("NVIDIA-SMI version  : %s (of ptx-jit " PTXJIT_VERSION ")\n"
              "NVML version        : %s\n"
              "DRIVER version      : %s\n"
              "CUDA Version        : %s\n",
              getDriverVersion().c_str(), getNvmlVersion().c_str(),
              getDriverVersion().c_str(), getCudaVersion().c_str());
}

static int answerQuery(const Options &options,
                       const std::vector<Device> &devices) {
  Format format;
  if (!options.format)
    return complain("A query needs \"--format=csv[,noheader][,nounits]\".");
  if (!format.read(*options.format))
    return complain("\"--format=" + *options.format +
                    "\" is not csv[,noheader][,nounits].");
  bool isRight = options.fields
                     ? queryDevices(devices, *options.fields, format)
                     : queryProcesses(*options.processFields, format);
  return isRight ? 0 : kBadArgument;
}

/// Prints once what the options ask for. \returns the exit code.
static int report(const Options &options) {
  std::vector<Device> devices =
      options.id ? findDevices(*options.id) : listDevices();
  if (devices.empty()) {
    std::printf("No devices were found\n");
    return kNotFound;
  }
  if (options.fields || options.processFields)
    return answerQuery(options, devices);
  if (options.wantsList) {
    printList(devices);
  } else if (options.wantsDetails) {
    if (!printDetails(devices, options.sections.value_or("")))
      return complain("\"" + *options.sections +
                      "\" is not a list of sections (nvidia-smi -h).");
  } else {
    printTable(devices);
  }
  return 0;
}

/// Reads the time after which to repeat; 0: never. \returns false if the number
/// is none.
static bool readInterval(const Options &options,
                         std::chrono::milliseconds &interval) {
  const auto &text = options.seconds ? options.seconds : options.milliseconds;
  if (!text)
    return true;
  char *end;
  long number = std::strtol(text->c_str(), &end, 10);
  constexpr long kMost = 1000000000; // so that milliseconds fit
  if (text->empty() || *end || number <= 0 || number > kMost)
    return false;
  interval =
      std::chrono::milliseconds(options.seconds ? number * 1000 : number);
  return true;
}

static int run(const Options &options) {
  std::chrono::milliseconds interval(0);
  if (options.wantsVersion)
    return printVersion(), 0;
  if (!readInterval(options, interval))
    return complain("The interval is not a positive number.");
  int status = report(options);
  while (interval.count() && status == 0) {
    // Whoever reads this wants each report when it is made.
    if (std::fflush(stdout))
      return 1;
    std::this_thread::sleep_for(interval);
    status = report(options);
  }
  return status;
}

int main(int argc, char **argv) {
  Options options;
  if (!options.read(argc, argv)) {
    std::printf("Invalid combination of input arguments. Please run "
                "'nvidia-smi -h' for help.\n");
    return 1;
  }
  if (options.wantsHelp)
    return std::fputs(kHelp, stdout), 0;
  if (options.wantsFields)
    return printFields(), 0;
  // It shows all devices, and the driver tells more of those that it can see.
  unsetenv("CUDA_VISIBLE_DEVICES");
  if (nvmlReturn_t error = nvmlInit_v2()) {
    std::printf("NVIDIA-SMI has failed: %s\n", nvmlErrorString(error));
    return kNoDriver;
  }
  int status = run(options);
  nvmlShutdown();
  return status;
}

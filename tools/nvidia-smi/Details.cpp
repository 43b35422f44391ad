//===- Details.cpp - all that is known of devices, as -q prints it --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Query.h"
#include "Report.h"

#include <cassert>
#include <cstdio>
#include <ctime>
#include <set>

using namespace ptxjit::smi;

namespace {
/// A line, or the beginning of a section.
struct Detail {
  const char *section; ///< null: it is a line
  int depth;
  const char *title;
  const char *field;                   ///< null: see `read`
  Value (*read)(const Device &device); ///< null, too: a title above others
};
} // namespace

static const Detail kDetails[] = {
#define SECTION(NAME) {NAME, 0, nullptr, nullptr, nullptr},
#define GROUP(DEPTH, TITLE) {nullptr, DEPTH, TITLE, nullptr, nullptr},
#define LINE(DEPTH, TITLE, FIELD) {nullptr, DEPTH, TITLE, FIELD, nullptr},
#define OTHER(DEPTH, TITLE, VALUE)                                             \
  {nullptr, DEPTH, TITLE, nullptr,                                             \
   [](const Device &d) -> Value { return VALUE; }},
#include "Details.def"
};

static void printLine(int depth, const char *title, const std::string &value) {
  constexpr int column = 55; // of NVIDIA's tool
  std::printf("%*s%-*s: %s\n", depth * 4, "", column - depth * 4, title,
              value.c_str());
}

static void print(const Detail &detail, const Device &device) {
  if (!detail.field && !detail.read) {
    std::printf("%*s%s\n", detail.depth * 4, "", detail.title);
    return;
  }
  Value value;
  if (detail.field) {
    const Field *field = findField(detail.field);
    assert(field && "Details.def names fields of Fields.def");
    value = field->read(device);
    if (value && field->unit)
      *value += std::string(" ") + field->unit;
  } else {
    value = detail.read(device);
  }
  printLine(detail.depth, detail.title, value.value_or("N/A"));
}

static bool isSection(const std::string &name) {
  for (const Detail &detail : kDetails)
    if (detail.section && *detail.section && name == detail.section)
      return true;
  return false;
}

bool ptxjit::smi::printDetails(const std::vector<Device> &devices,
                               const std::string &sections) {
  std::set<std::string> wanted;
  if (!sections.empty())
    for (const std::string &name : splitList(sections)) {
      if (!isSection(name))
        return false;
      wanted.insert(name);
    }
  std::time_t now = std::time(nullptr);
  std::tm parts;
  char text[64];
  std::strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y",
                localtime_r(&now, &parts));
  std::printf("\n==============NVSMI LOG==============\n\n");
  printLine(0, "Timestamp", text);
  printLine(0, "Driver Version", getDriverVersion());
  printLine(0, "CUDA Version", getCudaVersion());
  std::printf("\n");
  printLine(0, "Attached GPUs", std::to_string(listDevices().size()));
  for (const Device &device : devices) {
    std::printf("GPU %s\n", device.getBusId().value_or("N/A").c_str());
    bool isWanted = true;
    for (const Detail &detail : kDetails)
      if (detail.section)
        isWanted = wanted.empty() || wanted.count(detail.section);
      else if (isWanted)
        print(detail, device);
    std::printf("\n");
  }
  return true;
}

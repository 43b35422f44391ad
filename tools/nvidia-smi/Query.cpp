//===- Query.cpp - the option --query-gpu ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Query.h"

#include <cstdio>
#include <ctime>

using namespace ptxjit::smi;

static std::string getTimestamp() {
  timespec now;
  std::tm parts;
  char seconds[32], text[48];
  std::timespec_get(&now, TIME_UTC);
  localtime_r(&now.tv_sec, &parts);
  std::strftime(seconds, sizeof(seconds), "%Y/%m/%d %H:%M:%S", &parts);
  std::snprintf(text, sizeof(text), "%s.%03ld", seconds,
                long(now.tv_nsec / 1000000));
  return text;
}

static const Field kFields[] = {
#define FIELD(NAME, ALIAS, UNIT, VALUE, HELP)                                  \
  {NAME, ALIAS, UNIT, [](const Device &d) -> Value { return VALUE; }, HELP},
#define NONE(NAME, UNIT)                                                       \
  {NAME, nullptr, UNIT, [](const Device &) -> Value { return {}; }, nullptr},
#include "Fields.def"
};

/// Of processes, in the same form, for the header.
static const Field kProcessFields[] = {
    {"timestamp", nullptr, nullptr, nullptr, nullptr},
    {"gpu_name", nullptr, nullptr, nullptr, nullptr},
    {"gpu_bus_id", nullptr, nullptr, nullptr, nullptr},
    {"gpu_serial", nullptr, nullptr, nullptr, nullptr},
    {"gpu_uuid", nullptr, nullptr, nullptr, nullptr},
    {"pid", nullptr, nullptr, nullptr, nullptr},
    {"process_name", "name", nullptr, nullptr, nullptr},
    {"used_gpu_memory", "used_memory", "MiB", nullptr, nullptr},
};

template <size_t N>
static const Field *find(const Field (&fields)[N], const std::string &name) {
  for (const Field &field : fields)
    if (name == field.name || (field.alias && name == field.alias))
      return &field;
  return nullptr;
}
const Field *ptxjit::smi::findField(const std::string &name) {
  return find(kFields, name);
}

bool Format::read(const std::string &text) {
  bool isCsv = false;
  for (const std::string &word : splitList(text)) {
    if (word == "csv")
      isCsv = true;
    else if (word == "noheader")
      hasHeader = false;
    else if (word == "nounits")
      hasUnits = false;
    else
      return false;
  }
  return isCsv;
}

/// Finds all fields of a list. Empty if one does not exist, which stderr says.
template <size_t N>
static std::vector<const Field *> findAll(const Field (&fields)[N],
                                          const std::string &list) {
  std::vector<const Field *> found;
  for (std::string name : splitList(list)) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    const Field *field = find(fields, name);
    if (!field) {
      std::fprintf(stderr, "Field \"%s\" is not a valid field to query.\n\n",
                   name.c_str());
      return {};
    }
    found.push_back(field);
  }
  return found;
}

static void printLine(const std::vector<std::string> &cells) {
  const char *separator = "";
  for (const std::string &cell : cells) {
    std::printf("%s%s", separator, cell.c_str());
    separator = ", ";
  }
  std::printf("\n");
}

static void printHeader(const std::vector<const Field *> &fields) {
  std::vector<std::string> cells;
  cells.reserve(fields.size());
  for (const Field *field : fields)
    cells.push_back(field->unit
                        ? std::string(field->name) + " [" + field->unit + "]"
                        : field->name);
  printLine(cells);
}

bool ptxjit::smi::queryDevices(const std::vector<Device> &devices,
                               const std::string &list, const Format &format) {
  std::vector<const Field *> fields = findAll(kFields, list);
  if (fields.empty())
    return false;
  if (format.hasHeader)
    printHeader(fields);
  for (const Device &device : devices) {
    std::vector<std::string> cells;
    for (const Field *field : fields) {
      Value value = field->read(device);
      if (value && field->unit && format.hasUnits)
        *value += std::string(" ") + field->unit;
      cells.push_back(value.value_or("[N/A]"));
    }
    printLine(cells);
  }
  return true;
}

bool ptxjit::smi::queryProcesses(const std::string &list,
                                 const Format &format) {
  std::vector<const Field *> fields = findAll(kProcessFields, list);
  if (!fields.empty() && format.hasHeader)
    printHeader(fields);
  return !fields.empty();
}

void ptxjit::smi::printFields() {
  std::printf("List of valid properties to query for the switch "
              "\"--query-gpu=\":\n");
  for (const Field &field : kFields) {
    std::printf("\n\"%s\"", field.name);
    if (field.alias)
      std::printf(" or \"%s\"", field.alias);
    std::printf("\n%s.\n", field.help ? field.help : "Always [N/A]");
  }
}

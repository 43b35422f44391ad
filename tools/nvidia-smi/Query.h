//===- Query.h - the option --query-gpu, and its fields ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_NVIDIASMI_QUERY_H
#define PTXJIT_TOOLS_NVIDIASMI_QUERY_H

#include "Device.h"

namespace ptxjit::smi {

/// A property that can be asked for.
struct Field {
  const char *name;
  const char *alias; ///< another name; null: there is none
  const char *unit;  ///< "MiB"; null: there is none
  Value (*read)(const Device &device);
  const char *help; ///< null: NVML has no value
};

/// How --format wants the table of a query.
struct Format {
  bool hasHeader = true, hasUnits = true;
  /// Reads "csv,noheader,nounits". \returns false if it is wrong.
  bool read(const std::string &text);
};

/// Finds a field by its name or alias. \returns null if there is none.
const Field *findField(const std::string &name);

/// Prints the fields of a list `A,B,...`, a line for each device. \returns
/// false if there is no such field, which stderr says.
bool queryDevices(const std::vector<Device> &devices, const std::string &list,
                  const Format &format);

/// Prints the fields of processes. NVML knows of none.
bool queryProcesses(const std::string &list, const Format &format);

/// Prints what can be asked for.
void printFields();

} // namespace ptxjit::smi

#endif

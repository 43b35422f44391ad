//===- Report.h - the table, and all that is known --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_NVIDIASMI_REPORT_H
#define PTXJIT_TOOLS_NVIDIASMI_REPORT_H

#include "Device.h"

namespace ptxjit::smi {

/// Prints the table, a box for each device.
void printTable(const std::vector<Device> &devices);

/// Prints a line for each device, as `-L`.
void printList(const std::vector<Device> &devices);

/// Prints what is known of devices, as `-q`. \param sections  of a list
///   `A,B,...`, as `-d`; empty: all of them. \returns false if there is no such
///   section.
bool printDetails(const std::vector<Device> &devices,
                  const std::string &sections);

} // namespace ptxjit::smi

#endif

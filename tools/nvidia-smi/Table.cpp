//===- Table.cpp - the table of devices -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns are those of NVIDIA's tool, since programs read them.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace ptxjit::smi;

static const char kWide[] = "+------------------------------------------------"
                            "-----------------------------------------+\n";
static const char kColumns[] = "+-----------------------------------------+----"
                               "--------------------+----------------------+\n";

static const char *orNone(const Value &value) {
  return value ? value->c_str() : "N/A";
}

/// Shortens a text to `most` characters.
static std::string shorten(const std::string &text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

static void printHead() {
  std::time_t now = std::time(nullptr);
  std::tm parts;
  char text[64];
  std::strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y",
                localtime_r(&now, &parts));
  std::printf("%s       \n%s", text, kWide);
  std::string driver = getDriverVersion();
  std::printf("| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-8s |\n",
              driver.c_str(), driver.c_str(), getCudaVersion().c_str());
  std::printf(
      "%s"
      "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | "
      "Volatile Uncorr. ECC |\n"
      "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | "
      "GPU-Util  Compute M. |\n"
      "|                                         |                        | "
      "              MIG M. |\n"
      "|=========================================+========================+===="
      "==================|\n",
      kColumns);
}

/// Puts white space in front of a text.
static std::string padTo(size_t width, const std::string &text) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// The cell of the memory, which is 24 characters wide. The total may need some
/// of the place of what is used.
static std::string describeMemory(const Device &device) {
  std::string total =
      " / " + padTo(6, orNone(device.getTotalMemory())) + "MiB ";
  return padTo(24 - total.size(),
               std::string(orNone(device.getUsedMemory())) + "MiB") +
         total;
}

static void printRow(const Device &device) {
  std::printf("|%4s  %-27s%6s  |%19s %3s |%21s |\n", orNone(device.getIndex()),
              shorten(device.getName().value_or("N/A"), 27).c_str(), "N/A",
              orNone(device.getBusId()), "N/A", "N/A");
  std::printf("| N/A   N/A  N/A               N/A /  N/A |%s|%8s%13s |\n",
              describeMemory(device).c_str(), "N/A",
              orNone(device.getComputeMode()));
  std::printf("|%41s|%24s|%21s |\n%s", "", "", "N/A", kColumns);
}

void ptxjit::smi::printTable(const std::vector<Device> &devices) {
  printHead();
  for (const Device &device : devices)
    printRow(device);
  std::printf("\n%s| Processes:%78s|\n"
              "|  GPU   GI   CI              PID   Type   Process name        "
              "                GPU Memory |\n"
              "|        ID   ID                                               "
              "                Usage      |\n"
              "|=============================================================="
              "===========================|\n"
              "|  No running processes found%61s|\n%s",
              kWide, "", "", kWide);
}

void ptxjit::smi::printList(const std::vector<Device> &devices) {
  for (const Device &device : devices)
    std::printf("GPU %s: %s (UUID: %s)\n", orNone(device.getIndex()),
                orNone(device.getName()), orNone(device.getUuid()));
}

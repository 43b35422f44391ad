//===- ImageTotals.cpp - what the modules of files have in all ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageTotals.h"

using namespace ptxjit;
using Kind = DeviceImage::Kind;

void ImageTotals::add(const DeviceImage &image, bool isFirstOfModule) {
  if (isFirstOfModule) {
    finishModule(counts);
    hasUsable = hasPtx = hasLto = mayHaveKernels = false;
  }
  isOpen = true;
  ++counts.images;
  hasUsable |= image.isUsable;
  hasPtx |= image.kind == Kind::Ptx;
  hasLto |= image.kind == Kind::LtoIr;
  mayHaveKernels |= image.kind != Kind::MachineCode || !image.isRead ||
                    !image.kernels.empty();
}

void ImageTotals::finishModule(Counts &to) const {
  if (isOpen)
    ++(hasUsable        ? to.usable
       : hasPtx         ? to.otherPtx
       : hasLto         ? to.ltoOnly
       : mayHaveKernels ? to.codeOnly
                        : to.empty);
}

ImageTotals::Counts ImageTotals::getCounts() const {
  Counts all = counts;
  finishModule(all);
  return all;
}

static std::string count(size_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string ImageTotals::describe() const {
  Counts all = getCounts();
  if (!all.countModules())
    return "";
  std::string text =
      count(all.images, "image") + ", " + count(all.countModules(), "module") +
      ": " + std::to_string(all.usable) + " with PTX that this device (" +
      getDeviceName() + ") can run";
  const std::pair<size_t, const char *> rest[] = {
      {all.otherPtx, " with PTX for other devices (PTXJIT_DEVICE)"},
      {all.ltoOnly, " with LTO IR and no PTX"},
      {all.codeOnly, " of machine code only"},
      {all.empty, " of machine code without kernels"}};
  for (auto &[number, words] : rest)
    if (number)
      text += "; " + std::to_string(number) + words;
  return text;
}

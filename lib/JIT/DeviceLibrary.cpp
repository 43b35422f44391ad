//===- DeviceLibrary.cpp - links in the device library --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmbeddedDevice.h"
#include "ptxjit/JIT/Compiler.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace ptxjit;

static ArrayRef<EmbeddedBitcode> filesFor(const CpuTarget &cpu) {
  switch (cpu.device) {
  case DeviceLevel::V3:
    return {ptxjitDeviceV3, ptxjitDeviceV3Count};
  case DeviceLevel::V4:
    return {ptxjitDeviceV4, ptxjitDeviceV4Count};
  case DeviceLevel::V4Dot:
    return {ptxjitDeviceV4Dot, ptxjitDeviceV4DotCount};
  case DeviceLevel::Neon:
    return {ptxjitDeviceNeon, ptxjitDeviceNeonCount};
  case DeviceLevel::NeonDot:
    return {ptxjitDeviceNeonDot, ptxjitDeviceNeonDotCount};
  case DeviceLevel::NeonMatrix:
    return {ptxjitDeviceNeonMatrix, ptxjitDeviceNeonMatrixCount};
  }
  llvm_unreachable("all levels are listed");
}

/// Whether a device function is called. Inlined, these large functions would
/// spill their caller's registers and bloat its code.
static bool isOutOfLine(const Function &f) {
  return f.getName().starts_with("ptxjit_matrix_") ||
         f.getName().starts_with("ptxjit_wgmma_") ||
         f.getName().starts_with("ptxjit_cells_") ||
         f.getName().starts_with("ptxjit_tensor_") ||
         f.hasFnAttribute(Attribute::NoInline);
}

static bool needsDevice(const Module &module) {
  for (const Function &f : module)
    if (f.isDeclaration() && f.getName().starts_with("ptxjit_"))
      return true;
  return false;
}

Error ptxjit::linkDeviceLibrary(Module &module, const CpuTarget &cpu) {
  for (const EmbeddedBitcode &file : filesFor(cpu)) {
    if (!needsDevice(module))
      break;
    StringRef bytes(reinterpret_cast<const char *>(file.data), file.size);
    auto library = getLazyBitcodeModule(MemoryBufferRef(bytes, "device"),
                                        module.getContext());
    if (!library)
      return library.takeError();
    (*library)->setDataLayout(module.getDataLayout());
    (*library)->setTargetTriple(module.getTargetTriple());
    if (Linker::linkModules(module, std::move(*library),
                            Linker::LinkOnlyNeeded))
      return createStringError("the device library could not be linked");
  }
  for (Function &f : module) {
    if (f.isDeclaration())
      continue;
    bool isKernel = f.getName().starts_with("ptxjit_kernel.");
    f.removeFnAttr("target-cpu");
    f.removeFnAttr("target-features");
    f.removeFnAttr("tune-cpu");
    f.removeFnAttr("frame-pointer");
    f.removeFnAttr(Attribute::UWTable);
    f.addFnAttr("target-cpu", cpu.name);
    f.addFnAttr("target-features", cpu.features);
    f.addFnAttr("prefer-vector-width", std::to_string(cpu.vectorBits));
    f.addFnAttr("min-legal-vector-width", std::to_string(cpu.vectorBits));
    if (cpu.sveBits)
      f.addFnAttr(Attribute::getWithVScaleRangeArgs(
          f.getContext(), cpu.sveBits / 128, cpu.sveBits / 128));
    // Frames may be larger than the guard page, so the stack is probed.
    f.addFnAttr("probe-stack", "inline-asm");
    f.addFnAttr("no-builtins");
    f.addFnAttr(Attribute::NoUnwind);
    if (!isKernel)
      f.setLinkage(GlobalValue::InternalLinkage);
    // Functions of the program that are left stay calls (InlineCalls.cpp).
    if (!isKernel && !f.getName().starts_with("ptxjit_function.")) {
      bool isCalled = isOutOfLine(f);
      f.removeFnAttr(Attribute::NoInline);
      f.removeFnAttr(Attribute::OptimizeNone);
      f.addFnAttr(isCalled ? Attribute::NoInline : Attribute::AlwaysInline);
    }
  }
  return Error::success();
}

//===- ForeignLlvmTest.cpp - programs that bring an LLVM of their own -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some programs export symbols of LLVM and MLIR (TensorFlow, for one). So does
// this one, for a few functions that our compiler calls: if it called these
// instead of its own, the test would abort.
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <cstdio>
#include <cstdlib>

namespace {
[[noreturn]] void endHere(const char *name) {
  std::fprintf(stderr, "the program's own %s was called\n", name);
  std::abort();
}
} // namespace

// Defines a function with the mangled name `symbol`.
#define FOREIGN(number, symbol)                                                \
  extern "C" __attribute__((visibility("default"), used)) void                 \
  foreign##number() __asm__(symbol);                                           \
  void foreign##number() { endHere(symbol); }

// Constructors of LLVMContext, legacy::PassManager, SourceMgr and LLJIT;
// raw_ostream::write, TargetRegistry::lookupTarget, ConstantInt::get, and
// functions of TargetPassConfig, MachineFunctionPass and PassRegistry.
FOREIGN(1, "_ZN4llvm11LLVMContextC1Ev")
FOREIGN(2, "_ZN4llvm6legacy11PassManagerC1Ev")
FOREIGN(3, "_ZN4llvm9SourceMgrC1Ev")
FOREIGN(4, "_ZN4llvm11raw_ostream5writeEPKcm")
FOREIGN(5, "_ZN4llvm14TargetRegistry12lookupTargetERKNS_6TripleERNSt7__cxx1112"
           "basic_stringIcSt11char_traitsIcESaIcEEE")
FOREIGN(6, "_ZN4llvm16TargetPassConfig13addISelPassesEv")
FOREIGN(7, "_ZN4llvm19MachineFunctionPass13runOnFunctionERNS_8FunctionE")
FOREIGN(8, "_ZN4llvm3orc5LLJITC1ERNS0_17LLJITBuilderStateERNS_5ErrorE")
FOREIGN(9, "_ZN4llvm11ConstantInt3getEPNS_4TypeEmbb")
FOREIGN(10, "_ZN4llvm12PassRegistry15getPassRegistryEv")
FOREIGN(11, "_ZN4llvm24initializeCodeGenPreparePassERNS_12PassRegistryE")
// mlir::MLIRContext's constructor, mlir::PassManager::run, mlir::verify.
FOREIGN(12, "_ZN4mlir11MLIRContextC1ERKNS_15DialectRegistryENS0_9ThreadingE")
FOREIGN(13, "_ZN4mlir11PassManager3runEPNS_9OperationE")
FOREIGN(14, "_ZN4mlir6verifyEPNS_9OperationEb")

using ForeignLlvm = Driver;

TEST_F(ForeignLlvm, IsNotCalledByTheCompiler) {
  CUdeviceptr data = 0;
  unsigned value = 0;
  ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 3, 64), CUDA_SUCCESS);
  ASSERT_EQ(launchAdd(data, 4, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(&value, data + 252, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 7u);
}

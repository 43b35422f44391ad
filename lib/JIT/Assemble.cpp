//===- Assemble.cpp - makes objects of assembly text ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace ptxjit;

Error ptxjit::assemble(StringRef text, const CpuTarget &cpu,
                       SmallVectorImpl<char> &object) {
  LLVMContext context;
  // LLVM's own handler ends the process.
  std::string errors;
  context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *errors) {
        if (info->getSeverity() != DS_Error)
          return;
        raw_string_ostream os(*static_cast<std::string *>(errors));
        DiagnosticPrinterRawOStream printer(os);
        info->print(printer);
      },
      &errors);
  Module module("assembly", context);
  std::unique_ptr<TargetMachine> machine =
      createTargetMachine(cpu, Effort::Full);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  module.setModuleInlineAsm(text);
  auto frames = generateCode(module, *machine, /*assembly=*/false, object);
  if (!frames)
    return frames.takeError();
  return errors.empty() ? Error::success() : createStringError(errors);
}

//===- ptx-opt.cpp - run any pass on .mlir, .ptx and .ll ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool for compiler engineers. It is like mlir-opt, with PTX as a second
// input language (chosen by the file's extension, or --ptx for standard input),
// and with LLVM IR (.ll) for the passes that run after MLIR's.
//
//===----------------------------------------------------------------------===//

#include "LlvmPasses.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "ptxjit/JIT/DebugLines.h"
#include "ptxjit/JIT/Remarks.h"
#include "ptxjit/Linker/Linker.h"
#include "ptxjit/Lowering/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string> inputName(cl::Positional, cl::desc("<input>"),
                                      cl::init("-"));
static cl::opt<std::string> outputName("o", cl::desc("Output file"),
                                       cl::init("-"));
static cl::opt<bool> isPtx("ptx", cl::desc("The input is PTX"));
static cl::opt<bool> splitInput("split-input-file",
                                cl::desc("Process each part between '// -----' "
                                         "on its own"));
static cl::opt<bool> verifyDiagnostics(
    "verify-diagnostics",
    cl::desc("Check diagnostics against '// expected-error' comments"));
static cl::opt<bool>
    showRemarks("remarks",
                cl::desc("Say what the passes decided, and what they counted"));
#ifndef NDEBUG
static cl::opt<std::string> debugOnly(
    "ptx-debug-only",
    cl::desc("Debug lines of these passes, by their flags without 'ptx-'"),
    cl::value_desc("names"));
#endif
static cl::opt<bool> outline("outline",
                             cl::desc("Read declarations only, no bodies"));

/// Parses a buffer, runs the pipeline and prints the result.
static LogicalResult process(llvm::SourceMgr &sources, MLIRContext &context,
                             PassPipelineCLParser &passes, raw_ostream &os) {
  OwningOpRef<ModuleOp> module;
  if (isPtx || StringRef(inputName).ends_with(".ptx")) {
    ptxjit::ParseOptions options;
    options.bodies = !outline;
    auto parsed = ptxjit::parseAndLink(sources, &context, options);
    if (failed(parsed))
      return failure();
    module = std::move(*parsed);
  } else {
    auto shared =
        std::shared_ptr<llvm::SourceMgr>(&sources, [](llvm::SourceMgr *) {});
    module = parseSourceFile<ModuleOp>(shared, ParserConfig(&context));
    if (!module)
      return failure();
  }
  if (failed(verify(*module)))
    return failure();
  ptxjit::RemarkList remarks;
  if (showRemarks)
    remarks.listenTo(context);
  PassManager pm(&context, ModuleOp::getOperationName(),
                 PassManager::Nesting::Implicit);
  if (failed(applyPassManagerCLOptions(pm)) ||
      failed(passes.addToPipeline(pm,
                                  [&](const Twine &message) {
                                    emitError(UnknownLoc::get(&context))
                                        << message;
                                    return failure();
                                  })) ||
      failed(pm.run(*module)))
    return failure();
  llvm::errs() << remarks.asDiagnostics(/*statistics=*/true);
  module->print(os);
  os << '\n';
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ptxjit::registerPipelines();
  registerTransformsPasses();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  PassPipelineCLParser passes("", "Passes to run");
  cl::ParseCommandLineOptions(argc, argv, "PTX compiler passes\n");
#ifndef NDEBUG
  ptxjit::showDebugLines(debugOnly);
#endif

  std::string message;
  auto input = openInputFile(inputName, &message);
  auto output = openOutputFile(outputName, &message);
  if (!input || !output) {
    llvm::errs() << message << '\n';
    return 1;
  }
  bool isLlvm = StringRef(inputName).ends_with(".ll");
  if (isLlvm ? passes.hasAnyOccurrences() : ptxjit::wantsLlvmPasses()) {
    llvm::errs() << "ptx-opt: passes named --llvm-... run on LLVM IR (.ll), "
                    "and they alone\n";
    return 1;
  }
  if (isLlvm) {
    if (!ptxjit::runLlvmPasses(*input, output->os()))
      return 1;
    output->keep();
    return 0;
  }
  DialectRegistry registry;
  ptxjit::registerLoweringDialects(registry);
  auto run = [&](std::unique_ptr<llvm::MemoryBuffer> buffer, raw_ostream &os) {
    MLIRContext context(registry);
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(!verifyDiagnostics);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    if (verifyDiagnostics) {
      SourceMgrDiagnosticVerifierHandler handler(sources, &context);
      (void)process(sources, context, passes, os);
      return handler.verify();
    }
    SourceMgrDiagnosticHandler handler(sources, &context);
    return process(sources, context, passes, os);
  };
  if (failed(splitAndProcessBuffer(std::move(input), run, output->os(),
                                   splitInput ? kDefaultSplitMarker : "",
                                   splitInput ? "// -----\n" : "")))
    return 1;
  output->keep();
  return 0;
}

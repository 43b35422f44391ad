//===- Assembly.cpp - checks and links PTX texts --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Linker/Linker.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Parser/Parser.h"
#include "ptxjit/Runtime/KernelABI.h"
#include "ptxjit/Runtime/LinkedText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::ptxas;
using namespace ptxjit::tools;

namespace {
/// Adds its own lifetime to `milliseconds`.
class Stopwatch {
public:
  explicit Stopwatch(double &milliseconds)
      : milliseconds(milliseconds), start(Clock::now()) {}
  ~Stopwatch() {
    milliseconds +=
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds;
  Clock::time_point start;
};
} // namespace

Assembly::Assembly(const CommandLine &options, Messages &messages)
    : options(options), messages(messages),
      context(MLIRContext::Threading::DISABLED),
      handler(&context, [this](Diagnostic &diagnostic) {
        say(diagnostic);
        for (const Diagnostic &note : diagnostic.getNotes())
          say(note);
      }) {
  loadParserDialects(context);
  context.printOpOnDiagnostic(false);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// A line of a text; the first one is 1.
static StringRef lineOf(StringRef text, unsigned line) {
  while (--line && !text.empty())
    text = text.split('\n').second;
  return text.split('\n').first;
}

Place Assembly::findPlace(Location location) const {
  Place place;
  location->walk([&](Location part) {
    auto loc = dyn_cast<FileLineColLoc>(part);
    const NamedText *input =
        loc ? llvm::find_if(texts,
                            [&](const NamedText &text) {
                              return text.name == loc.getFilename().getValue();
                            })
            : texts.end();
    if (input == texts.end())
      return WalkResult::advance();
    place.file = input->name;
    place.line = loc.getLine();
    place.column = loc.getColumn();
    place.text = lineOf(input->text, loc.getLine());
    return WalkResult::interrupt();
  });
  return place;
}

static Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  default:
    return Severity::Info;
  }
}

void Assembly::say(const Diagnostic &diagnostic) {
  messages.say(severityOf(diagnostic.getSeverity()), diagnostic.str(),
               findPlace(diagnostic.getLocation()));
}

void Assembly::add(StringRef name, StringRef bytes) {
  Stopwatch watch(milliseconds);
  // A NUL ends the text, as in images that programs pass to the driver.
  texts.push_back({name.str(), bytes.split('\0').first.str()});
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(texts.back().text, name), llvm::SMLoc());
  FailureOr<OwningOpRef<ModuleOp>> parsed = parsePtx(sources, &context);
  if (succeeded(parsed) && succeeded(verify(**parsed)))
    modules.push_back(std::move(*parsed));
}

/// Links all texts to one module, unless one of them had an error.
void Assembly::link() {
  Stopwatch watch(milliseconds);
  if (messages.hasErrors() || modules.empty())
    return;
  if (modules.size() == 1) {
    module = std::move(modules.front());
    return;
  }
  FailureOr<OwningOpRef<ModuleOp>> linked = linkModules(modules);
  if (succeeded(linked))
    module = std::move(*linked);
}

bool Assembly::finish() {
  link();
  if (!messages.hasErrors())
    warn();
  if (messages.hasErrors()) {
    messages.say(Severity::Fatal, "Ptx assembly aborted due to errors");
    return false;
  }
  if (!fitsDevice() || !hasEntries())
    return false;
  if (options.has(OptionId::Verbose))
    describe();
  whole = joinTexts({texts.begin(), texts.end()});
  return true;
}

//===----------------------------------------------------------------------===//
// Checks for the device
//===----------------------------------------------------------------------===//

/// The device, spelled like a target: sm_80 for sm_80, compute_80 and lto_80.
static std::string deviceOf(const CommandLine &options) {
  return "sm_" +
         options.get(OptionId::GpuName, "sm_75").split('_').second.str();
}

/// Why a text for `target` cannot run on `device`; empty if it can. A plain
/// target runs on its own device and all newer ones, one with `a` on its own
/// only, one with `f` on its own and newer ones of its family.
static std::string refuse(const Availability &target,
                          const Availability &device, StringRef targetName,
                          StringRef deviceName) {
  if (target.sm > device.sm)
    return "SM version specified by .target is higher than default SM version "
           "assumed";
  if (target.suffix == 'a' && target.sm < device.sm)
    return ("Program with .target '" + targetName +
            "' cannot be compiled to future architecture")
        .str();
  if (target.suffix == 'a' && device.suffix != 'a')
    return ("PTX with .target '" + targetName +
            "' cannot be compiled for architecture '" + deviceName + "'")
        .str();
  if (target.suffix == 'f' && target.sm / 10 != device.sm / 10)
    return ("Program with .target '" + targetName +
            "' cannot be compiled to different SM-family architecture")
        .str();
  return "";
}

bool Assembly::fitsDevice() {
  auto version = module.get()->getAttrOfType<StringAttr>(kVersionAttr);
  auto target = module.get()->getAttrOfType<StringAttr>(kTargetAttr);
  std::string device = deviceOf(options);
  // The parser and the options have checked that both can be parsed.
  std::string why = refuse(*parseAvailability(version, target),
                           *parseAvailability(version, device), target, device);
  if (why.empty())
    return true;
  messages.say(Severity::Fatal, why);
  return false;
}

bool Assembly::hasEntries() {
  for (const std::string &name : options.getAll(OptionId::Entry)) {
    auto function = module->lookupSymbol<FuncOp>(name);
    if (function && function.getEntry())
      continue;
    messages.say(Severity::Fatal, "Unknown function " + name);
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Warnings and remarks
//===----------------------------------------------------------------------===//

/// Does an instruction compute with f64? Ops that read or write registers do
/// not count, since the instructions beside them do.
static bool isDouble(Operation *op) {
  auto isF64 = [](Type type) { return type.isF64(); };
  return !isa<ReadOp, WriteOp>(op) &&
         (llvm::any_of(op->getOperandTypes(), isF64) ||
          llvm::any_of(op->getResultTypes(), isF64));
}

static auto entriesOf(ModuleOp module) {
  return llvm::make_filter_range(module.getOps<FuncOp>(), [](FuncOp function) {
    return function.getEntry();
  });
}

void Assembly::warn() {
  if (options.has(OptionId::WarnDouble))
    module->walk([&](Operation *op) {
      if (!isDouble(op))
        return WalkResult::advance();
      messages.say(Severity::Warning,
                   "Program is doing double precision computations.",
                   findPlace(op->getLoc()));
      return WalkResult::interrupt();
    });
  if (!options.has(OptionId::WarnLocal))
    return;
  ModuleVariables variables(*module);
  for (FuncOp entry : entriesOf(*module))
    if (int64_t bytes = KernelLayout(variables, entry).localBytes)
      messages.say(Severity::Warning,
                   "Local memory used for function '" + entry.getSymName() +
                       "', size of stack frame: " + Twine(bytes) + " bytes");
}

void Assembly::describeVariables() {
  int64_t global = 0, constant = 0;
  for (VarOp variable : module->getOps<VarOp>()) {
    if (variable.getSpace() == Space::Global)
      global += variable.getBytes();
    if (variable.getSpace() == Space::Const)
      constant += variable.getBytes();
  }
  std::string text = std::to_string(global) + " bytes gmem";
  if (constant)
    text += ", " + std::to_string(constant) + " bytes cmem[3]";
  messages.say(Severity::Info, text);
}

/// Prints lines that tools read. The stack frame is local memory, `cmem[0]` the
/// parameters. There are no device registers, so none is spilled.
void Assembly::describe() {
  describeVariables();
  std::string device = deviceOf(options);
  ModuleVariables variables(*module);
  for (FuncOp entry : entriesOf(*module)) {
    KernelLayout layout(variables, entry);
    int64_t shared = layout.sharedEnd - PTXJIT_SHARED_BASE;
    messages.say(Severity::Info, "Compiling entry function '" +
                                     entry.getSymName() + "' for '" + device +
                                     "'");
    messages.say(Severity::Info,
                 "Function properties for " + entry.getSymName());
    messages.more(Twine(layout.localBytes) +
                  " bytes stack frame, 0 bytes spill stores, 0 bytes spill "
                  "loads");
    std::string used = "Used 0 registers";
    if (shared)
      used += ", " + std::to_string(shared) + " bytes smem";
    used += ", " + std::to_string(layout.paramBytes) + " bytes cmem[0]";
    messages.say(Severity::Info, used);
  }
  std::string time;
  llvm::raw_string_ostream(time)
      << "Compile time = " << llvm::format("%.3f", milliseconds) << " ms";
  messages.say(Severity::Info, time);
}

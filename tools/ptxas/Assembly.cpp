//===- Assembly.cpp - checks texts and joins them -------------------------===//

#include "Assembly.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Parser/Parser.h"
#include "ptxjit/Runtime/JoinTexts.h"
#include "ptxjit/Runtime/KernelABI.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::ptxas;

Assembly::Assembly(const Options &options, Messages &messages)
    : options(options), messages(messages),
      context(MLIRContext::Threading::DISABLED) {
  loadParserDialects(context);
  context.printOpOnDiagnostic(false);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// A line of a text, counted from 1.
static StringRef lineOf(StringRef text, unsigned line) {
  while (--line && !text.empty())
    text = text.split('\n').second;
  return text.split('\n').first;
}

Place Assembly::findPlace(Location location) const {
  Place place;
  location->walk([&](Location part) {
    auto loc = dyn_cast<FileLineColLoc>(part);
    if (!loc)
      return WalkResult::advance();
    size_t input = source.firstLines.size() - 1;
    while (input && loc.getLine() < source.firstLines[input])
      --input;
    unsigned first = source.firstLines[input];
    place.file = source.names[input];
    // What is before the first input is the header that they have in common.
    place.line = std::max(loc.getLine(), first) - first + 1;
    place.column = loc.getColumn();
    place.text = lineOf(source.text, loc.getLine());
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

void Assembly::parse(Source parts) {
  auto start = std::chrono::steady_clock::now();
  source = std::move(parts);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(source.text, source.names.front()),
      llvm::SMLoc());
  auto say = [&](const Diagnostic &diagnostic) {
    messages.say(severityOf(diagnostic.getSeverity()), diagnostic.str(),
                 findPlace(diagnostic.getLocation()));
  };
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    say(diagnostic);
    for (const Diagnostic &note : diagnostic.getNotes())
      say(note);
  });
  FailureOr<OwningOpRef<ModuleOp>> parsed = parsePtx(sources, &context);
  module = nullptr;
  if (succeeded(parsed) && succeeded(verify(**parsed)))
    module = std::move(*parsed);
  milliseconds += std::chrono::duration<double, std::milli>(
                      std::chrono::steady_clock::now() - start)
                      .count();
}

void Assembly::add(StringRef name, StringRef text) {
  names.push_back(name.str());
  // A NUL ends the text, as in modules that drivers are handed.
  texts.push_back(text.split('\0').first.str());
  parse({texts.back(), names.back(), {1}});
}

bool Assembly::finish() {
  std::vector<unsigned> firstLines;
  whole = joinTexts(texts, &firstLines);
  if (texts.size() > 1 && !messages.hasErrors())
    parse({whole, names, firstLines});
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
  return true;
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// The device's name, as targets are written.
static std::string deviceOf(const Options &options) {
  return "sm_" +
         options.get(OptionId::GpuName, "sm_75").split('_').second.str();
}

/// May a text for `target` run on `device`? Plain targets are for all newer
/// ones, those with `a` for one, those with `f` for the newer of a family.
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
  // Both are of the forms that the parser and the options let through.
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

/// Registers are read and written where instructions are, which count.
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
  for (FuncOp entry : entriesOf(*module))
    if (int64_t bytes = KernelLayout(*module, entry).localBytes)
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

/// Tools read these lines. Local memory is the stack frame, `cmem[0]` the
/// parameters. There are no registers of a device, and so none is spilled.
void Assembly::describe() {
  describeVariables();
  std::string device = deviceOf(options);
  for (FuncOp entry : entriesOf(*module)) {
    KernelLayout layout(*module, entry);
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

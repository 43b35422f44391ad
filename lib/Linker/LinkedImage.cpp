//===- LinkedImage.cpp - parses and links linked images -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a linked image into its modules, parses and links these, and maps
// their lines to lines of the image.
//
//===----------------------------------------------------------------------===//

#include "LinkerImpl.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "ptxjit/Runtime/LinkedText.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace ptxjit;

/// The name that module number `number` has for `kernel`: without the suffix
/// `::number`, if it has that.
static StringRef kernelOf(StringRef kernel, size_t number) {
  auto [name, suffix] = kernel.rsplit("::");
  unsigned of;
  return !suffix.getAsInteger(10, of) && of == number ? name : kernel;
}

static FailureOr<OwningOpRef<ModuleOp>>
parseImage(llvm::SourceMgr &sources, MLIRContext *context,
           const ParseOptions &options) {
  const llvm::MemoryBuffer *image =
      sources.getMemoryBuffer(sources.getMainFileID());
  std::vector<LinkedPart> parts;
  StringRef text = image->getBuffer();
  if (!splitText({text.data(), text.size()}, parts))
    return emitError(
               FileLineColLoc::get(context, image->getBufferIdentifier(), 1, 1))
           << "the linked image is damaged, or of another version of ptx-jit";
  SmallVector<OwningOpRef<ModuleOp>> modules;
  for (auto [i, part] : llvm::enumerate(parts)) {
    ParseOptions own = options;
    own.onlyKernel = kernelOf(options.onlyKernel, i + 1);
    own.allFunctions = true;
    own.buffer = sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(
            StringRef(part.text.data(), part.text.size()), part.name),
        llvm::SMLoc());
    auto module = parsePtx(sources, context, own);
    if (failed(module))
      return failure();
    modules.push_back(std::move(*module));
  }
  return linkModules(modules);
}

FailureOr<OwningOpRef<ModuleOp>>
ptxjit::parseAndLink(llvm::SourceMgr &sources, MLIRContext *context,
                     const ParseOptions &options) {
  StringRef text =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  if (isLinkedText({text.data(), text.size()}))
    return parseImage(sources, context, options);
  auto module = parsePtx(sources, context, options);
  // Undefined functions are errors only of the kernels that call them.
  if (succeeded(module) && failed(checkResolved(**module, /*functions=*/false)))
    return failure();
  return module;
}

void ptxjit::placeInImage(ModuleOp module, StringRef image,
                          StringRef imageName) {
  std::vector<LinkedPart> parts;
  if (!splitText({image.data(), image.size()}, parts))
    return;
  llvm::StringMap<unsigned> before;
  for (const LinkedPart &part : parts)
    before[part.name] = part.lineBefore;
  auto file = StringAttr::get(module.getContext(), imageName);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](LocationAttr place) -> std::optional<Attribute> {
    auto old = dyn_cast<FileLineColLoc>(place);
    auto it = old ? before.find(old.getFilename().getValue()) : before.end();
    if (it == before.end())
      return std::nullopt;
    return FileLineColLoc::get(file, it->second + old.getLine(),
                               old.getColumn());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

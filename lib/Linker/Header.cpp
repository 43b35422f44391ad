//===- Header.cpp - merges the headers of linked modules ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the `.version`, `.target` and `.address_size` of the linked module.
//
//===----------------------------------------------------------------------===//

#include "LinkerImpl.h"

#include "ptxjit/Dialect/FormTable.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static StringRef textOf(ModuleOp module, StringRef name) {
  return module->getAttrOfType<StringAttr>(name).getValue();
}

static Availability headerOf(ModuleOp module) {
  auto parsed = parseAvailability(textOf(module, kVersionAttr),
                                  textOf(module, kTargetAttr));
  assert(parsed && "the parser has checked it");
  return *parsed;
}

/// Is there a device that runs both targets? A plain target runs on its own and
/// all newer devices, an `f` target on those of its family that are not older,
/// an `a` target on one device only.
static bool haveDevice(const Availability &x, const Availability &y) {
  const Availability &low = x.sm <= y.sm ? x : y, &high = x.sm <= y.sm ? y : x;
  if (low.sm == high.sm || !low.suffix)
    return true;
  return low.suffix == 'f' && low.sm / 10 == high.sm / 10;
}

/// Is the target of `x` newer, or of the same number but more specific?
static bool isNewer(const Availability &x, const Availability &y) {
  auto rank = [](char suffix) {
    return suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0;
  };
  return std::pair(x.sm, rank(x.suffix)) > std::pair(y.sm, rank(y.suffix));
}

static LogicalResult checkPair(ModuleOp module, ModuleOp other) {
  auto refuse = [&](const Twine &message) {
    InFlightDiagnostic error = module.emitError() << message;
    error.attachNote(other.getLoc()) << "this module is linked with it";
    return error;
  };
  if (!haveDevice(headerOf(module), headerOf(other)))
    return refuse("no device has targets " + textOf(module, kTargetAttr) +
                  " and " + textOf(other, kTargetAttr));
  if (module->getAttr(kAddressSizeAttr) != other->getAttr(kAddressSizeAttr))
    return refuse("modules of 32-bit and of 64-bit addresses cannot be linked");
  if (module->getAttr(kMapF64Attr) != other->getAttr(kMapF64Attr))
    return refuse("modules with and without map_f64_to_f32 cannot be linked");
  return success();
}

LogicalResult
ptxjit::mergeHeaders(MutableArrayRef<OwningOpRef<ModuleOp>> modules,
                     ModuleOp whole) {
  ModuleOp newestText = *modules.front(), newestTarget = *modules.front();
  for (auto &module : modules) {
    for (auto &other : modules.take_front(&module - modules.data()))
      if (failed(checkPair(*module, *other)))
        return failure();
    Availability header = headerOf(*module), best = headerOf(newestText);
    if (std::pair(header.major, header.minor) >
        std::pair(best.major, best.minor))
      newestText = *module;
    if (isNewer(header, headerOf(newestTarget)))
      newestTarget = *module;
  }
  whole->setDiscardableAttrs(newestTarget->getDiscardableAttrDictionary());
  whole->setAttr(kVersionAttr, newestText->getAttr(kVersionAttr));
  return success();
}

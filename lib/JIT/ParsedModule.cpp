//===- ParsedModule.cpp - what the library knows of a module --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedModule.h"

#include "mlir/IR/Verifier.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Runtime/Texture.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// The position in a list of names of one that is the value of a member.
static uint8_t findMember(llvm::ArrayRef<llvm::StringRef> names,
                          Attribute value) {
  const auto *found = llvm::find(names, cast<StringAttr>(value).getValue());
  assert(found != names.end() && "the parser knows the values");
  return uint8_t(found - names.begin());
}

/// Sets what a member of an opaque variable says of sampling. Members that
/// describe an image are left to the driver, which binds one.
static void setMember(PtxjitSampler &sampler, llvm::StringRef name,
                      Attribute value) {
  if (name == "filter_mode")
    sampler.isLinear = findMember({"nearest", "linear"}, value);
  else if (name == "force_unnormalized_coords")
    sampler.forcesUnnormalized = cast<IntegerAttr>(value).getInt() != 0;
  else if (name == "normalized_coords")
    sampler.isNormalized = cast<IntegerAttr>(value).getInt() != 0;
  else if (name.consume_front(
               "addr_mode_")) // in the order of PtxjitAddressMode
    sampler.addressModes[name.front() - '0'] = findMember(
        {"wrap", "clamp_to_edge", "mirror", "clamp_to_border", "clamp_ogl"},
        value);
}

/// The initial contents of a variable of an opaque type, or of an array of
/// them.
static std::vector<int8_t> makeOpaqueBytes(VarOp var) {
  static_assert(kOpaqueBytes == PTXJIT_OPAQUE_BYTES &&
                kOpaqueAlign == PTXJIT_OPAQUE_ALIGN &&
                sizeof(PtxjitOpaque) <= PTXJIT_OPAQUE_BYTES);
  static constexpr PtxjitOpaqueKind kKinds[] = {
      PTXJIT_OPAQUE_TEXREF, PTXJIT_OPAQUE_SAMPLERREF, PTXJIT_OPAQUE_SURFREF};
  auto members = var->getAttrOfType<ArrayAttr>("ptx.members");
  std::vector<int8_t> bytes(size_t(var.getBytes()));
  for (size_t i = 0; i < bytes.size() / kOpaqueBytes; ++i) {
    PtxjitOpaque opaque{};
    opaque.kind = kKinds[unsigned(*var.getOpaque())];
    opaque.sampler.maxLevel = float(PTXJIT_MOST_LEVELS);
    std::fill_n(opaque.sampler.addressModes, 3, PTXJIT_ADDRESS_CLAMP);
    if (members && i < members.size())
      for (NamedAttribute member : cast<DictionaryAttr>(members[i]))
        setMember(opaque.sampler, member.getName(), member.getValue());
    std::memcpy(&bytes[i * kOpaqueBytes], &opaque, sizeof(opaque));
  }
  return bytes;
}

const PtxjitReloc *VariableList::addRelocs(ArrayAttr list) {
  auto &added = relocs.emplace_back();
  for (Attribute a : list) {
    auto fields = cast<ArrayAttr>(a);
    auto number = [&](unsigned i) {
      return cast<IntegerAttr>(fields[i]).getInt();
    };
    added.push_back(
        {uint64_t(number(0)), uint32_t(number(1)), uint32_t(number(4)),
         keep(cast<FlatSymbolRefAttr>(fields[2]).getValue()), number(3)});
  }
  return added.data();
}

void VariableList::add(VarOp var) {
  PtxjitVariable v{};
  v.name = keep(var.getSymName());
  v.bytes = uint64_t(var.getBytes());
  v.align = uint64_t(var.getAlign());
  v.isConstant = var.getSpace() == Space::Const;
  v.isManaged = var->hasAttr("ptx.managed");
  if (auto init = var.getInit())
    bytes.emplace_back(init->begin(), init->end());
  if (var.getOpaque())
    bytes.push_back(makeOpaqueBytes(var));
  if (var.getInit() || var.getOpaque()) {
    v.init = reinterpret_cast<const uint8_t *>(bytes.back().data());
    v.initBytes = bytes.back().size();
  }
  if (auto list = var.getRelocs()) {
    v.relocs = addRelocs(*list);
    v.numRelocs = list->size();
  }
  variables.push_back(v);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static void describeKernel(PtxjitModule &out, const ModuleVariables &variables,
                           FuncOp func) {
  PtxjitKernelInfo kernel{};
  kernel.name = out.variables.keep(func.getSymName());
  auto &params = out.params.emplace_back();
  for (Attribute a : func.getParams()) {
    auto p = cast<ParamAttr>(a);
    params.push_back({out.variables.keep(p.getName()),
                      out.variables.keep(stringifyScalarType(p.getType())),
                      uint32_t(std::max(1u, getBitWidth(p.getType()) / 8)),
                      uint32_t(p.getAlign()), uint32_t(p.getOffset()),
                      uint64_t(p.getCount())});
  }
  kernel.params = params.data();
  kernel.numParams = params.size();
  kernel.paramBytes = uint32_t(func.getParamBytes());
  auto extents = [&](llvm::StringRef name, uint32_t (&to)[3]) {
    auto directives = func.getDirectives();
    auto values = directives ? directives->getAs<DenseI64ArrayAttr>(name)
                             : DenseI64ArrayAttr();
    for (unsigned i = 0; values && i < 3; ++i)
      to[i] = i < values.size() ? uint32_t(values[i]) : 1;
  };
  extents("maxntid", kernel.maxntid);
  extents("reqntid", kernel.reqntid);
  extents("reqnctapercluster", kernel.cluster);
  uint32_t most[3] = {};
  extents("maxclusterrank", most);
  kernel.maxClusterRank = most[0];
  if (auto directives = func.getDirectives()) {
    kernel.explicitCluster = directives->contains("explicitcluster");
    kernel.blocksAreClusters = directives->contains("blocksareclusters");
  }
  KernelLayout layout(variables, func);
  kernel.sharedBytes = uint32_t(layout.sharedEnd - PTXJIT_SHARED_BASE);
  kernel.localBytes = uint32_t(layout.localBytes);
  out.kernels.push_back(kernel);
}

/// Fills in what readers of the C interface see, which points to the rest.
static void describeModule(PtxjitModule &out, Operation *op) {
  out.info.text = out.text.data();
  out.info.fileName = out.fileName.c_str();
  out.info.version =
      out.variables.keep(op->getAttrOfType<StringAttr>(kVersionAttr));
  out.info.target =
      out.variables.keep(op->getAttrOfType<StringAttr>(kTargetAttr));
  out.info.addressBits =
      op->getAttrOfType<IntegerAttr>(kAddressSizeAttr).getInt();
  out.info.kernels = out.kernels.data();
  out.info.numKernels = out.kernels.size();
  out.info.functions = out.functions.data();
  out.info.numFunctions = out.functions.size();
  out.info.variables = out.variables.variables.data();
  out.info.numVariables = out.variables.variables.size();
}

std::unique_ptr<PtxjitModule> ptxjit::readModule(llvm::StringRef source,
                                                 const char *fileName,
                                                 bool checkBodies,
                                                 PtxjitSink diagnostics,
                                                 uint32_t *numErrors) {
  Session session(source, fileName, diagnostics);
  auto out = std::make_unique<PtxjitModule>();
  ParseOptions options;
  options.bodies = checkBodies;
  options.newEnds = &out->bodyEnds;
  auto module = session.parse(options);
  bool ok = succeeded(module) && succeeded(verify(**module));
  if (numErrors)
    *numErrors = ok ? 0 : std::max(session.numErrors, 1u);
  if (!ok)
    return nullptr;
  out->text = source;
  out->fileName = fileName;
  ModuleVariables variables(**module);
  for (FuncOp func : (*module)->getOps<FuncOp>()) {
    out->functions.push_back(out->variables.keep(func.getSymName()));
    if (func.getEntry())
      describeKernel(*out, variables, func);
  }
  for (VarOp var : (*module)->getOps<VarOp>())
    if ((var.getSpace() == Space::Global || var.getSpace() == Space::Const) &&
        var.getLinkage() != "extern") // an unused declaration
      out->variables.add(var);
  describeModule(*out, **module);
  return out;
}

ParseOptions ptxjit::optionsFor(const PtxjitModule &module,
                                llvm::StringRef kernel) {
  ParseOptions options;
  options.onlyKernel = kernel;
  options.addressSize = module.info.addressBits;
  options.knownEnds = &module.bodyEnds;
  return options;
}

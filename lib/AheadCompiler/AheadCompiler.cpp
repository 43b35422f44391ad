//===- AheadCompiler.cpp - compiles modules ahead of time -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledModule.h"
#include "ptxjit/Runtime/CompilerLoader.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string_view>

using namespace ptxjit;

namespace {
/// A system that objects can be made for.
struct System {
  std::string_view architecture; ///< the first part of its name
  uint16_t machine;              ///< of its ELF files
  /// The least of its CPUs that kernels run on, by LLVM's name. On Arm: what
  /// all servers have.
  const char *cpu;
};

/// One run of compileAhead.
class AheadCompiler {
public:
  AheadCompiler(LoadedModule &module, const AheadRequest &request,
                CompiledFiles &files, std::string &diagnostics)
      : loaded(module), request(request), files(files),
        diagnostics(diagnostics),
        module{module.getInfo(), request, request.cpu, {}} {}

  AheadFailure run();

private:
  AheadFailure fail(AheadFailure failure, const std::string &why) {
    diagnostics += "error: " + why + "\n";
    return failure;
  }
  AheadFailure chooseSystem();
  AheadFailure checkBlocks();
  AheadFailure compileKernel(uint32_t index);
  AheadFailure compileVariant(uint32_t index, const PtxjitSpecialization &spec);
  AheadFailure checkNeeds(const PtxjitImage &image);
  std::vector<PtxjitSpecialization>
  chooseBlocks(const PtxjitKernelInfo &kernel) const;
  PtxjitSpecialization specialize(const uint32_t *block,
                                  PtxjitAnyBlock anyBlock) const;

  LoadedModule &loaded;
  const AheadRequest &request;
  CompiledFiles &files;
  std::string &diagnostics;
  CompiledModule module;
  const System *system = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// What to compile
//===----------------------------------------------------------------------===//

static constexpr System kSystems[] = {
    {"x86_64", EM_X86_64, "x86-64-v3"},
    {"aarch64", EM_AARCH64, "neoverse-n1"},
};
#if defined(__x86_64__)
static constexpr const System &kThisSystem = kSystems[0];
#else
static constexpr const System &kThisSystem = kSystems[1];
#endif

/// The system that a target names: "x86_64-linux-gnu", maybe with a vendor.
static const System *findSystem(const std::string &target) {
  for (const System &system : kSystems)
    for (const char *rest :
         {"-linux-gnu", "-unknown-linux-gnu", "-pc-linux-gnu"})
      if (target == std::string(system.architecture) + rest)
        return &system;
  return nullptr;
}

AheadFailure AheadCompiler::chooseSystem() {
  if (!request.target.empty() && !(system = findSystem(request.target)))
    return fail(AheadFailure::Request,
                "there is no target '" + request.target +
                    "', but x86_64-linux-gnu and aarch64-linux-gnu");
  if (module.cpu.empty())
    module.cpu = (system ? *system : kThisSystem).cpu;
  return AheadFailure::None;
}

/// Do the blocks fit the ISA and the module?
AheadFailure AheadCompiler::checkBlocks() {
  for (const AheadBlock &given : request.blocks) {
    if (!ptxjitIsBlock(given.block))
      return fail(AheadFailure::Request, PTXJIT_BLOCK_RULE);
    if (given.kernel.empty())
      continue;
    const PtxjitKernelInfo *kernel = loaded.findKernel(given.kernel);
    if (!kernel)
      return fail(AheadFailure::Request,
                  "there is no kernel '" + given.kernel + "'");
    const uint32_t *required = kernel->reqntid;
    if (required[0] && !std::equal(required, required + 3, given.block))
      return fail(AheadFailure::Request,
                  "kernel '" + given.kernel + "' requires blocks of " +
                      std::to_string(required[0]) + " x " +
                      std::to_string(required[1]) + " x " +
                      std::to_string(required[2]) + " threads");
  }
  return AheadFailure::None;
}

PtxjitSpecialization AheadCompiler::specialize(const uint32_t *block,
                                               PtxjitAnyBlock anyBlock) const {
  PtxjitSpecialization spec = KernelOptions();
  std::copy(block, block + 3, spec.block);
  spec.anyBlock = anyBlock;
  spec.smallGrid = !request.hasLargeGrids;
  spec.cpu = module.cpu.c_str();
  spec.quick = false;
  spec.tiles = false; // a program would have to ask Linux for them
  return spec;
}

/// The blocks that a kernel is compiled for.
std::vector<PtxjitSpecialization>
AheadCompiler::chooseBlocks(const PtxjitKernelInfo &kernel) const {
  std::vector<PtxjitSpecialization> specs;
  auto add = [&](const uint32_t *block) {
    bool isThere = std::any_of(specs.begin(), specs.end(), [&](auto &spec) {
      return std::equal(block, block + 3, spec.block);
    });
    if (!isThere)
      specs.push_back(specialize(block, PTXJIT_ANY_BLOCK_NONE));
  };
  if (kernel.reqntid[0]) {
    add(kernel.reqntid);
    return specs;
  }
  for (const AheadBlock &given : request.blocks)
    if (given.kernel.empty() || given.kernel == kernel.name)
      add(given.block);
  if (specs.empty())
    for (PtxjitAnyBlock any : {PTXJIT_ANY_BLOCK_ROW, PTXJIT_ANY_BLOCK_ALL}) {
      static constexpr uint32_t most[3] = {1024, 1, 1};
      specs.push_back(specialize(most, any));
    }
  return specs;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// A bit of PtxjitImage::helpers.
#define HELPER_BIT(name)                                                       \
  (uint64_t(1) << (offsetof(PtxjitHelpers, name) / sizeof(void *)))

static const char *const kSystemNames[] = {
#define SYSTEM_FUNCTION(id, name, ...) #name,
#include "ptxjit/Runtime/SystemFunctions.def"
#undef SYSTEM_FUNCTION
};

/// Says what a kernel needs of a driver, which programs without one cannot
/// give; null if nothing.
static std::string describeNeeds(const PtxjitImage &image) {
  if (image.helpers & HELPER_BIT(accessTexture))
    return "it reads textures or surfaces, which only programs with the "
           "compiler or the driver make";
  if (image.helpers & (HELPER_BIT(copyTensor) | HELPER_BIT(replaceInTensorMap)))
    return "it copies tensors by tensor maps, which only programs with the "
           "driver make";
  if (image.helpers & HELPER_BIT(accessMultimem))
    return "it uses multicast addresses, which only programs with the compiler "
           "or the driver make";
  for (unsigned i = PTXJIT_SYSTEM_SET_CONDITION; i < PTXJIT_SYSTEM_END; ++i)
    if (image.systemCalls >> i & 1)
      return std::string("it calls '") + kSystemNames[i] +
             "', which needs the driver";
  return "";
}

AheadFailure AheadCompiler::checkNeeds(const PtxjitImage &image) {
  std::string needs = describeNeeds(image);
  if (needs.empty())
    return AheadFailure::None;
  return fail(AheadFailure::Kernel,
              std::string("kernel '") + image.kernel +
                  "' cannot be compiled ahead of time: " + needs);
}

AheadFailure AheadCompiler::compileVariant(uint32_t index,
                                           const PtxjitSpecialization &spec) {
  const std::string name = module.info.kernels[index].name;
  CompiledVariant variant;
  variant.kernel = index;
  variant.spec = spec;
  variant.image = loaded.translate(name, spec, diagnostics);
  if (!variant.image)
    return AheadFailure::Kernel;
  if (variant.image->degraded)
    diagnostics += "warning: LLVM failed on kernel '" + name +
                   "'; it runs from slow fallback code\n";
  if (AheadFailure failure = checkNeeds(*variant.image);
      failure != AheadFailure::None)
    return failure;
  std::string object(reinterpret_cast<const char *>(variant.image->object),
                     variant.image->objectBytes);
  std::optional<FlatCode> code = flatten(object, variant.image->symbol);
  if (!code)
    return fail(AheadFailure::Kernel,
                "the code of kernel '" + name + "' cannot be laid out");
  if (system && code->machine != system->machine)
    return fail(AheadFailure::Request, "CPU '" + module.cpu +
                                           "' is none of target '" +
                                           request.target + "'");
  variant.code = std::move(*code);
  module.variants.push_back(std::move(variant));
  return AheadFailure::None;
}

AheadFailure AheadCompiler::compileKernel(uint32_t index) {
  for (const PtxjitSpecialization &spec :
       chooseBlocks(module.info.kernels[index]))
    if (AheadFailure failure = compileVariant(index, spec);
        failure != AheadFailure::None)
      return failure;
  return AheadFailure::None;
}

AheadFailure AheadCompiler::run() {
  if (module.info.addressBits == 32)
    return fail(AheadFailure::Kernel,
                "modules of '.address_size 32' cannot be compiled ahead of "
                "time: programs would need memory below 4 GiB");
  if (!module.info.numKernels)
    return fail(AheadFailure::Kernel, "the module has no kernel");
  if (AheadFailure failure = chooseSystem(); failure != AheadFailure::None)
    return failure;
  if (AheadFailure failure = checkBlocks(); failure != AheadFailure::None)
    return failure;
  for (uint32_t i = 0; i < module.info.numKernels; ++i)
    if (AheadFailure failure = compileKernel(i); failure != AheadFailure::None)
      return failure;
  std::string error;
  const PtxjitCompiler *compiler = loadCompiler(error);
  if (!compiler)
    return fail(AheadFailure::Kernel, error);
  auto append = [](std::string &text) {
    return PtxjitSink{[](void *user, const char *part, size_t size) {
                        static_cast<std::string *>(user)->append(part, size);
                      },
                      &text};
  };
  if (compiler->assemble(writeAssembly(module).c_str(), module.cpu.c_str(),
                         append(files.object), append(diagnostics)) != 0)
    return AheadFailure::Kernel;
  files.header = writeHeader(module);
  return AheadFailure::None;
}

AheadFailure ptxjit::compileAhead(LoadedModule &module,
                                  const AheadRequest &request,
                                  CompiledFiles &files,
                                  std::string &diagnostics) {
  return AheadCompiler(module, request, files, diagnostics).run();
}

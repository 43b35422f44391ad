//===- Operators.cpp - CUDA operators by torch's CPU kernels --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A boxed kernel that is registered for operators of the CUDA dispatch keys. It
// waits for the current stream, gives the CPU kernel aliases of the arguments,
// and makes CUDA tensors of the results. The module of Python, which is built
// for the torch that is installed, registers it.
//
//===----------------------------------------------------------------------===//

#include "Aliases.h"
#include "Capture.h"
#include "Random.h"

#include <c10/core/DeviceGuard.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/library.h>

using namespace ptxjit::torch_plugin;
using torch::jit::Stack;

namespace {

/// What Python says of an operator.
enum Flag : unsigned {
  /// It takes tensors of the CPU and of several devices.
  AnyDevice = 1,
  /// The kernel draws random numbers, and has no argument for a generator.
  Random = 2,
  /// Results are contiguous, whatever the order of the arguments' dimensions.
  Contiguous = 4,
  /// The CPU's kernel adds many narrow floats in their own type: f32 is used.
  SumsNarrowly = 8,
  /// The last argument says whether, or to which type, the result is converted,
  /// which the CPU's kernel does not do.
  MixesTypes = 16,
};

bool isNarrow(const c10::IValue &value) {
  return value.isTensor() && value.toTensor().defined() &&
         (value.toTensor().scalar_type() == at::kHalf ||
          value.toTensor().scalar_type() == at::kBFloat16);
}

/// Is the result of an operator with MixesTypes converted?
bool isMixed(c10::ArrayRef<c10::IValue> given) {
  const c10::IValue &last = given.back();
  if (last.isBool())
    return last.toBool();
  return last.toScalarType() != given.front().toTensor().scalar_type();
}

/// Python's function for operators that the CPU has not for the given types. It
/// takes the operator's name, its arguments and its keywords.
py::object *otherTypes = nullptr;

/// The CUDA devices of a call's arguments.
class Devices {
public:
  void visit(const c10::IValue &value) {
    if (value.isTensor()) {
      const at::Tensor &tensor = value.toTensor();
      if (!tensor.defined())
        return;
      if (tensor.is_cuda())
        insert(tensor.device());
      else if (tensor.is_cpu() && tensor.dim() > 0)
        hasHostTensor = true;
    } else if (value.isDevice()) {
      if (value.toDevice().is_cuda())
        insert(value.toDevice());
    } else if (value.isList() && !value.isIntList() && !value.isDoubleList() &&
               !value.isBoolList()) {
      for (const c10::IValue &element : value.toListRef())
        visit(element);
    }
  }

  void insert(c10::Device device) {
    if (!device.has_index())
      device = guard().getDevice();
    if (std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(device);
  }

  /// The current streams of the devices.
  c10::SmallVector<c10::Stream, 2> getStreams() const {
    c10::SmallVector<c10::Stream, 2> streams;
    for (c10::Device device : devices)
      streams.push_back(guard().getStream(device));
    return streams;
  }

  static const c10::impl::VirtualGuardImpl &guard() {
    static const c10::impl::VirtualGuardImpl impl(c10::DeviceType::CUDA);
    return impl;
  }

  c10::SmallVector<c10::Device, 2> devices;
  bool hasHostTensor = false;
};

/// The kernel of one operator.
class Kernel final : public c10::OperatorKernel {
public:
  Kernel(c10::DispatchKey host, unsigned flags)
      : host(host), anyDevice(flags & AnyDevice), random(flags & Random),
        contiguous(flags & Contiguous), sumsNarrowly(flags & SumsNarrowly),
        mixesTypes(flags & MixesTypes) {}

  void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet,
                  Stack *stack) {
    const c10::FunctionSchema &schema = op.schema();
    size_t count = schema.arguments().size();
    size_t base = stack->size() - count;
    c10::SmallVector<c10::IValue, 8> given(stack->begin() + base, stack->end());
    Devices devices;
    for (const c10::IValue &argument : given)
      devices.visit(argument);
    if (devices.devices.empty())
      devices.insert(Devices::guard().getDevice());
    checkDevices(op, devices);

    c10::Device device = devices.devices.front();
    // A guard asks for the current device twice, which cannot be another one
    // where there is one.
    std::optional<c10::DeviceGuard> guard;
    if (Devices::guard().deviceCount() > 1)
      guard.emplace(device);
    auto streams = devices.getStreams();
    bool mixes = mixesTypes && isMixed(given);
    if (!mixes && std::any_of(streams.begin(), streams.end(), isCaptured))
      return capture(op, given, device, stack);
    if (mixes || mustWiden(given)) {
      stack->resize(base);
      bool hasRun = runOtherTypes(op, given, stack);
      TORCH_INTERNAL_ASSERT(hasRun, "narrow floats have a wider type");
      return;
    }
    for (c10::Stream stream : streams)
      Devices::guard().synchronizeStream(stream);
    Aliases aliases(device);
    try {
      at::AutoDispatchBelowADInplaceOrView below;
      InKernel inKernel;
      for (size_t i = 0; i < count; ++i)
        (*stack)[base + i] =
            toHost(given[i], schema.arguments()[i], aliases, device);
      std::optional<SeededDefault> seeded;
      if (random)
        seeded.emplace(nextSeed(device));
      op.redispatchBoxed(c10::DispatchKeySet(host), stack);
      for (size_t i = 0; i < count; ++i)
        if (isWritten(schema.arguments()[i]))
          update(given[i], aliases);
      for (size_t i = base; i < stack->size(); ++i) {
        if (contiguous)
          makeContiguous((*stack)[i]);
        (*stack)[i] = toDevice((*stack)[i], aliases);
      }
    } catch (const c10::NotImplementedError &) {
      stack->resize(base);
      if (!runOtherTypes(op, given, stack))
        throw;
    }
  }

private:
  static bool isCaptured(c10::Stream stream) {
    return Devices::guard().isStreamCapturing(stream);
  }

  bool mustWiden(c10::ArrayRef<c10::IValue> given) const {
    return sumsNarrowly && std::any_of(given.begin(), given.end(), isNarrow);
  }

  /// Adds the call to the graph that the current stream is captured to.
  void capture(const c10::OperatorHandle &op, c10::ArrayRef<c10::IValue> given,
               c10::Device device, Stack *stack) {
    const c10::FunctionSchema &schema = op.schema();
    at::AutoDispatchBelowADInplaceOrView below;
    ResultMaker maker(op, device, contiguous);
    std::vector<at::Tensor> results = maker.make(given);
    // Behind `make`, which may give arguments other memory.
    Aliases aliases(device);
    auto call = std::make_unique<CapturedCall>(op, host);
    call->random = random;
    call->mustWiden = mustWiden(given);
    for (size_t i = 0; i < given.size(); ++i) {
      const c10::Argument &argument = schema.arguments()[i];
      bool isGenerator = given[i].isGenerator() ||
                         (given[i].isNone() && takesGenerator(argument));
      if (isGenerator)
        call->generators.push_back(i);
      call->arguments.push_back(
          isGenerator ? c10::IValue()
                      : toHost(given[i], argument, aliases, device));
    }
    if (random || !call->generators.empty())
      ReplaySeeds::areUsed() = true;
    for (const at::Tensor &result : results)
      call->results.push_back(result.defined() && !maker.isArgument(result)
                                  ? aliases.toHost(result)
                                  : at::Tensor());
    CaptureDriver::add(Devices::guard().getStream(device), CapturedCall::run,
                       CapturedCall::destroy, call.get());
    (void)call.release(); // the graph's
    stack->resize(stack->size() - given.size());
    for (const at::Tensor &result : results)
      stack->push_back(result);
  }

  void checkDevices(const c10::OperatorHandle &op,
                    const Devices &devices) const {
    if (anyDevice)
      return;
    TORCH_CHECK(devices.devices.size() == 1 && !devices.hasHostTensor,
                "Expected all tensors to be on the same device, but found at "
                "least two devices, ",
                devices.devices.front(), " and ",
                devices.hasHostTensor ? c10::Device(c10::kCPU)
                                      : devices.devices.back(),
                "! (when checking arguments of ", op.operator_name(), ")");
  }

  static bool isWritten(const c10::Argument &argument) {
    return argument.alias_info() && argument.alias_info()->isWrite();
  }

  c10::IValue toHost(const c10::IValue &value, const c10::Argument &argument,
                     Aliases &aliases, c10::Device device) {
    if (value.isTensor())
      return aliases.toHost(value.toTensor());
    if (value.isDevice())
      return value.toDevice().is_cuda() ? c10::Device(c10::kCPU)
                                        : value.toDevice();
    if (value.isGenerator() || (value.isNone() && takesGenerator(argument)))
      return toHostGenerator(value.toOptional<at::Generator>(), device);
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor &tensor : value.toTensorVector())
        list.push_back(aliases.toHost(tensor));
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const std::optional<at::Tensor> &tensor :
           value.toOptionalTensorVector())
        list.push_back(tensor ? std::optional(aliases.toHost(*tensor))
                              : std::nullopt);
      return list;
    }
    return value;
  }

  static bool takesGenerator(const c10::Argument &argument) {
    return argument.type()->isSubtypeOf(
        *c10::OptionalType::create(c10::GeneratorType::get()));
  }

  static c10::IValue toDevice(const c10::IValue &value, Aliases &aliases) {
    if (value.isTensor())
      return aliases.toDevice(value.toTensor());
    if (!value.isTensorList())
      return value;
    c10::List<at::Tensor> list;
    for (const at::Tensor &tensor : value.toTensorVector())
      list.push_back(aliases.toDevice(tensor));
    return list;
  }

  static void makeContiguous(c10::IValue &value) {
    if (value.isTensor() && value.toTensor().defined())
      value = value.toTensor().contiguous();
  }

  static void update(const c10::IValue &value, Aliases &aliases) {
    if (value.isTensor())
      aliases.update(value.toTensor());
    else if (value.isTensorList())
      for (const at::Tensor &tensor : value.toTensorVector())
        aliases.update(tensor);
  }

  /// Lets Python run the operator. Returns whether it could.
  static bool runOtherTypes(const c10::OperatorHandle &op,
                            c10::ArrayRef<c10::IValue> given, Stack *stack) {
    py::gil_scoped_acquire gil;
    const c10::FunctionSchema &schema = op.schema();
    py::list args;
    py::dict kwargs;
    for (size_t i = 0; i < given.size(); ++i) {
      const c10::Argument &argument = schema.arguments()[i];
      py::object value = toPython(given[i], argument);
      if (argument.kwarg_only())
        kwargs[py::str(argument.name())] = value;
      else
        args.append(value);
    }
    py::object results = (*otherTypes)(schema.name(), schema.overload_name(),
                                       py::tuple(args), kwargs);
    if (results.is_none())
      return false;
    size_t next = 0;
    for (const c10::Argument &result : schema.returns())
      stack->push_back(torch::jit::toIValue(results.cast<py::tuple>()[next++],
                                            result.real_type()));
    return true;
  }

  /// Types are numbers in torch's stacks.
  static py::object toPython(const c10::IValue &value,
                             const c10::Argument &argument) {
    c10::TypePtr type = argument.real_type();
    if (auto optional = type->cast<c10::OptionalType>())
      type = optional->getElementType();
    if (value.isInt() && type->kind() == c10::TypeKind::ScalarTypeType)
      return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(
          torch::getTHPDtype(value.toScalarType())));
    return torch::jit::toPyObject(value);
  }

  c10::DispatchKey host;
  bool anyDevice, random, contiguous, sumsNarrowly, mixesTypes;
};

/// Swallows torch's warning that kernels are replaced.
class Silence : public c10::WarningHandler {
  void process(const c10::Warning &) override {}
};

/// Registers the kernel for an operator.
void registerKernel(const std::string &name, const std::string &overload,
                    const std::string &device, const std::string &host,
                    unsigned flags) {
  // It stays registered for as long as the process lives.
  static auto *handles = new std::vector<c10::RegistrationHandleRAII>;
  Silence silence;
  c10::WarningUtils::WarningHandlerGuard guard(&silence);
  auto kernel = c10::KernelFunction::makeFromBoxedFunctor(
      std::make_unique<Kernel>(c10::parseDispatchKey(host), flags));
  handles->push_back(c10::Dispatcher::singleton().registerImpl(
      {name, overload}, c10::parseDispatchKey(device), std::move(kernel),
      std::nullopt, nullptr, "ptxjit_torch"));
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.attr("ANY_DEVICE") = unsigned(AnyDevice);
  module.attr("RANDOM") = unsigned(Random);
  module.attr("CONTIGUOUS") = unsigned(Contiguous);
  module.attr("SUMS_NARROWLY") = unsigned(SumsNarrowly);
  module.attr("MIXES_TYPES") = unsigned(MixesTypes);
  module.def("register", registerKernel);
  module.def("renew_replay_seeds", [] {
    c10::Device device = Devices::guard().getDevice();
    ReplaySeeds::renew(device, Devices::guard().getStream(device));
  });
  module.def("start", [](py::object function) {
    HostAllocator::get();
    delete otherTypes;
    otherTypes = new py::object(std::move(function));
  });
}

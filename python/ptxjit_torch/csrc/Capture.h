//===- Capture.h - CPU kernels in CUDA graphs -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a stream is captured, an operator becomes a function of the host in the
// graph. The results' shapes come from the operator's kernel for tensors
// without memory, since the arguments may have no values yet. As in graphs of a
// GPU's kernels, each replay reads and writes the addresses that the tensors
// had.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Aliases.h"
#include "Random.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Stream.h>

#include <atomic>
#include <dlfcn.h>
#include <iostream>

namespace ptxjit::torch_plugin {

using torch::jit::Stack;

/// What the driver has for captures. (Its header may not be installed.)
class CaptureDriver {
public:
  using Function = void (*)(void *);

  /// Calls a function in the order of a stream.
  static void enqueue(c10::Stream stream, Function function, void *data) {
    const CaptureDriver &driver = get();
    driver.check(driver.launch(stream.native_handle(), function, data),
                 "cuLaunchHostFunc");
  }

  /// Adds a call of `function` to the graph that the stream is captured to.
  /// The graph and its copies call `destroy` when they are gone.
  static void add(c10::Stream stream, Function function, Function destroy,
                  void *data) {
    const CaptureDriver &driver = get();
    void *handle = stream.native_handle(), *graph = nullptr, *owner = nullptr;
    int status = 0;
    unsigned long long id = 0;
    driver.check(driver.getInfo(handle, &status, &id, &graph, nullptr, nullptr),
                 "cuStreamGetCaptureInfo");
    driver.check(driver.createObject(&owner, data, destroy, 1,
                                     /*CU_USER_OBJECT_NO_DESTRUCTOR_SYNC=*/1),
                 "cuUserObjectCreate");
    driver.check(driver.retainObject(graph, owner, 1,
                                     /*CU_GRAPH_USER_OBJECT_MOVE=*/1),
                 "cuGraphRetainUserObject");
    enqueue(stream, function, data);
  }

private:
  static const CaptureDriver &get() {
    static const CaptureDriver driver;
    return driver;
  }

  CaptureDriver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    find(library, "cuStreamGetCaptureInfo_v2", getInfo);
    find(library, "cuUserObjectCreate", createObject);
    find(library, "cuGraphRetainUserObject", retainObject);
    find(library, "cuLaunchHostFunc", launch);
  }

  template <typename F>
  static void find(void *library, const char *name, F &function) {
    function = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
    TORCH_CHECK(function, "ptxjit_torch: the driver lacks ", name);
  }

  static void check(int result, const char *name) {
    TORCH_CHECK(result == 0, "ptxjit_torch: ", name, ": CUDA error ", result);
  }

  int (*getInfo)(void *, int *, unsigned long long *, void **, const void ***,
                 size_t *);
  int (*createObject)(void **, void *, Function, unsigned, unsigned);
  int (*retainObject)(void *, void *, unsigned, unsigned);
  int (*launch)(void *, Function, void *);
};

/// Seeds for calls in graphs. These run in threads of the driver, where CUDA's
/// generators cannot be asked, so the thread that replays a graph draws a seed
/// before, in the order of the stream.
class ReplaySeeds {
public:
  /// Draws a seed for the graph that is replayed next in the current stream of
  /// the device, if any graph draws random numbers.
  static void renew(c10::Device device, c10::Stream stream) {
    if (areUsed())
      CaptureDriver::enqueue(stream, set, new uint64_t(nextSeed(device)));
  }

  /// The seed for the next call.
  static uint64_t next() { return mixSeed(seed(), ++step()); }

  static std::atomic<bool> &areUsed() {
    static std::atomic<bool> used = false;
    return used;
  }

private:
  static void set(void *drawn) {
    seed() = *static_cast<uint64_t *>(drawn);
    step() = 0;
    delete static_cast<uint64_t *>(drawn);
  }
  static std::atomic<uint64_t> &seed() {
    static std::atomic<uint64_t> value = 0;
    return value;
  }
  static std::atomic<uint64_t> &step() {
    static std::atomic<uint64_t> value = 0;
    return value;
  }
};

/// A call that replays make: a CPU kernel with CPU tensors, which have the
/// memory of CUDA tensors without owning it.
class CapturedCall {
public:
  CapturedCall(c10::OperatorHandle op, c10::DispatchKey host)
      : op(std::move(op)), host(host) {}

  /// Of the CPU kernel.
  Stack arguments;
  /// Where its results go; undefined for those that it writes into arguments.
  std::vector<at::Tensor> results;
  /// The places of arguments that are generators.
  std::vector<size_t> generators;
  /// The kernel draws from the default generator.
  bool random = false;
  /// The kernel is called with f32 in place of narrow floats.
  bool mustWiden = false;

  static void run(void *call) { static_cast<CapturedCall *>(call)->run(); }
  static void destroy(void *call) { delete static_cast<CapturedCall *>(call); }

private:
  /// No exception may reach the driver, and a function in a graph cannot fail.
  void run() try {
    at::NoGradGuard noGradients;
    at::AutoDispatchBelowADInplaceOrView below;
    std::optional<SeededDefault> seeded;
    if (random)
      seeded.emplace(ReplaySeeds::next());
    for (size_t place : generators)
      arguments[place] = makeHostGenerator(ReplaySeeds::next());
    if (mustWiden)
      return callWider();
    try {
      call(arguments);
    } catch (const c10::NotImplementedError &) {
      callWider();
    }
  } catch (const std::exception &error) {
    std::cerr << "ptxjit_torch: " << op.operator_name()
              << " failed in a CUDA graph: " << error.what() << '\n';
  }

  void call(Stack stack) {
    op.redispatchBoxed(c10::DispatchKeySet(host), &stack);
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i].defined())
        results[i].copy_(stack[i].toTensor());
  }

  /// Computes in f32 what the CPU has not for narrow floats, or adds in them.
  void callWider() {
    std::vector<std::pair<at::Tensor, at::Tensor>> widened;
    auto widen = [&](const at::Tensor &tensor) {
      if (!tensor.defined() || (tensor.scalar_type() != at::kHalf &&
                                tensor.scalar_type() != at::kBFloat16))
        return tensor;
      return widened.emplace_back(tensor, tensor.to(at::kFloat)).second;
    };
    Stack stack;
    for (const c10::IValue &argument : arguments) {
      if (argument.isTensor()) {
        stack.push_back(widen(argument.toTensor()));
      } else if (argument.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor &tensor : argument.toTensorVector())
          list.push_back(widen(tensor));
        stack.push_back(list);
      } else {
        stack.push_back(argument);
      }
    }
    if (widened.empty())
      throw c10::NotImplementedError({__func__, __FILE__, __LINE__},
                                     "the CPU has no such kernel");
    call(std::move(stack));
    // The operator may write to its arguments.
    for (const auto &[tensor, wide] : widened)
      tensor.copy_(wide);
  }

  c10::OperatorHandle op;
  c10::DispatchKey host;
};

/// Makes the results of a captured call, without their values.
class ResultMaker {
public:
  /// \param contiguous  are new results contiguous?
  ResultMaker(const c10::OperatorHandle &op, c10::Device device,
              bool contiguous)
      : op(op), device(device), contiguous(contiguous) {}

  /// \param given  the arguments of the operator.
  /// \returns the results as CUDA tensors; those that are arguments are the
  ///     arguments themselves.
  std::vector<at::Tensor> make(c10::ArrayRef<c10::IValue> given) {
    Stack stack;
    for (const c10::IValue &argument : given)
      stack.push_back(toMeta(argument));
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::Meta), &stack);
    std::vector<at::Tensor> results;
    for (const c10::IValue &result : stack) {
      TORCH_CHECK(result.isTensor(), op.operator_name(),
                  " has a result that is no tensor, and cannot be captured in "
                  "a CUDA graph (ptxjit_torch)");
      results.push_back(toDevice(result.toTensor()));
    }
    return results;
  }

  /// Is this one of the arguments?
  bool isArgument(const at::Tensor &tensor) const {
    return std::any_of(pairs.begin(), pairs.end(), [&](const auto &pair) {
      return pair.first.is_same(tensor);
    });
  }

private:
  c10::IValue toMeta(const c10::IValue &value) {
    if (value.isTensor())
      return toMeta(value.toTensor());
    if (value.isDevice())
      return c10::Device(c10::kMeta);
    if (value.isGenerator())
      return c10::IValue();
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor &tensor : value.toTensorVector())
        list.push_back(toMeta(tensor));
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const std::optional<at::Tensor> &tensor :
           value.toOptionalTensorVector())
        list.push_back(tensor ? std::optional(toMeta(*tensor)) : std::nullopt);
      return list;
    }
    return value;
  }

  at::Tensor toMeta(const at::Tensor &tensor) {
    // Numbers are tensors of the CPU, which kernels of all devices take.
    if (!tensor.defined() || (tensor.is_cpu() && tensor.dim() == 0))
      return tensor;
    TORCH_CHECK(tensor.layout() == c10::kStrided, op.operator_name(),
                " of sparse tensors cannot be captured in a CUDA graph "
                "(ptxjit_torch)");
    for (const auto &[original, meta] : pairs)
      if (original.is_same(tensor))
        return meta;
    at::Tensor meta = at::empty_strided(tensor.sizes(), tensor.strides(),
                                        tensor.options().device(c10::kMeta));
    pairs.emplace_back(tensor, meta);
    return meta;
  }

  at::Tensor toDevice(const at::Tensor &meta) {
    if (!meta.defined())
      return meta;
    for (const auto &[original, alias] : pairs)
      if (alias.is_same(meta)) {
        if (original.sizes() != meta.sizes())
          original.resize_(meta.sizes());
        return original;
      }
    at::TensorOptions options = meta.options().device(device);
    if (contiguous)
      return at::empty(meta.sizes(), options);
    return at::empty_strided(meta.sizes(), meta.strides(), options);
  }

  const c10::OperatorHandle &op;
  c10::Device device;
  bool contiguous;
  c10::SmallVector<std::pair<at::Tensor, at::Tensor>, 8> pairs;
};

} // namespace ptxjit::torch_plugin

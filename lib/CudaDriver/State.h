//===- State.h - what the driver keeps --------------------------*- C++ -*-===//
//
// Objects behind handles. The process has one State, which is never destroyed:
// programs call the driver from exit handlers.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_STATE_H
#define PTXJIT_LIB_CUDADRIVER_STATE_H

#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Runtime/Log.h"
#include "ptxjit/Runtime/Module.h"
#include "ptxjit/Runtime/Stream.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>

#define PTXJIT_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

/// Head of an exported function, seen by `PTXJIT_LOG=api`:
///
///   PTXJIT_CUDA_API(cuMemFree_v2, (CUdeviceptr pointer), pointer) { ... }
#define PTXJIT_CUDA_API(name, parameters, ...)                                 \
  static CUresult run_##name parameters;                                       \
  PTXJIT_CUDA_EXPORT CUresult name parameters {                                \
    return ::ptxjit::cuda::traceCall(#name,                                    \
                                     run_##name __VA_OPT__(, ) __VA_ARGS__);   \
  }                                                                            \
  static CUresult run_##name parameters

namespace ptxjit::cuda {

struct Module;

struct Function {
  Module *module = nullptr;
  const PtxjitKernelInfo *kernel = nullptr;
  std::atomic<int> maxDynamicShared{0};
};

struct Context;

struct Module {
  Context *context = nullptr;
  std::unique_ptr<ptxjit::Module> code;
  std::map<std::string, Function *> functions; ///< handles, see State
};

struct StreamObject {
  Context *context = nullptr;
  bool blocking = true; ///< takes part in the order of the default stream
  int priority = 0;
  /// Shared: work of other streams may wait for it after it was destroyed.
  std::shared_ptr<ptxjit::Stream> work = std::make_shared<ptxjit::Stream>();
};

/// A context: a default stream, and an error that stays once a kernel failed.
struct Context {
  bool isPrimary = false;
  unsigned flags = 0;
  std::atomic<int> stickyError{CUDA_SUCCESS};
  StreamObject defaultStream;
};

/// A piece of memory that device code may use.
struct Allocation {
  size_t bytes = 0;
  bool isHost = false; ///< from cuMemHostAlloc
};

/// Handles of one kind, so that a wrong one is an error and no crash.
template <typename T> class HandleSet {
public:
  T *add(std::unique_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.insert(object.get());
    return object.release();
  }
  bool contains(const void *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    return all.count(static_cast<T *>(const_cast<void *>(handle)));
  }
  /// Takes it out; null if it is none.
  std::unique_ptr<T> remove(void *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    return std::unique_ptr<T>(all.erase(static_cast<T *>(handle))
                                  ? static_cast<T *>(handle)
                                  : nullptr);
  }
  template <typename Body> void forEach(Body body) {
    std::lock_guard<std::mutex> lock(mutex);
    for (T *object : all)
      body(*object);
  }

private:
  std::mutex mutex;
  std::unordered_set<T *> all;
};

struct State {
  std::atomic<bool> initialized{false};
  HandleSet<Context> contexts;
  HandleSet<Module> modules;
  HandleSet<StreamObject> streams;
  HandleSet<Function> functions;

  std::mutex primaryMutex;
  Context *primary = nullptr;
  unsigned primaryUses = 0, primaryFlags = 0;

  std::mutex memoryMutex;
  std::map<uint64_t, Allocation> allocations; ///< by address
};

State &getState();

/// The calling thread's current context, or null.
Context *currentContext();
/// Success, and the context, if calls may be made: the driver is initialised, a
/// context is current and no kernel of it has failed.
CUresult enter(Context *&context);
/// Success if the driver is initialised and `device` is the one there is.
CUresult checkDevice(CUdevice device);
/// The stream behind a handle (null and the two special ones included).
CUresult findStream(Context &context, CUstream handle, StreamObject *&stream);
/// enter() and findStream().
CUresult enterStream(CUstream handle, Context *&context, StreamObject *&stream);
/// Waits for the work of one stream.
CUresult synchronizeStream(Context &context, StreamObject &stream);
/// Appends a task to a stream, in the order that default streams ask for.
void submitOrdered(Context &context, StreamObject &stream,
                   std::function<void()> task);
/// Takes a module out of the tables and frees it.
void destroyModule(void *handle);
/// Waits for all work of a context.
CUresult synchronizeContext(Context &context);

/// Is all of [address, address + bytes) memory of the driver's, or none of it?
enum class Place { Inside, Outside, Crossing };
Place findPlace(uint64_t address, size_t bytes);

/// "CUDA_SUCCESS" and the like; null if there is no such result.
const char *nameOf(CUresult result);
/// "name(arguments) = result", where PTXJIT_LOG asks for calls.
void logCall(const char *name, const std::string &arguments, CUresult result);

template <typename... Parameters, typename... Args>
CUresult traceCall(const char *name, CUresult (*run)(Parameters...),
                   Args... args) {
  CUresult result = run(args...);
  if (isLogged(LogKind::Api)) {
    std::ostringstream text;
    const char *comma = "";
    auto print = [&](const auto &arg) {
      text << std::exchange(comma, ", ");
      if constexpr (std::is_pointer_v<std::decay_t<decltype(arg)>>)
        text << static_cast<const void *>(arg);
      else if constexpr (std::is_enum_v<std::decay_t<decltype(arg)>>)
        text << int(arg);
      else if constexpr (std::is_integral_v<std::decay_t<decltype(arg)>>)
        text << +arg;
      else
        text << "{...}";
    };
    (print(args), ...);
    logCall(name, text.str(), result);
  }
  return result;
}

/// Compute capability that is shown (PTXJIT_DEVICE, 8.0 by default).
struct Profile {
  int major, minor;
};
Profile getProfile();
/// Value of a device attribute; false if it is unknown.
bool getAttribute(int attribute, int &value);

} // namespace ptxjit::cuda

#endif

//===- State.h - what the driver keeps --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#define PTXJIT_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

/// Head of an exported function, seen by `PTXJIT_LOG=api`:
///
///   PTXJIT_CUDA_API(cuMemFree_v2, (CUdeviceptr pointer), pointer) { ... }
///
/// In a child of fork() it only says that there is no device.
#define PTXJIT_CUDA_API(name, parameters, ...)                                 \
  PTXJIT_CUDA_CALL(true, name, parameters, __VA_ARGS__)

/// The same of a function that needs no device.
#define PTXJIT_CUDA_PLAIN_API(name, parameters, ...)                           \
  PTXJIT_CUDA_CALL(false, name, parameters, __VA_ARGS__)

#define PTXJIT_CUDA_CALL(needsDevice, name, parameters, ...)                   \
  static CUresult run_##name parameters;                                       \
  PTXJIT_CUDA_EXPORT CUresult name parameters {                                \
    return ::ptxjit::cuda::traceCall<needsDevice>(                             \
        #name, run_##name __VA_OPT__(, ) __VA_ARGS__);                         \
  }                                                                            \
  static CUresult run_##name parameters

/// Head of an exported function that works in a stream: also exported under
/// name + suffix, for callers whose default stream is that of their thread.
#define PTXJIT_CUDA_STREAM_API(name, suffix, parameters, ...)                  \
  PTXJIT_CUDA_EXPORT CUresult name parameters;                                 \
  PTXJIT_CUDA_EXPORT CUresult name##suffix parameters {                        \
    ::ptxjit::cuda::PerThreadDefault scope;                                    \
    return name(__VA_ARGS__);                                                  \
  }                                                                            \
  PTXJIT_CUDA_API(name, parameters, __VA_ARGS__)

namespace ptxjit::cuda {

struct Context;
struct GraphNode;
struct Capture;

/// What a kernel's next launch has, of programs that say so before (OldLaunch).
struct NextLaunch {
  std::mutex mutex;
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned shared = 0; ///< bytes, dynamic
  std::vector<char> parameters;
};

/// A kernel: of a module, or of a library.
struct Function {
  std::shared_ptr<ptxjit::Module> code;
  const PtxjitKernelInfo *kernel = nullptr;
  void *owner = nullptr;      ///< handle of the module or library
  Context *context = nullptr; ///< the module's; null: a library's
  std::atomic<int> maxDynamicShared{0};
  std::atomic<bool> nonPortableClusters{false};
  std::atomic<int> requiredCluster[3] = {}; ///< CTAs; 0: not set
  std::atomic<int> clusterPolicy{0};        ///< kept for the program's sake
  NextLaunch next;
};

/// Loaded code with its functions: what a module and a library are.
struct Module {
  Context *context = nullptr; ///< null: a library, in all of them
  std::shared_ptr<ptxjit::Module> code;
  std::map<std::string, Function *> functions; ///< handles, see State
  ~Module();
};
struct Library : Module {};

/// What a program says of a stream, by number: nothing here depends on it, but
/// it can be asked for.
class StreamAttributes {
public:
  using Value = std::array<unsigned char, 64>; ///< a CUlaunchAttributeValue
  std::optional<Value> find(int attribute) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = values.find(attribute);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  }
  void set(int attribute, const Value &value) {
    std::lock_guard<std::mutex> lock(mutex);
    values[attribute] = value;
  }
  std::map<int, Value> getAll() const {
    std::lock_guard<std::mutex> lock(mutex);
    return values;
  }

private:
  mutable std::mutex mutex;
  std::map<int, Value> values;
};

struct StreamObject {
  Context *context = nullptr;
  uint64_t id = 0;
  unsigned flags = 0;
  bool blocking = true; ///< takes part in the order of the default stream
  int priority = 0;
  StreamAttributes attributes;
  /// Shared: who waits for all streams does not keep the table locked.
  std::shared_ptr<ptxjit::Stream> work = std::make_shared<ptxjit::Stream>();
  /// While operations are recorded instead of run: the graph, and the nodes
  /// that the next operation comes after.
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> captureTips;
  /// Is there a capture? For threads that do not own the stream.
  std::atomic<bool> isCapturing{false};
  ~StreamObject(); ///< in a capture: that becomes invalid
};

/// A context: a default stream, and an error that stays once a kernel failed.
struct Context {
  bool isPrimary = false;
  unsigned flags = 0;
  uint64_t id = 0;
  std::atomic<unsigned> attachments{0}; ///< beside its creation
  std::atomic<int> stickyError{CUDA_SUCCESS};
  StreamObject defaultStream;
  std::atomic<size_t> limits[8] = {};
};

/// What a stream does as one step, and what a node of a graph is. Immutable, so
/// that graphs, their instances and streams share it.
class Operation {
public:
  virtual ~Operation() = default;
  virtual CUgraphNodeType type() const = 0;
  /// Errors become the context's.
  virtual void run(Context &context) const = 0;
};
using OperationRef = std::shared_ptr<const Operation>;

/// A piece of memory that device code may use.
struct Allocation {
  enum Kind { Device, Host, Registered, Managed, Variable, OfGraph, Mapped };
  size_t bytes = 0;
  Kind kind = Device;
  unsigned flags = 0;
  void *pool = nullptr;
  uint64_t id = 0;
  /// Whose it is; null: of all, as what outlives its context and what libraries
  /// and graphs have.
  Context *context = nullptr;
};

/// Handles of one kind, so that a wrong one is an error and no crash.
template <typename T> class HandleSet {
public:
  T *add(std::unique_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.insert(object.get());
    return object.release();
  }
  /// For objects that somebody else owns.
  void insert(T *object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.insert(object);
  }
  void erase(T *object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.erase(object);
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
  /// Takes all out for which `matches(object)` holds.
  template <typename Matches>
  std::vector<std::unique_ptr<T>> removeIf(Matches matches) {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<std::unique_ptr<T>> removed;
    for (auto it = all.begin(); it != all.end();)
      if (matches(**it)) {
        removed.emplace_back(*it);
        it = all.erase(it);
      } else {
        ++it;
      }
    return removed;
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

struct Event;
struct Graph;
class UserObject;
struct GraphExec;
struct MemoryPool;
struct Linker;

struct State {
  std::atomic<bool> initialized{false};
  std::atomic<uint64_t> nextId{1};
  HandleSet<Context> contexts;
  HandleSet<Module> modules;
  HandleSet<Library> libraries;
  HandleSet<StreamObject> streams;
  HandleSet<Function> functions;
  HandleSet<Event> events;
  HandleSet<Graph> graphs;
  HandleSet<GraphNode> graphNodes; ///< owned by their graphs
  HandleSet<GraphExec> graphExecs;
  HandleSet<UserObject> userObjects;
  HandleSet<MemoryPool> pools;
  HandleSet<Linker> linkers;

  std::mutex primaryMutex;
  Context *primary = nullptr;
  unsigned primaryUses = 0, primaryFlags = 0;

  std::mutex memoryMutex;
  std::map<uint64_t, Allocation> allocations; ///< by address

  std::atomic<unsigned> captures{0}; ///< streams that record
};

State &getState();

/// The calling thread's current context, or null.
Context *currentContext();
/// Success, and the context, if calls may be made: the driver is initialised, a
/// context is current and no kernel of it has failed.
CUresult enter(Context *&context);
/// enter() for calls with a handle, which need no current context: its owner is
/// the one, and null of what is in all of them.
CUresult enterOwner(Context *owner, Context *&context);
/// enterOwner() for calls with an address. Of memory that has no owner the
/// current context decides, and where there is none, the device's primary one.
CUresult enterMemory(uint64_t address, Context *&context);
/// Success if the driver is initialised and `device` is the one there is.
CUresult checkDevice(CUdevice device);

// -- Streams (Streams.cpp)
/// While one lives, the calling thread's default stream is its own.
struct PerThreadDefault {
  PerThreadDefault();
  ~PerThreadDefault();
};
/// The stream behind a handle (null and the two special ones included): enter()
/// for default streams, enterOwner() for others.
CUresult enterStream(CUstream handle, Context *&context, StreamObject *&stream);
/// Waits for the work of one stream.
CUresult synchronizeStream(Context &context, StreamObject &stream);
/// Waits for all work of a context.
CUresult synchronizeContext(Context &context);
/// Appends a task to a stream, in the order that default streams ask for.
/// \returns its ticket.
uint64_t submitOrdered(Context &context, StreamObject &stream,
                       std::function<void()> task);
/// Appends an operation to a stream, or to the graph that it records.
/// \param wait  returns when it is done.
CUresult enqueue(Context &context, StreamObject &stream, OperationRef operation,
                 bool wait = false);
OperationRef makeHostCall(const CUDA_HOST_NODE_PARAMS &params);
void destroyStreamsOf(Context &context);

// -- Modules (Modules.cpp, Launch.cpp)
void destroyModulesOf(Context &context);
CUresult findFunction(CUfunction handle, Function *&function);
/// The function behind a handle, and enterOwner() of its module's context; of a
/// library's the current one.
CUresult enterFunction(CUfunction handle, Function *&function);
/// Largest block of a kernel, in threads.
unsigned maxThreads(const PtxjitKernelInfo &kernel);

// -- Memory (Memory.cpp, VirtualMemory.cpp, Copies.cpp)
/// Is all of [address, address + bytes) memory of the driver's, or none of it?
enum class Place { Inside, Outside, Crossing };
Place findPlace(uint64_t address, size_t bytes);
/// Memory that is known from now on; 0 if there is none.
/// \param owner  null: it belongs to no context.
uint64_t allocateKnown(Context *owner, size_t bytes, Allocation::Kind kind,
                       unsigned flags = 0, void *pool = nullptr);
/// The context that memory at an address belongs to; null if it has none.
Context *ownerOf(uint64_t address);
/// What belongs to a context stays when that goes, and belongs to nobody.
void disownMemoryOf(Context &context);
/// Frees what allocateKnown gave. False if it is none of that kind.
bool freeKnown(uint64_t address, Allocation::Kind kind);
/// Is it in a reserved range of addresses? Under State::memoryMutex.
bool isReserved(uint64_t address);
CUresult makeCopy(const CUDA_MEMCPY3D &parameters, OperationRef &operation);
CUresult makeSet(const CUDA_MEMSET_NODE_PARAMS &parameters,
                 OperationRef &operation);

// -- Launches (Launch.cpp)
CUresult makeLaunch(const CUDA_KERNEL_NODE_PARAMS &parameters,
                    const LaunchOptions &options, OperationRef &operation);
/// CTAs of a cluster that all hardware with clusters has.
constexpr unsigned kPortableClusterCtas = 8;
/// CTAs of a cluster that a launch of the function may have.
unsigned maxClusterCtas(const Function &function);
/// CTAs of that many threads, with that many bytes of dynamic shared memory,
/// that a multiprocessor of the profile holds at once.
int residentCtas(const Function &function, int threads, size_t dynamic);
/// What an attribute says; most are hints, or about an order that is stricter
/// here.
void applyAttribute(const CUlaunchAttribute &attribute, LaunchOptions &options);

// -- Processes (Fork.cpp)
/// Is this a child, by fork(), of a process that has initialised the driver? It
/// has none of the threads, and locks may be held for ever: nothing of the
/// state may be touched.
inline std::atomic<bool> forked{false};
inline bool isForked() { return forked.load(std::memory_order_relaxed); }
/// Before the driver is initialised: watches for forks from now on.
void watchForks();

/// "CUDA_SUCCESS" and the like; null if there is no such result.
const char *nameOf(CUresult result);
/// "name(arguments) = result", where PTXJIT_LOG asks for calls.
void logCall(const char *name, const std::string &arguments, CUresult result);

template <bool needsDevice, typename... Parameters, typename... Args>
CUresult traceCall(const char *name, CUresult (*run)(Parameters...),
                   Args... args) {
  CUresult result =
      needsDevice && isForked() ? CUDA_ERROR_NOT_INITIALIZED : run(args...);
  if (isLogged(LogKind::Api)) {
    std::ostringstream text;
    const char *comma = "";
    auto print = [&](const auto &arg) {
      text << std::exchange(comma, ", ");
      if constexpr (std::is_pointer_v<std::decay_t<decltype(arg)>>)
        text << reinterpret_cast<const void *>(arg);
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
/// What the device says of itself (DeviceAttributes.def).
int getAttribute(CUdevice_attribute attribute);

} // namespace ptxjit::cuda

#endif

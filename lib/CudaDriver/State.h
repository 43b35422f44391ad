//===- State.h - the objects behind handles ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects behind the handles of the driver interface. The process has one
// State, which is never destroyed because programs call the driver from exit
// handlers.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_STATE_H
#define PTXJIT_LIB_CUDADRIVER_STATE_H

#include "DeviceCode.h"
#include "Devices.h"
#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/Log.h"
#include "ptxjit/Runtime/TaskQueue.h"

#include <algorithm>
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

/// Begins the definition of an exported function. `PTXJIT_LOG=api` shows its
/// calls:
///
///   PTXJIT_CUDA_API(cuMemFree_v2, (CUdeviceptr pointer), pointer) { ... }
///
/// In a child of fork() the function only returns CUDA_ERROR_NOT_INITIALIZED.
#define PTXJIT_CUDA_API(name, parameters, ...)                                 \
  PTXJIT_CUDA_CALL(true, name, parameters, __VA_ARGS__)

/// The same for a function that works without a device.
#define PTXJIT_CUDA_PLAIN_API(name, parameters, ...)                           \
  PTXJIT_CUDA_CALL(false, name, parameters, __VA_ARGS__)

#define PTXJIT_CUDA_CALL(needsDevice, name, parameters, ...)                   \
  static CUresult run_##name parameters;                                       \
  PTXJIT_CUDA_EXPORT CUresult name parameters {                                \
    return ::ptxjit::cuda::traceCall<needsDevice>(                             \
        #name, run_##name __VA_OPT__(, ) __VA_ARGS__);                         \
  }                                                                            \
  static CUresult run_##name parameters

/// The same for a function that works in a stream. It is also exported under
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
struct TextureReference;
struct MemoryPool;
struct PoolUse;
class SharedRegion;

/// State for the launch functions from before CUDA 4.0 (OldLaunch.cpp): what a
/// program has set for the next launches of a kernel.
struct NextLaunch {
  std::mutex mutex;
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned shared = 0; ///< dynamic shared memory, bytes
  std::vector<char> parameters;
};

/// A kernel of a module or a library.
struct Function {
  std::shared_ptr<DeviceCode> code;
  const PtxjitKernelInfo *kernel = nullptr;
  void *owner = nullptr;      ///< handle of the module or library
  Context *context = nullptr; ///< of the module; null for a library
  std::atomic<int> maxDynamicShared{0};
  std::atomic<bool> nonPortableClusters{false};
  std::atomic<int> requiredCluster[3] = {}; ///< CTAs; 0: not set
  std::atomic<int> clusterPolicy{0};        ///< only stored, to be read back
  NextLaunch next;
};

/// Loaded code and the handles of its kernels: a module or a library.
struct Module {
  Context *context = nullptr; ///< null: a library, valid in all
  std::shared_ptr<DeviceCode> code;
  std::map<std::string, Function *> functions; ///< by name
  /// By name and device, of those that the program has asked for.
  std::map<std::pair<std::string, CUdevice>, TextureReference *> references;
  ~Module();
};
struct Library : Module {};

/// Attributes that a program has set for a stream, by number. They have no
/// effect, but the program can read them back.
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
  Context *green = nullptr; ///< the green context that it belongs to, if any
  /// Whether its green context is gone. Such a stream can only be forgotten.
  std::atomic<bool> isOrphan{false};
  uint64_t id = 0;
  unsigned flags = 0;
  bool blocking = true; ///< synchronizes with the default stream
  std::atomic<int> priority{0};
  StreamAttributes attributes;
  /// Shared, so that waiting for all streams need not keep State::streams
  /// locked.
  std::shared_ptr<ptxjit::TaskQueue> work =
      std::make_shared<ptxjit::TaskQueue>();
  /// Null unless the stream records operations instead of running them.
  /// `captureTips` are the nodes that the next recorded operation depends on.
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> captureTips;
  /// Whether `capture` is set. Threads that do not own the stream read it.
  std::atomic<bool> isCapturing{false};
  ~StreamObject(); ///< see Capture::orphans
};

struct EventRecord;

/// A context has a default stream, and an error that stays once a kernel
/// failed.
struct Context {
  CUdevice device = 0;
  bool isPrimary = false;
  /// Set in a green context: the primary context that it is a part of. That
  /// owns all memory, modules and events, and the error. A green context has
  /// streams of its own, and a share of the multiprocessors.
  Context *primary = nullptr;
  Multiprocessors share; ///< that its launches may use
  Context &home() { return primary ? *primary : *this; }
  unsigned flags = 0;
  uint64_t id = 0;
  std::atomic<unsigned> attachments{0}; ///< by cuCtxAttach
  std::atomic<int> stickyError{CUDA_SUCCESS};
  StreamObject defaultStream;
  std::atomic<size_t> limits[8] = {};
  /// Waits for what cuCtxRecordEvent marks.
  ptxjit::TaskQueue marks;
  std::mutex awaitedMutex;
  /// What streams that are yet to be made have to wait for (cuCtxWaitEvent).
  std::vector<std::shared_ptr<EventRecord>> awaited;
};

/// A step of a stream, and the work of a graph's node. Operations are
/// immutable, so that graphs, their instances and streams can share them.
class Operation {
public:
  virtual ~Operation() = default;
  virtual CUgraphNodeType type() const = 0;
  /// An error becomes the sticky error of the context.
  virtual void run(Context &context) const = 0;
  /// Is it expected to take less time than waking a thread, without waiting for
  /// anything?
  virtual bool isShort() const { return false; }
  /// Is it expected to take so little, without waiting for anything, that a
  /// thread that will wait for it may run it?
  virtual bool isBrief() const { return isShort(); }
};
using OperationRef = std::shared_ptr<const Operation>;

/// A range of memory that device code may use.
struct Allocation {
  enum Kind {
    Device,
    Host,
    Registered,
    Managed,
    Variable,
    OfGraph,
    Mapped,
    Shared,   ///< of a pool that can be, or was, exported
    Imported, ///< by cuIpcOpenMemHandle
    External
  };
  size_t bytes = 0;
  Kind kind = Device;
  unsigned flags = 0;
  /// Of memory of a pool; counts it there (MemoryPool::count).
  std::shared_ptr<PoolUse> pool{};
  uint64_t id = 0;
  /// The context that owns the memory. Null if it belongs to none: memory that
  /// outlived its context, mapped memory, and memory of libraries and graphs.
  Context *context = nullptr;
  /// The device that has the memory; of host memory that of its context.
  CUdevice device = 0;
  /// Of the device's memory; empty unless it counts there.
  MemoryShare share{};
  std::shared_ptr<SharedRegion> region{}; ///< of a shared pool
  std::shared_ptr<void> mapping{};        ///< of External memory
};

/// The valid handles of one kind. They make a wrong handle an error, not a
/// crash.
template <typename T> class HandleSet {
public:
  T *add(std::unique_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.insert(object.get());
    return object.release();
  }
  /// Adds an object that somebody else owns.
  void insert(T *object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.insert(object);
  }
  void erase(T *object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.erase(object);
    ++removals;
  }
  /// How often objects have been removed. What was there is still there if this
  /// is the same.
  uint64_t countRemovals() const { return removals; }
  bool contains(const void *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    return all.count(static_cast<T *>(const_cast<void *>(handle)));
  }
  /// Removes the object and returns it; null if `handle` is not in the set.
  std::unique_ptr<T> remove(void *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    ++removals;
    return std::unique_ptr<T>(all.erase(static_cast<T *>(handle))
                                  ? static_cast<T *>(handle)
                                  : nullptr);
  }
  /// Removes and returns all objects for which `matches(object)` holds.
  template <typename Matches>
  std::vector<std::unique_ptr<T>> removeIf(Matches matches) {
    std::lock_guard<std::mutex> lock(mutex);
    ++removals;
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
  std::atomic<uint64_t> removals{0};
};

struct Event;
struct Graph;
class UserObject;
struct ResourceDescription;
struct GraphExec;
class DeviceNode;
struct Linker;
struct Array;
struct MipmappedArray;
struct ExternalMemory;
struct ExternalSemaphore;

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
  HandleSet<ResourceDescription> resourceDescriptions;
  HandleSet<MemoryPool> pools;
  HandleSet<Linker> linkers;
  HandleSet<Array> arrays;
  HandleSet<MipmappedArray> mipmappedArrays;
  HandleSet<ExternalMemory> externalMemories;
  HandleSet<ExternalSemaphore> externalSemaphores;
  HandleSet<TextureReference> references; ///< of textures and surfaces

  std::mutex primaryMutex; ///< of the primary contexts: see Device

  std::mutex memoryMutex;
  std::map<uint64_t, Allocation> allocations; ///< by address

  std::atomic<unsigned> captures{0}; ///< number of streams that record
};

State &getState();

/// The calling thread's current context, or null. It may be a green one.
Context *currentContext();
/// The current context, if it is a green one, or null.
Context *currentGreen();
/// Succeeds and sets `context` to the current context if the caller may work in
/// it: the driver is initialised, a context is current, and no kernel in it has
/// failed. For a green context `context` becomes its primary one.
CUresult enter(Context *&context);
/// enter(), which also sets `part` to the current context itself: `context`, or
/// a green one in it.
CUresult enterPart(Context *&context, Context *&part);
/// enter() for calls with a handle, which need no current context. `owner` is
/// the context that owns the handle's object; null, which succeeds, if it has
/// none.
CUresult enterOwner(Context *owner, Context *&context);
/// enterOwner() for calls with an address. If the memory has no owner the
/// current context counts, and without a current one the primary context of the
/// memory's device.
CUresult enterMemory(uint64_t address, Context *&context);
/// Succeeds if the driver is initialised and `device` exists.
CUresult checkDevice(CUdevice device);
/// The device of the caller's current context; 0 without one.
CUdevice currentDevice();

// -- Streams (Streams.cpp)
/// While an object of this type lives, the calling thread's default stream is
/// its own one.
struct PerThreadDefault {
  PerThreadDefault();
  ~PerThreadDefault();
};
/// Finds the stream behind a handle (which may be null or one of the two
/// special ones). Calls enter() for a default stream and enterOwner() for any
/// other.
CUresult enterStream(CUstream handle, Context *&context, StreamObject *&stream);
/// Waits for the work of one stream.
CUresult synchronizeStream(Context &context, StreamObject &stream);
/// Waits for all work of a context; of a primary one also for that of its green
/// contexts.
CUresult synchronizeContext(Context &context);
/// Makes a stream of a context, which may be a green one.
StreamObject *addStream(Context &context, unsigned flags, int priority);
/// Which thread runs a task, if nothing has to be done before it.
enum class RunsOn {
  Stream,         ///< that of the stream
  Caller,         ///< the one that submits it
  CallerIfAwaits, ///< that, if it has the habit of waiting for such tasks
};
/// Appends a task to a stream, behind the work that the rules of the default
/// stream put before it. \returns its ticket.
uint64_t submitOrdered(Context &context, StreamObject &stream,
                       std::function<void()> task,
                       RunsOn thread = RunsOn::Stream);
/// Appends an operation to a stream, or to the graph that the stream records.
/// \param wait    return only when the operation is done.
/// \param ticket  set to the task's ticket in the stream, if it is not
/// recorded.
CUresult enqueue(Context &context, StreamObject &stream, OperationRef operation,
                 bool wait = false, uint64_t *ticket = nullptr);
/// Would work in a stream have to wait for a blocking stream that records? Only
/// default streams wait so.
bool waitsForCapture(const StreamObject &stream);
OperationRef makeHostCall(const CUDA_HOST_NODE_PARAMS &params);
void destroyStreamsOf(Context &context);
/// The default stream that a stream waits for. Green contexts have their own.
StreamObject &defaultOf(const StreamObject &stream);
/// Does a stream belong to a context, or to a green context in it?
bool isOf(const StreamObject &stream, const Context &context);
/// Unfinished work in the streams of a context.
using Ticket = std::pair<std::shared_ptr<Progress>, uint64_t>;
std::vector<Ticket> unfinishedWork(Context &context);
/// That in all contexts.
std::vector<Ticket> unfinishedWork();
/// While an object of this type lives, the calling thread runs a function of
/// the program for a stream, which must not call the driver.
struct HostFunction {
  HostFunction();
  ~HostFunction();
};
bool isInHostFunction();

// -- Green contexts (GreenContexts.cpp)
/// Makes a context, which others find once it is in State::contexts.
std::unique_ptr<Context> makeContext(CUdevice device, unsigned flags);
/// Destroys the green contexts of a primary one.
void destroyGreenContextsOf(Context &primary);
/// The multiprocessors that launches in a stream may use.
Multiprocessors shareOf(const StreamObject &stream);
/// How many threads may work on a launch with that share; 0: all.
unsigned workersOf(const Multiprocessors &share);

// -- Modules (Modules.cpp, Launch.cpp)
void destroyModulesOf(Context &context);
CUresult findFunction(CUfunction handle, Function *&function);
/// Finds the function behind a handle. Calls enterOwner() for the context of
/// its module; for a function of a library enter().
CUresult enterFunction(CUfunction handle, Function *&function);

// -- Memory (Memory.cpp, VirtualMemory.cpp, Copies.cpp)
/// The allocation that contains an address, or end(). The caller holds
/// State::memoryMutex.
std::map<uint64_t, Allocation>::iterator findAllocation(uint64_t address);
/// Where [address, address + bytes) lies. Inside: in one allocation, or in
/// mapped memory side by side. Outside: `address` is in no allocation.
/// Crossing: the range begins in an allocation and ends outside, or `address`
/// is reserved but not writable.
enum class Place { Inside, Outside, Crossing };
Place findPlace(uint64_t address, size_t bytes);
/// Allocates memory and adds it to State::allocations. \returns its address; 0
/// if there is no memory.
/// \param owner  null: the memory belongs to no context.
/// \param device  that has the memory.
uint64_t allocateKnown(Context *owner, CUdevice device, size_t bytes,
                       Allocation::Kind kind, unsigned flags = 0,
                       MemoryPool *pool = nullptr);
/// LaunchOptions::bytesBehind.
uint64_t bytesBehind(uint64_t address);
/// The context that owns the memory at an address; null if there is none.
Context *ownerOf(uint64_t address);
/// The same for memory of a device; null for memory of the host and managed
/// memory.
Context *deviceOwnerOf(uint64_t address);
/// Does memory of a graph begin there?
bool isOfGraph(uint64_t address);
/// The device that has the memory at an address; 0 if it is not known.
CUdevice deviceOf(uint64_t address);
/// Called when a context goes: its memory stays, without an owner.
void disownMemoryOf(Context &context);
/// Frees memory of allocateKnown(). False if none of that kind begins there.
bool freeKnown(uint64_t address, Allocation::Kind kind);
/// Frees a block (Blocks.h) that may have been exported (IpcMemory.cpp).
void freeExportable(uint64_t address, size_t bytes);
/// Forgets advice about memory that goes (Placement.cpp).
void forgetPlacement(uint64_t address, size_t bytes);
/// Is the address in a range of cuMemAddressReserve? The caller holds
/// State::memoryMutex.
bool isReserved(uint64_t address);
/// Waits for kernels that may still use memory of `owner`: those in `owner` and
/// in the caller's current context.
CUresult awaitUsers(Context &owner);
/// Can a copy read or write that memory? \param type  CU_MEMORYTYPE_HOST,
/// _DEVICE or _UNIFIED. Memory of the host need not be known.
CUresult checkCopied(int type, uint64_t begin, size_t bytes);
CUresult makeCopy(const CUDA_MEMCPY3D &parameters, OperationRef &operation);
CUresult makeSet(const CUDA_MEMSET_NODE_PARAMS &parameters,
                 OperationRef &operation);
/// Copies in a stream. \param order  when a copy of a batch may read; 0: the
/// copy is in no batch.
CUresult copyBox(const CUDA_MEMCPY3D &parameters, CUstream stream, bool wait,
                 int order = 0);

// -- Arrays and textures (Arrays.cpp, Textures.cpp, TextureReferences.cpp)
void destroyArraysOf(Context &context);
/// Destroys the texture and surface objects of a context.
void destroyTexturesOf(Context &context);
/// Finds the reference of a module's variable, which it makes at the first
/// call. \returns CUDA_ERROR_NOT_FOUND unless there is such a variable.
CUresult getReference(Module &module, const char *name, bool isSurface,
                      TextureReference *&reference);
void destroyReference(TextureReference *reference);
/// Destroys the references of a context that belong to no module.
void destroyReferencesOf(Context &context);

// -- Launches (Launch.cpp)
/// What a launch has beside its extents and arguments.
struct LaunchAttributes : LaunchOptions {
  /// Null unless the launch is a node that kernels may update.
  std::shared_ptr<DeviceNode> deviceNode;
};
/// \param context  where the kernel will run. Null: the context of its module;
///   for a kernel of a library the one that `parameters` name, or the current
///   one.
CUresult makeLaunch(const CUDA_KERNEL_NODE_PARAMS &parameters,
                    const LaunchAttributes &attributes, OperationRef &operation,
                    Context *context = nullptr);
/// Number of CTAs in a cluster that all hardware with clusters supports.
constexpr unsigned kPortableClusterCtas = 8;
/// Largest number of CTAs in a cluster for launches of the function.
unsigned maxClusterCtas(const Function &function);
/// How many CTAs with that many threads and bytes of dynamic shared memory a
/// multiprocessor of the profile holds at once.
int residentCtas(const Function &function, int threads, size_t dynamic);
/// Finds an attribute of a function (CUfunction_attribute) of a module.
CUresult findAttribute(const Function &function, const PtxjitModuleInfo &module,
                       int attribute, int &value);
/// What a program asks for is moved into the range of priorities.
inline int nearestPriority(int priority) {
  return std::clamp(priority, kHighestPriority, kLowestPriority);
}
/// Applies a launch attribute to `attributes`. Most attributes have no effect:
/// they are hints, or relax an order that is always strict here.
void applyAttribute(const CUlaunchAttribute &attribute,
                    LaunchAttributes &attributes);

// -- Logs (Logs.cpp)
/// Keeps errors for the program from now on.
void watchLogs();

// -- Processes (Fork.cpp)
/// Is this a child, by fork(), of a process that has initialised the driver? A
/// child has none of the parent's threads, and locks may be held forever, so it
/// must not touch the State.
inline std::atomic<bool> forked{false};
inline bool isForked() { return forked.load(std::memory_order_relaxed); }
/// Has the process been locked by cuCheckpointProcessLock? Then calls wait
/// (Checkpoint.cpp).
inline std::atomic<bool> isLocked{false};
void awaitUnlock();
/// Writes a file about a failed kernel, if the context's settings say so, and
/// may end the process (Coredump.cpp).
void dumpFailure(const Context &context, CUresult error,
                 const std::string &launch, const std::string &report);
/// Sets `forked` in children of this process from now on.
void watchForks();

/// The name of a result, as "CUDA_SUCCESS"; null if the number is no result.
const char *nameOf(CUresult result);
/// Logs "name(arguments) = result" if PTXJIT_LOG asks for calls.
void logCall(const char *name, const std::string &arguments, CUresult result);

template <bool needsDevice, typename... Parameters, typename... Args>
CUresult traceCall(const char *name, CUresult (*run)(Parameters...),
                   Args... args) {
  if (needsDevice && isLocked.load(std::memory_order_relaxed) && !isForked() &&
      !isInHostFunction())
    awaitUnlock();
  CUresult result = needsDevice && isForked() ? CUDA_ERROR_NOT_INITIALIZED
                    : needsDevice && isInHostFunction()
                        ? CUDA_ERROR_NOT_PERMITTED
                        : run(args...);
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

/// The value of an attribute of a device (DeviceAttributes.def). Only a few
/// differ among devices.
int getAttribute(CUdevice_attribute attribute, CUdevice device = 0);
/// Numbers behind our last attribute are accepted, for programs of a later
/// CUDA.
bool isAttribute(int number);
/// What a context allows by a CUlimit; nothing if there is no such limit.
std::optional<size_t> limitOf(const Context &context, int limit);

} // namespace ptxjit::cuda

#endif

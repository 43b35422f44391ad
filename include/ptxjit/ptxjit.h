//===- ptxjit.h - run PTX kernels on the CPU --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ interface, the one header that programs include. They link
// PtxJit::ptxjit; docs/Embedding.md has a complete example.
//
//   auto module = ptxjit::Module::loadFile("saxpy.ptx");
//   auto saxpy = module->getKernel("saxpy");
//   auto x = ptxjit::Buffer<float>::allocate(n), y = ...;
//   ptxjit::Error error = saxpy->launch(n / 256, 256, 2.0f, *x, *y, n);
//
// Kernels and the program share one memory. No function throws (but
// std::bad_alloc), and none ends the process, whatever a kernel does. Modules,
// kernels, streams and buffers are handles: copies refer to the same object,
// which lives as long as one of them. Functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_PTXJIT_H
#define PTXJIT_PTXJIT_H
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#define PTXJIT_API __attribute__((visibility("default")))

namespace ptxjit {
PTXJIT_API const char *getVersion(); ///< "0.2.0"
/// The device that programs find (PTXJIT_DEVICE): "sm_80".
PTXJIT_API std::string getDeviceName();

enum class ErrorCode {
  None,
  InvalidArgument,    ///< extents, sizes or options out of range
  NotFound,           ///< no file, kernel or variable of that name
  InvalidPtx,         ///< not PTX: "FILE:LINE:COLUMN: error: WHY" and a caret
  CompilerFailed,     ///< it is missing, knows no such CPU, or gave up
  OutOfMemory,        ///< for buffers, shared or local memory
  Trap,               ///< a thread executed `trap`
  Assertion,          ///< a kernel's assertion failed
  IllegalInstruction, ///< barrier number 16, for example
  IllegalAddress,     ///< an access outside all memory
  MisalignedAddress,  ///< an address that is no multiple of the access's size
  StackOverflow,      ///< recursion without end
  Deadlock,           ///< all warps of a CTA wait for each other
};

/// What went wrong; false if nothing did.
class [[nodiscard]] Error {
public:
  Error() = default;
  Error(ErrorCode code, std::string message)
      : code(code), message(std::move(message)) {}

  explicit operator bool() const { return code != ErrorCode::None; }
  ErrorCode getCode() const { return code; }
  /// For people: one line or more, without a newline at the end.
  const std::string &getMessage() const { return message; }

private:
  ErrorCode code = ErrorCode::None;
  std::string message;
};

/// A T, or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Error error) : error(std::move(error)) { assert(this->error); }

  /// Is there a value? Only then may it be asked for.
  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return assert(value), *value; }
  T *operator->() { return assert(value), &*value; }
  const Error &getError() const { return error; } ///< none if there is a value

private:
  std::optional<T> value;
  Error error;
};

namespace detail {
PTXJIT_API Result<std::shared_ptr<void>> allocate(size_t bytes, bool isLow);
PTXJIT_API Error checkEdges(const void *data, size_t bytes,
                            const std::string &writer, const std::string &name);
} // namespace detail

/// A handle to an array, zeroed, at a multiple of 256 bytes. Accesses of
/// kernels beyond its end, rounded up to such a multiple, fail with
/// IllegalAddress; checkEdges() finds writes that are nearer. The guards around
/// each array take 32 MB of address space, and no memory.
template <typename T> class Buffer {
public:
  static_assert(std::is_trivially_copyable_v<T>, "kernels see its bytes");
  Buffer() = default; ///< refers to no array: null, of size 0
  /// `isLow`: see Module::needsLowMemory. Errors: OutOfMemory.
  static Result<Buffer> allocate(size_t count, bool isLow = false) {
    size_t bytes = count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
    auto memory = detail::allocate(bytes, isLow);
    if (memory)
      return Buffer(*memory, count);
    return memory.getError();
  }
  T *data() const { return static_cast<T *>(memory.get()); }
  size_t size() const { return count; }
  T &operator[](size_t i) const { return assert(i < count), data()[i]; }
  T *begin() const { return data(); }
  T *end() const { return data() + count; }
  /// Has anyone written beside the array? The message says that `writer` wrote
  /// beside `name`, and which byte is nearest. Errors: IllegalAddress.
  Error checkEdges(const std::string &writer = "something",
                   const std::string &name = "a buffer") const {
    return detail::checkEdges(data(), count * sizeof(T), writer, name);
  }

private:
  Buffer(std::shared_ptr<void> memory, size_t count)
      : memory(std::move(memory)), count(count) {}
  std::shared_ptr<void> memory;
  size_t count = 0;
};

/// How kernels see an array as a texture or a surface. ISA: "texture
/// instructions", "surface instructions".
struct TextureConfig {
  /// `Linear` is memory that integers index (`tex.1d`); a cube has six square
  /// faces: +x, -x, +y, -y, +z, -z.
  enum class Shape { Linear, D1, D2, D3, Cube } shape = Shape::D2;
  /// In texels, up to 2^17; of `Linear`, up to 2^27.
  uint32_t width = 1, height = 1, depth = 1;
  uint32_t layers = 0;  ///< of a layered texture (of an array of cubes: cubes)
  uint32_t levels = 1;  ///< of detail
  uint32_t samples = 1; ///< of each texel; more than 1 in `D2` only
  std::string type = "f32"; ///< of a channel: u8, u16, u32, s8 … s32, f16, f32
  uint32_t channels = 1;    ///< 1, 2 or 4
  bool isSurface = false; ///< for `suld` and `sust`, which use isFraction alone
  enum class Address { Wrap, Clamp, Mirror, Border };
  Address address[3] = {Address::Clamp, Address::Clamp, Address::Clamp};
  bool isLinear = false;     ///< mixes neighbouring texels
  bool isMipLinear = false;  ///< mixes neighbouring levels
  bool isNormalized = false; ///< coordinates are fractions of the extents
  bool isFraction = false; ///< integers of 8 and 16 bits are read as fractions
  bool isSRGB = false;     ///< `u8` is read by the curve of sRGB
  bool isSeamless = false; ///< filters go across the edges of a cube
  uint32_t maxAnisotropy = 1;
  float levelBias = 0, minLevel = 0, maxLevel = 1000;
  float border[4] = {0, 0, 0, 0}; ///< what lies outside, with Address::Border
};

/// A handle to a texture or surface over memory of the program, which has to
/// live as long. Texels are dense: row after row, slice after slice (layer,
/// face), level after level, each of half the extents. Samples of a texel are
/// `width * height * layers` texels apart.
class PTXJIT_API Texture {
public:
  /// Errors: InvalidArgument (the message says of what), OutOfMemory.
  static Result<Texture> create(void *texels, const TextureConfig &config);
  /// The bytes that a texture takes; 0 if the configuration is not valid.
  static size_t countBytes(const TextureConfig &config);
  /// What kernels get as a parameter (`.u64`).
  uint64_t getHandle() const;

private:
  struct Impl;
  std::shared_ptr<const Impl> impl;
};

/// Addresses that stand for several memories at once, as a multicast object of
/// CUDA does. ISA: "multimem". Copies refer to the same addresses.
class PTXJIT_API Multicast {
public:
  /// The memories have `bytes` bytes each, live as long as the object, and
  /// begin at multiples of 16. There are 1 to 64. Errors: InvalidArgument (the
  /// message says of what), OutOfMemory.
  static Result<Multicast> create(const std::vector<void *> &memories,
                                  size_t bytes);
  /// What kernels get as a parameter (`.u64`). An access there that is no
  /// `multimem` is a fault.
  uint64_t getAddress() const;

private:
  struct Impl;
  std::shared_ptr<const Impl> impl;
};

/// Extents: of a grid or cluster in CTAs, of a block in threads.
struct Dim3 {
  uint32_t x, y, z;
  constexpr Dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1)
      : x(x), y(y), z(z) {}
};

struct LaunchConfig {
  Dim3 grid;  ///< x up to 2^31 - 1, y and z up to 65535
  Dim3 block; ///< up to 1024 x 1024 x 64, and 1024 threads in all
  /// Divides the grid; 16 CTAs at most. 0: what the kernel says.
  Dim3 cluster = {0, 0, 0};
  uint32_t dynamicSharedBytes = 0; ///< beside what the kernel declares
  bool isCooperative = false;      ///< all CTAs may wait for each other
  uint32_t numWorkers = 0;         ///< CPU threads; 0: all cores
};

/// How kernels are compiled. By default as PTXJIT_TENSOR and PTXJIT_ORDER say.
struct PTXJIT_API CompileOptions {
  CompileOptions();
  uint32_t chunk = 0;   ///< lanes per vector: 1, 4, 8, 16; 0: the CPU's own
  std::string cpu;      ///< an LLVM CPU name, "x86-64-v3"; empty: this machine
  bool isQuick = false; ///< compile fast rather than well
  bool hasFastTensors = false; ///< PTXJIT_TENSOR=fast (docs/TensorCores.md)
  bool hasFreeOrder = false;   ///< PTXJIT_ORDER=free (docs/Execution.md)
  /// Gives each warp, or each thread, a stack of its own, even if none waits.
  enum class Mode { Auto, Fibers, Threads } mode = Mode::Auto;
  /// For tests: 32 threads run together, or fewer where a kernel cannot tell
  /// (docs/Architecture.md, "Narrow warps"). Auto: by cost.
  enum class Warps { Auto, Wide, Narrow } warps = Warps::Auto;
  /// For tests: LLVM fails at "lower", "optimize" or "codegen". Empty: nowhere.
  std::string failAt;
};

/// An argument of a launch: a number, an enumerator, a pointer, a Buffer, or a
/// trivially copyable struct, which has to live until the launch is made.
class Argument {
public:
  enum class Kind { Integer, Float, Pointer, Bytes };
  template <typename T>
  Argument(const T &value) : Argument(kindOf<T>, &value, sizeof(T)) {
    static_assert(std::is_trivially_copyable_v<T>, "kernels see its bytes");
  }
  template <typename T>
  Argument(const Buffer<T> &buffer) : Argument(buffer.data()) {}
  /// For types known at run time. `Bytes` fit all types, and live like structs.
  PTXJIT_API Argument(Kind kind, const void *value, size_t bytes);

  Kind getKind() const { return kind; }
  size_t getBytes() const { return bytes; }
  const void *getData() const { return data ? data : &number; }

private:
  template <typename T>
  static constexpr Kind kindOf =
      std::is_pointer_v<T> || std::is_null_pointer_v<T> ? Kind::Pointer
      : std::is_floating_point_v<T>                     ? Kind::Float
      : std::is_arithmetic_v<T> || std::is_enum_v<T>    ? Kind::Integer
                                                        : Kind::Bytes;
  Kind kind;
  size_t bytes;
  const void *data = nullptr;
  uint64_t number = 0;
};

struct Parameter {
  std::string name, type; ///< of an element, as in PTX: "u64"
  size_t count, bytes;    ///< elements (of a struct: more than 1); all bytes
};
struct CompiledInfo {
  std::string mode, reason; ///< how its warps are run, and why
  uint32_t chunk;           ///< lanes per vector
  size_t codeBytes;
  bool isDegraded; ///< LLVM has failed on it: slow code
  double parse, lower, optimize, codegen, load; ///< ms; 0 from the cache
  /// Instructions in PTX, and the ops that they were when LLVM got them.
  size_t instructions, operations;
};

class PTXJIT_API Kernel {
public:
  const std::string &getName() const;
  std::vector<Parameter> getParameters() const;
  Dim3 getRequiredBlock() const; ///< `.reqntid`; 0 where there is none
  Dim3 getMaxBlock() const;      ///< `.maxntid`, the same
  /// The same kernel, compiled otherwise.
  Kernel withOptions(CompileOptions options) const;

  /// Compiles for config.block, if that has not been done: fast, and well once
  /// the kernel has run for long (PTXJIT_TIER, docs/Execution.md). Runs all
  /// CTAs with one argument for each parameter; returns when they have
  /// finished. Nothing is converted: sizes have to agree, and so has being
  /// floating point. Errors: all but NotFound. If threads caused one, memory
  /// has no defined contents, and the message names the thread and its line.
  template <typename... Args>
  Error launch(const LaunchConfig &config, const Args &...args) const {
    return launchList(config, {Argument(args)...});
  }
  template <typename... Args>
  Error launch(Dim3 grid, Dim3 block, const Args &...args) const {
    return launchList(LaunchConfig{grid, block}, {Argument(args)...});
  }
  Error launchList(const LaunchConfig &config,
                   const std::vector<Argument> &arguments) const;
  /// By the reference interpreter: slow, exact. All faults are ErrorCode::Trap.
  Error interpret(const LaunchConfig &config,
                  const std::vector<Argument> &arguments) const;
  /// Compiles well, so that the first launch need not compile at all. Errors:
  /// as emit().
  Result<CompiledInfo> compile(const LaunchConfig &config) const;
  /// The same for launches of any grid of up to 2^31 threads in each dimension,
  /// in any clusters. Errors: InvalidArgument, CompilerFailed.
  Result<CompiledInfo> compileForBlock(Dim3 block) const;
  /// A stage of the compiler, "ptx" to "obj", or its report "explain" or
  /// "remarks" (docs/Execution.md). Errors: InvalidArgument, CompilerFailed.
  Result<std::string> emit(const std::string &stage,
                           const LaunchConfig &config) const;

private:
  friend class Module;
  friend class Stream;
  struct Impl;
  explicit Kernel(std::shared_ptr<const Impl> impl) : impl(std::move(impl)) {}
  std::shared_ptr<const Impl> impl;
};

/// How a module is compiled ahead of time.
struct AheadConfig {
  struct Block {
    std::string kernel; ///< empty: all kernels
    Dim3 block;
  };
  std::string name; ///< an identifier of C; names of the header begin with it
  /// "x86_64-linux-gnu" or "aarch64-linux-gnu"; empty: as the CPU has it, or
  /// this machine.
  std::string target;
  /// LLVM's name; empty: x86-64-v3, or neoverse-n1 for AArch64.
  std::string cpu;
  /// Kernels without one are compiled for the block that they require, or else
  /// for any.
  std::vector<Block> blocks;
  bool keepsText = false;     ///< of the PTX, so that errors quote it
  bool hasLargeGrids = false; ///< of more than 2^31 threads in a dimension
};

struct AheadFiles {
  std::string object;   ///< ELF, for a linker
  std::string header;   ///< for C and C++
  std::string warnings; ///< mostly empty
};

/// A PTX module: kernels and variables.
class PTXJIT_API Module {
public:
  /// `fileName` is for messages. From 1 MB on, bodies are checked when they are
  /// compiled. Errors: InvalidPtx (with all diagnostics), CompilerFailed.
  static Result<Module> load(std::string_view text,
                             const std::string &fileName = "<text>");
  /// Errors: NotFound, and those of load().
  static Result<Module> loadFile(const std::string &path);
  /// Loads device code as nvcc embeds it in programs, in "fat binaries": of
  /// each, the PTX that is best for the device (PTXJIT_DEVICE). Those of a
  /// program that was compiled separately are linked; they come together. Bytes
  /// behind the end of a binary do no harm. Errors: NotFound, if there is no
  /// such PTX (the message says what there is), and those of load().
  static Result<Module>
  loadFatBinaries(const std::vector<std::string_view> &binaries);

  std::vector<std::string> getKernelNames() const;
  /// Errors: NotFound; the message lists the names that there are.
  Result<Kernel> getKernel(const std::string &name) const;
  /// The memory of a `.global` or `.const` variable. It lives as long as the
  /// module. Errors: NotFound, OutOfMemory.
  Result<void *> getVariable(const std::string &name) const;
  /// Binds a `.texref`, `.samplerref` or `.surfref` variable. The texture must
  /// live as long as kernels use it. Errors: NotFound, OutOfMemory.
  Error bindTexture(const std::string &name, const Texture &texture) const;
  /// Compiles all kernels for programs that have no compiler, but link
  /// libptxjit-runtime (docs/AheadOfTime.md). Errors: InvalidArgument,
  /// CompilerFailed.
  Result<AheadFiles> compileAhead(const AheadConfig &config) const;
  /// Do kernels reach memory below 4 GiB only (`.address_size 32`)?
  bool needsLowMemory() const;
  const std::string &getWarnings() const; ///< of the text; mostly empty

private:
  friend class Kernel;
  struct Impl;
  explicit Module(std::shared_ptr<Impl> impl) : impl(std::move(impl)) {}
  std::shared_ptr<Impl> impl;
};

/// Device code for one architecture, as files contain it.
struct DeviceImage {
  enum class Kind { Ptx, MachineCode, LtoIr, Other };
  Kind kind = Kind::Other;
  /// A fat binary has images of one module; a program takes one of them.
  bool isInFatBinary = false;
  uint64_t fatBinaryOffset = 0; ///< where that begins in the file
  std::string architecture;   ///< as nvcc has it: "compute_90" (PTX), "sm_90a"
  std::string ptxVersion;     ///< "9.0"; of PTX
  uint64_t bytes = 0;         ///< in the file
  uint64_t unpackedBytes = 0; ///< differs if the image is compressed
  std::string packing; ///< "zstd", "lz4" or "unknown"; empty: not compressed
  std::string name;    ///< of its source; mostly empty
  bool hasDebug = false;
  bool hasLines = false; ///< a line table; unless isRead, by compiler options
  /// Does the device take it? A text it does; a fat binary's PTX, if it fits
  /// (PTXJIT_DEVICE).
  bool isUsable = false;
  /// Has the code itself been read? Only then is anything known of kernels.
  bool isRead = false;
  std::vector<std::string> kernels; ///< by name
};

/// Visits the device code in the bytes of a program, a library, an object file,
/// a fat binary, machine code or a text, in its order, without compiling it.
/// Images of fat binaries are unpacked and read if they are small, or if
/// `isThorough`.
/// Errors: InvalidArgument, at the end, if some of it is damaged.
PTXJIT_API Error
listDeviceCode(std::string_view file, bool isThorough,
               const std::function<void(const DeviceImage &)> &visit);

/// Work in order, beside the program. What follows an error is dropped, until
/// synchronize() has returned it. The last handle waits for the work.
class PTXJIT_API Stream {
public:
  Stream();
  /// Errors: InvalidArgument, at once; others come from synchronize().
  template <typename... Args>
  Error launch(const Kernel &kernel, const LaunchConfig &config,
               const Args &...args) {
    return launchList(kernel, config, {Argument(args)...});
  }
  Error launchList(const Kernel &kernel, const LaunchConfig &config,
                   const std::vector<Argument> &arguments);
  /// Calls `function` (which must not throw, or own the stream) in its turn.
  void run(std::function<void()> function);
  /// Waits for all. Returns the first error since the last call.
  Error synchronize();

private:
  struct Impl;
  std::shared_ptr<Impl> impl;
};

/// A file of a cache: what is declared in a module, or a kernel compiled for
/// one shape of block.
struct CacheEntry {
  enum class Kind { Module, Kernel };
  enum class State {
    Usable,     ///< by programs on this machine
    OtherCpu,   ///< compiled for another CPU
    OtherBuild, ///< compiled by another build of the compiler library
    /// Programs do not believe it: its content is not what was written, others
    /// may write to it, or it is of another version of ptx-jit.
    Damaged,
  };
  std::string file; ///< its name in the folder
  Kind kind;
  State state;
  uint64_t bytes;
  int64_t lastUse; ///< seconds since 1970; in a shared folder, of its writing
  // The rest is empty if the entry is damaged.
  std::string module;  ///< a hash of the module's text
  std::string name;    ///< of the kernel; of a module its target, "sm_80"
  Dim3 block;          ///< of a kernel
  uint32_t chunk;      ///< of a kernel: lanes per vector
  std::string options; ///< that differ from the defaults
  std::string cpu;     ///< the name of the CPU it was compiled on
};

/// A folder of compiled kernels on disk, where later runs find them
/// (docs/Execution.md). What is found there is executed, so a folder that
/// others may write to is refused.
class PTXJIT_API Cache {
public:
  /// The user's own folder (PTXJIT_CACHE), created if missing. Errors:
  /// NotFound, if no cache is wanted; InvalidArgument, if it is refused;
  /// CompilerFailed, if the compiler library is missing.
  static Result<Cache> openOwn();
  /// A folder that its owner shares; empty: that of PTXJIT_CACHE_SHARED.
  /// Errors: NotFound, if none is given; others as openOwn().
  static Result<Cache> openShared(const std::string &folder = "");
  /// Makes a shared folder the only cache of this process, to be filled by
  /// compiling. It is created if missing, and must be the user's own. Has to be
  /// called before the first module is loaded. Errors: as openShared().
  static Error fillShared(const std::string &folder = "");
  /// How many entries this process could not write: a full disk, say.
  static uint64_t countUnwritten();

  const std::string &getFolder() const;
  std::vector<CacheEntry> list() const; ///< reads all entries
  /// Errors: NotFound, InvalidArgument (no right to do so).
  Error remove(const CacheEntry &entry) const;

private:
  struct Impl;
  explicit Cache(std::shared_ptr<const Impl> impl) : impl(std::move(impl)) {}
  std::shared_ptr<const Impl> impl;
};

} // namespace ptxjit

#endif

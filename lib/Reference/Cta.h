//===- Cta.h - CTAs of the reference interpreter ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_CTA_H
#define PTXJIT_LIB_REFERENCE_CTA_H

#include "Evaluate.h"
#include "MemoryProbe.h"
#include "TensorMemory.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Dialect/TensorCore.h"
#include "ptxjit/Dialect/TextureAccess.h"
#include "ptxjit/Reference/Interpreter.h"
#include "ptxjit/Runtime/Texture.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <memory>
#include <new>
#include <random>
#include <vector>

namespace ptxjit::reference {

using llvm::LogicalResult;
using mlir::Block;
using mlir::Operation;
using mlir::Value;
using ptx::FuncOp;
using ptx::MatchOp;
using ptx::ReduxOp;
using ptx::Space;
using ptx::SpecialRegister;
using ptx::VoteOp;

/// Allocates memory so that offsets in a window and host addresses have the
/// same alignment, up to 1024.
template <class T> struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlign{1024};
  AlignedAllocator() = default;
  template <class U> AlignedAllocator(const AlignedAllocator<U> &) {}
  T *allocate(size_t n) {
    return static_cast<T *>(::operator new(n * sizeof(T), kAlign));
  }
  void deallocate(T *p, size_t) { ::operator delete(p, kAlign); }
  bool operator==(const AlignedAllocator &) const { return true; }
  bool operator!=(const AlignedAllocator &) const { return false; }
};
using AlignedBytes = std::vector<uint8_t, AlignedAllocator<uint8_t>>;

struct Position {
  Block *block = nullptr;
  Block::iterator at;
};

/// The activation of a kernel or function.
struct Frame {
  FuncOp func;
  std::vector<Bits> values;
  Position pc;
  /// Where to continue behind the bodies of guards.
  llvm::SmallVector<Position, 1> returns;
  /// Offset of its variables in the thread's local memory.
  uint64_t localBase = 0;
  /// Offset of the end of its variables and `alloca` memory.
  uint64_t localEnd = 0;
  /// Addresses of its arguments and results.
  llvm::SmallVector<Bits, 4> args, results;
};

struct Thread {
  enum State { Running, Waiting, Done } state = Running;
  unsigned linear = 0; ///< index in the CTA
  std::vector<Frame> frames;
  Frame &frame() { return frames.back(); }
  AlignedBytes local;
  /// Whether it has arrived at the cluster's barrier in this phase.
  bool arrivedAtCluster = false;
  /// The op that it waits at, and the op's operands.
  Operation *waitsAt = nullptr;
  llvm::SmallVector<Bits, 4> waitInputs;
};

/// Data that all CTAs of a launch share.
struct Program {
  FuncOp kernel;
  std::vector<FuncOp> functions; ///< in the module's order
  /// Numbers of values within their function, and values per function.
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::DenseMap<FuncOp, unsigned> counts;
  /// Offsets of `.shared` variables in the window, and of other variables in
  /// their function's frame.
  llvm::StringMap<int64_t> places;
  llvm::DenseMap<FuncOp, int64_t> frameBytes;
  int64_t sharedEnd = 0;
  int64_t localBytes = 0; ///< per thread, for all its frames
  bool isNarrow = false;  ///< `.address_size 32`
};

/// `.param` addresses from here on are variables that pass arguments of calls.
constexpr Bits kCallVariables = 0x40000000;

/// The result of a round.
enum class Progress { Some, Ended, Stuck };

struct TensorBox;
struct CoreMemory;
struct OpaqueHandle;
struct SurfaceElements;
struct TexturePlace;
class Cta;
/// The CTAs of a cluster, which see each other's shared memory.
using Cluster = std::vector<std::unique_ptr<Cta>>;

class Cta {
public:
  /// \param rank  of the CTA in `cluster`.
  Cta(const Program &program, const PtxjitReferenceLaunch &launch,
      std::mt19937_64 &random, MemoryProbe &probe, Cluster &cluster,
      unsigned rank)
      : program(program), launch(launch), random(random), probe(probe),
        cluster(cluster), rank(rank) {}

  void start(const uint32_t (&ctaid)[3]);
  /// Gives each thread that can go on a turn.
  mlir::FailureOr<Progress> runRound();
  /// Reports a thread that waits for ever.
  LogicalResult reportDeadlock();
  bool hasEnded() const;
  /// For a CTA that has ended: fails if it has not deallocated its columns of
  /// tensor memory.
  LogicalResult checkColumns();

  // The barrier of the cluster (Cluster.cpp).
  bool allArrivedAtCluster() const;
  void releaseFromCluster();

private:
  unsigned threadsPerCta() const {
    return launch.block[0] * launch.block[1] * launch.block[2];
  }
  LogicalResult runThread(Thread &t);
  LogicalResult step(Thread &t, Operation &op);
  LogicalResult memory(Thread &t, Operation &op);
  Bits addressOf(Thread &t, ptx::AddressOfOp op);
  LogicalResult wait(Thread &t, Operation &op);
  LogicalResult call(Thread &t, ptx::CallOp op);
  LogicalResult enter(Thread &t, FuncOp func, Operation *at);
  void branch(Thread &t, Block *to) { t.frame().pc = {to, to->begin()}; }
  /// Carries out collectives whose members are all there. \returns whether
  /// there was one.
  llvm::FailureOr<bool> resolveWarps();
  llvm::FailureOr<bool> resolveWarp(unsigned warp);
  LogicalResult collective(llvm::ArrayRef<Thread *> members, Operation &op);
  void shuffle(Thread &t, llvm::ArrayRef<Thread *> members);
  void vote(Thread &t, VoteOp op, llvm::ArrayRef<Thread *> members);
  void match(Thread &t, MatchOp op, llvm::ArrayRef<Thread *> members);
  void redux(Thread &t, ReduxOp op, llvm::ArrayRef<Thread *> members);
  // Matrix instructions (Matrix.cpp). `lanes` is null for lanes that do not
  // take part.
  LogicalResult matrix(Operation &op, llvm::ArrayRef<Thread *> lanes);
  LogicalResult loadMatrix(ptx::LdMatrixOp op, llvm::ArrayRef<Thread *> lanes);
  LogicalResult storeMatrix(ptx::StMatrixOp op, llvm::ArrayRef<Thread *> lanes);
  void transposeMatrix(ptx::MovMatrixOp op, llvm::ArrayRef<Thread *> lanes);
  LogicalResult moveWmma(Operation &op, llvm::ArrayRef<Thread *> lanes);
  llvm::FailureOr<uint64_t> matrixRow(Operation &op,
                                      llvm::ArrayRef<Thread *> lanes,
                                      Space space, unsigned row);
  llvm::FailureOr<std::pair<uint64_t, unsigned>>
  wmmaElement(Operation &op, const ptx::WmmaMove &move, Thread &t,
              unsigned lane, unsigned i, Bits stride);
  // Matrix instructions of a warpgroup (Wgmma.cpp).
  LogicalResult multiplyWarpgroup(ptx::WgmmaOp op,
                                  llvm::ArrayRef<Thread *> lanes);
  llvm::FailureOr<Bits> sharedElement(Operation &op, uint64_t address,
                                      unsigned bits, unsigned k);
  /// Lets warpgroups go on that wait for their sums. \returns whether there was
  /// one.
  bool resolveWarpgroups();
  // Tensor memory (TensorMemory.cpp).
  LogicalResult tensorMemoryOp(Operation &op, llvm::ArrayRef<Thread *> lanes);
  /// Whether the warp waits for columns that other warps have.
  bool waitsForColumns(Thread &t) const;
  LogicalResult allocateColumns(ptx::Tcgen05AllocOp op, Thread &t);
  LogicalResult deallocateColumns(ptx::Tcgen05DeallocOp op, Thread &t);
  LogicalResult accessCells(Operation &op, const ptx::CellAccess &access,
                            Thread &t, unsigned r, Bits &value, bool isStore);
  LogicalResult loadReduced(ptx::Tcgen05LdRedOp op,
                            llvm::ArrayRef<Thread *> lanes);
  // Tensor cores (TensorCore.cpp, TensorCells.cpp).
  llvm::FailureOr<bool> tensorCoreOp(Thread &t, Operation &op);
  llvm::FailureOr<std::vector<CoreMemory>> coresOf(Operation &op,
                                                   bool isForPair);
  LogicalResult multiplyTensors(Thread &t, Operation &op,
                                const ptx::TensorMultiply &mma);
  LogicalResult copyToCells(Thread &t, ptx::Tcgen05CpOp op);
  LogicalResult shiftCells(Thread &t, ptx::Tcgen05ShiftOp op);
  LogicalResult commitTensorOps(Thread &t, ptx::Tcgen05CommitOp op);
  void arriveAtBarrier(Thread &t);
  bool resolveBarriers();
  Bits specialRegister(Thread &t, SpecialRegister reg);
  llvm::FailureOr<uint64_t> hostAddress(Thread &t, Operation &op, Bits address,
                                        std::optional<Space> space);
  llvm::FailureOr<uint64_t>
  resolveAddress(Thread &t, Operation &op, Bits address,
                 std::optional<Space> space, int64_t offset, unsigned bytes,
                 std::optional<unsigned> touched = {});
  LogicalResult loadElements(Thread &t, ptx::LdOp op);
  LogicalResult storeElements(Thread &t, ptx::StOp op);
  template <typename VectorOp>
  LogicalResult updateVector(Thread &t, VectorOp op);
  LogicalResult updateWide(Thread &t, ptx::AtomWideOp op);
  llvm::LogicalResult copyAsync(Thread &t, ptx::CpAsyncOp op);
  // Accesses to several memories (Multimem.cpp).
  LogicalResult multimem(Thread &t, Operation &op);
  template <typename MultimemOp>
  LogicalResult accessReplicas(Thread &t, MultimemOp op,
                               mlir::ValueRange elements);
  llvm::FailureOr<llvm::SmallVector<uint64_t>>
  findReplicas(Thread &t, Operation &op, Bits address,
               std::optional<Space> space, unsigned bytes);
  // Mbarriers and bulk copies (Async.cpp).
  llvm::FailureOr<bool> asynchronous(Thread &t, Operation &op);
  llvm::FailureOr<Bits> updateMbarrier(Thread &t, Operation &op, Bits address,
                                       std::optional<Space> space,
                                       int64_t offset, unsigned arrivals,
                                       unsigned drops, int64_t tx);
  template <typename BulkLikeOp>
  LogicalResult copyBulk(Thread &t, BulkLikeOp op);
  LogicalResult forEachCta(Bits chosen, Bits dst, Bits object,
                           llvm::function_ref<LogicalResult(Bits, Bits)> body);
  template <typename AsyncOp> LogicalResult storeAsync(Thread &t, AsyncOp op);
  LogicalResult tryCancel(Thread &t, ptx::ClcTryCancelOp op);
  // Tensor maps, and copies of boxes (TensorCopies.cpp).
  llvm::FailureOr<bool> tensorOp(Thread &t, Operation &op);
  LogicalResult loadTensor(Thread &t, ptx::TensorLoadOp op);
  LogicalResult storeTensor(Thread &t, Operation &op, TensorBox &box);
  LogicalResult describeBox(Thread &t, Operation &op, TensorBox &box);
  llvm::FailureOr<std::vector<Bits>> readTensor(Operation &op,
                                                const TensorBox &box);
  llvm::FailureOr<uint64_t> findBox(Thread &t, Operation &op, Bits address,
                                    Space space, const TensorBox &box);
  llvm::FailureOr<uint64_t> findTensorMap(Thread &t, Operation &op,
                                          Bits address,
                                          std::optional<Space> space);
  LogicalResult replaceInTensorMap(Thread &t, ptx::TensorMapReplaceOp op);
  LogicalResult copyTensorMap(Thread &t, ptx::TensorMapCopyOp op);
  // Textures and surfaces (Textures.cpp, TextureQueries.cpp, Surfaces.cpp).
  llvm::FailureOr<bool> textureOp(Thread &t, Operation &op);
  llvm::FailureOr<OpaqueHandle> findOpaque(Thread &t, Operation &op,
                                           Value handle);
  template <typename ReadOp> LogicalResult readTexture(Thread &t, ReadOp op);
  llvm::FailureOr<PtxjitSampler> findSampler(Thread &t, Operation &op,
                                             const ptx::TextureAccess &access,
                                             const PtxjitTexture &texture);
  TexturePlace placeInTexture(Thread &t, const ptx::TextureAccess &access);
  LogicalResult queryTexture(Thread &t, Operation &op,
                             const ptx::TextureAccess &access,
                             ptx::TextureQuery query, bool isSurface);
  LogicalResult isOpaque(Thread &t, ptx::IstypepOp op);
  llvm::FailureOr<bool> surfaceOp(Thread &t, Operation &op);
  llvm::FailureOr<std::optional<uint64_t>>
  findInSurface(Thread &t, Operation &op, const ptx::TextureAccess &access,
                const PtxjitTexture &surface, SurfaceElements elements);
  LogicalResult loadSurface(Thread &t, ptx::SuldOp op);
  LogicalResult storeSurface(Thread &t, ptx::SustOp op);
  LogicalResult reduceSurface(Thread &t, ptx::SuredOp op);
  // Clusters and spaces (Cluster.cpp).
  LogicalResult barrierCluster(Thread &t, ptx::BarrierClusterOp op);
  bool clusterOp(Thread &t, Operation &op);
  std::optional<Bits> clusterRegister(SpecialRegister reg);
  Bits toSharedAddress(uint64_t generic);
  uint64_t fromSharedAddress(Bits address);
  bool isInSpace(Thread &t, uint64_t address, Space space);
  uint64_t windowOf(Thread &t, Space space);
  uint64_t toHost(Thread &t, Bits generic);
  Bits toGeneric(Thread &t, Space space, Bits address);
  Bits fromGeneric(Thread &t, Space space, Bits generic);
  Bits get(Thread &t, Value v) {
    return t.frame().values[program.numbers.lookup(v)];
  }
  void set(Thread &t, Value v, Bits bits) {
    t.frame().values[program.numbers.lookup(v)] = bits;
  }

  const Program &program;
  const PtxjitReferenceLaunch &launch;
  std::mt19937_64 &random;
  MemoryProbe &probe;
  Cluster &cluster;
  unsigned rank;
  uint32_t id[3] = {0, 0, 0};
  uint64_t ticks = 0; ///< last value of its clocks
  AlignedBytes shared;
  TensorMemory tensorMemory;
  std::vector<Thread> threads;
  std::vector<unsigned> order; ///< order of the threads' turns
  /// Arrivals of threads that do not wait.
  struct Barrier {
    std::array<unsigned, 32> arrivals{}; ///< threads, by warp
    unsigned wanted = 0;
  };
  std::array<Barrier, 16> barriers;
};

/// Reads and writes memory of the process.
Bits loadBits(uint64_t address, unsigned bytes);
void storeBits(uint64_t address, unsigned bytes, Bits bits);
/// The value that an atomic operation stores where it finds `old`.
Bits atomicResult(ptx::AtomicOp op, ptx::ScalarType type, Bits old, Bits b,
                  Bits c);
/// The least or the greatest of f32 values. ISA: "redux.sync". +0 is greater
/// than -0. NaN is ignored, unless all are, or with `nan` is the result.
Bits extremeOf(ptx::AtomicOp op, bool abs, bool nan,
               llvm::ArrayRef<Bits> values);

/// Whether `op` waits for other threads of its warp.
bool isWarpCollective(Operation *op);
bool isTensorMemoryOp(Operation *op);

} // namespace ptxjit::reference

#endif

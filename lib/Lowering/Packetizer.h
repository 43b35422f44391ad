//===- Packetizer.h - threads to lanes --------------------------*- C++ -*-===//
//
// One walk over the region tree of a kernel, with a map from each value of one
// thread to its form for the 32 threads of a warp.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZER_H
#define PTXJIT_LIB_LOWERING_PACKETIZER_H

#include "AccumulatorHomes.h"
#include "ptxjit/Analysis/CtaLevel.h"
#include "ptxjit/Dialect/Matrix.h"
#include "ptxjit/Lowering/ChunkBuilder.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Runtime/KernelABI.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <memory>

namespace ptxjit {

/// A value for all 32 lanes. Uniform values have a base alone; those with a
/// lane pattern a base, to which chunks are made on demand; others only chunks.
struct Packed {
  mlir::Value base;
  /// Scalar i1: the pattern holds (see Shape::conditional). Null if always.
  mlir::Value ok;
  llvm::SmallVector<mlir::Value, 8> chunks;
};

/// Elements that lie side by side in memory.
struct ElementRun {
  int64_t begin = 0; ///< byte offset of the first
  unsigned count = 0;
};

/// Lanes whose addresses lie at known distances from each other.
struct LaneGroups {
  LanePattern first;  ///< of the lane's group
  LanePattern offset; ///< relative to the others of the group
  /// Known only if 32-bit values did not wrap; compiled code must test that.
  bool mustTest = false;
};

/// Where a memory access goes: absolute address = base + pattern(lane).
struct LaneAddress {
  mlir::Value base;                   ///< i64, or null if nothing is known
  std::optional<LanePattern> pattern; ///< none with a base: uniform
  mlir::Value ok;                     ///< as Packed::ok
  bool mayPart = false;               ///< `ok` may well be false
  std::optional<LaneGroups> groups;   ///< where there is no base
  /// Each lane's is a multiple of it; 0: of all that the lane accesses.
  unsigned align = 0;
  /// Per chunk the lanes' addresses as i64; made on demand.
  std::function<mlir::Value(unsigned chunk)> vectors;
};

/// Addresses whose alignment has been tested where the walk is now: in this
/// block or one around it.
class TestedAddresses {
public:
  void enterBlock() { blocks.emplace_back(); }
  void leaveBlock() { blocks.pop_back(); }
  /// \returns false if (address + offset) is known to be aligned already, in
  /// the lanes of `mask` (null: all).
  bool insert(mlir::Value address, mlir::Value mask, ptx::Space space,
              int64_t offset, int64_t bytes, uint32_t namingLanes) {
    for (const auto &block : blocks)
      for (mlir::Value lanes : {mask, mlir::Value()})
        if (block.contains({{address, lanes}, {int64_t(space), offset, bytes}}))
          return false;
    if (namingLanes == 0xffffffff)
      blocks.back().insert({{address, mask}, {int64_t(space), offset, bytes}});
    return true;
  }

private:
  using Key = std::pair<std::pair<mlir::Value, mlir::Value>,
                        std::tuple<int64_t, int64_t, int64_t>>;
  llvm::SmallVector<llvm::DenseSet<Key>> blocks;
};

/// A value that is copied to another's place in the frame.
struct FrameCopy {
  mlir::Value from, to;
};
/// Such copies at the end of a part. They are all that `user` wants of its
/// operands.
struct FrameCopies {
  mlir::Operation *user = nullptr;
  llvm::SmallVector<FrameCopy> list;
};

class Packetizer {
public:
  /// \param levels  null, or how to split the kernel at its barriers.
  Packetizer(ptx::FuncOp func, const KernelLayout &layout,
             const ShapeAnalysis &shapes, const CtaLevel *levels,
             const ChunkTarget &target, const EmitterTable &emitters);
  /// Writes the kernel's entry point, `symbol`, or what a function that is
  /// called has become.
  llvm::LogicalResult runKernel(llvm::StringRef symbol);
  llvm::LogicalResult runFunction();

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using LogicalResult = llvm::LogicalResult;

  // -- Structure (Packetize.cpp)
  /// What is known in one block, and those inside, alone.
  void enterScope();
  void leaveScope();
  LogicalResult emitBlock(mlir::Block &block);
  LogicalResult emitOp(Operation &op);
  LogicalResult emitIf(mlir::scf::IfOp op);
  LogicalResult emitWhile(mlir::scf::WhileOp op);
  LogicalResult emitPlain(Operation &op, Emitter emitter);
  LogicalResult emitSpecial(Operation &op, bool &handled);
  void emitAnyAll(Operation &op);
  Value allByExtremes(ptx::SetpOp test, bool negated);
  Value allLanes(Value mask, bool negated);
  Value allChunks(Value mask, bool negated);
  void emitEntryMask(ptx::EntryMaskOp op);

  // -- The map
  /// One thread at a time: every value is a scalar.
  bool perThread() const { return shapes.getContext().lanes == 1; }
  unsigned numChunks() const {
    return shapes.getContext().lanes / target.chunk;
  }
  const Shape &shapeOf(Value v) const { return shapes.get(v); }
  ChunkBuilder lanes() { return ChunkBuilder(b, loc, target, target.chunk); }
  ChunkBuilder scalar() { return ChunkBuilder(b, loc, target, 0); }
  /// Is there code for `v` here? (Not if only another part of a kernel that is
  /// split at barriers makes it.)
  bool isMade(Value v) const;
  Value base(Value v) { return values[v].base; }
  Value chunk(Value v, unsigned c);
  Value chunkAnew(Value v, unsigned c, unsigned depth);
  void setBase(Value v, Value base) { values[v].base = base; }
  void setChunks(Value v, llvm::ArrayRef<Value> chunks);
  /// A lane pattern's part for chunk `c`, as a constant vector.
  Value patternVector(const LanePattern &pattern, unsigned c, unsigned width);
  /// The numbers of chunk `c`'s lanes in the warp, i32.
  Value laneNumbers(unsigned c);
  Value lookUp(const LanePattern &table, Value lane);
  Value both(Value a, Value b);
  Value wrapTest(Value base, const LanePattern &pattern, unsigned width,
                 bool isSigned);
  Value okOf(Operation &op);
  Value patternTest(Value v, Value first, const LanePattern &pattern);
  // Values that cross a block boundary, in the form their shape says.
  void flattenTypes(Value v, llvm::SmallVectorImpl<mlir::Type> &types);
  void flatten(Value v, Value as, llvm::SmallVectorImpl<Value> &flat);
  void unflatten(Value v, mlir::ValueRange &flat);

  // -- Registers and addresses (RegistersToVector.cpp)
  LogicalResult emitSRegister(ptx::SRegOp op);
  Value emitTid(unsigned dim, unsigned lanes, unsigned chunk);
  LogicalResult emitAddressOf(ptx::AddressOfOp op);
  LogicalResult emitCvta(ptx::CvtaOp op);

  // -- Memory (MemoryToVector.cpp, AtomicToVector.cpp)
  LogicalResult emitLoad(ptx::LdOp op);
  LogicalResult emitStore(ptx::StOp op);
  /// Memory that only one thread of the host has at a time: CTAs of a cluster
  /// take turns. No order and no lock is needed there.
  static bool isOwned(std::optional<ptx::Space> space);
  /// What an atomic of this kind makes of `old`.
  Value combine(ptx::AtomicOp kind, ptx::ScalarType type, Value old,
                Value value);
  /// old = *where; *where = combine(old, value), by compare-and-swap.
  Value updateHalf(ptx::AtomicOp kind, ptx::ScalarType type, Value where,
                   Value value, mlir::LLVM::AtomicOrdering ordering);
  /// An update of one element, atomic if there is an ordering. \returns what
  /// was there.
  Value updateElement(ptx::AtomicOp kind, ptx::ScalarType type, Value where,
                      Value value, mlir::LLVM::AtomicOrdering ordering);
  Value swapIfEqual(Value where, Value expected, Value replacement);
  LogicalResult emitAtomic(Operation &op);
  LogicalResult emitAtomicWide(ptx::AtomWideOp op);
  Value joinHalves(Value low, Value high);
  llvm::SmallVector<Value> splitHalves(Value wide);
  LogicalResult emitOrderedLoad(ptx::LdOp op, const LaneAddress &address);
  LogicalResult emitOrderedStore(ptx::StOp op, const LaneAddress &address);
  LogicalResult emitRaise(ptx::RaiseOp op);
  LaneAddress addressInSpace(Value address, int64_t offset, bool inWindow,
                             unsigned placeBits = 64);
  LaneAddress placeInWindow(const LaneAddress &address, Value window,
                            unsigned scale, const LanePattern &places);
  LaneAddress resolve(Value address, std::optional<ptx::Space> space,
                      int64_t offset);
  Value windowBase(std::optional<ptx::Space> space);
  /// Fails the launch if an active lane's address is no multiple of `bytes`;
  /// only those in `namingLanes` count.
  void emitAlignmentTest(const LaneAddress &address, Value a,
                         std::optional<ptx::Space> space, int64_t offset,
                         int64_t bytes, Value mask,
                         uint32_t namingLanes = 0xffffffff);
  bool isContiguous(const LaneAddress &address, int64_t stride);
  Value chunkStart(const LaneAddress &address, unsigned c);
  Value isConsecutive(const LaneAddress &address, unsigned c, int64_t stride,
                      Value mask);
  bool mayBeConsecutive(const LaneAddress &address);
  mlir::scf::IfOp loadEither(Value condition, mlir::Type element,
                             unsigned vectors, llvm::function_ref<void()> first,
                             llvm::function_ref<void()> second,
                             llvm::SmallVectorImpl<Value> &flat);
  mlir::scf::IfOp storeEither(Value condition, llvm::function_ref<void()> first,
                              llvm::function_ref<void()> second);
  void loadContiguousChunk(const LaneAddress &address, unsigned c,
                           mlir::Type element, unsigned count, Value mask,
                           bool invariant, llvm::SmallVectorImpl<Value> &flat);
  void gatherChunk(const LaneAddress &address, unsigned c, mlir::Type element,
                   unsigned count, Value mask,
                   llvm::SmallVectorImpl<Value> &flat);
  void storeContiguousChunk(const LaneAddress &address, unsigned c,
                            llvm::ArrayRef<Value> elements, Value mask);
  void scatterChunk(const LaneAddress &address, unsigned c,
                    llvm::ArrayRef<Value> elements, Value mask);
  void loadContiguous(const LaneAddress &address, mlir::Type element,
                      unsigned count, Value mask, bool invariant,
                      llvm::SmallVectorImpl<Value> &flat);
  void loadGather(const LaneAddress &address, mlir::Type element,
                  unsigned count, Value mask,
                  llvm::SmallVectorImpl<Value> &flat);
  bool loadRuns(const LaneAddress &address, mlir::Type element, unsigned count,
                bool invariant, llvm::SmallVectorImpl<Value> &flat);
  Value loadRun(Value base, int64_t offset, unsigned count, mlir::Type element,
                bool invariant);
  bool loadLaneVectors(const LaneAddress &address, mlir::Type element,
                       unsigned count, bool invariant,
                       llvm::SmallVectorImpl<Value> &flat);
  void loadUnknown(const LaneAddress &address, mlir::Type element,
                   unsigned count, Value mask, bool invariant,
                   llvm::SmallVectorImpl<Value> &flat);
  void loadApart(const LaneAddress &address, mlir::Type element, unsigned count,
                 Value mask, bool invariant,
                 llvm::SmallVectorImpl<Value> &flat);
  llvm::SmallVector<Value> loadElements(const LaneAddress &address,
                                        mlir::Type element, unsigned count,
                                        Value mask, bool invariant);
  void storeContiguous(const LaneAddress &address, llvm::ArrayRef<Value> flat,
                       Value mask);
  void storeScatter(const LaneAddress &address, llvm::ArrayRef<Value> flat,
                    Value mask);
  void storeElements(const LaneAddress &address, llvm::ArrayRef<Value> flat,
                     Value mask);
  Value interleave(llvm::ArrayRef<Value> vectors);
  bool storeRuns(const LaneAddress &address, llvm::ArrayRef<Value> flat);
  void storeUnknown(const LaneAddress &address, llvm::ArrayRef<Value> flat,
                    Value mask);
  void storeApart(const LaneAddress &address, llvm::ArrayRef<Value> flat,
                  Value mask);
  void storeLane(Value start, llvm::ArrayRef<Value> elements, Value lane);
  void storeLanes(Value at, unsigned c, llvm::ArrayRef<Value> elements,
                  Value mask);
  void loadRarely(const LaneAddress &address, mlir::Type element,
                  unsigned count, Value mask,
                  llvm::SmallVectorImpl<Value> &flat);
  void storeRarely(const LaneAddress &address, llvm::ArrayRef<Value> flat,
                   Value mask);
  bool failsRarely(const LaneAddress &address);
  Value mostly(const LaneAddress &address);
  mlir::Type maskUnit(mlir::Type element, unsigned count);
  Value repeatMask(Value mask, unsigned times);
  Value loadMasked(Value start, mlir::Type element, unsigned count,
                   unsigned align, Value mask);
  void storeMasked(Value all, Value start, unsigned count, unsigned align,
                   Value mask);
  /// A run of what lanes of a chunk access: `elements` behind `base`, the
  /// address of a lane of which `start` is the offset.
  struct PlacedRun {
    ElementRun elements;
    Value base;
    int64_t start;
    uint32_t lanes;
  };
  llvm::SmallVector<PlacedRun, 4> placeRuns(const LaneAddress &address,
                                            unsigned c, unsigned count,
                                            int64_t size, unsigned most);
  Value groupsHold(const LaneAddress &address);
  Value isRegular(const LaneAddress &address, Value mask);
  void gatherFromDwords(Value at, mlir::Type element, unsigned count,
                        Value mask, llvm::SmallVectorImpl<Value> &flat);
  /// Runs `body` for each active lane of chunk `c`, in order; `carried` go
  /// through the loop.
  llvm::SmallVector<Value> forEachLane(
      unsigned c, Value mask, mlir::ValueRange carried,
      llvm::function_ref<llvm::SmallVector<Value>(Value lane,
                                                  mlir::ValueRange carried)>
          body);
  bool needsMask(Value mask);
  Value maskChunk(Value mask, unsigned c);
  Value toPointer(Value address);
  Value extractLane(Value vector, Value lane);
  Value loadFromVector(Value vector);
  Value insertLane(Value vector, Value element, Value lane);

  // -- cp.async (CopyToVector.cpp)
  LogicalResult emitCpAsync(ptx::CpAsyncOp op);
  struct CopiedRow;
  llvm::SmallVector<CopiedRow, 0>
  planRows(const LaneAddress &from, const LaneAddress &to, unsigned bytes);
  void copyRow(const CopiedRow &row, unsigned bytes);
  void copyLanes(ptx::CpAsyncOp op, const LaneAddress &from,
                 const LaneAddress &to);
  Value copiedSize(ptx::CpAsyncOp op, unsigned c);
  Value zeroBytes();
  void copyPartly(Value partly, Value to, Value from, Value sizes);

  // -- Local memory by element (LocalToVector.cpp)
  LogicalResult emitInterleavedLoad(ptx::LdOp op);
  LogicalResult emitInterleavedStore(ptx::StOp op);
  LaneAddress interleavedAddress(Value address, int64_t offset,
                                 int64_t granule);
  Value pieceOf(Value lanesOf, unsigned index, unsigned pieces);

  // -- The cluster, and where addresses belong (ClusterToVector.cpp)
  LogicalResult emitClusterOp(Operation &op, bool &handled);
  LogicalResult emitClusterRegister(ptx::SRegOp op);
  LogicalResult emitBarrierCluster(ptx::BarrierClusterOp op);
  LogicalResult emitMapa(ptx::MapaOp op);
  LogicalResult emitGetCtaRank(ptx::GetCtaRankOp op);
  LogicalResult emitIsSpacep(ptx::IsSpacepOp op);
  Value isInSpace(ChunkBuilder &k, Value address, ptx::Space space);
  Value isWithin(ChunkBuilder &k, Value address, Value begin, Value bytes);
  /// Of an op with one result: once if that is the same in all lanes.
  LogicalResult
  emitByLane(Operation &op,
             llvm::function_ref<Value(ChunkBuilder &k, mlir::ValueRange)> make);
  Value clusterSize();
  Value sharedBytes();

  // -- mbarrier objects (MbarrierToVector.cpp)
  LogicalResult emitMbarrier(Operation &op, bool &handled);
  LogicalResult emitMbarrierInit(ptx::MbarrierInitOp op);
  LogicalResult emitMbarrierTx(ptx::MbarrierTxOp op);
  LogicalResult emitMbarrierArrive(ptx::MbarrierArriveOp op);
  LogicalResult emitMbarrierWait(ptx::MbarrierWaitOp op);
  /// An address that an access has shown to be good.
  template <typename MbarrierLikeOp>
  LaneAddress mbarrierAddress(MbarrierLikeOp op);
  Value updateMbarrier(Value address, Value arrivals, Value drops, Value tx);

  // -- Bulk copies (BulkToVector.cpp)
  LogicalResult emitBulk(Operation &op, bool &handled);
  template <typename BulkLikeOp> LogicalResult emitBulkCopy(BulkLikeOp op);
  LogicalResult emitStBulk(ptx::StBulkOp op);
  LogicalResult emitTryCancel(ptx::ClcTryCancelOp op);
  void forEachCta(Value chosen, llvm::function_ref<void(Value rank)> body);
  void copyBytes(Value to, Value from, Value bytes, Value byteMask);
  void reduceElements(Operation *op, Value to, Value from, Value bytes);
  void forEachElement(Value begin, Value end, int64_t step,
                      llvm::function_ref<void(Value offset)> body);
  Value sizeOfBulk(Value size, Value lane, uint64_t unit);
  Value rankOffset(Value rank);

  // -- Matrices (MatrixToVector.cpp, MatrixMoveToVector.cpp)
  /// Bytes on the warp's stack.
  struct MatrixBuffer {
    Value pointer;
    int64_t bytes = 0;
  };
  /// A loop over lanes, and what its body reads of vectors from outside.
  struct LaneLoop {
    Operation *op;
    Value lane;
    llvm::SmallVector<std::pair<Value, MatrixBuffer>, 4> kept;
  };
  LaneLoop *laneLoop = nullptr;
  /// A fragment in the form that multiplications read.
  struct MatrixImage {
    std::string kind;
    llvm::SmallVector<Value> registers;
    MatrixBuffer buffer;
    int usersLeft = 0; ///< instructions of the block
  };
  /// A register of a fragment that is in memory only.
  struct StoredRegister {
    Value pointer;
    unsigned index = 0; ///< in its owner
    /// What it is part of; given back when no register is needed any more.
    std::shared_ptr<MatrixBuffer> owner;
  };
  static constexpr int64_t kRegisterBytes = 128; ///< 32 lanes of 32 bits
  class MmaEmission;
  LogicalResult emitMatrix(Operation &op, bool &handled);
  LogicalResult emitMma(ptx::MmaOp op);
  void emitQuadPairs(ptx::MmaOp op, const ptx::MatrixMultiply &mma);
  LogicalResult emitLdMatrix(ptx::LdMatrixOp op);
  MatrixBuffer takeBuffer(int64_t bytes);
  Value placeIn(Value buffer, int64_t offset);
  void storeRegister(Operation *op, Value buffer, unsigned index, Value v);
  void loadRegister(Value v, Value buffer, unsigned index);
  void setRegister(Value v, Value all);
  bool isOnlyMultiplied(Value v);
  std::shared_ptr<MatrixBuffer> shareBuffer(int64_t bytes);
  /// Registers of an instruction that are an operand or a tile of one.
  struct Fragment {
    ptx::MmaOp op;
    unsigned operand; ///< number of the first
    mlir::ValueRange registers;
    unsigned countUsers() const;
  };
  void forgetStored(const Fragment &fragment);
  Value registersOf(const Fragment &fragment, int64_t registerBytes,
                    MatrixBuffer &taken);
  void callMatrix(const llvm::Twine &name, llvm::ArrayRef<Value> operands);
  void callByReference(const llvm::Twine &name, llvm::ArrayRef<Value> operands);
  Value imageOf(const Fragment &fragment, llvm::StringRef kind, int64_t bytes,
                llvm::function_ref<void(Value image)> make);
  void dropImages();
  /// How a tile's values become its home, and come from it.
  struct TileForm {
    TileForm(ptx::MmaOp op, bool isResult);
    std::string type; ///< of the values
    unsigned rows = 16;
    int64_t elementBytes = 4; ///< in the home
    bool saturates = false;
    /// Integers have 8 more behind them, in a vector (lib/Device/Matrix.cpp).
    int64_t homeBytes() const {
      return int64_t(rows) * 8 * elementBytes + (type == "s32" ? 64 : 0);
    }
  };
  void enterHome(Operation *op, Value home, llvm::ArrayRef<Value> tile,
                 const TileForm &form);
  void leaveHome(Value home, llvm::ArrayRef<Value> tile, const TileForm &form);
  /// Tiles that a loop carries in their homes.
  struct CarriedTiles {
    llvm::ArrayRef<AccumulatorHomes::Carried> tiles;
    llvm::SmallVector<MatrixBuffer, 0> homes;
    llvm::DenseSet<Value> values; ///< arguments and results
  };
  CarriedTiles enterLoop(mlir::scf::WhileOp loop);
  void keepArguments(const CarriedTiles &carried, mlir::ValueRange arguments,
                     bool ofCondition);
  void keepResults(const CarriedTiles &carried, mlir::ValueRange results);
  MatrixBuffer homeFor(Operation *consumer, llvm::ArrayRef<Value> tile,
                       const TileForm &form);
  bool keepHome(const MatrixBuffer &home, llvm::ArrayRef<Value> tile,
                const TileForm &form);
  void enterMatrixScope() { images.emplace_back(); }
  void leaveMatrixScope();
  Value uniformOperand(Value v);
  LogicalResult emitStMatrix(ptx::StMatrixOp op);
  LogicalResult emitMovMatrix(ptx::MovMatrixOp op);
  LogicalResult emitWmmaLoad(ptx::WmmaLoadOp op);
  LogicalResult emitWmmaStore(ptx::WmmaStoreOp op);
  void moveWmma(Operation *op, const ptx::WmmaMove &move, Value address,
                Value stride, Value registers, Value mask, bool isStore);
  void ifActive(Value mask, llvm::function_ref<void()> body);
  llvm::SmallVector<Value, 2> ownLanes();
  Value rowAddresses(Operation *op, Value a, const ptx::MatrixMove &move,
                     Value mask);
  void testRows(const LaneAddress &address, Value a,
                const ptx::MatrixMove &move, Value mask);
  /// Where lanes have their rows of 16 bytes: their addresses in memory, or
  /// (if that is null) at known distances.
  struct MatrixRows {
    Value addresses;
    LaneAddress known;
  };
  llvm::SmallVector<Value> loadRows(const MatrixRows &from, unsigned first,
                                    unsigned count);
  Value unpackRow(Value row, ptx::MatrixMove::Format format);

  // -- Together (CollectiveToVector.cpp)
  LogicalResult emitCollective(Operation &op, bool &handled);
  LogicalResult emitShuffle(ptx::ShflOp op);
  void emitConstantShuffle(ptx::ShflOp op, unsigned amount, unsigned control);
  void emitVariableShuffle(ptx::ShflOp op);
  void setShuffled(ptx::ShflOp op, llvm::ArrayRef<Value> chunks,
                   llvm::ArrayRef<Value> insides);
  LogicalResult emitVote(ptx::VoteOp op);
  LogicalResult emitMatch(ptx::MatchOp op);
  LogicalResult emitRedux(ptx::ReduxOp op);
  LogicalResult emitElect(ptx::ElectOp op);
  LogicalResult emitActivemask(ptx::ActivemaskOp op);
  template <typename BarrierLikeOp> LogicalResult emitBarrier(BarrierLikeOp op);
  Value laneBits(llvm::function_ref<Value(unsigned chunk)> chunkOf);
  Value activeBits(Value mask);
  Value memberBits(Value m);
  Value bitsChunk(Value bits, unsigned c);
  Value exchangeBuffer(unsigned which);
  void storeLanes(Value buffer, unsigned width,
                  llvm::function_ref<Value(unsigned chunk)> chunkOf);
  Value loadLanes(Value buffer, unsigned width, unsigned c);
  Value loadLane(Value buffer, unsigned width, Value index);
  Value lanePlace(Value buffer, unsigned width, mlir::LLVM::GEPArg index);
  Value firstLane(ChunkBuilder &k, Value bits);
  void forEachIndex(llvm::function_ref<void(Value index)> body);
  Value permuteChunk(Value value, const int (&source)[32], unsigned c);
  Value reduceLanes(ptx::ReduxOp op, Value members);
  Value agreed(Value value, Value active);
  /// \param result  i32 if null.
  Value callHelper(size_t offset, llvm::ArrayRef<Value> operands,
                   mlir::Type result = {});
  Value shuffleSource(ChunkBuilder &k, ptx::ShuffleMode mode, Value lane,
                      Value amount, Value minLane, Value outside);
  struct Reduction {
    uint32_t neutral;
    std::function<Value(ChunkBuilder &, Value, Value)> combine;
  };
  static Reduction reductionOf(ptx::ReduxOp op);

  // -- Threads that are strands of their own (CollectiveToThread.cpp)
  /// A PtxjitGathered in memory.
  struct Gathered {
    Packetizer &p;
    Value data;
    Value load(size_t offset, mlir::Type type) const;
    Value present() const;
    Value yes() const;
    Value value(Value index, unsigned width) const;
    Value isPresent(Value index) const;
  };
  bool emitThreadCollective(Operation &op);
  Gathered gather(Operation *op, Value m, Value value);
  Value foldLanes(const Gathered &gathered, Value start,
                  llvm::function_ref<Value(Value lane, Value sum)> step);
  Value laneOfThread();
  void shuffleThread(ptx::ShflOp op);
  void voteThread(ptx::VoteOp op);
  void matchThread(ptx::MatchOp op);
  void reduxThread(ptx::ReduxOp op);
  void electThread(ptx::ElectOp op);

  // -- Calls (CallToVector.cpp)
  mlir::LLVM::LLVMFuncOp declareFunction(ptx::FuncOp callee);
  LogicalResult emitCall(ptx::CallOp op);
  LogicalResult emitExternalCall(ptx::CallOp op, ptx::FuncOp callee);
  LogicalResult emitSystemCall(ptx::CallOp op, PtxjitSystemFunction function);
  void emitFault(uint32_t status, Value lanes, Value address);
  void emitStackTest(Value bytes);
  LogicalResult emitStackOp(Operation &op);
  Value frameAddress(ptx::VarOp var);

  // -- Parts between barriers (Fission.cpp)
  struct FrameSlot {
    int64_t offset = 0; ///< in the frame, of the first warp's
    int64_t bytes = 0;  ///< of one warp's
  };
  LogicalResult emitSplitKernel(mlir::Block &body);
  LogicalResult emitSplitBlock(mlir::Block &block, const FrameCopies &copies);
  LogicalResult emitSplitIf(mlir::scf::IfOp op);
  LogicalResult emitSplitWhile(mlir::scf::WhileOp op);
  mlir::Block *createSplitBlock(mlir::Region &region,
                                llvm::ArrayRef<mlir::Type> types,
                                mlir::ValueRange like);
  LogicalResult emitPart(llvm::ArrayRef<Operation *> ops,
                         const FrameCopies &copies);
  LogicalResult materialize(Value v, llvm::SmallVectorImpl<Value> &made);
  static bool isUsedElsewhere(Value v, const llvm::DenseSet<Operation *> &part,
                              Operation *served);
  void shareSlots(mlir::scf::WhileOp op);
  void shareSlot(Value v, Value owner);
  Value slotOwner(Value v) const;
  void addCopy(Value from, Value to, FrameCopies &copies);
  void flattenLevel(Value v, Value as, llvm::SmallVectorImpl<Value> &flat);
  const FrameSlot &frameSlot(Value v);
  Value framePlace(const FrameSlot &slot, int64_t offset);
  void storeFlat(llvm::ArrayRef<Value> flat, const FrameSlot &slot);
  void loadFromFrame(Value v);
  void enterWarp(Value number);

  // -- Context (Packetize.cpp)
  Value contextField(size_t offset);
  Value loadContext(size_t offset, mlir::Type type);
  mlir::scf::ForOp buildCountedLoop(unsigned count, mlir::ValueRange carried);
  void buildPrologue();

  ptx::FuncOp func;
  const KernelLayout &layout;
  const ShapeAnalysis &shapes;
  const CtaLevel *levels;
  ChunkTarget target;
  const EmitterTable &emitters;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::DenseMap<Value, Packed> values;
  bool inRareCode = false; ///< see chunkAnew

  // Set by the prologue; i64 unless said.
  Value context; ///< pointer
  Value paramsBase, sharedBase, localBase, globalsTable;
  /// What `.shared` addresses count from: the cluster's memory, or the CTA's.
  Value sharedWindow;
  Value rankBits;                   ///< of shared addresses, or null: 0
  Value ctaid[3], nctaid[3];        ///< i32
  Value strand;                     ///< i32: number of the warp (or thread)
  Value linear;                     ///< i32: its first thread
  llvm::SmallVector<Value> formals; ///< of a function: addresses of all
  llvm::StringMap<Value> stackVariables; ///< perThread: their addresses
  Value exchangeBuffers[3];              ///< pointers; null until needed
  Value zeros;                           ///< pointer to 16 bytes, or null
  TestedAddresses tested;
  llvm::SmallVector<MatrixBuffer> freeBuffers;
  /// Null where parts of a kernel have stacks of their own.
  std::optional<AccumulatorHomes> homes;
  llvm::DenseMap<Value, MatrixBuffer> homeOf; ///< by a tile's first value
  llvm::DenseMap<Value, StoredRegister> stored;
  /// By block, from the outermost in.
  llvm::SmallVector<llvm::SmallVector<MatrixImage>> images;
  Value localArena; ///< where the first warp's local memory begins
  Value frame;      ///< pointer: values between parts
  /// The ops of the part that is emitted; null where nothing is split.
  const llvm::DenseSet<mlir::Operation *> *part = nullptr;
  int64_t frameBytes = 0;
  llvm::DenseMap<Value, FrameSlot> frameSlots;
  llvm::DenseMap<Value, Value> sharedSlots; ///< see shareSlot
};

} // namespace ptxjit

#endif

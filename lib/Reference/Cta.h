//===- Cta.h - the threads of one CTA, as the oracle runs them --*- C++ -*-===//

#ifndef PTXJIT_LIB_REFERENCE_CTA_H
#define PTXJIT_LIB_REFERENCE_CTA_H

#include "Evaluate.h"
#include "ptxjit/Reference/Interpreter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <array>
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

struct Position {
  Block *block = nullptr;
  Block::iterator at;
};

struct Thread {
  enum State { Running, Waiting, Done } state = Running;
  unsigned linear = 0; ///< in the CTA
  std::vector<Bits> values;
  Position pc;
  /// Where to go on behind a guard's body.
  llvm::SmallVector<Position, 1> returns;
  std::vector<uint8_t> local;
  /// While waiting: the op, and its inputs.
  Operation *waitsAt = nullptr;
  llvm::SmallVector<Bits, 4> waitInputs;
};

class Cta {
public:
  Cta(FuncOp func, const PtxjitReferenceLaunch &launch,
      const llvm::DenseMap<Value, unsigned> &numbers,
      const llvm::StringMap<int64_t> &places, int64_t sharedEnd,
      int64_t localBytes, std::mt19937_64 &random)
      : func(func), launch(launch), numbers(numbers), places(places),
        sharedEnd(sharedEnd), localBytes(localBytes), random(random) {}

  void start(const uint32_t (&ctaid)[3]);
  mlir::FailureOr<bool> runRound();

private:
  unsigned threadsPerCta() const {
    return launch.block[0] * launch.block[1] * launch.block[2];
  }
  LogicalResult runThread(Thread &t);
  LogicalResult step(Thread &t, Operation &op);
  LogicalResult memory(Thread &t, Operation &op);
  LogicalResult wait(Thread &t, Operation &op);
  void branch(Thread &t, Block *to) { t.pc = {to, to->begin()}; }
  bool resolveWarps();
  bool resolveWarp(unsigned warp);
  void shuffle(Thread &t, llvm::ArrayRef<Thread *> members);
  void vote(Thread &t, VoteOp op, llvm::ArrayRef<Thread *> members);
  void match(Thread &t, MatchOp op, llvm::ArrayRef<Thread *> members);
  void redux(Thread &t, ReduxOp op, llvm::ArrayRef<Thread *> members);
  void arriveAtBarrier(Thread &t);
  bool resolveBarriers();
  Bits specialRegister(Thread &t, SpecialRegister reg);
  uint64_t resolveAddress(Thread &t, Bits address, unsigned width,
                          std::optional<Space> space, int64_t offset);
  uint64_t windowOf(Thread &t, Space space);
  Bits get(Thread &t, Value v) { return t.values[numbers.lookup(v)]; }
  void set(Thread &t, Value v, Bits bits) {
    t.values[numbers.lookup(v)] = bits;
  }

  FuncOp func;
  const PtxjitReferenceLaunch &launch;
  const llvm::DenseMap<Value, unsigned> &numbers;
  const llvm::StringMap<int64_t> &places;
  int64_t sharedEnd, localBytes;
  std::mt19937_64 &random;
  uint32_t id[3] = {0, 0, 0};
  std::vector<uint8_t> shared;
  std::vector<Thread> threads;
  std::vector<unsigned> order; ///< in which they get their turns
  /// What threads that did not wait have left.
  struct Barrier {
    std::array<unsigned, 32> arrivals{}; ///< threads, by warp
    unsigned wanted = 0;
  };
  std::array<Barrier, 16> barriers;
};

/// Does `op` wait for other threads of its warp?
bool isWarpCollective(Operation *op);

} // namespace ptxjit::reference

#endif

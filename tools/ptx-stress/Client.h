//===- Client.h - what one thread has ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXSTRESS_CLIENT_H
#define PTXJIT_TOOLS_PTXSTRESS_CLIENT_H

#include "World.h"

#include <atomic>
#include <random>
#include <vector>

namespace stress {

constexpr unsigned kWords = 512; ///< of a buffer
constexpr size_t kBytes = kWords * sizeof(unsigned);

/// What a buffer holds: word i is first + i * step.
struct Content {
  unsigned first = 0, step = 0;
  unsigned at(unsigned i) const { return first + i * step; }
  unsigned sum() const {
    return kWords * first + kWords * (kWords - 1) / 2 * step;
  }
};

struct MemoryKind;

/// An instance of a graph that adds to a buffer.
struct Instance {
  CUgraphExec exec = nullptr;
  unsigned kernels = 0;
  unsigned added = 0; ///< by each launch
};

struct Buffer {
  CUdeviceptr memory = 0;
  const MemoryKind *kind = nullptr;
  unsigned device = 0;
  Stream stream;     ///< orders all work on the buffer
  Content content;   ///< after that work
  Instance instance; ///< if any
  // What some kinds of memory need to be freed.
  CUmemoryPool pool = nullptr;
  CUmemGenericAllocationHandle handle = 0;
  size_t mapped = 0; ///< bytes
  std::vector<unsigned> words;

  /// Is the memory allocated and freed in the order of a stream?
  bool isPooled() const;
};

struct OwnEvent {
  CUevent handle = nullptr;
  unsigned device = 0;
};

struct OwnModule {
  CUmodule handle = nullptr;
  unsigned device = 0;
  unsigned calls = 0; ///< of its kernel
};

/// A thread, with streams, buffers and other objects of its own. What it calls
/// depends on the seed and its number alone.
class Client {
public:
  Client(World &world, unsigned number);
  /// Makes calls until the run ends, then frees everything.
  void run();

  /// A random number below `n`.
  unsigned pick(unsigned n) { return unsigned(random() % n); }
  unsigned pickValue() { return unsigned(random()); }
  /// A stream of this thread or one that all share.
  Stream pickStream();
  /// One that only this thread uses, so that it may be captured or destroyed.
  Stream &pickOwnStream() { return own[pick(unsigned(own.size()))]; }
  /// Null if there is none.
  Buffer *pickBuffer();
  /// Makes the context of the stream's device current.
  void use(const Stream &stream) { world.makeCurrent(stream.device); }

  Stream makeStream(unsigned device);
  /// Makes `later` wait for the work that `earlier` has now.
  void order(const Stream &earlier, const Stream &later);
  /// Launches a kernel, by one of the ways there are.
  void launch(Kernel kernel, unsigned grid, unsigned block,
              const Stream &stream, std::vector<void *> params);
  /// Fails unless the buffer holds what it should. Waits for its work.
  void verify(Buffer &buffer);
  /// Runs copy(stream), which copies `from` to `to`, in the stream of `to`.
  template <typename Copy>
  void copyInOrder(Buffer &from, Buffer &to, Copy copy) {
    order(from.stream, to.stream);
    copy(to.stream.handle);
    order(to.stream, from.stream);
    to.content = from.content;
  }
  /// Frees its memory and its graph.
  void release(Buffer &buffer);

  World &world;
  const unsigned number;
  std::vector<Stream> own;
  std::vector<Buffer> buffers;
  std::vector<OwnEvent> events;
  std::vector<OwnModule> modules;
  /// Functions of the host that streams were told to call, and have called.
  unsigned long hostCalls = 0;
  std::atomic<unsigned long> hostCallsMade{0};
  /// Where the thread is, for whoever waits for it.
  std::atomic<unsigned long> steps{0};
  std::atomic<const char *> operation{"set up"};

private:
  void begin();
  void step();
  void end();

  std::mt19937 random;
  std::discrete_distribution<size_t> operations;
};

/// A call, or several that belong together, and how often they are made.
struct OperationKind {
  const char *name;
  unsigned weight;
  void (*function)(Client &client);
  /// By all threads. Operations that lack an object return at once, and count.
  std::atomic<unsigned long> made{0};
};

#define OPERATION(name, weight) void name(Client &client);
#include "Operations.def"
#undef OPERATION

/// All operations.
extern OperationKind operationKinds[];
extern const size_t numOperationKinds;

} // namespace stress

#endif

//===- ExternalSemaphores.cpp - semaphores from a file descriptor ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a GPU a graphics interface hands these over. Here they are objects of the
// kernel, which any two programs can share:
//
// - An opaque file descriptor is an eventfd. A signal adds 1, and a wait takes
//   what is there.
// - A timeline is a file that can be mapped, such as a memfd. Its first eight
//   bytes are the value. A signal stores the value, and wakes who waits for the
//   first four bytes as a futex. A wait ends when the value is large enough,
//   also if who stored it woke nobody.
//
//===----------------------------------------------------------------------===//

#include "GraphNodeKinds.h"

#include <cerrno>
#include <climits>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Objects of the kernel
//===----------------------------------------------------------------------===//

namespace {
class Semaphore {
public:
  virtual ~Semaphore() = default;
  virtual void signal(uint64_t value) = 0;
  /// Waits for some time. \returns whether the wait is over.
  virtual bool tryWait(uint64_t value) = 0;
};

class BinarySemaphore : public Semaphore {
public:
  explicit BinarySemaphore(int file) : file(file) {}
  ~BinarySemaphore() override { close(file); }
  void signal(uint64_t) override {
    uint64_t one = 1; // a counter that is full is signaled as well
    (void)!write(file, &one, sizeof(one));
  }
  bool tryWait(uint64_t) override {
    pollfd wanted{file, POLLIN, 0};
    if (poll(&wanted, 1, 10) <= 0)
      return false;
    uint64_t taken;
    iovec place{&taken, sizeof(taken)};
    // Another waiter may have been faster. O_NONBLOCK would hold for all that
    // have the file.
    ssize_t bytes = preadv2(file, &place, 1, -1, RWF_NOWAIT);
    // Where the system cannot try, such a waiter waits here.
    if (bytes < 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
      bytes = read(file, &taken, sizeof(taken));
    return bytes == sizeof(taken);
  }

private:
  int file;
};

class Timeline : public Semaphore {
public:
  explicit Timeline(uint64_t *value) : value(value) {}
  ~Timeline() override { munmap(value, sizeof(*value)); }
  void signal(uint64_t wanted) override {
    __atomic_store_n(value, wanted, __ATOMIC_RELEASE);
    syscall(SYS_futex, value, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  bool tryWait(uint64_t wanted) override {
    uint64_t seen = __atomic_load_n(value, __ATOMIC_ACQUIRE);
    if (seen >= wanted)
      return true;
    timespec patience{0, 1000000}; // not all wake us
    syscall(SYS_futex, value, FUTEX_WAIT, uint32_t(seen), &patience, nullptr,
            0);
    return __atomic_load_n(value, __ATOMIC_ACQUIRE) >= wanted;
  }

private:
  uint64_t *value;
};

using SemaphoreRef = std::shared_ptr<Semaphore>;
} // namespace

/// A handle. Operations keep the semaphore alive.
struct cuda::ExternalSemaphore {
  SemaphoreRef semaphore;
};

static bool isEventFd(int file) {
  char target[64] = {};
  std::string link = "/proc/self/fd/" + std::to_string(file);
  return readlink(link.c_str(), target, sizeof(target) - 1) > 0 &&
         std::string(target) == "anon_inode:[eventfd]";
}

/// Null if the file is no timeline. Else it is closed.
static SemaphoreRef openTimeline(int file) {
  struct stat state;
  if (fstat(file, &state) || !S_ISREG(state.st_mode) || state.st_size < 8)
    return nullptr;
  void *value = mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (value == MAP_FAILED)
    return nullptr;
  close(file);
  return std::make_shared<Timeline>(static_cast<uint64_t *>(value));
}

/// The file descriptor becomes ours if the call succeeds.
PTXJIT_CUDA_API(cuImportExternalSemaphore,
                (CUexternalSemaphore * out,
                 const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc),
                out, desc) {
  Context *context;
  SemaphoreRef semaphore;
  if (CUresult error = enter(context))
    return error;
  if (!out || !desc || desc->flags || desc->type < 1 ||
      desc->type > CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32)
    return CUDA_ERROR_INVALID_VALUE;
  int file = desc->handle.fd;
  if (desc->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD) {
    if (isEventFd(file))
      semaphore = std::make_shared<BinarySemaphore>(file);
  } else if (desc->type ==
             CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD) {
    semaphore = openTimeline(file);
  } else {
    log(LogKind::Error, "cuImportExternalSemaphore: handles of type " +
                            std::to_string(desc->type) +
                            " are not supported: only file descriptors are, "
                            "of eventfds and of timelines in memory");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!semaphore)
    return CUDA_ERROR_INVALID_HANDLE;
  *out = reinterpret_cast<CUexternalSemaphore>(
      getState().externalSemaphores.add(std::make_unique<ExternalSemaphore>(
          ExternalSemaphore{std::move(semaphore)})));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDestroyExternalSemaphore, (CUexternalSemaphore handle),
                handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  return getState().externalSemaphores.remove(handle)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

//===----------------------------------------------------------------------===//
// Signals and waits
//===----------------------------------------------------------------------===//

namespace {
/// Signals semaphores, or waits for them, one after the other.
struct SemaphoreOperation : Operation {
  CUgraphNodeType kind;
  std::vector<CUexternalSemaphore> handles; ///< as the program gave them
  std::vector<CUDA_EXTERNAL_SEMAPHORE_PARAMS> params;
  std::vector<SemaphoreRef> semaphores;

  explicit SemaphoreOperation(CUgraphNodeType kind) : kind(kind) {}
  CUgraphNodeType type() const override { return kind; }
  bool isShort() const override {
    return kind == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
  }
  /// A wait ends early when a kernel of the context has failed.
  void run(Context &context) const override {
    for (size_t i = 0; i < semaphores.size(); ++i)
      if (kind == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL)
        semaphores[i]->signal(params[i].value);
      else
        while (!semaphores[i]->tryWait(params[i].value) && !context.stickyError)
          ;
  }
};
} // namespace

static CUresult makeOperation(CUgraphNodeType kind,
                              const CUDA_EXT_SEM_NODE_PARAMS &given,
                              OperationRef &operation) {
  if (!given.extSemArray || !given.paramsArray || !given.numExtSems)
    return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<SemaphoreOperation>(kind);
  for (unsigned i = 0; i < given.numExtSems; ++i) {
    CUexternalSemaphore handle = given.extSemArray[i];
    if (!getState().externalSemaphores.contains(handle))
      return CUDA_ERROR_INVALID_HANDLE;
    made->handles.push_back(handle);
    made->params.push_back(given.paramsArray[i]);
    made->semaphores.push_back(
        reinterpret_cast<ExternalSemaphore *>(handle)->semaphore);
  }
  operation = std::move(made);
  return CUDA_SUCCESS;
}

static CUresult submit(CUgraphNodeType kind,
                       const CUDA_EXT_SEM_NODE_PARAMS &given, CUstream handle) {
  Context *context;
  StreamObject *stream;
  OperationRef operation;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (CUresult error = makeOperation(kind, given, operation))
    return error;
  return enqueue(*context, *stream, std::move(operation));
}

PTXJIT_CUDA_STREAM_API(cuSignalExternalSemaphoresAsync, _ptsz,
                       (const CUexternalSemaphore *semaphores,
                        const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params,
                        unsigned count, CUstream stream),
                       semaphores, params, count, stream) {
  return submit(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
                {const_cast<CUexternalSemaphore *>(semaphores), params, count},
                stream);
}
PTXJIT_CUDA_STREAM_API(cuWaitExternalSemaphoresAsync, _ptsz,
                       (const CUexternalSemaphore *semaphores,
                        const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params,
                        unsigned count, CUstream stream),
                       semaphores, params, count, stream) {
  return submit(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
                {const_cast<CUexternalSemaphore *>(semaphores), params, count},
                stream);
}

//===----------------------------------------------------------------------===//
// Nodes of graphs
//===----------------------------------------------------------------------===//

/// What is read belongs to the node; valid until its parameters change.
static void readOperation(const Operation &operation,
                          CUDA_EXT_SEM_NODE_PARAMS &value) {
  const auto &made = static_cast<const SemaphoreOperation &>(operation);
  value.extSemArray = const_cast<CUexternalSemaphore *>(made.handles.data());
  value.paramsArray = made.params.data();
  value.numExtSems = unsigned(made.handles.size());
}

CUresult SignalNode::make(const Value &value, OperationRef &operation) {
  return makeOperation(kType, value, operation);
}
void SignalNode::read(const Operation &operation, Value &value) {
  readOperation(operation, value);
}
CUresult SemaphoreWaitNode::make(const Value &value, OperationRef &operation) {
  return makeOperation(kType, value, operation);
}
void SemaphoreWaitNode::read(const Operation &operation, Value &value) {
  readOperation(operation, value);
}

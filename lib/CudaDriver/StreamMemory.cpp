//===- StreamMemory.cpp - streams that write and wait for values ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphNodeKinds.h"

#include <chrono>
#include <cstring>
#include <thread>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {

bool isWide(CUstreamBatchMemOpType type) {
  return type == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
         type == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

/// Does the value in memory meet the condition of a wait?
template <typename T, typename Signed>
bool isMet(CUdeviceptr address, uint64_t wanted, unsigned condition) {
  T have = __atomic_load_n(reinterpret_cast<T *>(address), __ATOMIC_ACQUIRE);
  T value = T(wanted);
  switch (condition) {
  case CU_STREAM_WAIT_VALUE_GEQ: // wraps around, as counters do
    return Signed(T(have - value)) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ:
    return have == value;
  case CU_STREAM_WAIT_VALUE_AND:
    return (have & value) != 0;
  default: // CU_STREAM_WAIT_VALUE_NOR
    return T(~(have | value)) != 0;
  }
}

/// Operations on memory that a stream does one after another.
struct BatchOperation : Operation {
  std::vector<CUstreamBatchMemOpParams> steps;
  CUgraphNodeType type() const override {
    return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  }
  void run(Context &context) const override {
    for (const CUstreamBatchMemOpParams &step : steps)
      run(step, context);
  }

private:
  static void run(const CUstreamBatchMemOpParams &step, Context &context) {
    switch (step.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return wait(step, context);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      __atomic_store_n(reinterpret_cast<uint32_t *>(step.writeValue.address),
                       uint32_t(step.writeValue.value64), __ATOMIC_RELEASE);
      return;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      __atomic_store_n(reinterpret_cast<uint64_t *>(step.writeValue.address),
                       step.writeValue.value64, __ATOMIC_RELEASE);
      return;
    default: // barriers and flushes
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
  }

  /// Returns when the condition holds, or when a kernel of the context has
  /// failed.
  static void wait(const CUstreamBatchMemOpParams &step, Context &context) {
    const auto &wanted = step.waitValue;
    unsigned condition = wanted.flags & ~unsigned(CU_STREAM_WAIT_VALUE_FLUSH);
    auto met = [&] {
      return isWide(step.operation)
                 ? isMet<uint64_t, int64_t>(wanted.address, wanted.value64,
                                            condition)
                 : isMet<uint32_t, int32_t>(wanted.address, wanted.value64,
                                            condition);
    };
    for (unsigned tries = 0; !met() && !context.stickyError; ++tries) {
      if (tries < 1000)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
};

bool isValid(const CUstreamBatchMemOpParams &step) {
  auto names = [&](CUdeviceptr address) {
    size_t bytes = isWide(step.operation) ? 8 : 4;
    return address % bytes == 0 && findPlace(address, bytes) == Place::Inside;
  };
  switch (step.operation) {
  case CU_STREAM_MEM_OP_WAIT_VALUE_32:
  case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    return (step.waitValue.flags & ~unsigned(CU_STREAM_WAIT_VALUE_FLUSH)) <=
               CU_STREAM_WAIT_VALUE_NOR &&
           names(step.waitValue.address);
  case CU_STREAM_MEM_OP_WRITE_VALUE_32:
  case CU_STREAM_MEM_OP_WRITE_VALUE_64:
    return step.writeValue.flags <= CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER &&
           names(step.writeValue.address);
  case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
    return step.memoryBarrier.flags == 0;
  case CU_STREAM_MEM_OP_BARRIER:
    return step.memoryBarrier.flags <= 1; // system or device scope
  }
  return false;
}

CUresult makeBatch(unsigned count, const CUstreamBatchMemOpParams *steps,
                   unsigned flags, OperationRef &operation) {
  constexpr unsigned kMost = 256; // limit of cuda.h
  if (!steps || !count || count > kMost || flags)
    return CUDA_ERROR_INVALID_VALUE;
  auto batch = std::make_shared<BatchOperation>();
  for (unsigned i = 0; i < count; ++i) {
    if (!isValid(steps[i]))
      return CUDA_ERROR_INVALID_VALUE;
    batch->steps.push_back(steps[i]);
  }
  operation = std::move(batch);
  return CUDA_SUCCESS;
}

CUresult submit(CUstream handle, unsigned count,
                const CUstreamBatchMemOpParams *steps, unsigned flags) {
  Context *context;
  StreamObject *stream;
  OperationRef operation;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (CUresult error = makeBatch(count, steps, flags, operation))
    return error;
  return enqueue(*context, *stream, std::move(operation));
}

/// Submits one step. The parameters of waits and writes have the same members.
CUresult submit(CUstream handle, CUstreamBatchMemOpType type,
                CUdeviceptr address, uint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams step{};
  step.operation = type;
  step.waitValue.address = address;
  step.waitValue.value64 = value;
  step.waitValue.flags = flags;
  return submit(handle, 1, &step, 0);
}

} // namespace

PTXJIT_CUDA_STREAM_API(cuStreamWaitValue32_v2, _ptsz,
                       (CUstream stream, CUdeviceptr address, uint32_t value,
                        unsigned flags),
                       stream, address, value, flags) {
  return submit(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, address, value, flags);
}
PTXJIT_CUDA_STREAM_API(cuStreamWaitValue64_v2, _ptsz,
                       (CUstream stream, CUdeviceptr address, uint64_t value,
                        unsigned flags),
                       stream, address, value, flags) {
  return submit(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, address, value, flags);
}
PTXJIT_CUDA_STREAM_API(cuStreamWriteValue32_v2, _ptsz,
                       (CUstream stream, CUdeviceptr address, uint32_t value,
                        unsigned flags),
                       stream, address, value, flags) {
  return submit(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, address, value, flags);
}
PTXJIT_CUDA_STREAM_API(cuStreamWriteValue64_v2, _ptsz,
                       (CUstream stream, CUdeviceptr address, uint64_t value,
                        unsigned flags),
                       stream, address, value, flags) {
  return submit(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, address, value, flags);
}
PTXJIT_CUDA_STREAM_API(cuStreamBatchMemOp_v2, _ptsz,
                       (CUstream stream, unsigned count,
                        CUstreamBatchMemOpParams *steps, unsigned flags),
                       stream, count, steps, flags) {
  return submit(stream, count, steps, flags);
}

//===----------------------------------------------------------------------===//
// Nodes of graphs
//===----------------------------------------------------------------------===//

CUresult BatchNode::make(const Value &value, OperationRef &operation) {
  return makeBatch(value.count, value.paramArray, value.flags, operation);
}
void BatchNode::read(const Operation &operation, Value &value) {
  const auto &batch = static_cast<const BatchOperation &>(operation);
  value = {};
  value.count = unsigned(batch.steps.size());
  // Belongs to the node; valid until its parameters change.
  value.paramArray = const_cast<CUstreamBatchMemOpParams *>(batch.steps.data());
}

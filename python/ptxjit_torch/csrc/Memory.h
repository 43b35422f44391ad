//===- Memory.h - device memory for CPU kernels' results --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a CPU kernel runs for a CUDA operator, the thread's CPU tensors are
// allocated by torch's caching allocator for CUDA. Device memory is memory of
// the host, so the kernel may use it, and its results become CUDA tensors
// without a copy.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Storage.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <mutex>
#include <unordered_set>

namespace ptxjit::torch_plugin {

/// torch's caching allocator for the memory of the current device.
inline c10::Allocator *cudaAllocator() {
  return c10::GetAllocator(c10::DeviceType::CUDA);
}

/// Takes the place of torch's allocator for CPU tensors, for the whole process.
class HostAllocator final : public c10::Allocator {
public:
  /// Is this thread in a CPU kernel that runs for a CUDA operator?
  static bool &isInKernel() {
    static thread_local bool inKernel = false;
    return inKernel;
  }

  static HostAllocator *get() {
    // Tensors of the process refer to it until the very end.
    static HostAllocator *instance = new HostAllocator;
    return instance;
  }

  c10::DataPtr allocate(size_t size) override {
    if (!isInKernel())
      return fallback->allocate(size);
    c10::DataPtr data = cudaAllocator()->allocate(size);
    void *address = data.release_context();
    if (address) {
      std::lock_guard<std::mutex> lock(mutex);
      blocks.insert(address);
    }
    return {address, address, release, c10::kCPU};
  }

  /// For memory without a DataPtr, as oneDNN's.
  c10::DeleterFnPtr raw_deleter() const override { return release; }

  void copy_data(void *to, const void *from, size_t size) const override {
    default_copy_data(to, from, size);
  }

  /// Is this a block of device memory? If so, it is the caller's from now on.
  bool disown(void *address) {
    std::lock_guard<std::mutex> lock(mutex);
    return blocks.erase(address);
  }

private:
  HostAllocator() : fallback(c10::GetAllocator(c10::kCPU)) {
    c10::SetAllocator(c10::kCPU, this, /*priority=*/255);
  }

  static void release(void *address) {
    HostAllocator *self = get();
    bool isOurs = self->disown(address);
    (isOurs ? cudaAllocator() : self->fallback)->raw_deleter()(address);
  }

  c10::Allocator *fallback;
  std::mutex mutex;
  std::unordered_set<void *> blocks;
};

/// Makes the tensors that this thread allocates device memory.
class InKernel {
public:
  InKernel() : before(HostAllocator::isInKernel()) {
    HostAllocator::isInKernel() = true;
  }
  ~InKernel() { HostAllocator::isInKernel() = before; }
  InKernel(const InKernel &) = delete;
  InKernel &operator=(const InKernel &) = delete;

private:
  bool before;
};

/// Takes the memory of the storage of a CPU tensor as that of a CUDA tensor.
/// The CPU tensor keeps the address. Memory that a kernel has from elsewhere is
/// copied.
inline c10::DataPtr takeMemory(c10::StorageImpl *storage, c10::Device device) {
  size_t size = storage->nbytes();
  void *address = storage->mutable_data();
  if (!address)
    return {nullptr, device};
  if (storage->data_ptr().get_context() == address &&
      HostAllocator::get()->disown(address)) {
    storage->set_data_ptr(c10::DataPtr(address, c10::kCPU)).release_context();
    return {address, address, cudaAllocator()->raw_deleter(), device};
  }
  c10::DataPtr copy = cudaAllocator()->allocate(size);
  std::memcpy(copy.get(), address, size);
  return copy;
}

/// A storage on a CUDA device with this memory.
inline c10::intrusive_ptr<c10::StorageImpl> makeStorage(c10::DataPtr memory,
                                                        size_t size) {
  return c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), size, std::move(memory),
      cudaAllocator(), /*resizable=*/true);
}

} // namespace ptxjit::torch_plugin

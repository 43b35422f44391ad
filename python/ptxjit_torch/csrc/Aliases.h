//===- Aliases.h - CPU tensors with CUDA tensors' memory --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a CUDA operator as a CPU kernel takes them, and its results
// as the caller expects them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Memory.h"

#include <ATen/ATen.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseCsrTensorUtils.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/native/SparseTensorUtils.h>

namespace ptxjit::torch_plugin {

/// The aliases of one call.
class Aliases {
public:
  explicit Aliases(c10::Device device) : device(device) {}

  /// A CPU tensor with the memory, the sizes and the strides of a CUDA tensor.
  /// Other tensors are returned as they are.
  at::Tensor toHost(const at::Tensor &tensor) {
    if (!tensor.defined() || !tensor.is_cuda())
      return tensor;
    at::Tensor alias;
    if (tensor.layout() == c10::kSparse)
      alias = toHostSparse(tensor);
    else if (at::sparse_csr::is_sparse_compressed(tensor))
      alias = toHostCompressed(tensor);
    else
      alias = toHostStrided(tensor);
    pairs.emplace_back(tensor, alias);
    return alias;
  }

  /// The CUDA tensor for a result of the kernel. An alias gives its own tensor,
  /// a view of an alias a view of that.
  at::Tensor toDevice(const at::Tensor &result) {
    if (!result.defined() || !result.is_cpu())
      return result;
    for (const auto &[tensor, alias] : pairs)
      if (alias.is_same(result))
        return tensor;
    if (result.layout() == c10::kSparse)
      return toDeviceSparse(result);
    if (at::sparse_csr::is_sparse_compressed(result))
      return toDeviceCompressed(result);
    return toDeviceStrided(result);
  }

  /// Gives a tensor that the kernel has written the sizes and the memory that
  /// its alias has now.
  void update(const at::Tensor &tensor) {
    for (const auto &[original, alias] : pairs) {
      if (!original.is_same(tensor))
        continue;
      if (tensor.layout() == c10::kSparse)
        updateSparse(tensor, alias);
      else if (at::sparse_csr::is_sparse_compressed(tensor))
        updateCompressed(tensor, alias);
      else
        updateStrided(tensor, alias);
      return;
    }
  }

private:
  using StoragePtr = c10::intrusive_ptr<c10::StorageImpl>;

  //===--- Strided tensors ------------------------------------------------===//

  at::Tensor toHostStrided(const at::Tensor &tensor) {
    at::Tensor alias = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(hostStorage(tensor.storage())),
        c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
    copyShape(tensor, alias);
    return alias;
  }

  at::Tensor toDeviceStrided(const at::Tensor &result) {
    at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(deviceStorage(result.storage())),
        c10::DispatchKeySet(c10::DispatchKey::CUDA), result.dtype());
    copyShape(result, tensor);
    return tensor;
  }

  void updateStrided(const at::Tensor &tensor, const at::Tensor &alias) {
    c10::StorageImpl *mine = tensor.storage().unsafeGetStorageImpl();
    c10::StorageImpl *theirs = alias.storage().unsafeGetStorageImpl();
    if (mine->data() != theirs->data()) {
      mine->set_data_ptr_noswap(takeMemory(theirs, device));
      mine->set_nbytes(theirs->nbytes());
    }
    if (tensor.sizes() != alias.sizes() ||
        tensor.strides() != alias.strides() ||
        tensor.storage_offset() != alias.storage_offset())
      tensor.unsafeGetTensorImpl()->set_sizes_and_strides(
          alias.sizes(), alias.strides(), alias.storage_offset());
    // Some operators write the conjugate, and mark it as that.
    if (tensor.is_conj() != alias.is_conj())
      tensor._set_conj(alias.is_conj());
    if (tensor.is_neg() != alias.is_neg())
      tensor._set_neg(alias.is_neg());
  }

  static void copyShape(const at::Tensor &from, const at::Tensor &to) {
    c10::TensorImpl *impl = to.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(from.sizes(), from.strides(),
                                from.storage_offset());
    if (from.is_conj())
      to._set_conj(true);
    if (from.is_neg())
      to._set_neg(true);
    if (from.unsafeGetTensorImpl()->is_wrapped_number())
      impl->set_wrapped_number(true);
  }

  /// The storage of the aliases of tensors that have this storage.
  StoragePtr hostStorage(const c10::Storage &storage) {
    c10::StorageImpl *impl = storage.unsafeGetStorageImpl();
    for (const auto &[original, alias] : storages)
      if (original.get() == impl)
        return alias;
    StoragePtr alias = c10::make_intrusive<c10::StorageImpl>(
        c10::StorageImpl::use_byte_size_t(), impl->nbytes(),
        c10::DataPtr(impl->mutable_data(), c10::kCPU), HostAllocator::get(),
        impl->resizable());
    storages.emplace_back(keep(storage), alias);
    return alias;
  }

  /// The storage of CUDA tensors for results that have this storage.
  StoragePtr deviceStorage(const c10::Storage &storage) {
    c10::StorageImpl *impl = storage.unsafeGetStorageImpl();
    for (const auto &[original, alias] : storages)
      if (alias.get() == impl)
        return original;
    StoragePtr made = makeStorage(takeMemory(impl, device), impl->nbytes());
    storages.emplace_back(made, keep(storage));
    return made;
  }

  static StoragePtr keep(const c10::Storage &storage) {
    return StoragePtr::reclaim_copy(storage.unsafeGetStorageImpl());
  }

  //===--- Sparse tensors -------------------------------------------------===//

  at::Tensor toHostSparse(const at::Tensor &tensor) {
    auto *impl = at::sparse::get_sparse_impl(tensor);
    return at::_sparse_coo_tensor_unsafe(
        toHost(impl->indices()), toHost(impl->values()), tensor.sizes(),
        tensor.options().device(c10::kCPU), impl->coalesced());
  }

  at::Tensor toDeviceSparse(const at::Tensor &result) {
    auto *impl = at::sparse::get_sparse_impl(result);
    return at::_sparse_coo_tensor_unsafe(
        toDevice(impl->indices()), toDevice(impl->values()), result.sizes(),
        result.options().device(device), impl->coalesced());
  }

  void updateSparse(const at::Tensor &tensor, const at::Tensor &alias) {
    auto *mine = at::sparse::get_sparse_impl(tensor);
    auto *theirs = at::sparse::get_sparse_impl(alias);
    at::Tensor indices = toDevice(theirs->indices());
    at::Tensor values = toDevice(theirs->values());
    mine->raw_resize_(theirs->sparse_dim(), theirs->dense_dim(), alias.sizes());
    mine->set_indices_and_values_unsafe(indices, values);
    mine->set_coalesced(theirs->coalesced());
  }

  at::Tensor toHostCompressed(const at::Tensor &tensor) {
    auto [compressed, plain] =
        at::sparse_csr::getCompressedPlainIndices(tensor);
    return at::_sparse_compressed_tensor_unsafe(
        toHost(compressed), toHost(plain),
        toHost(at::sparse_csr::get_sparse_csr_impl(tensor)->values()),
        tensor.sizes(), tensor.options().device(c10::kCPU));
  }

  at::Tensor toDeviceCompressed(const at::Tensor &result) {
    auto [compressed, plain] =
        at::sparse_csr::getCompressedPlainIndices(result);
    return at::_sparse_compressed_tensor_unsafe(
        toDevice(compressed), toDevice(plain),
        toDevice(at::sparse_csr::get_sparse_csr_impl(result)->values()),
        result.sizes(), result.options().device(device));
  }

  void updateCompressed(const at::Tensor &tensor, const at::Tensor &alias) {
    auto [compressed, plain] = at::sparse_csr::getCompressedPlainIndices(alias);
    at::sparse_csr::get_sparse_csr_impl(tensor)->set_member_tensors(
        toDevice(compressed), toDevice(plain),
        toDevice(at::sparse_csr::get_sparse_csr_impl(alias)->values()),
        alias.sizes());
  }

  c10::Device device;
  /// CUDA tensors with their aliases, and their storages in the same way.
  c10::SmallVector<std::pair<at::Tensor, at::Tensor>, 8> pairs;
  c10::SmallVector<std::pair<StoragePtr, StoragePtr>, 8> storages;
};

} // namespace ptxjit::torch_plugin

//===- Peers.cpp - access to the memory of other devices ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All memory is the host's, so each device can use that of the others. Whether
// a program has enabled it is only remembered, for the errors of later calls:
// kernels that use memory of a device that is no peer do not fault.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <set>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
/// The enabled accesses: the numbers of a context and of its peer. Numbers are
/// never used again, so contexts that are gone do no harm.
struct Peers {
  std::mutex mutex;
  std::set<std::pair<uint64_t, uint64_t>> enabled;
};
} // namespace

static Peers &getPeers() {
  static Peers *peers = new Peers;
  return *peers;
}

/// Finds the context behind a handle, and the current one.
static CUresult enterPeers(CUcontext handle, Context *&context,
                           Context *&peer) {
  if (CUresult error = enter(context))
    return error;
  peer = reinterpret_cast<Context *>(handle);
  return getState().contexts.contains(peer) && peer != context
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_CONTEXT;
}

PTXJIT_CUDA_API(cuCtxEnablePeerAccess, (CUcontext handle, unsigned flags),
                handle, flags) {
  Context *context, *peer;
  if (CUresult error = enterPeers(handle, context, peer))
    return error;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (peer->device == context->device)
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  Peers &peers = getPeers();
  std::lock_guard<std::mutex> lock(peers.mutex);
  return peers.enabled.insert({context->id, peer->id}).second
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

PTXJIT_CUDA_API(cuCtxDisablePeerAccess, (CUcontext handle), handle) {
  Context *context, *peer;
  if (CUresult error = enterPeers(handle, context, peer))
    return error;
  Peers &peers = getPeers();
  std::lock_guard<std::mutex> lock(peers.mutex);
  return peers.enabled.erase({context->id, peer->id})
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

PTXJIT_CUDA_API(cuDeviceCanAccessPeer,
                (int *can, CUdevice device, CUdevice peer), can, device, peer) {
  if (CUresult error = checkDevice(device))
    return error;
  if (CUresult error = checkDevice(peer))
    return error;
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  *can = device != peer; // no device is its own peer
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

static CUresult checkLink(CUdevice from, CUdevice to) {
  if (CUresult error = checkDevice(from))
    return error;
  if (CUresult error = checkDevice(to))
    return error;
  return from != to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

PTXJIT_CUDA_API(cuDeviceGetP2PAttribute,
                (int *value, int attribute, CUdevice from, CUdevice to), value,
                attribute, from, to) {
  if (CUresult error = checkLink(from, to))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: // all links are alike
  case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
  case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
  case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
    *value = 1;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// Finds the capabilities of an atomic operation in device memory, those of the
/// ISA. False if there is no such operation.
static bool findCapabilities(int operation, unsigned &bits) {
  constexpr unsigned both =
      CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
  bool isHopper = getProfile().major >= 9;
  switch (operation) {
  case CU_ATOMIC_OPERATION_INTEGER_ADD:
  case CU_ATOMIC_OPERATION_INTEGER_MIN:
  case CU_ATOMIC_OPERATION_INTEGER_MAX:
    bits = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED |
           CU_ATOMIC_CAPABILITY_REDUCTION | both;
    return true;
  case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
  case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
    bits = CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION |
           CU_ATOMIC_CAPABILITY_SCALAR_32;
    return true;
  case CU_ATOMIC_OPERATION_AND:
  case CU_ATOMIC_OPERATION_OR:
  case CU_ATOMIC_OPERATION_XOR:
    bits =
        CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | both;
    return true;
  case CU_ATOMIC_OPERATION_EXCHANGE:
  case CU_ATOMIC_OPERATION_CAS:
    bits = CU_ATOMIC_CAPABILITY_UNSIGNED | both |
           (isHopper ? CU_ATOMIC_CAPABILITY_SCALAR_128 : 0);
    return true;
  case CU_ATOMIC_OPERATION_FLOAT_ADD:
    bits = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | both |
           (isHopper ? CU_ATOMIC_CAPABILITY_VECTOR_32x4 : 0);
    return true;
  case CU_ATOMIC_OPERATION_FLOAT_MIN:
  case CU_ATOMIC_OPERATION_FLOAT_MAX:
    bits = 0; // of f32 and f64; the ISA has them for halves alone
    return true;
  }
  return false;
}

static CUresult findAllCapabilities(unsigned *capabilities,
                                    const int *operations, unsigned count) {
  if (!capabilities || !operations || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i)
    if (!findCapabilities(operations[i], capabilities[i]))
      return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetP2PAtomicCapabilities,
                (unsigned *capabilities, const int *operations, unsigned count,
                 CUdevice from, CUdevice to),
                capabilities, operations, count, from, to) {
  CUresult error = checkLink(from, to);
  return error ? error : findAllCapabilities(capabilities, operations, count);
}

// Memory of the host is no other than that of devices.
PTXJIT_CUDA_API(cuDeviceGetHostAtomicCapabilities,
                (unsigned *capabilities, const int *operations, unsigned count,
                 CUdevice device),
                capabilities, operations, count, device) {
  CUresult error = checkDevice(device);
  return error ? error : findAllCapabilities(capabilities, operations, count);
}

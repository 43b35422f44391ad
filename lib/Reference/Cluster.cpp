//===- Cluster.cpp - clusters, and windows of state spaces ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cta.h"

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Runtime/KernelABI.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// The barrier
//===----------------------------------------------------------------------===//

LogicalResult Cta::barrierCluster(Thread &t, BarrierClusterOp op) {
  if (op.getMode() == ClusterBarrier::Arrive) {
    t.arrivedAtCluster = true;
    return success();
  }
  // Waits only if the thread has arrived and the phase has not ended.
  if (t.arrivedAtCluster)
    return wait(t, *op);
  return success();
}

bool Cta::allArrivedAtCluster() const {
  return llvm::all_of(threads, [](const Thread &t) {
    return t.state == Thread::Done || t.arrivedAtCluster;
  });
}

void Cta::releaseFromCluster() {
  for (Thread &t : threads) {
    t.arrivedAtCluster = false;
    if (t.state == Thread::Waiting && isa<BarrierClusterOp>(t.waitsAt))
      t.state = Thread::Running;
  }
}

std::optional<Bits> Cta::clusterRegister(SpecialRegister reg) {
  auto dim = [&](SpecialRegister first) {
    return unsigned(reg) - unsigned(first);
  };
  auto [x, y, z] = launch.cluster;
  switch (reg) {
  case SpecialRegister::ClusterIdX:
  case SpecialRegister::ClusterIdY:
  case SpecialRegister::ClusterIdZ: {
    unsigned d = dim(SpecialRegister::ClusterIdX);
    return id[d] / launch.cluster[d];
  }
  case SpecialRegister::NClusterIdX:
  case SpecialRegister::NClusterIdY:
  case SpecialRegister::NClusterIdZ: {
    unsigned d = dim(SpecialRegister::NClusterIdX);
    return launch.grid[d] / launch.cluster[d];
  }
  case SpecialRegister::ClusterNctaidX:
  case SpecialRegister::ClusterNctaidY:
  case SpecialRegister::ClusterNctaidZ:
    return launch.cluster[dim(SpecialRegister::ClusterNctaidX)];
  case SpecialRegister::ClusterCtaidX:
  case SpecialRegister::ClusterCtaidY:
  case SpecialRegister::ClusterCtaidZ: {
    unsigned d = dim(SpecialRegister::ClusterCtaidX);
    return id[d] % launch.cluster[d];
  }
  case SpecialRegister::ClusterNctarank:
    return x * y * z;
  case SpecialRegister::ClusterCtarank:
    return rank;
  case SpecialRegister::IsExplicitCluster:
    return launch.explicitCluster;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// A `.shared` address holds the rank of its CTA above the offset.
uint64_t Cta::fromSharedAddress(Bits address) {
  Bits owner = address >> PTXJIT_SHARED_BITS;
  Bits offset = address & ((Bits(1) << PTXJIT_SHARED_BITS) - 1);
  auto &memory = owner < cluster.size() ? cluster[owner]->shared : shared;
  return reinterpret_cast<uint64_t>(memory.data()) + offset;
}

Bits Cta::toSharedAddress(uint64_t generic) {
  for (const auto &cta : cluster) {
    uint64_t begin = reinterpret_cast<uint64_t>(cta->shared.data());
    if (generic - begin < cta->shared.size())
      return generic - begin + (Bits(cta->rank) << PTXJIT_SHARED_BITS);
  }
  return generic - reinterpret_cast<uint64_t>(shared.data()) +
         (Bits(rank) << PTXJIT_SHARED_BITS);
}

bool Cta::isInSpace(Thread &t, uint64_t address, Space space) {
  auto within = [&](const void *begin, uint64_t bytes) {
    return address - reinterpret_cast<uint64_t>(begin) < bytes;
  };
  uint64_t bytes = uint64_t(program.sharedEnd) + launch.dynamicShared;
  FuncOp kernel = program.kernel;
  switch (space) {
  case Space::Shared:
  case Space::SharedCta:
    return within(shared.data(), bytes);
  case Space::SharedCluster:
    return llvm::any_of(cluster, [&](const auto &cta) {
      return within(cta->shared.data(), bytes);
    });
  case Space::Local:
    return within(t.local.data(), t.local.size());
  case Space::Const:
    for (VarOp var : kernel->getParentOfType<ModuleOp>().getOps<VarOp>())
      if (var.getSpace() == Space::Const &&
          address -
                  launch.resolve(launch.user, var.getSymName().str().c_str()) <
              uint64_t(var.getBytes()))
        return true;
    return false;
  case Space::Global: // "the .param window is contained within the .global"
    return !isInSpace(t, address, Space::SharedCluster) &&
           !isInSpace(t, address, Space::Local) &&
           !isInSpace(t, address, Space::Const);
  default:
    return within(launch.params, uint64_t(kernel.getParamBytes()));
  }
}

bool Cta::clusterOp(Thread &t, Operation &op) {
  if (auto mapa = dyn_cast<MapaOp>(op)) {
    Bits a = get(t, mapa.getA()), to = get(t, mapa.getB());
    Bits offset = (mapa.getSpace() ? a : fromGeneric(t, Space::Shared, a)) &
                  ((Bits(1) << PTXJIT_SHARED_BITS) - 1);
    Bits place = offset | to << PTXJIT_SHARED_BITS;
    set(t, mapa.getD(),
        mapa.getSpace() ? place : toGeneric(t, Space::Shared, place));
    return true;
  }
  if (auto owner = dyn_cast<GetCtaRankOp>(op)) {
    Bits a = get(t, owner.getA());
    Bits address = owner.getSpace() ? a : fromGeneric(t, Space::Shared, a);
    set(t, owner.getD(), address >> PTXJIT_SHARED_BITS & 0xffffffff);
    return true;
  }
  if (auto isSpace = dyn_cast<IsSpacepOp>(op)) {
    set(t, isSpace.getD(),
        isInSpace(t, toHost(t, get(t, isSpace.getA())), isSpace.getSpace()));
    return true;
  }
  return false;
}

//===- PtxInterfaces.td - facts that passes ask of an op ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traits and op interfaces for the facts about instructions that passes need,
// so that no pass keeps a list of ops. The unit test OpFactsTest names each op
// that does not state a required fact.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXINTERFACES_TD
#define PTXJIT_DIALECT_PTXINTERFACES_TD

include "mlir/IR/OpBase.td"

/// A trait that PtxInterfaces.h defines and describes.
class Ptx_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::ptxjit::ptx";
}
class Ptx_Interface<string name> : OpInterface<name> {
  let cppNamespace = "::ptxjit::ptx";
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

// Each op with results has one of these traits or a shape rule
// (Analysis/InferShape.h).
def LaneWise : Ptx_Trait<"LaneWise">;
def VariesByLane : Ptx_Trait<"VariesByLane">;

// Each op with effects has MaskedOpInterface or NeedsNoMask.
def MaskedOpInterface : Ptx_Interface<"MaskedOpInterface"> {
  let description = [{
    An op whose effect happens only in the lanes of its mask. An op outside of
    divergent control has no mask: all lanes of the entry mask take part.
  }];
  let methods = [
    InterfaceMethod<"the lanes that take part; null before masking",
      "::mlir::Value", "getLaneMask", (ins), [{}],
      [{ return $_op.getMask(); }]>,
    InterfaceMethod<"sets the lanes that take part",
      "void", "setLaneMask", (ins "::mlir::Value":$mask), [{}],
      [{ $_op.getMaskMutable().assign(mask); }]>,
  ];
}
def NeedsNoMask : Ptx_Trait<"NeedsNoMask">;

def WarpDependentOpInterface : Ptx_Interface<"WarpDependentOpInterface"> {
  let description = [{
    An op without effects whose generated code depends on the number of the warp
    or on the thread's stack, even where its result is the same in all warps.
  }];
  let methods = [
    InterfaceMethod<"does the code of this op ask for the warp?",
      "bool", "dependsOnWarp">];
}

//===----------------------------------------------------------------------===//
// Threads and each other
//===----------------------------------------------------------------------===//

// Each op with effects has one of the interfaces and traits from here down to
// UnseenByOthers.
def CommunicatingOpInterface : Ptx_Interface<"CommunicatingOpInterface"> {
  let description = [{
    An op through which threads may communicate in memory: it reads what other
    threads wrote, or writes what other threads may read.
  }];
  let methods = [
    InterfaceMethod<"may a loop read this until another thread does something?",
      "::ptxjit::ptx::Polling", "getPolling", (ins), [{}],
      [{ return Polling::Never; }]>,
    InterfaceMethod<"may a thread that polls be waiting for this op?",
      "bool", "mayRelease", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"the space of what is polled or released; none: any",
      "::std::optional<::ptxjit::ptx::Space>", "getMeetingSpace", (ins), [{}],
      [{ return $_op.getSpace(); }]>,
  ];
}
def CtaBarrierOpInterface : Ptx_Interface<"CtaBarrierOpInterface"> {
  let description = "A barrier for threads of the CTA.";
  let methods = [
    InterfaceMethod<"whether threads wait, or only arrive",
      "::ptxjit::ptx::BarrierMode", "getMode">,
    InterfaceMethod<"which of the CTA's barriers", "::mlir::Value",
      "getBarrier", (ins), [{}], [{ return $_op.getA(); }]>,
    InterfaceMethod<"how many threads it is for; null: all of the CTA",
      "::mlir::Value", "getThreadCount", (ins), [{}], [{ return $_op.getB(); }]>,
  ];
}
def ClusterWideBarrier : Ptx_Trait<"ClusterWideBarrier">;
def WarpgroupBarrier : Ptx_Trait<"WarpgroupBarrier">;
def WarpCollectiveOpInterface : Ptx_Interface<"WarpCollectiveOpInterface"> {
  let description = [{
    An op at which lanes of a warp wait for each other to execute it together.
  }];
  let methods = [
    InterfaceMethod<"a bit for each lane; null: those that come (old forms)",
      "::mlir::Value", "getMemberMask", (ins), [{}], [{ return $_op.getM(); }]>,
  ];
}
def WholeWarp : Ptx_Trait<"WholeWarp">;
def MayMeetWarpgroup : Ptx_Trait<"MayMeetWarpgroup">;
def OrdersMemory : Ptx_Trait<"OrdersMemory">;
def UnseenByOthers : Ptx_Trait<"UnseenByOthers">;

def GivesWay : Ptx_Trait<"GivesWay">;
def UsesStack : Ptx_Trait<"UsesStack">;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Each op with an attribute `space` has this interface.
def SpaceOpInterface : Ptx_Interface<"SpaceOpInterface"> {
  let description = "An op that names the state space of an address.";
  let methods = [
    InterfaceMethod<"the state space; none: generic",
      "::std::optional<::ptxjit::ptx::Space>", "getAddressSpace", (ins), [{}],
      [{ return $_op.getSpace(); }]>,
    InterfaceMethod<"sets the state space",
      "void", "setAddressSpace", (ins "::ptxjit::ptx::Space":$space), [{}],
      [{ $_op.setSpace(space); }]>,
  ];
}
def AccessOpInterface : Ptx_Interface<"AccessOpInterface"> {
  let description = [{
    An op whose lanes each access contiguous bytes, beginning at an address.
  }];
  let methods = [
    InterfaceMethod<"which bytes, and what becomes of them",
      "::ptxjit::ptx::ByteAccess", "getByteAccess">,
  ];
}
def OtherBytes : Ptx_Trait<"OtherBytes">;
def ClusterOpInterface : Ptx_Interface<"ClusterOpInterface"> {
  let description = [{
    An op whose code depends on there being other CTAs in the cluster, whatever
    the space of its addresses.
  }];
  let methods = [
    InterfaceMethod<"does it matter to this op?", "bool", "dependsOnCluster",
      (ins), [{}], [{ return true; }]>,
  ];
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

def AddressOpInterface : Ptx_Interface<"AddressOpInterface"> {
  let description = "An op without effects that addresses are computed with.";
  let methods = [
    InterfaceMethod<"what operand `number` is to the address",
      "::ptxjit::ptx::AddressRole", "getAddressRole",
      (ins "unsigned":$number)>,
  ];
}
// A shape rule may widen only the operands that `getWidenings` returns, and the
// packetizer emits a test for each of them.
def WideningOpInterface : Ptx_Interface<"WideningOpInterface"> {
  let description = [{
    An op that extends integers to more bits. The result keeps the operand's
    lane pattern only if the operand wrapped around in all lanes or in none.
  }];
  let methods = [
    InterfaceMethod<"the operands that this op extends",
      "::llvm::SmallVector<::ptxjit::ptx::Widening, 2>", "getWidenings">,
  ];
}

#endif // PTXJIT_DIALECT_PTXINTERFACES_TD

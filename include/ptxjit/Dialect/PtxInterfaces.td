//===- PtxInterfaces.td - what a pass may ask of an op --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about instructions that passes need, as traits and op interfaces, so
// that no pass keeps a list of ops. A unit test (OpFactsTest) names each op that
// lacks a fact that it must state.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXINTERFACES_TD
#define PTXJIT_DIALECT_PTXINTERFACES_TD

include "mlir/IR/OpBase.td"

/// A trait of PtxInterfaces.h, which says what it means.
class Ptx_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::ptxjit::ptx";
}
class Ptx_Interface<string name> : OpInterface<name> {
  let cppNamespace = "::ptxjit::ptx";
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

// Each op with results has one of these, or a shape rule (Analysis/InferShape.h).
def LaneWise : Ptx_Trait<"LaneWise">;
def VariesByLane : Ptx_Trait<"VariesByLane">;

// Each op with effects has one of these.
def MaskedOpInterface : Ptx_Interface<"MaskedOpInterface"> {
  let description = [{
    An op whose effect happens only in the lanes of its mask. Ops outside any
    divergent control carry none: all lanes of the entry mask take part.
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
    An op without effects whose code asks which warp, or which thread's stack, it
    runs for, even where what it gives is the same in all warps.
  }];
  let methods = [
    InterfaceMethod<"does the code of this op ask for the warp?",
      "bool", "dependsOnWarp">];
}

//===----------------------------------------------------------------------===//
// Threads and each other
//===----------------------------------------------------------------------===//

// Each op with effects has one of these, up to UnseenByOthers.
def CommunicatingOpInterface : Ptx_Interface<"CommunicatingOpInterface"> {
  let description = [{
    An op through whose memory threads may learn from each other: it reads what
    others have written, or writes what others may read.
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
def WarpCollectiveOpInterface : Ptx_Interface<"WarpCollectiveOpInterface"> {
  let description = [{
    An op for which lanes of a warp wait, so that they carry it out together.
  }];
  let methods = [
    InterfaceMethod<"a bit for each lane; null: those that come (old forms)",
      "::mlir::Value", "getMemberMask", (ins), [{}], [{ return $_op.getM(); }]>,
  ];
}
def WholeWarp : Ptx_Trait<"WholeWarp">;
def OrdersMemory : Ptx_Trait<"OrdersMemory">;
def UnseenByOthers : Ptx_Trait<"UnseenByOthers">;

def GivesWay : Ptx_Trait<"GivesWay">;
def UsesStack : Ptx_Trait<"UsesStack">;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Each op with an attribute `space` has it.
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
    An op with which each lane touches bytes side by side, from an address on.
  }];
  let methods = [
    InterfaceMethod<"which bytes, and what becomes of them",
      "::ptxjit::ptx::ByteAccess", "getByteAccess">,
  ];
}
def OtherBytes : Ptx_Trait<"OtherBytes">;
def ClusterOpInterface : Ptx_Interface<"ClusterOpInterface"> {
  let description = [{
    An op to which it matters, whatever the space of its addresses, that there
    are other CTAs in the cluster.
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
// A shape rule can widen only operands that are stated here, and the packetizer
// tests each of them.
def WideningOpInterface : Ptx_Interface<"WideningOpInterface"> {
  let description = [{
    An op that extends integers to more bits: if an operand has wrapped around in
    some lanes and not in others, a pattern of the lanes does not survive it.
  }];
  let methods = [
    InterfaceMethod<"the operands that this op extends",
      "::llvm::SmallVector<::ptxjit::ptx::Widening, 2>", "getWidenings">,
  ];
}

#endif // PTXJIT_DIALECT_PTXINTERFACES_TD

//===- InferShape.td - the interface of ops with a shape rule -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_INFERSHAPE_TD
#define PTXJIT_ANALYSIS_INFERSHAPE_TD

include "mlir/IR/OpBase.td"

def InferShapeInterface : OpInterface<"InferShapeInterface"> {
  let cppNamespace = "::ptxjit";
  let description = [{
    An op with a shape rule, which infers how its results vary over the lanes of
    a warp from how its operands vary. `registerShapeRules` attaches the rules to
    the ops as external models. A ptx op without a rule is `LaneWise` or
    `VariesByLane`.
  }];
  let methods = [
    InterfaceMethod<"the shape that all results have",
      "::ptxjit::Shape", "inferShape",
      (ins "::ptxjit::ShapeInference &":$inference)>,
  ];
}

#endif // PTXJIT_ANALYSIS_INFERSHAPE_TD

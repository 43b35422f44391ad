//===- PlanText.h - execution plans as text ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs keep plans in files. Ours is the graph's descriptors: a line for
// each one, after those that it names.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_PLANTEXT_H
#define PTXJIT_LIB_CUDNN_PLANTEXT_H

#include "BackendNode.h"

namespace ptxjit::cudnn {

/// The text of a graph's descriptor, without handles and addresses.
std::string writeText(const BackendNode &graph);

/// The descriptor of a text. Fails if it is not one of ours, or is damaged. The
/// graph is not made yet.
std::shared_ptr<BackendNode> readText(const std::string &text);

} // namespace ptxjit::cudnn

#endif

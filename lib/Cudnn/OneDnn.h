//===- OneDnn.h - oneDNN on views of tensors --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_ONEDNN_H
#define PTXJIT_LIB_CUDNN_ONEDNN_H

#include "View.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace ptxjit::cudnn {

/// The CPU.
dnnl::engine &engine();

/// Runs a primitive, and waits for it.
void execute(const dnnl::primitive &primitive,
             const std::unordered_map<int, dnnl::memory> &arguments);

/// A tensor in the order of dimensions that oneDNN likes best.
dnnl::memory::desc anyOrder(const Layout &layout);

/// An operand in the order that a primitive wants.
class Source {
public:
  Source(const Layout &layout, float *data, const dnnl::memory::desc &wanted);
  const dnnl::memory &get() const { return ordered; }

private:
  dnnl::memory ordered;
};

/// A result in that order. `finish` brings it to its place.
class Target {
public:
  Target(const Layout &layout, float *data, const dnnl::memory::desc &wanted);
  const dnnl::memory &get() const { return ordered; }
  void finish() const;

private:
  dnnl::memory place, ordered;
};

} // namespace ptxjit::cudnn

#endif

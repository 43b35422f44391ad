//===- Walk.cpp - loops over the elements of tensors ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "Status.h"

using namespace ptxjit::cudnn;

std::vector<int> ptxjit::cudnn::orderOf(const Layout &layout) {
  std::vector<int> order(layout.dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return layout.strides[a] > layout.strides[b];
  });
  return order;
}

std::vector<int64_t> ptxjit::cudnn::packedStrides(const Layout &layout) {
  std::vector<int64_t> strides(layout.dims.size());
  std::vector<int> order = orderOf(layout);
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= std::max<int64_t>(1, layout.dims[order[i]]);
  }
  return strides;
}

std::vector<int64_t>
ptxjit::cudnn::rowStrides(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(1, dims[i]);
  }
  return strides;
}

bool ptxjit::cudnn::isPacked(const Layout &layout) {
  std::vector<int64_t> packed = packedStrides(layout);
  for (size_t i = 0; i < packed.size(); ++i)
    if (layout.dims[i] > 1 && layout.strides[i] != packed[i])
      return false;
  return true;
}

std::vector<int64_t>
ptxjit::cudnn::broadcastStrides(const Layout &layout,
                                const std::vector<int64_t> &dims) {
  if (layout.dims.size() > dims.size())
    failBadParam("an operand has more dimensions than the result");
  size_t missing = dims.size() - layout.dims.size();
  std::vector<int64_t> strides(dims.size());
  for (size_t i = missing; i < dims.size(); ++i) {
    int64_t extent = layout.dims[i - missing];
    if (extent != 1 && extent != dims[i])
      failBadParam("an operand has an extent of " + std::to_string(extent) +
                   " where 1 or " + std::to_string(dims[i]) + " is expected");
    strides[i] = extent == 1 ? 0 : layout.strides[i - missing];
  }
  return strides;
}

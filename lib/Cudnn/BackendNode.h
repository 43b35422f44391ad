//===- BackendNode.h - descriptors of the graph interface -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A descriptor is a bag of attributes until it is final. Then others refer to
// what is in it, and it does not change any more.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_BACKENDNODE_H
#define PTXJIT_LIB_CUDNN_BACKENDNODE_H

#include "Status.h"
#include "ptxjit/Cudnn/CudnnBackendABI.h"

#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace ptxjit::cudnn {

struct BackendNode;
class Graph;
using NodePtr = std::shared_ptr<const BackendNode>;

struct Attribute {
  cudnnBackendAttributeType_t type;
  int64_t count;
  std::vector<char> bytes;
  std::vector<NodePtr> nodes; ///< of descriptors
};

struct BackendNode {
  cudnnBackendDescriptorType_t type = CUDNN_BACKEND_POINTWISE_DESCRIPTOR;
  bool isFinal = false;
  std::map<int, Attribute> attributes;
  std::shared_ptr<const Graph> graph; ///< of an operation graph

  bool has(cudnnBackendAttributeName_t name) const {
    return attributes.count(name) != 0;
  }
  /// The elements of an attribute; none if it is not set. Fails if they are of
  /// another size.
  template <typename T>
  std::vector<T> list(cudnnBackendAttributeName_t name) const {
    auto it = attributes.find(name);
    if (it == attributes.end())
      return {};
    const Attribute &attribute = it->second;
    if (attribute.bytes.size() != size_t(attribute.count) * sizeof(T))
      throw Failure{CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE,
                    "attribute " + std::to_string(int(name)) +
                        " has another type"};
    std::vector<T> values(size_t(attribute.count));
    if (!values.empty())
      std::memcpy(values.data(), attribute.bytes.data(),
                  attribute.bytes.size());
    return values;
  }
  /// The only element, which must be there.
  template <typename T> T value(cudnnBackendAttributeName_t name) const {
    std::vector<T> values = list<T>(name);
    if (values.size() != 1)
      failBadParam("attribute " + std::to_string(int(name)) + " was not set");
    return values[0];
  }
  template <typename T>
  T value(cudnnBackendAttributeName_t name, T otherwise) const {
    return has(name) ? value<T>(name) : otherwise;
  }
  /// A number, which may be a float or a double.
  double number(cudnnBackendAttributeName_t name, double otherwise) const;
  /// The descriptor in an attribute; null if it is not set.
  NodePtr node(cudnnBackendAttributeName_t name) const;
  /// The same; fails if it is not set.
  const BackendNode &need(cudnnBackendAttributeName_t name) const;
};

} // namespace ptxjit::cudnn

#endif

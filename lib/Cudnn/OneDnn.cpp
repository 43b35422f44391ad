//===- OneDnn.cpp - oneDNN on views of tensors ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneDnn.h"
#include "Status.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

using dnnl::memory;

dnnl::engine &cudnn::engine() {
  // Never destroyed: work may run in exit handlers.
  static auto &engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

void cudnn::execute(const dnnl::primitive &primitive,
                    const std::unordered_map<int, memory> &arguments) {
  dnnl::stream stream(engine());
  primitive.execute(stream, arguments);
  stream.wait();
}

memory::desc cudnn::anyOrder(const Layout &layout) {
  return {layout.dims, memory::data_type::f32, memory::format_tag::any};
}

/// Whether oneDNN can read the tensor as it is: each element has a place of its
/// own.
static bool isPlain(const Layout &layout) {
  int64_t inside = 0; // the last element of the dimensions inside
  std::vector<int> order = orderOf(layout);
  for (size_t i = order.size(); i-- > 0;) {
    int64_t extent = layout.dims[order[i]], stride = layout.strides[order[i]];
    if (extent == 1)
      continue;
    if (stride <= inside)
      return false;
    inside += (extent - 1) * stride;
  }
  return true;
}

static memory::desc plainOrder(const Layout &layout) {
  return {layout.dims, memory::data_type::f32, layout.strides};
}

/// A copy without holes of a tensor that oneDNN cannot read.
static View<float> pack(const View<float> &view) {
  View<float> packed = makeView<float>(view.layout);
  copyView(view, packed);
  return packed;
}

static void reorder(const memory &from, const memory &to) {
  execute(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

Source::Source(const Layout &layout, float *data, const memory::desc &wanted) {
  View<float> view{layout, data, nullptr};
  if (!isPlain(layout))
    view = pack(view);
  memory plain(plainOrder(view.layout), engine(), view.data);
  bool isReady = plain.get_desc() == wanted && !view.owner;
  ordered = isReady ? plain : memory(wanted, engine());
  if (!isReady)
    reorder(plain, ordered);
}

Target::Target(const Layout &layout, float *data, const memory::desc &wanted) {
  if (!isPlain(layout))
    failUnsupported("results whose elements share their places");
  place = memory(plainOrder(layout), engine(), data);
  ordered = place.get_desc() == wanted ? place : memory(wanted, engine());
}

void Target::finish() const {
  if (place.get_desc() != ordered.get_desc())
    reorder(ordered, place);
}

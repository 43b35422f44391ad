//===- Convolution.cpp - convolutions and their gradients -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"
#include "ConvolutionLoops.h"
#include "OneDnn.h"
#include "Status.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

std::vector<int64_t> cudnn::outputDims(const Convolution &convolution,
                                       const Layout &x, const Layout &w) {
  size_t spatial = convolution.strides.size();
  if (x.dims.size() != spatial + 2 || w.dims.size() != spatial + 2)
    failBadParam("expected operands with " + std::to_string(spatial) +
                 " spatial dimensions");
  if (spatial < 1 || spatial > 3)
    failUnsupported("convolutions with other than 1 to 3 spatial dimensions");
  std::vector<int64_t> dims = {x.dims[0], w.dims[0]};
  for (size_t i = 0; i < spatial; ++i) {
    if (convolution.strides[i] < 1 || convolution.dilations[i] < 1)
      failBadParam("expected strides and dilations of 1 or more");
    int64_t window = (w.dims[i + 2] - 1) * convolution.dilations[i] + 1;
    int64_t padded =
        x.dims[i + 2] + convolution.prePads[i] + convolution.postPads[i];
    if (padded < window)
      failBadParam("expected an input that is as large as the filter");
    dims.push_back((padded - window) / convolution.strides[i] + 1);
  }
  return dims;
}

int64_t cudnn::checkConvolution(const Convolution &convolution, const Layout &x,
                                const Layout &w, const Layout &y) {
  if (y.dims != outputDims(convolution, x, w))
    failBadParam("the output has not the extents that follow from the input");
  if (w.dims[1] == 0 || x.dims[1] % w.dims[1])
    failBadParam("the channels of the filter do not divide those of the input");
  int64_t groups = x.dims[1] / w.dims[1];
  if (groups == 0 || w.dims[0] % groups)
    failBadParam("the groups do not divide the channels of the output");
  return groups;
}

//===----------------------------------------------------------------------===//
// oneDNN
//===----------------------------------------------------------------------===//

namespace {
/// A convolution of oneDNN's. It tells where filters are in groups.
struct Job {
  Job(const Convolution &convolution, const View<float> &x,
      const View<float> &w, const View<float> &y)
      : x(x), w(w), y(y), strides(convolution.strides),
        pre(convolution.prePads) {
    int64_t groups = x.dims()[1] / w.dims()[1];
    filter = w.layout;
    if (groups > 1) {
      int64_t stride = filter.strides[0];
      filter.dims[0] /= groups;
      filter.dims.insert(filter.dims.begin(), groups);
      filter.strides.insert(filter.strides.begin(), filter.dims[1] * stride);
    }
    for (size_t i = 0; i < strides.size(); ++i) {
      dilations.push_back(convolution.dilations[i] - 1);
      int64_t window = (w.dims()[i + 2] - 1) * convolution.dilations[i] + 1;
      // What the input has behind the last window does not count.
      post.push_back((y.dims()[i + 2] - 1) * strides[i] + window -
                     x.dims()[i + 2] - pre[i]);
    }
  }
  dnnl::convolution_forward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training,
             dnnl::algorithm::convolution_direct, anyOrder(x.layout),
             anyOrder(filter), anyOrder(y.layout), strides, dilations, pre,
             post},
            engine()};
  }

  const View<float> &x, &w, &y;
  Layout filter;
  dnnl::memory::dims strides, dilations, pre, post;
};
} // namespace

/// The filter, turned round if the convolution wants that.
template <typename T>
static View<T> turn(const Convolution &convolution, const View<T> &w) {
  if (!convolution.isFlipped)
    return w;
  View<T> turned = makeView<T>(w.layout);
  // From the last element backwards.
  std::vector<int64_t> backwards = w.strides();
  const T *last = w.data;
  for (size_t i = 2; i < backwards.size(); ++i) {
    last += (w.dims()[i] - 1) * backwards[i];
    backwards[i] = -backwards[i];
  }
  copyView<T>({{w.dims(), backwards}, const_cast<T *>(last), nullptr}, turned);
  return turned;
}

static void runForward(const Job &job) {
  auto description = job.forward();
  Source x(job.x.layout, job.x.data, description.src_desc());
  Source w(job.filter, job.w.data, description.weights_desc());
  Target y(job.y.layout, job.y.data, description.dst_desc());
  execute(dnnl::convolution_forward(description), {{DNNL_ARG_SRC, x.get()},
                                                   {DNNL_ARG_WEIGHTS, w.get()},
                                                   {DNNL_ARG_DST, y.get()}});
  y.finish();
}

static void runBackwardData(const Job &job) {
  dnnl::convolution_backward_data::primitive_desc description(
      {dnnl::algorithm::convolution_direct, anyOrder(job.x.layout),
       anyOrder(job.filter), anyOrder(job.y.layout), job.strides, job.dilations,
       job.pre, job.post},
      engine(), job.forward());
  Source w(job.filter, job.w.data, description.weights_desc());
  Source dy(job.y.layout, job.y.data, description.diff_dst_desc());
  Target dx(job.x.layout, job.x.data, description.diff_src_desc());
  execute(dnnl::convolution_backward_data(description),
          {{DNNL_ARG_DIFF_DST, dy.get()},
           {DNNL_ARG_WEIGHTS, w.get()},
           {DNNL_ARG_DIFF_SRC, dx.get()}});
  dx.finish();
}

static void runBackwardFilter(const Job &job) {
  dnnl::convolution_backward_weights::primitive_desc description(
      {dnnl::algorithm::convolution_direct, anyOrder(job.x.layout),
       anyOrder(job.filter), anyOrder(job.y.layout), job.strides, job.dilations,
       job.pre, job.post},
      engine(), job.forward());
  Source x(job.x.layout, job.x.data, description.src_desc());
  Source dy(job.y.layout, job.y.data, description.diff_dst_desc());
  Target dw(job.filter, job.w.data, description.diff_weights_desc());
  execute(dnnl::convolution_backward_weights(description),
          {{DNNL_ARG_SRC, x.get()},
           {DNNL_ARG_DIFF_DST, dy.get()},
           {DNNL_ARG_DIFF_WEIGHTS, dw.get()}});
  dw.finish();
}

//===----------------------------------------------------------------------===//
// The three directions
//===----------------------------------------------------------------------===//

template <typename T>
void cudnn::convolve(const Convolution &convolution, const View<T> &x,
                     const View<T> &w, const View<T> &y) {
  View<T> filter = turn(convolution, w);
  if (countOf(y.dims()) == 0)
    return;
  if constexpr (std::is_same_v<T, float>)
    runForward(Job(convolution, x, filter, y));
  else
    loopForward(convolution, x, filter, y);
}

template <typename T>
void cudnn::convolveBackwardData(const Convolution &convolution,
                                 const View<T> &w, const View<T> &dy,
                                 const View<T> &dx) {
  View<T> filter = turn(convolution, w);
  if (countOf(dx.dims()) == 0)
    return;
  if constexpr (std::is_same_v<T, float>)
    runBackwardData(Job(convolution, dx, filter, dy));
  else
    loopBackwardData(convolution, filter, dy, dx);
}

template <typename T>
void cudnn::convolveBackwardFilter(const Convolution &convolution,
                                   const View<T> &x, const View<T> &dy,
                                   const View<T> &dw) {
  View<T> filter = convolution.isFlipped ? makeView<T>(dw.layout) : dw;
  if constexpr (std::is_same_v<T, float>)
    runBackwardFilter(Job(convolution, x, filter, dy));
  else
    loopBackwardFilter(convolution, x, dy, filter);
  if (convolution.isFlipped)
    copyView(turn(convolution, filter), dw);
}

#define INSTANTIATE(T)                                                         \
  template void cudnn::convolve(const Convolution &, const View<T> &,          \
                                const View<T> &, const View<T> &);             \
  template void cudnn::convolveBackwardData(                                   \
      const Convolution &, const View<T> &, const View<T> &, const View<T> &); \
  template void cudnn::convolveBackwardFilter(                                 \
      const Convolution &, const View<T> &, const View<T> &, const View<T> &);
INSTANTIATE(float)
INSTANTIATE(double)

//===- ConvolutionLoops.cpp - convolutions without oneDNN -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All have three spatial dimensions here; missing ones are of extent 1.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLoops.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

using Space = std::array<int64_t, 3>;

namespace {
/// A tensor with two outer dimensions and three spatial ones.
struct Volume {
  explicit Volume(const View<double> &view) : data(view.data) {
    size_t rank = view.dims().size();
    for (size_t i = 0; i < 2; ++i) {
      outer[i] = view.dims()[i];
      outerSteps[i] = view.strides()[i];
    }
    for (size_t i = 2; i < rank; ++i) {
      extents[i + 3 - rank] = view.dims()[i];
      steps[i + 3 - rank] = view.strides()[i];
    }
  }
  double *at(int64_t first, int64_t second) const {
    return data + first * outerSteps[0] + second * outerSteps[1];
  }
  int64_t offset(const Space &place) const {
    return place[0] * steps[0] + place[1] * steps[1] + place[2] * steps[2];
  }

  double *data;
  std::array<int64_t, 2> outer, outerSteps;
  Space extents = {1, 1, 1}, steps = {0, 0, 0};
};

/// How places of input, filter and output belong together.
struct Motion {
  Motion(const Convolution &convolution, const View<double> &x,
         const View<double> &w)
      : groups(x.dims()[1] / w.dims()[1]) {
    size_t rank = convolution.strides.size();
    for (size_t i = 0; i < rank; ++i) {
      size_t to = i + 3 - rank;
      strides[to] = convolution.strides[i];
      dilations[to] = convolution.dilations[i];
      pads[to] = convolution.prePads[i];
    }
  }
  /// The place in the input. \returns false if that is padding.
  bool find(const Space &output, const Space &tap, const Space &extents,
            Space &input) const {
    for (size_t i = 0; i < 3; ++i) {
      input[i] = output[i] * strides[i] + tap[i] * dilations[i] - pads[i];
      if (input[i] < 0 || input[i] >= extents[i])
        return false;
    }
    return true;
  }

  int64_t groups;
  Space strides = {1, 1, 1}, dilations = {1, 1, 1}, pads = {0, 0, 0};
};
} // namespace

template <typename F> static void forEachPlace(const Space &extents, F f) {
  Space place;
  for (place[0] = 0; place[0] < extents[0]; ++place[0])
    for (place[1] = 0; place[1] < extents[1]; ++place[1])
      for (place[2] = 0; place[2] < extents[2]; ++place[2])
        f(place);
}

/// Calls f(output place, input place, tap) for all that belong together.
template <typename F>
static void forEachPair(const Motion &motion, const Volume &input,
                        const Volume &filter, const Volume &output, F f) {
  forEachPlace(output.extents, [&](const Space &place) {
    forEachPlace(filter.extents, [&](const Space &tap) {
      Space source;
      if (motion.find(place, tap, input.extents, source))
        f(output.offset(place), input.offset(source), filter.offset(tap));
    });
  });
}

/// Calls f(i, j) side by side.
template <typename F>
static void forEachOuter(int64_t first, int64_t second, F f) {
  tbb::parallel_for(int64_t(0), first * second,
                    [&](int64_t i) { f(i / second, i % second); });
}

void cudnn::loopForward(const Convolution &convolution, const View<double> &x,
                        const View<double> &w, const View<double> &y) {
  Motion motion(convolution, x, w);
  Volume input(x), filter(w), output(y);
  int64_t inGroup = output.outer[1] / motion.groups;
  forEachOuter(output.outer[0], output.outer[1], [&](int64_t n, int64_t k) {
    double *out = output.at(n, k);
    forEachPlace(output.extents,
                 [&](const Space &place) { out[output.offset(place)] = 0; });
    for (int64_t c = 0; c < filter.outer[1]; ++c) {
      const double *in = input.at(n, k / inGroup * filter.outer[1] + c);
      const double *taps = filter.at(k, c);
      forEachPair(motion, input, filter, output,
                  [&](int64_t to, int64_t from, int64_t tap) {
                    out[to] += in[from] * taps[tap];
                  });
    }
  });
}

void cudnn::loopBackwardData(const Convolution &convolution,
                             const View<double> &w, const View<double> &dy,
                             const View<double> &dx) {
  Motion motion(convolution, dx, w);
  Volume input(dx), filter(w), output(dy);
  int64_t inGroup = output.outer[1] / motion.groups;
  forEachOuter(input.outer[0], input.outer[1], [&](int64_t n, int64_t channel) {
    double *in = input.at(n, channel);
    forEachPlace(input.extents,
                 [&](const Space &place) { in[input.offset(place)] = 0; });
    int64_t first = channel / filter.outer[1] * inGroup;
    for (int64_t k = first; k < first + inGroup; ++k) {
      const double *out = output.at(n, k);
      const double *taps = filter.at(k, channel % filter.outer[1]);
      forEachPair(motion, input, filter, output,
                  [&](int64_t to, int64_t from, int64_t tap) {
                    in[from] += out[to] * taps[tap];
                  });
    }
  });
}

void cudnn::loopBackwardFilter(const Convolution &convolution,
                               const View<double> &x, const View<double> &dy,
                               const View<double> &dw) {
  Motion motion(convolution, x, dw);
  Volume input(x), filter(dw), output(dy);
  int64_t inGroup = output.outer[1] / motion.groups;
  forEachOuter(filter.outer[0], filter.outer[1], [&](int64_t k, int64_t c) {
    double *taps = filter.at(k, c);
    forEachPlace(filter.extents,
                 [&](const Space &place) { taps[filter.offset(place)] = 0; });
    for (int64_t n = 0; n < input.outer[0]; ++n) {
      const double *in = input.at(n, k / inGroup * filter.outer[1] + c);
      const double *out = output.at(n, k);
      forEachPair(motion, input, filter, output,
                  [&](int64_t to, int64_t from, int64_t tap) {
                    taps[tap] += in[from] * out[to];
                  });
    }
  });
}

//===- ConvolutionLoops.h - convolutions without oneDNN ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_CONVOLUTIONLOOPS_H
#define PTXJIT_LIB_CUDNN_CONVOLUTIONLOOPS_H

#include "Convolution.h"

namespace ptxjit::cudnn {

void loopForward(const Convolution &convolution, const View<double> &x,
                 const View<double> &w, const View<double> &y);
void loopBackwardData(const Convolution &convolution, const View<double> &w,
                      const View<double> &dy, const View<double> &dx);
void loopBackwardFilter(const Convolution &convolution, const View<double> &x,
                        const View<double> &dy, const View<double> &dw);

} // namespace ptxjit::cudnn

#endif

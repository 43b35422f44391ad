//===- HandleTest.cpp - handles, descriptors and errors of cuDNN ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

using namespace cudnntest;

TEST_F(Cudnn, TellsItsVersion) {
  int major, minor, patch;
  ASSERT_OK(cudnnGetProperty(MAJOR_VERSION, &major));
  ASSERT_OK(cudnnGetProperty(MINOR_VERSION, &minor));
  ASSERT_OK(cudnnGetProperty(PATCH_LEVEL, &patch));
  EXPECT_EQ(major, 9);
  EXPECT_EQ(cudnnGetVersion(),
            size_t(major) * 10000 + size_t(minor) * 100 + size_t(patch));
  EXPECT_EQ(cudnnGetProperty(libraryPropertyType(7), &major),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_STREQ(cudnnGetErrorString(CUDNN_STATUS_NOT_SUPPORTED),
               "CUDNN_STATUS_NOT_SUPPORTED");
}

TEST_F(Cudnn, KeepsItsStream) {
  CUstream found;
  ASSERT_OK(cudnnGetStream(handle, &found));
  EXPECT_EQ(found, stream);
}

TEST_F(Cudnn, WrongHandlesAndDescriptorsAreErrors) {
  int count;
  auto wrong = reinterpret_cast<cudnnHandle_t>(&count);
  EXPECT_EQ(cudnnSetStream(wrong, nullptr), CUDNN_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cudnnDestroy(nullptr), CUDNN_STATUS_NOT_INITIALIZED);
  auto descriptor = reinterpret_cast<cudnnTensorDescriptor_t>(&count);
  EXPECT_EQ(cudnnSetTensor4dDescriptor(descriptor, CUDNN_TENSOR_NCHW,
                                       CUDNN_DATA_FLOAT, 1, 1, 1, 1),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(cudnnDestroyTensorDescriptor(descriptor), CUDNN_STATUS_BAD_PARAM);
  char text[200];
  cudnnGetLastErrorString(text, sizeof(text));
  EXPECT_NE(std::string(text).find("not a descriptor"), std::string::npos);
}

TEST_F(Cudnn, TensorsKeepTheirFormat) {
  DESCRIPTOR(Tensor, tensor);
  cudnnDataType_t type;
  int n, c, h, w, strides[4];
  EXPECT_EQ(cudnnGetTensor4dDescriptor(tensor, &type, &n, &c, &h, &w,
                                       &strides[0], &strides[1], &strides[2],
                                       &strides[3]),
            CUDNN_STATUS_BAD_PARAM);
  ASSERT_OK(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NHWC,
                                       CUDNN_DATA_HALF, 2, 3, 4, 5));
  ASSERT_OK(cudnnGetTensor4dDescriptor(tensor, &type, &n, &c, &h, &w,
                                       &strides[0], &strides[1], &strides[2],
                                       &strides[3]));
  EXPECT_EQ(type, CUDNN_DATA_HALF);
  EXPECT_EQ(Ints(strides, strides + 4), (Ints{60, 1, 15, 3}));
  size_t bytes;
  ASSERT_OK(cudnnGetTensorSizeInBytes(tensor, &bytes));
  EXPECT_EQ(bytes, 240u);
  EXPECT_EQ(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW_VECT_C,
                                       CUDNN_DATA_INT8x4, 2, 4, 4, 5),
            CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW,
                                       CUDNN_DATA_FLOAT, 2, 0, 4, 5),
            CUDNN_STATUS_BAD_PARAM);
}

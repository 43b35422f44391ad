//===- Fills.cpp - fills of buffers ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

void stress::fillBytes(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  auto value = static_cast<unsigned char>(client.pickValue());
  client.use(buffer->stream);
  STRESS_OK(
      cuMemsetD8Async(buffer->memory, value, kBytes, buffer->stream.handle));
  buffer->content = {value * 0x01010101u, 0};
}

void stress::fillHalves(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  auto value = static_cast<unsigned short>(client.pickValue());
  client.use(buffer->stream);
  STRESS_OK(cuMemsetD16Async(buffer->memory, value, kBytes / 2,
                             buffer->stream.handle));
  buffer->content = {value * 0x00010001u, 0};
}

void stress::fillWords(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  buffer->content = {client.pickValue(), 0};
  client.use(buffer->stream);
  STRESS_OK(cuMemsetD32Async(buffer->memory, buffer->content.first, kWords,
                             buffer->stream.handle));
}

/// Two fills, of the even and the odd rows.
void stress::fillRows(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  constexpr size_t row = 128;
  buffer->content = {client.pickValue(), 0};
  client.use(buffer->stream);
  for (unsigned i = 0; i < 2; ++i)
    STRESS_OK(cuMemsetD2D32Async(buffer->memory + i * row, 2 * row,
                                 buffer->content.first, row / sizeof(unsigned),
                                 kBytes / row / 2, buffer->stream.handle));
}

/// The buffer's first and last words become zero, and then what they were.
void stress::writeWords(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  CUdeviceptr last = buffer->memory + kBytes - 4;
  CUstream stream = buffer->stream.handle;
  client.use(buffer->stream);
  STRESS_OK(cuStreamWriteValue32_v2(stream, buffer->memory, 0, 0));
  STRESS_OK(cuStreamWriteValue32_v2(stream, last, 0, 0));
  CUstreamBatchMemOpParams steps[2] = {};
  steps[0].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, buffer->memory,
                         buffer->content.at(0), 0, 0};
  steps[1].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, last,
                         buffer->content.at(kWords - 1), 0, 0};
  STRESS_OK(cuStreamBatchMemOp_v2(stream, 2, steps, 0));
}

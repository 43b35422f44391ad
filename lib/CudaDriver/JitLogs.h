//===- JitLogs.h - the log buffers of JIT options ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_JITLOGS_H
#define PTXJIT_LIB_CUDADRIVER_JITLOGS_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ptxjit::cuda {

/// The log buffers among the JIT options of a call. The options hold the
/// buffers' sizes; write() replaces them by the number of bytes written.
class JitLogs {
public:
  JitLogs(unsigned count, const int *options, void **values) {
    auto number = [&](unsigned i) {
      return size_t(uint32_t(reinterpret_cast<uintptr_t>(values[i])));
    };
    for (unsigned i = 0; i < count; ++i)
      switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
        info.text = static_cast<char *>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info.size = number(i);
        info.sizeSlot = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        errors.text = static_cast<char *>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        errors.size = number(i);
        errors.sizeSlot = &values[i];
        break;
      default:
        break; // options about hardware
      }
  }
  void write(const std::string &diagnostics) {
    info.write("");
    errors.write(diagnostics);
  }

private:
  struct Buffer {
    char *text = nullptr;
    size_t size = 0;
    void **sizeSlot = nullptr;

    void write(const std::string &message) {
      size_t length = 0;
      if (text && size) {
        length = std::min(message.size(), size - 1);
        std::memcpy(text, message.data(), length);
        text[length++] = 0;
      }
      if (sizeSlot)
        *sizeSlot = reinterpret_cast<void *>(length);
    }
  };
  Buffer info, errors;
};

} // namespace ptxjit::cuda

#endif

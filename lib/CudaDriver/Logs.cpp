//===- Logs.cpp - what the driver reported, for the program ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of LogKind::Error, which stderr shows in any case, also go to the
// program's callbacks and into a buffer.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <deque>
#include <fstream>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
struct Callback {
  CUlogsCallback function;
  void *userData;
};

/// Never destroyed, like the State: errors may come while the process ends.
struct Logs {
  std::mutex mutex;
  std::deque<std::string> messages; ///< without newline
  size_t bytes = 0;                 ///< of the messages, with newlines
  unsigned first = 0;               ///< number of the first message
  std::vector<std::unique_ptr<Callback>> callbacks;

  unsigned end() const { return first + unsigned(messages.size()); }
};
} // namespace

/// CUDA documents this size.
static constexpr size_t kMostBytes = 25600;

static Logs &getLogs() {
  static Logs *logs = new Logs;
  return *logs;
}

static void add(const std::string &text) {
  Logs &logs = getLogs();
  std::vector<Callback> callbacks;
  {
    std::lock_guard<std::mutex> lock(logs.mutex);
    logs.messages.push_back(text);
    logs.bytes += text.size() + 1;
    while (logs.bytes > kMostBytes && logs.messages.size() > 1) {
      logs.bytes -= logs.messages.front().size() + 1;
      logs.messages.pop_front();
      ++logs.first;
    }
    for (auto &callback : logs.callbacks)
      callbacks.push_back(*callback);
  }
  // Without the lock, since they may call these functions.
  for (Callback &callback : callbacks) {
    std::string copy = text;
    callback.function(callback.userData, CU_LOG_LEVEL_ERROR, copy.data(),
                      copy.size());
  }
}

void cuda::watchLogs() { setErrorListener(add); }

//===----------------------------------------------------------------------===//
// The interface, which needs no device
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_PLAIN_API(cuLogsRegisterCallback,
                      (CUlogsCallback function, void *userData,
                       CUlogsCallbackHandle *out),
                      function, userData, out) {
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  watchLogs();
  Logs &logs = getLogs();
  std::lock_guard<std::mutex> lock(logs.mutex);
  logs.callbacks.push_back(
      std::make_unique<Callback>(Callback{function, userData}));
  if (out)
    *out = reinterpret_cast<CUlogsCallbackHandle>(logs.callbacks.back().get());
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_PLAIN_API(cuLogsUnregisterCallback, (CUlogsCallbackHandle handle),
                      handle) {
  Logs &logs = getLogs();
  std::lock_guard<std::mutex> lock(logs.mutex);
  for (auto it = logs.callbacks.begin(); it != logs.callbacks.end(); ++it)
    if (it->get() == reinterpret_cast<Callback *>(handle)) {
      logs.callbacks.erase(it);
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_PLAIN_API(cuLogsCurrent, (CUlogIterator * out, unsigned flags), out,
                      flags) {
  if (!out || flags)
    return CUDA_ERROR_INVALID_VALUE;
  Logs &logs = getLogs();
  std::lock_guard<std::mutex> lock(logs.mutex);
  *out = logs.end();
  return CUDA_SUCCESS;
}

static const char kDropped[] = "(earlier messages have been dropped)\n";

/// The messages from an iterator on, which advances to the end. The newest of
/// them, if they have more than `most` bytes; empty if not even one fits.
static std::string collect(CUlogIterator *iterator, size_t most) {
  Logs &logs = getLogs();
  std::lock_guard<std::mutex> lock(logs.mutex);
  unsigned wanted = iterator ? *iterator : 0;
  if (iterator)
    *iterator = logs.end();
  // Numbers wrap.
  bool isDropped = int(wanted - logs.first) < 0;
  unsigned from = isDropped ? logs.first : wanted;
  std::string text;
  for (unsigned at = logs.end(); int(at - from) > 0; --at) {
    std::string line = logs.messages[at - 1 - logs.first] + "\n";
    size_t note = at - 1 != from || isDropped ? sizeof(kDropped) - 1 : 0;
    if (text.size() + line.size() + note > most) {
      isDropped = true;
      break;
    }
    text = line + text;
  }
  return isDropped && !text.empty() ? kDropped + text : text;
}

PTXJIT_CUDA_PLAIN_API(cuLogsDumpToFile,
                      (CUlogIterator * iterator, const char *path,
                       unsigned flags),
                      iterator, path, flags) {
  if (!path || flags)
    return CUDA_ERROR_INVALID_VALUE;
  std::ofstream file(path, std::ios::app);
  if (!file)
    return CUDA_ERROR_INVALID_VALUE;
  file << collect(iterator, SIZE_MAX) << std::flush;
  return file ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_PLAIN_API(cuLogsDumpToMemory,
                      (CUlogIterator * iterator, char *buffer, size_t *size,
                       unsigned flags),
                      iterator, buffer, size, flags) {
  if (!buffer || !size || !*size || flags)
    return CUDA_ERROR_INVALID_VALUE;
  CUlogIterator end;
  cuLogsCurrent(&end, 0);
  bool isEmpty = iterator ? *iterator == end : end == 0;
  CUlogIterator before = iterator ? *iterator : 0;
  std::string text = collect(iterator, *size - 1);
  text.copy(buffer, text.size());
  buffer[text.size()] = 0;
  *size = text.size();
  if (!text.empty() || isEmpty)
    return CUDA_SUCCESS;
  if (iterator)
    *iterator = before; // for a larger buffer
  return CUDA_ERROR_INVALID_VALUE;
}

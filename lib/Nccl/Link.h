//===- Link.h - messages between two ranks ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that ranks exchange are messages, from one rank to another, in order. How
// they travel is the business of the link: in a process as pointers, between
// the processes of a machine through shared memory, between machines by MPI.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_LINK_H
#define PTXJIT_LIB_NCCL_LINK_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ptxjit::nccl {

/// Says to which operation a message belongs, so that ranks that do not call
/// the same notice it. Travels between processes.
struct MessageHead {
  uint64_t sequence = 0; ///< how many collectives came before
  uint8_t kind = 0;      ///< Operation::Kind
  uint8_t type = 0;
  uint8_t reduction = 0;
  uint8_t reserved[5] = {};
  int64_t root = -1;
  uint64_t count = 0;  ///< elements of the whole operation
  uint64_t scalar = 0; ///< Operand::scalar of the sender
  uint64_t bytes = 0;  ///< of this message
};

struct Message {
  MessageHead head;
  const void *data = nullptr;
};

/// The messages of one rank to and from one other. Used by one thread at a
/// time.
class Link {
public:
  virtual ~Link() = default;
  /// Sends a message of at most the communicator's largest size. \returns false
  /// if there is no room yet.
  virtual bool trySend(const Message &message) = 0;
  /// May the data of all messages that were sent be overwritten?
  virtual bool isDrained() = 0;
  /// The first message that was not released; null while there is none. Its
  /// data stay until release().
  virtual const Message *peek() = 0;
  virtual void release() = 0;
  /// Has the peer given up, or has its process ended?
  virtual bool isPeerGone() = 0;
  /// Must one ask for news, since nobody wakes this process?
  virtual bool isRemote() const { return true; }
};

} // namespace ptxjit::nccl

#endif

//===- SharedLink.h - messages between processes of a machine ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank has an inbox: anonymous memory (memfd_create) that the processes of
// its peers map, too. They find it as /proc/PID/fd/NUMBER, so that nothing has
// a name that would have to be removed, and the size of /dev/shm does not
// matter. The inbox has a ring of messages for each peer and channel.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_SHAREDLINK_H
#define PTXJIT_LIB_NCCL_SHAREDLINK_H

#include "Link.h"

namespace ptxjit::nccl {

/// The largest message of the data channel, and of the other one, in bytes.
constexpr size_t kSharedMessage = 256 << 10;
constexpr size_t kSharedControlMessage = 512;

/// A rank's inbox. Its memory is used only as far as peers write to it.
class Inbox {
public:
  /// \returns null if the system has no memory, and sets `error`.
  static std::shared_ptr<Inbox> create(std::string &error);
  ~Inbox();
  /// Makes room for the messages of `ranks` peers.
  bool open(int ranks, std::string &error);
  int getDescriptor() const { return descriptor; }
  /// Tells the peers that this rank has given up.
  void setFailed();
  char *getMemory() const { return memory; }

private:
  explicit Inbox(int descriptor) : descriptor(descriptor) {}
  int descriptor;
  char *memory = nullptr;
  size_t bytes = 0;
};

/// A process of this machine that has the other end of links. Knows when it
/// ends, even if its number is used again.
class Process {
public:
  explicit Process(int pid);
  ~Process();
  bool isGone() const;
  int getPid() const { return pid; }

private:
  int pid;
  int descriptor; ///< of pidfd_open(); -1: the system does not have it
};

/// A rank of another process of this machine.
struct SharedPeer {
  int peer = 0;
  std::shared_ptr<Process> process;
  int descriptor = -1; ///< of the peer's inbox, in its process
};

/// Makes the links of `rank` to a peer: for data, and for the library itself.
bool makeSharedLinks(const std::shared_ptr<Inbox> &inbox, int rank, int ranks,
                     const SharedPeer &peer, std::unique_ptr<Link> &data,
                     std::unique_ptr<Link> &control, std::string &error);

} // namespace ptxjit::nccl

#endif

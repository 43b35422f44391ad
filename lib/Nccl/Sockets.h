//===- Sockets.h - TCP connections ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_SOCKETS_H
#define PTXJIT_LIB_NCCL_SOCKETS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ptxjit::nccl {

/// An address that can be sent to other processes.
struct SocketAddress {
  uint8_t bytes[16] = {}; ///< IPv4 takes the first four
  uint16_t port = 0;
  uint16_t isV6 = 0;
  /// The same port at the address of a machine for itself.
  SocketAddress loopback() const;
  /// Reads "<IPv4 or host>:<port>" or "[<IPv6>]:<port>". False if it is
  /// neither, or if the host is unknown.
  bool parse(const std::string &text);
};

/// Owns a TCP socket.
class Socket {
public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor(descriptor) {}
  Socket(Socket &&other) noexcept : descriptor(other.descriptor) {
    other.descriptor = -1;
  }
  Socket &operator=(Socket &&other) noexcept {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~Socket();

  /// Listens at a free port. `address` is where others find it: the first
  /// interface that is up, or that NCCL_SOCKET_IFNAME chooses.
  static Socket listen(SocketAddress &address, std::string &error);
  /// Listens at this address and port only.
  static Socket listenAt(const SocketAddress &address, std::string &error);
  static Socket connect(const SocketAddress &address, std::string &error);

  bool isOpen() const { return descriptor >= 0; }
  /// Has the other side closed the connection?
  bool isLeft() const;
  /// \returns a closed socket if nobody connects in time. -1: any time
  Socket accept(int milliseconds) const;
  bool send(const void *data, size_t bytes) const;
  /// \param milliseconds  between two pieces; -1: any time
  bool receive(void *data, size_t bytes, int milliseconds = -1,
               const std::function<bool()> &isCancelled = nullptr) const;

private:
  int descriptor = -1;
};

} // namespace ptxjit::nccl

#endif

//===- Sockets.cpp - TCP connections --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sockets.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

using namespace ptxjit::nccl;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

SocketAddress SocketAddress::loopback() const {
  SocketAddress address = *this;
  std::fill(std::begin(address.bytes), std::end(address.bytes), 0);
  if (isV6)
    address.bytes[15] = 1;
  else
    address.bytes[0] = 127, address.bytes[3] = 1;
  return address;
}

bool SocketAddress::parse(const std::string &text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return false;
  std::string host = text.substr(0, colon), digits = text.substr(colon + 1);
  unsigned long number = 0;
  if (digits.empty() || digits.size() > 5 ||
      digits.find_first_not_of("0123456789") != std::string::npos ||
      (number = std::stoul(digits)) == 0 || number > 65535)
    return false;
  bool isBracketed = host.front() == '[' && host.back() == ']';
  if (isBracketed)
    host = host.substr(1, host.size() - 2);
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = isBracketed ? AF_INET6 : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found))
    return false;
  isV6 = found->ai_family == AF_INET6;
  if (isV6)
    std::memcpy(bytes,
                &reinterpret_cast<sockaddr_in6 *>(found->ai_addr)->sin6_addr,
                16);
  else
    std::memcpy(bytes,
                &reinterpret_cast<sockaddr_in *>(found->ai_addr)->sin_addr, 4);
  port = uint16_t(number);
  freeaddrinfo(found);
  return true;
}

static socklen_t toSystem(const SocketAddress &address,
                          sockaddr_storage &storage) {
  std::memset(&storage, 0, sizeof(storage));
  if (address.isV6) {
    auto *v6 = reinterpret_cast<sockaddr_in6 *>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(address.port);
    std::memcpy(&v6->sin6_addr, address.bytes, 16);
    return sizeof(*v6);
  }
  auto *v4 = reinterpret_cast<sockaddr_in *>(&storage);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(address.port);
  std::memcpy(&v4->sin_addr, address.bytes, 4);
  return sizeof(*v4);
}

/// Does NCCL_SOCKET_IFNAME allow the interface? It lists prefixes of names,
/// after `=` whole names, and after `^` what must not be used.
static bool isAllowed(const std::string &name) {
  const char *setting = std::getenv("NCCL_SOCKET_IFNAME");
  if (!setting || !*setting)
    return true;
  std::string list = setting;
  bool excludes = list[0] == '^';
  list.erase(0, excludes ? 1 : 0);
  bool isExact = !list.empty() && list[0] == '=';
  list.erase(0, isExact ? 1 : 0);
  std::istringstream items(list);
  bool found = false;
  for (std::string item; std::getline(items, item, ',');)
    found |= isExact ? name == item : name.compare(0, item.size(), item) == 0;
  return found != excludes;
}

/// The first address of another family than `isV6` says is no candidate.
static bool findAddress(const ifaddrs *all, bool isV6, SocketAddress &address) {
  for (const ifaddrs *each = all; each; each = each->ifa_next) {
    if (!each->ifa_addr || !(each->ifa_flags & IFF_UP) ||
        (each->ifa_flags & IFF_LOOPBACK) || !isAllowed(each->ifa_name) ||
        each->ifa_addr->sa_family != (isV6 ? AF_INET6 : AF_INET))
      continue;
    if (!isV6) {
      auto *v4 = reinterpret_cast<const sockaddr_in *>(each->ifa_addr);
      std::memcpy(address.bytes, &v4->sin_addr, 4);
      return true;
    }
    auto *v6 = reinterpret_cast<const sockaddr_in6 *>(each->ifa_addr);
    if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr))
      continue;
    std::memcpy(address.bytes, &v6->sin6_addr, 16);
    address.isV6 = 1;
    return true;
  }
  return false;
}

/// The address of this machine that others use.
static SocketAddress ownAddress() {
  SocketAddress address;
  ifaddrs *all = nullptr;
  bool found = getifaddrs(&all) == 0 && (findAddress(all, false, address) ||
                                         findAddress(all, true, address));
  if (all)
    freeifaddrs(all);
  return found ? address : SocketAddress().loopback();
}

//===----------------------------------------------------------------------===//
// Sockets
//===----------------------------------------------------------------------===//

Socket::~Socket() {
  if (isOpen())
    close(descriptor);
}

static Socket open(const SocketAddress &address) {
  Socket socket(::socket(address.isV6 ? AF_INET6 : AF_INET,
                         SOCK_STREAM | SOCK_CLOEXEC, 0));
  return socket;
}

Socket Socket::listenAt(const SocketAddress &address, std::string &error) {
  Socket socket = open(address);
  sockaddr_storage storage;
  socklen_t length = toSystem(address, storage);
  int one = 1; // the connections of an earlier socket there may still end
  if (!socket.isOpen() ||
      setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &one,
                 sizeof(one)) ||
      bind(socket.descriptor, reinterpret_cast<sockaddr *>(&storage), length) ||
      ::listen(socket.descriptor, 1024)) {
    error = std::string("listening at a socket: ") + std::strerror(errno);
    return Socket();
  }
  return socket;
}

Socket Socket::listen(SocketAddress &address, std::string &error) {
  address = ownAddress();
  // Any address of the machine, since ranks on it use another one.
  SocketAddress any;
  any.isV6 = address.isV6;
  Socket socket = listenAt(any, error);
  sockaddr_storage storage;
  socklen_t length = sizeof(storage);
  auto *system = reinterpret_cast<sockaddr *>(&storage);
  if (!socket.isOpen())
    return socket;
  if (getsockname(socket.descriptor, system, &length)) {
    error = std::string("listening at a socket: ") + std::strerror(errno);
    return Socket();
  }
  address.port =
      ntohs(address.isV6 ? reinterpret_cast<sockaddr_in6 *>(system)->sin6_port
                         : reinterpret_cast<sockaddr_in *>(system)->sin_port);
  return socket;
}

Socket Socket::connect(const SocketAddress &address, std::string &error) {
  Socket socket = open(address);
  sockaddr_storage storage;
  socklen_t length = toSystem(address, storage);
  if (!socket.isOpen() ||
      ::connect(socket.descriptor, reinterpret_cast<sockaddr *>(&storage),
                length)) {
    error =
        std::string("connecting to the process that serves the unique id: ") +
        std::strerror(errno);
    return Socket();
  }
  int one = 1;
  setsockopt(socket.descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return socket;
}

bool Socket::isLeft() const {
  pollfd left = {descriptor, POLLRDHUP, 0};
  return poll(&left, 1, 0) > 0;
}

/// Waits until there is something to read. False after `milliseconds`, unless
/// these are -1.
static bool awaitInput(int descriptor, int milliseconds,
                       const std::function<bool()> &isCancelled) {
  // Now and then the caller is asked whether to go on.
  int slice = isCancelled ? 200 : milliseconds;
  for (int waited = 0; milliseconds < 0 || waited < milliseconds;
       waited += slice) {
    pollfd input = {descriptor, POLLIN, 0};
    if (poll(&input, 1, slice) > 0)
      return true;
    if (isCancelled && isCancelled())
      return false;
  }
  return false;
}

Socket Socket::accept(int milliseconds) const {
  if (!awaitInput(descriptor, milliseconds, nullptr))
    return Socket();
  return Socket(::accept4(descriptor, nullptr, nullptr, SOCK_CLOEXEC));
}

bool Socket::send(const void *data, size_t bytes) const {
  const char *next = static_cast<const char *>(data);
  while (bytes) {
    ssize_t sent = ::send(descriptor, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    next += sent;
    bytes -= size_t(sent);
  }
  return true;
}

bool Socket::receive(void *data, size_t bytes, int milliseconds,
                     const std::function<bool()> &isCancelled) const {
  char *next = static_cast<char *>(data);
  while (bytes) {
    if (!awaitInput(descriptor, milliseconds, isCancelled))
      return false;
    ssize_t received = recv(descriptor, next, bytes, 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received <= 0)
      return false;
    next += received;
    bytes -= size_t(received);
  }
  return true;
}

//===- SharedLink.cpp - messages between processes of a machine -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLink.h"

#include <atomic>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ptxjit::nccl;

//===----------------------------------------------------------------------===//
// The layout of an inbox, which processes share
//===----------------------------------------------------------------------===//

static constexpr unsigned kSlots = 4;
/// A multiple of the size of any system's pages.
static constexpr size_t kPage = size_t(64) << 10;

namespace {
/// At the begin of an inbox.
struct InboxHead {
  std::atomic<uint32_t> failed;
};
struct Ring {
  alignas(64) std::atomic<uint64_t> sent;
  alignas(64) std::atomic<uint64_t> released;
};
struct alignas(64) Slot {
  MessageHead head; ///< the data follow
};
} // namespace
static_assert(std::atomic<uint64_t>::is_always_lock_free);

static constexpr size_t slotBytes(bool isControl) {
  return sizeof(Slot) + (isControl ? kSharedControlMessage : kSharedMessage);
}
static constexpr size_t ringBytes(bool isControl) {
  return sizeof(Ring) + kSlots * slotBytes(isControl);
}
/// The part of an inbox that belongs to one peer: two rings, in pages.
static constexpr size_t kPart =
    (ringBytes(false) + ringBytes(true) + kPage - 1) / kPage * kPage;

/// Whoever opens an inbox first makes it that large.
static size_t inboxBytes(int ranks) { return kPage + size_t(ranks) * kPart; }

static std::string describe(const char *what) {
  return std::string(what) + ": " + std::strerror(errno);
}

static char *mapShared(int descriptor, size_t offset, size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                      descriptor, off_t(offset));
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

std::shared_ptr<Inbox> Inbox::create(std::string &error) {
  int descriptor = memfd_create("ptxjit-nccl", MFD_CLOEXEC);
  if (descriptor < 0) {
    error = describe("memfd_create");
    return nullptr;
  }
  return std::shared_ptr<Inbox>(new Inbox(descriptor));
}

Inbox::~Inbox() {
  if (memory)
    munmap(memory, bytes);
  close(descriptor);
}

bool Inbox::open(int ranks, std::string &error) {
  bytes = inboxBytes(ranks);
  if (ftruncate(descriptor, off_t(bytes)) == 0)
    memory = mapShared(descriptor, 0, bytes);
  if (!memory)
    error = describe("shared memory");
  return memory != nullptr;
}

void Inbox::setFailed() {
  if (memory)
    reinterpret_cast<InboxHead *>(memory)->failed = 1;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

Process::Process(int pid)
    : pid(pid), descriptor(int(syscall(SYS_pidfd_open, pid, 0))) {}
Process::~Process() {
  if (descriptor >= 0)
    close(descriptor);
}
bool Process::isGone() const {
  if (descriptor < 0)
    return kill(pid, 0) != 0 && errno == ESRCH;
  pollfd ended = {descriptor, POLLIN, 0};
  return poll(&ended, 1, 0) == 1;
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

namespace {
/// This rank's part of the peer's inbox.
class Outbox {
public:
  Outbox(int descriptor, int rank)
      : memory(mapShared(descriptor, kPage + size_t(rank) * kPart, kPart)),
        head(mapShared(descriptor, 0, kPage)) {}
  ~Outbox() {
    if (memory)
      munmap(memory, kPart);
    if (head)
      munmap(head, kPage);
  }
  bool isOpen() const { return memory && head; }
  InboxHead *getHead() const { return reinterpret_cast<InboxHead *>(head); }
  char *getMemory() const { return memory; }

private:
  char *memory, *head;
};

class SharedLink : public Link {
public:
  SharedLink(std::shared_ptr<Inbox> inbox, std::shared_ptr<Outbox> outbox,
             std::shared_ptr<Process> process, int peer, bool isControl)
      : inbox(std::move(inbox)), outbox(std::move(outbox)),
        process(std::move(process)), isControl(isControl),
        out(ring(this->outbox->getMemory())),
        in(ring(this->inbox->getMemory() + kPage + size_t(peer) * kPart)) {}

  bool trySend(const Message &message) override {
    assert(message.head.bytes <= slotBytes(isControl) - sizeof(Slot));
    uint64_t sent = out->sent.load(std::memory_order_relaxed);
    if (sent - out->released.load(std::memory_order_acquire) == kSlots)
      return false;
    Slot *slot = slotOf(out, sent);
    slot->head = message.head;
    std::memcpy(slot + 1, message.data, message.head.bytes);
    out->sent.store(sent + 1, std::memory_order_release);
    return true;
  }
  bool isDrained() override { return true; } // the data were copied
  const Message *peek() override {
    uint64_t released = in->released.load(std::memory_order_relaxed);
    if (in->sent.load(std::memory_order_acquire) == released)
      return nullptr;
    Slot *slot = slotOf(in, released);
    current = {slot->head, slot + 1};
    return &current;
  }
  void release() override {
    in->released.fetch_add(1, std::memory_order_release);
  }
  bool isPeerGone() override {
    return outbox->getHead()->failed || process->isGone();
  }

private:
  Ring *ring(char *part) const {
    return reinterpret_cast<Ring *>(part + (isControl ? ringBytes(false) : 0));
  }
  Slot *slotOf(Ring *ring, uint64_t number) const {
    return reinterpret_cast<Slot *>(reinterpret_cast<char *>(ring + 1) +
                                    number % kSlots * slotBytes(isControl));
  }

  std::shared_ptr<Inbox> inbox;
  std::shared_ptr<Outbox> outbox;
  std::shared_ptr<Process> process;
  bool isControl;
  Ring *out, *in;
  Message current;
};
} // namespace

/// Opens the part of a peer's inbox that belongs to `rank`.
static std::shared_ptr<Outbox> openOutbox(const SharedPeer &peer, int rank,
                                          int ranks) {
  std::string path = "/proc/" + std::to_string(peer.process->getPid()) +
                     "/fd/" + std::to_string(peer.descriptor);
  int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return nullptr;
  std::shared_ptr<Outbox> outbox;
  if (ftruncate(descriptor, off_t(inboxBytes(ranks))) == 0)
    outbox = std::make_shared<Outbox>(descriptor, rank);
  int error = errno;
  close(descriptor);
  errno = error;
  return outbox && outbox->isOpen() ? outbox : nullptr;
}

bool ptxjit::nccl::makeSharedLinks(const std::shared_ptr<Inbox> &inbox,
                                   int rank, int ranks, const SharedPeer &peer,
                                   std::unique_ptr<Link> &data,
                                   std::unique_ptr<Link> &control,
                                   std::string &error) {
  std::shared_ptr<Outbox> outbox = openOutbox(peer, rank, ranks);
  if (!outbox) {
    error = describe("opening the memory of another process");
    return false;
  }
  data = std::make_unique<SharedLink>(inbox, outbox, peer.process, peer.peer,
                                      false);
  control = std::make_unique<SharedLink>(inbox, outbox, peer.process, peer.peer,
                                         true);
  return true;
}

//===- LocalLink.cpp - messages inside of a process -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalLink.h"

using namespace ptxjit::nccl;

std::shared_ptr<Clique> Clique::get(const Key &key) {
  // Never destroyed, since streams may outlive static objects.
  static auto &mutex = *new std::mutex;
  static auto &all = *new std::map<Key, std::weak_ptr<Clique>>;
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = all.begin(); it != all.end();)
    it = it->second.expired() ? all.erase(it) : std::next(it);
  std::shared_ptr<Clique> clique = all[key].lock();
  if (!clique)
    all[key] = clique = std::make_shared<Clique>();
  return clique;
}

Mailbox &Clique::mailbox(int from, int to, int channel) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Mailbox> &box = mailboxes[{from, to, channel}];
  if (!box)
    box = std::make_unique<Mailbox>();
  return *box;
}

void Clique::setFailed(int rank, bool isGone) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[path, box] : mailboxes) {
    auto [from, to, channel] = path;
    if (from == rank && (isGone || channel == 0))
      box->isClosed = true;
  }
}

bool Clique::runOnce(const std::function<bool()> &body) {
  std::lock_guard<std::mutex> lock(onceMutex);
  if (!hasRun)
    result = body();
  hasRun = true;
  return result;
}

namespace {
class LocalLink : public Link {
public:
  LocalLink(std::shared_ptr<Clique> clique, int rank, int peer, int channel)
      : clique(std::move(clique)),
        out(this->clique->mailbox(rank, peer, channel)),
        in(this->clique->mailbox(peer, rank, channel)) {}

  bool trySend(const Message &message) override {
    uint64_t sent = out.sent.load(std::memory_order_relaxed);
    if (sent - out.released.load(std::memory_order_acquire) == Mailbox::kSlots)
      return false;
    out.slots[sent % Mailbox::kSlots] = message;
    out.sent.store(sent + 1, std::memory_order_release);
    return true;
  }
  bool isDrained() override {
    return out.sent.load(std::memory_order_relaxed) ==
           out.released.load(std::memory_order_acquire);
  }
  const Message *peek() override {
    uint64_t released = in.released.load(std::memory_order_relaxed);
    return in.isClosed || in.sent.load(std::memory_order_acquire) == released
               ? nullptr
               : &in.slots[released % Mailbox::kSlots];
  }
  void release() override {
    in.released.fetch_add(1, std::memory_order_release);
  }
  bool isPeerGone() override { return in.isClosed; }
  bool isRemote() const override { return false; }

private:
  std::shared_ptr<Clique> clique;
  Mailbox &out, &in;
};
} // namespace

std::unique_ptr<Link>
ptxjit::nccl::makeLocalLink(std::shared_ptr<Clique> clique, int rank, int peer,
                            int channel) {
  return std::make_unique<LocalLink>(std::move(clique), rank, peer, channel);
}

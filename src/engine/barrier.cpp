// SPDX-License-Identifier: MIT
#include "engine/barrier.hpp"

#include <algorithm>

namespace cyclotron::engine {

void Barrier::wait(Guest guest) {
  latest_ = std::max(latest_, guest.process->now_);
  guest.process->waits_at_ = this;
  guests_.push_back(std::move(guest));
  release();
}

void Barrier::leave(const Process& process) {
  latest_ = std::max(latest_, process.now_);
  ++ended_;
  release();
}

void Barrier::release() {
  if (guests_.empty() || guests_.size() + ended_ < simulation_.bodies_.size()) return;
  const Round first = std::min_element(guests_.begin(), guests_.end(), [](const Guest& a, const Guest& b) {
                        return a.round < b.round;
                      })->round;
  start_ = std::max(latest_, end());
  latest_ = start_;
  least_ = 0;
  ++rounds_;
  const auto later =
      std::stable_partition(guests_.begin(), guests_.end(), [&](const Guest& g) { return g.round == first; });
  for (auto g = guests_.begin(); g != later; ++g) {
    least_ = std::max(least_, g->least);
    g->process->now_ = start_;
    g->process->waits_at_ = nullptr;
    simulation_.make_ready(*g->process);
  }
  guests_.erase(guests_.begin(), later);
}

const Process* Barrier::missing() const {
  for (const auto& p : simulation_.processes_)
    if (p->started_ && !p->ended_ && p->waits_at_ != this) return p.get();
  return nullptr;
}

} // namespace cyclotron::engine

// SPDX-License-Identifier: Apache-2.0
// A chain of teams on a host: each works through the same rounds, one round at least behind the
// team before it, and finds what that has left for it.
#pragma once

#include "base/device/space.hpp"

#include <atomic>
#include <thread>

namespace tessera {

/// Counts the rounds that each team of a resident league (see persistent_launch) has finished. On a
/// device, where a league has a GridBarrier, it holds nothing.
class TeamChain {
 public:
  /// The counters as kernels see them.
  class Counters {
   public:
    /// One more round of team `rank`, called by that team: what it has written is visible to who
    /// waits for it.
    void finish(int rank) const { of(rank).fetch_add(1U, std::memory_order_release); }
    /// Waits until team `rank` has finished so many rounds.
    void wait(int rank, unsigned rounds) const {
      while (static_cast<int>(of(rank).load(std::memory_order_acquire) - rounds) < 0) {
        std::this_thread::yield();  // the other team may share this core
      }
    }

   private:
    friend class TeamChain;
    static constexpr int kStride = 32;  ///< counters do not share cache lines
    [[nodiscard]] std::atomic_ref<unsigned> of(int rank) const {
      return std::atomic_ref<unsigned>(rounds_[rank * kStride]);
    }
    unsigned* rounds_ = nullptr;
  };

  /// Allocates counters for as many teams as can be resident; to be done outside a step.
  TeamChain()
      : rounds_("tessera::team_chain",
                kOnDevice ? 0 : ExecSpace().concurrency() * Counters::kStride) {}

  /// To be enqueued before each launch that uses the chain.
  void reset(const ExecSpace& exec) const { Kokkos::deep_copy(exec, rounds_, 0U); }

  [[nodiscard]] Counters counters() const {
    Counters c;
    c.rounds_ = rounds_.data();
    return c;
  }

 private:
  Kokkos::View<unsigned*, ExecSpace::memory_space> rounds_;
};

}  // namespace tessera

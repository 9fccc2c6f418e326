// SPDX-License-Identifier: Apache-2.0
// The multi-queue of a skewed stream (variants/jacobi/skewed/stream.hpp): the planes that each time
// step of a pass is made from.
//
//   queue l     oldest batch | ... | newest batch    what step l has made, step 0 being memory
//
// A batch is the planes of a round. A round enters one of new planes into queue 0. Step l then
// makes one from queue l - 1 by an in-place update: it is written over that queue's oldest batch (a
// compressed grid), which so enters queue l. Batches change queues, and no cell is copied.
#pragma once

#include "variants/jacobi/skewed/layout.hpp"

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::jacobi {

/// Queues of batches of `Planes` planes, for a stencil of radius R. A batch is the address of the
/// tile's first vector in its first plane.
template <class Real, int R, int Planes>
class PlaneQueues {
 public:
  /// Sets of a queue between two rounds: as few as have 2R planes.
  static constexpr int kOldBatches = (2 * R + Planes - 1) / Planes;
  /// Sets of `steps` time steps: those of the queues between rounds, that of the new planes, that
  /// of the next round's, that of the last step.
  [[nodiscard]] static constexpr int batches(int steps) { return steps * kOldBatches + 3; }

  /// `scratch`: batches(steps) times layout.batch() elements.
  PlaneQueues(const TileLayout& layout, Real* scratch, int steps)
      : plane_(layout.plane), queues_(steps) {
    Real* batch = scratch + layout.first();
    const auto take = [&] { return std::exchange(batch, batch + layout.batch()); };
    for (Queue& queue : queues_) std::generate_n(queue.begin(), kOldBatches, take);
    free_ = take();
    next_ = take();
    last_ = take();
  }
  /// The batch of new planes enters queue 0; another one is for those of the next round.
  void enter() { queues_[0][kOldBatches] = std::exchange(next_, free_); }
  /// Where the next round's planes go.
  [[nodiscard]] Real* next() const { return next_; }
  /// Where `step` writes: over the oldest batch that it is made from, or, the last step, to a batch
  /// of its own. Step 0: the planes that have entered.
  [[nodiscard]] Real* target(int step) const {
    if (step == 0) return queues_[0][kOldBatches];
    return step < static_cast<int>(queues_.size()) ? queues_[step - 1][0] : last_;
  }
  /// `step` is done: its target has left the queue before and entered its own.
  void pass(int step) {
    Queue& queue = queues_[step - 1];
    (step < static_cast<int>(queues_.size()) ? queues_[step][kOldBatches] : free_) = queue[0];
    for (int i = 0; i < kOldBatches; ++i) queue[i] = queue[i + 1];
  }
  /// Plane i of the 2R + Planes newest ones of queue `step`: those that the next step makes a
  /// batch from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Real* plane(int step, int i) const {
    i += kOldBatches * Planes - 2 * R;
    return queues_[step][i / Planes] + i % Planes * plane_;
  }

 private:
  using Queue = std::array<Real*, kOldBatches + 1>;
  int plane_;
  std::vector<Queue> queues_;
  Real *free_, *next_, *last_;
};

}  // namespace tessera::jacobi

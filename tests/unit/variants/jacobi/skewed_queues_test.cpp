// SPDX-License-Identifier: Apache-2.0
// The multi-queue of jacobi/skewed: whatever the radius, the planes of a round and the steps, each
// step finds all planes that it is made from, although it writes over the oldest ones.
#include "variants/jacobi/skewed/queues.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace tessera::jacobi {
namespace {

/// What plane p of a time step holds.
double mark(int step, int p) { return 1000.0 * step + p; }

/// Streams planes of one element, so that a plane that is lost shows.
template <int R, int Planes>
void check_stream(int steps) {
  SCOPED_TRACE(testing::Message() << "R = " << R << ", " << Planes << " planes, " << steps);
  using Queues = PlaneQueues<double, R, Planes>;
  const TileLayout layout =
      TileLayout{.radius = R, .planes = Planes, .length = 1}.allocated_for(1, 1);
  std::vector<double> scratch(Queues::batches(steps) * layout.batch(), -1.0);
  Queues queues(layout, scratch.data(), steps);
  const auto write = [&](double* batch, int step, int p) {
    for (int k = 0; k < Planes; ++k) batch[k * layout.plane] = mark(step, p + k);
  };
  const int rounds = 3 * (2 * R * steps + Planes) / Planes;
  write(queues.next(), 0, 0);
  for (int round = 0; round < rounds; ++round) {
    const int p0 = round * Planes;
    queues.enter();
    for (int k = 0; k < Planes; ++k) {
      ASSERT_EQ(queues.target(0)[k * layout.plane], mark(0, p0 + k));
    }
    write(queues.next(), 0, p0 + Planes);  // while this round's steps are made
    for (int step = 1; step <= steps; ++step) {
      const int p = p0 - step * R;
      for (int i = 0; i < 2 * R + Planes && p - R >= (1 - step) * R; ++i) {
        ASSERT_EQ(*queues.plane(step - 1, i), mark(step - 1, p - R + i)) << round << " " << step;
      }
      if (step == steps && round > 0) {  // what the last round has made can be stored until now
        for (int k = 0; k < Planes; ++k) {
          ASSERT_EQ(queues.target(step)[k * layout.plane], mark(step, p - Planes + k));
        }
      }
      write(queues.target(step), step, p);
      queues.pass(step);
    }
  }
}

template <int R, int Planes>
void check_streams() {
  for (const int steps : {1, 2, 3, 7}) check_stream<R, Planes>(steps);
}

TEST(SkewedQueues, KeepWhatEachStepIsMadeFrom) {
  check_streams<1, 1>();
  check_streams<1, 2>();
  check_streams<1, 3>();
  check_streams<1, 4>();
  check_streams<1, 8>();
  check_streams<2, 1>();
  check_streams<2, 2>();
  check_streams<2, 4>();
  check_streams<2, 8>();
  check_streams<3, 4>();
}

TEST(SkewedQueues, UpdateInPlace) {
  using Queues = PlaneQueues<double, 1, 2>;
  const TileLayout layout = TileLayout{.radius = 1, .planes = 2, .length = 1}.allocated_for(1, 1);
  std::vector<double> scratch(Queues::batches(2) * layout.batch());
  Queues queues(layout, scratch.data(), 2);
  for (int round = 0; round < 5; ++round) {
    queues.enter();
    EXPECT_EQ(queues.target(1), queues.plane(0, 0));
    queues.pass(1);
    EXPECT_NE(queues.target(2), queues.plane(1, 0));  // the last step: a batch of its own
    queues.pass(2);
  }
}

TEST(SkewedQueues, HaveDistinctSets) {
  using Queues = PlaneQueues<float, 2, 2>;
  constexpr int kSteps = 3;
  const TileLayout layout =
      TileLayout{.lanes = 2, .radius = 2, .radius_y = 2, .planes = 2, .length = 2}.allocated_for(4,
                                                                                                 3);
  // Of two old batches a step, the new one, the next one and the last step's.
  ASSERT_EQ(Queues::batches(kSteps), 9);
  std::vector<float> scratch(Queues::batches(kSteps) * layout.batch());
  Queues queues(layout, scratch.data(), kSteps);
  std::set<const float*> seen;
  const auto see = [&](const float* batch) {
    const std::ptrdiff_t at = batch - scratch.data() - layout.first();
    EXPECT_EQ(at % layout.batch(), 0);
    EXPECT_GE(at, 0);
    EXPECT_LT(at, static_cast<std::ptrdiff_t>(scratch.size()));
    seen.insert(batch);
  };
  for (int round = 0; round < 20; ++round) {
    see(queues.next());
    queues.enter();
    for (int step = 1; step <= kSteps; ++step) {
      see(queues.target(step));
      queues.pass(step);
    }
  }
  EXPECT_EQ(seen.size(), 9U);
}

}  // namespace
}  // namespace tessera::jacobi

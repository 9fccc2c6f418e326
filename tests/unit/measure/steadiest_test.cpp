// SPDX-License-Identifier: Apache-2.0
// Samples that a preemption spoiled are taken again, and the steadiest count.
#include <gtest/gtest.h>

#include "program/measure/timing.hpp"

namespace tessera::measure {
namespace {

using Sets = std::vector<std::vector<double>>;

TEST(Steadiest, TakesSteadySamplesOnce) {
  int takes = 0;
  const auto best = steadiest([&] {
    ++takes;
    return Sets{{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}};
  });
  EXPECT_EQ(takes, 1);
  EXPECT_EQ(best[1].median, 2);
}

TEST(Steadiest, TakesSpoiledSamplesAgain) {
  int takes = 0;
  const auto best = steadiest([&] {
    ++takes;
    return takes == 1 ? Sets{{1, 2, 3, 4, 5}} : Sets{{1, 1, 1, 1, 1.5}};
  });
  EXPECT_EQ(takes, 2);
  EXPECT_EQ(best[0].median, 1);
}

TEST(Steadiest, GivesUpAndKeepsTheSteadiest) {
  int takes = 0;
  const auto best = steadiest([&] {
    ++takes;
    return takes == 1 + kRetakes ? Sets{{1, 1, 1.2, 1.3, 1.4}} : Sets{{1, 2, 3, 4, 5}};
  });
  EXPECT_EQ(takes, 1 + kRetakes);
  EXPECT_EQ(best[0].median, 1.2);
}

}  // namespace
}  // namespace tessera::measure

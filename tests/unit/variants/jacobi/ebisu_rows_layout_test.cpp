// SPDX-License-Identifier: Apache-2.0
// What the threads of a strip of jacobi/ebisu read of each other between two barriers has been
// there since the first: no cell of the strip is written meanwhile. What a thread at the strip's
// end reads past it may be, and is worth nothing: each step is wrong R columns further in.
#include <gtest/gtest.h>

#include <vector>

#include "variants/jacobi/ebisu/streams.hpp"

namespace tessera::jacobi {
namespace {

/// Reads of a round that another thread's write of the same round may meet.
struct Meetings {
  int in_strip = 0, past_it = 0;
};

/// Rounds until every slot has had every role. `wrong`: groups that are read too far on, which is
/// what the test must find.
template <class StencilType, RowStream kStream>
Meetings meetings(int wrong = 0) {
  using Layout = RowLayout<StencilType, double, kStream>;
  constexpr int kR = Layout::kR, kH = Layout::kH, kC = Layout::kC, kSteps = Layout::kSteps;
  constexpr int kNobody = -1;
  typename Layout::Queue queue(Layout::shape());
  Meetings found;
  for (int round = 0; round <= Layout::kSlots; ++round) {
    const auto address = [&](int step, int group, int thread, int row, int x) {
      return kR + thread + queue.slot(step, group) * Layout::kGroup + Layout::at(row, x);
    };
    std::vector<int> writer(Layout::kElements, kNobody);
    for (int thread = 0; thread < Layout::kThreads; ++thread) {
      for (int h = 0; h < kH; ++h) {
        for (int c = 0; c < kC; ++c) {
          writer[address(0, Layout::kPrefetched, thread, h, c)] = thread;
          for (int step = 1; step < kSteps; ++step)
            writer[address(step, Layout::kMade, thread, h, c)] = thread;
        }
      }
    }
    for (int thread = 0; thread < Layout::kThreads; ++thread) {
      for (int step = 0; step < kSteps; ++step) {
        // A star's neighbours lie in its own rows, a box's in the rows before and behind too.
        const int rows = StencilType::kStar ? 0 : kR;
        for (int row = -rows; row < kH + rows; ++row) {
          for (int x = -kR; x < kC + kR; ++x) {
            if (x >= 0 && x < kC) continue;  // its own, in registers
            const int group = row < 0 ? -1 : row < kH ? 0 : 1;
            const int met =
                writer[address(step, Layout::kHere + group + wrong, thread, row - group * kH, x)];
            if (met == kNobody || met == thread) continue;
            const int column = thread * kC + x;
            ++(column >= 0 && column < kStream.nx ? found.in_strip : found.past_it);
          }
        }
      }
    }
    queue.shuffle();
  }
  return found;
}

template <class StencilType, RowStream kStream>
void expect_apart() {
  SCOPED_TRACE(StencilType::kName + (" " + kStream.text()));
  EXPECT_EQ((meetings<StencilType, kStream>().in_strip), 0);
  EXPECT_GT((meetings<StencilType, kStream>(1).in_strip), 0) << "the test finds nothing";
}

TEST(EbisuRowsLayout, NothingIsReadInTheRoundThatWritesIt) {
  expect_apart<J2d5pt, RowStream{.steps = 12}>();
  expect_apart<J2d5pt, RowStream{.nx = 512, .rows = 2, .columns = 2, .steps = 12}>();
  expect_apart<J2d9pt, RowStream{.steps = 8}>();
  expect_apart<J2d9pt, RowStream{.nx = 512, .rows = 2, .columns = 2, .steps = 8}>();
  expect_apart<J2d9ptGol, RowStream{.steps = 6}>();
  expect_apart<J2d9ptGol, RowStream{.nx = 512, .rows = 2, .columns = 2, .steps = 6}>();
  expect_apart<J2d25pt, RowStream{.steps = 4}>();
  expect_apart<J2d25pt, RowStream{.nx = 512, .rows = 2, .columns = 2, .steps = 4}>();
}

TEST(EbisuRowsLayout, PastTheStripTheOutermostThreadsReadWhatIsBeingWritten) {
  EXPECT_GT((meetings<J2d5pt, RowStream{.steps = 12}>().past_it), 0);
  EXPECT_EQ((meetings<J2d9ptGol, RowStream{.steps = 6}>().past_it), 0);
}

}  // namespace
}  // namespace tessera::jacobi

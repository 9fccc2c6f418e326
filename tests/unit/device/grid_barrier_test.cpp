// SPDX-License-Identifier: Apache-2.0
// A resident league whose teams wait for each other, many times.
#include "base/device/grid_barrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/device/native_launch.hpp"
#include "base/device/prefetch.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

constexpr int kThreads = 64;

/// In each round a thread takes the value of the same thread of the next team and adds one. The two
/// buffers take turns, so that one barrier a round is enough, and is needed.
struct PassAround {
  using Buffer = Kokkos::View<int*, ExecSpace::memory_space>;
  Buffer even, odd;
  GridBarrier barrier;
  int rounds;

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    unsigned passed = 0;
    const int mine = team.league_rank() * team.team_size() + team.team_rank();
    const int next =
        (team.league_rank() + 1) % team.league_size() * team.team_size() + team.team_rank();
    for (int round = 0; round < rounds; ++round) {
      const Buffer& from = round % 2 == 0 ? even : odd;
      const Buffer& to = round % 2 == 0 ? odd : even;
      to(mine) = from(next) + 1;
      barrier.arrive_and_wait(team, passed);
    }
  }
};

void check_rounds(int league, int rounds, const GridBarrier& barrier) {
  const int team = kOnDevice ? kThreads : 1;
  PassAround kernel{PassAround::Buffer("even", league * team),
                    PassAround::Buffer("odd", league * team), barrier, rounds};
  const auto start = Kokkos::create_mirror_view(kernel.even);
  for (int i = 0; i < league * team; ++i) start(i) = 1000 * i;
  Kokkos::deep_copy(kernel.even, start);
  const ExecSpace exec;
  barrier.reset(exec);
  persistent_launch<kThreads>(exec, "tessera::test::pass_around", league, 0, kernel);
  exec.fence();
  const auto end = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                       rounds % 2 == 0 ? kernel.even : kernel.odd);
  for (int rank = 0; rank < league; ++rank) {
    for (int thread = 0; thread < team; ++thread) {
      const int from = (rank + rounds) % league * team + thread;
      ASSERT_EQ(end(rank * team + thread), 1000 * from + rounds)
          << "team " << rank << " of " << league << " after " << rounds << " rounds";
    }
  }
}

int resident() { return max_resident_league<kThreads, PassAround>(ExecSpace(), 0); }

TEST(GridBarrier, EveryTeamSeesWhatItsNeighbourWroteBefore) {
  const GridBarrier barrier;
  for (const int league : {1, std::max(1, resident() / 2), resident()}) {
    check_rounds(league, 201, barrier);
  }
}

TEST(GridBarrier, IsReusedLaunchAfterLaunch) {
  const GridBarrier barrier;
  for (int launch = 0; launch < 20; ++launch) check_rounds(resident(), launch % 4, barrier);
}

/// A team says that it has ended a round, and reads what the next one left in the round before.
struct RoundLater {
  static constexpr int kRounds = 4;  ///< kept: a team may be two rounds ahead
  Kokkos::View<int*, ExecSpace::memory_space> left, wrong;
  GridBarrier barrier;
  int rounds;

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    unsigned passed = 0;
    const int size = team.league_size() * team.team_size();
    const int mine = team.league_rank() * team.team_size() + team.team_rank();
    const int next = (mine + team.team_size()) % size;
    for (int round = 0; round < rounds; ++round) {
      left(round % kRounds * size + mine) = 1000 * round + mine;
      if (round > 0) {
        barrier.wait(team, passed);
        const int value = load_from_l2(&left((round - 1) % kRounds * size + next));
        if (value != 1000 * (round - 1) + next) ++wrong(mine);
      }
      barrier.arrive(team, passed);
    }
  }
};

TEST(GridBarrier, HalvesARoundApartShowWhatWasLeftInTheRoundBefore) {
  const ExecSpace exec;
  const GridBarrier barrier;
  const int league = max_resident_league<kThreads, RoundLater>(exec, 0);
  const int size = league * (kOnDevice ? kThreads : 1);
  const RoundLater kernel{Kokkos::View<int*, ExecSpace::memory_space>("left", 4 * size),
                          Kokkos::View<int*, ExecSpace::memory_space>("wrong", size), barrier, 101};
  barrier.reset(exec);
  persistent_launch<kThreads>(exec, "tessera::test::round_later", league, 0, kernel);
  exec.fence();
  const auto wrong = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.wrong);
  for (int i = 0; i < size; ++i) ASSERT_EQ(wrong(i), 0) << "thread " << i;
}

TEST(PersistentLaunch, RefusesALeagueThatCannotBeResidentBeforeItRuns) {
  const int league = resident() + 1;
  const int team = kOnDevice ? kThreads : 1;
  const GridBarrier barrier;
  const ExecSpace exec;
  barrier.reset(exec);
  const PassAround kernel{PassAround::Buffer("even", league * team),
                          PassAround::Buffer("odd", league * team), barrier, 1};
  const std::string message = test::error_of(
      [&] { persistent_launch<kThreads>(exec, "tessera::test::too_large", league, 0, kernel); });
  EXPECT_TRUE(test::has(message, "tessera::test::too_large"));
  EXPECT_TRUE(test::has(message, fmt::format("{} teams", league)));
  EXPECT_TRUE(test::has(message, fmt::format("at most {} teams", league - 1)));
  Kokkos::fence();
  const auto odd = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.odd);
  for (std::size_t i = 0; i < odd.size(); ++i) EXPECT_EQ(odd(i), 0) << "a team ran";
}

}  // namespace
}  // namespace tessera

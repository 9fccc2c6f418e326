// SPDX-License-Identifier: Apache-2.0
// Teams that follow each other through the same rounds find what the one before has left.
#include "base/device/team_chain.hpp"

#include <gtest/gtest.h>

#include "base/device/native_launch.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)  // a chain is of a host's threads
namespace tessera {
namespace {

/// Item i turns value r of one array, in round r, into value * 3 + i: in any other order than item
/// by item another value comes out. Item i is made by team i mod T.
struct TurnValues {
  unsigned* values;
  int rounds, items;
  TeamChain::Counters chain;

  void operator()(const NativeTeam& team) const {
    const int rank = team.league_rank(), league = team.league_size();
    const int before = rank > 0 ? rank - 1 : league - 1;
    for (int i = rank, turn = 0; i < items; i += league, ++turn) {
      for (int r = 0; r < rounds; ++r) {
        chain.wait(before, static_cast<unsigned>((rank > 0 ? turn : turn - 1) * rounds + r + 1));
        values[r] = 3 * values[r] + static_cast<unsigned>(i);
        chain.finish(rank);
      }
    }
  }
};

void check_chain(const TeamChain& chain, int league, int rounds, int items) {
  SCOPED_TRACE(testing::Message() << league << " teams, " << items << " items");
  std::vector<unsigned> values(static_cast<std::size_t>(rounds));
  std::iota(values.begin(), values.end(), 1U);
  std::vector<unsigned> expected = values;
  for (int i = 0; i < items; ++i) {
    for (unsigned& value : expected) value = 3 * value + static_cast<unsigned>(i);
  }
  const ExecSpace exec;
  chain.reset(exec);
  persistent_launch<1>(exec, "tessera::test::turn_values", league, 0,
                       TurnValues{values.data(), rounds, items, chain.counters()});
  exec.fence();
  EXPECT_EQ(values, expected);
}

TEST(TeamChain, TeamsWorkInTheChainsOrder) {
  const TeamChain chain;
  const int all = static_cast<int>(ExecSpace().concurrency());
  for (const int league : {1, std::max(1, all / 2), all}) {
    for (const int items : {1, league, 3 * league + 1}) check_chain(chain, league, 101, items);
  }
}

TEST(TeamChain, IsReusedLaunchAfterLaunch) {
  const TeamChain chain;
  const int all = static_cast<int>(ExecSpace().concurrency());
  for (int launch = 0; launch < 20; ++launch) check_chain(chain, all, launch, 2 * all + 1);
}

}  // namespace
}  // namespace tessera
#endif

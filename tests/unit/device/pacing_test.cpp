// SPDX-License-Identifier: Apache-2.0
// Paced teams keep together, and all come to their end: more of them than are resident, streams of
// different lengths, and beside other kernels. On a host nobody is paced.
#include "base/device/pacing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/device/instances.hpp"
#include "base/device/native_launch.hpp"

namespace tessera {
namespace {

/// Each team walks so many planes and counts them: every third team a third of them.
struct WalkPlanes {
  Pacer pacer;
  int planes;
  Kokkos::View<int*, ExecSpace::memory_space> walked;

  [[nodiscard]] static KOKKOS_INLINE_FUNCTION int planes_of(int team, int planes) {
    return team % 3 == 2 ? planes / 3 : planes;
  }
  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Pacer::Stream pace = pacer.join(team);
    const int mine = planes_of(team.league_rank(), planes);
    for (int z = 0; z < mine; ++z) {
      pace.next_plane();
      team.team_barrier();
      if (team.team_rank() == 0) walked(team.league_rank()) += 1;
    }
    pace.leave();
  }
};

using Walked = Kokkos::View<int*, ExecSpace::memory_space>;

void launch(const ExecSpace& exec, int league, int wave, int planes, const Walked& walked) {
  native_launch<64>(exec, "tessera::test::pacing", league, 0,
                    WalkPlanes{make_pacer(exec, league, wave, planes), planes, walked});
}

void expect_all_walked(const Walked& walked, int planes) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), walked);
  for (int t = 0; t < static_cast<int>(host.extent(0)); ++t)
    ASSERT_EQ(host(t), WalkPlanes::planes_of(t, planes)) << "team " << t;
}

TEST(Pacing, CountsAreRoundedUp) {
  EXPECT_EQ(Pacer::groups(1), 1);
  EXPECT_EQ(Pacer::groups(4), 1);
  EXPECT_EQ(Pacer::groups(5), 2);
  EXPECT_EQ(Pacer::groups(1000), 250);
}

TEST(Pacing, TeamsComeToTheirEnd) {
  const ExecSpace exec;
  const int together = multiprocessors();
  for (const int league : {1, 2, together, 3 * together + 1}) {
    for (const int planes : {1, 3, 4, 37}) {
      const Walked walked("walked", league);
      launch(exec, league, together, planes, walked);
      exec.fence();
      expect_all_walked(walked, planes);
    }
  }
}

TEST(Pacing, AWaveThatIsNotResidentDoesNotHang) {
  // The launch claims that all of its teams run at the same time; most of them have not started.
  const ExecSpace exec;
  const int league = 200 * multiprocessors();
  const Walked walked("walked", league);
  launch(exec, league, league, 20, walked);
  exec.fence();
  expect_all_walked(walked, 20);
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

/// Team 0 is slow: it looks at memory kLooks times a plane, where the others look once, at how far
/// team 0 has come. `lead`: the most planes that one of them was ahead of it.
struct WalkBesideASlowOne {
  static constexpr int kLooks = 6, kPlanes = 200;
  Pacer pacer;
  Kokkos::View<int, ExecSpace::memory_space> slow, lead;

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Pacer::Stream pace = pacer.join(team);
    const bool is_slow = team.league_rank() == 0;
    for (int z = 0; z < kPlanes; ++z) {
      pace.next_plane();
      if (team.team_rank() == 0) {
        int seen = 0;
        for (int look = 0; look < (is_slow ? kLooks : 1); ++look)
          seen = Kokkos::atomic_fetch_add(slow.data(), 0);
        if (is_slow) {
          Kokkos::atomic_add(slow.data(), 1);
        } else {
          Kokkos::atomic_max(lead.data(), z - seen);
        }
      }
      team.team_barrier();
    }
    pace.leave();
  }
};

/// Of a team a multiprocessor, all of which run at the same time.
int largest_lead(bool paced) {
  const ExecSpace exec;
  const int league = multiprocessors();
  const Kokkos::View<int, ExecSpace::memory_space> slow("slow"), lead("lead");
  const Pacer pacer =
      paced ? make_pacer(exec, league, league, WalkBesideASlowOne::kPlanes) : Pacer{};
  native_launch<64>(exec, "tessera::test::pacing", league, 0,
                    WalkBesideASlowOne{pacer, slow, lead});
  exec.fence();
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lead)();
}

TEST(Pacing, HoldsTeamsTogether) {
  // A team in one group of planes has seen all others begin the one before it.
  constexpr int kMost = (Pacer::kDrift + 1) * Pacer::kPlanes;
  EXPECT_GT(largest_lead(false), 4 * kMost) << "nobody drifts: the test shows nothing";
  // The wait is bounded: where something else holds the device up, a team goes on alone.
  int least = largest_lead(true);
  for (int again = 0; again < 9; ++again) least = std::min(least, largest_lead(true));
  EXPECT_LT(least, kMost);
}

#endif

TEST(Pacing, LaunchesBesideEachOtherDoNotHang) {
  const ExecSpace exec;
  const Instances instances(3);
  const int league = 4 * multiprocessors();
  const Walked walked[] = {Walked("a", league), Walked("b", league), Walked("c", league)};
  instances.fork(exec);
  for (int i = 0; i < 3; ++i) launch(instances[i], league, 2 * multiprocessors(), 50, walked[i]);
  instances.join(exec);
  exec.fence();
  for (const Walked& w : walked) expect_all_walked(w, 50);
}

}  // namespace
}  // namespace tessera

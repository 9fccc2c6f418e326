// SPDX-License-Identifier: Apache-2.0
// Paced teams all come to their end: more of them than are resident, streams of different lengths,
// and beside other kernels. On a host nobody is paced.
#include "device/pacing.hpp"

#include <gtest/gtest.h>

#include "device/instances.hpp"
#include "device/native_launch.hpp"

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

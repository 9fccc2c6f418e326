// SPDX-License-Identifier: Apache-2.0
// Native launches: more team scratch than a Kokkos launch gives, behind the same team interface.
#include "base/device/native_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fixtures/scratch_directory.hpp"

namespace tessera::native_launch_test {
namespace {

constexpr int kThreads = 128;

/// Fills the whole team scratch with values of its own, then sums them in the opposite order.
struct FillScratch {
  Kokkos::View<long long*, ExecSpace::memory_space> sums;
  int elements;

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    using Scratch = Kokkos::View<int*, ScratchSpace, Kokkos::MemoryUnmanaged>;
    const Scratch scratch(scratch_of(team), elements);
    for (int i = team.team_rank(); i < elements; i += team.team_size()) {
      scratch(i) = i + team.league_rank();
    }
    team.team_barrier();
    // Thread 0 reads what the others wrote.
    if (team.team_rank() == 0) {
      long long sum = 0;
      for (int i = elements - 1; i >= 0; --i) sum += scratch(i);
      sums(team.league_rank()) = sum;
    }
  }

  [[nodiscard]] static std::size_t scratch_bytes(int elements) {
    return Kokkos::View<int*, ScratchSpace, Kokkos::MemoryUnmanaged>::shmem_size(elements);
  }
};

/// The same in a Kokkos team.
struct FillScratchOfTeams {
  FillScratch kernel;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.team_rank() == 0) kernel.sums(team.league_rank()) = kernel.elements;
  }
};

void check_fill(int elements) {
  const int league = 37;  // more teams than a host has threads
  const FillScratch kernel{Kokkos::View<long long*, ExecSpace::memory_space>("sums", league),
                           elements};
  const ExecSpace exec;
  native_launch<kThreads>(exec, "tessera::test::fill_scratch", league,
                          FillScratch::scratch_bytes(elements), kernel);
  exec.fence();
  const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.sums);
  const long long n = elements;
  for (int rank = 0; rank < league; ++rank) {
    EXPECT_EQ(sums(rank), n * (n - 1) / 2 + n * rank) << rank;
  }
}

TEST(NativeLaunch, GivesTheScratchThatWasAskedFor) {
  check_fill(1);
  check_fill(1000);
}

TEST(NativeLaunch, GivesMoreScratchThanAKokkosLaunchOfADevice) {
  // On a device all that there is, but for the view's own alignment; on a host as much as an L2.
  const int bytes = std::min(max_native_scratch_bytes() - kScratchSlack, 256 * 1024);
  if constexpr (kOnDevice) {
    EXPECT_GE(bytes, max_scratch_bytes() - kScratchSlack);
  }
  check_fill(bytes / static_cast<int>(sizeof(int)));
}

/// What Kokkos Tools are told of launches.
struct Told {
  std::vector<std::string> labels;
  std::vector<std::uint32_t> devices;
  std::vector<std::uint64_t> ended;
};
Told told;

/// Listens as a connector does, as long as it lives.
class Listener {
 public:
  Listener() {
    told = {};
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](const char* label, std::uint32_t device, std::uint64_t* id) {
          told.labels.emplace_back(label);
          told.devices.push_back(device);
          *id = told.labels.size();
        });
    Kokkos::Tools::Experimental::set_end_parallel_for_callback(
        [](std::uint64_t id) { told.ended.push_back(id); });
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
    Kokkos::Tools::Experimental::set_end_parallel_for_callback(nullptr);
  }
};

TEST(NativeLaunch, IsAnnouncedAsAKernel) {
  const FillScratch kernel{Kokkos::View<long long*, ExecSpace::memory_space>("sums", 1), 1};
  const ExecSpace exec;
  const std::size_t scratch = FillScratch::scratch_bytes(1);
  const Listener listener;
  native_launch<kThreads>(exec, "tessera::test::native", 1, scratch, kernel);
  persistent_launch<kThreads>(exec, "tessera::test::resident", 1, scratch, kernel);
  launch_teams<kThreads>(exec, "tessera::test::teams", 1, scratch, FillScratchOfTeams{kernel});
  const std::vector<std::string> wanted = {"tessera::test::native", "tessera::test::resident",
                                           "tessera::test::teams"};
  EXPECT_EQ(told.labels, wanted);
  EXPECT_EQ(told.ended, (std::vector<std::uint64_t>{1, 2, 3}));
  // On the device that Kokkos names for its own launch.
  EXPECT_EQ(told.devices, std::vector<std::uint32_t>(3, told.devices.back()));
}

TEST(NativeLaunch, AnAnnouncementThatNobodyHearsCostsNothing) {
  { const AnnouncedKernel silent("tessera::test::silent", ExecSpace()); }
  const Listener listener;
  { const AnnouncedKernel heard("tessera::test::heard", ExecSpace()); }
  EXPECT_EQ(told.labels, std::vector<std::string>{"tessera::test::heard"});
  EXPECT_EQ(told.ended, std::vector<std::uint64_t>{1});
}

TEST(NativeLaunch, RefusesMoreScratchThanThereIs) {
  const FillScratch kernel{Kokkos::View<long long*, ExecSpace::memory_space>("sums", 1), 1};
  const std::size_t bytes = static_cast<std::size_t>(max_native_scratch_bytes()) + 1;
  const std::string wanted = fmt::format("{} bytes of team scratch", bytes);
  EXPECT_TRUE(test::has(test::error_of([&] {
                          native_launch<kThreads>(ExecSpace(), "tessera::test::scratch", 1, bytes,
                                                  kernel);
                        }),
                        wanted));
  EXPECT_TRUE(test::has(test::error_of([&] {
                          persistent_launch<kThreads>(ExecSpace(), "tessera::test::scratch", 1,
                                                      bytes, kernel);
                        }),
                        wanted));
}

}  // namespace
}  // namespace tessera::native_launch_test

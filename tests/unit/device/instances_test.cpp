// SPDX-License-Identifier: Apache-2.0
// Fork and join order kernels on other instances, without a fence between them.
#include "base/device/instances.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace tessera {
namespace {

constexpr int kInstances = 7;
constexpr int kRounds = 5;

/// Long enough that on a device a kernel which does not wait for another one finds old values.
constexpr int kLate = kOnDevice ? 200'000 : 1000;

/// to = so many steps of a random number generator from the sum of `count` values.
KOKKOS_FUNCTION void scramble(const std::uint64_t* from, int count, int steps, std::uint64_t* to) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value += from[i];
  for (int i = 0; i < steps; ++i) value = 6364136223846793005ULL * value + 1442695040888963407ULL;
  *to = value;
}

struct Scramble {
  const std::uint64_t* from;
  int count, steps;
  std::uint64_t* to;
  KOKKOS_FUNCTION void operator()(int) const { scramble(from, count, steps, to); }
};

/// Every other instance is done at once, so that it must not start too early; the others are late,
/// so that what joins them must wait.
constexpr int steps_of(int instance) { return 1 + instance + (instance % 2) * kLate; }

/// Rounds: each instance scrambles the source of the round, and their sum, scrambled, is the source
/// of the next. work(who, from, count, steps, to) does it; who is -1 for what forks and joins.
template <class Fork, class Work, class Join>
void rounds(std::uint64_t* source, std::uint64_t* branch, const Fork& fork, const Work& work,
            const Join& join) {
  for (int r = 0; r < kRounds; ++r) {
    fork();
    for (int k = 0; k < kInstances; ++k) work(k, source + r, 1, steps_of(k), branch + k);
    join();
    work(-1, branch, kInstances, kLate, source + r + 1);
  }
}

TEST(Instances, WaitAtForkAndJoin) {
  std::array<std::uint64_t, kRounds + 1> wanted{};
  std::array<std::uint64_t, kInstances> branch{};
  const auto nothing = [] {};
  rounds(
      wanted.data(), branch.data(), nothing,
      [](int, const std::uint64_t* from, int count, int steps, std::uint64_t* to) {
        scramble(from, count, steps, to);
      },
      nothing);

  using Values = Kokkos::View<std::uint64_t*, ExecSpace::memory_space>;
  const Values source("source", kRounds + 1), branches("branches", kInstances);
  const ExecSpace exec;
  const Instances instances(kInstances);
  ASSERT_EQ(instances.size(), kInstances);
  rounds(
      source.data(), branches.data(), [&] { instances.fork(exec); },
      [&](int who, const std::uint64_t* from, int count, int steps, std::uint64_t* to) {
        const ExecSpace& on = who < 0 ? exec : instances[who];
        Kokkos::parallel_for("tessera::test::scramble", Kokkos::RangePolicy<ExecSpace>(on, 0, 1),
                             Scramble{from, count, steps, to});
      },
      [&] { instances.join(exec); });
  exec.fence();  // enough for all: what it fences has waited for the last join
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), source);
  for (int r = 1; r <= kRounds; ++r) EXPECT_EQ(got(r), wanted[r]) << "round " << r;
}

TEST(Instances, AreMadeAndDestroyedAgainAndAgain) {
  for (int i = 0; i < 20; ++i) {
    const Instances instances(i % 3);
    EXPECT_EQ(instances.size(), i % 3);
    instances.fork(ExecSpace());
    instances.join(ExecSpace());
    ExecSpace().fence();
  }
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
TEST(Instances, HaveStreamsOfTheirOwn) {
  const Instances instances(3);
  std::set<native::Stream> streams{native::stream(ExecSpace())};
  for (int i = 0; i < instances.size(); ++i) streams.insert(native::stream(instances[i]));
  EXPECT_EQ(streams.size(), 4U);
}
#endif

}  // namespace
}  // namespace tessera

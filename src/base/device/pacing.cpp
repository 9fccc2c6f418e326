// SPDX-License-Identifier: Apache-2.0
#include "base/device/pacing.hpp"

namespace tessera {
namespace {

constexpr int kLaunches = 8;        // that may be under way at the same time: `seven_concurrent`
constexpr int kCounters = 1 << 15;  // of a launch

using Counters = Kokkos::View<unsigned**, Kokkos::LayoutRight, ExecSpace::memory_space>;

/// The counters of all launches, freed when Kokkos is finalised.
Counters& all_counters() {
  static Counters counters;
  if (!counters.is_allocated()) {
    counters = Counters("tessera::pacing", kLaunches, kCounters);
    Kokkos::push_finalize_hook([] { counters = Counters(); });
  }
  return counters;
}

}  // namespace

Pacer make_pacer(const ExecSpace& exec, std::int64_t league, int wave, int planes, int drift) {
  if (!kOnDevice || wave < 2 || league < 2) return {};
  const std::int64_t waves = (league + wave - 1) / wave;
  const std::int64_t needed = waves * Pacer::groups(planes);
  if (needed > kCounters) return {};
  static int next = 0;  // launches take turns
  const auto mine = Kokkos::subview(all_counters(), next, std::make_pair(std::int64_t{0}, needed));
  next = (next + 1) % kLaunches;
  Kokkos::deep_copy(exec, mine, 0U);
  return {mine.data(), static_cast<int>(league), wave, planes, drift};
}

}  // namespace tessera

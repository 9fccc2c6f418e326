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

unsigned* pacing_counters(const ExecSpace& exec, std::int64_t count) {
  if (count > kCounters) return nullptr;
  static int next = 0;  // launches take turns
  const auto mine = Kokkos::subview(all_counters(), next, std::make_pair(std::int64_t{0}, count));
  next = (next + 1) % kLaunches;
  Kokkos::deep_copy(exec, mine, 0U);
  return mine.data();
}

}  // namespace tessera

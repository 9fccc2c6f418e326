// SPDX-License-Identifier: Apache-2.0
#include "program/run/run.hpp"

#include "base/device/profiling_region.hpp"
#include "base/device/space.hpp"
#include "base/support/interrupt.hpp"
#include "program/predict/plans.hpp"

#include <fmt/format.h>

namespace tessera {

// Named types, since a profiler without a connector knows kernels by their functors.
struct ProfileBegin {
  KOKKOS_FUNCTION void operator()(int) const {}
};
struct ProfileEnd {
  KOKKOS_FUNCTION void operator()(int) const {}
};

namespace {

template <class Mark>
void mark(const ExecSpace& exec, const char* label) {
  Kokkos::fence();  // regions may run on other instances
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecSpace>(exec, 0, 1), Mark{});
  Kokkos::fence();
}

}  // namespace

std::vector<results::Result> run_for_profiler(Case& profiled,
                                              const std::vector<Selected>& selection,
                                              const StudyProgress& progress) {
  std::vector<results::Result> rows;
  const auto count = static_cast<double>(profiled.decompositions.size() * selection.size());
  profiled.allocate();
  const ExecSpace exec;
  for (const auto& decomposition : profiled.decompositions) {
    for (const Selected& how : selection) {
      if (interrupted()) throw Interrupted{};
      results::Result row = empty_row(profiled, how, decomposition);
      const Plan plan = plan_of_regions(how, profiled.regions(decomposition), profiled.problem());
      if (!plan.supported()) {
        set_failed(row, results::Status::unsupported, plan.unsupported);
        rows.push_back(std::move(row));
        continue;
      }
      progress(static_cast<double>(rows.size()) / count,
               fmt::format("profiling {} {}", how.full_name(), decomposition));
      profiled.reset(decomposition);
      const ProfilingRegion region(how.full_name() + " " + decomposition);
      mark<ProfileBegin>(exec, "tessera::profile::begin");
      for (std::int64_t index = 0; index < profiled.steps;) {
        if (interrupted()) throw Interrupted{};
        index += profiled.step(exec, how, index, profiled.steps - index);
      }
      mark<ProfileEnd>(exec, "tessera::profile::end");
      row.resources = to_json(plan);
      row.temporal_depth = plan.temporal_depth;
      set_failed(row, results::Status::unverified, "ran for a profiler, compared with nothing");
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace tessera

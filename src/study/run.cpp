// SPDX-License-Identifier: Apache-2.0
#include "study/run.hpp"

#include "measure/energy.hpp"
#include "measure/timing.hpp"
#include "study/plans.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"

#include <cmath>
#include <memory>

namespace tessera {
namespace {

/// A configuration in a decomposition on its way through the study.
struct Entry {
  Selected how;
  std::string decomposition;
  measure::Result row;
  bool runs = false;
  std::vector<double> samples_s;  // seconds a step
  measure::Energy energy;         // of the samples
};

/// The prediction of a row that was measured, and how far the measurement is from it.
nlohmann::json predict(const Case& c, const Entry& entry, const StudyOptions& options) {
  const TrafficPrediction p =
      predict_traffic(c, entry.how, entry.decomposition, options.target, options.registers);
  nlohmann::json predicted = predicted_json(p, c.work(), options.target);
  const double measured = c.work().cells * 1e-9 / entry.row.gcell_per_s->median;
  if (predicted.contains("step_s")) {
    predicted["deviation"] = predicted.at("step_s").get<double>() / measured - 1;
  }
  if (p.attainable) {
    predicted["fraction_of_attainable"] =
        entry.row.gcell_per_s->median / (p.attainable->cells_per_s / 1e9);
  }
  return predicted;
}

/// Runs `steps` steps from the initial data between two fences; returns seconds a step. Throws
/// Interrupted after the step under way.
double one_repetition(Case& c, Entry& entry, std::int64_t steps, measure::EnergyMeter& meter) {
  c.reset(entry.decomposition);
  measure::Sampler sampler(ExecSpace(), [&](const ExecSpace& exec) {
    for (std::int64_t index = 0; index < steps;) {
      if (interrupted()) throw Interrupted{};
      index += c.step(exec, entry.how, index, steps - index);
    }
  });
  ExecSpace().fence();
  meter.start();
  const double seconds = sampler.take();
  meter.stop(entry.energy);
  return seconds / static_cast<double>(steps);
}

void warm_up(Case& c, const Entry& entry, double seconds) {
  c.reset(entry.decomposition);
  std::int64_t index = 0;
  measure::Sampler sampler(ExecSpace(), [&](const ExecSpace& exec) {
    if (interrupted()) throw Interrupted{};
    index += c.step(exec, entry.how, index, c.steps);
  });
  sampler.warm_up(seconds);
}

void check_plan_and_small_grids(Case& c, Entry& entry, std::uint64_t seed) {
  const Plan plan = plan_of_regions(entry.how, c.regions(entry.decomposition), c.problem());
  if (!plan.supported()) {
    set_failed(entry.row, measure::Status::unsupported, plan.unsupported);
    return;
  }
  entry.row.resources = to_json(plan);
  entry.row.temporal_depth = plan.temporal_depth;
  const Verdict verdict = c.verify_small(entry.how, entry.decomposition, seed);
  if (!verdict.ok) {
    set_failed(entry.row, measure::Status::invalid, verdict.reason);
    return;
  }
  entry.row.resources["verify_seed"] = seed;
  entry.row.resources["verify_worst_of_bound"] = verdict.worst;
  entry.runs = true;
}

void check_at_size(Case& c, Entry& entry, const Registry& registry) {
  const Verdict verdict = c.verify_at_size(entry.how, entry.decomposition, registry);
  if (verdict.ok) return;
  entry.runs = false;
  set_failed(entry.row, measure::Status::invalid, verdict.reason);
}

void record_range(Case& c, Entry& entry) {
  const ValueRange range = c.range();
  if (!std::isfinite(range.min) || !std::isfinite(range.max)) {
    entry.runs = false;
    set_failed(entry.row, measure::Status::invalid,
               fmt::format("the field is not finite after {} steps", c.steps));
    return;
  }
  entry.row.u_min = range.min;
  entry.row.u_max = range.max;
}

}  // namespace

measure::Result empty_row(const Case& c, const Selected& how, const std::string& decomposition) {
  measure::Result row;
  row.family = c.family;
  row.stencil = c.stencil;
  row.variant = how.variant->full_name();
  row.baseline = is_baseline(*how.variant);
  row.configuration = how.variant->configurations[how.configuration].text;
  row.decomposition = decomposition;
  row.precision = c.precision;
  row.nx = c.n.nx;
  row.ny = c.n.ny;
  row.nz = c.n.nz;
  row.steps = c.steps;
  return row;
}

std::vector<measure::Result> run_study(Case& c, const std::vector<Selected>& selection,
                                       const Registry& registry, const StudyOptions& options,
                                       const std::optional<measure::StreamRates>& streams,
                                       const StudyProgress& progress) {
  std::vector<Entry> entries;
  for (const auto& decomposition : c.decompositions) {
    for (const Selected& how : selection) {
      entries.push_back({how, decomposition, empty_row(c, how, decomposition), false, {}, {}});
    }
  }
  measure::EnergyMeter meter = measure::EnergyMeter::of_execution_space();
  const auto for_running = [&](const char* what, const auto& body) {
    std::size_t count = 0;
    for (Entry& entry : entries) {
      ++count;
      if (!entry.runs) continue;
      progress(fmt::format("{} {}/{}: {} {}", what, count, entries.size(), entry.how.full_name(),
                           entry.decomposition));
      Kokkos::Profiling::pushRegion(std::string("tessera::run::") + what);
      body(entry);
      Kokkos::Profiling::popRegion();
    }
  };

  try {
    // 1. Plans, and the reference on small ragged grids, before anything large is allocated.
    for (Entry& entry : entries) {
      if (interrupted()) throw Interrupted{};
      progress(fmt::format("verifying {} {}", entry.how.full_name(), entry.decomposition));
      check_plan_and_small_grids(c, entry, options.seed);
    }
    // 2. One step at run size, then warm-up, then rounds of one repetition each.
    c.allocate();
    for_running("checking", [&](Entry& entry) {
      if (interrupted()) throw Interrupted{};
      check_at_size(c, entry, registry);
    });
    for_running("warming up", [&](Entry& entry) { warm_up(c, entry, options.warmup_s); });
    for (int r = 0; r < std::max(options.repetitions, measure::kMinRepetitions); ++r) {
      for_running("timing", [&](Entry& entry) {
        entry.samples_s.push_back(one_repetition(c, entry, c.steps, meter));
        if (r == 0) record_range(c, entry);
      });
    }
  } catch (const Interrupted&) {
    progress("interrupted: writing what is there");
  }

  std::vector<measure::Result> rows;
  for (Entry& entry : entries) {
    if (entry.runs && !entry.samples_s.empty()) {
      set_valid(entry.row, entry.samples_s, c.work(), streams);
      entry.row.steps_per_sample = static_cast<int>(c.steps);
      entry.row.predicted = predict(c, entry, options);
      entry.row.energy = meter.to_json(entry.energy, c.work().cells * static_cast<double>(c.steps));
      if (interrupted()) entry.row.reason = "interrupted: fewer repetitions than asked for";
    } else if (entry.runs || entry.row.reason.empty()) {
      set_failed(entry.row, measure::Status::unsupported, "interrupted before it was measured");
    }
    rows.push_back(std::move(entry.row));
  }
  return rows;
}

}  // namespace tessera

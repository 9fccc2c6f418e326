// SPDX-License-Identifier: Apache-2.0
#include "program/run/run.hpp"

#include "base/case/phases.hpp"
#include "base/device/profiling_region.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "program/measure/timing.hpp"
#include "program/predict/plans.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>

namespace tessera {
namespace {

/// A configuration in a decomposition on its way through the study.
struct Entry {
  Selected how;
  std::string decomposition;
  results::Result row;
  bool runs = false;
  bool kept = false;              // the row is an earlier run's
  std::vector<double> samples_s;  // seconds a step
  measure::Energy energy;         // of the samples
};

/// Thrown where the time budget is spent.
struct OutOfTime {};

void check_time(const comm::Ranks& ranks, const StudyOptions& options) {
  if (interrupted()) throw Interrupted{};
  const bool late = options.deadline && std::chrono::steady_clock::now() > *options.deadline;
  if (ranks.broadcast(late)) throw OutOfTime{};
}

/// The earlier run's row of the same configuration of the same case, on as many ranks, which
/// exchange alike.
const results::Result* find_earlier(const StudyRows& earlier, const results::Result& row,
                                    const comm::Parallel& parallel) {
  const std::string transport = parallel.transport ? parallel.transport->name() : "";
  const auto found = std::find_if(earlier.begin(), earlier.end(), [&](const results::Result& r) {
    return io::value_or(r.parallel, "ranks", 1) == parallel.ranks.size() &&
           io::value_or(r.parallel, "transport", transport) == transport && is_alike(r, row);
  });
  return found == earlier.end() ? nullptr : &*found;
}

int repetitions_of(const StudyOptions& options) {
  return std::max(options.repetitions, measure::kMinRepetitions);
}

/// What profilers call a stage of a row: the samples have the row's name, the rest its kind.
std::string region_of(std::string_view stage, const Entry& entry) {
  if (stage == "timing") return entry.how.full_name() + " " + entry.decomposition;
  if (stage == "verifying" || stage == "checking") return "tessera::verification";
  return stage == "warming up" ? "tessera::warm-up" : "tessera::" + std::string(stage);
}

/// When rows are saved: a slow disk must not slow the study.
class SaveClock {
 public:
  [[nodiscard]] bool due() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kEvery) return false;
    last_ = now;
    return true;
  }

 private:
  static constexpr std::chrono::seconds kEvery{5};
  std::chrono::steady_clock::time_point last_{};  // the first sample is saved at once
};

/// The prediction of a row that was measured, and how far the measurement is from it.
nlohmann::json predict(const Case& c, const Selected& how, const std::string& decomposition,
                       const results::Result& row, const StudyOptions& options) {
  const TrafficPrediction p =
      predict_traffic(c, how, decomposition, options.target, options.registers);
  nlohmann::json predicted = predicted_json(p, c.work(), options.target);
  const double measured = c.work().cells * 1e-9 / row.gcell_per_s->median;
  if (predicted.contains("step_s")) {
    predicted["deviation"] = predicted.at("step_s").get<double>() / measured - 1;
  }
  if (p.attainable) {
    predicted["fraction_of_attainable"] =
        row.gcell_per_s->median / (p.attainable->cells_per_s / 1e9);
  }
  return predicted;
}

/// Runs `steps` steps from the initial data between two fences; returns seconds a step, of the
/// slowest rank. Throws Interrupted after the step under way.
double one_repetition(Case& c, Entry& entry, std::int64_t steps, measure::EnergyMeter& meter) {
  c.reset(entry.decomposition);
  measure::Sampler sampler(ExecSpace(), [&](const ExecSpace& exec) {
    for (std::int64_t index = 0; index < steps;) {
      if (interrupted()) throw Interrupted{};
      index += c.step(exec, entry.how, index, steps - index);
    }
  });
  ExecSpace().fence();
  c.parallel.ranks.barrier();
  meter.start();
  const double seconds = c.parallel.ranks.max(sampler.take());
  meter.stop(entry.energy);
  return seconds / static_cast<double>(steps);
}

/// Runs steps for `seconds`, between two readings of the meter: the energy of a row whose samples
/// are too short for it. Throws Interrupted after the step under way.
void measure_energy(Case& c, Entry& entry, double seconds, measure::EnergyMeter& meter) {
  using Clock = std::chrono::steady_clock;
  c.reset(entry.decomposition);
  ExecSpace().fence();
  measure::Energy energy;
  std::int64_t index = 0;
  meter.start();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    for (const std::int64_t last = index + c.steps; index < last;) {
      if (interrupted()) throw Interrupted{};
      index += c.step(ExecSpace(), entry.how, index, last - index);
    }
    ExecSpace().fence();
  }
  meter.stop(energy);
  entry.row.energy = meter.to_json(energy, c.work().cells * static_cast<double>(index));
}

/// Whether an entry is its variant's fastest in its decomposition (the first of equals), and its
/// samples are too short for a figure of energy as exact as that of an interval for energy alone.
bool wants_energy(const Entry& entry, const std::vector<Entry>& entries) {
  if (!entry.runs || entry.row.energy.value("error", 1.0) <= 1 / measure::kEnergyPeriods)
    return false;
  const auto order = [](const Entry& e) {
    return std::pair(machine::summarise(e.samples_s).median, &e);
  };
  return std::none_of(entries.begin(), entries.end(), [&](const Entry& other) {
    return other.runs && other.how.variant == entry.how.variant &&
           other.decomposition == entry.decomposition && order(other) < order(entry);
  });
}

void warm_up(Case& c, const Entry& entry, double seconds) {
  c.reset(entry.decomposition);
  std::int64_t index = 0;
  measure::Sampler sampler(ExecSpace(), [&](const ExecSpace& exec) {
    if (interrupted()) throw Interrupted{};
    index += c.step(exec, entry.how, index, c.steps);
  });
  sampler.warm_up(seconds, [&](double s) { return c.parallel.ranks.max(s); });
}

void check_plan_and_small_grids(Case& c, Entry& entry, std::uint64_t seed) {
  const std::vector<Region> regions = c.regions(entry.decomposition);
  const Plan plan = plan_of_regions(entry.how, regions, c.problem());
  std::string why = plan.unsupported;
  if (why.empty() && !c.parallel.ranks.alone()) why = c.refused_on_ranks(entry.how);
  const Verdict runs = agreed(c.parallel.ranks, {why.empty(), why});
  if (!runs.ok) {
    set_failed(entry.row, results::Status::unsupported, why.empty() ? runs.reason : why);
    return;
  }
  entry.row.resources = to_json(plan);
  if (const auto tile = default_tile(plan, regions.front().box); !tile.is_null()) {
    entry.row.resources["default_tile"] = tile;
  }
  entry.row.temporal_depth = plan.temporal_depth;
  const Verdict verdict = c.verify_small(entry.how, entry.decomposition, seed);
  if (!verdict.ok) {
    set_failed(entry.row, results::Status::invalid, verdict.reason);
    return;
  }
  entry.row.resources["verify_seed"] = seed;
  entry.row.resources["verify_worst_of_bound"] = verdict.worst;
  const auto error = c.storage_error(entry.how, entry.decomposition);
  if (error && !std::isfinite(*error)) {
    set_failed(entry.row, results::Status::invalid,
               fmt::format("the field is not finite at a reduced size{}", c.not_finite()));
    return;
  }
  if (error) entry.row.resources["storage_error"] = *error;
  entry.runs = true;
}

/// Which ranks a row runs on. It is recorded from the first sample on: a run that is stopped before
/// it measures the phases must not leave rows that look like those of one rank.
void record_ranks(const Case& c, Entry& entry) {
  if (c.parallel.ranks.alone()) return;
  entry.row.parallel = parallel_json(c.rank_grid(), c.parallel.transport->name(), c.overlaps(), {});
}

/// What a step on several ranks consists of.
void record_phases(Case& c, Entry& entry) {
  const auto seconds = machine::summarise(entry.samples_s).median;
  entry.row.parallel = measure_phases(c, entry.how, entry.decomposition, seconds);
}

void check_at_size(Case& c, Entry& entry, const Registry& registry) {
  const Verdict verdict = c.verify_at_size(entry.how, entry.decomposition, registry);
  if (verdict.ok) return;
  entry.runs = false;
  set_failed(entry.row, results::Status::invalid, verdict.reason);
}

void record_range(Case& c, Entry& entry) {
  const ValueRange range = c.range();
  if (!std::isfinite(range.min) || !std::isfinite(range.max)) {
    entry.runs = false;
    set_failed(entry.row, results::Status::invalid,
               fmt::format("the field is not finite after {} steps{}", c.steps, c.not_finite()));
    return;
  }
  const double largest = std::max(std::abs(range.min), std::abs(range.max));
  if (largest > c.bound()) {
    entry.runs = false;
    set_failed(entry.row, results::Status::invalid,
               fmt::format("the field has grown without bound: {:.3g} after {} steps, where {:.3g} "
                           "is out of reach of a stable update",
                           largest, c.steps, c.bound()));
    return;
  }
  entry.row.u_min = range.min;
  entry.row.u_max = range.max;
}

/// The rows as they stand. `stopped` is why no more is measured, or empty.
StudyRows rows_of(const Case& c, const std::vector<Entry>& entries, const StudyOptions& options,
                  const std::optional<machine::StreamRates>& streams, const std::string& stopped) {
  StudyRows rows;
  for (const Entry& entry : entries) {
    results::Result row = entry.row;
    if (entry.runs && !entry.samples_s.empty()) {
      set_valid(row, entry.samples_s, c.work(), streams);
      row.steps_per_sample = c.steps;
      row.predicted = predict(c, entry.how, entry.decomposition, row, options);
      const auto taken = static_cast<int>(entry.samples_s.size());
      if (taken < repetitions_of(options)) {
        row.reason =
            fmt::format("{}: {} of {} repetitions", stopped, taken, repetitions_of(options));
      }
    } else if (!entry.kept && (entry.runs || row.reason.empty())) {
      const auto* earlier = find_earlier(options.earlier, entry.row, c.parallel);
      if (earlier != nullptr && earlier->status == results::Status::valid) {
        row = *earlier;
      } else {
        set_failed(row, results::Status::unmeasured, stopped);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

bool is_all_kept(const Case& c, const std::vector<Selected>& selection,
                 const StudyOptions& options) {
  const StudyRows rows = empty_rows(c, selection);
  return std::all_of(rows.begin(), rows.end(), [&](const results::Result& row) {
    const auto* earlier = find_earlier(options.earlier, row, c.parallel);
    return earlier != nullptr && is_finished(*earlier, repetitions_of(options));
  });
}

StudyRows empty_rows(const Case& c, const std::vector<Selected>& selection) {
  StudyRows rows;
  for (const auto& decomposition : c.decompositions) {
    for (const Selected& how : selection) rows.push_back(empty_row(c, how, decomposition));
  }
  return rows;
}

StudyRows run_study(Case& c, const std::vector<Selected>& selection, const Registry& registry,
                    const StudyOptions& options, const std::optional<machine::StreamRates>& streams,
                    const StudyProgress& progress) {
  const comm::Ranks& ranks = c.parallel.ranks;
  std::vector<Entry> entries;
  for (const auto& decomposition : c.decompositions) {
    for (const Selected& how : selection) {
      Entry entry{how, decomposition, empty_row(c, how, decomposition), false, false, {}, {}};
      const auto* earlier = find_earlier(options.earlier, entry.row, c.parallel);
      const bool kept = earlier != nullptr && is_finished(*earlier, repetitions_of(options));
      if (kept) entry.row = *earlier;
      entry.kept = ranks.broadcast(kept);
      entries.push_back(std::move(entry));
    }
  }
  measure::EnergyMeter meter = options.open_meter ? options.open_meter() : measure::EnergyMeter();
  // A stage: `body` for each entry that `takes_part`, `rounds` times.
  const auto stage = [&](const char* what, int rounds, const auto& takes_part, const auto& body) {
    const auto count = std::count_if(entries.begin(), entries.end(), takes_part);
    std::ptrdiff_t done = 0;
    for (int round = 0; round < rounds; ++round) {
      for (Entry& entry : entries) {
        if (!takes_part(entry)) continue;
        check_time(ranks, options);
        const std::string turn =
            rounds > 1 ? fmt::format("round {} of {}, ", round + 1, rounds) : std::string();
        progress(static_cast<double>(done) / static_cast<double>(rounds * count),
                 fmt::format("{}, {}{} of {}: {} {}", what, turn, done % count + 1, count,
                             entry.how.full_name(), entry.decomposition));
        const ProfilingRegion region(region_of(what, entry));
        body(entry);
        ++done;
      }
    }
    if (done > 0) progress(1, fmt::format("{}, done", what));
  };
  const auto is_fresh = [](const Entry& entry) { return !entry.kept && entry.row.reason.empty(); };
  const auto runs = [](const Entry& entry) { return entry.runs; };
  SaveClock save_clock;

  std::string stopped;
  try {
    // 1. Plans, and the reference on small ragged grids, before anything large is allocated.
    stage("verifying", 1, is_fresh,
          [&](Entry& entry) { check_plan_and_small_grids(c, entry, options.seed); });
    // 2. One step at run size, then warm-up, then rounds of one repetition each.
    if (std::any_of(entries.begin(), entries.end(), runs)) c.allocate();
    stage("checking", 1, runs, [&](Entry& entry) { check_at_size(c, entry, registry); });
    stage("warming up", 1, runs, [&](Entry& entry) { warm_up(c, entry, options.warmup_s); });
    stage("timing", repetitions_of(options), runs, [&](Entry& entry) {
      entry.samples_s.push_back(one_repetition(c, entry, c.steps, meter));
      something_to_save();
      entry.row.energy = meter.to_json(entry.energy, c.work().cells * static_cast<double>(c.steps));
      if (entry.samples_s.size() == 1) {
        record_range(c, entry);
        record_ranks(c, entry);
      }
      if (options.save && ranks.first() && save_clock.due()) {
        options.save(rows_of(c, entries, options, streams, "ended before its time"));
      }
    });
    // 3. Phases, where there are several ranks.
    if (!ranks.alone()) {
      stage("phases", 1, runs, [&](Entry& entry) { record_phases(c, entry); });
    }
    // 4. Energy, where a sample is too short for the counter: of each variant's best alone, since
    // it takes as long as several samples.
    if (meter.known()) {
      stage(
          "energy", 1, [&](const Entry& entry) { return wants_energy(entry, entries); },
          [&](Entry& entry) {
            measure_energy(c, entry, measure::kEnergyPeriods * meter.period_s(), meter);
          });
    }
  } catch (const Interrupted&) {
    stopped = "interrupted";
  } catch (const OutOfTime&) {
    stopped = "the time budget was spent";
  }
  return rows_of(c, entries, options, streams, stopped);
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "program/shot/shot_report.hpp"

#include "base/support/bytes.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/velocity_units.hpp"
#include "program/results/study_table.hpp"
#include "program/shot/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace tessera {

using namespace shot;

namespace {

/// Below it a wave of f_max visibly lags and trails ripples over a few dozen wavelengths.
constexpr double kFewestPoints = 5;
/// Layers of fewer cells let an offset of u grow, which a run of more steps may show:
/// docs/numerics.md.
constexpr int kSteadyLayer = 15;
constexpr std::int64_t kLongRun = 10'000;
/// Creating the places of more snapshots takes tens of seconds.
constexpr std::int64_t kManySnapshots = 100'000;

/// Numbers below it have fewer digits than float's, those of 1e-7 of it none: they are 0.
constexpr double kFaint = static_cast<double>(std::numeric_limits<float>::min()) /
                          static_cast<double>(std::numeric_limits<float>::epsilon());

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / kBytesPerGiB; }

/// Sources so weak that u, or what is recorded of it as float, is rounded to 0.
void warn_of_faintness(const ShotCase& shot) {
  double strongest = 0;
  for (const ShotSource& source : shot.sources) {
    strongest = std::max(strongest, source.wavelet.strength());
  }
  const acoustic::Setup& s = shot.setup;
  const double v_dt = shot.v.maximum * s.dt();
  const double added = strongest * v_dt * v_dt / (s.h[0] * s.h[1] * s.h[2]);
  if (strongest == 0 || added >= kFaint) return;
  warn(fmt::format(
      "the strongest source adds at most {:.3g} to u in a step: below {:.3g} what is "
      "recorded, in float, has few digits or is 0; u grows with the amplitude: raise it",
      added, kFaint));
}

/// Sources that radiate nothing.
void warn_of_silence(const ShotCase& shot) {
  const double end = static_cast<double>(shot.steps) * shot.setup.dt();
  for (const ShotSource& source : shot.sources) {
    const Wavelet& w = source.wavelet;
    if (w.kind == Wavelet::Kind::ricker && w.t0 - 1.2 / w.f_peak >= end) {
      warn(
          fmt::format("a Ricker wavelet of f_peak = {:g} Hz with t0 = {:g} s begins after the end "
                      "of the run at {:g} s: it radiates nothing; t0 = {:g} s is late enough",
                      w.f_peak, w.t0, end, 1.2 / w.f_peak));
    }
  }
  const bool silent =
      std::all_of(shot.sources.begin(), shot.sources.end(),
                  [](const ShotSource& source) { return source.wavelet.amplitude == 0; });
  if (silent) warn("the amplitude of every source is 0: all that is recorded will be 0");
  warn_of_faintness(shot);
}

/// A question about velocities that no rock has, by the quantity that they were made of.
std::string question_of(const ShotCase& shot) {
  const std::string& quantity = shot.source_file.quantity;
  const bool plain = quantity == "velocity_m_s";
  const std::string slow =
      fmt::format("no rock is that slow: is model.quantity = \"{}\" right?", quantity);
  const std::string fast = "were they m/s already? model.quantity is \"velocity_km_s\"";
  return velocity_question(
      shot.v.minimum, shot.v.maximum,
      plain ? "km/s? set model.quantity = \"velocity_km_s\", or give the model in m/s" : slow,
      quantity == "velocity_km_s" ? std::string_view(fast) : kTooFast);
}

/// 10^9 updates of cells that the shot's steps made.
double giga_updates(const ShotCase& shot, const ShotOutcome& outcome) {
  return static_cast<double>(shot.setup.n.cells()) *
         static_cast<double>(outcome.steps - outcome.first) / 1e9;
}

/// "1 receiver", "2 receivers".
template <class Count>
std::string counted(Count count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void print_memory(const ShotCase& shot, const FreeMemory& free) {
  const Extents& n = shot.setup.n;
  const ShotMemory needed = memory_of(shot);
  say("{} x {} x {} cells (nx, ny, nz), {}, {}\n", n.nx, n.ny, n.nz, shot.precision,
      shot.how.full_name());
  if (!shot.parallel.ranks.alone()) {
    say("{} ranks, transport {}; memory is of rank 0\n", shot.parallel.ranks.size(),
        shot.parallel.transport->name());
  }
  if constexpr (kOnDevice) {
    say("memory: device {:.3f} GiB of {:.2f} GiB available, host {:.3f} GiB of {:.2f} GiB\n",
        gib(needed.fields), gib(free.device), gib(needed.staging), gib(free.host));
  } else {
    const std::int64_t bytes = needed.fields + needed.staging;
    say("memory: {:.3f} GiB ({:.3f} fields, {:.3f} model and staging) of {:.2f} GiB "
        "available\n",
        gib(bytes), gib(needed.fields), gib(needed.staging), gib(free.host));
  }
  flush_output();
}

void require_memory(const ShotCase& shot, const FreeMemory& free) {
  const Extents& n = shot.setup.n;
  const ShotMemory needed = memory_of(shot);
  const std::string of_file = needed.file == 0
                                  ? ""
                                  : fmt::format(" ({:.2f} GiB of it the model file {})",
                                                gib(needed.file), shot.source_file.file);
  const std::string of_plans =
      2 * needed.plans < needed.staging
          ? ""
          : fmt::format(" ({:.2f} GiB of it the list of {} snapshots: raise snapshots.every)",
                        gib(needed.plans), shot.snapshots());
  const auto enough = [&](const char* where, std::int64_t bytes, std::int64_t available,
                          int ranks) {
    require(bytes <= available,
            "not enough {4} memory: a grid of {0} x {1} x {2} cells requires {3:.2f} GiB{5}, "
            "{6:.2f} GiB available{7}",
            n.nx, n.ny, n.nz, gib(bytes), where,
            kOnDevice && bytes == needed.fields ? "" : of_file + of_plans, gib(available),
            FreeMemory::to_each(ranks));
  };
  if (kOnDevice) enough("device", needed.fields, free.device, free.device_ranks);
  enough("host", needed.staging + (kOnDevice ? 0 : needed.fields), free.host, free.host_ranks);
}

void print_numerics(const ShotCase& shot) {
  const acoustic::Setup& s = shot.setup;
  const double peak = shot.lowest_peak();
  say("velocity: {:g} to {:g} m/s\n"
      "time step: {:.6g} s, {}, {:.4g} s in all; CFL fraction {:.3f} of 1 (limit {:.6g} s)\n"
      "shortest wavelength: {:.4g} m at {:g} Hz, {:.2f} points on it\n"
      "PML: {} cells{}, {:.2f} wavelengths of {:g} Hz at {:g} m/s{}\n"
      "{}, {}, {}\n",
      shot.v.minimum, shot.v.maximum, s.dt(), counted(shot.steps, "step"),
      static_cast<double>(shot.steps) * s.dt(), shot.cfl_fraction(), s.dt() / shot.cfl_fraction(),
      shot.v.minimum / s.f_max, s.f_max, shot.points_per_wavelength(), s.pml_cells,
      s.convolutional() ? ", convolutional" : "", shot.pml_wavelengths(), peak, shot.v.maximum,
      s.free_surface ? "; a free surface on top" : "", counted(shot.sources.size(), "source"),
      counted(shot.receivers.size(), "receiver"), counted(shot.snapshots(), "snapshot"));
  if (s.storage != Storage::plain)
    say("u in {}: up to {:.4g}\n", to_string(s.storage),
        largest_stored(s.storage) / shot.storage_scale());
  if (shot.rounds() && shot.accuracy_steps == 0)
    say("fields are rounded: --accuracy measures by how much the traces differ\n");
  if (!shot.model.note.empty()) say("{}\n", shot.model.note);
  if (shot.moved_m > 1e-6 * shot.setup.h[0]) {  // more than rounding
    say("places moved to the nearest cell: by at most {:g} m along an axis\n", shot.moved_m);
  }
  flush_output();
  if (shot.points_per_wavelength() < kFewestPoints) {
    warn(
        fmt::format("{:.2f} points on the shortest wavelength, fewer than {}: expect numerical "
                    "dispersion; refine acoustic.h or lower the frequency",
                    shot.points_per_wavelength(), kFewestPoints));
  }
  const double narrow = s.convolutional() ? 0.2 : 0.5;
  if (shot.pml_wavelengths() < narrow) {
    warn(
        fmt::format("the PML is {:.2f} wavelengths wide, less than {}: expect reflections; raise "
                    "acoustic.pml_cells",
                    shot.pml_wavelengths(), narrow));
  }
  if (s.pml_cells > 0 && !s.convolutional() && s.pml_cells < kSteadyLayer &&
      shot.steps > kLongRun) {
    warn(
        fmt::format("in runs of more than {} steps an offset of u grows by a PML of fewer than {} "
                    "cells; raise acoustic.pml_cells",
                    kLongRun, kSteadyLayer));
  }
  const std::string question = question_of(shot);
  if (!question.empty()) warn(question);
  const auto silent = std::count_if(shot.receivers.begin(), shot.receivers.end(),
                                    [&](const Station& r) { return on_surface(s, r); });
  if (silent > 0) {
    warn(fmt::format("{} {} on the free surface, where u is 0", counted(silent, "receiver"),
                     silent == 1 ? "lies" : "lie"));
  }
  if (shot.snapshots() > kManySnapshots) {
    warn(
        fmt::format("{} snapshots: to create their places takes tens of seconds and more; raise "
                    "snapshots.every",
                    shot.snapshots()));
  }
  warn_of_silence(shot);
  for (const ShotSource& source : shot.sources) {
    const Wavelet& w = source.wavelet;
    if (w.kind == Wavelet::Kind::ricker && w.t0 < 0.9 / w.f_peak) {
      warn(fmt::format(
          "a Ricker wavelet of f_peak = {:g} Hz with t0 = {:g} s is cut at its start: its first "
          "sample is not zero, and it radiates noise of all frequencies; t0 = {:g} s "
          "is late enough",
          w.f_peak, w.t0, 1.2 / w.f_peak));
    }
    if (w.kind == Wavelet::Kind::ricker && 2 * w.f_peak > s.f_max) {
      warn(
          fmt::format("a Ricker wavelet of f_peak = {:g} Hz reaches well beyond acoustic.f_max = "
                      "{:g} Hz; {:g} Hz covers it",
                      w.f_peak, s.f_max, kRickerBand * w.f_peak));
    }
  }
}

void print_times(const ShotCase& shot, const ShotOutcome& outcome) {
  const ShotTimes& t = outcome.times;
  const auto line = [&](const char* name, double seconds) {
    say("  {:<22} {:>9.3f} s {:>5.1f} %\n", name, seconds,
        t.wall > 0 ? 100 * seconds / t.wall : 0.0);
  };
  say("times ({})\n", counted(outcome.steps - outcome.first, "step"));
  if (t.joint > 0) {
    line("inner and PML together", t.joint);
  } else {
    line("inner", t.inner);
    line("PML", t.pml);
  }
  line("source and receivers", t.source_receivers);
  line("checks for NaN", t.checks);
  line("I/O", t.io);
  line("all", t.wall);
  if (kTimedEvery > 1) {
    say("  (kernels were timed on {} of the steps, one in {}, and scaled)\n", t.timed_steps,
        kTimedEvery);
  }
  if (outcome.status == ShotOutcome::Status::not_finite) return;  // a wrong result has no rate
  const double updates = giga_updates(shot, outcome);
  if (t.kernels() > 0) {
    say("rate: {:.4g} GCell/s in the kernels, {:.4g} GCell/s overall\n", updates / t.kernels(),
        updates / t.wall);
  }
  say("last field: u_min {:.9g}, u_max {:.9g}\n", outcome.u.min, outcome.u.max);
}

std::string format_verdict(const ShotCase& shot, const ShotOutcome& outcome) {
  if (outcome.status == ShotOutcome::Status::not_finite) return "FAIL\n";
  const std::string name =
      fmt::format("shot/{}/{}/{}/{}", shot.inner ? "ete" : "fd", shot.how.full_name(),
                  to_string(shot.setup.decomposition), shot.precision) +
      (shot.setup.storage == Storage::plain ? ""
                                            : fmt::format("/{}", to_string(shot.setup.storage)));
  return results::figure_of_merit(name, giga_updates(shot, outcome) / outcome.times.wall) +
         "PASS\n";
}

}  // namespace tessera

namespace tessera::shot {

namespace {

/// Warns of several places that lie within a tenth of a cell.
void warn_of_span(const NamedPlaces& places, const acoustic::Setup& s,
                  std::vector<std::string>& warnings) {
  if (places.at.size() < 2) return;
  io::Position low = places.at.front(), high = low;
  for (const io::Position& at : places.at) {
    low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
  }
  const double span = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  const double cell = *std::min_element(s.h.begin(), s.h.end());
  if (span >= 0.1 * cell) return;
  warnings.push_back(
      fmt::format("{}: {} places lie within {:g} m, a cell is {:g} m: km? places are in m",
                  places.where, places.at.size(), span, cell));
}

/// Warns of tops of layers that all lie within a cell.
void warn_of_tops(const io::Deck& deck, const acoustic::Setup& s,
                  std::vector<std::string>& warnings) {
  if (!deck.contains("model.tops")) return;
  const auto tops = deck.get<std::vector<double>>("model.tops");
  if (tops.size() < 2 || tops.back() >= s.h[2]) return;
  warnings.push_back(
      fmt::format("{}: {} layers begin within {:g} m, a cell is {:g} m: km? depths are in m",
                  deck.where("model.tops"), tops.size(), tops.back(), s.h[2]));
}

}  // namespace

std::vector<std::string> unit_warnings(const io::Deck& deck, const ShotCase& shot,
                                       PlacesOf places) {
  std::vector<io::Deck> tables = deck.tables("receivers");
  if (places == PlacesOf::survey) {
    for (const io::Deck& table : deck.tables("survey")) {
      if (!table.contains("segy")) tables.push_back(table);
    }
  }
  std::vector<std::string> warnings;
  for (const io::Deck& table : tables) warn_of_span(read_places(table), shot.setup, warnings);
  warn_of_tops(deck, shot.setup, warnings);
  return warnings;
}

std::vector<std::string> idle_keys(const io::Deck& deck, const ShotCase& shot,
                                   const ShotOutput& output) {
  std::vector<std::string> idle;
  const auto say_idle = [&](const std::string& what, const char* why) {
    idle.push_back(fmt::format("{} has no effect: {}", what, why));
  };
  if (!shot.inner) {
    for (const char* key : {"shot.ete_stencil", "shot.ete_variant", "shot.velocities", "fit"}) {
      if (deck.contains(key)) say_idle(deck.where(key), "shot.operator is \"fd\"");
    }
  }
  if (shot.accuracy_steps > 0 && !shot.rounds()) {
    say_idle("--accuracy (shot.accuracy)", "acoustic.storage is \"plain\", and vp is not rounded");
  }
  if (!output.segy && deck.contains("output.segy_interval_ms")) {
    say_idle(deck.where("output.segy_interval_ms"), "output.segy is false");
  }
  if (!output.csv && !output.segy && deck.contains("receivers")) {
    say_idle("[[receivers]]", "output.csv and output.segy are false");
  }
  if (shot.snapshot_every > shot.steps) {
    idle.push_back(fmt::format("{} = {} is more than the {} steps: no snapshot will be taken",
                               deck.where("snapshots.every"), shot.snapshot_every, shot.steps));
  }
  return idle;
}

}  // namespace tessera::shot

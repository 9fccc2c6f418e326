// SPDX-License-Identifier: Apache-2.0
#include "program/shot/output.hpp"

#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"
#include "program/shot/keys.hpp"
#include "program/shot/shot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tessera::shot {

namespace {

/// Why no file would record anything, with the way out; empty where one does.
std::string records_nothing(const ShotCase& shot, const ShotOutput& output) {
  if (shot.snapshots() > 0) return {};
  const bool gather = output.csv || output.segy;
  if (gather && !shot.receivers.empty()) return {};
  const std::string missing =
      shot.receivers.empty() ? "there are no receivers" : "output.csv and output.segy are false";
  const std::string snapshots = shot.snapshot_every == 0
                                    ? "there are no snapshots"
                                    : fmt::format("snapshots.every = {} is more than the {} steps",
                                                  shot.snapshot_every, shot.steps);
  return fmt::format("nothing would be recorded: {}, and {}; {}, or snapshots within the run",
                     missing, snapshots,
                     shot.receivers.empty() ? "give [[receivers]]" : "set one of them to true");
}

}  // namespace

ShotOutput read_shot_output(const io::Deck& deck) {
  ShotOutput out;
  out.segy = io::have_segy();
  output_keys().read(deck, out);
  const char* key = "output.segy_interval_ms";
  if (deck.contains(key)) {
    const double us = 1000 * deck.get<double>(key);
    require(std::abs(us - std::round(us)) < 1e-6,
            "{} = {} ms is not a whole number of microseconds", deck.where(key), us / 1000);
    out.segy_interval_us = static_cast<int>(std::round(us));
  }
  return out;
}

std::vector<std::string> recorded_names(const ShotCase& shot, const ShotOutput& output) {
  std::vector<std::string> names;
  if (!shot.receivers.empty() && output.csv) names.emplace_back("gather.csv");
  if (!shot.receivers.empty() && output.segy) names.emplace_back("gather.sgy");
  if (shot.snapshot_every > 0) {
    names.emplace_back("snapshots.h5");
    if (!shot.snapshot_half) names.emplace_back("snapshots.xdmf");
  }
  return names;
}

void check_output(const ShotCase& shot, const ShotOutput& output) {
  const std::string nothing = records_nothing(shot, output);
  require(nothing.empty(), "{}", nothing);
  if (output.segy && !shot.receivers.empty()) {
    static_cast<void>(io::plan_segy(gather_options(shot, output)));
  }
}

namespace {

constexpr int kCsvBytes = 14;  // of a sample in text, at most except for rare ones

/// Bytes, where the numbers of a deck may have a product that no integer holds.
std::uint64_t whole_bytes(double bytes) {
  constexpr double kMost = 1e18;
  return static_cast<std::uint64_t>(std::min(bytes, kMost));
}

std::vector<std::string> segy_text(const ShotCase& shot) {
  const acoustic::Setup& s = shot.setup;
  const io::Position& at = shot.sources.front().station.at;
  const Wavelet& w = shot.sources.front().wavelet;
  const bool ricker = w.kind == Wavelet::Kind::ricker;
  std::vector<std::string> lines = {
      "SYNTHETIC SHOT GATHER, PRESSURE IN PA, WRITTEN BY TESSERA",
      "ACOUSTIC, CONSTANT DENSITY, 8TH ORDER IN SPACE, 2ND IN TIME, PML",
      fmt::format("GRID {} X {} X {} CELLS (X, Y, Z), PML {} CELLS{}", s.n.nx, s.n.ny, s.n.nz,
                  s.pml_cells, s.free_surface ? ", FREE SURFACE AT Z = 0" : ""),
      fmt::format("SPACING {:g} {:g} {:g} M, TIME STEP OF THE RUN {:.9g} S", s.h[0], s.h[1], s.h[2],
                  s.dt()),
      "COORDINATES FROM THE FIRST CELL OF THE INNER REGION, Z DOWNWARD",
      fmt::format("SOURCE OF SHOT {}: {:g} {:g} {:g} (X, Y, Z IN M)", shot.number, at.x, at.y,
                  at.z),
      fmt::format("ITS WAVELET: {}, PEAK {:.4g} HZ{}, AMPLITUDE {:g} PA M",
                  ricker      ? "RICKER"
                  : w.samples ? "OF A FILE"
                              : "SAI",
                  w.peak_frequency(), ricker ? fmt::format(" AT {:g} S", w.t0) : "", w.amplitude),
      "TIME ZERO IS THE WAVELET'S. MORE PRESSURE IS A POSITIVE NUMBER",
      "BYTES 1, 5 TRACE; 9, 17, 197 SHOT; 13 RECEIVER; 37 OFFSET; 41 ELEVATION",
      "BYTES 49 SOURCE DEPTH; 69, 71 SCALARS; 73, 77 SOURCE X, Y",
      "BYTES 81, 85 RECEIVER X, Y; 181, 185 MIDPOINT X, Y; 203 UNIT (1: PA)"};
  if (shot.sources.size() < 2) return lines;
  // A trace header has room for one source.
  lines.push_back(
      fmt::format("{} SOURCES TOGETHER; THE TRACE HEADERS NAME THE FIRST (X, Y, Z IN M):",
                  shot.sources.size()));
  constexpr std::size_t kMost = 22;
  for (std::size_t i = 0; i < shot.sources.size() && i < kMost; ++i) {
    const io::Position& at = shot.sources[i].station.at;
    lines.push_back(fmt::format("SOURCE {}: {:g} {:g} {:g}", i + 1, at.x, at.y, at.z));
  }
  if (shot.sources.size() > kMost) {
    lines.push_back(fmt::format("AND {} MORE: GATHER.CSV HAS THEM", shot.sources.size() - kMost));
  }
  return lines;
}

std::vector<io::Position> places_of(const std::vector<Station>& stations) {
  std::vector<io::Position> places;
  for (const Station& station : stations) places.push_back(station.at);
  return places;
}

std::vector<io::Position> places_of(const std::vector<ShotSource>& sources) {
  std::vector<io::Position> places;
  for (const ShotSource& source : sources) places.push_back(source.station.at);
  return places;
}

}  // namespace

std::uint64_t gather_bytes(const ShotCase& shot, const ShotOutput& output) {
  const double samples =
      static_cast<double>(shot.steps) * static_cast<double>(shot.receivers.size());
  return whole_bytes(samples * ((output.csv ? kCsvBytes : 0) + (output.segy ? 4 : 0)));
}

std::uint64_t snapshot_bytes(const ShotCase& shot) {
  if (shot.snapshot_every == 0) return 0;
  constexpr double kHeader = 400;  // what HDF5 keeps of a snapshot beside its values, at least
  const double cells = static_cast<double>(shot.snapshot_x.count) *
                       static_cast<double>(shot.snapshot_y.count) *
                       static_cast<double>(shot.snapshot_z.count);
  return whole_bytes(4 * cells + static_cast<double>(shot.snapshots()) *
                                     ((shot.snapshot_half ? 2 : 4) * cells + kHeader));
}

std::int64_t steps_beyond(const ShotCase& shot, const ShotOutput& output) {
  if (!output.segy || shot.receivers.empty()) return 0;
  const double dt = shot.setup.dt();
  const int us = output.segy_interval_us > 0
                     ? output.segy_interval_us
                     : io::segy_interval(dt, *shot.duration_s, shot.highest_frequency());
  return io::Resampler::reach(dt, 1e-6 * us);
}

io::GatherOptions gather_options(const ShotCase& shot, const ShotOutput& output) {
  const acoustic::Setup& s = shot.setup;
  io::GatherOptions g;
  if (output.csv) g.csv_path = output.directory / "gather.csv";
  if (output.segy) g.segy_path = output.directory / "gather.sgy";
  g.receivers = places_of(shot.receivers);
  g.sources = places_of(shot.sources);
  g.time_step = s.dt();
  g.first_time = s.dt();
  g.samples = shot.steps;
  g.last_time = shot.duration_s.value_or(io::kNoEnd);
  g.highest_frequency = shot.highest_frequency();
  g.segy_interval_us = output.segy_interval_us;
  g.shot_number = shot.number;
  g.cell = std::min({s.h[0], s.h[1], s.h[2]});
  g.flush_every = kReceiverChunk;
  g.text = segy_text(shot);
  return g;
}

io::SnapshotOptions snapshot_options(const ShotCase& shot, const ShotOutput& output) {
  const acoustic::Setup& s = shot.setup;
  io::SnapshotOptions o;
  o.path = output.directory / "snapshots.h5";
  o.x = shot.snapshot_x;
  o.y = shot.snapshot_y;
  o.z = shot.snapshot_z;
  o.dx = s.h[0];
  o.dy = s.h[1];
  o.dz = s.h[2];
  o.pml_cells = s.pml_cells;
  o.free_surface = s.free_surface;
  o.time_step = s.dt();
  o.half_scale = shot.snapshot_half ? shot.storage_scale() : 0;
  o.sources = places_of(shot.sources);
  o.receivers = places_of(shot.receivers);
  for (std::int64_t k = 1; k <= shot.snapshots(); ++k) o.planned.push_back(k * shot.snapshot_every);
  return o;
}

}  // namespace tessera::shot

// SPDX-License-Identifier: Apache-2.0
#include "program/shot/output.hpp"

#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"
#include "program/shot/writer_options.hpp"

#include <cmath>

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
  out.csv = deck.get("output.csv", true);
  out.segy = deck.get("output.segy", io::have_segy());
  const char* key = "output.segy_interval_ms";
  if (deck.contains(key)) {
    const double us = 1000 * deck.get_in(key, 1e-3, io::SegyWriter::kMaxField / 1000.0);
    require(std::abs(us - std::round(us)) < 1e-6, "{} = {} ms is no whole number of microseconds",
            deck.where(key), us / 1000);
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
    names.emplace_back("snapshots.xdmf");
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

}  // namespace tessera::shot

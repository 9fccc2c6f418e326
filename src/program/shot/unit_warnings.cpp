// SPDX-License-Identifier: Apache-2.0
#include "program/shot/unit_warnings.hpp"

#include "program/shot/places.hpp"

#include <fmt/format.h>

#include <algorithm>

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

// SPDX-License-Identifier: Apache-2.0
// What a dry run says of the velocity model: enough to see that a file was read along other axes.
#include "base/support/console.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/shot_report.hpp"

#include <fmt/format.h>

#include <limits>

namespace tessera {

using namespace shot;

namespace {

/// Mean velocity of a plane of the inner region, on all ranks.
double mean_of_plane(const ShotCase& shot, int z) {
  const Box inner = inner_box(shot.setup.n, shot.setup.layers());
  const Box own =
      intersect(domain_of(shot).box, {z, z + 1, inner.y0, inner.y1, inner.x0, inner.x1});
  double sum = 0;
  for (int y = own.y0; !own.empty() && y < own.y1; ++y) {
    for (int x = own.x0; x < own.x1; ++x) sum += shot.model.at(z, y, x);
  }
  return shot.parallel.ranks.sum(sum) / inner.ny() / inner.nx();
}

/// Slowest and fastest velocity at some places: "1500", "1500 to 2300".
template <class Places, class StationOf>
std::string velocities_at(const ShotCase& shot, const Places& places, const StationOf& station_of) {
  double low = std::numeric_limits<double>::max(), high = 0;
  const Box own = domain_of(shot).box;
  for (const auto& place : places) {
    const auto& [z, y, x] = station_of(place).cell;
    if (!own.contains(z, y, x)) continue;
    low = std::min<double>(low, shot.model.at(z, y, x));
    high = std::max<double>(high, shot.model.at(z, y, x));
  }
  low = shot.parallel.ranks.min(low);
  high = shot.parallel.ranks.max(high);
  return low == high ? fmt::format("{:.5g}", low) : fmt::format("{:.5g} to {:.5g}", low, high);
}

}  // namespace

void print_velocities(const ShotCase& shot) {
  const Box inner = inner_box(shot.setup.n, shot.setup.layers());
  const double top = mean_of_plane(shot, inner.z0);
  const double middle = mean_of_plane(shot, (inner.z0 + inner.z1 - 1) / 2);
  const double bottom = mean_of_plane(shot, inner.z1 - 1);
  say("mean velocity: {:.5g} m/s at the top, {:.5g} in the middle, {:.5g} at the bottom\n", top,
      middle, bottom);
  std::string text = velocities_at(shot, shot.sources,
                                   [](const ShotSource& s) -> const Station& { return s.station; });
  text = fmt::format("velocity at the source{}: {} m/s", shot.sources.size() == 1 ? "" : "s", text);
  if (!shot.receivers.empty()) {
    text += fmt::format(
        "; at the receivers: {} m/s",
        velocities_at(shot, shot.receivers, [](const Station& r) -> const Station& { return r; }));
  }
  say("{}\n", text);
}

}  // namespace tessera

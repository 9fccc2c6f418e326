// SPDX-License-Identifier: Apache-2.0
// Streams that advance several time steps: how many planes of how many steps, levels, a team makes,
// and what goes through memory. A league that is resident makes them all in one life.
#pragma once

#include "program/predict/kernel.hpp"

namespace tessera::model {

/// Of a launch that advances Kernel::depth steps, edge tiles and the planes that fill and drain
/// included.
struct TemporalLeague {
  double computed = 0;  ///< cells, those that overlapping tiles compute again included
  double levels = 0;    ///< of a team: a plane of its tile at one step, edge tiles as whole ones
};
[[nodiscard]] TemporalLeague temporal_league(const Kernel& kernel);

/// Elements that a launch moves. All cells go through memory once; of the halos that tiles read
/// beside their own, `halo_share` too: the rest a neighbour has just brought to L2.
struct TemporalVolumes {
  double gm = 0, l2 = 0;
};
[[nodiscard]] TemporalVolumes temporal_volumes(const Kernel& kernel, double halo_share);

}  // namespace tessera::model

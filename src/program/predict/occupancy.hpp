// SPDX-License-Identifier: Apache-2.0
// Theoretical occupancy: how many warps of a launch fit on one multiprocessor at once. Arithmetic
// of the vendors' occupancy calculators; no device is queried here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::model {

/// What a multiprocessor (compute unit) has, and in which lots it hands it out. "Warp" includes
/// wavefronts. Registers are of 32 bits.
struct OccupancyLimits {
  int lanes = 32;                     ///< threads of a warp
  int warps = 64;                     ///< resident at most
  int teams = 32;                     ///< resident at most
  std::int64_t registers = 65536;     ///< in all
  int registers_per_warp_lot = 256;   ///< a warp's registers are rounded up to this
  int warp_lot = 4;                   ///< schedulers: what registers allow is rounded down to this
  std::int64_t scratch_bytes = 0;     ///< team scratch of all teams
  int scratch_lot = 256;              ///< a team's scratch is rounded up to this
  int scratch_reserved_per_team = 0;  ///< taken by the system from each team's share
};

/// What a launch requests. `registers` 0: not known, and taken not to limit.
struct LaunchNeeds {
  int team = 0;  ///< threads
  int registers = 0;
  std::int64_t scratch_bytes = 0;
};

struct Occupancy {
  int teams = 0;           ///< resident on a multiprocessor
  int warps = 0;           ///< theoretical active warps
  double fraction = 0;     ///< of the warps it can hold
  std::string limited_by;  ///< "threads", "teams", "registers" or "scratch"
};

/// Limits of an architecture as its runtime names it: "sm_30" to "sm_103", "gfx90a", "gfx940" to
/// "gfx950". `scratch_bytes` is left at the architecture's largest. Throws Error on another name.
[[nodiscard]] OccupancyLimits limits_of(std::string_view architecture);

/// Occupancy of a launch; no teams where not even one fits.
[[nodiscard]] Occupancy occupancy_or_none(const OccupancyLimits& limits, const LaunchNeeds& needs);

/// Occupancy of a launch. Throws Error where not even one team fits, naming what is short.
[[nodiscard]] Occupancy occupancy(const OccupancyLimits& limits, const LaunchNeeds& needs);

}  // namespace tessera::model

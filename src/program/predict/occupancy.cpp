// SPDX-License-Identifier: Apache-2.0
#include "program/predict/occupancy.hpp"

#include "base/support/error.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tessera::model {
namespace {

constexpr std::int64_t kKiB = 1024;

// One row of the table of technical specifications per compute capability in NVIDIA's programming
// guide; registers, 65536, and their lot are the same for all.
struct ComputeCapability {
  int number;
  int warps, teams, warp_lot;
  std::int64_t scratch_bytes;
};

constexpr ComputeCapability kCuda[] = {
    {30, 64, 16, 4, 48 * kKiB},   {35, 64, 16, 4, 48 * kKiB},   {50, 64, 32, 4, 64 * kKiB},
    {52, 64, 32, 4, 96 * kKiB},   {60, 64, 32, 2, 64 * kKiB},   {61, 64, 32, 4, 96 * kKiB},
    {70, 64, 32, 4, 96 * kKiB},   {75, 32, 16, 4, 64 * kKiB},   {80, 64, 32, 4, 164 * kKiB},
    {86, 48, 16, 4, 100 * kKiB},  {89, 48, 24, 4, 100 * kKiB},  {90, 64, 32, 4, 228 * kKiB},
    {100, 64, 32, 4, 228 * kKiB}, {103, 64, 32, 4, 228 * kKiB}, {120, 48, 32, 4, 100 * kKiB},
};

std::int64_t round_up(std::int64_t value, std::int64_t lot) {
  return (value + lot - 1) / lot * lot;
}

}  // namespace

OccupancyLimits limits_of(std::string_view architecture) {
  OccupancyLimits limits;
  if (architecture.substr(0, 3) == "sm_") {
    int number = 0;
    std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
    for (const ComputeCapability& cc : kCuda) {
      if (cc.number != number) continue;
      limits.warps = cc.warps;
      limits.teams = cc.teams;
      limits.warp_lot = cc.warp_lot;
      limits.scratch_bytes = cc.scratch_bytes;
      // From Ampere on the system keeps 1 KiB of each team's scratch, and the lots are halved.
      if (number >= 80) limits.scratch_lot = 128, limits.scratch_reserved_per_team = 1024;
      return limits;
    }
  }
  // CDNA 2 and 3: 4 SIMD units of 8 waves; 512 vector registers a lane on each, handed out by 8.
  for (const std::string_view cdna : {"gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"}) {
    if (architecture.substr(0, cdna.size()) != cdna) continue;
    limits.lanes = 64;
    limits.warps = 4 * 8;
    limits.teams = 32;
    limits.registers = std::int64_t{4} * 512 * 64;
    limits.registers_per_warp_lot = 8 * 64;
    limits.scratch_bytes = (cdna == "gfx950" ? 160 : 64) * kKiB;
    limits.scratch_lot = 512;
    return limits;
  }
  fail("occupancy: no limits are known of the architecture \"{}\"", architecture);
}

Occupancy occupancy_or_none(const OccupancyLimits& limits, const LaunchNeeds& needs) {
  require(needs.team > 0, "occupancy: a team of {} threads, must be at least 1", needs.team);
  const auto warps = static_cast<int>(round_up(needs.team, limits.lanes) / limits.lanes);
  std::int64_t teams = limits.warps / warps;
  std::string limited_by = "threads";
  const auto limit = [&](std::int64_t most, const char* what) {
    if (most < teams) teams = most, limited_by = what;
  };
  limit(limits.teams, "teams");
  if (needs.registers > 0) {
    const std::int64_t a_warp =
        round_up(std::int64_t{needs.registers} * limits.lanes, limits.registers_per_warp_lot);
    const std::int64_t fitting = limits.registers / a_warp / limits.warp_lot * limits.warp_lot;
    limit(fitting / warps, "registers");
  }
  const std::int64_t scratch = needs.scratch_bytes + limits.scratch_reserved_per_team;
  if (scratch > 0) limit(limits.scratch_bytes / round_up(scratch, limits.scratch_lot), "scratch");
  const auto resident = static_cast<int>(teams);
  return {resident, resident * warps, static_cast<double>(resident * warps) / limits.warps,
          limited_by};
}

Occupancy occupancy(const OccupancyLimits& limits, const LaunchNeeds& needs) {
  Occupancy found = occupancy_or_none(limits, needs);
  require(found.teams > 0, "occupancy: not one team of {} threads, {} registers and {} B fits ({})",
          needs.team, needs.registers, needs.scratch_bytes, found.limited_by);
  return found;
}

}  // namespace tessera::model

// SPDX-License-Identifier: Apache-2.0
// What each family's `naive` offers: one MDRange, in Kokkos' default tile and in a chosen one.
#pragma once

#include "base/grid/cell_tile.hpp"
#include "base/grid/extents.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "base/registry/plan.hpp"

#include <cstdint>

namespace tessera {

struct OfferedCellTile {
  CellTile tile;
  RunsOn runs_on = RunsOn::any;

  [[nodiscard]] Configuration configuration() const {
    if (!tile.chosen()) return {"default", Origin::ours, "Kokkos' default tile", runs_on};
    return {extents_text({tile.nx, tile.ny, tile.nz}), Origin::ours,
            runs_on == RunsOn::hosts ? "host" : "", runs_on};
  }
};

/// Whole warps along x on devices; on hosts rows long enough for vectors, and few planes.
inline constexpr OfferedCellTile kCellTiles[] = {
    {{}, RunsOn::any}, {{64, 4, 1}, RunsOn::devices}, {{512, 8, 8}, RunsOn::hosts}};

/// Teams, threads, tile and halo of a launch over a box whose cells are read `radius` cells around
/// them. Kokkos' default tile is unknown before the launch: then a team a cell, and no tile,
/// so that the traffic model does not apply.
[[nodiscard]] inline Plan plan_of_cells(const CellTile& tile, const Box& box,
                                        const MachineLimits& machine, const int (&radius)[3]) {
  Plan p;
  p.launch = Launch::cells;
  p.team = 1;
  p.loops.vectorised = false;  // Kokkos does not request it
  p.league = box.cells();
  if (!tile.chosen()) return p;
  const auto count = [](int cells, int size) { return std::int64_t{(cells + size - 1) / size}; };
  p.league = count(box.nx(), tile.nx) * count(box.ny(), tile.ny) * count(box.nz(), tile.nz);
  p.team = machine.on_device() ? tile.nx * tile.ny * tile.nz : 1;
  p.tile[0] = tile.nx, p.tile[1] = tile.ny, p.tile[2] = tile.nz;
  p.halo_cells = halo_of_faces(p.tile, radius);
  return p;
}

}  // namespace tessera

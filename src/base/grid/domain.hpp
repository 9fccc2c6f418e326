// SPDX-License-Identifier: Apache-2.0
// The part of a grid that one rank holds, and what a decomposition of the whole is there.
#pragma once

#include "base/grid/decomposition.hpp"

#include <vector>

namespace tessera {

/// A box of a grid's cells. Cell (0, 0, 0) of a local field is the first cell of the box.
struct Domain {
  Extents grid;  ///< of all ranks together
  Box box;       ///< this rank's cells, in the grid's indices

  Domain() = default;
  /// All of a grid: what a single rank holds.
  // NOLINTNEXTLINE(google-explicit-constructor): a grid on one rank is a domain
  Domain(const Extents& n) : grid(n), box(whole(n)) {}
  Domain(const Extents& n, const Box& part) : grid(n), box(part) {}

  /// Cells along each axis of the box.
  [[nodiscard]] Extents n() const { return {box.nz(), box.ny(), box.nx()}; }
  /// A box of the grid in this part's indices, not cut to it.
  [[nodiscard]] Box local(const Box& b) const {
    return {b.z0 - box.z0, b.z1 - box.z0, b.y0 - box.y0,
            b.y1 - box.y0, b.x0 - box.x0, b.x1 - box.x0};
  }
};

/// The regions of a grid, cut to the domain and in its indices; those without cells are left out,
/// and a shell whose hole covers it too. Holes are cut to the domain as well.
[[nodiscard]] std::vector<Region> cut(const std::vector<Region>& regions, const Domain& domain);

/// The regions cut to `box`: likewise, but indices stay.
[[nodiscard]] std::vector<Region> cut(const std::vector<Region>& regions, const Box& box);

/// The cells of `outer` that are not in `core`, which lies in it: up to six boxes, cut as `seven`
/// cuts the layers: z slabs over all x and y, y slabs over all x of what is left, x slabs of the
/// rest.
[[nodiscard]] std::vector<Box> shell_of(const Box& outer, const Box& core);

}  // namespace tessera

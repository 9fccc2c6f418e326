// SPDX-License-Identifier: Apache-2.0
// Domain decompositions: which boxes are launched, and which formula holds in each (Sai, III.B).
#pragma once

#include "base/grid/extents.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// `single`: one kernel with branches; `two`: inner + whole boundary shell; `seven`: inner + six
/// slabs (Sai, III.B and Figure 1); `two_concurrent` and `seven_concurrent`: the regions of `two`
/// and `seven`, each enqueued on an execution-space instance of its own, so that a device may run
/// them at the same time.
enum class Decomposition { single, two, seven, two_concurrent, seven_concurrent };

/// All of them, in the order of help texts and messages.
inline constexpr Decomposition kDecompositions[] = {
    Decomposition::single, Decomposition::two, Decomposition::seven, Decomposition::two_concurrent,
    Decomposition::seven_concurrent};

/// Whether a decomposition's regions go to instances of their own.
[[nodiscard]] constexpr bool is_concurrent(Decomposition kind) {
  return kind == Decomposition::two_concurrent || kind == Decomposition::seven_concurrent;
}

/// The boundary layers of a grid: so many cells at each face, but none on top (z = 0) under a free
/// surface.
struct Layers {
  int width = 0;
  bool free_top = false;

  // NOLINTNEXTLINE(google-explicit-constructor): a width alone means all faces
  Layers(int cells, bool without_top = false) : width(cells), free_top(without_top) {}
  [[nodiscard]] int top() const { return free_top ? 0 : width; }
};

/// Which formula a region's kernel applies. `branched` decides cell by cell: the inner formula in
/// the hole, the boundary formula elsewhere. `shell` skips the cells of the hole.
enum class Update { inner, pml, branched, shell };

/// A box of cells that is launched as one kernel.
struct Region {
  std::string_view name;  ///< "inner", "shell", "whole", "top", "bottom", "front", "back", ...
  Update update = Update::inner;
  Box box;
  Box hole;  ///< the inner region, for `branched` and `shell`; empty otherwise

  /// Cells that the region updates by the boundary formula.
  [[nodiscard]] std::int64_t pml_cells() const;
  /// Cells that the region updates by the inner formula.
  [[nodiscard]] std::int64_t inner_cells() const;
};

/// The cells that are in no layer; may be empty.
[[nodiscard]] Box inner_box(const Extents& n, const Layers& layers);

/// The regions of a grid with boundary layers, inner region first. Slabs of
/// `seven`: top and bottom are the z slabs over all x and y, front and back the y slabs over all x
/// of what is left, left and right the x slabs of the rest; the concurrent ones have the same.
/// Regions without cells are left out. Throws Error if an axis has no cell between its layers.
/// `align`: where `seven` cuts along x, at multiples of so many cells, up to that many of the inner
/// region with left and right, which then branch.
[[nodiscard]] std::vector<Region> decompose(const Extents& n, const Layers& layers,
                                            Decomposition kind, int align = 1);

/// "single", "two", "seven", "two_concurrent" or "seven_concurrent".
[[nodiscard]] std::string_view to_string(Decomposition kind);
/// "inner", "pml", "branched" or "shell".
[[nodiscard]] std::string_view to_string(Update update);
/// Inverse of to_string; throws Error naming all of them.
[[nodiscard]] Decomposition parse_decomposition(std::string_view text);

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Sources and receivers between the cells: the cells that represent a place, and their weights.
#pragma once

#include "base/device/space.hpp"
#include "base/grid/domain.hpp"
#include "variants/acoustic/case/setup.hpp"
#include "variants/acoustic/kernels/pass.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::acoustic {

/// Which cells represent a place: the nearest one, or those around it with the weights of a sinc
/// under a Kaiser window (Hicks 2002, "Arbitrary source and receiver positioning in
/// finite-difference schemes using Kaiser windowed sinc functions", Geophysics 67, equations 1
/// and 6).
enum class Interpolation { nearest, sinc };

/// Cells to each side of a place, and the window's shape for waves of four cells and more (Hicks'
/// Table 1).
inline constexpr int kSincReach = 4;
inline constexpr double kSincShape = 6.31;

/// Cells along one axis: [first, first + weights.size()).
struct AxisSpread {
  int first = 0;
  std::vector<double> weights;
};

/// Weights of the cells around `at`, in cells from cell 0. One weight of 1 where `at` is a cell's
/// place, to a billionth.
[[nodiscard]] AxisSpread sinc_spread(double at);

/// The cells of a place: a box, and weights along each axis whose products are the cells' own.
struct Spread {
  std::array<AxisSpread, 3> axis;  ///< z, y, x

  [[nodiscard]] Box box() const;
  /// Whether the place is one cell, with weight 1.
  [[nodiscard]] bool is_a_cell() const;
  /// The same in a part's indices.
  [[nodiscard]] Spread local(const Domain& domain) const;
  /// Of every cell of the box, x fastest.
  [[nodiscard]] std::vector<double> weights() const;
};

/// The cells of a place given in cells of the grid (z, y, x). Under a free surface what would lie
/// above it goes to its mirror image, with the sign turned. Throws Error, beginning with `what`,
/// where the cells reach beyond the grid.
[[nodiscard]] Spread spread_of(const Setup& setup, const std::array<double, 3>& at,
                               Interpolation interpolation, const std::string& what);

/// The cells of a domain that a source acts on, in its indices, and where kernels run:
/// weights[z][y][x] of the box. There may be none: the box is then empty.
struct SourceCells {
  Box box;
  Kokkos::View<double*, ExecSpace::memory_space> weights;

  SourceCells() = default;
  /// Those of `cells`, with weights of all of these, that are in the domain.
  SourceCells(const Domain& domain, const Box& cells, const std::vector<double>& of_cells);

  /// The sources that passes add, amplitudes to be filled in.
  [[nodiscard]] PassSource source() const { return {box, weights.data(), {}}; }
};

}  // namespace tessera::acoustic

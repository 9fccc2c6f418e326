// SPDX-License-Identifier: Apache-2.0
// Sources and receivers between the cells: the cells that stand for a place, and their weights.
#pragma once

#include "cases/acoustic/setup.hpp"
#include "device/space.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::acoustic {

/// Which cells stand for a place: the nearest one, or those around it with the weights of a sinc
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
  /// Of every cell of the box, x fastest.
  [[nodiscard]] std::vector<double> weights() const;
};

/// The cells of a place given in cells of the grid (z, y, x). Under a free surface what would lie
/// above it goes to its mirror image, with the sign turned. Throws Error, beginning with `what`,
/// where the cells reach beyond the grid.
[[nodiscard]] Spread spread_of(const Setup& setup, const std::array<double, 3>& at,
                               Interpolation interpolation, const std::string& what);

/// The cells that a source acts on, where kernels run: weights[z][y][x] of the box.
struct SourceCells {
  Box box;
  Kokkos::View<double*, ExecSpace::memory_space> weights;

  SourceCells() = default;
  SourceCells(const Box& cells, const std::vector<double>& of_cells);
};

}  // namespace tessera::acoustic

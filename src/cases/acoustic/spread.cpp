// SPDX-License-Identifier: Apache-2.0
#include "cases/acoustic/spread.hpp"

#include "support/bessel.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::acoustic {

AxisSpread sinc_spread(double at) {
  constexpr double kTie = 1e-9;
  const double nearest = std::round(at);
  if (std::abs(at - nearest) < kTie) return {static_cast<int>(nearest), {1.0}};
  const int first = static_cast<int>(std::floor(at)) - kSincReach + 1;
  AxisSpread spread{first, {}};
  for (int i = first; i < first + 2 * kSincReach; ++i) {
    const double d = i - at;
    const double edge = 1 - d * d / (kSincReach * kSincReach);
    const double window = bessel_i0(kSincShape * std::sqrt(edge)) / bessel_i0(kSincShape);
    spread.weights.push_back(std::sin(std::numbers::pi * d) / (std::numbers::pi * d) * window);
  }
  return spread;
}

namespace {

int end_of(const AxisSpread& axis) { return axis.first + static_cast<int>(axis.weights.size()); }

/// u(-m) = -u(m), and u(0) = 0.
AxisSpread mirrored(const AxisSpread& axis) {
  if (axis.first > 0) return axis;
  AxisSpread folded{
      1, std::vector<double>(static_cast<std::size_t>(std::max(end_of(axis) - 1, -axis.first)))};
  for (int i = axis.first; i < end_of(axis); ++i) {
    const double weight = axis.weights[static_cast<std::size_t>(i - axis.first)];
    if (i != 0)
      folded.weights[static_cast<std::size_t>(std::abs(i) - 1)] += i < 0 ? -weight : weight;
  }
  if (folded.weights.empty()) folded.weights.push_back(0);
  return folded;
}

}  // namespace

Box Spread::box() const {
  return {axis[0].first,   end_of(axis[0]), axis[1].first,
          end_of(axis[1]), axis[2].first,   end_of(axis[2])};
}

std::vector<double> Spread::weights() const {
  std::vector<double> products;
  for (const double z : axis[0].weights)
    for (const double y : axis[1].weights)
      for (const double x : axis[2].weights) products.push_back(z * y * x);
  return products;
}

Spread spread_of(const Setup& setup, const std::array<double, 3>& at, Interpolation interpolation,
                 const std::string& what) {
  Spread spread;
  for (int d = 0; d < 3; ++d) {
    spread.axis[d] = interpolation == Interpolation::sinc
                         ? sinc_spread(at[d])
                         : AxisSpread{static_cast<int>(std::round(at[d])), {1.0}};
  }
  if (setup.free_surface) spread.axis[0] = mirrored(spread.axis[0]);
  const int cells[3] = {setup.n.nz, setup.n.ny, setup.n.nx};
  for (int d = 0; d < 3; ++d) {
    require(
        spread.axis[d].first >= 0 && end_of(spread.axis[d]) <= cells[d],
        "{}: between the cells a place takes {} of them to each side, and this one is nearer to "
        "the grid's edge: raise acoustic.pml_cells to {}, or set shot.interpolation = "
        "\"nearest\"",
        what, kSincReach, kSincReach);
  }
  return spread;
}

SourceCells::SourceCells(const Box& cells, const std::vector<double>& of_cells)
    : box(cells), weights("tessera::acoustic::source::weights", of_cells.size()) {
  require(static_cast<std::int64_t>(of_cells.size()) == cells.cells(),
          "{} weights for {} cells of a source", of_cells.size(), cells.cells());
  const auto host = Kokkos::create_mirror_view(weights);
  std::copy(of_cells.begin(), of_cells.end(), host.data());
  Kokkos::deep_copy(weights, host);
}

}  // namespace tessera::acoustic

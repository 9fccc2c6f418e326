// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/spread.hpp"

#include "base/support/bessel.hpp"
#include "base/support/error.hpp"

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

bool Spread::is_a_cell() const {
  return std::all_of(axis.begin(), axis.end(), [](const AxisSpread& along) {
    return along.weights.size() == 1 && along.weights[0] == 1;
  });
}

Spread Spread::local(const Domain& domain) const {
  Spread moved = *this;
  moved.axis[0].first -= domain.box.z0;
  moved.axis[1].first -= domain.box.y0;
  moved.axis[2].first -= domain.box.x0;
  return moved;
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
    require(spread.axis[d].first >= 0 && end_of(spread.axis[d]) <= cells[d],
            "{}: a place between cells requires {} cells on each side, and this one is nearer to "
            "the grid's edge: raise acoustic.pml_cells to {}, or set shot.interpolation = "
            "\"nearest\"",
            what, kSincReach, kSincReach);
  }
  return spread;
}

SourceCells::SourceCells(const Domain& domain, const Box& cells,
                         const std::vector<double>& of_cells) {
  require(static_cast<std::int64_t>(of_cells.size()) == cells.cells(),
          "{} weights for {} cells of a source", of_cells.size(), cells.cells());
  const Box here = intersect(cells, domain.box);
  if (here.empty()) return;
  box = domain.local(here);
  weights = decltype(weights)("tessera::acoustic::source::weights",
                              static_cast<std::size_t>(here.cells()));
  const auto host = Kokkos::create_mirror_view(weights);
  const Extents all{cells.nz(), cells.ny(), cells.nx()};
  std::size_t i = 0;
  for (int z = here.z0; z < here.z1; ++z)
    for (int y = here.y0; y < here.y1; ++y)
      for (int x = here.x0; x < here.x1; ++x)
        host(i++) = of_cells[all.index(z - cells.z0, y - cells.y0, x - cells.x0)];
  Kokkos::deep_copy(weights, host);
}

}  // namespace tessera::acoustic

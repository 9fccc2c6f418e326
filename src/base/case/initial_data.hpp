// SPDX-License-Identifier: Apache-2.0
// Data that cases start from, the same on every backend and on any number of ranks.
#pragma once

#include "base/case/random.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/grid/domain.hpp"
#include "base/grid/field.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace tessera {

/// Sets a rank's cells to random values in [middle - reach, middle + reach) by their place in the
/// grid, `halo` cells around it included.
template <class Real>
struct RandomCells {
  FieldRef<Real> field;
  Domain domain;
  std::uint64_t seed;
  int halo = 0;
  double middle = 0, reach = 1;
  bool own_alone = false;  ///< cells of other ranks become NaN

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const Extents& n = domain.grid;
    const Box& b = domain.box;
    const int gz = z + b.z0, gy = y + b.y0, gx = x + b.x0;
    const auto position =
        (static_cast<std::uint64_t>(gz + halo) * (n.ny + 2 * halo) + (gy + halo)) *
            (n.nx + 2 * halo) +
        (gx + halo);
    const double value = middle + reach * (2 * random_value(seed, position) - 1);
    const bool others =
        own_alone && Box{0, n.nz, 0, n.ny, 0, n.nx}.contains(gz, gy, gx) && !b.contains(gz, gy, gx);
    *field.at(z, y, x) = others ? std::numeric_limits<Real>::quiet_NaN() : static_cast<Real>(value);
  }
};

/// Sets cells to one value.
template <class Real>
struct OneValue {
  FieldRef<Real> field;
  Real value;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const { *field.at(z, y, x) = value; }
};

template <class Real>
struct AddValue {
  Real* cell;
  Real value;
  KOKKOS_FUNCTION void operator()(int) const { *cell += value; }
};

/// Enqueues field += amplitude at a cell of the grid, on the rank that has it.
template <class Real>
void add_at_cell(const char* label, const ExecSpace& exec, const Field<Real>& field,
                 const Domain& domain, int z, int y, int x, double amplitude) {
  const Box& box = domain.box;
  if (!box.contains(z, y, x)) return;
  Real* const cell = field.ref().at(z - box.z0, y - box.y0, x - box.x0);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       AddValue<Real>{cell, static_cast<Real>(amplitude)});
}

}  // namespace tessera

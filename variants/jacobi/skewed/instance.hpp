// SPDX-License-Identifier: Apache-2.0
// jacobi/skewed for one stencil in one precision: compiled in a translation unit of its own, from
// instance.cpp.in, since a stencil's kernels in all tiles take the compiler half a minute.
#pragma once

#include "variants/jacobi/kernels/variant.hpp"
#include "variants/jacobi/skewed/row_tile.hpp"

#include <cstdint>

namespace tessera::jacobi {

template <class StencilType, class Real>
struct SkewedInstance {
  RowTile tile;   ///< a planned_tile()
  int steps = 1;  ///< time steps a pass

  // As JacobiVariant::offer() needs them.
  [[nodiscard]] Plan plan(const Extents& n, const MachineLimits& machine) const;
  int step(const ExecSpace& exec, const Fields<Real>& fields, int left,
           const Resident<Real>& resident) const;
  [[nodiscard]] std::int64_t exchange_elements(const Extents& n) const;
};

}  // namespace tessera::jacobi

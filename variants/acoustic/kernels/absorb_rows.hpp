// SPDX-License-Identifier: Apache-2.0
// The convolutional layers of a region: what they add to u+, once a variant has advanced all its
// cells by the inner formula. A launch of its own, the same for every variant: 32 B a cell of a
// face in float beside the 16 B of the inner formula (u, vp, u+ and zeta twice, psi of two steps).
#pragma once

#include "base/grid/cell_policy.hpp"
#include "variants/acoustic/absorb.hpp"

namespace tessera::acoustic {

template <class Real>
struct AbsorbRows {
  const Real* u;
  const Real* vp;
  Real* next;
  int row, plane;
  AbsorbingAxis<Real> x, y, z;
  int x0, x1;  // on hosts, where a call is a row

  /// Cells [begin, end) of a row, which lie in one layer of `axis`: adds what it gives.
  KOKKOS_FORCEINLINE_FUNCTION void add(const AbsorbingAxis<Real>& axis, std::int64_t i, int stride,
                                       std::int64_t at, int step, int column, int column_step,
                                       int out, int begin, int end) const {
#pragma omp simd
    for (int k = begin; k < end; ++k) {
      const std::int64_t c = i + k;
      next[c] = multiply_add(
          vp[c], absorb(axis, u + c, stride, at + k, step, column + k * column_step, out), next[c]);
    }
  }

  /// Cells [begin, end) of row (cz, cy).
  KOKKOS_FORCEINLINE_FUNCTION void advance(int cz, int cy, int begin, int end) const {
    const std::int64_t i = std::int64_t{cz} * plane + std::int64_t{cy} * row;
    if (const bool far = cz >= z.far_begin; far || cz < z.near_end) {
      const int column = far ? cz + z.to_far : cz;
      const std::int64_t at = std::int64_t{column} * z.plane + std::int64_t{cy} * z.row;
      add(z, i, plane, at, z.plane, column, 0, far ? 1 : -1, begin, end);
    }
    if (const bool far = cy >= y.far_begin; far || cy < y.near_end) {
      const int column = far ? cy + y.to_far : cy;
      const std::int64_t at = std::int64_t{cz} * y.plane + std::int64_t{column} * y.row;
      add(y, i, row, at, y.row, column, 0, far ? 1 : -1, begin, end);
    }
    const std::int64_t at = std::int64_t{cz} * x.plane + std::int64_t{cy} * x.row;
    add(x, i, 1, at, 1, 0, 1, -1, begin, end < x.near_end ? end : x.near_end);
    add(x, i, 1, at + x.to_far, 1, x.to_far, 1, 1, begin > x.far_begin ? begin : x.far_begin, end);
  }

  KOKKOS_FUNCTION void operator()(int cx, int cy, int cz) const { advance(cz, cy, cx, cx + 1); }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto rows = static_cast<std::int64_t>(ny);
    advance(static_cast<int>(z0 + i / rows), static_cast<int>(y0 + i % rows), x0, x1);
  }
  int z0, y0, ny;
};

/// Enqueues `cells` over a box: a call a cell on a device, a row on a host.
template <class Cells>
void absorb_by(const ExecSpace& exec, const Box& box, const Cells& cells) {
  constexpr const char* kLabel = "tessera::acoustic::absorb::step";
  if constexpr (kOnDevice) {
    Kokkos::parallel_for(kLabel, cells_of(exec, box), cells);
  } else {
    const auto rows = std::int64_t{box.nz()} * box.ny();
    Kokkos::parallel_for(kLabel, Kokkos::RangePolicy<ExecSpace>(exec, 0, rows), cells);
  }
}

/// Enqueues the layers of the cells of `box`.
template <class Real>
void absorb_rows(const ExecSpace& exec, const Fields<Real>& f, const AbsorbingAxis<Real> (&axes)[3],
                 const Box& box) {
  const AbsorbRows<Real> rows{f.u,     f.vp,   f.next, f.row,  f.plane, axes[0], axes[1],
                              axes[2], box.x0, box.x1, box.z0, box.y0,  box.ny()};
  absorb_by(exec, box, rows);
}

}  // namespace tessera::acoustic

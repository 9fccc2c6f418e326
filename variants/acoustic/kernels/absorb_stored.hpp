// SPDX-License-Identifier: Apache-2.0
// The convolutional layers of a region whose wavefields are in a format of single values: as
// absorb_rows.hpp, but a cell takes what all axes add to it at once, so that u+ is rounded once
// more and no oftener. With a difference d = u+ - u takes it, too, and u+ is made of that.
#pragma once

#include "variants/acoustic/kernels/absorb_rows.hpp"
#include "variants/acoustic/kernels/variant.hpp"

namespace tessera::acoustic {

template <class Format>
struct AbsorbStored {
  Fields<float, Format> f;
  AbsorbingAxis<float> x, y, z;
  Box box;

  /// What the layers of `axis` add to the cell at `u`, `at` along it; `beside` is the cell's offset
  /// in the slab but for its column, `step` elements from the next one.
  template <class Address>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static float added(const AbsorbingAxis<float>& axis,
                                                               int at, const Address& u, int stride,
                                                               std::int64_t beside, int step) {
    if (!in(axis, at)) return 0;
    const bool far = at >= axis.far_begin;
    const int column = far ? at + axis.to_far : at;
    return absorb(axis, u, stride, beside + std::int64_t{column} * step, step, column,
                  far ? 1 : -1);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool in(const AbsorbingAxis<float>& axis,
                                                           int at) {
    return at < axis.near_end || at >= axis.far_begin;
  }

  KOKKOS_FUNCTION void operator()(int cx, int cy, int cz) const {
    if (!in(x, cx) && !in(y, cy) && !in(z, cz)) return;
    const std::int64_t i = f.offset(cz, cy, cx);
    const auto u = f.u + i;
    const float sum = added(z, cz, u, f.plane, std::int64_t{cy} * z.row + cx, z.plane) +
                      added(y, cy, u, f.row, std::int64_t{cz} * y.plane + cx, y.row) +
                      added(x, cx, u, 1, std::int64_t{cz} * x.plane + std::int64_t{cy} * x.row, 1);
    const float more = f.vp[i] * sum;
    if constexpr (Format::kDifference) {
      const float d = f.u_minus[i] + more;
      put(f.u_minus, i, d);
      put(f.next, i, u[0] + d);
    } else {
      put(f.next, i, f.next[i] + more);
    }
  }
  /// A row of the box, on hosts: all of it in a layer of y or z, else its ends.
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const int cz = box.z0 + static_cast<int>(row / box.ny());
    const int cy = box.y0 + static_cast<int>(row % box.ny());
    const auto cells = [&](int begin, int end) {
      for (int cx = begin; cx < end; ++cx) (*this)(cx, cy, cz);
    };
    if (in(z, cz) || in(y, cy)) return cells(box.x0, box.x1);
    cells(box.x0, box.x1 < x.near_end ? box.x1 : x.near_end);
    cells(box.x0 > x.far_begin ? box.x0 : x.far_begin, box.x1);
  }
};

/// Enqueues the layers of the cells of `box`, the fields in one of the formats; nothing for
/// another.
template <class... Of>
void absorb_stored(Formats<Of...> /*formats*/, const ExecSpace& exec, const StoredFields& fields,
                   Storage storage, const AbsorbingAxis<float> (&axes)[3], const Box& box) {
  const auto if_it_is = [&]<class Format>(Format) {
    if (storage == Format::kStorage)
      absorb_by(exec, box,
                AbsorbStored<Format>{fields.as<Format>(), axes[0], axes[1], axes[2], box});
  };
  (if_it_is(Of{}), ...);
}

}  // namespace tessera::acoustic

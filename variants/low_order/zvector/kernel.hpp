// SPDX-License-Identifier: Apache-2.0
// The kernel of low_order/zvector: a thread's vectors of cells, plane after plane.
//
//   for each plane z of the chunk
//     request plane z + 1 and what is not kept of plane z: y +- 1, x +- 1
//     u+ = the stencil, of the V cells at once
//     z + 1 becomes z
#pragma once

#include "base/device/opaque_value.hpp"
#include "base/tile/runtime_block.hpp"
#include "base/tile/vec.hpp"
#include "variants/low_order/kernels/variant.hpp"

namespace tessera::low_order {

/// The V cells of a thread in the rows at z - 1, z and z + 1.
template <class Real, int V>
struct Rows {
  Pack<Real, V> row[3];

  KOKKOS_FORCEINLINE_FUNCTION Rows(const Real* at, int plane)
      : row{load_pack<V>(at - plane), load_pack<V>(at), {}} {}
  KOKKOS_FORCEINLINE_FUNCTION void shift() { row[0] = row[1], row[1] = row[2]; }
};

/// The cells one further along x, or one back; `end` is the one that is not among `cells`.
template <int Dx, int V, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<Real, V> shifted(const Pack<Real, V>& cells,
                                                                Real end) {
  return make_pack<Real, V>([&](int i) {
    const int from = i + Dx;
    return from < 0 || from >= V ? end : lane(cells, from);
  });
}

template <class Real, int V, Stencil kStencil>
struct ZvectorKernel {
  using S = Shape<kStencil>;
  using Value = Pack<Real, V>;
  using Stack = Rows<Real, V>;
  Fields<Real> f;
  RuntimeBlocks blocks;
  int nx;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    blocks.for_each_column(team, [&](int z, int y, int x, int planes) {
      const std::int64_t i = f.offset(z, y, x);
      if constexpr (!kOnDevice) {
        f.next[i] = value_at<kStencil>(f, i);
      } else if (nx - x >= V) {
        walk(i, planes);
      } else {
        for (int n = 0; n < planes; ++n) {
          for (int k = 0; k < nx - x; ++k) {
            const std::int64_t cell = i + std::int64_t{n} * f.plane + k;
            f.next[cell] = value_at<kStencil>(f, cell);
          }
        }
      }
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t i, int planes) const {
    const Real* const begin = f.u + i;
    Stack rows(begin, f.plane), front(begin - f.row, f.plane), back(begin + f.row, f.plane);
    Stack kappa(S::kKappa ? f.kappa + i : begin, f.plane);
    make_opaque(planes);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 1
#endif
    for (; planes > 0; --planes, i += f.plane) {
      // One address an array: not one for each of its neighbours.
      make_opaque(i);
      const Real* const u = f.u + i;
      const Real* const k = S::kKappa ? f.kappa + i : u;
      // 1. Request plane z + 1, and what is not kept of plane z.
      rows.row[2] = load_pack<V>(u + f.plane);
      if constexpr (S::kKappa) kappa.row[2] = load_pack<V>(k + f.plane);
      if constexpr (S::kEdges) {
        front.row[2] = load_pack<V>(u + f.plane - f.row);
        back.row[2] = load_pack<V>(u + f.plane + f.row);
      } else {
        front.row[1] = load_pack<V>(u - f.row);
        back.row[1] = load_pack<V>(u + f.row);
      }
      const Real before = u[-1], after = u[V];
      // 2. Compute plane z.
      const Value value = new_value<kStencil>(
          f.alpha, f.beta,
          [&](auto dx, auto dy, auto dz) {
            const Value& cells = (dy < 0 ? front : dy > 0 ? back : rows).row[dz + 1];
            if constexpr (dx == 0) {
              return cells;
            } else if constexpr (S::kEdges) {
              return shifted<dx, V>(cells, u[dz * f.plane + dy * f.row + (dx < 0 ? -1 : V)]);
            } else {
              return shifted<dx, V>(cells, dx < 0 ? before : after);
            }
          },
          [&] { return load_pack<V>(f.gamma + i); },
          [&](auto dx, auto dy, auto dz) {
            if constexpr (dy != 0) {
              return load_pack<V>(k + dy * f.row);
            } else if constexpr (dx != 0) {
              return shifted<dx, V>(kappa.row[1], k[dx < 0 ? -1 : V]);
            } else {
              return kappa.row[dz + 1];
            }
          });
      if constexpr (S::kKappa) {  // streaming stores serve 7pt-3 alone
        value.store_streaming(f.next + i);
      } else {
        value.store(f.next + i);
      }
      // 3. What was z + 1 becomes z.
      rows.shift(), kappa.shift();
      if constexpr (S::kEdges) front.shift(), back.shift();
    }
  }
};

}  // namespace tessera::low_order

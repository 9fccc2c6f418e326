// SPDX-License-Identifier: Apache-2.0
// The acoustic update of V neighbouring cells along x that one thread owns.
#pragma once

#include "device/static_for.hpp"
#include "stencils/acoustic/formula.hpp"
#include "tile/vec.hpp"

namespace tessera::acoustic {

/// All lanes of a vector of V cells.
template <int V>
inline constexpr int kAllLanes = (1 << V) - 1;

/// Bit v: cell x + v of the row (z, y) lies in `b`.
template <int V>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lanes_in(const Box& b, int z, int y, int x) {
  if (z < b.z0 || z >= b.z1 || y < b.y0 || y >= b.y1) return 0;
  int lanes = 0;
  for (int v = 0; v < V; ++v) lanes |= static_cast<int>(x + v >= b.x0 && x + v < b.x1) << v;
  return lanes;
}

/// Stores the lanes whose bits are set; a whole vector by a streaming store.
template <int V, class Real>
KOKKOS_FORCEINLINE_FUNCTION void store_lanes(Real* address, const Pack<Real, V>& value, int lanes) {
  if constexpr (V == 1) {
    *address = value;
  } else if (lanes == kAllLanes<V>) {
    value.store_streaming(address);
  } else {
    for (int v = 0; v < V; ++v) {
      if ((lanes >> v & 1) != 0) address[v] = value[v];
    }
  }
}

/// The cells from x - R to x + V - 1 + R of a row, in registers.
template <class Real, int V, int R>
struct RowOfVector {
  Real cell[V + 2 * R];
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator[](int i) const { return cell[i]; }
};

/// The row around the vector at `here`, from cell -R on; where V is 1 the row itself.
template <int V, int R, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto load_row(const Real* here) {
  if constexpr (V == 1) {
    return here - R;
  } else {
    RowOfVector<Real, V, R> row;
    static_for<1 + 2 * R / V>([&](auto j) {
      const auto part = load_pack<V>(here - R + V * j);
      for (int v = 0; v < V; ++v) row.cell[V * j + v] = part[v];
    });
    return row;
  }
}

/// u- and vp of the cells.
template <class Value>
struct InnerValues {
  Value u_minus, vp;
};

/// phi and eta of the cells.
template <class Value>
struct PmlValues {
  Value phi, eta;
};

/// Advances the cells x ... x + V - 1 of row (z, y) that lie in `box`, by the formula that kUpdate
/// demands; `i` is the first one's offset. along_x, along_y, along_z return u as in laplacian(), a
/// Pack each; `values()` returns u- and vp, `pml()` phi and eta where the PML formula needs them:
/// both are called late, to keep registers free for L(u).
template <Update kUpdate, int V, class Real, class X, class Y, class Z, class Inner, class Pml>
KOKKOS_FORCEINLINE_FUNCTION void update_vector(const Fields<Real>& f, const Box& box,
                                               const Box& hole, int z, int y, int x, std::int64_t i,
                                               const X& along_x, const Y& along_y, const Z& along_z,
                                               const Inner& values, const Pml& pml) {
  using Value = Pack<Real, V>;
  constexpr Constant<-1> kBefore{};
  constexpr Constant<1> kAfter{};
  // On a host a tile is cut along the hole and its cells have one formula.
  const int written = V == 1 ? 1 : lanes_in<V>(box, z, y, x);
  const int inner =
      V == 1 || kUpdate == Update::inner || kUpdate == Update::pml ? 0 : lanes_in<V>(hole, z, y, x);
  const bool all_inner = inner == kAllLanes<V>;
  if (kUpdate == Update::shell && all_inner) return;
  const Value l = laplacian(f.k, along_x, along_y, along_z);
  const Value u = along_x(Constant<0>{});
  const InnerValues<Value> at = values();
  if (kUpdate == Update::inner || (kUpdate == Update::branched && all_inner)) {
    store_lanes<V>(f.next + i, inner_value(u, at.u_minus, at.vp, l), written);
  } else if constexpr (kUpdate != Update::inner) {
    const PmlValues<Value> layer = pml();
    // u+ is stored before phi+ is begun: fewer registers are alive then.
    const Value outside = pml_value(u, at.u_minus, at.vp, l, layer.phi, layer.eta);
    const int outer = written & ~inner;
    if constexpr (kUpdate == Update::branched && V > 1) {
      const Value inside = inner_value(u, at.u_minus, at.vp, l);
      const Value both = make_pack<Real, V>(
          [&](int v) { return (inner >> v & 1) != 0 ? lane(inside, v) : lane(outside, v); });
      store_lanes<V>(f.next + i, both, written);
    } else {
      store_lanes<V>(f.next + i, outside, outer);
    }
    const Real* eta = f.eta + i;
    const Value d_eta_x = make_pack<Real, V>([&](int v) {
      return (v + 1 < V ? lane(layer.eta, v + 1) : eta[V]) -
             (v > 0 ? lane(layer.eta, v - 1) : eta[-1]);
    });
    const Value d_eta_y = load_pack<V>(eta + f.row) - load_pack<V>(eta - f.row);
    const Value d_eta_z = load_pack<V>(eta + f.plane) - load_pack<V>(eta - f.plane);
    const Value phi = pml_phi(f.k, layer.phi, layer.eta,                    //
                              d_eta_x, along_x(kAfter) - along_x(kBefore),  //
                              d_eta_y, along_y(kAfter) - along_y(kBefore),  //
                              d_eta_z, along_z(kAfter) - along_z(kBefore));
    store_lanes<V>(f.phi + i, phi, outer);
  }
}

}  // namespace tessera::acoustic

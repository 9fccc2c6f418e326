// SPDX-License-Identifier: Apache-2.0
// The acoustic update of V neighbouring cells along x that one thread owns.
#pragma once

#include "base/device/static_for.hpp"
#include "base/tile/vec.hpp"
#include "variants/acoustic/formula.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// Bits, a vector at a time, or lane by lane.
template <int V, class Format>
KOKKOS_FORCEINLINE_FUNCTION void store_lanes(Packed<Format> address, const Pack<float, V>& value,
                                             int lanes) {
  if constexpr (V == 1) {
    put(address, 0, value);
  } else if (lanes == kAllLanes<V>) {
    store_pack_streaming(address, value);
  } else {
    for (int v = 0; v < V; ++v) {
      if ((lanes >> v & 1) != 0) put(address, v, value[v]);
    }
  }
}

/// u+ of cells whose value is `u`, at offset i.
template <int V, class Real, class Format>
KOKKOS_FORCEINLINE_FUNCTION void store_next(const Fields<Real, Format>& f, std::int64_t i,
                                            const Pack<Real, V>& u, const Pack<Real, V>& next,
                                            int lanes) {
  store_lanes<V>(f.next + i, next, lanes);
  if constexpr (Format::kDifference) store_lanes<V>(f.u_minus + i, Pack<Real, V>(next - u), lanes);
}

/// What a kernel on values of Real reads: with `Kept` = Real values, with uint16_t vp by its index
/// or in equal steps, with Linear16 in these, with a format u, u- and vp in 16 bits.
template <class Real, class Kept>
struct ReadAs {
  using Format = Plain;
  using Wave = Real;
  using Vp = Kept;
};
template <class Real>
struct ReadAs<Real, Linear16> {
  using Format = Plain;
  using Wave = Real;
  using Vp = std::uint16_t;
};
template <class Real, class Value, Storage kOf>
struct ReadAs<Real, StoredIn<Value, kOf>> {
  using Format = StoredIn<Value, kOf>;
  using Wave = std::uint16_t;
  using Vp = std::uint16_t;
};

/// Addresses as copies take them, and of the values that lie there.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const T* raw(const T* address) {
  return address;
}
template <class Format>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const std::uint16_t* raw(Packed<Format> address) {
  return address.bits;
}
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Packed<Float24> raw(Packed<Float24> address) {
  return address;
}
/// `from`: where they were copied from, for exponents, which are read there.
template <class Format, class T, class From = int>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto values_at(const T& address,
                                                         [[maybe_unused]] const From& from = {}) {
  if constexpr (Format::kBlocks) {
    return Packed<Block16>(const_cast<std::uint16_t*>(address), from.exponent, from.cell);
  } else if constexpr (std::is_convertible_v<T, const std::uint16_t*>) {
    return Packed<typename Format::Value>(const_cast<std::uint16_t*>(address));
  } else {
    return address;
  }
}
/// The values of a Pack as it was copied.
template <class Format, int V, class P, class From = int>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto values_of(const P& copied,
                                                         [[maybe_unused]] const From& from = {}) {
  if constexpr (Format::kBlocks) {
    return decode_pack<V>(copied, BlockUnit{Block16::unit(*from.exponent)});
  } else if constexpr (std::is_same_v<PackScalar<P>, std::uint16_t>) {
    return decode_pack<V>(copied, typename Format::Value{});
  } else {
    return copied;
  }
}
/// `m` rows on from `here`: of `pitch` elements where the values lie, of `row` where they come
/// from.
template <class Address>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Address rows_on(const Address& here, int m, int pitch,
                                                          [[maybe_unused]] int row) {
  if constexpr (std::is_same_v<Address, Packed<Block16>>) {
    return {here.bits + m * pitch, here.exponent + m * (row / kBlockCells), here.cell};
  } else {
    return here + m * pitch;
  }
}

/// The cells from x - R to x + V - 1 + R of a row, in registers.
template <class Real, int V, int R>
struct RowOfVector {
  Real cell[V + 2 * R];
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real operator[](int i) const { return cell[i]; }
};

/// The row around the vector at `here`, from cell -R on; where V is 1 the row itself.
template <int V, int R, class Address>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto load_row(Address here) {
  if constexpr (V == 1) {
    return here - R;
  } else {
    RowOfVector<std::decay_t<decltype(here[0])>, V, R> row;
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

/// The array of a kernel that reads values of vp, or their indices.
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Real* vp_of(const Fields<Real>& f, Real) {
  return f.vp;
}
template <class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const std::uint16_t* vp_of(const Fields<Real>& f,
                                                                     std::uint16_t) {
  return f.vp_index;
}
template <class Real, class Value, Storage kOf>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const std::uint16_t* vp_of(
    const Fields<Real, StoredIn<Value, kOf>>& f, std::uint16_t) {
  return f.vp.bits;
}

/// The values that indices of vp refer to, a copy in team scratch on a device, if they are few; or
/// the steps of vp. Nothing where a kernel reads vp itself.
template <class Real, class Kept>
class VpTable {
 public:
  using Format = typename ReadAs<Real, Kept>::Format;
  static constexpr bool kIndexed = std::is_same_v<Kept, std::uint16_t>;
  static constexpr bool kSteps = !kIndexed && !std::is_same_v<Kept, Real>;
  static constexpr int kMost = kOnDevice && kIndexed ? 1024 : 0;  ///< values in scratch

  /// `scratch`: room for kMost values. A team barrier must follow before the first use.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION VpTable(const TeamHandle& team, const Fields<Real, Format>& f,
                                      Real* scratch)
      : values_(f.vp_values) {
    if constexpr (std::is_same_v<Format, Plain>) {
      steps_ = {nullptr, f.vp_step};
    } else {
      steps_ = f.vp;
    }
    if constexpr (kMost > 0) {
      if (f.vp_count > kMost || f.vp_values == nullptr) return;
      for (int i = team.team_rank(); i < f.vp_count; i += team.team_size())
        scratch[i] = f.vp_values[i];
      values_ = scratch;
    }
  }
  [[nodiscard]] static constexpr std::size_t scratch_bytes() { return kMost * sizeof(Real); }

  /// vp of the cells whose values or indices are `read`.
  template <class Value>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto values(const Value& read) const {
    using Element = PackScalar<Value>;
    if constexpr (kSteps) {
      return decode_pack<detail::PackTraits<Value>::kLanes>(read, steps_);
    } else if constexpr (!kIndexed) {
      return read;
    } else {
      const auto value = [&](std::uint16_t bits) {
        return values_ == nullptr ? static_cast<Real>(steps_.decode(bits)) : values_[bits];
      };
      if constexpr (std::is_same_v<Element, Value>) {
        return value(read);
      } else {
        return make_pack<Real, Value::kSize>([&](int v) { return value(lane(read, v)); });
      }
    }
  }

 private:
  const Real* values_;
  Linear16 steps_;  // of a format, or of an index
};

/// eta of V cells along x and of their neighbours, from the profiles.
template <int V, class Real>
struct EtaOfVector {
  using Value = Pack<Real, V>;
  Value x;             // the x profile
  Real before, after;  // beside it
  Real y[3], z[3];     // the others at -1, 0, 1

  KOKKOS_FORCEINLINE_FUNCTION EtaOfVector(const EtaProfiles<Real>& p, int at_z, int at_y, int at_x)
      : x(load_pack<V>(p.x + at_x)),
        before(p.x[at_x - 1]),
        after(p.x[at_x + V]),
        y{p.y[at_y - 1], p.y[at_y], p.y[at_y + 1]},
        z{p.z[at_z - 1], p.z[at_z], p.z[at_z + 1]} {}

  /// At distance dy and dz from the cells.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value at(int dy, int dz) const {
    return make_pack<Real, V>(
        [&](int v) { return EtaProfiles<Real>::sum(lane(x, v), y[1 + dy], z[1 + dz]); });
  }
  /// The difference over two cells along x; `centre` is at(0, 0).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value along_x(const Value& centre) const {
    const auto end = [&](Real at_x) { return EtaProfiles<Real>::sum(at_x, y[1], z[1]); };
    return make_pack<Real, V>([&](int v) {
      return (v + 1 < V ? lane(centre, v + 1) : end(after)) -
             (v > 0 ? lane(centre, v - 1) : end(before));
    });
  }
};

/// Advances the cells x ... x + V - 1 of row (z, y) that lie in `box`, by the formula that kUpdate
/// demands; `i` is the first one's offset. along_x, along_y, along_z return u as in laplacian(), a
/// Pack each; `values()` returns u- and vp, `phi_of()` phi where the PML formula needs it: both are
/// called late, to keep registers free for L(u). put(u, next, lanes) takes u+.
template <Update kUpdate, int V, class Real, class Format, class X, class Y, class Z, class Inner,
          class Phi, class Put>
KOKKOS_FORCEINLINE_FUNCTION void update_vector(const Fields<Real, Format>& f, const Box& box,
                                               const Box& hole, int z, int y, int x, std::int64_t i,
                                               const X& along_x, const Y& along_y, const Z& along_z,
                                               const Inner& values, const Phi& phi_of,
                                               const Put& put) {
  using Value = Pack<Real, V>;
  constexpr Constant<-1> kBefore{};
  constexpr Constant<1> kAfter{};
  // On a host a tile is cut along the hole and its cells have one formula.
  const int written = V == 1 ? 1 : lanes_in<V>(box, z, y, x);
  const int inner =
      V == 1 || kUpdate == Update::inner || kUpdate == Update::pml ? 0 : lanes_in<V>(hole, z, y, x);
  bool all_inner = inner == kAllLanes<V>;
  if constexpr (Format::kBlocks && V > 1) {  // the threads of a block stay together
    const int begin = x / kBlockCells * kBlockCells;
    all_inner = hole.contains(z, y, begin) && hole.contains(z, y, begin + kBlockCells - 1);
  }
  if (kUpdate == Update::shell && all_inner) return;
  const Value l = laplacian(f.k, along_x, along_y, along_z);
  const Value u = along_x(Constant<0>{});
  InnerValues<Value> at = values();
  at.u_minus = u_minus_of<Format>(u, at.u_minus);
  if (kUpdate == Update::inner || (kUpdate == Update::branched && all_inner)) {
    put(u, inner_value(u, at.u_minus, at.vp, l), written);
  } else if constexpr (kUpdate != Update::inner) {
    const Value phi = phi_of();
    const EtaOfVector<V, Real> around(f.profiles, z, y, x);
    const Value eta = around.at(0, 0);
    // u+ is stored before phi+ is begun: fewer registers are alive then.
    const Value outside = pml_value(u, at.u_minus, at.vp, l, phi, eta);
    const int outer = written & ~inner;
    if constexpr (kUpdate == Update::branched && V > 1) {
      const Value inside = inner_value(u, at.u_minus, at.vp, l);
      const Value both = make_pack<Real, V>(
          [&](int v) { return (inner >> v & 1) != 0 ? lane(inside, v) : lane(outside, v); });
      put(u, both, written);
    } else {
      put(u, outside, outer);
    }
    const Value next = pml_phi(f.k, phi, eta,                                            //
                               around.along_x(eta), along_x(kAfter) - along_x(kBefore),  //
                               around.at(1, 0) - around.at(-1, 0),                       //
                               along_y(kAfter) - along_y(kBefore),                       //
                               around.at(0, 1) - around.at(0, -1),                       //
                               along_z(kAfter) - along_z(kBefore));
    store_lanes<V>(f.phi + i, next, outer);
  }
}

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
// Rows of cells on a host, several planes at a time, in registers of its vector unit.
//
// Of the K cells above each other that are made at once each value along z is loaded once, (K + 8)
// / K for each of them. Along x a vector is loaded where it is aligned, and its neighbours are
// shifted out of it and the vectors beside it: a load that straddles two cache lines counts twice.
#pragma once

#include "base/device/space.hpp"
#include "base/tile/packed_lanes.hpp"
#include "variants/acoustic/formula.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::acoustic {

/// Cells [begin, end) of a row.
struct RowCells {
  int begin = 0, end = 0;
};

/// Makes u+ and phi+ of rows with the sums of laplacian(), term by term: equal to the bit to what
/// the other variants make of them. eta comes from its profiles.
template <class Real, class Format = Plain>
class HostRows {
 public:
  static constexpr int kLanes = kHostLanes<Real>;

  /// For `cells` of rows, of which those in `inner` are inner ones where the row is of the inner
  /// region.
  HostRows(const Fields<Real, Format>& fields, const RowCells& cells, const RowCells& inner)
      : f_(fields), cells_(cells), inner_(inner) {
    if constexpr (Format::kBlocks) {
      thread_local std::vector<float> rows;
      rows.resize(std::size_t{kMost} * fields.row);
      made_ = rows.data();
    }
    // Clear of the layers along x eta is the same for all cells of a row.
    const Real* const eta = fields.profiles.x;
    RowCells flat = cells;
    while (flat.begin < flat.end && !(eta[flat.begin - 1] == 0 && eta[flat.begin] == 0)) {
      ++flat.begin;
    }
    while (flat.begin < flat.end && !(eta[flat.end - 1] == 0 && eta[flat.end] == 0)) --flat.end;
    flat_ = whole_vectors(flat);
    inner_vectors_ = whole_vectors({std::max(cells.begin, inner.begin),  //
                                    std::min(cells.end, inner.end)});
  }

  /// Elements that a cell loads, `pml` being the share of the layers: u (3 vectors along x, 2 R
  /// rows, along z those that K cells share), u- and vp; in the layers phi, and u beside it again.
  [[nodiscard]] static double loads(int k, double pml) {
    return 3 + 2 * kR + (k + 2.0 * kR) / k + 2 + 5 * pml;
  }

  /// Row y of K planes from z on. `inner`: a row of the inner region, else of the layers.
  template <int K>
  void make(int z, int y, bool inner) const {
    const HostRows me = *this;  // nothing that is stored changes it
    const std::int64_t first = f_.offset(z, y, 0);
    const RowCells& whole = inner ? inner_vectors_ : flat_;
    const RowCells& kept = inner ? inner_ : RowCells{};
    me.template make_ends<K>(z, y, first, cells_.begin / kLanes * kLanes, whole.begin, kept);
    if (inner) {
      for (int x = whole.begin; x < whole.end; x += kLanes) me.template make_inner<K>(first, x);
    } else {
      me.template make_flat<K>(z, y, first);
    }
    me.template make_ends<K>(z, y, first, whole.end, cells_.end, kept);
    if constexpr (Format::kBlocks) {
      static_assert(K <= kMost);
      for (int k = 0; k < K; ++k) {
        const auto to = f_.next + (first + k * std::int64_t{f_.plane});
        for (int x = cells_.begin; x < cells_.end; x += kBlockCells)
          put_block(to + x, made_ + k * f_.row + x, std::min(cells_.end - x, kBlockCells));
      }
    }
  }

 private:
  using Value = HostPack<Real>;
  using Address = typename Fields<Real, Format>::At::Read;
  static constexpr int kMost = 4;  ///< rows at once, in blocks

  /// u- and u+ of a vector whose u is `u`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value u_minus(std::int64_t at, const Value& u) const {
    return u_minus_of<Format>(u, load_lanes(f_.u_minus + at));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_next(std::int64_t at, int k, int x, const Value& u,
                                              const Value& next) const {
    store_lanes(next_at(at, k, x), next);
    if constexpr (Format::kDifference) store_lanes(f_.u_minus + at, next - u);
  }

  /// Where u+ of cell x of row k goes: to its offset, or to rows that blocks are made from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto next_at(std::int64_t at, int k, int x) const {
    if constexpr (Format::kBlocks) {
      return made_ + k * f_.row + x;
    } else {
      return f_.next + at;
    }
  }

  /// The vectors that lie in `cells`; where there is none, it begins and ends with a vector.
  [[nodiscard]] static RowCells whole_vectors(const RowCells& cells) {
    const int begin = (cells.begin + kLanes - 1) / kLanes * kLanes;
    return {begin, std::max(cells.end / kLanes * kLanes, begin)};
  }

  /// u along x around `at`.
  struct AlongX {
    Value before, centre, after;
    Address at;

    KOKKOS_FORCEINLINE_FUNCTION explicit AlongX(const Address& from)
        : centre(load_lanes(from)), at(from) {
      if constexpr (kShifts) {
        before = load_lanes(from - kLanes);
        after = load_lanes(from + kLanes);
      }
    }
    template <class M>
    KOKKOS_FORCEINLINE_FUNCTION Value operator()(M) const {
      if constexpr (M::value == 0) {
        return centre;
      } else if constexpr (!kShifts) {
        return load_lanes(at + M::value);
      } else if constexpr (M::value > 0) {
        return lanes_from<M::value>(centre, after);
      } else {
        return lanes_from<kLanes + M::value>(before, centre);
      }
    }
    /// Shifts across a register cost one operation in AVX-512, and two or three before it.
    static constexpr bool kShifts = (kLanes > kR) && (kHostRegisters > 16);
  };

  /// The x and y sums, then with those along z L(u), of K vectors above each other at offset i:
  /// calls use(k, l, z), z being u along that axis, as in laplacian().
  template <int K, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void laplacians(std::int64_t i, const Use& use) const {
    const Address u = f_.u + i;
    const std::int64_t row = f_.row, plane = f_.plane;
    // What comes from memory, or from L3, is requested a row before it is needed: a prefetcher
    // starts anew at every row.
    static_for<K>([&](auto k) __attribute__((always_inline)) {
      prefetch(u + row + (k + kR) * plane);
      prefetch(f_.u_minus + i + row + k * plane);
      prefetch(f_.vp + i + row + k * plane);
    });
    Value sum[K];
    static_for<K>([&](auto k) __attribute__((always_inline)) {
      const Address at = u + k * plane;
      sum[k] = plane_sum(f_.k, AlongX(at), [&](auto m) { return load_lanes(at + m * row); });
    });
    Value column[K + 2 * kR];
    static_for<K + 2 * kR>([&](auto p) __attribute__((always_inline)) {
      column[p] = load_lanes(u + (p - kR) * plane);
    });
    static_for<K>([&](auto k) __attribute__((always_inline)) {
      const auto z = [&](auto m) { return column[k + kR + m]; };
      use(k, finish_laplacian(f_.k, sum[k], column[k + kR], z), z);
    });
  }

  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void make_inner(std::int64_t first, int x) const {
    const std::int64_t i = first + x;
    laplacians<K>(
        i, [&](auto k, const Value& l, const auto& z) __attribute__((always_inline)) {
          const std::int64_t at = i + k * std::int64_t{f_.plane};
          const Value u = z(Constant<0>{});
          store_next(at, k, x, u, inner_value(u, u_minus(at, u), load_lanes(f_.vp + at), l));
        });
  }

  /// eta at some cells, and its differences over two cells along the axes.
  template <class T>
  struct Eta {
    T centre, dx, dy, dz;
  };

  /// The vectors of [x_begin, x_end), whole or not. The cells in `inner` are inner ones: there the
  /// layers' formula, where eta and phi are zero, is the inner one, except for phi+, which is not
  /// stored.
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void make_ends(int z, int y, std::int64_t first, int x_begin,
                                             int x_end, const RowCells& inner) const {
    for (int x = x_begin; x < x_end; x += kLanes) {
      const std::int64_t i = first + x;
      laplacians<K>(
          i, [&](auto k, const Value& l, const auto& u_z) __attribute__((always_inline)) {
            const Real* const eta_y = f_.profiles.y + y;
            const Real* const eta_z = f_.profiles.z + z + k;
            const auto eta = [&](int dz, int dy, int dx) {
              return positive_part(Value::load(f_.profiles.x + x + dx) + Value::all(eta_y[dy]) +
                                   Value::all(eta_z[dz]));
            };
            const Eta<Value> around{eta(0, 0, 0), eta(0, 0, 1) - eta(0, 0, -1),
                                    eta(0, 1, 0) - eta(0, -1, 0), eta(1, 0, 0) - eta(-1, 0, 0)};
            const std::int64_t at = i + k * std::int64_t{f_.plane};
            const Value d_u_x = load_lanes(f_.u + at + 1) - load_lanes(f_.u + at - 1);
            Value next, phi_next;
            make_vector(at, around, l, d_u_x, u_z, next, phi_next);
            const int begin = cells_.begin - x, end = cells_.end - x;
            store_between(next_at(at, k, x), begin, end, next);
            if constexpr (Format::kDifference)
              store_between(f_.u_minus + at, begin, end, next - u_z(Constant<0>{}));
            store_between(f_.phi + at, begin, std::min(end, inner.begin - x), phi_next);
            store_between(f_.phi + at, std::max(begin, inner.end - x), end, phi_next);
          });
    }
  }

  /// The cells of a row of the layers whose eta does not depend on x.
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void make_flat(int z, int y, std::int64_t first) const {
    Eta<Real> around[K];
    for (int k = 0; k < K; ++k) {
      const Real* const eta_y = f_.profiles.y + y;
      const Real* const eta_z = f_.profiles.z + z + k;
      const auto eta = [&](int dz, int dy) {
        return EtaProfiles<Real>::sum(Real(0), eta_y[dy], eta_z[dz]);
      };
      around[k] = {eta(0, 0), Real(0), eta(0, 1) - eta(0, -1), eta(1, 0) - eta(-1, 0)};
    }
    for (int x = flat_.begin; x < flat_.end; x += kLanes) {
      const std::int64_t i = first + x;
      laplacians<K>(
          i, [&](auto k, const Value& l, const auto& u_z) __attribute__((always_inline)) {
            const Eta<Real>& a = around[k];
            const Eta<Value> eta{Value::all(a.centre), Value::all(a.dx), Value::all(a.dy),
                                 Value::all(a.dz)};
            const std::int64_t at = i + k * std::int64_t{f_.plane};
            Value next, phi_next;
            make_vector(at, eta, l, Value::all(0), u_z, next, phi_next);
            store_next(at, k, x, u_z(Constant<0>{}), next);
            phi_next.store(f_.phi + at);
          });
    }
  }

  /// A vector of the layers at offset i.
  template <class Z>
  KOKKOS_FORCEINLINE_FUNCTION void make_vector(std::int64_t i, const Eta<Value>& eta,
                                               const Value& l, const Value& d_u_x, const Z& u_z,
                                               Value& next, Value& phi_next) const {
    const Value phi = Value::load(f_.phi + i);
    const Value u = u_z(Constant<0>{});
    next = pml_value(u, u_minus(i, u), load_lanes(f_.vp + i), l, phi, eta.centre);
    phi_next = pml_phi(f_.k, phi, eta.centre, eta.dx, d_u_x, eta.dy,
                       load_lanes(f_.u + i + f_.row) - load_lanes(f_.u + i - f_.row), eta.dz,
                       u_z(Constant<1>{}) - u_z(Constant<-1>{}));
  }

  Fields<Real, Format> f_;
  RowCells cells_, inner_;
  RowCells inner_vectors_;  ///< of a row of the inner region, those of inner cells alone
  RowCells flat_;           ///< of a row of the layers, those on which eta does not depend on x
  float* made_ = nullptr;   ///< u+ of rows of blocks
};

/// Makes the cells of a box, K planes at a time, row by row; those in `inner` are inner ones, the
/// others of the layers.
template <int K, class Real, class Format>
void make_rows(const Fields<Real, Format>& fields, const Box& box, const Box& inner) {
  const HostRows<Real, Format> rows(fields, {box.x0, box.x1}, {inner.x0, inner.x1});
  int z = box.z0;
  const auto make = [&](auto planes, bool in_z) {
    for (int y = box.y0; y < box.y1; ++y) {
      rows.template make<planes()>(z, y, in_z && y >= inner.y0 && y < inner.y1);
    }
    z += planes;
  };
  // Planes of the layers and of the inner region apart.
  for (const int end :
       {std::clamp(inner.z0, box.z0, box.z1), std::clamp(inner.z1, box.z0, box.z1), box.z1}) {
    const bool in_z = z >= inner.z0 && z < inner.z1;
    while (end - z >= K) make(Constant<K>{}, in_z);
    if constexpr (K > 2) {
      if (end - z >= 2) make(Constant<2>{}, in_z);
    }
    while (end - z >= 1) make(Constant<1>{}, in_z);
  }
}

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
// What a thread of directional/fused_async keeps of its columns, and a plane's work on them.
#pragma once

#include "base/tile/register_window.hpp"
#include "variants/directional/kernels/launcher.hpp"
#include "variants/directional/vectors.hpp"

namespace tessera::directional {

/// V cells along x in each of `rows` rows: planes p - R ... p - 1, and their cells' sums so far, in
/// registers (on a host in team scratch).
template <class Real, int R, class ShapeType>
struct FusedColumns {
  static constexpr int V = ShapeType::kV, kRows = ShapeType::kRows;
  using Threads = typename ShapeType::Threads;
  using Value = Pack<Real, V>;
  using Queue = RegisterWindow<Value, R, Threads>;
  static constexpr int kQueueBytes = 2 * R * kRows * V * static_cast<int>(sizeof(Real));
  static constexpr int kMinTeams = kQueueBytes <= 4 * 64 ? ShapeType::kMinTeams : 1;
  // Some 60 of the 255 registers (or of what MinTeams leaves) hold addresses and the current sum.
  [[nodiscard]] static constexpr bool fits(MachineKind kind) {
    return kind == MachineKind::host ||
           (kQueueBytes <= (sizeof(Real) == 4 ? 4 * 128 : 4 * 64) &&
            Threads::kCells * kMinTeams * (kQueueBytes / 4 + 60) <= 65536);
  }

  Queue behind[kRows], begun[kRows];

  KOKKOS_FORCEINLINE_FUNCTION explicit FusedColumns(const NativeTeam& team)
      : FusedColumns(team, std::make_integer_sequence<int, kRows>{}) {}

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return 2 * kRows * Queue::scratch_bytes(kind);
  }

  /// Sums that are completed before they were begun are not stored, but must be values: a compiler
  /// may take what was never set for whatever suits it.
  KOKKOS_FORCEINLINE_FUNCTION void clear(const NativeTeam& team, const TileExtent& all) {
    for_each_cell(team, Threads{}, all, [&](const Cell& c) {
      static_for<kRows>([&](auto j) {
        static_for<R>([&](auto k) {
          behind[j].at(c, k) = Value{};
          begun[j].at(c, k) = Value{};
        });
      });
    });
  }

  /// Plane p, whose cells lie at `here` in scratch, rows `Pitch` apart: completes plane p - R,
  /// stored to `out` if `complete`, and begins plane p. On entry
  /// place (phase + k) % R of a queue belongs to plane p - R + k. What is computed before plane R
  /// or begun above the tile is never stored: cheaper than to branch in each plane.
  template <int Pitch, class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(Phase phase, const Cubes<Real>& f, const Cell& c,
                                           const TileExtent& extent, const Real* here,
                                           bool complete, Real* out) {
    Value centre[kRows];
    static_for<kRows>([&](auto j) { centre[j] = load_pack<V>(here + j * Pitch); });
    // 1. The planes ahead of plane p - R: the nearest R - 1 lie behind p, the last is p.
    static_for<kRows>([&](auto j) {
      const int y = c.y * kRows + j;
      Value sum = begun[j].at(c, phase_of<0>(phase));
      static_for<R - 1>([&](auto i) {
        sum = multiply_add(f.k.cz[i], behind[j].at(c, phase_of<i + 1>(phase)), sum);
      });
      sum = multiply_add(f.k.cz[R - 1], centre[j], sum);
      sum = with_centre(f.k, behind[j].at(c, phase_of<0>(phase)), sum);
      if (complete && y < extent.ny) {
        store_vector<V, true>(out + y * f.row + V * c.x, sum, extent.nx - V * c.x);
      }
    });
    // 2. x, y, and the planes behind.
    Value sum[kRows];
    static_for<kRows>([&](auto j) {
      sum[j] = axis_sum<R>(f.k.cx, RowAround<Real, V, R>(here + j * Pitch, centre[j]));
    });
    // A row of the plane serves all rows of the thread that it is a neighbour of.
    static_for<kRows + 2 * R>([&](auto r) {
      constexpr int kY = decltype(r)::value - R;
      if constexpr (kRows > 1 || kY != 0) {
        const Value u = kY >= 0 && kY < kRows ? centre[kY >= 0 && kY < kRows ? kY : 0]
                                              : load_pack<V>(here + kY * Pitch);
        static_for<kRows>([&](auto j) {
          constexpr int kM = kY > j ? kY - j : j - kY;
          if constexpr (kM > 0 && kM <= R) sum[j] = multiply_add(f.k.cy[kM - 1], u, sum[j]);
        });
      }
    });
    static_for<kRows>([&](auto j) {
      static_for<R>([&](auto i) {
        sum[j] = multiply_add(f.k.cz[i], behind[j].at(c, phase_of<R - 1 - i>(phase)), sum[j]);
      });
      // 3. Plane p takes the place of plane p - R.
      behind[j].at(c, phase_of<0>(phase)) = centre[j];
      begun[j].at(c, phase_of<0>(phase)) = sum[j];
    });
  }

 private:
  template <int... J>
  KOKKOS_FORCEINLINE_FUNCTION FusedColumns(const NativeTeam& team, std::integer_sequence<int, J...>)
      : behind{(static_cast<void>(J), Queue(team))...},
        begun{(static_cast<void>(J), Queue(team))...} {}

  template <int K, class Phase>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static auto phase_of(Phase phase) {
    return rotate<R>(phase, Constant<K>{});
  }
};

}  // namespace tessera::directional

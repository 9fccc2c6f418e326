// SPDX-License-Identifier: Apache-2.0
// Register queues of a thread that walks a column along z: the points out of its plane (Fang V.A).
#pragma once

#include "base/device/static_for.hpp"
#include "base/tile/register_window.hpp"

namespace tessera::ete {

/// Queues of every cell of a tile: of its own column, R values on either side of plane z; of each
/// of the four columns m cells away, m = 1 ... Diagonals, the m values below. What such a column
/// has above, at z + m, is needed once there, and again m planes after the plane itself has brought
/// it: it is loaded for that one use and not kept. 8 + 4 values for one diagonal, 8 + 40 for four
/// (and room for 4 more: a queue of 3 takes that of 4, so that each depth divides the period).
///
/// Slot (z + i) % depth holds what belongs to plane z + i: to move on is to rename. `phase` is
/// z % kPeriod, a Constant on a device.
template <class Real, int R, int Diagonals, class TileType>
class ColumnQueues {
  // Depths of the queues 1, 2, 3, 4 away: each divides the period.
  static constexpr int kDepth[4] = {1, 2, 4, 4};
  static constexpr int kFirst[5] = {0, 4, 12, 28, 44};  // four columns each
  static_assert(R == 4 && Diagonals <= R);
  using Own = RegisterWindow<Real, R, TileType>;
  using Beside = RegisterWindow<Real, kFirst[Diagonals], TileType>;

 public:
  static constexpr int kPeriod = R;                   ///< planes until the first order is back
  static constexpr int kColumns = 1 + 4 * Diagonals;  ///< that leave the plane: loads of a plane
  static constexpr int kWindows = 3;                  ///< allocations of scratch on a host

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION explicit ColumnQueues(const TeamHandle& team)
      : below_(team), above_(team), beside_(team) {}

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind) {
    return 2 * Own::scratch_bytes(kind) + Beside::scratch_bytes(kind);
  }

  /// Which load of a plane fetches the point above at (dz, dy, dx); 0 is the own column's.
  [[nodiscard]] static constexpr int load_of(int dz, int dy, int dx) {
    return dy == 0 && dx == 0 ? 0 : 1 + 4 * (dz - 1) + side_of(dy, dx);
  }

  /// body(load, dz, dy, dx), Constants, for each point that a plane loads: the own column's at R
  /// and those diagonal above.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_load(const Body& body) {
    body(Constant<0>{}, Constant<R>{}, Constant<0>{}, Constant<0>{});
    for_each_side([&](auto m, auto dy, auto dx) {
      constexpr int kM = decltype(m)::value;
      body(Constant<load_of(kM, decltype(dy)::value, decltype(dx)::value)>{}, m, dy, dx);
    });
  }

  /// Fills the queues of a cell for phase 0 from the field around it; `cell` is its own address.
  KOKKOS_FORCEINLINE_FUNCTION void fill(const Cell& c, const Real* cell, int row, int plane) {
    static_for<R>([&](auto i) {
      below_.at(c, i) = cell[(i - R) * plane];
      above_.at(c, i) = cell[i * plane];
    });
    for_each_side([&](auto m, auto dy, auto dx) {
      static_for<decltype(m)::value>([&](auto i) {
        constexpr int kBelow = decltype(i)::value + 1;
        beside<kBelow>(Constant<0>{}, c, m, dy, dx) = cell[dy * row + dx - kBelow * plane];
      });
    });
  }

  /// The point at (dz, dy, dx), out of the plane, that is in a queue: all but those that a plane
  /// loads.
  template <int Dz, int Dy, int Dx, class Phase>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real at(Phase phase, const Cell& c) {
    if constexpr (Dy != 0 || Dx != 0) {
      static_assert(Dz < 0);
      return beside<-Dz>(phase, c, Constant<-Dz>{}, Constant<Dy>{}, Constant<Dx>{});
    } else if constexpr (Dz < 0) {
      return below_.at(c, rotate<R>(phase, Constant<R + Dz>{}));
    } else {
      static_assert(Dz < R);
      return above_.at(c, rotate<R>(phase, Constant<Dz>{}));
    }
  }

  /// Takes plane z in, whose cell lies at `here` with rows `pitch` apart, and the own column's
  /// value at z + R; lets go what the next plane no longer needs.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void take(Phase phase, const Cell& c, const Real* here, int pitch,
                                        Real above) {
    below_.at(c, rotate<R>(phase, Constant<0>{})) = here[0];
    above_.at(c, rotate<R>(phase, Constant<0>{})) = above;
    for_each_side(
        [&](auto m, auto dy, auto dx) { beside<0>(phase, c, m, dy, dx) = here[dy * pitch + dx]; });
  }

 private:
  [[nodiscard]] static constexpr int side_of(int dy, int dx) {
    return dy > 0 ? 0 : dy < 0 ? 1 : dx > 0 ? 2 : 3;
  }

  /// body(m, dy, dx) for each of the other columns.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_side(const Body& body) {
    static_for<Diagonals>([&](auto i) {
      constexpr int kM = decltype(i)::value + 1;
      body(Constant<kM>{}, Constant<kM>{}, Constant<0>{});
      body(Constant<kM>{}, Constant<-kM>{}, Constant<0>{});
      body(Constant<kM>{}, Constant<0>{}, Constant<kM>{});
      body(Constant<kM>{}, Constant<0>{}, Constant<-kM>{});
    });
  }

  /// What the column (Dy, Dx), M away, holds of plane z - Below; Below = 0: where plane z goes.
  template <int Below, class Phase, int M, int Dy, int Dx>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real& beside(Phase phase, const Cell& c, Constant<M>,
                                                         Constant<Dy>, Constant<Dx>) {
    constexpr int kD = kDepth[M - 1];
    constexpr int kQueue = kFirst[M - 1] + side_of(Dy, Dx) * kD;
    return beside_.at(c, slot<kQueue, kD, kD - Below>(phase));
  }

  template <int Queue, int Depth, int Offset, int Phase>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr auto slot(Constant<Phase>) {
    return Constant<Queue + (Phase + Offset) % Depth>{};
  }
  template <int Queue, int Depth, int Offset>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int slot(int phase) {
    return Queue + (phase + Offset) % Depth;
  }

  Own below_, above_;
  Beside beside_;
};

}  // namespace tessera::ete

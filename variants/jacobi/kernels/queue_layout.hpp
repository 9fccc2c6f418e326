// SPDX-License-Identifier: Apache-2.0
// What the stages of EBISU's ladder differ in, and how the multi-queue of each lies in scratch.
#pragma once

#include "base/device/prefetch.hpp"
#include "base/device/space.hpp"
#include "base/tile/multi_queue.hpp"
#include "variants/jacobi/formula.hpp"
#include "variants/jacobi/kernels/exchange.hpp"
#include "variants/jacobi/kernels/tiles.hpp"

#include <type_traits>

namespace tessera::jacobi {

/// How the queues move on by a plane (EBISU 4.2).
enum class Addressing { shifted_values, shifted_addresses, computed_addresses };

template <Addressing kOf>
using AddressingType = std::conditional_t<
    kOf == Addressing::shifted_values, ShiftedValues,
    std::conditional_t<kOf == Addressing::shifted_addresses, ShiftedAddresses, ComputedAddresses>>;

/// What the stages of EBISU's ladder differ in (Figure 9).
struct QueuePolicy {
  Addressing addressing = Addressing::shifted_values;
  bool prefetch = false;       ///< planes arrive asynchronously, a round ahead
  bool lazy = false;           ///< one barrier a round, none a time step
  bool device_tiling = false;  ///< teams exchange halos, round by round
  int min_teams = 1;           ///< on a multiprocessor, for registers
};

/// Planes of a tile and its halo in scratch, in a multi-queue on a machine of a kind.
template <class StencilT, class RealT, class TileT, QueuePolicy kPolicy,
          MachineKind kKind = kThisKind>
struct QueueLayout {
  using Stencil = StencilT;
  using Real = RealT;
  using Tile = TileT;
  static constexpr bool kLazy = kPolicy.lazy, kDeviceTiling = kPolicy.device_tiling;
  static constexpr int kR = Stencil::kR, kRy = Stencil::kRy;
  /// Host: every row begins on a cache line, or most vectors would straddle two.
  static constexpr int kLine = kKind == MachineKind::device ? 1 : kHostLine<Real>;
  static constexpr int kLeft = (kR + kLine - 1) / kLine * kLine;  ///< the halo, in whole lines
  static constexpr int kPitch = kLeft + (Tile::kNx + kR + kLine - 1) / kLine * kLine;
  static constexpr int kPlane = kPitch * (Tile::kNy + 2 * kRy);
  static constexpr int kFirst = kRy * kPitch + kLeft;  ///< of a plane: the tile's first cell
  static constexpr int kPlanes = Tile::kPlanes;        ///< a round
  /// Planes between the time steps of a round. R is enough where the step before has just made the
  /// last neighbour; lazily and across teams that one is from the round before.
  static constexpr int kLag = kLazy || kDeviceTiling ? kR + kPlanes : kR;
  static constexpr int kLength = kLag + kR + kPlanes;  ///< of a queue, in planes
  /// A lazy step must not write where others may still read; a host has no registers to keep a
  /// plane in until its slot is free.
  static constexpr bool kOwnSlots = kLazy || kKind == MachineKind::host;
  /// With lazy streaming a plane is first read one round after it arrives: no extra slot is needed.
  static constexpr int kAhead = kPolicy.prefetch && !kLazy ? kPlanes : 0;

  using Queue = MultiQueue<AddressingType<kPolicy.addressing>>;
  using Exchanged = std::conditional_t<kDeviceTiling, Exchange<Real>, NoExchange>;

  /// For so many time steps a pass.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr QueueShape shape(int steps) {
    return {steps, kLength, kOwnSlots ? kLength : kLength - kPlanes, kAhead};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static int elements(int steps) {
    return Queue::slots(shape(steps)) * kPlane;
  }

  /// The planes of a round and the R on each side of them, each from the tile's first cell on.
  struct Window {
    const Real* of[2 * kR + kPlanes];
  };
  /// Where a step's planes of a round go.
  struct Made {
    Real* of[kPlanes];
  };

  /// The stencil around element i of the plane with R before it in `window`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real value(const Real* const* window, int i) {
    return point_value<Stencil, Real>(
        [&](auto s, auto y, auto x) { return window[s + kR][i + y * kPitch + x]; });
  }
};

}  // namespace tessera::jacobi

// SPDX-License-Identifier: Apache-2.0
// The tile of redundant register streaming, which cells of it a thread owns, what it loads for
// them, and how planes lie in scratch.
#pragma once

#include "base/device/space.hpp"
#include "base/device/unroll.hpp"
#include "variants/jacobi/formula.hpp"
#include "variants/jacobi/kernels/exchange.hpp"
#include "variants/jacobi/kernels/tiles.hpp"

#include <type_traits>

namespace tessera::jacobi {

/// What a kernel of redundant register streaming knows at compile time.
struct RegisterStream {
  TileShape tile;
  int steps = 1;               ///< time steps a pass
  bool device_tiling = false;  ///< teams exchange halos, round by round
};

/// A tile in which a thread owns neighbouring cells along y; in a row (ny = 1) cells as far apart
/// as there are threads, so that a warp's accesses stay together.
template <TileShape kShape>
struct StripTile {
  static constexpr int kNx = kShape.nx, kNy = kShape.ny, kThreads = kShape.threads();
  static constexpr int kOwn = kShape.own;  ///< cells of a device's thread
  static_assert(kNx * kNy % kOwn == 0 && (kNy == 1 || kNy % kOwn == 0));

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int y_of(int rank, int i) {
    return kNy == 1 ? 0 : rank / kNx * kOwn + i;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int x_of(int rank, int i) {
    return kNy == 1 ? rank + i * kThreads : rank % kNx;
  }
};

/// Whether the sums of a strip of `Own` rows need the value x cells beside it in its row r, which
/// may lie before the strip or after it.
template <class StencilType, int Own>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool strip_needs(int r, int x) {
  bool needed = false;
  TESSERA_UNROLL
  for (int y = -StencilType::kRy; y <= StencilType::kRy; ++y) {
    TESSERA_UNROLL
    for (int s = -StencilType::kR; s <= StencilType::kR; ++s) {
      needed = needed || (r - y >= 0 && r - y < Own && StencilType::has(s, y, x));
    }
  }
  return needed;
}

/// Values of a plane that a thread with a strip of `Own` cells loads for each of them, once for all
/// the sums that they are added to (EBISU Table 2: a_sm with RST, less the value that is stored).
template <class StencilType, int Own>
[[nodiscard]] constexpr double strip_loads() {
  int loads = 0;
  for (int r = -StencilType::kRy; r < Own + StencilType::kRy; ++r) {
    for (int x = -StencilType::kR; x <= StencilType::kR; ++x) {
      loads += strip_needs<StencilType, Own>(r, x);
    }
  }
  return static_cast<double>(loads) / Own;
}

/// Planes of a tile and its halo in scratch: those that arrive from memory, and two for each time
/// step but the last, one that is read and one that is made.
template <class StencilT, class RealT, RegisterStream kStream>
struct StripLayout {
  using Stencil = StencilT;
  using Real = RealT;
  using Tile = StripTile<kStream.tile>;
  static constexpr bool kDeviceTiling = kStream.device_tiling;
  static constexpr int kSteps = kStream.steps;
  static constexpr int kR = Stencil::kR, kRy = Stencil::kRy;
  static constexpr int kPitch = Tile::kNx + 2 * kR;
  static constexpr int kPlane = kPitch * (Tile::kNy + 2 * kRy);
  static constexpr int kFirst = kRy * kPitch + kR;  ///< of a plane: the tile's first cell
  static constexpr int kOpen = 2 * kR;              ///< sums under way, a cell and time step
  static constexpr int kPrefetched = 2;             ///< planes on their way from memory
  static constexpr int kSlots = kPrefetched + 1;    ///< and one that is read
  static constexpr int kPlanes = kSlots + 2 * (kSteps - 1);

  using Exchanged = std::conditional_t<kDeviceTiling, Exchange<Real>, NoExchange>;

  /// The plane that a time step makes in rounds of a parity.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real* made_plane(Real* cells, int step,
                                                                    int parity) {
    return cells + (kSlots + 2 * (step - 1) + parity) * kPlane;
  }
};

/// A fixed cell, or zero where there is none.
template <class StencilType, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real fixed_value(const Fields<Real>& f, int p, int y,
                                                           int x) {
  return f.template exists<StencilType::kR, StencilType::kRy>(p, y, x) ? f.from[f.offset(p, y, x)]
                                                                       : Real(0);
}

}  // namespace tessera::jacobi

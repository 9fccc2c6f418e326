// SPDX-License-Identifier: Apache-2.0
// What the two streams of jacobi/ebisu know at compile time, and where the values of their steps
// lie in scratch.
#pragma once

#include "base/registry/configuration_text.hpp"
#include "base/tile/multi_queue.hpp"
#include "variants/jacobi/formula.hpp"
#include "variants/jacobi/kernels/exchange.hpp"
#include "variants/jacobi/kernels/tiles.hpp"

#include <string>

namespace tessera::jacobi {

/// What a kernel of rows knows at compile time.
struct RowStream {
  int nx = 256;     ///< columns of a strip
  int rows = 4;     ///< a round
  int columns = 1;  ///< of a thread
  int steps = 1;    ///< time steps a pass

  /// "256x4,t=12": the cells that a round makes of each step.
  [[nodiscard]] std::string text() const {
    return extents_text({nx, rows}) + parameter_text("t", steps);
  }
};

/// What a kernel of planes knows at compile time.
struct PlaneStream {
  TileShape tile = {.nx = 32, .ny = 32, .own = 4};
  int steps = 1;  ///< time steps a pass
  int apart = 2;  ///< rounds from a plane to the halo of it that others have made

  [[nodiscard]] std::string text() const {
    return tile.text(steps) + parameter_text("apart", apart);
  }
};

/// Where the rows of the steps lie in scratch.
template <class StencilType, class Real, RowStream kStream>
struct RowLayout {
  static constexpr int kR = StencilType::kR, kH = kStream.rows, kC = kStream.columns;
  static constexpr int kThreads = kStream.nx / kC, kSteps = kStream.steps;
  static_assert(kR <= kH && kR <= kThreads && kStream.nx % kC == 0);
  static constexpr int kLag = StencilType::kStar ? kH : 2 * kH;  ///< rows from step to step
  /// The group of a queue that holds rows p ... p + H - 1; that which is made in this round.
  static constexpr int kHere = StencilType::kStar ? 0 : 1, kMade = kHere + kLag / kH;
  /// Step 1 has no step before it in its round: its row ahead must have arrived.
  static constexpr int kAhead = StencilType::kStar ? 1 : 0;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr QueueShape shape() {
    return {kSteps, kMade + 1, kMade + 1, kAhead};
  }
  static constexpr int kArrived = kHere + 1, kPrefetched = kArrived + 1;  ///< groups of queue 0
  static_assert(kPrefetched == kMade + kAhead);
  static constexpr int kGroup = kH * kStream.nx;
  static constexpr int kSlots = kSteps * (kMade + 1) + kAhead;
  static constexpr int kElements = kSlots * kGroup + 2 * kR;
  using Queue = MultiQueue<ShiftedAddresses>;

  /// Cell x columns beside the thread's first one, in row h of a group: each column of a thread has
  /// a row of its own, so that neighbouring threads find neighbouring words.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr int at(int h, int x) {
    const int thread = x >= 0 ? x / kC : -((kC - 1 - x) / kC);
    return (h * kC + (x - thread * kC)) * kThreads + thread;
  }
};

/// Where the planes of the steps lie in scratch.
template <class StencilT, class RealT, PlaneStream kStream>
struct PlaneLayout {
  using Stencil = StencilT;
  using Real = RealT;
  struct Tile {
    static constexpr int kNx = kStream.tile.nx, kNy = kStream.tile.ny;
    static constexpr int kThreads = kStream.tile.threads();
  };
  static constexpr int kR = Stencil::kR, kSteps = kStream.steps, kThreads = Tile::kThreads;
  static constexpr int kOwn = kStream.tile.own;
  static_assert(kR <= kOwn && Tile::kNy % kOwn == 0);
  using Record = EdgeRecord<Tile, kR, kR>;

  /// Planes on each side of p in which a step reads cells that are not its thread's own.
  static constexpr int kNear = Stencil::kStar ? 0 : kR;
  /// Planes from step to step: as many as must have their halo, and as are read.
  static constexpr int kLag = kNear + kStream.apart > kR ? kNear + kStream.apart : kR;
  /// The newest own plane that a step reads is made in this round, and still in registers.
  static constexpr bool kFresh = kLag == kR;
  static constexpr int kHere = kNear, kMade = kHere + kLag;  ///< in a queue: plane p, the newest
  static constexpr int kAhead = kFresh ? 1 : 0;              ///< step 1 has none before it
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr QueueShape shape() {
    return {kSteps, kMade + 1, kMade + 1, kAhead};
  }
  static constexpr int kPrefetched = kMade + kAhead;
  static constexpr int kPitch = Tile::kNx + 2 * kR;
  static constexpr int kPlane = kPitch * (Tile::kNy + 2 * kR);
  static constexpr int kFirst = kR * kPitch + kR;  ///< of a plane: the tile's first cell
  static constexpr int kSlots = kSteps * (kMade + 1) + kAhead;
  static constexpr int kElements = kSlots * kPlane;
  using Queue = MultiQueue<ShiftedAddresses>;
};

}  // namespace tessera::jacobi

// SPDX-License-Identifier: Apache-2.0
// Device tiling (EBISU 4.1): the tiles of all teams of a resident league together are one tile of
// the device. What a tile's neighbours need of it they find in device memory, after a barrier of
// the whole league.
//
// A tile leaves its edges as a record without gaps: its first and last rows as they are, its first
// and last columns transposed, so that what would be a cell from each of many lines is a run too:
//
//     +-----------+      record:  | up | down | left | right |
//     |    up     |
//     |left  right|      up, down:     rows of kNx cells
//     |   down    |      left, right:  columns of kNy cells
//     +-----------+      (a corner is in a row and in a column)
#pragma once

#include "base/device/grid_barrier.hpp"
#include "variants/jacobi/kernels/tiles.hpp"

namespace tessera::jacobi {

/// SM tiling: no team waits for another.
struct NoExchange {};

/// Where the cells of a tile that a neighbour reads lie in the tile's record: Ry rows, R columns.
template <class TileType, int R, int Ry>
struct EdgeRecord {
  static constexpr int kNx = TileType::kNx, kNy = TileType::kNy;
  static constexpr int kDown = Ry * kNx, kLeft = 2 * kDown, kRight = kLeft + R * kNy;
  static constexpr int kElements = kRight + R * kNy;  ///< also the cells of a halo, corners apart
  static constexpr int kCorners = 4 * R * Ry;         ///< cells of a halo at its corners
  static_assert(2 * Ry <= kNy && 2 * R <= kNx);

  /// Calls put(place) for each place of cell (y, x) of the tile: none, one, or at a corner two.
  template <class Put>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_place(int y, int x, const Put& put) {
    if (y < Ry) put(y * kNx + x);
    if (y >= kNy - Ry) put(kDown + (y - (kNy - Ry)) * kNx + x);
    if (x < R) put(kLeft + x * kNy + y);
    if (x >= kNx - R) put(kRight + (x - (kNx - R)) * kNy + y);
  }

  /// A cell of a tile's halo: the neighbour whose cell it is, in tiles, and its place there.
  struct Beside {
    int y, x;         ///< of the halo, from the tile's first cell
    int down, right;  ///< the neighbour: -1, 0, 1
    int place;        ///< in its record
  };
  /// The owner of cell (y, x) beside the tile.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Beside beside(int y, int x) {
    const int down = y < 0 ? -1 : y >= kNy ? 1 : 0;
    const int right = x < 0 ? -1 : x >= kNx ? 1 : 0;
    const int its_y = y - down * kNy;
    const int its_x = x - right * kNx;
    const int place = down < 0    ? kDown + (its_y - (kNy - Ry)) * kNx + its_x
                      : down > 0  ? its_y * kNx + its_x
                      : right < 0 ? kRight + (its_x - (kNx - R)) * kNy + its_y
                                  : kLeft + its_x * kNy + its_y;
    return {y, x, down, right, place};
  }

  /// Cell i of the halo without its corners, 0 <= i < kElements, so that neighbouring i are
  /// neighbouring places of one record.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Beside halo_cell(int i) {
    if (i < kDown) return beside(i / kNx - Ry, i % kNx);
    if (i < kLeft) return beside(kNy + (i - kDown) / kNx, (i - kDown) % kNx);
    if (i < kRight) return beside((i - kLeft) % kNy, (i - kLeft) / kNy - R);
    return beside((i - kRight) % kNy, kNx + (i - kRight) / kNy);
  }
  /// Cell i of the halo's corners, 0 <= i < kCorners.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Beside corner_cell(int i) {
    const int k = i / 4;  // of R x Ry cells
    const int y = k / R;
    const int x = k % R;
    return beside(i % 4 < 2 ? y - Ry : kNy + y, i % 2 == 0 ? x - R : kNx + x);
  }
};

/// The league's tiles lie side by side, teams_x * teams_y of them; `cuts` are those of the device
/// tile. A team leaves a record for each time step of a round. Records of kRounds rounds are kept:
/// while a team writes those of its round others may still read those of the round before, and of
/// the one before that where the two halves of the barrier are a round apart.
template <class Real>
struct Exchange {
  static constexpr int kRounds = 4;

  PlaneCuts cuts;
  int teams_y, teams_x;
  Real* records;
  GridBarrier barrier;
  int steps;  ///< records that a team leaves in a round

  /// Elements of `records` for so many teams.
  template <class Record>
  [[nodiscard]] static std::int64_t elements(int steps, int teams) {
    return std::int64_t{kRounds} * steps * teams * Record::kElements;
  }

  /// Team `rank`'s tile in device tile i.
  template <class TileType>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION PlanePlace place(int i, int rank) const {
    PlanePlace p = cuts.place(i);
    p.y0 += rank / teams_x * TileType::kNy;
    p.x0 += rank % teams_x * TileType::kNx;
    return p;
  }

  /// The team beside team `rank`, or -1 where the device tile ends.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int neighbour(int rank, int down, int right) const {
    const int y = rank / teams_x + down;
    const int x = rank % teams_x + right;
    return y >= 0 && y < teams_y && x >= 0 && x < teams_x ? y * teams_x + x : -1;
  }

  /// The record that team `rank` leaves of time step `step`, 1 ... steps, in a round.
  template <class Record>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real* record(int rank, int step, unsigned round) const {
    const int index = (rank * kRounds + static_cast<int>(round % kRounds)) * steps + step - 1;
    return records + std::int64_t{index} * Record::kElements;
  }

  /// Leaves what the neighbours of team `rank` need of its cell (y, x).
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION void leave(int rank, int step, unsigned round, int y, int x,
                                         Real value) const {
    Record::for_each_place(y, x,
                           [&](int place) { record<Record>(rank, step, round)[place] = value; });
  }

  /// Where the value of a cell beside team `rank`'s tile is found; null where no team has it.
  template <class Record>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Real* find(
      int rank, int step, unsigned round, const typename Record::Beside& cell) const {
    const int owner = neighbour(rank, cell.down, cell.right);
    return owner < 0 ? nullptr : record<Record>(owner, step, round) + cell.place;
  }
};

/// After the barrier of a round: the halo of the plane that time step `step` made in it, from the
/// neighbours' records or, where its cells are fixed, from memory. `plane`: its tile's first cell.
template <class TileType, class StencilType, class Real, class TeamHandle>
KOKKOS_FORCEINLINE_FUNCTION void collect_halo(const TeamHandle& team, const Fields<Real>& f,
                                              const Exchange<Real>& exchange,
                                              const PlanePlace& place, int step, int p,
                                              unsigned round, Real* plane, int pitch) {
  constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  using Record = EdgeRecord<TileType, kR, kRy>;
  constexpr int kCells = Record::kElements + (StencilType::kStar ? 0 : Record::kCorners);
  const int stride = kOnDevice ? team.team_size() : 1;
  for (int i = kOnDevice ? team.team_rank() : 0; i < kCells; i += stride) {
    const auto cell =
        i < Record::kElements ? Record::halo_cell(i) : Record::corner_cell(i - Record::kElements);
    const int y = place.y0 + cell.y;
    const int x = place.x0 + cell.x;
    const Real* from = nullptr;
    if (f.updated(p, y, x)) {
      from = exchange.template find<Record>(team.league_rank(), step, round, cell);
    } else if (f.template exists<kR, kRy>(p, y, x)) {
      from = f.from + f.offset(p, y, x);
    }
    if (from != nullptr) plane[cell.y * pitch + cell.x] = *from;
  }
}

}  // namespace tessera::jacobi

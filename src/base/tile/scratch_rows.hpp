// SPDX-License-Identifier: Apache-2.0
// A tile of vectors and R rows above and below it in team scratch: what a stencil along y reads.
#pragma once

#include "base/device/scratch_pointer.hpp"
#include "base/tile/for_each_cell.hpp"
#include "base/tile/vec.hpp"

namespace tessera {

/// Ty + 2R rows of Tx vectors of V elements, for a team of Tx x Ty `Threads`. On a host V is 1.
template <class T, int V, class Threads, int R>
class ScratchRows {
 public:
  static constexpr int kPitch = V * Threads::kNx;  ///< elements a row
  static constexpr int kRows = Threads::kNy + 2 * R;
  static constexpr std::size_t kBytes = sizeof(T) * kPitch * kRows;

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchRows(const TeamHandle& team)
      : cells_(scratch_pointer(reinterpret_cast<T*>(Storage(scratch_of(team)).data())) +
               R * kPitch) {}

  [[nodiscard]] static std::size_t scratch_bytes() { return Storage::shmem_size(); }

  /// Loads, with the whole team, the rows -R ... ny + R - 1 from `source`, the address of the
  /// tile's first cell in a field whose rows are `row` elements apart; `extent` counts vectors
  /// along x. Rows are shared out over the threads' own y, round after round: any R will do with
  /// any number of rows (the paper's three loads are the case Ty = R). No barrier.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void load(const TeamHandle& team, const T* source, int row,
                                        const TileExtent& extent) const {
    load_rows<kRows>(team, source, row, extent, extent.ny + 2 * R, [](int i) { return i - R; });
  }

  /// The same without the tile itself, whose threads have their vectors and put them.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION void load_halo(const TeamHandle& team, const T* source, int row,
                                             const TileExtent& extent) const {
    const int ny = extent.ny;
    load_rows<2 * R>(team, source, row, extent, 2 * R,
                     [ny](int i) { return i < R ? i - R : ny + i - R; });
  }

  /// Address of element (y, x); rows are kPitch elements apart.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T* at(int y, int x) const {
    return cells_ + y * kPitch + x;
  }

 private:
  using Storage =
      Kokkos::View<Vec<T, V>[Threads::kNx * kRows], ScratchSpace, Kokkos::MemoryUnmanaged>;

  /// Copies the rows place(0) ... place(rows - 1), rows <= MaxRows.
  template <int MaxRows, class TeamHandle, class Place>
  KOKKOS_FORCEINLINE_FUNCTION void load_rows(const TeamHandle& team, const T* source, int row,
                                             const TileExtent& extent, int rows,
                                             const Place& place) const {
    if constexpr (kOnDevice) {
      const int x = team.team_rank() % Threads::kNx;
      const int y = team.team_rank() / Threads::kNx;
      if (x >= extent.nx) return;
      static_for<(MaxRows + Threads::kNy - 1) / Threads::kNy>([&](auto round) {
        const int i = y + round * Threads::kNy;
        if (i >= rows) return;
        *reinterpret_cast<Vec<T, V>*>(at(place(i), V * x)) =
            Vec<T, V>::load(source + place(i) * row + V * x);
      });
    } else {
      for (int i = 0; i < rows; ++i) {
        const T* from = source + place(i) * row;
        T* to = at(place(i), 0);
#pragma omp simd
        for (int x = 0; x < extent.nx; ++x) to[x] = from[x];
      }
    }
  }

  T* cells_;
};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// A ring of xy planes in team scratch, each with its whole halo, corners too, filled by
// asynchronous copies.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/grid/field.hpp"
#include "base/tile/for_each_cell.hpp"
#include "base/tile/vec.hpp"

namespace tessera {

/// `Slots` planes of a tile of cells, filled by a team of `Threads`. On a device a plane is copied
/// in pieces of 16 bytes: the tile's first cell must be aligned to them, and R a multiple of their
/// elements. On a host it is copied row by row.
template <class T, class TileType, int R, int Slots, int Threads = TileType::kCells>
class CorneredRing {
 public:
  static_assert(TileType::kNz == 1);
  static constexpr int kSlots = Slots;
  static constexpr int kPitch = TileType::kNx + 2 * R;
  static constexpr int kPlane = kPitch * (TileType::kNy + 2 * R);
  static constexpr std::size_t kBytes = sizeof(T) * kPlane * Slots;

  /// `row`: elements between rows of the field; `extent`: cells of the clipped tile. Cells up to R
  /// past the extent are loaded; on a device also what completes a piece.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION CorneredRing(const TeamHandle& team, int row,
                                           const TileExtent& extent)
      : cells_(scratch_pointer(reinterpret_cast<T*>(Storage(scratch_of(team)).data())) +
               R * kPitch + R),
        row_(row),
        extent_(extent) {
    if constexpr (kOnDevice) {
      static_for<kJobs>([&](auto j) {
        const int i = team.team_rank() + j * Threads;
        const int y = i / kPieces - R;
        const int x = i % kPieces * kPiece - R;
        const bool wanted = y < extent.ny + R && x < extent.nx + R;
        source_[j] = y * row + x;
        target_[j] = wanted ? y * kPitch + x : kUnwanted;
      });
    }
  }

  [[nodiscard]] static std::size_t scratch_bytes() { return Storage::shmem_size(); }

  /// Starts to copy a plane into `slot`; `source` is the address of the tile's first cell in it.
  /// The whole team calls it; it belongs to the caller's open group of copies.
  KOKKOS_FORCEINLINE_FUNCTION void load(int slot, const T* source) const {
    T* plane = cells_ + slot * kPlane;
    if constexpr (kOnDevice) {
      static_for<kJobs>([&](auto j) {
        if (target_[j] != kUnwanted) copy_async<kPiece>(plane + target_[j], source + source_[j]);
      });
    } else {
      for (int y = -R; y < extent_.ny + R; ++y) {
        const T* from = source + y * row_;
        T* to = plane + y * kPitch;
#pragma omp simd
        for (int x = -R; x < extent_.nx + R; ++x) to[x] = from[x];
      }
    }
  }

  /// Address of cell (y, x) of the plane in `slot`; rows are kPitch elements apart.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const T* at(int slot, int y, int x) const {
    return cells_ + slot * kPlane + y * kPitch + x;
  }

 private:
  static constexpr int kPiece = kOnDevice ? 16 / static_cast<int>(sizeof(T)) : 1;
  static_assert(kPitch % kPiece == 0 && R % kPiece == 0);
  static constexpr int kUnwanted = -kPlane;
  static constexpr int kPieces = kPitch / kPiece;  // of a row
  static constexpr int kJobs = (kPlane / kPiece + Threads - 1) / Threads;
  using Storage =
      Kokkos::View<Vec<T, kPiece>[Slots * kPlane / kPiece], ScratchSpace, Kokkos::MemoryUnmanaged>;

  T* cells_;
  int row_;
  TileExtent extent_;
  int source_[kOnDevice ? kJobs : 1], target_[kOnDevice ? kJobs : 1];
};

}  // namespace tessera

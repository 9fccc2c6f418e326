// SPDX-License-Identifier: Apache-2.0
// A ring of xy planes in team scratch, filled by asynchronous vector copies.
#pragma once

#include "base/device/async_copy.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/grid/field.hpp"
#include "base/tile/for_each_cell.hpp"
#include "base/tile/vec.hpp"

namespace tessera {

/// Whole planes with x and y halo (no corners) of a tile in which each thread of the team tile
/// `Threads` owns V neighbouring cells along x in each of `Rows` adjacent rows. The halo along x is
/// R cells rounded up to whole vectors: fields must have as many. On a device the tile's first cell
/// is aligned to a Vec<T, V>. On a host V is 1 and a plane is copied row by row.
template <class T, int V, class Threads, int R, int Planes, int Rows = 1>
class PlaneRing {
 public:
  static_assert(Threads::kNz == 1);
  static constexpr int kSide = (R + V - 1) / V * V;
  static constexpr int kNx = V * Threads::kNx;
  static constexpr int kNy = Threads::kNy * Rows;
  static constexpr int kPitch = kNx + 2 * kSide;
  static constexpr int kPlane = kPitch * (kNy + 2 * R);

  /// `row`: elements between rows of the field; `extent`: cells of the clipped tile. Cells up to R
  /// past the extent are loaded, and the rest of their vectors.
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION PlaneRing(const TeamHandle& team, int row, const TileExtent& extent)
      : cells_(scratch_pointer(reinterpret_cast<T*>(Storage(scratch_of(team)).data())) +
               R * kPitch + kSide),
        row_(row),
        extent_(extent) {
    if constexpr (kOnDevice) {
      // The vectors that this thread copies of each plane: its own, then shares of the halo.
      // Sources are bytes from the halo's corner, unsigned, so that they add to an address in one
      // step.
      static_for<kJobs>([&](auto j) {
        const Place p = place(team.team_rank() + j * Threads::kCells);
        const bool wanted = p.y >= -R && p.y < extent.ny + R && p.x < extent.nx + R;
        source_[j] = static_cast<unsigned>(
            (((wanted ? p.y : 0) + R) * row + (wanted ? p.x : 0) + kSide) * sizeof(T));
        target_[j] = wanted || always(j) ? p.y * kPitch + p.x : kUnwanted;
      });
    }
  }

  [[nodiscard]] static std::size_t scratch_bytes() { return Storage::shmem_size(); }

  /// Starts to copy a plane into `slot`, 0 <= slot < Planes; `source` is the address of the tile's
  /// first cell in it. The whole team calls it; it belongs to the caller's open group of copies.
  KOKKOS_FORCEINLINE_FUNCTION void load(int slot, const T* source) const {
    load_part<R>(slot, source);
  }

  /// The same without the halo.
  KOKKOS_FORCEINLINE_FUNCTION void load_tile(int slot, const T* source) const {
    load_part<0>(slot, source);
  }

  /// Address of cell (y, x) of the plane in `slot`; rows are kPitch elements apart.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const T* at(int slot, int y, int x) const {
    return cells_ + slot * kPlane + y * kPitch + x;
  }

 private:
  /// Halo: R, or 0 for the tile alone, whose vectors are every thread's first.
  template <int Halo>
  KOKKOS_FORCEINLINE_FUNCTION void load_part(int slot, const T* source) const {
    T* plane = cells_ + slot * kPlane;
    if constexpr (kOnDevice) {
      const char* corner = reinterpret_cast<const char*>(source - (R * row_ + kSide));
      static_for<Halo == 0 ? Rows : kJobs>([&](auto j) {
        if (!always(j) && target_[j] == kUnwanted) return;
        copy_async<V>(plane + target_[j], reinterpret_cast<const T*>(corner + source_[j]));
      });
    } else {
      for (int y = -Halo; y < extent_.ny + Halo; ++y) {
        const int side = y < 0 || y >= extent_.ny ? 0 : Halo;
        const T* from = source + y * row_;
        T* to = plane + y * kPitch;
#pragma omp simd
        for (int x = -side; x < extent_.nx + side; ++x) to[x] = from[x];
      }
    }
  }

  static constexpr int kUnwanted = -kPlane;
  /// True for jobs that every thread has: where the tile is clipped it copies some cell of the tile
  /// to an unused place, which costs less than a test in each plane.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool always(int j) {
    return (j + 1) * Threads::kCells <= kVectors;
  }
  static constexpr int kTile = Rows * Threads::kCells;  // vectors of the tile
  static constexpr int kBelow = 2 * R * Threads::kNx;   // above and below it
  static constexpr int kSides = 2 * (kSide / V) * kNy;  // left and right of it
  static constexpr int kVectors = kTile + kBelow + kSides;
  static constexpr int kJobs = (kVectors + Threads::kCells - 1) / Threads::kCells;
  using Storage =
      Kokkos::View<Vec<T, V>[Planes * kPlane / V], ScratchSpace, Kokkos::MemoryUnmanaged>;

  struct Place {
    int y, x;
  };

  /// First cell of vector i, x fastest; y is beyond every halo for the numbers after the last.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Place place(int i) {
    if (i < kTile) return {i / Threads::kNx, V * (i % Threads::kNx)};
    i -= kTile;
    if (i < kBelow) {
      const int y = i / Threads::kNx;
      return {y < R ? y - R : kNy + y - R, V * (i % Threads::kNx)};
    }
    i -= kBelow;
    if (i >= kSides) return {-2 * R, 0};
    const int x = V * (i % (2 * kSide / V));
    return {i / (2 * kSide / V), x < kSide ? x - kSide : kNx + x - kSide};
  }

  T* cells_;
  int row_;
  TileExtent extent_;
  unsigned source_[kJobs];
  int target_[kJobs];
};

/// A ring of `Slots` Packs for each thread, in team scratch: values that only their own thread
/// reads, fetched ahead of their use. On a host nothing is fetched ahead: take() reads the field.
template <class T, int V, class Threads, int Slots>
class FetchedAhead {
 public:
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION explicit FetchedAhead([[maybe_unused]] const TeamHandle& team) {
    if constexpr (kOnDevice)
      own_ = scratch_pointer(reinterpret_cast<T*>(Storage(scratch_of(team)).data())) +
             V * team.team_rank();
  }

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return kind == MachineKind::device ? Storage::shmem_size() : 0;
  }

  /// Starts to copy the Pack at `address`; it belongs to the caller's open group of copies.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int slot, const T* address) const {
    if constexpr (kOnDevice) copy_async<V>(own_ + slot * V * Threads::kCells, address);
  }

  /// The Pack that was fetched from `address`, once its group has arrived.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<T, V> take(int slot, const T* address) const {
    return load_pack<V>(kOnDevice ? own_ + slot * V * Threads::kCells : address);
  }

 private:
  using Storage =
      Kokkos::View<Vec<T, V>[Slots * Threads::kCells], ScratchSpace, Kokkos::MemoryUnmanaged>;
  T* own_ = nullptr;
};

}  // namespace tessera

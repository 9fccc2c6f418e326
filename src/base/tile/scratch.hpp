// SPDX-License-Identifier: Apache-2.0
// Tiles with halos in team scratch (shared memory, LDS; L1 or L2 on a host), loaded together.
#pragma once

#include "base/device/scratch_pointer.hpp"
#include "base/grid/field.hpp"
#include "base/tile/for_each_cell.hpp"

namespace tessera {

/// A block of (Dz + 2R) x (Dy + 2R) x (Dx + 2R) elements of team scratch. Indices are relative to
/// the tile: halo cells have negative ones.
template <class T, class TileType, int R>
class ScratchBlock {
 public:
  static constexpr int kHaloZ = TileType::kNz == 1 ? 0 : R;  ///< a plane has no halo along z
  static constexpr int kPitch = TileType::kNx + 2 * R;
  static constexpr int kRows = TileType::kNy + 2 * R;
  static constexpr int kPlanes = TileType::kNz + 2 * kHaloZ;

  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchBlock(const Team& team)
      : origin_(scratch_pointer(Storage(scratch_of(team)).data()) + (kHaloZ * kRows + R) * kPitch +
                R) {}

  /// A block whose cell (0, 0, 0) lies at `origin`, in scratch that somebody else took.
  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchBlock(T* origin) : origin_(origin) {}

  /// Team scratch that the block takes, in bytes.
  [[nodiscard]] static std::size_t scratch_bytes() { return Storage::shmem_size(); }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T& operator()(int z, int y, int x) const {
    return origin_[(z * kRows + y) * kPitch + x];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T& operator()(int y, int x) const {
    return origin_[y * kPitch + x];
  }

  /// Loads, with the whole team, the x and y halo strips of one plane (not its corners, not the
  /// tile itself) from `source`, the address of the tile's first cell in a field whose rows are
  /// `row` elements apart. Strips right and below adjoin the clipped `extent`. No barrier.
  KOKKOS_FORCEINLINE_FUNCTION void load_halo(const Team& team, const T* source, int row,
                                             const TileExtent& extent) const {
    // 1. left and right: 2R cells a row; R consecutive threads read R consecutive elements.
    strided(team, extent.ny * 2 * R, [&](int i) {
      const int y = i / (2 * R);
      const int k = i % (2 * R);
      const int x = k < R ? k - R : extent.nx + k - R;
      (*this)(y, x) = source[y * row + x];
    });
    // 2. above and below: 2R rows of the tile's width.
    strided_rows(team, 2 * R, extent.nx, [&](int k, int x) {
      const int y = k < R ? k - R : extent.ny + k - R;
      (*this)(y, x) = source[y * row + x];
    });
  }

  /// Loads, with the whole team, the halos on all six faces (no edges, not the tile itself) from
  /// `source`, the address of the tile's first cell in a field with strides `row` and `plane`.
  /// The far halos adjoin the clipped `extent`. Device: along each axis the first 2R threads fetch
  /// a cell each, 0 ... R - 1 on one side and R ... 2R - 1 on the other (Sai IV.2). No barrier.
  KOKKOS_FORCEINLINE_FUNCTION void load_star_halo(const Team& team, const T* source, int row,
                                                  int plane, const TileExtent& extent) const {
    const auto fetch = [&](int z, int y, int x) {
      (*this)(z, y, x) = source[z * plane + y * row + x];
    };
    const auto beside = [](int k, int size) { return k < R ? k - R : size + k - R; };
    if constexpr (kOnDevice) {
      static_assert(TileType::kNx >= 2 * R && TileType::kNy >= 2 * R && TileType::kNz >= 2 * R);
      // All threads take part, not only those of the clipped extent: the position along the axis
      // says which side a thread fetches.
      for_each_cell(team, TileType{}, {TileType::kNz, TileType::kNy, TileType::kNx},
                    [&](const Cell& c) {
                      const bool in_x = c.x < extent.nx;
                      const bool in_y = c.y < extent.ny;
                      const bool in_z = c.z < extent.nz;
                      if (c.x < 2 * R && in_y && in_z) fetch(c.z, c.y, beside(c.x, extent.nx));
                      if (c.y < 2 * R && in_x && in_z) fetch(c.z, beside(c.y, extent.ny), c.x);
                      if (c.z < 2 * R && in_x && in_y) fetch(beside(c.z, extent.nz), c.y, c.x);
                    });
    } else {
      for (int z = 0; z < extent.nz; ++z) {
        ScratchBlock(&(*this)(z, 0, 0)).load_halo(team, source + z * plane, row, extent);
      }
      for (int k = 0; k < 2 * R; ++k) {
        strided_rows(team, extent.ny, extent.nx,
                     [&](int y, int x) { fetch(beside(k, extent.nz), y, x); });
      }
    }
  }

 private:
  using Storage = Kokkos::View<T[kPitch * kRows * kPlanes], ScratchSpace, Kokkos::MemoryUnmanaged>;

  /// body(0) ... body(n - 1), spread over the threads of the team.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void strided(const Team& team, int n, const Body& body) {
    if constexpr (kOnDevice) {
      for (int i = team.team_rank(); i < n; i += TileType::kCells) body(i);
    } else {
      for (int i = 0; i < n; ++i) body(i);
    }
  }

  /// body(row, x) for all rows and 0 <= x < nx; x fastest over the threads, vectorised on a host.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void strided_rows(const Team& team, int rows, int nx,
                                                       const Body& body) {
    if constexpr (kOnDevice) {
      for (int i = team.team_rank(); i < rows * TileType::kNx; i += TileType::kCells) {
        const int x = i % TileType::kNx;
        if (x < nx) body(i / TileType::kNx, x);
      }
    } else {
      for (int k = 0; k < rows; ++k) {
#pragma omp simd
        for (int x = 0; x < nx; ++x) body(k, x);
      }
    }
  }

  T* origin_;
};

/// One plane of a tile with its x and y halo.
template <class T, class TileType, int R>
using ScratchPlane = ScratchBlock<T, Tile<TileType::kNx, TileType::kNy, 1>, R>;

/// `Depth` planes of a tile with their x and y halos, for a variant that keeps a whole column of
/// planes in scratch. Halo corners are left undefined: the last of a plane and the first of the
/// next, which adjoin, are left out, since here bytes decide which tiles fit.
template <class T, class TileType, int R, int Depth>
class ScratchPlanes {
 public:
  using Plane = ScratchPlane<T, TileType, R>;

  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchPlanes(const Team& team)
      : origin_(scratch_pointer(Storage(scratch_of(team)).data()) + R * Plane::kPitch) {}

  /// Team scratch that the planes take, in bytes.
  [[nodiscard]] static std::size_t scratch_bytes() { return Storage::shmem_size(); }

  /// Plane i, 0 <= i < Depth.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Plane operator[](int i) const {
    return Plane(origin_ + i * kElements);
  }

 private:
  static constexpr int kElements = Plane::kRows * Plane::kPitch - 2 * R;
  using Storage = Kokkos::View<T[Depth * kElements], ScratchSpace, Kokkos::MemoryUnmanaged>;

  T* origin_;
};

}  // namespace tessera

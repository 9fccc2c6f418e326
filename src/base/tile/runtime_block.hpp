// SPDX-License-Identifier: Apache-2.0
// Blocks of cells whose extents are known at run time: one kernel serves every block shape.
//
// A compile-time tile lets the compiler turn rank / nx into shifts. Here the same division is a
// multiplication by a number that the host prepares, so that a thread finds its cell in about ten
// instructions whatever the shape.
#pragma once

#include "base/device/divisor.hpp"
#include "base/device/opaque_value.hpp"
#include "base/grid/extents.hpp"
#include "base/tile/for_each_cell.hpp"
#include "base/tile/tiling.hpp"

#include <cstdint>

namespace tessera {

/// Cells that one thread of a device owns: `lanes` neighbours along x, `planes` along z.
struct ThreadCells {
  int lanes = 1;
  int planes = 1;
};

/// A box cut into blocks of bx x by x bz cells, x fastest, one a team; blocks at the far faces are
/// clipped. On a device a thread owns ThreadCells of the block; on a host one thread owns it all.
class RuntimeBlocks {
 public:
  /// bx must be a multiple of owned.lanes.
  RuntimeBlocks(const Box& box, int bx, int by, int bz, ThreadCells owned = {})
      : tiling_(box, bx, by, bz),
        owned_(owned),
        tiles_x_(tiling_.tiles_x),
        tiles_y_(tiling_.tiles_y),
        threads_x_(bx / owned.lanes),
        threads_y_(by) {}

  [[nodiscard]] std::int64_t league() const { return tiling_.league(); }
  /// Threads of a device's team.
  [[nodiscard]] int threads() const {
    return tiling_.nx / owned_.lanes * tiling_.ny *
           ((tiling_.nz + owned_.planes - 1) / owned_.planes);
  }

  /// Calls f(z, y, x, planes) in coordinates of the grid. Device: once for the thread's own cells,
  /// whose first is (x, y, z) and of which `planes` lie in the box along z, if there are any; lanes
  /// past the box along x are the caller's to mask. Host: for each cell of the block with planes =
  /// 1, in z and y loops and an x loop that the compiler vectorises.
  template <class TeamHandle, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_column(const TeamHandle& team, const Body& f) const {
    int tile_x = 0;
    int tile_y = 0;
    const int tile_z = tiles_y_.quotient(tiles_x_.quotient(team.league_rank(), tile_x), tile_y);
    const Box& box = tiling_.box;
    const int z0 = box.z0 + tile_z * tiling_.nz;
    const int y0 = box.y0 + tile_y * tiling_.ny;
    const int x0 = box.x0 + tile_x * tiling_.nx;
    if constexpr (kOnDevice) {
      int x = 0;
      int y = 0;
      int rank = team.team_rank();
      make_opaque(rank);
      int z = threads_y_.quotient(threads_x_.quotient(rank, x), y);
      x = x0 + x * owned_.lanes;
      y += y0;
      z = z0 + z * owned_.planes;
      const int left = box.z1 - z;
      if (x < box.x1 && y < box.y1 && left > 0) {
        f(z, y, x, owned_.planes < left ? owned_.planes : left);
      }
    } else {
      const auto end = [](int begin, int size, int limit) {
        return size < limit - begin ? begin + size : limit;
      };
      const int z1 = end(z0, tiling_.nz, box.z1);
      const int y1 = end(y0, tiling_.ny, box.y1);
      const int x1 = end(x0, tiling_.nx, box.x1);
      for (int z = z0; z < z1; ++z) {
        for (int y = y0; y < y1; ++y) {
#pragma omp simd
          for (int x = x0; x < x1; ++x) f(z, y, x, 1);
        }
      }
    }
  }

 private:
  Tiling tiling_;
  ThreadCells owned_;
  Divisor tiles_x_, tiles_y_, threads_x_, threads_y_;
};

/// Runs `functor(team)` on a team a block, of RuntimeBlocks::threads() <= MaxThreads threads on a
/// device, with the register budget of `MinTeams` teams of MaxThreads threads a multiprocessor.
/// Enqueues on `exec`; neither fences nor allocates.
template <int MaxThreads, int MinTeams, class Functor>
void launch_blocks(const ExecSpace& exec, const char* label, const RuntimeBlocks& blocks,
                   const Functor& functor) {
  const TeamPolicy<MaxThreads, MinTeams> policy(exec, static_cast<int>(blocks.league()),
                                                kOnDevice ? blocks.threads() : 1);
  Kokkos::parallel_for(label, policy, functor);
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// The tile of acoustic/two_step, and where its planes lie in team scratch.
#pragma once

#include "base/device/bulk_copy.hpp"
#include "base/device/pacing.hpp"
#include "base/tile/tiling.hpp"
#include "base/tile/vec.hpp"
#include "variants/acoustic/formula.hpp"
#include "variants/acoustic/kernels/vectors.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::acoustic {

/// Who copies planes to scratch: the bulk copy engine, or the team's threads.
enum class Copies { bulk, threads };

/// Teams keep within four counts (docs/performance/acoustic.md, what the warps wait for).
using PassPacer = PacerWithin<4>;

/// What the thread that requests planes keeps: the core, planes of step n, the next one of them.
struct PassCopier {
  PassPacer::Stream pace;
  Box core;
  int planes, it, vp_slot;
};

/// `Columns` x `Rows` threads, a vector of four floats or two doubles each: they compute step n + 1
/// of as many cells, and step n + 2 of those that lie kR further inside. Kept: Real, Linear16 where
/// vp is read in equal steps, or a format of 16 bits (ReadAs).
template <class Real, int Columns, int Rows, Copies kCopies, class KeptAs = Real>
struct PassTile {
  static constexpr bool kBulk = kCopies == Copies::bulk;
  using Kept = KeptAs;
  using Wave = typename ReadAs<Real, Kept>::Wave;
  using Vp = typename ReadAs<Real, Kept>::Vp;
  static constexpr int kV = 16 / static_cast<int>(sizeof(Real));
  static constexpr int kColumns = Columns, kRows = Rows, kThreads = Columns * Rows;
  static constexpr int kNx = kV * Columns, kNy = Rows;                // cells of step n + 1
  static constexpr int kCoreX = kNx - 2 * kR, kCoreY = kNy - 2 * kR;  // of step n + 2

  // A bulk copy begins on 16 bytes, as the core does, whose x is a multiple of 8: planes of u begin
  // 2 kR cells before the core, those of u- and vp kR, and in 16 bits 2 kR, too.
  template <class T>
  static constexpr int kStart = kBulk ? 16 / static_cast<int>(sizeof(T)) : 1;
  static constexpr int kLead = kR;
  static constexpr int kPitch = kNx + 2 * kLead;  // of a plane of step n
  static constexpr int kPlane = kPitch * (kNy + 2 * kR), kOwn = kNx * kNy, kKept = kNx * kCoreY;
  static constexpr int kOwnLead = kStart<Wave> > kR ? kR : 0, kVpLead = kStart<Vp> > kR ? kR : 0;
  static constexpr int kOwnPitch = kNx + 2 * kOwnLead, kVpPitch = kNx + 2 * kVpLead;
  static constexpr int kMinus = kOwnPitch * kNy, kVpPlane = kVpPitch * kNy;

  // With bulk copies warps meet at barriers that leave them half a plane of slack, which takes one
  // plane more of each kind than a team barrier a plane.
  static constexpr int kAhead = kBulk && sizeof(Real) == 4 ? 3 : 2;  // planes on their way
  static constexpr int kSlots = 4;                                   // of u and u-
  static constexpr int kVpSlots = kAhead + (kBulk ? 7 : 6);
  static constexpr int kMidSlots = kBulk ? 4 : 2;  // of step n + 1
  static constexpr int kKeptSlots = 6;             // of 2 u(n + 1) - u(n)
  static constexpr int kWaves = kSlots * (kPlane + kMinus);
  static constexpr int kValues = kMidSlots * kOwn + kKeptSlots * kKept;
  static constexpr int kBarriers = 2 * kSlots;
  static_assert(kR % kV == 0 && kThreads % 32 == 0 && kPlane * sizeof(Wave) % 128 == 0 &&
                kMinus * sizeof(Wave) % 128 == 0 && kVpPlane * sizeof(Vp) % 128 == 0 &&
                kKept * sizeof(Real) % 128 == 0);

  [[nodiscard]] static constexpr std::size_t scratch_bytes() {
    return kWaves * sizeof(Wave) + kValues * sizeof(Real) + kVpSlots * kVpPlane * sizeof(Vp) +
           kBarriers * sizeof(ScratchBarrier) + sizeof(PassCopier);
  }
};

/// Where they lie.
template <class Real, class Tile>
struct PassScratch {
  typename Tile::Wave *u, *minus;
  Real *mid, *kept;
  typename Tile::Vp* vp;
  ScratchBarrier *arrived, *made;
  PassCopier* copier;

  explicit KOKKOS_FORCEINLINE_FUNCTION PassScratch(typename Tile::Wave* scratch)
      : u(scratch),
        minus(u + Tile::kSlots * Tile::kPlane),
        mid(reinterpret_cast<Real*>(minus + Tile::kSlots * Tile::kMinus)),
        kept(mid + Tile::kMidSlots * Tile::kOwn),
        vp(reinterpret_cast<typename Tile::Vp*>(kept + Tile::kKeptSlots * Tile::kKept)),
        arrived(reinterpret_cast<ScratchBarrier*>(vp + Tile::kVpSlots * Tile::kVpPlane)),
        made(arrived + Tile::kSlots),
        copier(reinterpret_cast<PassCopier*>(made + Tile::kSlots)) {}
};

/// The tiles of a box. All are streamed along z from end to end but those that are left when the
/// rest has been dealt out evenly to the `together` teams that run at the same time: they are cut
/// in as many parts as let their rounds of teams take the fewest planes, `kOverlap` a team for its
/// start and end included.
struct PassTiling {
  Box box;
  int tiles_x = 0, tiles = 0, whole = 0, parts = 1, part_planes = 0;
  int core_x = 0, core_y = 0;

  PassTiling() = default;
  PassTiling(const Box& of, int nx, int ny, int together)
      : box(of),
        tiles_x((of.nx() + nx - 1) / nx),
        tiles(tiles_x * ((of.ny() + ny - 1) / ny)),
        core_x(nx),
        core_y(ny) {
    constexpr int kOverlap = 4 * kR + 1;
    whole = tiles / together * together;
    part_planes = whole == tiles
                      ? of.nz()
                      : balanced_stream(of.nz(), tiles - whole, together, kOverlap, of.nz());
    parts = (of.nz() + part_planes - 1) / part_planes;
  }
  [[nodiscard]] int league() const { return whole + (tiles - whole) * parts; }

  /// The core of team `rank`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Box core(int rank) const {
    int tile = rank, z0 = box.z0, z1 = box.z1;
    if (rank >= whole) {
      const int rest = tiles - whole;
      tile = whole + (rank - whole) % rest;
      z0 = box.z0 + (rank - whole) / rest * part_planes;
      z1 = z0 + part_planes < box.z1 ? z0 + part_planes : box.z1;
    }
    const int y0 = box.y0 + tile / tiles_x * core_y;
    const int x0 = box.x0 + tile % tiles_x * core_x;
    return {z0, z1,
            y0, y0 + core_y < box.y1 ? y0 + core_y : box.y1,
            x0, x0 + core_x < box.x1 ? x0 + core_x : box.x1};
  }
  /// The cells whose step n + 1 a team stores: its core, and beside it those kR around the box; all
  /// of them together are pass_first_box(), each once.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Box first(const Box& core, const Extents& n) const {
    const auto low = [](int begin, int of) {
      return begin > of ? begin : begin > kR ? begin - kR : 0;
    };
    const auto high = [](int end, int of, int size) {
      return end < of ? end : end + kR < size ? end + kR : size;
    };
    return {low(core.z0, box.z0),        high(core.z1, box.z1, n.nz), low(core.y0, box.y0),
            high(core.y1, box.y1, n.ny), low(core.x0, box.x0),        high(core.x1, box.x1, n.nx)};
  }
};

}  // namespace tessera::acoustic

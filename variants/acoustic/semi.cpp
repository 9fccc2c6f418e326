// SPDX-License-Identifier: Apache-2.0
// acoustic/semi: semi-stencil in two phases, 3D blocks (Sai IV.4, after de la Cruz and
// Araya-Polo).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     each axis in turn: from the R + 1 points u ... u_{+R} a thread makes the left half of
//           the sum of the cell R ahead (forward: c_1 ... c_R times the points behind that cell)
//           and the right half of its own (backward), which is whole when the other half, made by
//           another thread, is added. L is therefore summed in another order than elsewhere, and
//           agrees with other variants within the error bound, not bitwise. The left halves pass
//           through team scratch; the rest of the sum stays in a register (on a host: a small
//           block). u, u-, vp, phi and eta are read through the cache. The left halves of a tile's
//           first R cells come from points outside it, which no thread of the tile owns: the paper
//           runs 768 threads on 512 cells, and 768 = (8 + R) x 8 x 8 is the tile with R more planes
//           along one axis. So here too: the extra threads make the first R planes' left halves,
//           for each axis anew, and wait in between.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
#include "base/tile/register_window.hpp"
#include "base/tile/scratch.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace acoustic;

constexpr int larger(int a, int b) { return a < b ? b : a; }

/// sum_m c_m value(Constant<m>), m = 1 ... R.
template <class Real, class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real half_sum(const Real (&c)[kR], const Value& value) {
  Real sum = c[0] * value(Constant<1>{});
  static_for<kR - 1>([&](auto i) {
    constexpr int kM = decltype(i)::value + 2;
    sum = multiply_add(c[kM - 1], value(Constant<kM>{}), sum);
  });
  return sum;
}

template <class Real, class TileType, Update kUpdate>
struct SemiKernel {
  static constexpr int kDx = TileType::kNx, kDy = TileType::kNy, kDz = TileType::kNz;
  // Room for the halves of cells up to R past the tile, which are unused: no branch.
  using Halves = ScratchBlock<Real, Tile<kDx + kR, kDy + kR, kDz + kR>, 0>;
  using Sum = RegisterWindow<Real, 1, TileType>;
  static constexpr const char* kLabel = "tessera::acoustic::semi::step";
  static constexpr int kThreads =
      TileType::kCells + kR * larger(kDx * kDy, larger(kDy* kDz, kDx* kDz));
  static constexpr int kMinTeams = larger(1, kBlockThreads<Real, kUpdate> / kThreads);

  Fields<Real> f;
  Box hole;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    if (kUpdate == Update::shell && in_hole(place, hole)) return;
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Halves halves(team);
    Sum sum(team);
    // 1. Both phases along x, y and z.
    static_for<3>([&](auto axis) {
      forward(axis, team, place.extent, f.u + first, halves, sum);
      team.team_barrier();
      for_each_cell(team, TileType{}, place.extent,
                    [&](const Cell& c) { sum.at(c, Constant<0>{}) += halves(c.z, c.y, c.x); });
      if constexpr (axis < 2) team.team_barrier();
    });
    // 2. L(u) is complete.
    for_each_cell_by_update<kUpdate>(
        team, TileType{}, place, hole, [&](auto update, const Cell& c) {
          const std::int64_t i = first + f.offset(c.z, c.y, c.x);
          const Real* u = f.u + i;
          update_cell<update()>(
              f, hole, place.z0 + c.z, place.y0 + c.y, place.x0 + c.x, i,
              [&] { return sum.at(c, Constant<0>{}); },  //
              [&](auto m) { return u[m]; }, [&](auto m) { return u[m * f.row]; },
              [&](auto m) { return u[m * f.plane]; }, EtaInField<Real>{f.eta + i, f.row, f.plane});
        });
  }

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Halves::scratch_bytes() + Sum::scratch_bytes(kind);
  }
  static void count(Plan& plan, double pml) {
    plan.halo_cells = face_cells<TileType>(kR);
    const double before = static_cast<double>(plan.halo_cells) / 2 / TileType::kCells;
    // u: R + 1 an axis, the extra threads' R, the centre again; u-, vp; in the PML phi, eta: 7, and
    // u's six neighbours again.
    plan.loads = 3 * (kR + 1) + kR * before + 1 + 2 + (8 + 6) * pml;
    plan.stores = 1 + pml;
    plan.scratch_loads = 3;
    plan.scratch_stores = 3 + before;
    plan.walk.trips = 4;     // a forward pass an axis, and the cell
    plan.walk.barriers = 5;  // two an axis, except for the last
    plan.walk.scratch_pitch = TileType::kNx + kR;
  }

 private:
  /// Left halves to scratch, each R cells ahead of the thread that makes it; right halves to sums.
  template <class Axis>
  KOKKOS_FORCEINLINE_FUNCTION void forward(Axis axis, const Team& team, const TileExtent& extent,
                                           const Real* u, const Halves& halves, Sum& sum) const {
    constexpr int kX = axis == 0 ? kR : 0, kY = axis == 1 ? kR : 0, kZ = axis == 2 ? kR : 0;
    const int stride = axis == 0 ? 1 : axis == 1 ? f.row : f.plane;
    const Real(&k)[kR] = axis == 0 ? f.k.cx : axis == 1 ? f.k.cy : f.k.cz;
    for_each_cell(team, TileType{}, extent, [&](const Cell& c) {
      const Real* here = u + f.offset(c.z, c.y, c.x);
      halves(c.z + kZ, c.y + kY, c.x + kX) =
          half_sum(k, [&](auto m) { return here[(kR - m) * stride]; });
      const Real right = half_sum(k, [&](auto m) { return here[m * stride]; });
      Real& s = sum.at(c, Constant<0>{});
      s = axis == 0 ? multiply_add(f.k.c0, here[0], right) : s + right;
    });
    // The first R planes of the tile across this axis: their left halves lie outside it.
    const auto at_most = [](int size, int limit) { return size < limit ? size : limit; };
    using Slab = Tile<kX == 0 ? kDx : kR, kY == 0 ? kDy : kR, kZ == 0 ? kDz : kR>;
    const TileExtent slab{at_most(extent.nz, Slab::kNz), at_most(extent.ny, Slab::kNy),
                          at_most(extent.nx, Slab::kNx)};
    for_each_cell<TileType::kCells>(team, Slab{}, slab, [&](const Cell& c) {
      const Real* here = u + f.offset(c.z, c.y, c.x);
      halves(c.z, c.y, c.x) = half_sum(k, [&](auto m) { return here[-m * stride]; });
    });
  }
};

}  // namespace

void register_acoustic_semi(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "semi",
      .summary = "semi-stencil, 3D blocks: half sums handed on through scratch",
      .source = "Sai IV.4",
      .memory = "left halves of the sums in team scratch, right halves in registers",
      .loses =
          "by five barriers a tile and idle threads; on hosts by sums that pass through memory",
      .tags = {"paper", "3d", "scratch", "reorders"},
  });
  offer_tiles<SemiKernel, Tile<8, 8, 8>>(*v, Origin::paper, "768 threads, as in the paper");
  auto&& more = beyond_few(*v);
  offer_tiles<SemiKernel, Tile<128, 8, 8>>(more, Origin::ours, "host");
  offer_tiles<SemiKernel, Tile<256, 8, 16>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera

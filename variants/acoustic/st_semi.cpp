// SPDX-License-Identifier: Apache-2.0
// acoustic/st_semi: semi-stencil along the streaming dimension, double-buffered (Sai VI names
// it as future work; the two phases are those of IV.4).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     when plane p arrives, the forward phase sums what is known of its L(u): x, y, the
//           centre and R planes behind. The backward phase finishes plane z = p - R with the R
//           planes that have arrived since. L is summed in another order than elsewhere: it agrees
//           with other variants within the error bound, not bitwise. The arriving plane with its
//           halo lies in one of two planes of team scratch, by turns, so that one barrier a plane
//           suffices; each cell's last R values and R unfinished sums in shifting registers (on a
//           host: eight small planes in L1 or L2). A tile reads its halo when the neighbour reads
//           the same cells as its own; st_reg_fixed does so R planes later. u-, vp, phi and eta are
//           read through the cache, and in the PML u's neighbours once more, since their plane has
//           left scratch.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
#include "base/tile/register_window.hpp"
#include "base/tile/scratch.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/launcher.hpp"
#include "variants/acoustic/kernels/streaming.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, class TileType, Update kUpdate>
struct StSemiKernel {
  using Planes = ScratchPlanes<Real, TileType, kR, 2>;
  using Plane = typename Planes::Plane;
  using Window = RegisterWindow<Real, kR, TileType>;
  static constexpr const char* kLabel = "tessera::acoustic::st_semi::step";
  static constexpr int kThreads = TileType::kCells;
  // Alone, the PML formula's loads are hoisted and take registers: half the teams.
  static constexpr bool kLean = kUpdate == Update::inner || kUpdate == Update::branched;
  static constexpr int kResident = kColumnTeams<Real, TileType>;
  static constexpr int kMinTeams = kLean || kResident == 1 ? kResident : kResident / 2;

  Fields<Real> f;
  Box hole;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Planes planes(team);
    Column column{Window(team), Window(team)};
    for_each_stream<kUpdate>(place, hole, [&](int z_begin, int z_end) {
      stream(team, place, planes, column, z_begin, z_end);
    });
  }

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Planes::scratch_bytes() + 2 * Window::scratch_bytes(kind);
  }
  static void count(Plan& plan, double pml) {
    count_streaming<TileType>(plan, pml);
    plan.loads += 5 * pml;            // u's neighbours again, except for the one ahead
    plan.scratch_loads = 4 * kR + 1;  // x, y and the arriving value; the rest lies in registers
    plan.loops.copied = 4 * kR + 1, plan.loops.rows = 4;
  }

 private:
  /// What a cell keeps: register j holds u and the unfinished sum of plane p - R + j when plane p
  /// arrives.
  struct Column {
    Window u, sum;
  };

  KOKKOS_FORCEINLINE_FUNCTION void stream(const Team& team, const TilePlace& place,
                                          const Planes& planes, Column& column, int z_begin,
                                          int z_end) const {
    const TileType tile;
    TileExtent extent = place.extent;
    extent.nz = 1;
    std::int64_t first = f.offset(z_begin, place.y0, place.x0);
    // 1. The planes z_begin - R ... z_begin - 1 behind the first.
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* u = f.u + first + c.y * f.row + c.x;
      static_for<kR>([&](auto j) { column.u.at(c, j) = u[(j - kR) * f.plane]; });
    });
    // 2. Stream: the first R planes have only a forward phase, the last R only a backward one.
    for (int p = z_begin; p < z_end + kR; ++p) {
      const Plane plane = planes[(p - z_begin) % 2];
      for_each_cell(team, tile, extent,
                    [&](const Cell& c) { plane(c.y, c.x) = f.u[first + c.y * f.row + c.x]; });
      if (p < z_end) plane.load_halo(team, f.u + first, f.row, extent);
      team.team_barrier();
      if (p >= z_begin + kR) {
        const TilePlace finished{p - kR, place.y0, place.x0, extent};
        backward(team, finished, plane, column, first - kR * f.plane);
      }
      forward(team, extent, plane, column, p < z_end);
      first += f.plane;
    }
  }

  /// Adds the R planes after it to the sum of the plane at `place`, and updates it. The last of
  /// them has arrived in `plane`.
  KOKKOS_FORCEINLINE_FUNCTION void backward(const Team& team, const TilePlace& place,
                                            const Plane& plane, Column& column,
                                            std::int64_t first) const {
    for_each_cell_by_update<kUpdate>(
        team, TileType{}, place, hole, [&](auto update, const Cell& c) {
          const std::int64_t i = first + c.y * f.row + c.x;
          const Real* u = f.u + i;
          const auto whole_sum = [&] {
            Real sum = column.sum.at(c, Constant<0>{});
            static_for<kR - 1>([&](auto j) {
              sum = multiply_add(f.k.cz[j], column.u.at(c, Constant<j + 1>{}), sum);
            });
            return multiply_add(f.k.cz[kR - 1], plane(c.y, c.x), sum);
          };
          const auto along_z = [&](auto m) {
            return m < 0 ? u[m * f.plane] : column.u.at(c, Constant<(m > 0)>{});
          };
          update_cell<update()>(
              f, hole, place.z0, place.y0 + c.y, place.x0 + c.x, i, whole_sum,
              [&](auto m) { return m == 0 ? column.u.at(c, Constant<0>{}) : u[m]; },
              [&](auto m) { return u[m * f.row]; }, along_z,
              EtaInField<Real>{f.eta + i, f.row, f.plane});
        });
  }

  /// Takes the arriving plane into the column and, if it is `wanted`, begins its sum.
  KOKKOS_FORCEINLINE_FUNCTION void forward(const Team& team, const TileExtent& extent,
                                           const Plane& plane, Column& column, bool wanted) const {
    const TileType tile;
    for_each_cell(team, tile, extent, [&](const Cell& c) { column.sum.shift(c); });
    if (wanted) {
      for_each_cell(team, tile, extent, [&](const Cell& c) {
        const Real* here = &plane(c.y, c.x);
        Real sum = axis_sum(f.k.cx, [&](auto m) { return here[m]; }) +
                   axis_sum(f.k.cy, [&](auto m) { return here[m * Plane::kPitch]; });
        sum = multiply_add(f.k.c0, here[0], sum);
        static_for<kR>([&](auto j) {
          sum = multiply_add(f.k.cz[j], column.u.at(c, Constant<kR - 1 - j>{}), sum);
        });
        column.sum.at(c, Constant<kR - 1>{}) = sum;
      });
    }
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      column.u.shift(c);
      column.u.at(c, Constant<kR - 1>{}) = plane(c.y, c.x);
    });
  }
};

}  // namespace

void register_acoustic_st_semi(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "st_semi",
      .summary = "2.5D streaming, semi-stencil along z, planes double-buffered in scratch",
      .source = "ours: future work of Sai VI",
      .memory = "two xy planes with halo in team scratch, by turns; R values and R sums along z in "
                "registers",
      .loses = "to st_async, which does not wait for a plane; with short chunks, and on hosts",
      .tags = {"2.5d", "streaming", "scratch", "reorders"},
  });
  offer_tiles<StSemiKernel, Tile<32, 16>>(*v, Origin::ours, "", 128);
  auto&& more = beyond_few(*v);
  offer_tiles<StSemiKernel, Tile<64, 8>>(more, Origin::ours, "", 128);
  offer_tiles<StSemiKernel, Tile<32, 8>>(more, Origin::ours, "", 128);
  offer_tiles<StSemiKernel, Tile<256, 16>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera

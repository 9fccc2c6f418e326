// SPDX-License-Identifier: Apache-2.0
// ete/split2_xy_xz: two sub-stencils, each swept in the order that suits its points (Fang V.A).
//
// Formula:  p+ = 2 sum_{j in xy} c_j(v) p(x + dx_j) - p-, then p+ += 2 sum_{the others}: (5), (6).
// Loop:     for each z, each y, each x of a block:   the points of plane z: 21 of 37, 33 of 73
//           for each y, each z, each x of another:   those above and below: 16 of 37, 40 of 73,
//                                                    most of them in the xz plane of row y
// Idea:     a sub-stencil that is flat in xy needs 2R + 1 rows of one xy layer in cache, one that
// is
//           flat in xz the planes of few rows. Each sweep has a block of its own.
// Minimal:  14 B a cell in float; two sweeps move 28: p and the index are read twice, p+ is too.
#include "base/tile/for_each_cell.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace ete;

struct XyLabel {
  static constexpr const char* kText = "tessera::ete::split2_xy_xz::xy";
};
struct XzLabel {
  static constexpr const char* kText = "tessera::ete::split2_xy_xz::xz";
};

template <class Label, class Real, class ShapeType, class TileType, Part kPart>
struct SweepKernel {
  static constexpr bool kFirst = kPart == Part::in_plane;
  static constexpr int kBegin = kFirst ? ShapeType::kInPlane : 0;
  static constexpr int kEnd = kFirst ? ShapeType::kRows : ShapeType::kInPlane;

  Fields<Real> f;
  Tiling tiling;
  TileType tile;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Coefficients<Real, ShapeType, Home::ro> table(team, f.tables);
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const std::uint16_t* columns = f.index + f.index_offset(place.z0, place.y0, place.x0);
    const auto body = [&](const Cell& c) {
      const std::int64_t i = first + f.offset(c.z, c.y, c.x);
      const Real* p = f.p + i;
      const auto at = [&](auto dz, auto dy, auto dx) {
        return p[dz * f.plane + (dy * f.row + dx)];
      };
      const int v = columns[f.index_offset(c.z, c.y, c.x)];
      const Real sum = convolve_rows<ShapeType, kBegin, kEnd>(
          Real(0), [&](auto r) { return table.template one<r>(v); }, at);
      f.next[i] = kFirst ? advanced(sum, f.next[i]) : multiply_add(Real(2), sum, f.next[i]);
    };
    const TileExtent& size = place.extent;
    if constexpr (kOnDevice || kFirst) {
      for_each_cell(team, tile, size, body);
    } else {
      for (int y = 0; y < size.ny; ++y) {
        for_each_cell_in(tile, {0, size.nz, y, y + 1, 0, size.nx}, body);
      }
    }
  }
};

template <class Real, class ShapeType, class XyTile, class XzTile>
struct Sweeps {
  XyTile xy;
  XzTile xz;

  /// A host's blocks have their extents at run time.
  static constexpr RunsOn kRunsOn =
      std::is_same_v<XyTile, RuntimeTile> ? RunsOn::hosts : RunsOn::devices;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    if (std::string why = unfit_table(ShapeType::kRowKind, problem); !why.empty()) {
      return unsupported(std::move(why));
    }
    const XyTile tile = fitted(xy, region.box);
    Plan p;
    p.league = cut(xy, region.box).league() + cut(xz, region.box).league();
    p.team = problem.machine.on_device() ? XyTile::kCells : 1;
    p.tile[0] = tile.nx(), p.tile[1] = tile.ny(), p.tile[2] = tile.nz();
    p.halo_cells = 2LL * kR * tile.nx() * tile.ny();
    const double index = 2.0 / sizeof(Real);
    p.loads = ShapeType::kPoints + ShapeType::kClasses + 2 * (1 + index);
    p.stores = 2;
    if (!problem.machine.on_device()) p.loops.gathered = ShapeType::kClasses, p.loops.rows = 2;
    p.moved_elements = 2 * (3 + index);  // the second sweep reads all again
    p.arrays = arrays_of(ShapeType::kPoints, problem, false);
    for (ArrayUse& array : p.arrays) array.share *= 2;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (runs_on(kRunsOn, kThisKind)) {
      sweep<XyLabel, Part::in_plane>(exec, fields, region.box, xy);
      sweep<XzLabel, Part::out_of_plane>(exec, fields, region.box, xz);
    }
  }

 private:
  template <class TileType>
  [[nodiscard]] static Tiling cut(const TileType& wanted, const Box& box) {
    const TileType tile = fitted(wanted, box);
    return {box, tile.nx(), tile.ny(), tile.nz()};
  }

  template <class Label, Part kPart, class TileType>
  static void sweep(const ExecSpace& exec, const Fields<Real>& fields, const Box& box,
                    const TileType& wanted) {
    const Tiling tiling = cut(wanted, box);
    launch_teams<TileType::kCells>(
        exec, Label::kText, static_cast<int>(tiling.league()), 0,
        SweepKernel<Label, Real, ShapeType, TileType, kPart>{fields, tiling, fitted(wanted, box)});
  }
};

/// Blocks of the two sweeps; the second is named where it differs.
template <class XyTile, class XzTile>
void offer_sweeps(EteVariant& variant, const XyTile& xy, const XzTile& xz, const char* note = "") {
  std::string text = extents_text({xy.nx(), xy.ny(), xy.nz()});
  const std::string other = extents_text({xz.nx(), xz.ny(), xz.nz()});
  if (other != text) text += ",xz=" + other;
  constexpr RunsOn kRunsOn = Sweeps<float, Shape<37>, XyTile, XzTile>::kRunsOn;
  variant.offer({std::move(text), Origin::ours, note, kRunsOn}, [xy, xz](auto real, auto points) {
    return Sweeps<decltype(real), Shape<points()>, XyTile, XzTile>{xy, xz};
  });
}

}  // namespace

void register_ete_split2_xy_xz(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "split2_xy_xz",
      .summary = "two sweeps, x-y-z for the points of the plane, x-z-y for the others",
      .formula = "p+ = 2 sum_{j in plane} c_j p_j - p-, then p+ += 2 sum_{j out of plane} c_j p_j",
      .source = "Fang V.A, formulas (5) and (6): xy-heavy and xz-heavy sub-stencils",
      .memory = "p, p-, index and table in device memory and its caches; nothing staged",
      .loses = "where the caches hold 2R + 1 planes of a block: the second sweep reads all again",
      .tags = {"paper", "host", "reorders"},
  });
  offer_sweeps(*v, Tile<32, 4, 4>{}, Tile<32, 4, 4>{});
  if constexpr (kAllDeviceTiles) offer_sweeps(*v, Tile<32, 8, 1>{}, Tile<32, 1, 8>{});
  // A host's are run-time values: rows by planes. Wide in the sweep's own plane, narrow across.
  offer_sweeps(*v, RuntimeTile{0, 16, 16}, RuntimeTile{0, 16, 16}, "host");
  for (const int wide : {16, 64}) {
    for (const int narrow : {1, 4, 16}) {
      if (wide == narrow) continue;
      offer_sweeps(*v, RuntimeTile{0, wide, narrow}, RuntimeTile{0, narrow, wide}, "host");
    }
  }
  registry.add(std::move(v));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Every point and every coefficient read through the caches: the loops that compilers like.
#pragma once

#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "variants/ete/kernels/launcher.hpp"

#include <algorithm>
#include <type_traits>

namespace tessera::ete {

/// A tile's cells, row by row. Columns is the type of the index: 16 or 32 bits.
template <class Label, class Real, class ShapeType, class TileType, Layout kLayout, class Columns,
          class TeamHandle>
struct DirectKernel {
  Fields<Real> f;
  Tiling tiling;
  TileType tile;

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Coefficients<Real, ShapeType, Home::ro, kLayout> table(team, f.tables);
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Columns* columns = index() + f.index_offset(place.z0, place.y0, place.x0);
    for_each_cell(team, tile, place.extent, [&](const Cell& c) {
      const std::int64_t i = first + f.offset(c.z, c.y, c.x);
      const Real* p = f.p + i;
      const auto at = [&](auto dz, auto dy, auto dx) {
        return p[dz * f.plane + (dy * f.row + dx)];
      };
      const int v = static_cast<int>(columns[f.index_offset(c.z, c.y, c.x)]);
      Real sum(0);
      if constexpr (kOnDevice) {
        Real k[ShapeType::kRows];
        table.template load<0>(v, k);
        sum = convolve_rows<ShapeType, 0, ShapeType::kRows>(
            sum, [&](auto r) { return k[r]; }, at);
      } else {
        sum = convolve_rows<ShapeType, 0, ShapeType::kRows>(
            sum, [&](auto r) { return table.template one<r>(v); }, at);
      }
      f.next[i] = advanced(sum, f.next[i]);
    });
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Columns* index() const {
    if constexpr (sizeof(Columns) == 2) {
      return f.index;
    } else {
      return f.wide_index;
    }
  }
};

/// Plans and launches DirectKernel with `wanted`, where an extent of 0 means the region's own.
/// A wide index is one that is taken too. kLaunch is a device's.
template <class Label, class Real, class ShapeType, class TileType, TableUse kUse, Launch kLaunch>
struct DirectLauncher {
  using TeamHandle = std::conditional_t<kLaunch == Launch::native, NativeTeam, Team>;
  TileType wanted;

  /// A host's tile has its extents at run time, a device's one cell a thread.
  static constexpr RunsOn kRunsOn =
      std::is_same_v<TileType, RuntimeTile> ? RunsOn::hosts : RunsOn::devices;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    if (std::string why = unfit_table(ShapeType::kRowKind, problem);
        !kUse.wide_index && !why.empty()) {
      return unsupported(std::move(why));
    }
    const TileType tile = fitted(wanted, region.box);
    Plan p;
    if (problem.machine.on_device()) p.launch = kLaunch;
    p.league = Tiling(region.box, tile.nx(), tile.ny(), tile.nz()).league();
    p.team = problem.machine.on_device() ? TileType::kCells : 1;
    p.tile[0] = tile.nx(), p.tile[1] = tile.ny(), p.tile[2] = tile.nz();
    p.halo_cells = halo_of_faces(p.tile, kR);
    const double index = (problem.columns > kNarrowColumns ? 4.0 : 2.0) / sizeof(Real);
    p.loads = ShapeType::kPoints + ShapeType::kClasses + 1 + index;
    p.misaligned_loads = ShapeType::kBeside;
    p.stores = 1;
    p.gather.columns = problem.columns, p.gather.neighbours = problem.neighbours;
    gather_table<Real>(p, Home::ro, ShapeType::kClasses, ShapeType::kRows, kUse.layout);
    // The loads of all points and a column are on their way together.
    p.walk.kept_words = words_of<Real>(ShapeType::kPoints + ShapeType::kRows);
    if (!problem.machine.on_device()) p.loops.gathered = p.gather.elements;
    if (!problem.machine.on_device()) {
      p.cached_bytes = std::int64_t{sizeof(Real)} * (2 * kR + 1) * tile.nx() * (tile.ny() + 2 * kR);
    }
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (runs_on(kRunsOn, kThisKind)) {
      if (!kUse.wide_index || fields.wide_index == nullptr) {
        launch<std::uint16_t>(exec, fields, region.box);
      } else if constexpr (kUse.wide_index) {
        launch<std::uint32_t>(exec, fields, region.box);
      }
    }
  }

 private:
  template <class Columns>
  void launch(const ExecSpace& exec, const Fields<Real>& fields, const Box& box) const {
    const TileType tile = fitted(wanted, box);
    const Tiling tiling(box, tile.nx(), tile.ny(), tile.nz());
    using Kernel = DirectKernel<Label, Real, ShapeType, TileType, kUse.layout, Columns, TeamHandle>;
    launch_with<TeamHandle, TileType::kCells>(exec, Label::kText, static_cast<int>(tiling.league()),
                                              0, Kernel{fields, tiling, tile});
  }
};

/// Offers DirectLauncher for both stencils in every precision that is built.
template <class Label, TableUse kUse = TableUse{}, Launch kLaunch = Launch::teams, class TileType>
void offer_direct(auto&& variant, TileType tile, const char* note = "",
                  Origin origin = Origin::ours) {
  std::string text = extents_text({tile.nx(), tile.ny(), tile.nz()}) + table_text(kUse);
  if (kLaunch == Launch::native) text += ",launch=native";
  constexpr RunsOn kRunsOn =
      DirectLauncher<Label, float, Shape<37, kUse.rows>, TileType, kUse, kLaunch>::kRunsOn;
  variant.offer({text, origin, note, kRunsOn}, [tile](auto real, auto points) {
    return DirectLauncher<Label, decltype(real), Shape<points(), kUse.rows>, TileType, kUse,
                          kLaunch>{tile};
  });
}

}  // namespace tessera::ete

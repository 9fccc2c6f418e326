// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the ete variants whose teams stream a tile along z.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/registry/scratch_refusal.hpp"
#include "base/support/error.hpp"
#include "base/tile/tiling.hpp"
#include "variants/ete/kernels/variant.hpp"
#include "variants/ete/table.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>

namespace tessera::ete {

/// What a kernel makes of the table. `wide_index`: indices of 32 bits, for more velocities than
/// kNarrowColumns.
struct TableUse {
  Rows rows = Rows::z_distinct;
  Layout layout = Layout::velocity;
  bool wide_index = false;
};

/// Which points a launch sums: all of them, those of the cell's own plane, or those above and below
/// it. The last adds to what the second has stored in p+ (formulas (5) and (6)).
enum class Part { all, in_plane, out_of_plane };

/// What a cell reads of its column of a table: `used` elements, of `rows` that are fetched, in
/// vectors of 16 bytes where they are contiguous. The plan knows the table's columns. A thread
/// waits for a table in L2 three vectors at a time, of which one hides half.
template <class Real>
void gather_table(Plan& plan, Home home, double used, int rows, Layout layout) {
  const bool together = layout == Layout::velocity;
  Gather& g = plan.gather;
  g.home = home == Home::scratch ? TableHome::scratch
           : home == Home::ro    ? TableHome::cache
                                 : TableHome::l2;
  g.elements = used;
  g.width = together ? 16 / static_cast<int>(sizeof(Real)) : 1;
  g.pitch = together ? padded_rows<Real>(rows) : 1;
  g.reads = std::ceil(static_cast<double>(rows) / g.width);
  g.table_bytes = static_cast<double>(sizeof(Real)) * g.columns * (together ? g.pitch : rows);
  if (g.home == TableHome::l2) plan.walk.trips = 1 + 0.5 * std::ceil(g.reads / 3);
}

/// The same where single elements are read as sums need them.
template <class Real>
void gather_rows(Plan& plan, Home home, double used, int rows) {
  gather_table<Real>(plan, home, used, rows, Layout::velocity);
  plan.gather.reads = used, plan.gather.width = 1;
}

/// As configurations are named; what is usual goes without saying.
[[nodiscard]] inline std::string table_text(const TableUse& use) {
  std::string text;
  if (use.rows == Rows::isotropic) text += ",rows=iso";
  if (use.rows == Rows::full) text += ",rows=full";
  if (use.layout == Layout::by_class) text += ",layout=class";
  return text;
}

/// The home of a table as configurations are named. The usual one goes without saying: a host has
/// no scratch-pad.
[[nodiscard]] inline std::string home_text(Home home, RunsOn runs) {
  if (home == (runs == RunsOn::devices ? Home::scratch : Home::ro)) return "";
  return home == Home::ro ? ",coeff=ro" : home == Home::gmem ? ",coeff=gmem" : ",coeff=scratch";
}

/// Why a table of the problem cannot be used by a kernel with such rows; empty where it can.
[[nodiscard]] inline std::string unfit_table(Rows rows, const Problem& problem) {
  if (problem.columns > kNarrowColumns) {
    return fmt::format("{} velocities need an index of 32 bits, which base_simd has",
                       problem.columns);
  }
  if (rows == Rows::isotropic && problem.columns > 0 && !problem.isotropic) {
    return "the table distinguishes z from x and y (ete.h has two spacings)";
  }
  return "";
}

/// Devices take rows of a warp or two; hosts longer ones.
template <class TileType>
[[nodiscard]] constexpr RunsOn tile_runs_on() {
  return TileType::kNx <= 64 ? RunsOn::devices : RunsOn::hosts;
}

/// What a kernel that StreamLauncher launches says.
template <class Kernel, class Real>
concept StreamKernel = requires(const Kernel& kernel, const typename Kernel::TeamHandle& team,
                                const Fields<Real>& fields, const Tiling& tiles, Plan& plan,
                                int columns, double halo) {
  { Kernel::kScratch } -> std::convertible_to<std::size_t>;  // on a device, at most
  Kernel{fields, tiles};
  kernel(team);
  { Kernel::kLabel } -> std::convertible_to<const char*>;
  { Kernel::kRowKind } -> std::convertible_to<Rows>;
  // Threads of a device's multiprocessor that its registers allow without spills.
  { Kernel::kMostThreads } -> std::convertible_to<int>;
  { Kernel::scratch_bytes(columns, MachineKind::device) } -> std::convertible_to<std::size_t>;
  Kernel::count(plan, halo);  // traffic a cell; halo: the tile's halo cells a cell
};

/// Launches Kernel, a team a tile of TileType cells that is streamed along z by `chunk` planes (0:
/// as many as keep a device busy to the end; on a host all), with the scratch of a native launch.
template <class Kernel, class TileType, class Real>
requires StreamKernel<Kernel, Real>
struct StreamLauncher {
  int chunk = 0;

  /// Threads of a team on a device: one a cell, or what the kernel says.
  static constexpr int kThreads = [] {
    if constexpr (requires { Kernel::kThreads; }) return Kernel::kThreads;
    return TileType::kCells;
  }();
  static constexpr RunsOn kRunsOn = tile_runs_on<TileType>();
  static constexpr bool kFits = kThreads <= Kernel::kMostThreads;  // on a device
  static constexpr int kTeams = kFits ? Kernel::kMostThreads / kThreads : 1;

  [[nodiscard]] Tiling tiling(const Box& box, const MachineLimits& machine) const {
    if (!machine.on_device() || chunk > 0) {
      return {box, TileType::kNx, TileType::kNy, chunk == 0 ? box.nz() : chunk};
    }
    const Tiling whole(box, TileType::kNx, TileType::kNy, box.nz());
    return {
        box, TileType::kNx, TileType::kNy,
        balanced_stream(box.nz(), whole.league(), std::int64_t{kTeams} * machine.units, 2 * kR)};
  }

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    const MachineLimits& machine = problem.machine;
    if (machine.on_device() && !kFits) {
      return unsupported(
          fmt::format("{} threads a team; registers allow {}", kThreads, Kernel::kMostThreads));
    }
    if (std::string why = unfit_table(Kernel::kRowKind, problem); !why.empty()) {
      return unsupported(std::move(why));
    }
    if (machine.on_device() && region.box.x0 % (16 / static_cast<int>(sizeof(Real))) != 0) {
      return unsupported("a region that begins off a multiple of 16 bytes: rows are copied so");
    }
    const Tiling tiles = tiling(region.box, machine);
    Plan p;
    if (launches_natively<Kernel::kScratch>(machine.kind)) p.launch = Launch::native;
    p.league = tiles.league();
    p.team = machine.on_device() ? kThreads : 1;
    p.tile[0] = TileType::kNx, p.tile[1] = TileType::kNy, p.tile[2] = tiles.nz;
    p.planes_per_thread = std::min(tiles.nz, region.box.nz());
    p.halo_cells = (TileType::kNx + 2LL * kR) * (TileType::kNy + 2 * kR) - TileType::kCells;
    p.scratch_bytes =
        static_cast<std::int64_t>(Kernel::scratch_bytes(problem.columns, machine.kind));
    refuse_scratch_beyond(p, machine.native_scratch_bytes, machine.kind,
                          fmt::format(" for {} velocities", problem.columns));
    if (!p.supported()) return p;
    // A stream loads R more planes of p at either end of its chunk.
    const double tile = 1 + static_cast<double>(p.halo_cells) / TileType::kCells;
    const int planes = std::min(tiles.nz, region.box.nz());
    p.walk.bound_threads = kTeams * kThreads;
    p.walk.barriers = 1;
    p.walk.scratch_pitch = TileType::kNx + 2 * kR;
    p.loops.rows = 2;
    p.gather.columns = problem.columns;
    p.gather.neighbours = problem.neighbours;
    Kernel::count(p, tile * (1 + 2.0 * kR / planes) - 1);
    if (!machine.on_device() && p.loops.gathered == 0) p.loops.gathered = p.gather.elements;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (runs_on(kRunsOn, kThisKind) && (kFits || !kOnDevice)) {
      const Tiling tiles = tiling(region.box, this_machine());
      launch_with<typename Kernel::TeamHandle, kThreads, kTeams>(
          exec, Kernel::kLabel, static_cast<int>(tiles.league()),
          Kernel::scratch_bytes(fields.tables.columns), Kernel{fields, tiles});
    }
  }
};

/// The text of a tile that is streamed by `chunk` planes.
template <class TileType>
[[nodiscard]] std::string stream_text(int chunk, const TableUse& use = {}) {
  return extents_text({TileType::kNx, TileType::kNy}) + parameter_text("chunk", chunk) +
         table_text(use);
}

}  // namespace tessera::ete

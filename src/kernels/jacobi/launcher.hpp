// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the temporally blocked variants: SM tiling, where teams overlap and do not
// wait for each other, and device tiling, where the league is resident.
#pragma once

#include "device/native_launch.hpp"
#include "device/scratch_limit.hpp"
#include "kernels/jacobi/exchange.hpp"
#include "kernels/jacobi/sweep.hpp"
#include "kernels/jacobi/variant.hpp"

namespace tessera::jacobi {

/// The plane's tiles where teams overlap along both axes.
template <class Kernel>
[[nodiscard]] PlaneCuts overlapping_cuts(const Extents& n, int levels) {
  using TileType = typename Kernel::Tile;
  return {{n.ny, TileType::kNy, Kernel::lost_y(levels)},
          {n.nx, TileType::kNx, Kernel::lost_x(levels)}};
}

/// Teams of a device tile.
struct DeviceTile {
  int teams_y = 0, teams_x = 0;
};

/// The device tile of at most `resident` teams that leaves the fewest tiles, of these the one with
/// the fewest teams. An axis that fits is not cut.
template <class TileType>
[[nodiscard]] DeviceTile choose_device_tile(const Extents& n, int lost, int resident) {
  const auto tiles = [&](int cells, int tile) {
    return tile >= cells     ? 1LL
           : tile > 2 * lost ? (cells - 1LL) / (tile - 2 * lost) + 1
                             : 1LL << 30;
  };
  DeviceTile best;
  long long fewest = 1LL << 60;
  for (int ty = 1; ty <= resident; ++ty) {
    const int all_x = (n.nx + TileType::kNx - 1) / TileType::kNx;
    const int tx = std::min(resident / ty, all_x);
    const long long count = tiles(n.ny, ty * TileType::kNy) * tiles(n.nx, tx * TileType::kNx);
    if (count < fewest || (count == fewest && ty * tx < best.teams_y * best.teams_x)) {
      fewest = count;
      best = {ty, tx};
    }
    if (ty * TileType::kNy >= n.ny) break;
  }
  return best;
}

/// The cuts of a device tile's axis.
[[nodiscard]] inline Cut device_cut(int n, int cells, int lost) {
  return {n, cells, lost, cells >= n};
}

/// A kernel whose number of steps is fixed at compile time: what is left of a run is swept.
template <class Kernel>
concept FixedLevels = requires {
  Kernel::kFixedLevels;
};

/// Launches Kernel{fields, cuts, levels, exchange}.
///
/// The kernel says, as static members, what only it knows: Stencil, Tile; kThreads, the threads of
/// a team on a device; kMinTeams, how many teams its registers shall allow on a multiprocessor;
/// kDeviceTiling; kAround, how far it reads beside its tile;
/// scratch_bytes(levels); lost_x(levels) and lost_y(levels), the cells that a tile loses at each
/// cut; label(); count(plan, redundant), which fills in the traffic of scratch.
template <class Kernel, class Real>
struct StreamLauncher {
  using TileType = typename Kernel::Tile;
  using StencilType = typename Kernel::Stencil;
  static constexpr int kR = StencilType::kR;

  int depth = 1;                ///< steps a pass
  DeviceTile device_tile = {};  ///< asked for by the configuration; 0: as many teams as fit

  [[nodiscard]] Plan plan(const Extents& n) const {
    Plan p;
    p.scratch_bytes = static_cast<std::int64_t>(Kernel::scratch_bytes(depth));
    if (std::string why = scratch_shortage(p.scratch_bytes, max_native_scratch_bytes());
        !why.empty()) {
      return unsupported(std::move(why));
    }
    const int resident = resident_teams(depth);
    if (resident == 0) return unsupported("not one team fits on a multiprocessor");
    p.team = kOnDevice ? Kernel::kThreads : 1;
    if (kOnDevice) p.resident = resident;
    p.registers = registers_of<Kernel::kThreads, Kernel, Kernel::kMinTeams>();
    p.temporal_depth = depth;
    PlaneCuts cuts;
    if constexpr (Kernel::kDeviceTiling) {
      const DeviceTile d = device_tile_of(n, depth, resident);
      if (d.teams_y * d.teams_x > resident) {
        return unsupported(fmt::format(
            "a device tile of {} x {} teams: at most {} teams of {} threads with {} bytes of "
            "scratch can be resident at once",
            d.teams_x, d.teams_y, resident, p.team, p.scratch_bytes));
      }
      cuts = device_cuts(n, depth, d);
      p.league = std::int64_t{d.teams_y} * d.teams_x;
    } else {
      cuts = overlapping_cuts<Kernel>(n, depth);
    }
    if (cuts.y.step() < 1 || cuts.x.step() < 1) {
      return unsupported(fmt::format("{} steps leave nothing of a {} x {} tile that they shrink",
                                     depth, TileType::kNx, TileType::kNy));
    }
    if constexpr (!Kernel::kDeviceTiling) p.league = league(cuts, n, resident);
    const int nx = Kernel::kDeviceTiling ? TileType::kNx : cuts.x.tile;
    const int ny = Kernel::kDeviceTiling ? TileType::kNy : cuts.y.tile;
    p.tile[0] = nx, p.tile[1] = ny, p.tile[2] = n.nz;
    // What a pass loads: each tile with the cells around it, and a stream's lead.
    const double tile_cells =
        double(nx + 2 * Kernel::kAround) * (ny + (StencilType::kRy == 0 ? 0 : 2 * Kernel::kAround));
    const double stored = double(n.ny) * n.nx / (double(cuts.count()) * teams_of_tile(p.league));
    p.halo_cells = static_cast<std::int64_t>(tile_cells) - std::int64_t{nx} * ny;
    p.loads = tile_cells / stored / depth;
    p.stores = 1.0 / depth;
    p.valid_share = stored / (double(nx) * ny);
    // A stream's lead: planes beyond its share that it loads, and of each step computes.
    const double share = Kernel::kDeviceTiling ? n.nz : double(cuts.count()) * n.nz / p.league;
    p.loads *= (share + 2 * depth * kR) / share;
    p.valid_share *= share / (share + (depth - 1) * kR);
    Kernel::count(p, 1 / p.valid_share);
    return p;
  }

  int step(const ExecSpace& exec, const Fields<Real>& f, int left,
           const Resident<Real>& resident) const {
    const Extents n{f.ns, f.ny, f.nx};
    if constexpr (FixedLevels<Kernel>) {
      if (left < depth) {
        sweep<StencilType>(exec, Kernel::label(), f, sweep_tile<StencilType>(n));
        return 1;
      }
    }
    const int levels = left < depth ? left : depth;
    const std::size_t scratch = Kernel::scratch_bytes(levels);
    const int teams = resident_teams(levels);
    if constexpr (Kernel::kDeviceTiling) {
      const DeviceTile d = device_tile_of(n, levels, teams);
      const Exchange<Real> exchange{
          device_cuts(n, levels, d), d.teams_y,        d.teams_x,
          resident.exchange,         resident.barrier, d.teams_y * TileType::kNy,
          d.teams_x * TileType::kNx};
      resident.barrier.reset(exec);
      persistent_launch<Kernel::kThreads>(exec, Kernel::label(), d.teams_y * d.teams_x, scratch,
                                          Kernel{f, {}, levels, exchange});
    } else {
      const PlaneCuts cuts = overlapping_cuts<Kernel>(n, levels);
      native_launch<Kernel::kThreads, Kernel::kMinTeams>(exec, Kernel::label(),
                                                         static_cast<int>(league(cuts, n, teams)),
                                                         scratch, Kernel{f, cuts, levels, {}});
    }
    return levels;
  }

  [[nodiscard]] std::int64_t exchange_elements(const Extents& n) const {
    if constexpr (Kernel::kDeviceTiling) {
      // Fewer steps may take other device tiles, never larger ones.
      std::int64_t most = 0;
      for (int levels = 1; levels <= depth; ++levels) {
        const DeviceTile d = device_tile_of(n, levels, resident_teams(levels));
        most = std::max(most, Exchange<Real>::elements(levels, d.teams_y * TileType::kNy,
                                                       d.teams_x * TileType::kNx));
      }
      return most;
    } else {
      return 0;
    }
  }

 private:
  [[nodiscard]] static int resident_teams(int levels) {
    if (!Kokkos::is_initialized()) return 1;  // a prediction, without a device
    return max_resident_league<Kernel::kThreads, Kernel, Kernel::kMinTeams>(
        ExecSpace(), Kernel::scratch_bytes(levels));
  }
  /// As many teams as are resident: a longer lead than share still is time that others spend too.
  /// Fewer, if at most one in fifty is left over, where each row of tiles can then have teams of
  /// its own: tiles above each other are streamed side by side, as whole ones are.
  [[nodiscard]] static std::int64_t league(const PlaneCuts& cuts, const Extents& n, int resident) {
    const std::int64_t planes = std::int64_t{cuts.count()} * n.nz;
    const int over = resident % cuts.y.count();
    if (cuts.count() < resident && over <= resident / 50) resident -= over;
    return std::max<std::int64_t>(1, std::min<std::int64_t>(resident, planes));
  }
  [[nodiscard]] DeviceTile device_tile_of(const Extents& n, int levels, int resident) const {
    return device_tile.teams_x > 0
               ? device_tile
               : choose_device_tile<TileType>(n, Kernel::lost_x(levels), resident);
  }
  [[nodiscard]] static PlaneCuts device_cuts(const Extents& n, int levels, const DeviceTile& d) {
    return {device_cut(n.ny, d.teams_y * TileType::kNy, Kernel::lost_y(levels)),
            device_cut(n.nx, d.teams_x * TileType::kNx, Kernel::lost_x(levels))};
  }
  [[nodiscard]] static double teams_of_tile(std::int64_t teams) {
    return Kernel::kDeviceTiling ? static_cast<double>(teams) : 1.0;
  }
};

}  // namespace tessera::jacobi

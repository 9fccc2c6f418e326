// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the temporally blocked variants: SM tiling, where teams overlap and do not
// wait for each other, and device tiling, where the league is resident.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/registry/scratch_refusal.hpp"
#include "variants/jacobi/kernels/exchange.hpp"
#include "variants/jacobi/kernels/sweep.hpp"
#include "variants/jacobi/kernels/variant.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tessera::jacobi {

/// The plane's tiles where teams overlap along both axes.
template <class Kernel>
[[nodiscard]] PlaneCuts overlapping_cuts(const Extents& n, int steps) {
  using TileType = typename Kernel::Tile;
  return {{n.ny, TileType::kNy, Kernel::lost_y(steps)},
          {n.nx, TileType::kNx, Kernel::lost_x(steps)}};
}

/// Teams of a device tile.
struct DeviceTile {
  int teams_y = 0, teams_x = 0;

  /// ",teams=12x9"; nothing where a configuration leaves it open.
  [[nodiscard]] std::string text() const {
    return teams_x == 0 ? "" : ",teams=" + extents_text({teams_x, teams_y});
  }
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

/// What a kernel that StreamLauncher launches says: what only it knows. One of a resident league
/// gets no launch bound, hence kMinTeams = 1.
template <class Kernel, class Real>
concept StreamKernel = requires(const Kernel& kernel, const NativeTeam& team,
                                const Fields<Real>& fields, const PlaneCuts& cuts, int steps,
                                const typename Kernel::Exchanged& exchange, Plan& plan,
                                double redundant, MachineKind kind) {
  typename Kernel::Stencil;
  typename Kernel::Tile;  // kNx x kNy cells
  Kernel{fields, cuts, steps, exchange};
  kernel(team);
  { Kernel::kLabel } -> std::convertible_to<const char*>;
  { Kernel::kThreads } -> std::convertible_to<int>;   // of a team on a device
  { Kernel::kMinTeams } -> std::convertible_to<int>;  // that registers allow on a multiprocessor
  { Kernel::kDeviceTiling } -> std::convertible_to<bool>;
  { Kernel::kFixedSteps } -> std::convertible_to<int>;  // time steps a pass; 0: any number
  { Kernel::kHalo } -> std::convertible_to<int>;        // cells that it reads beside its tile
  { Kernel::scratch_bytes(steps, kind) } -> std::convertible_to<std::size_t>;
  { Kernel::lost_x(steps) } -> std::convertible_to<int>;  // cells that a tile loses at each cut
  { Kernel::lost_y(steps) } -> std::convertible_to<int>;
  Kernel::count(plan, redundant,
                kind);  // traffic of scratch; redundant: cells computed for one stored
}
&&(!Kernel::kDeviceTiling || Kernel::kMinTeams == 1);

/// Launches Kernel{fields, cuts, steps, exchange}. Where a kernel of a fixed number of steps has
/// fewer left, they are swept.
template <class Kernel, class Real, RunsOn kRuns = RunsOn::any>
requires StreamKernel<Kernel, Real>
struct StreamLauncher {
  using TileType = typename Kernel::Tile;
  using StencilType = typename Kernel::Stencil;
  static constexpr int kR = StencilType::kR;

  int steps = Kernel::kFixedSteps;  ///< a pass
  DeviceTile device_tile = {};      ///< of the configuration; 0: as many teams as fit

  [[nodiscard]] Plan plan(const Extents& n, const MachineLimits& machine) const {
    Plan p;
    p.scratch_bytes = static_cast<std::int64_t>(Kernel::scratch_bytes(steps, machine.kind));
    refuse_scratch_beyond(p, machine.native_scratch_bytes, machine.kind);
    if (!p.supported()) return p;
    const int resident = resident_teams(steps, machine);
    if (resident == 0) return unsupported("not one team fits on a multiprocessor");
    p.launch = Kernel::kDeviceTiling ? Launch::resident
               : machine.on_device() ? Launch::native
                                     : Launch::teams;
    p.team = machine.on_device() ? Kernel::kThreads : 1;
    if (machine.on_device()) p.resident = resident;
    if constexpr (kRunsHere) {
      if (machine.here) p.registers = registers_of<Kernel::kThreads, Kernel, Kernel::kMinTeams>();
    }
    p.temporal_depth = steps;
    PlaneCuts cuts;
    if constexpr (Kernel::kDeviceTiling) {
      const DeviceTile d = device_tile_of(n, steps, resident);
      if (d.teams_y * d.teams_x > resident) {
        return unsupported(fmt::format(
            "a device tile of {} x {} teams: at most {} teams of {} threads with {} bytes of "
            "scratch can be resident at once",
            d.teams_x, d.teams_y, resident, p.team, p.scratch_bytes));
      }
      cuts = device_cuts(n, steps, d);
      p.league = std::int64_t{d.teams_y} * d.teams_x;
    } else {
      cuts = overlapping_cuts<Kernel>(n, steps);
    }
    if (cuts.y.step() < 1 || cuts.x.step() < 1) {
      return unsupported(fmt::format("{} steps leave nothing of a {} x {} tile that they shrink",
                                     steps, TileType::kNx, TileType::kNy));
    }
    if constexpr (!Kernel::kDeviceTiling) p.league = league(cuts, n, resident);
    const int nx = Kernel::kDeviceTiling ? TileType::kNx : cuts.x.tile;
    const int ny = Kernel::kDeviceTiling ? TileType::kNy : cuts.y.tile;
    p.tile[0] = nx, p.tile[1] = ny, p.tile[2] = n.nz;
    // What a pass loads: each tile with its halo, and the planes beside a share.
    const double tile_cells =
        double(nx + 2 * Kernel::kHalo) * (ny + (StencilType::kRy == 0 ? 0 : 2 * Kernel::kHalo));
    const double stored = double(n.ny) * n.nx / (double(cuts.count()) * teams_of_tile(p.league));
    p.halo_cells = static_cast<std::int64_t>(tile_cells) - std::int64_t{nx} * ny;
    p.loads = tile_cells / stored / steps;
    p.stores = 1.0 / steps;
    p.valid_share = stored / (double(nx) * ny);
    // Planes beside a stream's share, which it loads, and of each time step computes.
    const double share = Kernel::kDeviceTiling ? n.nz : double(cuts.count()) * n.nz / p.league;
    p.loads *= (share + 2 * steps * kR) / share;
    p.valid_share *= share / (share + (steps - 1) * kR);
    if constexpr (Kernel::kDeviceTiling) count_device_tiling(p, n, cuts.count(), stored);
    Kernel::count(p, 1 / p.valid_share, machine.kind);
    p.walk.bound_threads = Kernel::kMinTeams > 1 ? Kernel::kMinTeams * Kernel::kThreads : 0;
    if constexpr (requires { Kernel::waits(p.walk, steps); }) Kernel::waits(p.walk, steps);
    return p;
  }

  int step(const ExecSpace& exec, const Fields<Real>& f, int left,
           const Resident<Real>& resident) const {
    if constexpr (kRunsHere) return launch(exec, f, left, resident);
    return 0;
  }

  [[nodiscard]] std::int64_t exchange_elements(const Extents& n) const {
    if constexpr (Kernel::kDeviceTiling && kRunsHere) {
      // Fewer steps may take other device tiles, never larger ones.
      std::int64_t most = 0;
      for (int now = 1; now <= steps; ++now) {
        const DeviceTile d = device_tile_of(n, now, resident_teams(now, this_machine()));
        most =
            std::max(most, Exchange<Real>::template elements<Record>(now, d.teams_y * d.teams_x));
      }
      return most;
    } else {
      return 0;
    }
  }

 private:
  /// Device tiling: what tiles leave for each other after all steps but the last, and the barriers
  /// that end the rounds of a stream, each step being R + 1 planes behind the one before.
  void count_device_tiling(Plan& p, const Extents& n, int device_tiles, double stored) const {
    const double nx = TileType::kNx, ny = TileType::kNy, rx = kR, ry = StencilType::kRy;
    p.exchanged = steps * 2 * (rx * ny + ry * nx) / (nx * ny);
    p.barriers = double(device_tiles) * (n.nz + steps * (kR + 1) + kR);
    const double halos = (steps - 1) / stored / steps;
    p.loads += halos * static_cast<double>(p.halo_cells);
    p.stores += halos * (nx * ny - (nx - 2 * rx) * (ny - 2 * ry));
  }

  static constexpr bool kRunsHere = runs_on(kRuns, kThisKind);
  using Record = EdgeRecord<TileType, kR, StencilType::kRy>;

  int launch(const ExecSpace& exec, const Fields<Real>& f, int left,
             const Resident<Real>& resident) const {
    const Extents n{f.ns, f.ny, f.nx};
    if constexpr (Kernel::kFixedSteps > 0) {
      if (left < steps) {
        sweep<StencilType>(exec, Kernel::kLabel, f, sweep_tile<StencilType>(n));
        return 1;
      }
    }
    const int now = std::min(left, steps);
    const std::size_t scratch = Kernel::scratch_bytes(now);
    const int teams = resident_teams(now, this_machine());
    if constexpr (Kernel::kDeviceTiling) {
      const DeviceTile d = device_tile_of(n, now, teams);
      const Exchange<Real> exchange{device_cuts(n, now, d), d.teams_y,        d.teams_x,
                                    resident.exchange,      resident.barrier, now};
      resident.barrier.reset(exec);
      persistent_launch<Kernel::kThreads>(exec, Kernel::kLabel, d.teams_y * d.teams_x, scratch,
                                          Kernel{f, {}, now, exchange});
    } else {
      const PlaneCuts cuts = overlapping_cuts<Kernel>(n, now);
      native_launch<Kernel::kThreads, Kernel::kMinTeams>(exec, Kernel::kLabel,
                                                         static_cast<int>(league(cuts, n, teams)),
                                                         scratch, Kernel{f, cuts, now, {}});
    }
    return now;
  }

  [[nodiscard]] static int resident_teams(int steps_of_pass, const MachineLimits& machine) {
    if constexpr (kRunsHere) {
      if (machine.here && Kokkos::is_initialized()) {
        return max_resident_league<Kernel::kThreads, Kernel, Kernel::kMinTeams>(
            ExecSpace(), Kernel::scratch_bytes(steps_of_pass));
      }
    }
    const auto scratch =
        static_cast<std::int64_t>(Kernel::scratch_bytes(steps_of_pass, machine.kind));
    const int teams = machine.resident(Kernel::kThreads, scratch);
    if (!machine.on_device()) return teams;
    // Of a device elsewhere registers are not known: what the launch bound allows, or a value and a
    // sum of each of a thread's cells.
    constexpr int kCells = TileType::kNx * TileType::kNy / Kernel::kThreads;
    const int by_registers = machine.unit_registers /
                             machine.registers_with(words_of<Real>(2 * std::max(kCells, 1))) /
                             Kernel::kThreads;
    return std::min(teams, std::max({by_registers, Kernel::kMinTeams, 1}) * machine.units);
  }
  /// As many teams as are resident: more planes beside a share than in it still are time that
  /// others spend too. Fewer, if at most one in fifty is left over, where each row of tiles can
  /// then have teams of its own: tiles above each other are streamed side by side, as whole ones
  /// are.
  [[nodiscard]] static std::int64_t league(const PlaneCuts& cuts, const Extents& n, int resident) {
    const std::int64_t planes = std::int64_t{cuts.count()} * n.nz;
    const int over = resident % cuts.y.count();
    if (cuts.count() < resident && over <= resident / 50) resident -= over;
    return std::max<std::int64_t>(1, std::min<std::int64_t>(resident, planes));
  }
  [[nodiscard]] DeviceTile device_tile_of(const Extents& n, int steps_of_pass, int resident) const {
    return device_tile.teams_x > 0
               ? device_tile
               : choose_device_tile<TileType>(n, Kernel::lost_x(steps_of_pass), resident);
  }
  [[nodiscard]] static PlaneCuts device_cuts(const Extents& n, int steps_of_pass,
                                             const DeviceTile& d) {
    return {device_cut(n.ny, d.teams_y * TileType::kNy, Kernel::lost_y(steps_of_pass)),
            device_cut(n.nx, d.teams_x * TileType::kNx, Kernel::lost_x(steps_of_pass))};
  }
  [[nodiscard]] static double teams_of_tile(std::int64_t teams) {
    return Kernel::kDeviceTiling ? static_cast<double>(teams) : 1.0;
  }
};

}  // namespace tessera::jacobi

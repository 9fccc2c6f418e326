// SPDX-License-Identifier: Apache-2.0
// The streams of jacobi/ebisu, which a host's binary never launches, with a thread of the host for
// each of a device's: their teams meet at the same barriers. What they make equals sweeps, bit for
// bit.
#include <gtest/gtest.h>

#include <barrier>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "variants/jacobi/ebisu/planes.hpp"
#include "variants/jacobi/ebisu/rows.hpp"

namespace tessera::jacobi {
namespace {

/// A thread's view of its team.
struct ThreadTeam {
  int league_index, league, rank, threads;
  std::barrier<>* barrier;

  [[nodiscard]] int league_rank() const { return league_index; }
  [[nodiscard]] int league_size() const { return league; }
  [[nodiscard]] int team_rank() const { return rank; }
  [[nodiscard]] int team_size() const { return threads; }
  void team_barrier() const { barrier->arrive_and_wait(); }
};

/// Runs a kernel on a league of teams, all of their threads at once.
template <class Kernel, class Real>
void run_league(const Kernel& kernel, int league, const Real* /*precision*/) {
  std::vector<std::vector<Real>> scratch(league,
                                         std::vector<Real>(Kernel::Layout::kElements, Real(1e30)));
  std::vector<std::unique_ptr<std::barrier<>>> barriers;
  std::vector<std::thread> threads;
  for (int team = 0; team < league; ++team) {
    barriers.push_back(std::make_unique<std::barrier<>>(Kernel::kThreads));
  }
  for (int team = 0; team < league; ++team) {
    for (int rank = 0; rank < Kernel::kThreads; ++rank) {
      threads.emplace_back([&, team, rank] {
        kernel.run(ThreadTeam{team, league, rank, Kernel::kThreads, barriers[team].get()},
                   scratch[team].data());
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
}

/// Two grids of one layout, the first with random cells and fixed cells, the second with the fixed
/// ones.
template <class StencilType, class Real>
struct Grids {
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  int ns, ny, nx;
  std::vector<Real> from, to;

  Grids(int ns_, int ny_, int nx_)
      : ns(ns_), ny(ny_), nx(nx_), from(plane() * (ns + 2 * kR)), to(from.size()) {
    std::mt19937 random(7);
    std::uniform_real_distribution<Real> value(-1, 1);
    for (Real& cell : from) cell = value(random);
    to = from;
    for (int s = 0; s < ns; ++s) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) to[origin() + fields().offset(s, y, x)] = Real(99);
      }
    }
  }
  [[nodiscard]] std::int64_t row() const { return nx + 2 * kR; }
  [[nodiscard]] std::int64_t plane() const { return row() * (ny + 2 * kRy); }
  [[nodiscard]] std::int64_t origin() const { return kR * plane() + kRy * row() + kR; }
  [[nodiscard]] Fields<Real> fields() {
    return {from.data() + origin(), to.data() + origin(), ns, ny, nx, plane(),
            static_cast<int>(row())};
  }

  /// `from` after so many sweeps.
  [[nodiscard]] std::vector<Real> swept(int steps) const {
    std::vector<Real> u = from;
    for (int step = 0; step < steps; ++step) {
      std::vector<Real> next = u;
      for (int s = 0; s < ns; ++s) {
        for (int y = 0; y < ny; ++y) {
          for (int x = 0; x < nx; ++x) {
            const std::int64_t i = origin() + s * plane() + y * row() + x;
            next[i] = point_value<StencilType, Real>(
                [&](auto ds, auto dy, auto dx) { return u[i + ds * plane() + dy * row() + dx]; });
          }
        }
      }
      u = next;
    }
    return u;
  }
  void expect_swept(int steps) const {
    const std::vector<Real> wanted = swept(steps);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(0, std::memcmp(&to[i], &wanted[i], sizeof(Real)))
          << "element " << i << ": " << to[i] << ", wanted " << wanted[i];
    }
  }
};

struct Label {
  static constexpr const char* kLabel = "tessera::test::ebisu";
};

template <class StencilType, RowStream kStream, class Real = double>
void check_rows(int ns, int nx, int league) {
  using Kernel = RowStreamingKernel<Label, StencilType, Real, kStream>;
  SCOPED_TRACE(testing::Message() << StencilType::kName << ' ' << kStream.text() << ", " << nx
                                  << " x " << ns << ", " << league << " teams");
  Grids<StencilType, Real> grids(ns, 1, nx);
  const PlaneCuts cuts{{1, 1, 0}, {nx, kStream.nx, Kernel::lost_x(kStream.steps)}};
  run_league(Kernel{grids.fields(), cuts, kStream.steps, {}}, league, grids.to.data());
  grids.expect_swept(kStream.steps);
}

TEST(EbisuRows, StarsEqualSweeps) {
  check_rows<J2d5pt, RowStream{.nx = 32, .rows = 4, .columns = 1, .steps = 5}>(37, 75, 2);
  check_rows<J2d5pt, RowStream{.nx = 32, .rows = 4, .columns = 1, .steps = 3}, float>(8, 26, 5);
  check_rows<J2d5pt, RowStream{.nx = 64, .rows = 2, .columns = 2, .steps = 6}>(41, 131, 3);
  check_rows<J2d9pt, RowStream{.nx = 32, .rows = 4, .columns = 1, .steps = 2}>(30, 61, 3);
  check_rows<J2d9pt, RowStream{.nx = 64, .rows = 2, .columns = 2, .steps = 4}>(19, 100, 4);
}

TEST(EbisuRows, BoxesEqualSweeps) {
  check_rows<J2d9ptGol, RowStream{.nx = 32, .rows = 4, .columns = 1, .steps = 4}>(37, 75, 2);
  check_rows<J2d9ptGol, RowStream{.nx = 64, .rows = 2, .columns = 2, .steps = 3}>(22, 90, 3);
  check_rows<J2d25pt, RowStream{.nx = 32, .rows = 4, .columns = 1, .steps = 2}>(29, 70, 3);
  check_rows<J2d25pt, RowStream{.nx = 64, .rows = 2, .columns = 2, .steps = 4}, float>(33, 67, 2);
}

template <class StencilType, PlaneStream kStream, class Real = double>
void check_planes(int ns, int ny, int nx, int teams_y, int teams_x) {
  using Kernel = PlaneStreamingKernel<Label, StencilType, Real, kStream>;
  using Record = typename Kernel::Layout::Record;
  SCOPED_TRACE(testing::Message() << StencilType::kName << ' ' << kStream.text() << ", " << nx
                                  << " x " << ny << " x " << ns << ", " << teams_x << " x "
                                  << teams_y << " teams");
  Grids<StencilType, Real> grids(ns, ny, nx);
  const int lost = Kernel::lost_x(kStream.steps);
  const PlaneCuts cuts{device_cut(ny, teams_y * Kernel::Tile::kNy, lost),
                       device_cut(nx, teams_x * Kernel::Tile::kNx, lost)};
  const int league = teams_y * teams_x;
  std::vector<Real> records(Exchange<Real>::template elements<Record>(kStream.steps, league));
  const GridBarrier barrier;
  barrier.reset(ExecSpace());
  run_league(Kernel{grids.fields(),
                    {},
                    kStream.steps,
                    {cuts, teams_y, teams_x, records.data(), barrier, kStream.steps}},
             league, grids.to.data());
  grids.expect_swept(kStream.steps);
}

constexpr TileShape kTile{.nx = 16, .ny = 16, .own = 4};
constexpr TileShape kWideTile{.nx = 16, .ny = 16, .own = 2};

TEST(EbisuPlanes, StarsEqualSweeps) {
  check_planes<J3d7pt, PlaneStream{.tile = kTile, .steps = 4, .apart = 2}>(9, 29, 27, 2, 2);
  check_planes<J3d7pt, PlaneStream{.tile = kTile, .steps = 5, .apart = 1}, float>(7, 32, 30, 2, 2);
  check_planes<J3d13pt, PlaneStream{.tile = kWideTile, .steps = 3, .apart = 2}>(8, 20, 31, 2, 2);
  check_planes<J3d13pt, PlaneStream{.tile = kWideTile, .steps = 2, .apart = 1}>(11, 9, 32, 1, 2);
}

TEST(EbisuPlanes, CornersEqualSweeps) {
  check_planes<J3d27pt, PlaneStream{.tile = kTile, .steps = 3, .apart = 2}>(9, 29, 27, 2, 2);
  check_planes<J3d17pt, PlaneStream{.tile = kTile, .steps = 4, .apart = 1}>(7, 32, 30, 2, 2);
  check_planes<Poisson, PlaneStream{.tile = kTile, .steps = 4, .apart = 2}, float>(6, 25, 26, 2, 2);
}

TEST(EbisuPlanes, SeveralDeviceTilesEqualSweeps) {
  check_planes<J3d7pt, PlaneStream{.tile = kTile, .steps = 3, .apart = 2}>(5, 50, 27, 2, 2);
  check_planes<J3d27pt, PlaneStream{.tile = kTile, .steps = 2, .apart = 1}>(4, 40, 33, 2, 2);
  check_planes<J3d7pt, PlaneStream{.tile = kTile, .steps = 4, .apart = 2}>(6, 21, 30, 1, 1);
}

}  // namespace
}  // namespace tessera::jacobi

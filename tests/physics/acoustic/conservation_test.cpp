// SPDX-License-Identifier: Apache-2.0
// Energy: conserved to rounding without layers, absorbed with them.
//
// The leap-frog scheme with a symmetric L and u = 0 outside the grid conserves
//   E = sum_cells (u+ - u)^2 / vp - u+ L(u),
// in any model vp: multiply u+ - 2u + u- = vp L(u) by (u+ - u-) / vp and sum.
#include <cmath>
#include <vector>

#include "base/case/random.hpp"
#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"

namespace tessera::acoustic {
namespace {

class Conservation : public AcousticTest<double> {};

/// E between the steps of `u` (u) and `next` (u+), on the host.
double energy(const Solver<double>& solver) {
  const Extents n = solver.setup().n;
  const auto& h = solver.setup().h;
  const Coefficients<double> k(h[0], h[1], h[2]);
  const std::vector<double> u = to_host(solver.u());
  const std::vector<double> next = to_host(solver.next());
  const std::vector<double> vp = to_host(solver.vp());
  const Box grid = whole(n);
  const auto at = [&](int z, int y, int x) {
    if (!grid.contains(z, y, x)) return 0.0;
    return u[n.index(z, y, x)];
  };
  double sum = 0;
  std::size_t i = 0;
  for (int z = 0; z < n.nz; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      for (int x = 0; x < n.nx; ++x, ++i) {
        const double l = laplacian(
            k, [&](auto m) { return at(z, y, x + m); }, [&](auto m) { return at(z, y + m, x); },
            [&](auto m) { return at(z + m, y, x); });
        const double d = next[i] - u[i];
        sum += d * d / vp[i] - next[i] * l;
      }
    }
  }
  return sum;
}

TEST_F(Conservation, EnergyOfAClosedBoxIsConstant) {
  acoustic::Setup setup;
  setup.n = {13, 17, 19};
  setup.h = {20, 25, 15};
  setup.pml_cells = 0;
  Solver<double> solver(setup);
  solver.set_velocity(
      [&](int z, int y, int x) { return 1500 + 3000 * random_value(4, setup.n.index(z, y, x)); });
  solver.set_random(9);
  const Selected how = supported_variant(solver, {"acoustic/st_reg_fixed:16x8"});
  const ExecSpace exec;
  double first = 0;
  for (int step = 0; step <= 300; ++step) {
    solver.update(exec, how);
    exec.fence();
    if (step % 50 == 0) {
      const double e = energy(solver);
      if (step == 0) first = e;
      EXPECT_GT(e, 0);
      EXPECT_NEAR(e / first, 1, 1e-11) << "after step " << step;
    }
    solver.advance();
  }
}

TEST_F(Conservation, LayersAbsorbAndNeverFeedTheField) {
  acoustic::Setup setup;
  setup.n = {41, 43, 45};
  setup.pml_cells = 12;
  Solver<double> solver(setup);
  solver.set_velocity(4500);
  const Selected how = fast_variant(solver);
  const ExecSpace exec;
  double loudest = 0;
  double last = 0;
  for (int step = 0; step < 700; ++step) {
    solver.update(exec, how);
    const double f = step * setup.dt() < 0.15 ? paper_wavelet(step * setup.dt(), setup.f_max) : 0;
    solver.inject(exec, 20, 21, 22, f);
    exec.fence();
    solver.advance();
    if (step % 20 != 19) continue;
    const ValueRange range = solver.range();
    last = std::max(std::abs(range.min), std::abs(range.max));
    loudest = std::max(loudest, last);
  }
  // 700 steps are 250 cells of way, six times the grid: what is left has met many layers.
  EXPECT_GT(loudest, 100);
  EXPECT_LT(last, 1e-3 * loudest);
}

}  // namespace
}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
// A source in the centre of odd extents: the field is its own mirror image along every axis.
#include <cmath>
#include <limits>
#include <vector>

#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"

namespace tessera::acoustic::symmetry_test {
namespace {

constexpr double kV = 4500;  // m/s: 0.36 cells a step
constexpr int kSteps = 160;  // the wave has gone 40 cells: through the layers to the grid's end
constexpr int kPmlCells = 6;

/// The field after kSteps of the paper's wavelet in the centre.
template <class Real>
std::vector<Real> shot(const Extents& n, const char* pattern) {
  acoustic::Setup setup;
  setup.n = n;
  setup.pml_cells = kPmlCells;
  Solver<Real> solver(setup);
  solver.set_velocity(kV);
  const Selected how = supported_variant(solver, {pattern});
  const ExecSpace exec;
  for (int step = 0; step < kSteps; ++step) {
    solver.update(exec, how);
    solver.inject(exec, n.nz / 2, n.ny / 2, n.nx / 2,
                  paper_wavelet(step * setup.dt(), setup.f_max));
    exec.fence();
    solver.advance();
  }
  return to_host(solver.u());
}

template <class Real>
class Symmetry : public AcousticTest<Real> {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Symmetry, Reals);

/// Exact: neighbours at +m and -m are added to each other first, differences change sign exactly,
/// and the profile depends on the distance to the nearer face alone.
template <class Real>
void expect_mirrored(const char* pattern) {
  const Extents n{27, 31, 35};
  const std::vector<Real> u = shot<Real>(n, pattern);
  const auto at = [&](int z, int y, int x) { return u[n.index(z, y, x)]; };
  Real in_the_layers = 0;
  for (int z = 0; z < n.nz; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      for (int x = 0; x < n.nx; ++x) {
        ASSERT_EQ(at(z, y, x), at(z, y, n.nx - 1 - x)) << z << " " << y << " " << x;
        ASSERT_EQ(at(z, y, x), at(z, n.ny - 1 - y, x)) << z << " " << y << " " << x;
        ASSERT_EQ(at(z, y, x), at(n.nz - 1 - z, y, x)) << z << " " << y << " " << x;
        if (x == 2) in_the_layers = std::max(in_the_layers, std::abs(at(z, y, x)));
      }
    }
  }
  EXPECT_GT(in_the_layers, Real(1e-3)) << "the wave has not reached the layers";
}

TYPED_TEST(Symmetry, MirrorImagesAreEqualToTheLastBit) {
  expect_mirrored<TypeParam>("acoustic/gmem:8x8x8");
  expect_mirrored<TypeParam>("acoustic/st_reg_fixed:16x8");
}

TYPED_TEST(Symmetry, AxesAreAlikeToRounding) {
  // On a cube with equal spacings the axes may be exchanged. Their sums are added in the order x,
  // y, z, so that rounding differs: a few units in the last place a step.
  const Extents n{31, 31, 31};
  const auto u = shot<TypeParam>(n, "acoustic/gmem:8x8x8");
  const auto at = [&](int z, int y, int x) { return static_cast<double>(u[n.index(z, y, x)]); };
  double largest = 0;
  double worst = 0;
  for (int z = 0; z < n.nz; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      for (int x = 0; x < n.nx; ++x) {
        largest = std::max(largest, std::abs(at(z, y, x)));
        worst = std::max(worst, std::abs(at(z, y, x) - at(x, y, z)));
        worst = std::max(worst, std::abs(at(z, y, x) - at(y, z, x)));
      }
    }
  }
  // The source's peak, 3600, is long gone by: errors of its rounding stay.
  EXPECT_GT(largest, 1);
  EXPECT_LE(worst, 3600 * 8 * std::numeric_limits<TypeParam>::epsilon());
}

}  // namespace
}  // namespace tessera::acoustic::symmetry_test

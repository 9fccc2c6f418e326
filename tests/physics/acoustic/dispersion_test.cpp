// SPDX-License-Identifier: Apache-2.0
// Phase velocity of a plane wave: equal to the discrete dispersion relation of leap-frog in time
// and 8th order in space,
//   4 sin^2(w dt / 2) = (V dt)^2 sum_d [-(c0 + 2 sum_m c_m cos(m k_d h_d))] / h_d^2.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"

namespace tessera::acoustic {
namespace {

/// Fills the halo of u with the opposite side's cells: the grid becomes periodic. The stencil reads
/// no corners, but they are filled too.
struct WrapHalo {
  FieldRef<double> u;
  Extents n;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const auto wrap = [](int i, int cells) { return (i + cells) % cells; };
    const int from_z = wrap(z - kR, n.nz);
    const int from_y = wrap(y - kR, n.ny);
    const int from_x = wrap(x - kR, n.nx);
    // Interior cells are their own source: nothing that another iteration reads is changed.
    if (from_z != z - kR || from_y != y - kR || from_x != x - kR) {
      *u.at(z - kR, y - kR, x - kR) = *u.at(from_z, from_y, from_x);
    }
  }
};

/// A plane wave with whole numbers of wavelengths along each axis of a periodic grid.
class PlaneWave {
 public:
  PlaneWave(const Setup& setup, double velocity, const std::array<int, 3>& waves_xyz)
      : setup_(setup), v_(velocity) {
    const int cells[3] = {setup.n.nx, setup.n.ny, setup.n.nz};
    for (int d = 0; d < 3; ++d) kh_[d] = 2 * std::numbers::pi * waves_xyz[d] / cells[d];
  }

  /// w dt of the scheme.
  [[nodiscard]] double discrete_phase() const {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      double axis = kC[0];
      for (int m = 1; m <= kR; ++m) axis += 2 * kC[m] * std::cos(m * kh_[d]);
      sum -= axis / (setup_.h[d] * setup_.h[d]);
    }
    return 2 * std::asin(v_ * setup_.dt() / 2 * std::sqrt(sum));
  }
  /// w dt of the wave equation: V |k| dt.
  [[nodiscard]] double exact_phase() const {
    double k2 = 0;
    for (int d = 0; d < 3; ++d) k2 += kh_[d] * kh_[d] / (setup_.h[d] * setup_.h[d]);
    return v_ * std::sqrt(k2) * setup_.dt();
  }

  /// w dt as measured over `steps` steps of the solver: the mean advance of the phase.
  [[nodiscard]] double measured_phase(const char* pattern, int steps) const {
    Solver<double> solver(setup_);
    solver.set_velocity(v_);
    const double advance = discrete_phase();
    const auto wave = [&](double time_phase) {
      return [this, time_phase](int z, int y, int x) { return std::cos(at(z, y, x) - time_phase); };
    };
    from_host(solver.u(), wave(0));
    from_host(solver.next(), wave(-advance));
    const Selected how = supported_variant(solver, {pattern});
    const ExecSpace exec;
    const Extents& n = setup_.n;
    double total = 0;
    std::complex<double> before = amplitude(solver.u());
    for (int step = 1; step <= steps; ++step) {
      Kokkos::parallel_for(
          "tessera::test::wrap_halo",
          Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<3>, Kokkos::IndexType<int>>(
              exec, {0, 0, 0}, {n.nx + 2 * kR, n.ny + 2 * kR, n.nz + 2 * kR}),
          WrapHalo{solver.u().ref(), n});
      solver.update(exec, how);
      exec.fence();
      solver.advance();
      if (step % kProbe != 0) continue;
      const std::complex<double> now = amplitude(solver.u());
      // kProbe steps advance the phase by less than pi, so that it is unwrapped by itself.
      total -= std::arg(now / before);
      before = now;
    }
    return total / steps;
  }

  static constexpr int kProbe = 2;

 private:
  [[nodiscard]] double at(int z, int y, int x) const {
    return kh_[0] * x + kh_[1] * y + kh_[2] * z;
  }

  /// Projection of the field on exp(i k x).
  [[nodiscard]] std::complex<double> amplitude(const Field<double>& u) const {
    const auto values = to_host(u);
    std::complex<double> sum = 0;
    std::size_t i = 0;
    for (int z = 0; z < setup_.n.nz; ++z) {
      for (int y = 0; y < setup_.n.ny; ++y) {
        for (int x = 0; x < setup_.n.nx; ++x) sum += values[i++] * std::polar(1.0, -at(z, y, x));
      }
    }
    return sum;
  }

  Setup setup_;
  double v_;
  double kh_[3];
};

class Dispersion : public AcousticTest<double> {
 protected:
  static void check(const PlaneWave& wave, const char* pattern) {
    const int steps = 600;
    const double wanted = wave.discrete_phase();
    ASSERT_LT(wanted * PlaneWave::kProbe, 3.1);
    // The scheme's phase velocity differs from V by more than the test's tolerance.
    EXPECT_GT(std::abs(wave.exact_phase() / wanted - 1), 1e-4);
    const double measured = wave.measured_phase(pattern, steps);
    EXPECT_NEAR(measured / wanted, 1, 1e-6);
  }
};

TEST_F(Dispersion, ObliqueWave) {
  acoustic::Setup setup;  // testing::Test hides the short name
  setup.n = {14, 12, 20};
  setup.h = {20, 25, 15};
  setup.pml_cells = 0;
  const PlaneWave wave(setup, 4500, {4, -2, 3});
  check(wave, "acoustic/gmem:8x8x8");
  check(wave, "acoustic/st_reg_fixed:16x8");
}

TEST_F(Dispersion, WaveAlongEachAxis) {
  acoustic::Setup setup;
  setup.n = {15, 15, 15};
  setup.pml_cells = 0;
  check(PlaneWave(setup, 3000, {4, 0, 0}), "acoustic/gmem:8x8x8");
  check(PlaneWave(setup, 3000, {0, 4, 0}), "acoustic/gmem:8x8x8");
  check(PlaneWave(setup, 3000, {0, 0, 4}), "acoustic/gmem:8x8x8");
}

}  // namespace
}  // namespace tessera::acoustic

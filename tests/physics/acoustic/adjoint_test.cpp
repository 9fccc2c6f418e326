// SPDX-License-Identifier: Apache-2.0
// Dot-product tests without layers, in a model without any smoothness on a grid of odd extents.
//
// The scheme is M (u+ - 2u + u-) = L u + f with M = 1 / vp, and L is its own adjoint:
// <L a, b> = <a, L b>. So the traces F s of time series s at some cells have the adjoint F* d that
// inversion needs: d goes in at the receivers, backwards in time, and what is recorded at the
// sources is turned round. Products are compared by the norms of their factors.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/case/random.hpp"
#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"

namespace tessera::acoustic::adjoint_test {
namespace {

using Values = std::vector<double>;
using Cells = std::vector<std::array<int, 3>>;  // z, y, x

constexpr Extents kGrid{13, 18, 23};
constexpr int kSteps = 60;

Values random_values(std::uint64_t seed, std::size_t count) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 2 * random_value(seed, i) - 1;
  return values;
}

double dot(const Values& a, const Values& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Of <p, b> and <a, q>, by the norms.
double mismatch(const Values& p, const Values& b, const Values& a, const Values& q) {
  const double norms = std::sqrt(std::max(dot(p, p) * dot(b, b), dot(a, a) * dot(q, q)));
  return std::abs(dot(p, b) - dot(a, q)) / norms;
}

template <class Real>
class Adjoint : public AcousticTest<Real> {
 protected:
  /// Of a mismatch: 2e-10 to 3e-9 in float, 4e-17 in double were seen.
  static constexpr double kBound = sizeof(Real) == 4 ? 2e-8 : 1e-15;

  static Solver<Real> closed_box() {
    Setup setup;
    setup.n = kGrid;
    setup.h = {20, 25, 15};
    setup.pml_cells = 0;
    Solver<Real> solver(setup);
    solver.set_velocity(
        [](int z, int y, int x) { return 1500 + 3000 * random_value(4, kGrid.index(z, y, x)); });
    return solver;
  }

  /// L a, by a step: with u = a and u- = 2 a it leaves vp L a.
  static Values applied(const Values& a, const char* pattern) {
    Solver<Real> solver = closed_box();
    const auto value = [&](int z, int y, int x) {
      return static_cast<Real>(a[kGrid.index(z, y, x)]);
    };
    from_host(solver.u(), value);
    from_host(solver.next(), [&](int z, int y, int x) { return 2 * value(z, y, x); });
    const ExecSpace exec;
    solver.update(exec, supported_variant(solver, {pattern}));
    exec.fence();
    const std::vector<Real> step = to_host(solver.next());
    const std::vector<Real> vp = to_host(solver.vp());
    Values l(step.size());
    for (std::size_t i = 0; i < l.size(); ++i) l[i] = static_cast<double>(step[i]) / vp[i];
    return l;
  }

  /// F: what `receivers` record of `series`[step, source].
  static Values recorded(const Values& series, const Cells& sources, const Cells& receivers) {
    Solver<Real> solver = closed_box();
    const Selected how = fast_variant(solver);
    const std::vector<Real> vp = to_host(solver.vp());
    const ExecSpace exec;
    Values traces;
    auto s = series.begin();
    for (int step = 0; step < kSteps; ++step) {
      solver.update(exec, how);
      for (const auto& [z, y, x] : sources)
        solver.inject(exec, z, y, x, vp[kGrid.index(z, y, x)] * *s++);
      exec.fence();
      solver.advance();
      const std::vector<Real> u = to_host(solver.u());
      for (const auto& [z, y, x] : receivers) traces.push_back(u[kGrid.index(z, y, x)]);
    }
    return traces;
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Adjoint, Reals);

/// Backwards in time, and the list of cells with it.
Values turned(Values values) {
  std::reverse(values.begin(), values.end());
  return values;
}
Cells turned(Cells cells) {
  std::reverse(cells.begin(), cells.end());
  return cells;
}

TYPED_TEST(Adjoint, OfTheOperatorIsItself) {
  const auto cells = static_cast<std::size_t>(kGrid.cells());
  // As the precision has them.
  Values a = random_values(11, cells), b = random_values(12, cells);
  for (Values* v : {&a, &b})
    for (double& value : *v) value = static_cast<TypeParam>(value);
  for (const char* pattern : {"acoustic/gmem:8x8x8", "acoustic/st_reg_fixed:16x8"}) {
    Values la = this->applied(a, pattern);
    const Values lb = this->applied(b, pattern);
    EXPECT_LT(mismatch(la, b, a, lb), this->kBound) << pattern;
    // One neighbour that counts 1e-3 more from one side alone would show.
    const double more = 1e-3 * 1.6 / (20 * 20);
    for (std::size_t i = 0; i + 1 < cells; ++i) la[i] += more * a[i + 1];
    EXPECT_GT(mismatch(la, b, a, lb), 10 * this->kBound) << pattern;
  }
}

TYPED_TEST(Adjoint, OfTheTracesIsTheShotBackwards) {
  const Cells sources{{3, 5, 4}, {8, 2, 15}};
  const Cells receivers{{1, 9, 8}, {10, 14, 20}, {6, 8, 11}};
  const Values s = random_values(21, kSteps * sources.size());
  const Values d = random_values(22, kSteps * receivers.size());
  const Values forward = this->recorded(s, sources, receivers);
  const Values back = turned(this->recorded(turned(d), turned(receivers), turned(sources)));
  EXPECT_LT(mismatch(forward, d, s, back), this->kBound);
  // In step with the shot instead of backwards it is no adjoint; nor with a receiver a cell off.
  EXPECT_GT(mismatch(forward, d, s, this->recorded(d, receivers, sources)), 1e-3);
  Cells off = receivers;
  ++off.front()[2];
  const Values beside = turned(this->recorded(turned(d), turned(off), turned(sources)));
  EXPECT_GT(mismatch(forward, d, s, beside), 1e-3);
}

}  // namespace
}  // namespace tessera::acoustic::adjoint_test

// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/verify.hpp"

#include "base/case/random.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/bound.hpp"
#include "base/support/error.hpp"
#include "variants/acoustic/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace tessera::acoustic {
namespace {

/// Of at most so many steps: all that the variant makes at once, some of them, one.
constexpr int kPasses[] = {kMostPassSteps, 3, 1};

[[nodiscard]] KOKKOS_INLINE_FUNCTION double magnitude(double v) { return v < 0 ? -v : v; }

/// Keeps the worst cell seen.
struct Worst {
  Verdict verdict;
  void differs(const char* what, int step, int z, int y, int x) {
    verdict.ok = false;
    verdict.worst = std::numeric_limits<double>::infinity();
    verdict.reason = fmt::format("{} differs from its cell x = {}, y = {}, z = {} after step {}",
                                 what, x, y, z, step);
  }
  void compare(const char* what, int step, int z, int y, int x, double got, double wanted,
               double limit) {
    ++verdict.cells;
    const double ratio = std::abs(got - wanted) / limit;
    const bool exact = got == wanted;
    if (!exact && !(ratio <= verdict.worst)) {
      verdict.worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
      if (verdict.worst > 1) {
        verdict.ok = false;
        verdict.reason = fmt::format(
            "{} differs at x = {}, y = {}, z = {} after step {}: {:.9g}, reference {:.9g}, bound "
            "{:.3g}",
            what, x, y, z, step, got, wanted, limit);
      }
    }
  }
};

}  // namespace

const std::vector<RaggedGrid>& ragged_grids() {
  static const std::vector<RaggedGrid> grids = {
      {{47, 53, 61}, 5}, {{13, 9, 11}, 3}, {{29, 31, 37}, 4, true}, {{17, 29, 64}, 0}};
  return grids;
}

std::vector<Decomposition> distinct_decompositions() {
  std::vector<Decomposition> kinds(std::begin(kDecompositions), std::end(kDecompositions));
  if (!kOnDevice) {
    std::erase_if(kinds, is_concurrent);
  }
  return kinds;
}

template <class Real>
Verdict verify_on(const RaggedGrid& grid, const Selected& how, Decomposition kind,
                  std::uint64_t seed, VpStorage vp) {
  Setup setup;
  setup.vp_storage = vp;
  setup.n = grid.n;
  setup.pml_cells = grid.pml_cells;
  setup.free_surface = grid.free_surface;
  setup.decomposition = kind;
  setup.h = {20, 25, 15};  // three different ones: a mixed-up axis shows
  Solver<Real> solver(setup);
  solver.set_random(seed);
  solver.set_velocity([&](int z, int y, int x) {
    const auto position = (static_cast<std::uint64_t>(z) * grid.n.ny + y) * grid.n.nx + x;
    // Not more values than an index of vp can tell apart.
    return 1500 + std::floor(3000 * random_value(seed + 1, position));
  });

  const double h[3] = {setup.h[0], setup.h[1], setup.h[2]};
  ReferenceState<Real> reference(grid.n, setup.layers(), h);
  const auto load = [&](std::vector<Real>& to, const Field<Real>& from) {
    const auto values = host_copy(from);
    for_each_with_halo(grid.n, kR, [&](int z, int y, int x) {
      to[reference.index(z, y, x)] = values(from.index(z, y, x));
    });
  };
  load(reference.vp, solver.vp());
  load(reference.eta, solver.eta());

  // Every cell is a receiver: so the steps are seen that a pass makes on its way.
  std::vector<std::array<int, 3>> cells;
  for (int z = 0; z < grid.n.nz; ++z)
    for (int y = 0; y < grid.n.ny; ++y)
      for (int x = 0; x < grid.n.nx; ++x) cells.push_back({z, y, x});
  solver.set_receivers(Receivers<Real>(cells));
  solver.reserve_passes(how);
  Kokkos::View<Real*, ExecSpace::memory_space> samples("samples", kMostPassSteps * cells.size());

  Worst worst;
  const ExecSpace exec;
  const Box inside = whole(grid.n);
  const auto compare = [&](const char* what, int step, const std::vector<Real>& got,
                           const std::vector<Real>& wanted, const std::vector<double>& terms) {
    for_each_with_halo(grid.n, kR, [&](int z, int y, int x) {
      if (grid.free_surface && z < 0) return;  // images, old or new
      const std::size_t i = reference.index(z, y, x);
      const bool in = inside.contains(z, y, x);
      worst.compare(what, step, z, y, x, got[i], in ? wanted[i] : 0,
                    in ? kBound<Real> * terms[i] : 0);
    });
  };
  std::vector<Real> got(reference.u.size());
  int step = 0;
  for (const int left : kPasses) {
    load(reference.u, solver.u());
    load(reference.next, solver.next());
    load(reference.phi, solver.phi());
    const int steps = solver.steps_of_pass(how, left);
    solver.advance_pass(exec, how, steps, {}, samples.data());
    exec.fence();
    const auto recorded = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples);
    // Each step from what the variant made of the one before. Of phi it shows the last only: to its
    // bound come those of the steps before, and to u's what vp makes of them.
    std::vector<double> phi_terms(got.size(), 0.0);
    for (int k = 0; k < steps; ++k) {
      reference_step(reference);
      for (std::size_t i = 0; i < got.size(); ++i) {
        reference.u_terms[i] += static_cast<double>(reference.vp[i]) * phi_terms[i];
        phi_terms[i] += reference.phi_terms[i];
      }
      if (k == steps - 1) {
        load(got, solver.u());
      } else if (k == steps - 2) {
        load(got, solver.next());
      } else {
        std::fill(got.begin(), got.end(), Real(0));
      }
      for (std::size_t r = 0; r < cells.size(); ++r) {
        const auto& [z, y, x] = cells[r];
        Real& value = got[reference.index(z, y, x)];
        const Real seen = recorded(k * cells.size() + r);
        // The step before the last has made a free surface zero since.
        const bool cleared = grid.free_surface && z == 0 && k == steps - 2;
        if (k >= steps - 2 && !(value == (cleared ? Real(0) : seen)))
          worst.differs("a receiver", step + k + 1, z, y, x);
        value = seen;
      }
      compare("u+", step + k + 1, got, reference.next, reference.u_terms);
      reference.next = std::move(reference.u);  // with a surface as the step has left it
      reference.u = got;
    }
    load(got, solver.phi());
    compare("phi+", step + steps, got, reference.phi, phi_terms);
    step += steps;
  }
  return worst.verdict;
}

namespace {

/// Counts the cells whose u+ or phi+ differ by more than the bound, and finds the largest ratio.
template <class Real>
struct CompareFields {
  Fields<Real> got;  // u, vp, eta are those that the step read
  Fields<Real> wanted;
  Extents n;
  Box inner;
  int first;     // plane
  double limit;  // 8 (eps/2)

  [[nodiscard]] KOKKOS_FUNCTION double terms_of_l(const Real* u, const Real (&c)[kR],
                                                  int stride) const {
    double sum = 0;
    for (int m = 1; m <= kR; ++m) {
      sum += magnitude(static_cast<double>(c[m - 1])) *
             (magnitude(static_cast<double>(u[m * stride])) +
              magnitude(static_cast<double>(u[-m * stride])));
    }
    return sum;
  }
  [[nodiscard]] static KOKKOS_FUNCTION double ratio(double a, double b, double bound) {
    if (a == b) return 0;
    const double r = magnitude(a - b) / bound;
    return r == r ? r : 1e300;  // a NaN is as wrong as can be
  }

  KOKKOS_FUNCTION void operator()(int x, int y, int z, double& worst) const {
    if (z < first) return;
    const std::int64_t i = got.offset(z, y, x);
    const Real* u = got.u + i;
    const double centre = magnitude(static_cast<double>(u[0]));
    // |u-| <= 1 and |phi| <= |c0|: the random initial data.
    const double l = magnitude(static_cast<double>(got.k.c0)) * (centre + 1) +
                     terms_of_l(u, got.k.cx, 1) + terms_of_l(u, got.k.cy, got.row) +
                     terms_of_l(u, got.k.cz, got.plane);
    const double terms = 4 * centre + 1 + static_cast<double>(got.vp[i]) * l;
    double r = ratio(got.next[i], wanted.next[i], limit * terms);
    const double phi_terms = 2 * magnitude(static_cast<double>(got.k.c0));
    const double r_phi = inner.contains(z, y, x)
                             ? ratio(got.phi[i], wanted.phi[i], 0)
                             : ratio(got.phi[i], wanted.phi[i], limit * phi_terms);
    r = r_phi > r ? r_phi : r;
    worst = r > worst ? r : worst;
  }
};

}  // namespace

template <class Real>
Verdict verify_against_naive(Solver<Real>& solver, const Selected& how, const Variant& naive,
                             Field<Real>& next, Field<Real>& phi) {
  const ExecSpace exec;
  const Selected plain{&naive, 0};
  const Extents n = solver.domain().n();
  double worst = 0;
  const auto compare = [&](const Field<Real>& got_u, const Field<Real>& got_phi, double limit,
                           int first = 0) {
    const Fields<Real> wanted = solver.fields();
    Fields<Real> got = wanted;
    got.next = got_u.ref().origin;
    got.phi = got_phi.ref().origin;
    double here = 0;
    Kokkos::parallel_reduce("tessera::acoustic::verify::compare", cells_of(exec, whole(n)),
                            CompareFields<Real>{got, wanted, n, solver.inner(), first, limit},
                            Kokkos::Max<double>(here));
    worst = std::max(worst, here);
  };
  const auto by_naive = [&](int steps) {  // the last one stays in next()
    solver.set_random(2);
    for (int step = 0; step < steps; ++step) {
      if (step > 0) solver.advance();
      solver.update(exec, plain);
    }
    exec.fence();
  };
  solver.set_random(2);
  const int steps = solver.steps_of_pass(how, kMostPassSteps);
  if (steps == 1) {
    solver.update(exec, how);
    exec.fence();
    std::swap(solver.next(), next);
    std::swap(solver.phi(), phi);
    by_naive(1);
    compare(next, phi, kBound<Real>);
  } else if (solver.passes_in_place(how)) {
    // Equal to the bit, also where a last step goes on from the two that the pass has left.
    solver.advance_pass(exec, how, steps, {});
    solver.advance_pass(exec, how, 1, {});
    exec.fence();
    std::swap(solver.u(), next);
    std::swap(solver.phi(), phi);
    by_naive(steps + 1);
    compare(next, phi, 0);
  } else {
    solver.advance_pass(exec, how, steps, {});
    exec.fence();
    const Field<Real> first = solver.next(), second = solver.u();  // views of what the pass left
    solver.swap_pass();
    std::swap(solver.phi(), phi);
    by_naive(1);
    // A step that another has followed is zero on a free surface.
    compare(first, solver.phi(), kBound<Real>, solver.setup().free_surface ? 1 : 0);
    solver.advance();
    solver.update(exec, plain);
    exec.fence();
    // An error of step one grows by no more than 2 + vp sum|c| <= 6 in a stable scheme.
    compare(second, phi, (1 + 6) * kBound<Real>);
  }
  Verdict verdict{worst <= 1, "", worst, n.cells()};
  if (!verdict.ok) {
    verdict.reason =
        fmt::format("a step at run size differs from naive by {:.3g} times the bound", worst);
  }
  return verdict;
}

template Verdict verify_on<float>(const RaggedGrid&, const Selected&, Decomposition, std::uint64_t,
                                  VpStorage);
template Verdict verify_on<double>(const RaggedGrid&, const Selected&, Decomposition, std::uint64_t,
                                   VpStorage);
template Verdict verify_against_naive<float>(Solver<float>&, const Selected&, const Variant&,
                                             Field<float>&, Field<float>&);
template Verdict verify_against_naive<double>(Solver<double>&, const Selected&, const Variant&,
                                              Field<double>&, Field<double>&);

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
#include "cases/acoustic/verify.hpp"

#include "cases/random.hpp"
#include "grid/cell_policy.hpp"
#include "grid/transfer.hpp"
#include "stencils/acoustic/reference.hpp"
#include "support/bound.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace tessera::acoustic {
namespace {

constexpr int kSteps = 3;

[[nodiscard]] KOKKOS_INLINE_FUNCTION double magnitude(double v) { return v < 0 ? -v : v; }

/// Keeps the worst cell seen.
struct Worst {
  Verdict verdict;
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
      {{47, 53, 61}, 5}, {{13, 9, 11}, 3}, {{29, 31, 37}, 4, true}};
  return grids;
}

std::vector<Decomposition> distinct_decompositions() {
  std::vector<Decomposition> kinds(std::begin(kDecompositions), std::end(kDecompositions));
  if (!kOnDevice) {
    kinds.erase(std::find(kinds.begin(), kinds.end(), Decomposition::seven_concurrent));
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

  if (solver.makes_pairs(how)) solver.reserve_pairs();
  Worst worst;
  const ExecSpace exec;
  const Box inside = whole(grid.n);
  const auto compare = [&](const char* what, int step, const Field<Real>& got,
                           const std::vector<Real>& wanted, const std::vector<double>& terms) {
    const auto values = host_copy(got);
    for_each_with_halo(grid.n, kR, [&](int z, int y, int x) {
      if (grid.free_surface && z < 0) return;  // images, old or new
      const std::size_t i = reference.index(z, y, x);
      const bool in = inside.contains(z, y, x);
      worst.compare(what, step, z, y, x, values(got.index(z, y, x)), in ? wanted[i] : 0,
                    in ? kBound<Real> * terms[i] : 0);
    });
  };
  for (int step = 1; step <= kSteps;) {
    load(reference.u, solver.u());
    load(reference.next, solver.next());
    load(reference.phi, solver.phi());
    if (step < kSteps && solver.makes_pairs(how)) {
      // Two steps, each from what the variant made of the one before. Of phi it shows the second
      // only: to its bound comes that of the first, and to u's what vp makes of that.
      const std::vector<Real> u = reference.u;
      reference_step(reference);
      const std::vector<double> first_phi = reference.phi_terms;
      solver.advance_pair(exec, how, {});
      exec.fence();
      compare("u+", step, solver.next(), reference.next, reference.u_terms);
      load(reference.u, solver.next());
      reference.next = u;
      reference_step(reference);
      for (std::size_t i = 0; i < first_phi.size(); ++i) {
        reference.u_terms[i] += static_cast<double>(reference.vp[i]) * first_phi[i];
        reference.phi_terms[i] += first_phi[i];
      }
      compare("u+", step + 1, solver.u(), reference.next, reference.u_terms);
      compare("phi+", step + 1, solver.phi(), reference.phi, reference.phi_terms);
      step += 2;
      continue;
    }
    reference_step(reference);
    solver.update(exec, how);
    exec.fence();
    compare("u+", step, solver.next(), reference.next, reference.u_terms);
    compare("phi+", step, solver.phi(), reference.phi, reference.phi_terms);
    solver.advance();
    ++step;
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
  const Extents& n = solver.setup().n;
  double worst = 0;
  const auto compare = [&](const Field<Real>& got_u, const Field<Real>& got_phi, double limit) {
    const Fields<Real> wanted = solver.fields();
    Fields<Real> got = wanted;
    got.next = got_u.ref().origin;
    got.phi = got_phi.ref().origin;
    double here = 0;
    Kokkos::parallel_reduce(
        "tessera::acoustic::verify::compare", cells_of(exec, whole(n)),
        CompareFields<Real>{got, wanted, n, inner_box(n, solver.setup().layers()), limit},
        Kokkos::Max<double>(here));
    worst = std::max(worst, here);
  };
  solver.set_random(2);
  if (solver.makes_pairs(how)) {
    solver.advance_pair(exec, how, {});
    exec.fence();
    const Field<Real> first = solver.next(), second = solver.u();  // views of what the pair left
    solver.swap_pair();
    std::swap(solver.phi(), phi);
    solver.set_random(2);
    solver.update(exec, plain);
    exec.fence();
    compare(first, solver.phi(), kBound<Real>);
    solver.advance();
    solver.update(exec, plain);
    exec.fence();
    // An error of step one grows by no more than 2 + vp sum|c| <= 6 in a stable scheme.
    compare(second, phi, (1 + 6) * kBound<Real>);
  } else {
    solver.update(exec, how);
    exec.fence();
    std::swap(solver.next(), next);
    std::swap(solver.phi(), phi);
    solver.set_random(2);
    solver.update(exec, plain);
    exec.fence();
    compare(next, phi, kBound<Real>);
  }
  Verdict verdict{worst <= 1, "", worst, n.cells()};
  if (!verdict.ok) {
    verdict.reason =
        fmt::format("one step at run size differs from naive by {:.3g} times the bound", worst);
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

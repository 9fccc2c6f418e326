// SPDX-License-Identifier: Apache-2.0
#include "variants/directional/case/verify.hpp"

#include "base/case/ranks_equal.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/bound.hpp"
#include "base/support/error.hpp"
#include "variants/directional/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::directional {
namespace {

[[nodiscard]] KOKKOS_INLINE_FUNCTION double magnitude(double v) { return v < 0 ? -v : v; }

}  // namespace

const std::vector<Extents>& ragged_grids() {
  static const std::vector<Extents> grids = {
      {7, 37, 269}, {29, 9, 13}, {3, 2, 5}, {2, 3, 1037}};  // nz, ny, nx
  return grids;
}

template <class Real>
Verdict verify_on(const Extents& n, const Operator& op, RowAlignment rows, const Selected& how,
                  std::uint64_t seed) {
  Setup setup{op, n, {20, 25, 15}, rows};  // three spacings: a mixed-up axis shows
  Solver<Real> solver(setup);
  solver.set_random(seed);
  const double h[3] = {setup.h[0], setup.h[1], setup.h[2]};
  ReferenceCubes<Real> reference(n, op, h);
  const auto in = host_copy(solver.in());
  for_each_with_halo(n, op.radius, [&](int z, int y, int x) {
    reference.in[reference.index(z, y, x)] = in(solver.in().index(z, y, x));
  });
  reference_pass(reference);
  const ExecSpace exec;
  solver.pass(exec, how);
  exec.fence();
  const auto out = host_copy(solver.out());

  Verdict verdict;
  const Box inside = whole(n);
  for_each_with_halo(n, op.radius, [&](int z, int y, int x) {
    const std::size_t i = reference.index(z, y, x);
    const Real got = out(solver.out().index(z, y, x));
    ++verdict.cells;
    double ratio = 0;
    double wanted = 0;
    if (inside.contains(z, y, x)) {
      wanted = reference.out[i];
      ratio = got == reference.out[i]
                  ? 0
                  : std::abs(double(got) - wanted) / (kBound<Real> * reference.terms[i]);
    } else if (!std::isnan(got)) {
      ratio = std::numeric_limits<double>::infinity();  // the poison is gone
    }
    if (ratio <= verdict.worst) return;
    verdict.worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    if (verdict.worst <= 1) return;
    verdict.ok = false;
    verdict.reason =
        fmt::format("{} {} at x = {}, y = {}, z = {} of {} x {} x {}: {:.9g}, {}", stencil_name(op),
                    inside.contains(z, y, x) ? "differs" : "writes the halo", x, y, z, n.nx, n.ny,
                    n.nz, double(got), fmt::format("reference {:.9g}", wanted));
  });
  return verdict;
}

namespace {

/// Finds the largest difference over the bound.
template <class Real>
struct CompareCubes {
  Cubes<Real> got;
  const Real* wanted;
  int radius;
  Directions directions;
  double limit;  // 16 (eps/2): both round, each within half of it of the exact sum

  [[nodiscard]] KOKKOS_FUNCTION double terms_of(const Real* u, const Real (&c)[kMaxR],
                                                int stride) const {
    double sum = 0;
    for (int m = 1; m <= radius; ++m) {
      sum += magnitude(static_cast<double>(c[m - 1])) *
             (magnitude(static_cast<double>(u[m * stride])) +
              magnitude(static_cast<double>(u[-m * stride])));
    }
    return sum;
  }

  KOKKOS_FUNCTION void operator()(int x, int y, int z, double& worst) const {
    const std::int64_t i = got.offset(z, y, x);
    const Real* u = got.in + i;
    double terms = magnitude(static_cast<double>(got.k.c0)) * magnitude(static_cast<double>(u[0]));
    if (has(directions, Directions::x)) terms += terms_of(u, got.k.cx, 1);
    if (has(directions, Directions::y)) terms += terms_of(u, got.k.cy, got.row);
    if (has(directions, Directions::z)) terms += terms_of(u, got.k.cz, got.plane);
    if (got.out[i] == wanted[i]) return;
    const double r = magnitude(static_cast<double>(got.out[i]) - static_cast<double>(wanted[i])) /
                     (limit * terms);
    const double ratio = r == r ? r : 1e300;  // a NaN is as wrong as can be
    worst = ratio > worst ? ratio : worst;
  }
};

}  // namespace

template <class Real>
Verdict verify_against_baseline(Solver<Real>& solver, const Selected& how, const Variant& plainest,
                                Field<Real>& spare) {
  const Setup& setup = solver.setup();
  const Extents n = solver.domain().n();
  // The first configuration that runs here.
  Selected baseline{&plainest, 0};
  const Problem problem{stencil_name(setup.op), static_cast<int>(sizeof(Real))};
  while (!plainest.plan(baseline.configuration, whole_region(n), problem).supported()) {
    ++baseline.configuration;
  }
  const ExecSpace exec;
  const auto one_pass = [&](const Selected& variant) {
    solver.set_random(2);
    solver.pass(exec, variant);
    exec.fence();
  };
  one_pass(baseline);
  std::swap(solver.out(), spare);
  one_pass(how);
  double worst = 0;
  Kokkos::parallel_reduce("tessera::directional::verify::compare", cells_of(exec, whole(n)),
                          CompareCubes<Real>{solver.cubes(), spare.ref().origin, setup.op.radius,
                                             setup.op.directions, 2 * kBound<Real>},
                          Kokkos::Max<double>(worst));
  Verdict verdict{worst <= 1, "", worst, n.cells()};
  if (!verdict.ok) {
    verdict.reason = fmt::format(
        "one pass at run size differs from baseline by {:.3g} times the bounds of both", worst);
  }
  return verdict;
}

template <class Real>
Verdict verify_on_ranks(const comm::Parallel& parallel, const Operator& op, RowAlignment rows,
                        const Selected& how, std::uint64_t seed) {
  const Setup setup{op, ragged_for(parallel, {73, 37, 69}, op.radius), {20, 25, 15}, rows};
  Solver<Real> part(setup, parallel);
  Solver<Real> all(setup);
  const ExecSpace exec;
  for (Solver<Real>* solver : {&part, &all}) {
    solver->set_random(seed);
    solver->pass(exec, how);
  }
  exec.fence();
  RanksEqual<Real> equal(part.domain(), how);
  equal.compare("out", 1, part.out(), all.out());
  return equal.verdict();
}

template Verdict verify_on_ranks<float>(const comm::Parallel&, const Operator&, RowAlignment,
                                        const Selected&, std::uint64_t);
template Verdict verify_on_ranks<double>(const comm::Parallel&, const Operator&, RowAlignment,
                                         const Selected&, std::uint64_t);
template Verdict verify_on<float>(const Extents&, const Operator&, RowAlignment, const Selected&,
                                  std::uint64_t);
template Verdict verify_on<double>(const Extents&, const Operator&, RowAlignment, const Selected&,
                                   std::uint64_t);
template Verdict verify_against_baseline<float>(Solver<float>&, const Selected&, const Variant&,
                                                Field<float>&);
template Verdict verify_against_baseline<double>(Solver<double>&, const Selected&, const Variant&,
                                                 Field<double>&);

}  // namespace tessera::directional

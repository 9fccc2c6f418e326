// SPDX-License-Identifier: Apache-2.0
#include "variants/directional/case/verify.hpp"

#include "base/case/ranks_equal.hpp"
#include "base/case/worst.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/support/bound.hpp"
#include "variants/directional/reference.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace tessera::directional {
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
  load(reference, op.radius, reference.in, solver.in());
  reference_pass(reference);
  const ExecSpace exec;
  solver.pass(exec, how);
  exec.fence();
  const auto out = host_copy(solver.out());

  Worst worst{n};
  const double bound = bound_of_sum<Real>(points(op));
  const std::string name = stencil_name(op);
  const Box inside = whole(n);
  for_each_with_halo(n, op.radius, [&](int z, int y, int x) {
    const std::size_t i = reference.index(z, y, x);
    const Real got = out(solver.out().index(z, y, x));
    if (inside.contains(z, y, x)) {
      worst.compare(name.c_str(), 1, z, y, x, got, reference.out[i], bound * reference.terms[i]);
    } else {  // the poison
      worst.compare("the halo", 1, z, y, x, std::isnan(got) ? 0 : 1, 0, 0);
    }
  });
  return worst.verdict;
}

namespace {

/// Finds the largest difference over the bound.
template <class Real>
struct CompareCubes {
  Cubes<Real> got;
  const Real* wanted;
  int radius;
  Directions directions;
  double limit;  // twice bound_of_sum(): both round

  KOKKOS_FUNCTION void operator()(int x, int y, int z, double& worst) const {
    const std::int64_t i = got.offset(z, y, x);
    const Real* u = got.in + i;
    double terms = magnitude(static_cast<double>(got.k.c0)) * magnitude(static_cast<double>(u[0]));
    if (has(directions, Directions::x)) terms += axis_terms(u, got.k.cx, radius, 1);
    if (has(directions, Directions::y)) terms += axis_terms(u, got.k.cy, radius, got.row);
    if (has(directions, Directions::z)) terms += axis_terms(u, got.k.cz, radius, got.plane);
    const double ratio = ratio_to(limit * terms, got.out[i], wanted[i]);
    worst = ratio > worst ? ratio : worst;
  }
};

}  // namespace

template <class Real>
Verdict verify_against_baseline(Solver<Real>& solver, const Selected& how, const Variant& plainest,
                                Field<Real>& spare) {
  const Setup& setup = solver.setup();
  const Extents n = solver.domain().n();
  const Selected baseline = first_supported(
      plainest, whole_region(n), {stencil_name(setup.op), static_cast<int>(sizeof(Real))});
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
  Kokkos::parallel_reduce(
      "tessera::directional::verify::compare", cells_of(exec, whole(n)),
      CompareCubes<Real>{solver.cubes(), spare.ref().origin, setup.op.radius, setup.op.directions,
                         2 * bound_of_sum<Real>(points(setup.op))},
      Kokkos::Max<double>(worst));
  return verdict_of(worst, n.cells(), "one pass at run size differs from baseline");
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

// SPDX-License-Identifier: Apache-2.0
#include "variants/ete/case/verify.hpp"

#include "base/case/random.hpp"
#include "base/case/ranks_equal.hpp"
#include "base/case/worst.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/support/bound.hpp"
#include "variants/ete/reference.hpp"
#include "variants/ete/table.hpp"

#include <utility>

namespace tessera::ete {
namespace {

constexpr int kSteps = 3;

/// Points and coefficients of the reference, from the table that the device rounds to.
template <class Real>
void set_table(ReferenceState<Real>& reference, const CoefficientTable& table) {
  const std::vector<Real> values = rounded<Real>(table);
  with_shape(table.points, [&](auto shape) {
    using S = decltype(shape);
    reference.points.assign(S::kCanonical.begin(), S::kCanonical.end());
    for (int v = 0; v < table.columns(); ++v) {
      for (const Point& p : reference.points) {
        reference.c.push_back(values[static_cast<std::size_t>(v) * S::kRows + S::row_of(p)]);
      }
    }
  });
}

bool wants_isotropic(const Selected& how) {
  const std::string& text = how.variant->configurations[how.configuration].text;
  return text.find("rows=iso") != std::string::npos;
}

}  // namespace

const std::vector<RaggedGrid>& ragged_grids() {
  // The second is tiny, the third longer than a streaming team's chunk.
  static const std::vector<RaggedGrid> grids = {
      {{47, 53, 61}, kPaperColumns}, {{13, 9, 11}, 5}, {{125, 5, 37}, 31}};
  return grids;
}

template <class Real>
Verdict verify_on(const RaggedGrid& grid, int points, const Selected& how, std::uint64_t seed) {
  const Extents& n = grid.n;
  const CoefficientTable table = random_table(points, grid.columns, wants_isotropic(how), seed + 1);
  Solver<Real> solver(n, table);
  solver.set_random(seed);
  const auto column = [&](int z, int y, int x) {
    const auto position = static_cast<std::uint64_t>(n.index(z, y, x));
    return static_cast<int>(random_value(seed + 2, position) * grid.columns);
  };
  solver.set_columns(column);

  ReferenceState<Real> reference(n);
  set_table(reference, table);
  for (int z = 0; z < n.nz; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      for (int x = 0; x < n.nx; ++x) reference.column.push_back(column(z, y, x));
    }
  }
  Worst worst{n};
  const double bound = bound_of_sum<Real>(solver.points());
  const ExecSpace exec;
  const Box inside = whole(n);
  for (int step = 1; step <= kSteps; ++step) {
    load(reference, kR, reference.p, solver.p());
    load(reference, kR, reference.next, solver.next());
    reference_step(reference);
    solver.update(exec, how);
    exec.fence();
    const auto next = host_copy(solver.next());
    for_each_with_halo(n, kR, [&](int z, int y, int x) {
      const std::size_t i = reference.index(z, y, x);
      const bool in = inside.contains(z, y, x);
      worst.compare("p+", step, z, y, x, next(solver.next().index(z, y, x)),
                    in ? reference.next[i] : 0, in ? bound * reference.terms[i] : 0);
    });
    solver.advance();
  }
  return worst.verdict;
}

namespace {

/// Largest ratio of difference and bound.
template <class Real, class ShapeType>
struct CompareFields {
  Fields<Real> f;  // p and table that the step read; next: the expected values
  const Real* got;
  double limit;  // bound_of_sum()

  KOKKOS_FUNCTION void operator()(int x, int y, int z, double& worst) const {
    const std::int64_t i = f.offset(z, y, x);
    if (got[i] == f.next[i]) return;
    const std::int64_t at_index = f.index_offset(z, y, x);
    const auto v = f.index != nullptr ? static_cast<std::int64_t>(f.index[at_index])
                                      : static_cast<std::int64_t>(f.wide_index[at_index]);
    const Real* c = f.tables.by_velocity + v * padded_rows<Real>(ShapeType::kRows);
    const Real* p = f.p + i;
    const double terms = convolve_rows<ShapeType, 0, ShapeType::kRows>(
        0.0, [&](auto r) { return magnitude(c[r]); },
        [&](auto dz, auto dy, auto dx) { return magnitude(p[dz * f.plane + dy * f.row + dx]); });
    // |p-| <= 1: the random initial data.
    const double ratio = ratio_to(limit * (2 * terms + 1), got[i], f.next[i]);
    worst = ratio > worst ? ratio : worst;
  }
};

}  // namespace

template <class Real>
Verdict verify_against_base(Solver<Real>& solver, const Selected& how, const Variant& plainest,
                            Field<Real>& next) {
  const Selected base = first_supported(
      plainest, solver.region(),
      {solver.points() == 37 ? "ete/37pt" : "ete/73pt", static_cast<int>(sizeof(Real))});
  const ExecSpace exec;
  const auto one_step = [&](const Selected& variant) {
    solver.set_random(2);
    solver.update(exec, variant);
    exec.fence();
  };
  one_step(how);
  std::swap(solver.next(), next);
  one_step(base);
  double worst = 0;
  with_shape(solver.points(), [&](auto shape) {
    Kokkos::parallel_reduce(
        "tessera::ete::verify::compare", cells_of(exec, whole(solver.extents())),
        CompareFields<Real, decltype(shape)>{solver.fields(), next.ref().origin,
                                             bound_of_sum<Real>(solver.points())},
        Kokkos::Max<double>(worst));
  });
  return verdict_of(worst, solver.extents().cells(), "one step at run size differs from base_simd");
}

template <class Real>
Verdict verify_on_ranks(const comm::Parallel& parallel, int points, const Selected& how,
                        std::uint64_t seed) {
  const Extents n = ragged_for(parallel, {41, 43, 61}, kR);
  constexpr int kColumns = 31;
  const CoefficientTable table = random_table(points, kColumns, wants_isotropic(how), seed + 1);
  Solver<Real> part(n, table, parallel);
  Solver<Real> all(n, table);
  for (Solver<Real>* solver : {&part, &all}) {
    solver->set_random(seed);
    solver->set_columns(ColumnPattern::random, seed + 2);
  }
  const ExecSpace exec;
  RanksEqual<Real> equal(part.domain(), how);
  for (int step = 1; step <= kSteps; ++step) {
    for (Solver<Real>* solver : {&part, &all}) solver->update(exec, how);
    exec.fence();
    equal.compare("p+", step, part.next(), all.next());
    for (Solver<Real>* solver : {&part, &all}) solver->advance();
  }
  return equal.verdict();
}

template Verdict verify_on_ranks<float>(const comm::Parallel&, int, const Selected&, std::uint64_t);
template Verdict verify_on_ranks<double>(const comm::Parallel&, int, const Selected&,
                                         std::uint64_t);
template Verdict verify_on<float>(const RaggedGrid&, int, const Selected&, std::uint64_t);
template Verdict verify_on<double>(const RaggedGrid&, int, const Selected&, std::uint64_t);
template Verdict verify_against_base<float>(Solver<float>&, const Selected&, const Variant&,
                                            Field<float>&);
template Verdict verify_against_base<double>(Solver<double>&, const Selected&, const Variant&,
                                             Field<double>&);

}  // namespace tessera::ete

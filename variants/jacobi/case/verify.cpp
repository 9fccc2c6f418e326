// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/case/verify.hpp"

#include "base/case/rank_regions.hpp"
#include "base/case/ranks_equal.hpp"
#include "base/case/worst.hpp"
#include "base/grid/cell_policy.hpp"
#include "variants/jacobi/reference.hpp"

#include <limits>
#include <map>
#include <memory>
#include <tuple>

namespace tessera::jacobi {
namespace {

/// What the reference says after kVerifySteps steps: dense, fixed cells included.
template <class Real>
struct Answer {
  std::vector<Real> u;
  std::vector<double> bound;
};

/// body(s, y, x) for every cell and fixed cell.
template <class StencilType, class Body>
void for_all(const Extents& s, const Body& body) {
  for (int z = -StencilType::kR; z < s.nz + StencilType::kR; ++z) {
    for (int y = -StencilType::kRy; y < s.ny + StencilType::kRy; ++y) {
      for (int x = -StencilType::kR; x < s.nx + StencilType::kR; ++x) body(z, y, x);
    }
  }
}

/// The answer for the solver's current field. Kept: many variants are compared on the same data.
template <class StencilType, class Real>
const Answer<Real>& answer_for(const Solver<Real>& solver, std::uint64_t seed) {
  using Key = std::tuple<int, int, int, std::uint64_t>;
  static std::map<Key, Answer<Real>> answers;
  const Extents s = streamed(solver.extents(), StencilType::kDims);
  const auto [entry, fresh] = answers.try_emplace(Key{s.nz, s.ny, s.nx, seed});
  if (fresh) {
    ReferenceState<StencilType, Real> state(s);
    const auto values = host_copy(solver.u());
    for_all<StencilType>(s, [&](int z, int y, int x) {
      state.u[state.index(z, y, x)] = values(solver.index(z, y, x));
    });
    for (int step = 0; step < kVerifySteps; ++step) reference_step(state);
    entry->second = {std::move(state.u), std::move(state.bound)};
  }
  return entry->second;
}

template <class StencilType, class Real>
Verdict compare(const Solver<Real>& solver, const Answer<Real>& answer) {
  constexpr bool kFlat = StencilType::kDims == 2;  // streamed along y
  Worst worst{solver.extents()};
  const auto values = host_copy(solver.u());
  std::size_t i = 0;  // the reference's own order
  for_all<StencilType>(streamed(solver.extents(), StencilType::kDims), [&](int s, int y, int x) {
    worst.compare("u", kVerifySteps, kFlat ? 0 : s, kFlat ? s : y, x, values(solver.index(s, y, x)),
                  answer.u[i], answer.bound[i]);
    ++i;
  });
  return worst.verdict;
}

template <class Real>
struct CountDifferent {
  Fields<Real> f;
  const Real* wanted;
  KOKKOS_FUNCTION void operator()(int x, int y, int s, std::int64_t& different) const {
    const std::int64_t i = f.offset(s, y, x);
    different += f.from[i] == wanted[i] ? 0 : 1;
  }
};

}  // namespace

std::vector<Extents> ragged_grids(int dims) {
  if (dims == 2) return {{1, 37, 2311}, {1, 61, 53}, {1, 2, 3}};
  return {{37, 45, 71}, {9, 83, 37}, {11, 26, 301}, {3, 2, 5}};
}

template <class Real>
Verdict verify_on(const std::string& stencil, const Extents& n, const Selected& how,
                  std::uint64_t seed) {
  Solver<Real> solver(stencil, n);
  solver.set_random(seed);
  Verdict verdict;
  with_stencil(stencil, [&](auto s) {
    using StencilType = decltype(s);
    const Answer<Real>& answer = answer_for<StencilType>(solver, seed);
    const ExecSpace exec;
    for (int left = kVerifySteps; left > 0;) left -= solver.advance(exec, how, left);
    exec.fence();
    verdict = compare<StencilType>(solver, answer);
  });
  return verdict;
}

template <class Real>
Verdict verify_against_step(Solver<Real>& solver, const Selected& how, const Variant& plainest,
                            Field<Real>& spare) {
  const Selected plain{&plainest, 0};
  const ExecSpace exec;
  solver.set_random(2);
  const int steps = solver.advance(exec, how, std::numeric_limits<int>::max());
  exec.fence();
  std::swap(solver.u(), spare);
  solver.set_random(2);
  for (int i = 0; i < steps; ++i) solver.advance(exec, plain, 1);
  exec.fence();
  Fields<Real> f = solver.fields();
  // A rank's own cells, as they are streamed: those beyond cuts are not right by now.
  const Box& own = solver.own();
  const bool flat = facts_of(solver.stencil()).dims == 2;
  const Box cells{flat ? own.y0 : own.z0,
                  flat ? own.y1 : own.z1,
                  flat ? 0 : own.y0,
                  flat ? 1 : own.y1,
                  own.x0,
                  own.x1};
  std::int64_t different = 0;
  Kokkos::parallel_reduce("tessera::jacobi::verify::compare", cells_of(exec, cells),
                          CountDifferent<Real>{f, spare.ref().origin}, different);
  Verdict verdict{different == 0, "", 0, own.cells()};
  if (!verdict.ok) {
    verdict.worst = std::numeric_limits<double>::infinity();
    verdict.reason =
        fmt::format("{} cells differ from `step` after {} steps at run size", different, steps);
  }
  return verdict;
}

template <class Real>
Verdict verify_on_ranks(const comm::Parallel& parallel, const std::string& stencil,
                        const Selected& how, std::uint64_t seed) {
  const StencilFacts facts = facts_of(stencil);
  const Extents base = facts.dims == 2 ? Extents{1, 61, 253} : Extents{37, 45, 71};
  const int depth = depth_of(how, {stencil, static_cast<int>(sizeof(Real))}, base);
  // Enough cells for passes beside their exchange.
  const Extents n = ragged_for(parallel, base, 3 * depth * facts.r);
  Solver<Real> part(stencil, n, parallel, depth);
  Solver<Real> all(stencil, n);
  const int steps = 2 * depth + 1;
  const ExecSpace exec;
  for (Solver<Real>* solver : {&part, &all}) {
    solver->set_random(seed);
    for (int left = steps; left > 0;) left -= solver->advance(exec, how, left);
  }
  exec.fence();
  RanksEqual<Real> equal(part.domain(), how, part.own());
  equal.compare("u", steps, part.u(), all.u());
  return equal.verdict();
}

template Verdict verify_on_ranks<float>(const comm::Parallel&, const std::string&, const Selected&,
                                        std::uint64_t);
template Verdict verify_on_ranks<double>(const comm::Parallel&, const std::string&, const Selected&,
                                         std::uint64_t);
template Verdict verify_on<float>(const std::string&, const Extents&, const Selected&,
                                  std::uint64_t);
template Verdict verify_on<double>(const std::string&, const Extents&, const Selected&,
                                   std::uint64_t);
template Verdict verify_against_step<float>(Solver<float>&, const Selected&, const Variant&,
                                            Field<float>&);
template Verdict verify_against_step<double>(Solver<double>&, const Selected&, const Variant&,
                                             Field<double>&);

}  // namespace tessera::jacobi

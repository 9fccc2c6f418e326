// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/verify.hpp"

#include "base/case/random.hpp"
#include "base/case/worst.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/support/bound.hpp"
#include "variants/acoustic/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace tessera::acoustic {
namespace {

/// Of a step whose terms are those of the Laplacian; u and u- add two.
template <class Real>
constexpr double kBound = bound_of_sum<Real>(kPoints);

/// Of at most so many steps: all that the variant makes at once, some of them, one.
constexpr int kPasses[] = {kMostPassSteps, 3, 1};

/// What rounding the step before makes of u+, whose terms add up to `terms`: no more than 2 + vp
/// sum|c| <= 6 values in a stable scheme.
[[nodiscard]] KOKKOS_INLINE_FUNCTION double carried_rounding(Storage storage, double terms) {
  return rounding_of(storage, terms) + 6 * rounding_of(storage, 0);
}

}  // namespace

const std::vector<RaggedGrid>& ragged_grids() {
  static const std::vector<RaggedGrid> grids = {
      {{47, 53, 61}, 5}, {{13, 9, 11}, 3}, {{29, 31, 37}, 4, true}, {{17, 29, 61}, 0}};
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
std::vector<Kept> kept_by(const Selected& how, Decomposition kind, LayerKind layers) {
  const auto& variant = how.as<AcousticVariant>();
  std::vector<Kept> all = {{}};
  if (variant.reads_vp_index) all.push_back({VpStorage::index});
  if (variant.reads_vp_steps) all.push_back({VpStorage::linear});
  Problem problem{variant.stencils.front(), sizeof(Real)};
  problem.convolutional_layers = layers == LayerKind::convolutional;
  for (const Storage storage : kStorages) {
    problem.storage = storage;
    const bool cut = storage == Storage::block16 &&
                     (kind == Decomposition::two || kind == Decomposition::two_concurrent);
    if (storage == Storage::plain || cut ||
        !variant.refused_storage(how.configuration, problem).empty())
      continue;
    all.push_back({VpStorage::field, storage});
    if (variant.reads_vp_steps) all.push_back({VpStorage::linear, storage});
  }
  return all;
}

template <class Real>
Verdict verify_on(const RaggedGrid& grid, const Selected& how, Decomposition kind,
                  std::uint64_t seed, const Kept& kept, LayerKind layers) {
  Setup setup;
  setup.layer_kind = layers;
  setup.vp_storage = kept.vp;
  setup.storage = kept.storage;
  const Storage format = kept.bound.value_or(kept.storage);
  setup.n = grid.n;
  setup.pml_cells = grid.pml_cells;
  setup.free_surface = grid.free_surface;
  setup.decomposition = kind;
  setup.h = {20, 25, 15};  // three different ones: a mixed-up axis shows
  Solver<Real> solver(setup);
  solver.expect_peak(kRandomPeak);
  solver.set_random(seed);
  solver.set_velocity([&](int z, int y, int x) {
    const auto position = (static_cast<std::uint64_t>(z) * grid.n.ny + y) * grid.n.nx + x;
    // Not more values than an index of vp can distinguish.
    return 1500 + std::floor(3000 * random_value(seed + 1, position));
  });

  const double h[3] = {setup.h[0], setup.h[1], setup.h[2]};
  ReferenceState<Real> reference(grid.n, setup.layers(), h);
  const auto load_to = [&](std::vector<Real>& to, const Field<Real>& from) {
    load(reference, kR, to, from);
  };
  load_to(reference.vp, solver.vp_values());
  const bool convolutional = setup.convolutional();
  if (convolutional) {
    // Of the solver the reference has the fields, not this memory, which follows from u.
    reference.set_memory([&](int axis, double deep) { return setup.absorption(axis, deep); });
  } else {
    load_to(reference.eta, solver.eta());
  }

  // Cells where convolutional layers add to what a format has rounded already.
  std::vector<char> absorbed(reference.u.size(), 0);
  const Box inner = inner_box(grid.n, setup.layers());
  for (int z = 0; convolutional && z < grid.n.nz; ++z)
    for (int y = 0; y < grid.n.ny; ++y)
      for (int x = 0; x < grid.n.nx; ++x)
        absorbed[reference.index(z, y, x)] = inner.contains(z, y, x) ? 0 : 1;

  // Every cell is a receiver: so the steps are seen that a pass makes on its way.
  std::vector<std::array<int, 3>> cells;
  for (int z = 0; z < grid.n.nz; ++z)
    for (int y = 0; y < grid.n.ny; ++y)
      for (int x = 0; x < grid.n.nx; ++x) cells.push_back({z, y, x});
  solver.set_receivers(Receivers<Real>(cells));
  solver.reserve_passes(how);
  Kokkos::View<Real*, ExecSpace::memory_space> samples("samples", kMostPassSteps * cells.size());

  Worst worst{grid.n};
  const ExecSpace exec;
  const Box inside = whole(grid.n);
  const auto compare = [&](const char* what, int step, const std::vector<Real>& got,
                           const std::vector<Real>& wanted, const std::vector<double>& terms,
                           const auto& rounding) {
    for_each_with_halo(grid.n, kR, [&](int z, int y, int x) {
      if (grid.free_surface && z < 0) return;  // images, old or new
      const std::size_t i = reference.index(z, y, x);
      const bool in = inside.contains(z, y, x);
      worst.compare(what, step, z, y, x, got[i], in ? wanted[i] : 0,
                    in ? kBound<Real> * terms[i] + rounding(i, x) : 0);
    });
  };
  const auto of_phi = [](std::size_t, int) { return 0.0; };
  std::vector<Real> got(reference.u.size());
  int step = 0;
  for (const int left : kPasses) {
    load_to(reference.u, solver.u_values());
    load_to(reference.next, solver.u_minus_values());
    if (!convolutional) load_to(reference.phi, solver.phi());
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
        load_to(got, solver.u_values());
      } else if (k == steps - 2) {
        load_to(got, solver.u_minus_values());
      } else {
        std::fill(got.begin(), got.end(), Real(0));
      }
      for (std::size_t r = 0; r < cells.size(); ++r) {
        const auto& [z, y, x] = cells[r];
        Real& value = got[reference.index(z, y, x)];
        const auto seen = static_cast<Real>(solver.scale() * recorded(k * cells.size() + r));
        // The step before the last has made a free surface zero since.
        const bool cleared = grid.free_surface && z == 0 && k == steps - 2;
        const Real kept = cleared ? Real(0) : seen;
        if (k >= steps - 2 && !(value == kept))
          worst.compare("a receiver's cell", step + k + 1, z, y, x, value, kept, 0);
        value = seen;
      }
      // A pass goes on from what it has not rounded yet.
      compare("u+", step + k + 1, got, reference.next, reference.u_terms,
              [&](std::size_t i, int x) {
                return rounding_at(format, &reference.next[i] - x, x, grid.n.nx) +
                       (k > 0 ? carried_rounding(format, reference.u_terms[i]) : 0) +
                       (absorbed[i] ? rounding_of(format, reference.u_terms[i]) : 0);
              });
      if (keeps_difference(kept.storage)) {
        // What is kept of u besides, from which the next step makes it.
        std::vector<Real> before(got.size());
        load_to(before, solver.u_minus_values());
        compare("u+ less the difference", step + k + 1, before, reference.u, reference.u_terms,
                [&](std::size_t i, int) {
                  return rounding_of(format, got[i]) +
                         rounding_of(format, double(got[i]) - reference.u[i]);
                });
      }
      reference.next = std::move(reference.u);  // with a surface as the step has left it
      reference.u = got;
    }
    step += steps;
    if (convolutional) continue;
    load_to(got, solver.phi());
    compare("phi+", step, got, reference.phi, phi_terms, of_phi);
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
  double limit;  // bound_of_sum()
  Storage storage;
  Real scale;
  bool second;  // step of a pass

  KOKKOS_FUNCTION void operator()(int x, int y, int z, double& worst) const {
    if (z < first) return;
    const std::int64_t i = got.offset(z, y, x);
    const Real* u = got.u + i;
    const double centre = magnitude(static_cast<double>(u[0]));
    // |u-| <= scale and |phi| <= |c0| scale: the random initial data.
    const double l = magnitude(static_cast<double>(got.k.c0)) * (centre + scale) +
                     axis_terms(u, got.k.cx, kR, 1) + axis_terms(u, got.k.cy, kR, got.row) +
                     axis_terms(u, got.k.cz, kR, got.plane);
    const double terms = 4 * centre + scale + static_cast<double>(got.vp[i]) * l;
    const double rounding = 2 * rounding_at(storage, wanted.next + i - x, x, n.nx) +  // of both
                            (second ? carried_rounding(storage, terms) : 0);
    double r = ratio_to(limit * terms + rounding, got.next[i], wanted.next[i]);
    if (got.eta == nullptr) {  // convolutional layers add three second derivatives twice at most
      const double before = inner.contains(z, y, x) ? 0 : 2 * rounding_of(storage, terms);
      r = ratio_to(3 * limit * terms + rounding + before, got.next[i], wanted.next[i]);
      worst = r > worst ? r : worst;
      return;
    }
    const double phi_terms = 2 * magnitude(static_cast<double>(got.k.c0)) * scale;
    const double phi_bound = inner.contains(z, y, x) ? 0 : limit * phi_terms;
    const double r_phi = ratio_to(phi_bound, got.phi[i], wanted.phi[i]);
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
                           int first = 0, bool second = false) {
    Fields<Real> wanted = solver.fields();
    Field<Real> u, u_next, vp;  // copies, from 16 bits, of a step that has been followed
    if (solver.waves().any()) {
      u = solver.u_minus_values(), u_next = solver.u_values(), vp = solver.vp_values();
      wanted.u = u.ref().origin, wanted.next = u_next.ref().origin, wanted.vp = vp.ref().origin;
    }
    Fields<Real> got = wanted;
    got.next = got_u.ref().origin;
    if (!solver.setup().convolutional()) got.phi = got_phi.ref().origin;
    double here = 0;
    Kokkos::parallel_reduce(
        "tessera::acoustic::verify::compare", cells_of(exec, whole(n)),
        CompareFields<Real>{got, wanted, n, solver.inner(), first, limit, solver.setup().storage,
                            static_cast<Real>(solver.scale()), second},
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
  if (solver.waves().any()) {
    solver.advance_pass(exec, how, steps, {});
    exec.fence();
    const Field<Real> last = solver.u_values(), before = solver.u_minus_values();
    std::swap(solver.phi(), phi);
    solver.set_random(2);
    for (int step = 0; step < steps; ++step) {
      solver.update(exec, plain);
      solver.advance();
      exec.fence();
      const bool second = step > 0;
      const int surface = solver.setup().free_surface && step < steps - 1 ? 1 : 0;
      compare(step == steps - 1 ? last : before, step == steps - 1 ? phi : solver.phi(),
              second ? (1 + 6) * kBound<Real> : kBound<Real>, surface, second);
    }
  } else if (steps == 1) {
    solver.update(exec, how);
    exec.fence();
    std::swap(solver.next(), next);
    std::swap(solver.phi(), phi);
    by_naive(1);
    compare(next, phi, kBound<Real>);
  } else if (solver.passes_in_place(how)) {
    // Equal to the bit, also where a last step continues from the two that the pass has left.
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
  return verdict_of(worst, n.cells(), "a step at run size differs from naive");
}

template std::vector<Kept> kept_by<float>(const Selected&, Decomposition, LayerKind);
template std::vector<Kept> kept_by<double>(const Selected&, Decomposition, LayerKind);
template Verdict verify_on<float>(const RaggedGrid&, const Selected&, Decomposition, std::uint64_t,
                                  const Kept&, LayerKind);
template Verdict verify_on<double>(const RaggedGrid&, const Selected&, Decomposition, std::uint64_t,
                                   const Kept&, LayerKind);
template Verdict verify_against_naive<float>(Solver<float>&, const Selected&, const Variant&,
                                             Field<float>&, Field<float>&);
template Verdict verify_against_naive<double>(Solver<double>&, const Selected&, const Variant&,
                                              Field<double>&, Field<double>&);

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
// Several steps at once: in place, or out of place over the inner region, and what that leaves,
// step by step.
#include "base/grid/outer_slabs.hpp"
#include "base/support/error.hpp"
#include "variants/acoustic/case/solver.hpp"

#include <algorithm>

namespace tessera::acoustic {
namespace {

/// What a source, added to u at its cells, adds to u+ of the cells that read these, those in `box`.
template <class Real, class Vp, class Ref>
struct AddToReaders {
  Coefficients<Real> k;
  Vp vp;
  Ref next;
  Box box, source;
  const double* weights;
  double amplitude;
  Box readers;  // `source` and kR cells around it

  [[nodiscard]] KOKKOS_FUNCTION Real value(int z, int y, int x) const {
    return source.contains(z, y, x) ? source_value<Real>(source, weights, z, y, x, amplitude)
                                    : Real(0);
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    const int x = readers.x0 + i % readers.nx(), y = readers.y0 + i / readers.nx() % readers.ny();
    const int z = readers.z0 + i / readers.nx() / readers.ny();
    if (!box.contains(z, y, x)) return;
    const Real u = value(z, y, x);
    const Real l = laplacian(
        k, [&](auto m) { return value(z, y, x + m); }, [&](auto m) { return value(z, y + m, x); },
        [&](auto m) { return value(z + m, y, x); });
    if (u == 0 && l == 0) return;  // most are in no axis with the source
    const auto at = next.at(z, y, x);
    const std::int64_t cell = std::int64_t{z} * next.plane + std::int64_t{y} * next.row + x;
    put(at, 0, Real(at[0] + inner_value(u, Real(0), Real(vp[cell]), l)));
  }
};

[[nodiscard]] Box grown(const Box& b) {
  return {b.z0 - kR, b.z1 + kR, b.y0 - kR, b.y1 + kR, b.x0 - kR, b.x1 + kR};
}

bool is_out_of_place(const Selected& how) {
  const PassShape& shape = how.as<AcousticVariant>().pass_shape(how.configuration);
  return shape.steps > 1 && !shape.in_place;
}

}  // namespace

int fields_of_passes(const std::vector<Selected>& configurations) {
  return std::any_of(configurations.begin(), configurations.end(), is_out_of_place) ? 2 : 0;
}

template <class Real>
void Solver<Real>::reserve_passes(const Selected& how) {
  if (halo() || !is_out_of_place(how)) return;
  if (waves_.any()) return waves_.reserve_pass(FieldLayout(setup_.n, kR, sizeof(Real)));
  if (middle_.view().extent(0) > 0) return;
  middle_ = Field<Real>("tessera::acoustic::middle", setup_.n, kR);
  after_ = Field<Real>("tessera::acoustic::after", setup_.n, kR);
}

template <class Real>
int Solver<Real>::steps_of_pass(const Selected& how, std::int64_t left) const {
  if (halo() || setup_.convolutional()) return 1;
  const PassShape& shape = how.as<AcousticVariant>().pass_shape(how.configuration);
  if (shape.in_place) {
    const bool one =
        waves_.any() || regions_.all.size() > 1 || setup_.free_surface || !receivers_.at_cells();
    return one ? 1 : static_cast<int>(std::min<std::int64_t>(shape.steps, left));
  }
  const bool apart = setup_.pml_cells == 0 || setup_.decomposition == Decomposition::seven ||
                     setup_.decomposition == Decomposition::seven_concurrent;
  return apart && left >= shape.steps && !pass_box(inner(), setup_.layers()).empty() ? shape.steps
                                                                                     : 1;
}

template <class Real>
void Solver<Real>::advance_pass(const ExecSpace& exec, const Selected& how, int steps,
                                std::span<const PassSource> sources, Real* samples) {
  if (steps == 1) {
    update(exec, how);
    for (const PassSource& s : sources) inject(exec, s);
    advance();
    if (samples != nullptr) record(exec, samples);
  } else if (passes_in_place(how)) {
    advance_in_place(exec, how, steps, sources, samples);
  } else {
    advance_out_of_place(exec, how, sources, samples);
  }
}

template <class Real>
void Solver<Real>::advance_in_place(const ExecSpace& exec, const Selected& how, int steps,
                                    std::span<const PassSource> sources, Real* samples) {
  PassFields<Real> pass{fields(), u_.ref().origin, setup_.n};
  pass.inner = inner();
  pass.steps = steps;
  pass.sources = sources.data();
  pass.source_count = static_cast<int>(sources.size());
  if (samples != nullptr) pass.records = receivers_.records(samples);
  chain_.reset(exec);
  pass.chain = chain_.counters();
  how.as<AcousticVariant>().pass<Real>(how.configuration, exec, pass, whole(setup_.n));
  if (steps % 2 == 1) std::swap(u_, next_);
}

template <class Real>
void Solver<Real>::advance_out_of_place(const ExecSpace& exec, const Selected& how,
                                        std::span<const PassSource> sources, Real* samples) {
  if constexpr (std::is_same_v<Real, float>) {
    if (waves_.any()) {
      const PackedRef middle = waves_.middle_ref(), after = waves_.after_ref();
      make_pass(
          exec, how, waves_.pass(fields()),
          PassResults<PackedRef>{middle, after, waves_.unscaled(middle), waves_.unscaled(after)},
          sources, samples);
      return swap_pass();
    }
  }
  require(middle_.view().extent(0) > 0, "advance_pass() before reserve_passes()");
  PassFields<Real> pass{fields(), after_.ref().origin, setup_.n};
  pass.first.next = middle_.ref().origin;
  const FieldRef<Real> middle = middle_.ref(), after = after_.ref();
  make_pass(exec, how, pass, PassResults<FieldRef<Real>>{middle, after, middle, after}, sources,
            samples);
  swap_pass();
}

template <class Real>
template <class Pass, class Ref>
void Solver<Real>::make_pass(const ExecSpace& exec, const Selected& how, const Pass& pass,
                             const PassResults<Ref>& made, std::span<const PassSource> sources,
                             Real* samples) {
  constexpr bool kStored = std::is_same_v<Pass, StoredPass>;
  const AcousticVariant& variant = how.as<AcousticVariant>();
  const Box box = pass_box(inner(), setup_.layers());
  const auto second = pass.second();
  // Cells that the pass leaves, of a step; what it makes of that step is `without`.
  const auto update_rest = [&](const auto& f, const Box& without) {
    const std::vector<Region> rest = outer_slabs(setup_.n, without, inner());
    if (instances_) instances_->fork(exec);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const int at = static_cast<int>(i);
      const ExecSpace& on = instances_ ? (*instances_)[at % instances_->size()] : exec;
      if constexpr (kStored) {
        variant.step_stored(setup_.storage, how.configuration, on, f, rest[i]);
      } else {
        variant.step<Real>(how.configuration, on, f, rest[i]);
      }
    }
    if (instances_) instances_->join(exec);
  };
  prepare(exec);
  // 1. The pass, and step one of what it leaves: both only read steps n - 1 and n. Nothing runs
  // beside the pass: its teams keep together, which they cannot where others have taken their
  // place.
  if constexpr (kStored) {
    variant.pass_stored(setup_.storage, how.configuration, exec, pass, box);
  } else {
    variant.pass<Real>(how.configuration, exec, pass, box);
  }
  update_rest(pass.first, pass_first_box(box, setup_.n));
  // 2. Sources of step one. The pass has made step two without them: what they add to it is added
  // afterwards, for the step is linear in u.
  for (const PassSource& s : sources) {
    const double amplitude = scale() * s.amplitude[0];
    add(exec, made.middle, s, amplitude);
    const Box readers = grown(s.box);
    const auto cells = static_cast<int>(readers.cells());
    Kokkos::parallel_for("tessera::acoustic::source::inject",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, cells),
                         AddToReaders<Real, decltype(second.vp), Ref>{
                             k_, second.vp, made.after, box, s.box, s.weights, amplitude, readers});
  }
  // 3. Step two of the rest, which reads step one above a free surface too; the pass's cells, kR
  // away from it, do not. Receivers see step one as it was made, as they do between single steps.
  if (samples != nullptr) receivers_.sample(exec, made.seen_middle, samples);
  mirror(exec, made.middle, setup_.n.nz - 1);
  update_rest(second, box);
  for (const PassSource& s : sources) add(exec, made.after, s, scale() * s.amplitude[1]);
  if (samples != nullptr) receivers_.sample(exec, made.seen_after, samples + receivers_.count());
}

template void Solver<float>::reserve_passes(const Selected&);
template int Solver<float>::steps_of_pass(const Selected&, std::int64_t) const;
template void Solver<float>::advance_in_place(const ExecSpace&, const Selected&, int,
                                              std::span<const PassSource>, float*);
template void Solver<float>::advance_out_of_place(const ExecSpace&, const Selected&,
                                                  std::span<const PassSource>, float*);
template void Solver<float>::advance_pass(const ExecSpace&, const Selected&, int,
                                          std::span<const PassSource>, float*);
template void Solver<double>::reserve_passes(const Selected&);
template int Solver<double>::steps_of_pass(const Selected&, std::int64_t) const;
template void Solver<double>::advance_in_place(const ExecSpace&, const Selected&, int,
                                               std::span<const PassSource>, double*);
template void Solver<double>::advance_out_of_place(const ExecSpace&, const Selected&,
                                                   std::span<const PassSource>, double*);
template void Solver<double>::advance_pass(const ExecSpace&, const Selected&, int,
                                           std::span<const PassSource>, double*);

}  // namespace tessera::acoustic

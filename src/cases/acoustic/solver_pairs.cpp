// SPDX-License-Identifier: Apache-2.0
// Two steps at once: the pass over the inner region, and what it leaves, step by step.
#include "cases/acoustic/solver.hpp"
#include "grid/around.hpp"
#include "support/error.hpp"

namespace tessera::acoustic {
namespace {

/// What a source, added to u at its cells, adds to u+ of the cells that read these, those in `box`.
template <class Real>
struct AddToReaders {
  Fields<Real> f;
  Box box, source;
  const double* weights;  // [z][y][x] of `source`
  double amplitude;
  Box readers;  // `source` and kR cells around it

  [[nodiscard]] KOKKOS_FUNCTION Real value(int z, int y, int x) const {
    if (!source.contains(z, y, x)) return 0;
    const int i = ((z - source.z0) * source.ny() + y - source.y0) * source.nx() + x - source.x0;
    return static_cast<Real>(weights[i] * amplitude);
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    const int x = readers.x0 + i % readers.nx(), y = readers.y0 + i / readers.nx() % readers.ny();
    const int z = readers.z0 + i / readers.nx() / readers.ny();
    if (!box.contains(z, y, x)) return;
    const Real u = value(z, y, x);
    const Real l = laplacian(
        f.k, [&](auto m) { return value(z, y, x + m); }, [&](auto m) { return value(z, y + m, x); },
        [&](auto m) { return value(z + m, y, x); });
    if (u == 0 && l == 0) return;  // most are in no axis with the source
    const std::int64_t at = f.offset(z, y, x);
    f.next[at] += inner_value(u, Real(0), f.vp[at], l);
  }
};

[[nodiscard]] Box grown(const Box& b) {
  return {b.z0 - kR, b.z1 + kR, b.y0 - kR, b.y1 + kR, b.x0 - kR, b.x1 + kR};
}

}  // namespace

template <class Real>
void Solver<Real>::reserve_pairs() {
  if (reserved_pairs()) return;
  middle_ = Field<Real>("middle", setup_.n, kR);
  after_ = Field<Real>("after", setup_.n, kR);
}

template <class Real>
bool Solver<Real>::makes_pairs(const Selected& how) const {
  const bool apart = setup_.pml_cells == 0 || setup_.decomposition == Decomposition::seven ||
                     setup_.decomposition == Decomposition::seven_concurrent;
  return apart && !pair_box(inner()).empty() &&
         static_cast<const AcousticVariant*>(how.variant)->makes_pairs<Real>(how.configuration);
}

template <class Real>
void Solver<Real>::advance_pair(const ExecSpace& exec, const Selected& how,
                                std::span<const PairSource> sources) {
  require(reserved_pairs(), "advance_pair() before reserve_pairs()");
  const auto& variant = *static_cast<const AcousticVariant*>(how.variant);
  const Box box = pair_box(inner());
  PairFields<Real> pair{fields(), after_.ref().origin, setup_.n};
  pair.first.next = middle_.ref().origin;
  const Fields<Real> second = pair.second();
  const std::vector<Region> rest = around(setup_.n, box, inner());
  const auto update_rest = [&](const Fields<Real>& f) {
    if (instances_) instances_->fork(exec);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const int at = static_cast<int>(i);
      variant.step<Real>(how.configuration, instances_ ? (*instances_)[at] : exec, f, rest[i]);
    }
    if (instances_) instances_->join(exec);
  };
  prepare(exec);
  // 1. The pass, and step one of what it leaves: both only read steps n - 1 and n. Nothing runs
  // beside the pass: its teams keep together, which they cannot where others have taken their
  // place.
  variant.pair<Real>(how.configuration, exec, pair, box);
  update_rest(pair.first);
  // 2. Sources of step one. The pass has made step two without them: what they add to it is added
  // afterwards, for the step is linear in u.
  for (const PairSource& s : sources) {
    add(exec, middle_, *s.cells, s.first);
    const Box readers = grown(s.cells->box);
    Kokkos::parallel_for(
        "tessera::acoustic::source::inject",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0,
                                                               static_cast<int>(readers.cells())),
        AddToReaders<Real>{second, box, s.cells->box, s.cells->weights.data(), s.first, readers});
  }
  // 3. Step two of the rest, which reads step one above a free surface too; the pass's cells, kR
  // away from it, do not.
  mirror(exec, middle_);
  update_rest(second);
  for (const PairSource& s : sources) add(exec, after_, *s.cells, s.second);
  swap_pair();
}

template bool Solver<float>::makes_pairs(const Selected&) const;
template void Solver<float>::reserve_pairs();
template void Solver<float>::advance_pair(const ExecSpace&, const Selected&,
                                          std::span<const PairSource>);
template bool Solver<double>::makes_pairs(const Selected&) const;
template void Solver<double>::reserve_pairs();
template void Solver<double>::advance_pair(const ExecSpace&, const Selected&,
                                           std::span<const PairSource>);

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
// Two steps at once: the pass over the inner region, and what it leaves, step by step.
#include "cases/acoustic/solver.hpp"
#include "grid/around.hpp"
#include "support/error.hpp"

namespace tessera::acoustic {
namespace {

/// What `value`, added to u at a cell, adds to u+ of the 25 cells that read it, those in `box`.
template <class Real>
struct AddToReaders {
  static constexpr int kReaders = 6 * kR + 1;
  Fields<Real> f;
  Box box;
  int z, y, x;
  Real value;
  KOKKOS_FUNCTION void operator()(int i) const {
    const int axis = (i - 1) / (2 * kR), m = (i - 1) % kR + 1;
    const int step = i == 0 ? 0 : (i - 1) / kR % 2 == 0 ? m : -m;
    const int cz = z + (axis == 2 ? step : 0), cy = y + (axis == 1 ? step : 0);
    const int cx = x + (axis == 0 ? step : 0);
    if (!box.contains(cz, cy, cx)) return;
    const Real c = i == 0      ? f.k.c0
                   : axis == 0 ? f.k.cx[m - 1]
                   : axis == 1 ? f.k.cy[m - 1]
                               : f.k.cz[m - 1];
    const std::int64_t at = f.offset(cz, cy, cx);
    f.next[at] += inner_value(i == 0 ? value : Real(0), Real(0), f.vp[at], c * value);
  }
};

}  // namespace

template <class Real>
void Solver<Real>::reserve_pairs() {
  if (reserved_pairs()) return;
  middle_ = Field<Real>("middle", setup_.n, kR);
  after_ = Field<Real>("after", setup_.n, kR);
}

template <class Real>
bool Solver<Real>::makes_pairs(const Selected& how) const {
  if (halo_) return false;
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
  // 1. The pass, and step one of what it leaves: both only read steps n - 1 and n. Nothing runs
  // beside the pass: its teams keep together, which they cannot where others have taken their
  // place.
  variant.pair<Real>(how.configuration, exec, pair, box);
  update_rest(pair.first);
  // 2. Sources of step one. The pass has made step two without them: what they add to it is added
  // afterwards, for the step is linear in u.
  for (const PairSource& s : sources) {
    add(exec, pair.first.next + pair.first.offset(s.z, s.y, s.x), s.first);
    Kokkos::parallel_for(
        "tessera::acoustic::source::inject",
        Kokkos::RangePolicy<ExecSpace>(exec, 0, AddToReaders<Real>::kReaders),
        AddToReaders<Real>{second, box, s.z, s.y, s.x, static_cast<Real>(s.first)});
  }
  // 3. Step two of the rest.
  update_rest(second);
  for (const PairSource& s : sources)
    add(exec, second.next + second.offset(s.z, s.y, s.x), s.second);
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

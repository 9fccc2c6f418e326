// SPDX-License-Identifier: Apache-2.0
// Several steps at once: in place, or out of place over the inner region, and what that leaves,
// step by step; and what receivers see of each step.
#include "cases/acoustic/solver.hpp"
#include "grid/around.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <tuple>

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

template <class Real>
struct SampleReceivers {
  FieldRef<const Real> u;
  const Receiver* receivers;
  Real* samples;
  KOKKOS_FUNCTION void operator()(int i) const {
    const Receiver& r = receivers[i];
    samples[r.number] = *u.at(r.z, r.y, r.x);
  }
};

const AcousticVariant& variant_of(const Selected& how) {
  return *static_cast<const AcousticVariant*>(how.variant);
}

bool is_out_of_place(const Selected& how) {
  const PassShape& shape = variant_of(how).pass_shape(how.configuration);
  return shape.steps > 1 && !shape.in_place;
}

}  // namespace

int fields_of_passes(const std::vector<Selected>& configurations) {
  return std::any_of(configurations.begin(), configurations.end(), is_out_of_place) ? 2 : 0;
}

template <class Real>
void Solver<Real>::set_receivers(const std::vector<std::array<int, 3>>& cells) {
  std::vector<Receiver> receivers;
  for (const auto& [z, y, x] : cells) {
    receivers.push_back({z, y, x, static_cast<int>(receivers.size())});
  }
  std::sort(receivers.begin(), receivers.end(), [](const Receiver& a, const Receiver& b) {
    return std::tie(a.z, a.number) < std::tie(b.z, b.number);
  });
  receivers_ = decltype(receivers_)("tessera::acoustic::receivers", receivers.size());
  const auto host = Kokkos::create_mirror_view(receivers_);
  std::copy(receivers.begin(), receivers.end(), host.data());
  Kokkos::deep_copy(receivers_, host);
}

template <class Real>
void Solver<Real>::record(const ExecSpace& exec, const Field<Real>& u, Real* samples) const {
  Kokkos::parallel_for(
      "tessera::acoustic::receivers::sample",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, receivers_.extent_int(0)),
      SampleReceivers<Real>{u.ref(), receivers_.data(), samples});
}

template <class Real>
void Solver<Real>::reserve_passes(const Selected& how) {
  if (halo_ || !is_out_of_place(how) || middle_.view().extent(0) > 0) return;
  middle_ = Field<Real>("middle", setup_.n, kR);
  after_ = Field<Real>("after", setup_.n, kR);
}

template <class Real>
int Solver<Real>::steps_of_pass(const Selected& how, std::int64_t left) const {
  if (halo_) return 1;
  const PassShape& shape = variant_of(how).pass_shape(how.configuration);
  if (shape.in_place) {
    return regions_.all.size() > 1 ? 1
                                   : static_cast<int>(std::min<std::int64_t>(shape.steps, left));
  }
  const bool apart = setup_.pml_cells == 0 || setup_.decomposition == Decomposition::seven ||
                     setup_.decomposition == Decomposition::seven_concurrent;
  return apart && left >= shape.steps && !pass_box(inner()).empty() ? shape.steps : 1;
}

template <class Real>
void Solver<Real>::advance_pass(const ExecSpace& exec, const Selected& how, int steps,
                                std::span<const PassSource> sources, Real* samples) {
  if (steps == 1) {
    update(exec, how);
    for (const PassSource& s : sources) inject(exec, s.z, s.y, s.x, s.amplitude[0]);
    advance();
    if (samples != nullptr) record(exec, u_, samples);
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
  if (samples != nullptr) pass.records = {receivers_.data(), receivers_.extent_int(0), samples};
  chain_.reset(exec);
  pass.chain = chain_.counters();
  variant_of(how).pass<Real>(how.configuration, exec, pass, whole(setup_.n));
  if (steps % 2 == 1) std::swap(u_, next_);
}

template <class Real>
void Solver<Real>::advance_out_of_place(const ExecSpace& exec, const Selected& how,
                                        std::span<const PassSource> sources, Real* samples) {
  require(middle_.view().extent(0) > 0, "advance_pass() before reserve_passes()");
  const AcousticVariant& variant = variant_of(how);
  const Box box = pass_box(inner());
  PassFields<Real> pass{fields(), after_.ref().origin, setup_.n};
  pass.first.next = middle_.ref().origin;
  const Fields<Real> second = pass.second();
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
  variant.pass<Real>(how.configuration, exec, pass, box);
  update_rest(pass.first);
  // 2. Sources of step one. The pass has made step two without them: what they add to it is added
  // afterwards, for the step is linear in u.
  for (const PassSource& s : sources) {
    add(exec, pass.first.next + pass.first.offset(s.z, s.y, s.x), s.amplitude[0]);
    Kokkos::parallel_for(
        "tessera::acoustic::source::inject",
        Kokkos::RangePolicy<ExecSpace>(exec, 0, AddToReaders<Real>::kReaders),
        AddToReaders<Real>{second, box, s.z, s.y, s.x, static_cast<Real>(s.amplitude[0])});
  }
  // 3. Step two of the rest.
  update_rest(second);
  for (const PassSource& s : sources)
    add(exec, second.next + second.offset(s.z, s.y, s.x), s.amplitude[1]);
  if (samples != nullptr) {
    record(exec, middle_, samples);
    record(exec, after_, samples + receivers_.extent(0));
  }
  swap_pass();
}

template void Solver<float>::set_receivers(const std::vector<std::array<int, 3>>&);
template void Solver<float>::record(const ExecSpace&, const Field<float>&, float*) const;
template void Solver<float>::reserve_passes(const Selected&);
template int Solver<float>::steps_of_pass(const Selected&, std::int64_t) const;
template void Solver<float>::advance_in_place(const ExecSpace&, const Selected&, int,
                                              std::span<const PassSource>, float*);
template void Solver<float>::advance_out_of_place(const ExecSpace&, const Selected&,
                                                  std::span<const PassSource>, float*);
template void Solver<float>::advance_pass(const ExecSpace&, const Selected&, int,
                                          std::span<const PassSource>, float*);
template void Solver<double>::set_receivers(const std::vector<std::array<int, 3>>&);
template void Solver<double>::record(const ExecSpace&, const Field<double>&, double*) const;
template void Solver<double>::reserve_passes(const Selected&);
template int Solver<double>::steps_of_pass(const Selected&, std::int64_t) const;
template void Solver<double>::advance_in_place(const ExecSpace&, const Selected&, int,
                                               std::span<const PassSource>, double*);
template void Solver<double>::advance_out_of_place(const ExecSpace&, const Selected&,
                                                   std::span<const PassSource>, double*);
template void Solver<double>::advance_pass(const ExecSpace&, const Selected&, int,
                                           std::span<const PassSource>, double*);

}  // namespace tessera::acoustic

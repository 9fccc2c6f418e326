// SPDX-License-Identifier: Apache-2.0
#include "program/shot/shot.hpp"

#include "base/comm/agree.hpp"
#include "base/device/profiling_region.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/support/error.hpp"
#include "program/shot/ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace tessera::shot {

/// Adds up the time of phases on steps that are timed, with a fence at the end of each phase.
class PhaseClock {
 public:
  explicit PhaseClock(const ExecSpace& exec) : exec_(exec) {}

  /// The n-th update: not the first of a device, which loads the kernels.
  void begin_update(std::int64_t n) {
    timed_ = !kOnDevice || n % kTimedEvery == 1;
    if (timed_) restart();
  }
  void restart() {
    exec_.fence();
    last_ = std::chrono::steady_clock::now();
  }
  /// Adds the time since the last call to `seconds`; `always` on untimed steps too.
  void lap(double& seconds, bool always = false) {
    if (!timed_ && !always) return;
    const auto before = last_;
    restart();
    seconds += std::chrono::duration<double>(last_ - before).count();
  }
  [[nodiscard]] bool timed() const { return timed_; }

 private:
  ExecSpace exec_;
  std::chrono::steady_clock::time_point last_;
  bool timed_ = false;
};

namespace {

template <class From, class Values>
struct Decimate {
  From u;
  Values values;  // [z][y][x]
  int z0, y0, x0, stride;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    values(z, y, x) =
        static_cast<float>(u.at(z0 + z * stride, y0 + y * stride, x0 + x * stride)[0]);
  }
};

}  // namespace

std::string to_string(ShotOutcome::Status status) {
  switch (status) {
    case ShotOutcome::Status::complete:
      return "complete";
    case ShotOutcome::Status::stopped:
      return "interrupted";
    case ShotOutcome::Status::not_finite:
      return "failed";
  }
  fail("unknown status {} of a shot", static_cast<int>(status));
}

template <class Real>
Shot<Real>::Shot(const ShotCase& shot)
    : shot_(shot),
      solver_(shot.setup, shot.parallel, shot.inner ? comm::Reach::edges : comm::Reach::faces) {
  const acoustic::Setup& s = shot.setup;
  const io::VelocityModel& model = shot.model;
  solver_.set_velocity([&](int z, int y, int x) { return model.at(z, y, x); });
  solver_.expect_peak(shot.expected_peak());
  if (!shot.inner) solver_.reserve_passes(shot.how);
  if (shot.inner) {
    shot.inner->make(medium_of(shot), inner_);
  }
  for (const ShotSource& source : shot.sources) {
    const acoustic::Spread spread = spread_of(shot, source.station);
    const Box box = spread.box();
    std::vector<double> weights = spread.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto at = static_cast<int>(i);
      const int z = box.z0 + at / box.nx() / box.ny(), y = box.y0 + at / box.nx() % box.ny();
      const int x = box.x0 + at % box.nx();
      if (!solver_.domain().box.contains(z, y, x)) continue;  // another rank's, as its velocity is
      const double v_dt = model.at(z, y, x) * s.dt();
      weights[i] *= v_dt * v_dt / (s.h[0] * s.h[1] * s.h[2]);
    }
    sources_.emplace_back(solver_.domain(), box, weights);
  }
  take_own();
}

template <class Real>
void Shot<Real>::take_own() {
  const Domain& domain = solver_.domain();
  const Box& box = domain.box;
  const comm::Ranks& ranks = shot_.parallel.ranks;
  std::vector<acoustic::Spread> own;  // of this rank's receivers, in its own indices
  std::vector<int> order;
  const auto all = static_cast<int>(shot_.receivers.size());
  for (int r = 0; r < all; ++r) {
    const acoustic::Spread spread = spread_of(shot_, shot_.receivers[static_cast<std::size_t>(r)]);
    if (intersect(spread.box(), box) != spread.box()) continue;
    order.push_back(r);
    own.push_back(spread.local(domain));
  }
  // Of the others the cells, each as a receiver by itself; their numbers follow those of receivers.
  split_numbers_ = split_receivers(shot_);
  std::vector<acoustic::Spread> split;
  for (const int r : split_numbers_) {
    const acoustic::Spread spread = spread_of(shot_, shot_.receivers[static_cast<std::size_t>(r)]);
    const Box cells = spread.box();
    const int first = all + static_cast<int>(split.size()) * SplitReceivers<Real>::kCells;
    split.push_back(spread);
    const Box mine = intersect(cells, box);
    for (int z = mine.z0; z < mine.z1; ++z) {
      for (int y = mine.y0; y < mine.y1; ++y) {
        for (int x = mine.x0; x < mine.x1; ++x) {
          order.push_back(first +
                          SplitReceivers<Real>::cell(z - cells.z0, y - cells.y0, x - cells.x0));
          own.push_back(acoustic::Spread{
              {acoustic::AxisSpread{z, {1}}, acoustic::AxisSpread{y, {1}},
               acoustic::AxisSpread{
                   x, {1}}}}.local(domain));
        }
      }
    }
  }
  if (ranks.first()) split_ = SplitReceivers<Real>(split, kReceiverChunk);
  order_ = ranks.gather(order);
  const auto receivers = own.size();
  solver_.set_receivers(acoustic::Receivers<Real>(own));
  samples_ = decltype(samples_)("tessera::acoustic::receivers::samples", kReceiverChunk, receivers);
  if (shot_.snapshot_every == 0) return;
  snapshot_box_ = snapshot_box_of(shot_);
  decimated_ = decltype(decimated_)("tessera::acoustic::snapshot::values", snapshot_box_.nz(),
                                    snapshot_box_.ny(), snapshot_box_.nx());
}

template <class Real>
std::string Shot<Real>::operator_remark() const {
  return inner_ ? inner_->remark() : "";
}

template <class Real>
void Shot<Real>::update(const ExecSpace& exec) const {
  if (!inner_) return solver_.update(exec, shot_.how);
  solver_.update(exec, [&](const ExecSpace& on, const std::vector<Region>& regions) {
    for (const Region& region : regions) {
      if (region.update == Update::inner) {
        inner_->update(on, solver_.u(), solver_.next(), region);
      } else {
        solver_.update_region(on, shot_.how, region);
      }
    }
  });
}

template <class Real>
void Shot<Real>::update(PhaseClock& clock, ShotTimes& times) {
  // With several ranks, regions are divided so that halos travel meanwhile.
  if (is_concurrent(shot_.setup.decomposition) || !shot_.parallel.ranks.alone()) {
    const ProfilingRegion named("tessera::acoustic::regions");
    update(exec_);
    clock.lap(times.joint);
    return;
  }
  solver_.prepare(exec_);
  for (const Region& region : solver_.regions()) {
    const bool inner = region.update == Update::inner;
    const ProfilingRegion named("tessera::acoustic::" + std::string(region.name));
    if (inner && inner_) {
      inner_->update(exec_, solver_.u(), solver_.next(), region);
      clock.lap(times.inner);
      continue;
    }
    solver_.update_region(exec_, shot_.how, region);
    if (region.update == Update::branched) {
      clock.lap(times.joint);
    } else {
      clock.lap(inner ? times.inner : times.pml);
    }
  }
}

template <class Real>
double Shot<Real>::amplitude(std::size_t source, std::int64_t step) const {
  const double t = static_cast<double>(step) * shot_.setup.dt();
  const auto& wavelet = shot_.sources[source].wavelet;
  return inner_ ? inner_->source(wavelet, t, shot_.setup.dt()) : wavelet(t);
}

template <class Real>
int Shot<Real>::advance(PhaseClock& clock, ShotTimes& times, std::int64_t step, std::int64_t left,
                        int row) {
  const std::size_t receivers = samples_.extent(1);
  Real* const samples = receivers == 0 ? nullptr : samples_.data() + row * receivers;
  const int steps = inner_ ? 1 : solver_.steps_of_pass(shot_.how, left);
  std::vector<acoustic::PassSource> sources;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    acoustic::PassSource& source = sources.emplace_back(sources_[i].source());
    for (int k = 0; k < steps; ++k) source.amplitude[k] = amplitude(i, step + k);
  }
  if (steps > 1) {
    solver_.advance_pass(exec_, shot_.how, steps, sources, samples);
    clock.lap(times.joint);
    return steps;
  }
  update(clock, times);
  for (const acoustic::PassSource& source : sources) solver_.inject(exec_, source);
  solver_.advance();
  if (samples != nullptr) solver_.record(exec_, samples);
  clock.lap(times.source_receivers);
  return 1;
}

template <class Real>
void Shot<Real>::hand_over(const ShotSinks<Real>& sinks, int rows) {
  const ProfilingRegion named("tessera::acoustic::shot::gather");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples_);
  const comm::Ranks& ranks = shot_.parallel.ranks;
  if (ranks.alone()) {
    if (sinks.gather) sinks.gather(host.data(), rows);
    return;
  }
  // A receiver's samples one after another: what each rank sends is then one piece a receiver.
  std::vector<Real> mine;
  for (int r = 0; r < samples_.extent_int(1); ++r) {
    for (int row = 0; row < rows; ++row) mine.push_back(host(row, r));
  }
  const std::vector<Real> all = ranks.gather(mine);
  comm::together(ranks, [&] {
    if (!ranks.first() || !sinks.gather) return;
    const auto receivers = static_cast<int>(shot_.receivers.size());
    std::vector<Real> samples(static_cast<std::size_t>(rows) * shot_.receivers.size());
    const auto sample = [&](int row, int r) -> Real& {
      return samples[static_cast<std::size_t>(row) * shot_.receivers.size() +
                     static_cast<std::size_t>(r)];
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto row = static_cast<int>(i % static_cast<std::size_t>(rows));
      const int r = order_[i / static_cast<std::size_t>(rows)];
      if (r < receivers) {
        sample(row, r) = all[i];
        continue;
      }
      constexpr int kCells = SplitReceivers<Real>::kCells;
      split_.set(row, (r - receivers) / kCells, (r - receivers) % kCells, all[i]);
    }
    if (split_.count() > 0) {
      const std::vector<Real> sums = split_.sum(exec_);
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows) * split_numbers_.size(); ++i) {
        sample(static_cast<int>(i / split_numbers_.size()),
               split_numbers_[i % split_numbers_.size()]) = sums[i];
      }
    }
    sinks.gather(samples.data(), rows);
  });
}

template <class Real>
void Shot<Real>::snapshot(const ShotSinks<Real>& sinks, std::int64_t step) {
  const ProfilingRegion named("tessera::acoustic::shot::snapshot");
  const auto& z = shot_.snapshot_z;
  const auto& y = shot_.snapshot_y;
  const auto& x = shot_.snapshot_x;
  const Box& own = snapshot_box_;
  const Box& box = solver_.domain().box;
  const auto first = [](const auto& axis, int sample, int begin) {
    return static_cast<int>(axis.first + std::int64_t{sample} * axis.stride) - begin;
  };
  const auto decimate = [&]<class From>(const From& u) {
    Kokkos::parallel_for("tessera::acoustic::snapshot::decimate",
                         cells_of(exec_, {0, own.nz(), 0, own.ny(), 0, own.nx()}),
                         Decimate<From, decltype(decimated_)>{
                             u, decimated_, first(z, own.z0, box.z0), first(y, own.y0, box.y0),
                             first(x, own.x0, box.x0), static_cast<int>(x.stride)});
  };
  if (!own.empty()) {
    solver_.waves().any() ? decimate(solver_.waves().u_unscaled()) : decimate(solver_.u().ref());
  }
  exec_.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), decimated_);
  const double time = static_cast<double>(step) * shot_.setup.dt();
  if (sinks.snapshot) sinks.snapshot(step, time, host.data());
}

template <class Real>
bool Shot<Real>::finite(ShotOutcome& outcome, std::int64_t checked) {
  outcome.u = solver_.range();
  if (std::isfinite(outcome.u.min) && std::isfinite(outcome.u.max)) return true;
  const auto cell = solver_.first_non_finite();
  outcome.status = ShotOutcome::Status::not_finite;
  const std::string when = outcome.steps == checked + 1 ? fmt::format("step {}", outcome.steps)
                                                        : fmt::format("one of the steps {} to {}",
                                                                      checked + 1, outcome.steps);
  outcome.reason = fmt::format(
      "u is not finite since {}: after step {} first at cell x = {}, y = {}, z = {} (layers "
      "included){}",
      when, outcome.steps, cell[2], cell[1], cell[0],
      acoustic::overflow_remark(shot_.setup.storage, solver_.scale()));
  return false;
}

template <class Real>
ShotOutcome Shot<Real>::run(const ShotSinks<Real>& sinks, std::int64_t first) {
  const ProfilingRegion named("tessera::acoustic::shot");
  ShotOutcome outcome;
  outcome.first = outcome.steps = first;
  ShotTimes& times = outcome.times;
  PhaseClock clock(exec_);
  PhaseClock wall(exec_);
  wall.restart();
  const bool gathers = !shot_.receivers.empty();
  int rows = 0;                  // samples that are not handed over yet
  std::int64_t checked = first;  // steps known to be finite
  bool fine = true, stop = false, keep = false;
  for (std::int64_t updates = 0; outcome.steps < shot_.steps; ++updates) {
    // 1. The update, then the sources on u+, then u+ becomes u and is recorded: one step or several
    // at once, up to where samples or a snapshot go out: a shot that continues from a checkpoint
    // makes the same passes.
    const std::int64_t before = outcome.steps, every = shot_.snapshot_every;
    std::int64_t left =
        std::min<std::int64_t>(shot_.steps - before, kReceiverChunk - before % kReceiverChunk);
    if (every > 0) left = std::min(left, every - before % every);
    clock.begin_update(updates);
    const int made = advance(clock, times, before, left, rows);
    outcome.steps += made;
    rows += gathers ? made : 0;
    // 2. Rarely, and after the last step: is it still a wave? What is not is not shown.
    const bool last = outcome.steps == shot_.steps;
    stop = !last && sinks.stop && sinks.stop();
    keep = !last && sinks.state && (stop || sinks.wants_state(outcome.steps));
    if (last || stop || keep || outcome.steps / shot_.check_every > before / shot_.check_every) {
      clock.restart();
      fine = finite(outcome, checked);
      clock.lap(times.checks, true);
      if (fine) checked = outcome.steps;
    }
    // 3. Samples and snapshots go out.
    const bool full = rows > 0 && outcome.steps % kReceiverChunk == 0;
    const bool shows = every > 0 && outcome.steps % every == 0;
    if (fine && (full || shows)) {
      clock.restart();  // what is still under way is not I/O
      if (full) hand_over(sinks, rows);
      if (shows) snapshot(sinks, outcome.steps);
      if (full) rows = 0;
      clock.lap(times.io, true);
    }
    times.timed_steps += clock.timed() ? made : 0;
    if (!fine) break;
    // 4. What it takes to continue from here.
    if (keep) {
      clock.restart();
      if (rows > 0) hand_over(sinks, std::exchange(rows, 0));
      sinks.state(outcome.steps);
      clock.lap(times.io, true);
    }
    if (sinks.progress) sinks.progress(outcome.steps);
    if (stop) {
      outcome.status = ShotOutcome::Status::stopped;
      outcome.reason = fmt::format("interrupted after step {} of {}", outcome.steps, shot_.steps);
      break;
    }
  }
  clock.restart();
  if (rows > 0) hand_over(sinks, rows);
  clock.lap(times.io, true);
  wall.lap(times.wall, true);
  if (times.timed_steps > 0) {
    const double all =
        static_cast<double>(outcome.steps - first) / static_cast<double>(times.timed_steps);
    for (double* t : {&times.inner, &times.pml, &times.joint, &times.source_receivers}) *t *= all;
  }
  return outcome;
}

template class Shot<float>;
template class Shot<double>;

}  // namespace tessera::shot

// SPDX-License-Identifier: Apache-2.0
#include "shot/shot.hpp"

#include "grid/cell_policy.hpp"
#include "support/error.hpp"

#include <chrono>
#include <cmath>
#include <utility>

namespace tessera::acoustic {

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

/// A named region for profilers, closed at the end of the scope.
struct ProfilingRegion {
  explicit ProfilingRegion(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
  ProfilingRegion(const ProfilingRegion&) = delete;
  ProfilingRegion& operator=(const ProfilingRegion&) = delete;
  ~ProfilingRegion() { Kokkos::Profiling::popRegion(); }
};

template <class Real, class Values>
struct Decimate {
  FieldRef<const Real> u;
  Values values;  // [z][y][x]
  int z0, y0, x0, stride;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    values(z, y, x) = static_cast<float>(*u.at(z0 + z * stride, y0 + y * stride, x0 + x * stride));
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
Shot<Real>::Shot(const ShotCase& shot) : shot_(shot), solver_(shot.setup) {
  const Setup& s = shot.setup;
  const io::VelocityModel& model = shot.model;
  solver_.set_velocity([&](int z, int y, int x) { return model.at(z, y, x); });
  if (!shot.inner && solver_.makes_pairs(shot.how)) solver_.reserve_pairs();
  if (shot.inner) {
    shot.inner->make({s.n, s.dt(), s.h, shot.v.minimum, shot.v.maximum,
                      [&](int z, int y, int x) { return model.at(z, y, x); }},
                     inner_);
  }
  for (const ShotSource& source : shot.sources) {
    const Spread spread = spread_of(shot, source.station);
    const Box box = spread.box();
    std::vector<double> weights = spread.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto at = static_cast<int>(i);
      const double v_dt = model.at(box.z0 + at / box.nx() / box.ny(),
                                   box.y0 + at / box.nx() % box.ny(), box.x0 + at % box.nx()) *
                          s.dt();
      weights[i] *= v_dt * v_dt / (s.h[0] * s.h[1] * s.h[2]);
    }
    sources_.emplace_back(box, weights);
  }
  const auto receivers = shot.receivers.size();
  std::vector<Spread> spreads;
  for (const Station& station : shot.receivers) spreads.push_back(spread_of(shot, station));
  receivers_ = std::make_unique<Receivers<Real>>(spreads, solver_.u());
  samples_ = decltype(samples_)("tessera::acoustic::receivers::samples", kReceiverChunk, receivers);
  if (shot.snapshot_every > 0) {
    decimated_ = decltype(decimated_)("tessera::acoustic::snapshot::values", shot.snapshot_z.count,
                                      shot.snapshot_y.count, shot.snapshot_x.count);
  }
}

template <class Real>
std::string Shot<Real>::operator_remark() const {
  return inner_ ? inner_->remark() : "";
}

template <class Real>
void Shot<Real>::update(PhaseClock& clock, ShotTimes& times) {
  if (shot_.setup.decomposition == Decomposition::seven_concurrent) {
    const ProfilingRegion named("tessera::acoustic::regions");
    solver_.update(exec_, shot_.how);
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
int Shot<Real>::advance(PhaseClock& clock, ShotTimes& times, std::int64_t step) {
  if (!inner_ && step + 1 < shot_.steps && solver_.makes_pairs(shot_.how)) {
    std::vector<PairSource> pair;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      pair.push_back({&sources_[i], amplitude(i, step), amplitude(i, step + 1)});
    }
    solver_.advance_pair(exec_, shot_.how, pair);
    clock.lap(times.joint);
    return 2;
  }
  update(clock, times);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    solver_.inject(exec_, sources_[i], amplitude(i, step));
  }
  solver_.advance();
  return 1;
}

template <class Real>
void Shot<Real>::hand_over(const ShotSinks<Real>& sinks, int rows) {
  const ProfilingRegion named("tessera::acoustic::shot::gather");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples_);
  if (sinks.gather) sinks.gather(host.data(), rows);
}

template <class Real>
void Shot<Real>::snapshot(const ShotSinks<Real>& sinks, const Field<Real>& u, std::int64_t step) {
  const ProfilingRegion named("tessera::acoustic::shot::snapshot");
  const auto& z = shot_.snapshot_z;
  const auto& y = shot_.snapshot_y;
  const auto& x = shot_.snapshot_x;
  const Extents samples{static_cast<int>(z.count), static_cast<int>(y.count),
                        static_cast<int>(x.count)};
  Kokkos::parallel_for(
      "tessera::acoustic::snapshot::decimate", cells_of(exec_, whole(samples)),
      Decimate<Real, decltype(decimated_)>{u.ref(), decimated_, static_cast<int>(z.first),
                                           static_cast<int>(y.first), static_cast<int>(x.first),
                                           static_cast<int>(x.stride)});
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
      "included)",
      when, outcome.steps, cell[2], cell[1], cell[0]);
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
    // 1. The update, then the sources on u+, then u+ becomes u. A variant may make two steps.
    clock.begin_update(updates);
    const int made = advance(clock, times, outcome.steps);
    const std::int64_t before = outcome.steps;
    outcome.steps += made;
    // 2. Each step is recorded, and goes out.
    for (int k = 1; k <= made; ++k) {
      const Field<Real>& u = k < made ? solver_.next() : solver_.u();
      if (gathers) receivers_->sample(exec_, u, samples_, rows++);
      clock.lap(times.source_receivers);
      const bool full = rows == kReceiverChunk;
      const bool shows = shot_.snapshot_every > 0 && (before + k) % shot_.snapshot_every == 0;
      // Rarely, and after the last step: is it still a wave? What is not is not shown.
      if (k == made) {
        const bool last = outcome.steps == shot_.steps;
        stop = !last && sinks.stop && sinks.stop();
        keep = !last && sinks.state && (stop || sinks.wants_state(outcome.steps));
        if (last || stop || keep ||
            outcome.steps / shot_.check_every > before / shot_.check_every) {
          clock.restart();
          fine = finite(outcome, checked);
          clock.lap(times.checks, true);
          if (!fine) break;
          checked = outcome.steps;
        }
      }
      if (full || shows) {
        clock.restart();  // what is still under way is not I/O
        if (full) hand_over(sinks, rows);
        if (shows) snapshot(sinks, u, before + k);
        if (full) rows = 0;
        clock.lap(times.io, true);
      }
    }
    times.timed_steps += clock.timed() ? made : 0;
    if (!fine) break;
    // 3. What it takes to go on from here.
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

}  // namespace tessera::acoustic

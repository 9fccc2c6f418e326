// SPDX-License-Identifier: Apache-2.0
// A shot: sources, a time loop with any variant, receivers and snapshots, each phase timed.
#pragma once

#include "program/shot/deck.hpp"
#include "program/shot/ranks.hpp"
#include "variants/acoustic/case/solver.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tessera::shot {

/// Steps whose receiver samples are collected where kernels run before they are copied out.
inline constexpr int kReceiverChunk = 100;

/// On a device phases are timed, with a fence after each, in one step of so many: a fence costs a
/// launch latency, several a step. On a host a fence is nearly free and every step is timed.
inline constexpr int kTimedEvery = kOnDevice ? 20 : 1;

/// Who takes what the shot produces, on the host, as the run goes. Any may be empty. With several
/// ranks gather is called on the first alone, and an error there is thrown on all; the others are
/// called on all, and throw on all if on any.
template <class Real>
struct ShotSinks {
  /// samples[step * receivers + receiver] of the next `steps` time steps.
  std::function<void(const Real* samples, std::int64_t steps)> gather;
  /// The decimated field after `step` steps: values[z][y][x] of snapshot_box_of() the shot.
  std::function<void(std::int64_t step, double time, const float* values)> snapshot;
  /// After `step` steps; called between any two steps.
  std::function<void(std::int64_t step)> progress;
  /// Called between any two steps: true ends the run.
  std::function<bool()> stop;
  /// Called between any two steps, `step` of them done: true requests state() now.
  std::function<bool(std::int64_t step)> wants_state;
  /// The fields after `step` steps are those of the shot's solver, and all samples are handed over:
  /// what it takes to continue later. Also called where stop() ends the run.
  std::function<void(std::int64_t step)> state;
};

/// Seconds by phase. Inner cells and PML have one time, `joint`, where they cannot be
/// distinguished: `single` updates both in one kernel, a concurrent decomposition in kernels that
/// may overlap, and a variant that makes several steps at once updates cells of both together.
struct ShotTimes {
  double inner = 0, pml = 0, joint = 0;
  double source_receivers = 0;
  double checks = 0;             ///< searches for values that are not finite
  double io = 0;                 ///< copies to the host, conversion, files
  double wall = 0;               ///< of the time loop
  std::int64_t timed_steps = 0;  ///< steps that the first four were measured on, then scaled

  [[nodiscard]] double kernels() const { return inner + pml + joint; }
};

/// How a shot ended.
struct ShotOutcome {
  enum class Status { complete, stopped, not_finite };
  Status status = Status::complete;
  std::string reason;      ///< why it did not complete
  std::int64_t steps = 0;  ///< steps done, those before a restart too
  std::int64_t first = 0;  ///< of them those before it: `times` are of the others
  ShotTimes times;
  ValueRange u;  ///< of the last field
};

/// "complete", "interrupted" or "failed".
[[nodiscard]] std::string to_string(ShotOutcome::Status status);

class PhaseClock;

/// The fields and buffers of a shot.
template <class Real>
class Shot {
 public:
  /// Allocates and copies the velocity to where kernels run; shot.model is no longer needed then.
  /// `shot` must outlive this. With several ranks each has its part of the fields and of the
  /// velocity; all make a Shot and run it.
  explicit Shot(const ShotCase& shot);

  /// Runs all steps, from fields at rest or, with `first` steps done, from those that solver() was
  /// set to. Sample k of the gather is u at (k + 1) dt. Each source
  /// adds (V dt)^2 f(t) / (hx hy hz), spread over its cells, so that in a uniform medium u = f(t -
  /// r/V) / (4 pi r), whatever the time step. Stops at values that are not finite, found at most
  /// check_every steps late; what was recorded has then been handed over. Errors of the sinks pass
  /// through.
  ShotOutcome run(const ShotSinks<Real>& sinks, std::int64_t first = 0);

  [[nodiscard]] const acoustic::Solver<Real>& solver() const { return solver_; }
  [[nodiscard]] acoustic::Solver<Real>& solver() { return solver_; }
  /// Enqueues the update of all cells, exchange included, without sources: u+ is then in the
  /// solver's next().
  void update(const ExecSpace& exec) const;
  /// One line on the operator of the inner region; empty for finite differences.
  [[nodiscard]] std::string operator_remark() const;

 private:
  using Memory = ExecSpace::memory_space;

  /// Finds the sources', the receivers' and the snapshot's cells among this rank's.
  void take_own();
  void update(PhaseClock& clock, ShotTimes& times);
  /// Enqueues at most `left` steps from number `step` on, as many as the variant makes at once,
  /// with sources and receivers, whose samples go to row `row` of the buffer and the next ones.
  /// Returns how many.
  int advance(PhaseClock& clock, ShotTimes& times, std::int64_t step, std::int64_t left, int row);
  /// What a source is driven with in a step: f(t).
  [[nodiscard]] double amplitude(std::size_t source, std::int64_t step) const;
  void hand_over(const ShotSinks<Real>& sinks, int rows);
  void snapshot(const ShotSinks<Real>& sinks, std::int64_t step);
  [[nodiscard]] bool finite(ShotOutcome& outcome, std::int64_t checked);

  const ShotCase& shot_;
  ExecSpace exec_;
  acoustic::Solver<Real> solver_;
  std::unique_ptr<InnerOperator<Real>> inner_;  // of the inner region; null: solver_'s own
  std::vector<acoustic::SourceCells> sources_;  // their weights times (V dt)^2 / (hx hy hz)
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> samples_;  // [kReceiverChunk][receivers]
  Kokkos::View<float***, Kokkos::LayoutRight, Memory> decimated_;
  // Of several ranks: whose receivers these are, rank after rank, on the first.
  std::vector<int> order_;
  std::vector<int> split_numbers_;  // receivers that several ranks have cells of
  SplitReceivers<Real> split_;      // on the first rank
  Box snapshot_box_;
};

extern template class Shot<float>;
extern template class Shot<double>;

}  // namespace tessera::shot

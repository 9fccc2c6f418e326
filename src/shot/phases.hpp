// SPDX-License-Identifier: Apache-2.0
// What a step of a shot on several ranks consists of.
#pragma once

#include "shot/shot.hpp"

#include <string>
#include <vector>

namespace tessera::acoustic {

/// Seconds a step, rank after rank, and what they add up to. On the first rank; empty on others.
struct ShotPhases {
  std::vector<double> compute, pack, exchange;  ///< each by itself
  std::vector<double> bytes_sent, messages_sent;
  double exposed = 0;  ///< what a step of the shot took longer than the busiest rank's computation
  double imbalance = 0;  ///< the busiest rank's computation over the mean, less one
};

/// Collective, of several ranks. Times the phases of a shot that is complete, whose steps took
/// `step_s` seconds each in their kernels: updates without exchange, exchanges by themselves, and
/// what they pack. Overwrites u and next().
template <class Real>
[[nodiscard]] ShotPhases measure_phases(const ShotCase& shot, Solver<Real>& solver, double step_s);

}  // namespace tessera::acoustic

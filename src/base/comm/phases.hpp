// SPDX-License-Identifier: Apache-2.0
// What a step on several ranks consists of, measured: the same for cases and for shots.
#pragma once

#include "base/comm/halo.hpp"

#include <functional>
#include <vector>

namespace tessera::comm {

/// Seconds a step, rank after rank, and what they add up to.
struct StepPhases {
  std::vector<double> compute, pack, exchange;  ///< each by itself
  std::vector<double> hidden;                   ///< of an exchange
  std::vector<double> bytes_sent, messages_sent;
  double exposed = 0;    ///< what a step takes longer than the busiest rank's computation
  double imbalance = 0;  ///< the busiest rank's computation over the mean, less one
};

/// What is timed.
struct PhaseSteps {
  std::function<void(const ExecSpace&)> make;  ///< enqueues the steps of a sample
  double count = 1;                            ///< how many these are
  double an_exchange = 1;                      ///< steps that one exchange serves
  double step_s = 0;                           ///< of a step, as it was measured
};

/// Collective, of several ranks: on each the steps of a sample without exchange, exchanges by
/// themselves, and what they pack by itself, each many times between two fences, as samples are.
/// On the first rank; empty on others. Leaves halos as they came.
[[nodiscard]] StepPhases measure_phases(const Ranks& ranks, Halo& halo, const PhaseSteps& steps);

}  // namespace tessera::comm

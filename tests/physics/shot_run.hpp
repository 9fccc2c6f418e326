// SPDX-License-Identifier: Apache-2.0
// What the physics tests of shots share: a deck's traces, in the deck's precision.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "cases/acoustic_shot.hpp"
#include "error.hpp"

namespace tessera::acoustic {

/// Traces of a shot in double precision: trace[receiver][step], sample k at (k + 1) dt.
struct Traces {
  double dt = 0;
  std::vector<std::vector<double>> u;
};

/// Runs the shot that a deck's text describes; its precision must be "double".
inline Traces run_deck(const std::string& text) {
  const io::Deck deck = io::Deck::from_string(text);
  ShotCase shot = read_shot(deck);
  load_velocity(deck, shot);
  deck.reject_unknown();
  Traces traces{shot.setup.dt(), {}};
  traces.u.resize(shot.receivers.size());
  ShotSinks<double> sinks;
  sinks.gather = [&](const double* samples, std::int64_t steps) {
    for (std::int64_t step = 0; step < steps; ++step)
      for (auto& trace : traces.u) trace.push_back(*samples++);
  };
  Shot<double> run(shot);
  const ShotOutcome outcome = run.run(sinks);
  require(outcome.status == ShotOutcome::Status::complete, "{}", outcome.reason);
  return traces;
}

/// sqrt(sum (a - b)^2 / sum b^2)
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference / norm);
}

}  // namespace tessera::acoustic

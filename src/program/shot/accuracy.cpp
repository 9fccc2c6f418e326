// SPDX-License-Identifier: Apache-2.0
#include "program/shot/accuracy.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/shot/shot.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace tessera::shot {
namespace {

/// Share of the strongest trace's norm below which a trace is not compared.
constexpr double kFaintTrace = 1e-4;

/// Energy of a trace up to a frequency, times the number of its samples: by Parseval's theorem, of
/// the first `count` terms of its Fourier series.
double energy_in_band(const std::vector<double>& trace, std::size_t count,
                      const std::vector<std::complex<double>>& turns) {
  const std::size_t n = trace.size();
  double sum = 0;
  for (std::size_t k = 0; k < std::min(count, n / 2 + 1); ++k) {
    std::complex<double> term = 0;
    for (std::size_t i = 0, at = 0; i < n; ++i, at = (at + k) % n) term += trace[i] * turns[at];
    sum += (k == 0 ? 1 : 2) * std::norm(term);
  }
  return sum;
}

/// The samples of a shot's first steps; of several ranks on the first alone.
template <class Real>
std::vector<float> traces_of(const ShotCase& shot) {
  std::vector<float> traces;
  ShotSinks<Real> sinks;
  sinks.gather = [&](const Real* samples, std::int64_t steps) {
    const auto count = static_cast<std::size_t>(steps) * shot.receivers.size();
    traces.insert(traces.end(), samples, samples + count);
  };
  const ShotOutcome outcome = Shot<Real>(shot).run(sinks);
  require(outcome.status == ShotOutcome::Status::complete, "accuracy: {}", outcome.reason);
  return traces;
}

}  // namespace

nlohmann::json compare_traces(const std::vector<float>& rounded, const std::vector<float>& exact,
                              std::size_t receivers, double dt, double band_hz) {
  const std::size_t steps = exact.size() / receivers;
  const auto terms =
      static_cast<std::size_t>(band_hz * dt * static_cast<double>(steps)) + 1;  // 0, 1/T, ...
  std::vector<std::complex<double>> turns;
  for (std::size_t i = 0; i < steps; ++i) {
    turns.push_back(std::polar(
        1.0, 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(steps)));
  }
  std::vector<double> norms(receivers), trace(steps), difference(steps);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    norms[i % receivers] += std::pow(static_cast<double>(exact[i]), 2);
  }
  const double least = *std::max_element(norms.begin(), norms.end()) * kFaintTrace * kFaintTrace;
  double raw = 0, in_band = 0;
  std::size_t compared = 0, worst = 0;
  for (std::size_t r = 0; r < receivers; ++r) {
    if (norms[r] == 0 || norms[r] < least) continue;
    double sum = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      trace[i] = exact[i * receivers + r];
      difference[i] = rounded[i * receivers + r] - trace[i];
      sum += difference[i] * difference[i];
    }
    const double error = std::sqrt(sum / norms[r]);
    if (++compared == 1 || error > raw) worst = r + 1;
    raw = std::max(raw, error);
    const double band = energy_in_band(trace, terms, turns);
    if (band > 0)
      in_band = std::max(in_band, std::sqrt(energy_in_band(difference, terms, turns) / band));
  }
  return {{"steps", steps},    {"receivers", compared}, {"raw", raw},
          {"receiver", worst}, {"in_band", in_band},    {"band_hz", band_hz}};
}

nlohmann::json measure_accuracy(const ShotCase& of) {
  if (of.accuracy_steps == 0 || !of.rounds() || of.receivers.empty()) return nullptr;
  ShotCase shot = of;
  const auto traces = [&] {
    return shot.value_bytes() == 4 ? traces_of<float>(shot) : traces_of<double>(shot);
  };
  shot.steps = std::min(shot.steps, shot.accuracy_steps);
  shot.snapshot_every = 0;
  say("accuracy: {} steps with fields rounded and as they are\n", shot.steps);
  flush_output();
  const std::vector<float> rounded = traces();
  shot.setup.storage = Storage::plain;
  shot.setup.vp_storage = VpStorage::field;
  const std::vector<float> exact = traces();
  if (!shot.parallel.ranks.first()) return nullptr;
  nlohmann::json found = compare_traces(rounded, exact, shot.receivers.size(), shot.setup.dt(),
                                        shot.highest_frequency());
  say("accuracy: the worst of {} receivers is off by {:.2g} of its trace, by {:.2g} up to {:g} "
      "Hz\n",
      found["receivers"].get<int>(), found["raw"].get<double>(), found["in_band"].get<double>(),
      found["band_hz"].get<double>());
  return found;
}

}  // namespace tessera::shot

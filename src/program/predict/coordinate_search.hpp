// SPDX-License-Identifier: Apache-2.0
// The search that fits the models' constants to runs.
#pragma once

#include "program/results/machine_file.hpp"

#include <functional>
#include <vector>

namespace tessera::model {

/// A constant that is searched for, and the range in which it has a meaning.
struct Parameter {
  machine::MaybeNumber machine::ModelConstants::*member;
  double lowest, highest;
};

/// Moves each parameter in turn by a factor up and down, from `factor` on, which shrinks where
/// nothing makes the error smaller by `gain` any more. Deterministic, and good for a dozen
/// parameters; all of them have a value.
void search(machine::ModelConstants& constants, const std::vector<Parameter>& parameters,
            const std::function<double(const machine::ModelConstants&)>& error, double factor,
            double gain);

/// Three digits: more are not in the runs.
[[nodiscard]] double rounded(double value);

}  // namespace tessera::model

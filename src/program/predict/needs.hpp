// SPDX-License-Identifier: Apache-2.0
// Constants that a model cannot do without.
#pragma once

#include "base/support/error.hpp"
#include "program/predict/kernel.hpp"

namespace tessera::model {

/// Reads a machine's constants for one of the models. Throws Error naming what is missing.
struct Needs {
  const MachineModel& target;
  const char* model;  ///< "device model"

  double operator()(const machine::MaybeNumber& value, const char* key) const {
    require(value.has_value(), "machine {}: the {} requires model.{}", target.name, model, key);
    return *value;
  }
  void clock() const {
    require(target.clock_hz > 0, "machine {}: the {} requires clock_ghz", target.name, model);
  }
};

}  // namespace tessera::model

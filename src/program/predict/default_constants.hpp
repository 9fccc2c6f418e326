// SPDX-License-Identifier: Apache-2.0
// Constants of the models where a machine's file lacks some: those of a shipped machine of its
// kind, which predictions name.
#pragma once

#include "program/results/machine_file.hpp"

#include <string>

namespace tessera::model {

/// The model that a machine's file names. Where it names none: of a GPU the device model, of a CPU
/// whose ports and clock are known the host model, of another the traffic model.
[[nodiscard]] std::string model_of(const machine::Machine& machine);

/// Whose constants a machine is given, by its model. Device: H100. Traffic: A100, or of a CPU
/// KNL7250, whose are of bandwidths alone. Host: the Zen 4 host with vectors as wide.
[[nodiscard]] std::string lender_of(const machine::Machine& machine);

/// The constants of a shipped machine. Throws Error where its file is not found.
[[nodiscard]] machine::ModelConstants constants_of_machine(const std::string& name);

/// A machine's own constants and, for those it lacks, its lender's; of Su's formulas the K20's.
struct Constants {
  machine::ModelConstants values;
  std::string defaults_of;  ///< the lender, where something was missing
};
/// Throws Error where the file of the K20 or of the lender is not found.
[[nodiscard]] Constants completed_constants(const machine::Machine& machine);

}  // namespace tessera::model

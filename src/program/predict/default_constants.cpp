// SPDX-License-Identifier: Apache-2.0
#include "program/predict/default_constants.hpp"

#include "base/support/data_directory.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace tessera::model {

std::string model_of(const machine::Machine& machine) {
  if (!machine.predicted_by.empty()) return machine.predicted_by;
  if (machine.kind == "gpu") return machine::kDeviceModel;
  const bool ports = machine.model.port_share || !machine.core.empty();
  return ports && machine.clock_ghz ? machine::kHostModel : machine::kTrafficModel;
}

std::string lender_of(const machine::Machine& machine) {
  const std::string model = model_of(machine);
  if (model == machine::kDeviceModel) return "H100";
  if (model == machine::kTrafficModel) return machine.kind == "gpu" ? "A100" : "KNL7250";
  double widest = machine.model.vector_bytes.value_or(0);
  for (const machine::CoreWidth& core : machine.core) {
    widest = std::max(widest, core.vector_bytes.value_or(0));
  }
  constexpr double kAvx2Bytes = 32;
  return widest > kAvx2Bytes ? "Zen4-AVX512" : "Zen4-AVX2";
}

machine::ModelConstants constants_of_machine(const std::string& name) {
  static std::mutex guard;
  static std::map<std::string, machine::ModelConstants> known;
  const std::lock_guard lock(guard);
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  machine::ModelConstants constants = machine::read_machine(find_input(kMachineFile, name)).model;
  // How well they fit is that machine's own.
  constants.time_residual = constants.volume_residual = constants.runs = std::nullopt;
  return known.emplace(name, constants).first->second;
}

Constants completed_constants(const machine::Machine& machine) {
  Constants all{machine.model, ""};
  // Su's are his paper's, whose GPU is a K20.
  const machine::ModelConstants su = constants_of_machine("K20");
  for (auto member : {&machine::ModelConstants::delta, &machine::ModelConstants::epsilon,
                      &machine::ModelConstants::eta}) {
    if (!(all.values.*member)) all.values.*member = su.*member;
  }
  const std::string lender = lender_of(machine);
  if (machine::fill_missing(all.values, constants_of_machine(lender))) all.defaults_of = lender;
  return all;
}

}  // namespace tessera::model

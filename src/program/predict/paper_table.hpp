// SPDX-License-Identifier: Apache-2.0
// Su's model of one configuration, line by line.
#pragma once

#include "base/case/case.hpp"
#include "base/registry/registry.hpp"
#include "program/measure/kernel_resources.hpp"
#include "program/predict/machine_model.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Table 2 of the paper with a configuration's numbers filled in, region by region, each with the
/// sums that follow from it: (2), (18), and, where it applies, the refined model.
[[nodiscard]] std::string explained(const Case& c, const Selected& how,
                                    const std::string& decomposition,
                                    const model::MachineModel& target,
                                    const std::vector<measure::KernelResources>& registers);

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Predictions as people read them, and Su's model of one configuration line by line.
#pragma once

#include "base/case/case.hpp"
#include "base/registry/registry.hpp"
#include "program/measure/kernel_resources.hpp"
#include "program/predict/machine_model.hpp"
#include "program/predict/predict.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/published.hpp"

#include <string>
#include <vector>

namespace tessera {

/// A case's predictions: Su's formulas as printed, then the refined model.
[[nodiscard]] std::string prediction_tables(const Case& c, const std::vector<PredictedRow>& rows,
                                            const machine::Machine& machine);

/// Every quantity of a published table that the models say something of, beside what they say and,
/// where the column is of this machine, the ratio.
[[nodiscard]] std::string beside_published(const Case& c, const std::vector<PredictedRow>& rows,
                                           const results::Published& published,
                                           const machine::Machine& machine);

/// Table 2 of the paper with a configuration's numbers filled in, region by region, each with the
/// sums that follow from it: (2), (18), and, where it applies, the refined model.
[[nodiscard]] std::string explained(const Case& c, const Selected& how,
                                    const std::string& decomposition,
                                    const model::MachineModel& target,
                                    const std::vector<measure::KernelResources>& registers);

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Predictions as people read them.
#pragma once

#include "base/case/case.hpp"
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

}  // namespace tessera

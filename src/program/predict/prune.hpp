// SPDX-License-Identifier: Apache-2.0
// A search that runs only what the models predict to be near the best, and what it would have cost
// and lost on stored results.
#pragma once

#include "program/predict/errors.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Which of the predicted times are within `factor` of the least. A time of 0, not predicted, is
/// kept.
[[nodiscard]] std::vector<bool> within(const std::vector<double>& predicted_s, double factor);

/// On stored rows, what a search within `factor` (1 or more) of the least predicted time would have
/// run and lost: groups are a file's rows of one stencil, precision, decomposition and grid.
struct PruneRecord {
  int groups = 0, same_winner = 0;  ///< of two rows or more; the fastest row was among the kept
  int rows = 0, kept = 0;
  double worst_loss = 0;  ///< of the fastest kept over the fastest, less 1
};
[[nodiscard]] PruneRecord prune_record(const JudgedStudy& study, double factor);

}  // namespace tessera

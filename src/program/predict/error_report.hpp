// SPDX-License-Identifier: Apache-2.0
// Errors of predictions as people and programs read them.
#pragma once

#include "program/predict/errors.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace tessera {

/// `prune`: the factor of the pruned search that is reported.
struct ErrorReport {
  std::string machine;
  std::size_t worst = 5;  ///< rows a family that are named
  double prune = 1.2;
};

/// Name, errors by family, rank, the worst rows with what binds them, the pruned search, and the
/// rows that are left out.
[[nodiscard]] std::string error_table(const JudgedStudy& study, const StoredStudy& stored,
                                      const ErrorReport& how);

/// The same as JSON: schema, machine, families, worst rows, prune.
[[nodiscard]] nlohmann::json error_json(const JudgedStudy& study, const StoredStudy& stored,
                                        const ErrorReport& how);

}  // namespace tessera

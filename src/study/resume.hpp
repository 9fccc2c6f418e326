// SPDX-License-Identifier: Apache-2.0
// What a run keeps of an earlier one that did not come to its end.
#pragma once

#include "results/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

/// Rows of the earlier run, and what to say of them.
struct Resumed {
  std::vector<measure::Result> kept;
  std::string begun;   ///< the earlier run's date; empty where nothing is kept
  std::string remark;  ///< one line: how many rows are kept, or why none
};

/// What of `earlier` holds for a run whose file begins as `now` does: valid rows with all
/// `repetitions`, and those that cannot run here, if deck (but for its selection and output),
/// binary and machine are the same.
[[nodiscard]] Resumed resume(const measure::ResultFile& earlier, const measure::ResultFile& now,
                             int repetitions, const std::filesystem::path& path);

}  // namespace tessera

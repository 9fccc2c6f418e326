// SPDX-License-Identifier: Apache-2.0
// What a run keeps of an earlier one that did not come to its end.
#pragma once

#include "results/result.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// Rows of the earlier run, and what to say of them.
struct Resumed {
  std::vector<results::Result> kept;        ///< selected and finished: not measured again
  std::vector<results::Result> unfinished;  ///< selected and measured in part: measured again
  std::vector<results::Result> others;      ///< not selected: they stay as they are
  std::string begun;                        ///< the earlier run's date; empty where nothing is kept
  std::string remark;                       ///< one line: how many rows are kept, or why none
};

/// What the run that resumes is about.
struct Resuming {
  int repetitions = 5;
  int ranks = 1;
  std::function<bool(const results::Result&)> is_selected;
};

/// What of `earlier`, which was read from `path`, holds for a run whose file begins as `now` does:
/// all of it, if deck (but for its selection and output), binary, machine and number of ranks are
/// the same. A row is finished that is valid with all repetitions, or cannot run here.
[[nodiscard]] Resumed resume(const results::ResultFile& earlier, const results::ResultFile& now,
                             const std::filesystem::path& path, const Resuming& run);

}  // namespace tessera

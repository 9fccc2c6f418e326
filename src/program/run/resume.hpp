// SPDX-License-Identifier: Apache-2.0
// What a run keeps of an earlier one that did not come to its end.
#pragma once

#include "program/results/result.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// What the run that resumes is about.
struct Resuming {
  int repetitions = 5;
  std::function<bool(const results::Result&)> is_selected;
};

/// Rows of the earlier run, and what to say of them.
struct Resumed {
  std::vector<results::Result> kept;        ///< selected and finished: not measured again
  std::vector<results::Result> unfinished;  ///< selected and measured in part: measured again
  std::vector<results::Result> others;      ///< not selected: they stay as they are
  std::string begun;                        ///< the earlier run's date; empty where nothing is kept
  std::string remark;                       ///< one line: how many rows are kept, or why none
};

/// What must be equal in a run that is continued (run.json): deck (but for its selection, output
/// and number of repetitions), binary, machine, its threads and what they run on, ranks and
/// transport.
[[nodiscard]] nlohmann::json run_identity(const results::ResultFile& file, int ranks,
                                          const std::string& transport);

/// Sorts the rows of the earlier file, which `source` names. A row is finished that is valid with
/// all repetitions, or cannot run here.
[[nodiscard]] Resumed resume(const results::ResultFile& earlier, const std::string& source,
                             const Resuming& run);

}  // namespace tessera

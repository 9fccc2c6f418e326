// SPDX-License-Identifier: Apache-2.0
// What a run keeps of an earlier one that did not come to its end.
#pragma once

#include "program/results/result.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// What the run that resumes is about.
struct Resuming {
  int repetitions = 5;
  int ranks = 1;
  std::string transport;  ///< between the ranks; empty: one alone
  std::function<bool(const results::Result&)> is_selected;
  bool judges = true;  ///< says what differs: of several ranks the first one does
};

/// What earlier runs left: the result file, what a killed run left beside it, or both as one.
struct Earlier {
  results::ResultFile file;
  std::string source;  ///< the names of what was read
};

/// Rows of the earlier run, and what to say of them.
struct Resumed {
  std::vector<results::Result> kept;        ///< selected and finished: not measured again
  std::vector<results::Result> unfinished;  ///< selected and measured in part: measured again
  std::vector<results::Result> others;      ///< not selected: they stay as they are
  std::string begun;                        ///< the earlier run's date; empty where nothing is kept
  std::string remark;                       ///< one line: how many rows are kept, or why none
};

/// Why nothing of `earlier` holds for a run whose file begins as `now` does, with both values;
/// empty where deck (but for its selection, output and number of repetitions), binary, machine, its
/// threads and what they run on, ranks and their transport are the same. What older files do not
/// tell of the CPUs is not asked.
[[nodiscard]] std::string difference(const results::ResultFile& earlier,
                                     const results::ResultFile& now, const Resuming& run);

/// Reads what is there of `json` and of its part file; of a configuration that is in both the row
/// that is finished, or has more samples, is taken. A file whose place a killed run of this kind
/// was to take is passed over where it is of another run or none. Throws Error where what is there
/// is no result file or, with its difference(), of another run.
[[nodiscard]] Earlier read_earlier(const std::filesystem::path& json,
                                   const results::ResultFile& now, const Resuming& run);

/// Sorts the rows of `earlier`. A row is finished that is valid with all repetitions, or cannot run
/// here.
[[nodiscard]] Resumed resume(const Earlier& earlier, const Resuming& run);

}  // namespace tessera

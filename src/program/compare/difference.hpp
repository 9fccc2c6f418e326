// SPDX-License-Identifier: Apache-2.0
// A run beside stored runs of the same machine, row by row: what became faster, slower, or is the
// same.
#pragma once

#include "program/results/result.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tessera::compare {

/// What is compared and what counts as a difference.
struct DifferenceOptions {
  double tolerance = 0.03;   ///< of the rate: smaller differences are none
  bool absolute = false;     ///< GCell/s; else shares of each run's own copy bandwidth
  bool any_machine = false;  ///< also with stored files of other machines
};

/// A result file that was stored, and what it is called.
struct StoredFile {
  std::string name;
  results::ResultFile file;
};

/// What became of a row.
enum class Verdict { same, faster, slower, lost, gained, never };

/// "same", "faster", "slower"; "lost": was valid and is not; "gained": is valid and was not;
/// "never": valid in neither.
[[nodiscard]] std::string to_string(Verdict verdict);

struct RowDifference {
  std::string name;   ///< variant, configuration, decomposition, stencil, precision, size
  double before = 0;  ///< median GCell/s; 0 where it is not valid
  double after = 0;
  double ratio = 1;   ///< after over before, by what is compared
  double spread = 0;  ///< what the samples of both runs leave open, as a fraction
  Verdict verdict = Verdict::same;
  std::string reason;        ///< why it is valid no more; else empty
  std::string stored, date;  ///< file that holds the row before, and when that ran
};

struct Difference {
  std::vector<RowDifference> rows;  ///< those that are stored, in the run's order
  std::size_t only_before = 0, only_after = 0;
  std::string measure;        ///< "GCell/s" or "share of copy"
  std::string before, after;  ///< when, and with which revision of the code, either side ran
  std::vector<std::string> remarks;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

/// Sets each row of a run beside the stored row of the same stencil, variant, configuration,
/// decomposition, precision, model, grid and steps; of several stored ones the newest valid one
/// counts. A row differs where the ratio of its medians is further from 1 than the tolerance and
/// than the spread: half the inter-quartile ranges of the samples, and, of shares, half the ranges
/// of the copy bandwidths, of both runs together, over the medians. A stored file that holds the
/// run itself (its date and its samples, under whatever name) is left out, and a remark says so.
/// Throws Error where no other stored file is of a machine like the run's, or none has a row in
/// common with it.
[[nodiscard]] Difference difference(const std::vector<StoredFile>& stored,
                                    const results::ResultFile& run,
                                    const DifferenceOptions& options);

[[nodiscard]] std::string format_difference(const Difference& found);
[[nodiscard]] nlohmann::json to_json(const Difference& found);

}  // namespace tessera::compare

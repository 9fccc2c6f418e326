// SPDX-License-Identifier: Apache-2.0
// Two result files of one machine, row by row: what became faster, slower, or is the same.
#pragma once

#include "results/result.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tessera::compare {

/// What is compared and what counts as a difference.
struct DifferenceOptions {
  double tolerance = 0.03;  ///< of the rate: smaller differences are none
  bool absolute = false;    ///< GCell/s; else shares of each run's own copy bandwidth
};

/// What became of a row.
enum class Verdict { same, faster, slower, lost, gained };

/// "same", "faster", "slower"; "lost": was valid and is not; "gained": is valid and was not.
[[nodiscard]] std::string to_string(Verdict verdict);

struct RowDifference {
  std::string name;   ///< variant, configuration, decomposition, stencil, precision, size
  double before = 0;  ///< median GCell/s; 0 where it is not valid
  double after = 0;
  double ratio = 1;   ///< after over before, by what is compared
  double spread = 0;  ///< half the inter-quartile ranges of both runs together, over the median
  Verdict verdict = Verdict::same;
};

struct Difference {
  std::vector<RowDifference> rows;  ///< those in both files, in the second one's order
  std::size_t only_before = 0, only_after = 0;
  std::string measure;  ///< "GCell/s" or "share of copy"
  std::vector<std::string> remarks;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

/// Compares rows of the same stencil, variant, configuration, decomposition, precision, grid and
/// steps. A row differs where the ratio of its medians is further from 1 than the tolerance and
/// than the spread of the samples of both runs. Throws Error where the files are of two machines or
/// have no row in common.
[[nodiscard]] Difference difference(const measure::ResultFile& before,
                                    const measure::ResultFile& after,
                                    const DifferenceOptions& options);

[[nodiscard]] std::string format_difference(const Difference& found);
[[nodiscard]] nlohmann::json to_json(const Difference& found);

}  // namespace tessera::compare

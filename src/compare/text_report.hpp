// SPDX-License-Identifier: Apache-2.0
// A comparison as a terminal shows it.
#pragma once

#include "compare/comparison.hpp"

#include <string>

namespace tessera::compare {

/// What of a comparison is shown.
struct ReportOptions {
  bool configurations = false;  ///< a line a configuration too, the same on all platforms
  bool cascade = false;         ///< the cascade of each variant
  bool summary = false;         ///< platforms, remarks and families alone
};

/// Platforms and remarks; for each problem its table, Phi over each set, ranks and the one variant
/// to take; then each family's Phi. Ends with a newline.
[[nodiscard]] std::string format_report(const Comparison& all, const ReportOptions& options);

}  // namespace tessera::compare

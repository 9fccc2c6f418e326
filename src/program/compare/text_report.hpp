// SPDX-License-Identifier: Apache-2.0
// A comparison as a terminal shows it.
#pragma once

#include "program/compare/comparison.hpp"

#include <cstddef>
#include <string>

namespace tessera::compare {

/// What of a comparison is shown.
struct ReportOptions {
  bool configurations = false;  ///< a line a configuration too, the same on all platforms
  bool cascade = false;         ///< the cascade of each variant
  bool wide = false;            ///< tiles too, and each table in one piece
  std::size_t width = 80;       ///< of the terminal, unless `wide`
  bool summary = false;         ///< platforms, remarks and families alone
};

/// Platforms and remarks; for each problem its table, Phi over each set, ranks and the one variant
/// to take; then each family's Phi. Tables wider than the terminal are
/// broken between platforms. Ends with a newline.
[[nodiscard]] std::string format_report(const Comparison& all, const ReportOptions& options);

}  // namespace tessera::compare

// SPDX-License-Identifier: Apache-2.0
// What EBISU printed of its evaluation: the depths of its Table 3 and the domains of its Table 2
// (inputs/published/ebisu-table3.toml).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::model {

/// Name and version of the file's layout.
inline constexpr const char* kPaperDepthsSchema = "tessera-ebisu-1";

/// The depths of one stencil.
struct PaperDepth {
  std::string stencil;  ///< "j2d5pt"
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::vector<std::int64_t> depths;  ///< one a library; 0: it made no code that runs
};

struct PaperDepths {
  std::string source;
  std::vector<std::string> libraries;
  std::vector<PaperDepth> rows;

  /// The depth of a library for a stencil. Throws Error where the table has neither.
  [[nodiscard]] std::int64_t depth(std::string_view stencil, std::string_view library) const;
};

/// Reads and checks the file. Throws Error where it is missing or wrong.
[[nodiscard]] PaperDepths read_paper_depths(const std::filesystem::path& path);

}  // namespace tessera::model

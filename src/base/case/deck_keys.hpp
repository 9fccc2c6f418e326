// SPDX-License-Identifier: Apache-2.0
// The deck keys that all families share: [case], [select], [measure], [parallel], [output].
#pragma once

#include "base/comm/transport.hpp"
#include "base/keys/table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Of [case] and [measure], what a family's case is made of beside stencil and grid.
struct CaseKeys {
  std::string stencil;    ///< in full
  std::string precision;  ///< "float", "double"
  std::string init;       ///< initial data; empty where there is no choice
  std::uint64_t seed = 1;
  bool verify_at_size = true;
};

/// How a family's decks begin where they say nothing.
struct CaseDefaults {
  std::vector<std::string> stencils;  ///< in full; the first is the default
  std::string precision = "float";
  std::vector<std::string> inits = {};  ///< the first is the default; empty: no choice
};

/// Reads them. Throws Error for a bad value.
[[nodiscard]] CaseKeys read_case(const io::Deck& deck, const CaseDefaults& usual);

/// case.stencil in full, of `stencils`, whose first is the default. Throws Error for another one.
[[nodiscard]] std::string read_stencil(const io::Deck& deck,
                                       const std::vector<std::string>& stencils);

/// Of [measure] and [output], how a run goes.
struct RunKeys {
  double warmup_s = 0.5;
  int repetitions = 5;
  std::int64_t roofs_bytes = std::int64_t{1} << 30;
  bool redact = false;
};

/// Reads them. Throws Error for a bad value.
[[nodiscard]] RunKeys read_run(const io::Deck& deck);

/// Why output.json and output.csv, which once named files, are refused.
inline constexpr const char* kFolderInstead =
    "a run writes result.json and result.csv into one folder: name that with output.directory";

/// The tables: [case], [select], [measure], [parallel] and [output] of decks of a study.
[[nodiscard]] const std::vector<keys::Table>& shared_tables();
/// One of them.
[[nodiscard]] const keys::Table& shared_table(const std::string& name);

}  // namespace tessera

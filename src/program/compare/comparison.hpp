// SPDX-License-Identifier: Apache-2.0
// A comparison: for each problem the best of each variant on each platform, both efficiencies, and
// what they say over sets of platforms.
#pragma once

#include "program/compare/collection.hpp"
#include "program/compare/platform_sets.hpp"
#include "program/compare/portability.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::compare {

/// What a variant, or one of its configurations, does on a platform.
struct Cell {
  enum class State {
    absent,
    failed,
    valid
  };  ///< not run there; unsupported or invalid; has a rate
  State state = State::absent;
  const Point* point = nullptr;         ///< the best configuration; of failed ones the first
  std::optional<double> application;    ///< rate over the platform's best rate for the problem
  std::optional<double> architectural;  ///< share of the platform's bound
};

/// A line of a problem's table: a cell for each of the problem's platforms.
struct Line {
  std::string name;
  std::vector<Cell> cells;
};

/// Whether a share of a bound is above it by more than bounds are measured wrong.
[[nodiscard]] bool above_bound(const std::optional<double>& share);

/// The application efficiencies of a line, or the architectural ones, on some of the problem's
/// platforms (positions in ProblemTable::platforms); above a bound they are 1. Absent where it was
/// not run on one of them, or ran and its efficiency is not known.
enum class Efficiency { application, architectural };
[[nodiscard]] std::optional<Efficiencies> efficiencies_of(const Line& line,
                                                          const std::vector<std::size_t>& positions,
                                                          Efficiency which);
/// Phi of a line over those platforms; absent as above.
[[nodiscard]] std::optional<double> phi_of(const Line& line,
                                           const std::vector<std::size_t>& positions,
                                           Efficiency which);

/// All platforms of one problem and what was found there.
struct ProblemTable {
  Problem problem;
  std::vector<std::size_t> platforms;         ///< of the collection, that have rows of it
  std::vector<Size> grids;                    ///< of each; its steps are 0
  std::vector<std::set<std::int64_t>> steps;  ///< of the rows shown, of each
  bool grids_differ = false;                  ///< then rates are not to be compared
  bool steps_differ = false;
  bool revisions_differ = false;     ///< of the code that was measured, between rows shown
  std::vector<Line> variants;        ///< each with its best configuration a platform, best first
  std::vector<Line> configurations;  ///< each the same everywhere
  Line application;                  ///< the best variant a platform

  /// Positions in `platforms` of those that a set has.
  [[nodiscard]] std::vector<std::size_t> positions(const PlatformSet& set) const;
};

struct Comparison {
  Collection data;
  std::vector<PlatformSet> sets;
  std::vector<ProblemTable> problems;
  std::vector<std::string> remarks;
};

/// Compares. `patterns` are globs over platform names: those taken form the one set, of whatever
/// origin; without any, each origin has sets of its own (GPUs, hosts, all). Of several grids that a
/// platform ran, the one counts that most platforms have. Throws Error where a pattern takes no
/// platform, and where several platforms have no problem in common.
[[nodiscard]] Comparison compare(Collection data, const std::vector<std::string>& patterns);

/// The variant to write if only one may be written: the largest Phi of application efficiencies
/// over the set; absent where none ran everywhere.
[[nodiscard]] const Line* one_variant(const ProblemTable& table, const PlatformSet& set);

/// Kendall's tau-b between two platforms of a problem (positions in its list), over the variants
/// that have rates on both.
[[nodiscard]] std::optional<double> rank_correlation(const ProblemTable& table, std::size_t a,
                                                     std::size_t b);

}  // namespace tessera::compare

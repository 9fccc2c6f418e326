// SPDX-License-Identifier: Apache-2.0
// What the tests of commands share: a folder with a tiny deck, and how a refusal looks.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/child_process.hpp"
#include "unit/scratch_directory.hpp"

namespace tessera::test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

inline constexpr const char* kOldResult = "an older result\n";

enum class Warnings { none, allowed };

/// Exit status 1 and one error line on stderr, after warnings at the most, with every one of
/// `parts` in it.
inline void expect_error(const Outcome& outcome, const Arguments& parts,
                         Warnings warnings = Warnings::none) {
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  const auto at = outcome.err.find("tessera: error: ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_TRUE(at == 0 || warnings == Warnings::allowed) << outcome.err;
  const std::string line = outcome.err.substr(at);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << outcome.err;
  for (const auto& part : parts) EXPECT_TRUE(has(line, part));
}

/// `--set` before each assignment.
inline Arguments overrides(const Arguments& assignments) {
  Arguments arguments;
  for (const auto& assignment : assignments) {
    arguments.emplace_back("--set");
    arguments.push_back(assignment);
  }
  return arguments;
}

/// Stderr is a terminal, so that progress is shown and a test can wait for it.
inline ProcessOptions on_a_terminal() {
  ProcessOptions options;
  options.terminal = true;
  return options;
}

/// A folder with a deck that runs in a blink, and an older result where the deck writes its own.
class Cli : public testing::Test {
 protected:
  Cli() {
    write_text(deck(), deck_text());
    write_text(result(), kOldResult);
  }

  [[nodiscard]] std::string deck() const { return (folder_ / "tiny.toml").string(); }
  [[nodiscard]] std::string result() const { return (folder_ / "tiny.json").string(); }
  [[nodiscard]] std::string csv() const { return (folder_ / "tiny.csv").string(); }

  [[nodiscard]] std::string deck_text() const {
    return "[case]\nfamily = \"acoustic\"\nnx = 24\nny = 22\nnz = 20\nsteps = 2\n"
           "[acoustic]\npml_cells = 3\ndecomposition = [\"two\"]\n"
           "[select]\nvariants = [\"acoustic/gmem:8x8x8\"]\n"
           "[measure]\nwarmup_s = 0.0\nrepetitions = 5\n"
           "[output]\njson = \"" +
           result() + "\"\ncsv = \"" + csv() + "\"\n";
  }

  [[nodiscard]] json read_result() const { return json::parse(read_text(result())); }

  /// `run DECK` and more.
  [[nodiscard]] Arguments run_arguments(const Arguments& more = {}) const {
    Arguments arguments = {"run", deck()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  [[nodiscard]] Outcome run_deck(const Arguments& more = {}) const {
    return run_program(run_arguments(more));
  }

  /// Only the deck and the older result are there, and that is what it was.
  void expect_untouched() const {
    EXPECT_EQ(read_text(result()), kOldResult);
    EXPECT_EQ(folder_.entries(), 2) << "only the deck and the older result";
  }
  /// An error, and no file touched.
  void expect_refused(const Outcome& outcome, const Arguments& parts) const {
    expect_error(outcome, parts);
    expect_untouched();
  }

  ScratchDirectory folder_;
};

}  // namespace tessera::test

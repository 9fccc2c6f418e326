// SPDX-License-Identifier: Apache-2.0
// A suite: the decks of a study with what is overridden in each, and what became of each.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

/// One run of a suite.
struct SuiteRun {
  std::string name;                   ///< of its folder
  std::string deck;                   ///< as find_input() takes it
  std::filesystem::path folder;       ///< of the suite, where decks are looked for first
  std::vector<std::string> set;       ///< overrides, as --set takes them
  std::vector<std::string> variants;  ///< instead of the deck's; empty: the deck's
  std::vector<std::string> exclude;   ///< besides the deck's
  std::string on;                     ///< "gpu", "cpu"; empty: both
};

struct Suite {
  std::string name;
  std::filesystem::path path;
  std::vector<SuiteRun> runs;
};

/// Reads a suite file (TOML): `name` and tables [[run]] of deck, name, set, variants, exclude, on.
/// A run's name is the deck's where it gives none. Throws Error for unknown keys, no run at all, a
/// name that is listed twice or cannot be a file's, an empty list of variants.
[[nodiscard]] Suite read_suite(const std::filesystem::path& path);

/// How a suite stands on one machine: `manifest.json` beside the results.
class Manifest {
 public:
  /// `head` holds machine, build and command line. Runs are "waiting", or as the file at `path` has
  /// them where an earlier part of the study left it: those of the same deck, set, variants and
  /// exclude.
  Manifest(const Suite& suite, nlohmann::json head, std::filesystem::path path);

  /// What became of run `index` so far.
  [[nodiscard]] std::string status(std::size_t index) const;

  /// How long run `index` took so far, in seconds.
  [[nodiscard]] double seconds(std::size_t index) const;

  /// Notes what became of run `index`: "done", "failed", "interrupted", "skipped" or "waiting",
  /// with `more` fields (seconds, reason, rows ...), and writes the file.
  void note(std::size_t index, const std::string& status, const nlohmann::json& more = {});

  [[nodiscard]] const nlohmann::json& json() const { return json_; }

 private:
  nlohmann::json json_;
  std::filesystem::path path_;
};

/// Name and version of the manifest's layout.
inline constexpr const char* kStudySchema = "tessera-study-1";

}  // namespace tessera

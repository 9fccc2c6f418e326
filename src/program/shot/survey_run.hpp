// SPDX-License-Identifier: Apache-2.0
// The shots of a survey: one after another, or by groups of ranks that each take the next.
#pragma once

#include "base/comm/work_queue.hpp"
#include "base/support/progress.hpp"
#include "program/shot/identity.hpp"
#include "program/shot/shot_run.hpp"
#include "program/shot/survey.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

/// Name and version of survey.json's layout.
inline constexpr const char* kSurveySchema = "tessera-survey-1";

/// The groups that the job's ranks form.
struct SurveyGroups {
  int count = 1;
  comm::Ranks mine;     ///< those that make a shot together with this one
  comm::Ranks leaders;  ///< the first ranks of all groups; of no meaning on others
};

/// Collective. Reads survey.ranks_per_shot. Throws Error where the ranks are no multiple of it.
[[nodiscard]] SurveyGroups read_groups(const io::Deck& deck);

/// What must be equal in a survey that is continued (run.json): what its shots compute, as
/// identity_of() its first one but for the source's place, the number of steps, the outputs, and
/// where each shot is.
[[nodiscard]] nlohmann::json survey_identity(const shot::ShotCase& first,
                                             const shot::ShotOutput& output,
                                             const shot::Survey& survey);

/// survey.json: how each shot stands.
class SurveyRecord {
 public:
  SurveyRecord(nlohmann::json head, const shot::Survey& survey, std::filesystem::path path);

  /// Notes "complete", "failed" or "interrupted", with more fields, and writes the file.
  void note(std::size_t shot, const std::string& status, const nlohmann::json& more);
  void write();
  void set(const char* key, const nlohmann::json& value) { json_[key] = value; }

 private:
  nlohmann::json json_;
  std::filesystem::path path_;
};

/// Runs the shots that are not complete. One that fails is noted and told; the others go on. The
/// job's first rank keeps the record and tells how the whole stands.
class SurveyRun {
 public:
  /// `record` is the first rank's, null on others. What is given must outlive this.
  SurveyRun(const shot::Survey& survey, shot::ShotCase& shot, const shot::ShotOutput& output,
            ShotRun how, const SurveyGroups& groups, SurveyRecord* record);

  /// Collective, of all ranks. Throws Interrupted after the shot under way where a signal came.
  void run();
  /// On the first rank.
  [[nodiscard]] const std::vector<bool>& complete() const { return complete_; }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  [[nodiscard]] std::vector<std::size_t> find_waiting();
  void shoot(std::size_t shot, comm::WorkQueue& queue);
  void note(std::size_t shot, const std::string& report);

  const shot::Survey& survey_;
  shot::ShotCase& shot_;
  const shot::ShotOutput& output_;
  ShotRun how_;
  const SurveyGroups& groups_;
  SurveyRecord* record_;
  std::vector<bool> complete_;
  std::size_t waiting_ = 0, done_ = 0;
  int failed_ = 0;
  std::string unwritten_;  // why the record could not be written
  Progress progress_;
};

}  // namespace tessera

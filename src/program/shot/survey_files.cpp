// SPDX-License-Identifier: Apache-2.0
#include "program/shot/survey_files.hpp"

#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/output_claims.hpp"
#include "base/io/output_lock.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/shot/checkpoint.hpp"
#include "program/shot/record.hpp"

#include <map>
#include <string>
#include <system_error>

namespace tessera {

namespace fs = std::filesystem;
using shot::ShotCase;
using shot::ShotOutput;
using shot::Survey;
using shot::SurveyShot;

ShotOutput output_of(const SurveyShot& shot, ShotOutput output) {
  output.directory /= Survey::name_of(shot);
  output.restart = true;
  output.in_survey = true;
  return output;
}

std::vector<fs::path> files_of(const ShotOutput& output) {
  return {output.directory / "survey.sgy", output.directory / "survey.json"};
}

namespace {

/// Places that are taken, links followed, and by which name.
class TakenPlaces {
 public:
  /// Throws Error where another name leads there.
  void take(const fs::path& name) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(io::resolve_link(name), error);
    if (error) return;  // whoever writes there says why
    const auto [found, fresh] = names_.emplace(place, name);
    require(fresh, "{} and {} are one place, {}: remove the link", found->second.string(),
            name.string(), place.string());
  }

 private:
  std::map<fs::path, fs::path> names_;
};

}  // namespace

void require_own_places(const Survey& survey, ShotCase& shot, const ShotOutput& output) {
  const std::vector<fs::path> own = files_of(output);
  io::require_plain_files(own);
  TakenPlaces places;
  places.take(output.directory);
  for (const fs::path& file : own) {
    io::require_unread(file);
    places.take(file);
  }
  for (const SurveyShot& one : survey.shots) {
    shot::place(one, shot);
    const ShotOutput its = output_of(one, output);
    check_output(shot, its);
    io::require_possible_file(its.directory / "shot.json");
    std::error_code ignored;
    const fs::file_type type = fs::symlink_status(its.directory, ignored).type();
    if (type == fs::file_type::not_found) continue;  // no links yet
    places.take(its.directory);
    for (const fs::path& file : shot::all_outputs(its.directory)) places.take(file);
  }
}

void require_free_places(const Survey& survey, const ShotOutput& output) {
  io::require_free_directory(output.directory);
  for (const SurveyShot& one : survey.shots) {
    const fs::path directory = output_of(one, output).directory;
    if (is_folder(directory)) io::require_free_directory(directory);
  }
}

void require_usable_checkpoints(const Survey& survey, ShotCase& shot, const ShotOutput& output) {
  const comm::Ranks& ranks = shot.parallel.ranks;
  std::string wrong;
  try {
    for (const SurveyShot& one : survey.shots) {
      shot::place(one, shot);
      const ShotOutput its = output_of(one, output);
      bool goes_on = false;
      comm::together(ranks, [&] {
        goes_on = ranks.first() && shot::ShotCheckpoints::exists(its.directory) &&
                  !is_complete(shot, its);
      });
      if (!ranks.broadcast(goes_on)) continue;
      shot::ShotCheckpoints::require_usable(shot, its.directory);
    }
  } catch (const Error& error) {  // on all ranks of a group; the other groups may see it otherwise
    wrong = error.what();
  }
  comm::together(comm::world(), [&] { require(wrong.empty(), "{}", wrong); });
}

}  // namespace tessera

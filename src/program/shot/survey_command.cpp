// SPDX-License-Identifier: Apache-2.0
// `tessera survey DECK`: many shots, each with its files, and one SEG-Y of all.
#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/output_lock.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_options.hpp"
#include "program/measure/machine_info.hpp"
#include "program/measure/topology.hpp"
#include "program/seismic/segy_survey.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/record.hpp"
#include "program/shot/shot_report.hpp"
#include "program/shot/survey_files.hpp"
#include "program/shot/survey_run.hpp"
#include "program/shot/unit_warnings.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

namespace tessera {
namespace {

namespace fs = std::filesystem;
using shot::ShotCase;
using shot::ShotOutput;
using shot::Survey;
using shot::SurveyShot;

struct SurveyCommand {
  DeckOptions deck;
  std::string directory, transport;
  bool resume = false;
  bool dry_run = false;
};

/// Takes what an earlier run left of all traces away: this one's shots make it anew, and without
/// them it would pass for theirs. Where no survey.json says that it was a survey's, it is kept
/// under a name of its own.
void clear_all_traces(const ShotOutput& output, bool of_survey) {
  const fs::path path = output.directory / "survey.sgy";
  for (const fs::path& left : {io::resolve_link(path), io::part_path(path)}) {
    std::error_code ignored;
    if (of_survey) {
      fs::remove(left, ignored);
    } else {
      io::set_aside(left);
    }
  }
}

/// Names the directories of shots that are none of this survey's.
void warn_of_other_shots(const Survey& survey, const fs::path& directory) {
  std::set<std::string> names, others;
  for (const SurveyShot& shot : survey.shots) names.insert(Survey::name_of(shot));
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_shot = name.rfind("shot-", 0) == 0 && name.size() >= 9 &&
                         name.find_first_not_of("0123456789", 5) == std::string::npos;
    if (is_shot && is_folder(at->path()) && names.count(name) == 0) others.insert(name);
  }
  if (others.empty()) return;
  warn(fmt::format(
      "{} holds {} of shots that are not this survey's ({}{}): they stay", directory.string(),
      others.size() == 1 ? "a directory" : fmt::format("{} directories", others.size()),
      *others.begin(), others.size() == 1 ? "" : " to " + *others.rbegin()));
}

/// How many shots have their source where an earlier one has it.
std::size_t repeated_places(const Survey& survey) {
  std::set<std::tuple<double, double, double>> places;
  for (const SurveyShot& shot : survey.shots) {
    const io::Position& at = shot.source.at;
    places.emplace(at.x, at.y, at.z);
  }
  return survey.shots.size() - places.size();
}

/// Places that are there twice, or that were given in km.
void question_places(const io::Deck& deck, const Survey& survey, const ShotCase& shot) {
  const std::size_t repeated = repeated_places(survey);
  if (repeated > 0) {
    warn(
        fmt::format("{} of {} shots have their source where an earlier one has it: were other "
                    "places meant?",
                    repeated, survey.shots.size()));
  }
  for (const std::string& warning : unit_warnings(deck, shot, shot::PlacesOf::survey)) {
    warn(warning);
  }
}

/// What a survey has to say of its geometry.
void print_survey(const Survey& survey, const SurveyGroups& groups) {
  std::size_t fewest = survey.shots.front().receivers->size(), most = fewest;
  std::size_t left_out = 0, most_left_out = 0;
  for (const SurveyShot& shot : survey.shots) {
    fewest = std::min(fewest, shot.receivers->size());
    most = std::max(most, shot.receivers->size());
    left_out += shot.left_out;
    most_left_out = std::max(most_left_out, shot.left_out);
  }
  say("survey: {} shots, each with {} receivers\n", survey.shots.size(),
      fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most));
  if (left_out > 0) {
    say("receivers outside of the inner region, left out: {} in all, at most {} of a shot\n",
        left_out, most_left_out);
  }
  if (comm::world().alone()) return;
  say("{} group{} of {} rank{}\n", groups.count, groups.count == 1 ? "" : "s", groups.mine.size(),
      groups.mine.alone() ? "" : "s");
}

/// The gathers of all complete shots in one file; false where there is none.
bool write_all(const Survey& survey, const ShotOutput& output, const std::vector<bool>& complete) {
  std::vector<fs::path> gathers;
  for (std::size_t i = 0; i < survey.shots.size(); ++i) {
    if (!complete[i] || survey.shots[i].receivers->empty()) continue;
    gathers.push_back(output.directory / Survey::name_of(survey.shots[i]) / "gather.sgy");
  }
  if (gathers.empty()) return false;
  const std::vector<std::string> text = {
      "SYNTHETIC SURVEY, PRESSURE, WRITTEN BY TESSERA",
      fmt::format("{} OF {} SHOTS, NUMBERED BY FIELD RECORD", gathers.size(), survey.shots.size()),
      "COORDINATES FROM THE FIRST CELL OF THE INNER REGION, Z DOWNWARD"};
  io::merge_segy(output.directory / "survey.sgy", gathers, text);
  return true;
}

/// What can be found wrong in the survey's directory before the first shot.
void check_places(const SurveyCommand& command, const Survey& survey, ShotCase& shot,
                  const ShotOutput& output, const shot::ShotIdentity& identity, int interval_us) {
  const comm::Ranks& world = comm::world();
  const fs::path path = output.directory / "survey.json";
  bool writes = false;
  comm::together(world, [&] {
    for (const SurveyShot& one : survey.shots) {
      shot::place(one, shot);
      require_fit_for_ranks(shot);
    }
    if (!world.first()) return;
    require_own_places(survey, shot, output);
    if (command.dry_run) io::require_possible_file(path);
    require_free_places(survey, output);
    const bool there = path_exists(path);
    if (command.resume && there) require_same_survey(path, identity, interval_us, survey);
    writes = command.resume || !there;
  });
  if (world.broadcast(writes)) require_usable_checkpoints(survey, shot, output);
}

void survey(const SurveyCommand& command, const Registry& registry,
            const std::string& command_line) {
  const io::Deck deck = command.deck.read();
  // 1. All that can be found wrong before the first shot.
  ShotCase shot = read_shot(deck, registry, shot::PlacesOf::survey);
  const Survey survey = shot::read_survey(deck, shot);
  const SurveyGroups groups = read_groups(deck);
  comm::ParallelOptions parallel = read_parallel(deck);
  if (!command.transport.empty()) parallel.transport = command.transport;
  shot.parallel = comm::Parallel(groups.mine, parallel);
  ShotOutput output = shot::read_shot_output(deck, "out/survey");
  if (!command.directory.empty()) output.directory = command.directory;
  const bool redact = deck.get("output.redact", false);
  for (const char* table : {"select", "measure"}) deck.allow(table);
  const auto largest = std::max_element(
      survey.shots.begin(), survey.shots.end(),
      [](const auto& a, const auto& b) { return a.receivers->size() < b.receivers->size(); });
  shot::place(*largest, shot);
  const FreeMemory free;
  print_memory(shot, free);
  const comm::Ranks& world = comm::world();
  comm::together(world, [&] { require_memory(shot, free); });
  load_velocity(deck, shot);
  deck.reject_unknown();
  print_numerics(shot);
  print_survey(survey, groups);
  question_places(deck, survey, shot);
  for (const std::string& idle : idle_keys(deck, shot, output)) warn(idle);
  const int interval_us = shot::segy_interval_us(shot, output);
  const fs::path path = output.directory / "survey.json";
  shot::place(survey.shots.front(), shot);
  const shot::ShotIdentity identity = survey_identity(shot);
  check_places(command, survey, shot, output, identity, interval_us);
  if (command.dry_run) return;

  // 2. The shots.
  std::vector<io::OutputLock> locks;
  std::optional<SurveyRecord> record;
  comm::together(world, [&] {
    if (!world.first()) return;
    io::require_writable_directory(output.directory);
    locks = io::lock_directory(output.directory, files_of(output), io::Reach::tree);
    require_free_places(survey, output);  // once more: now nobody can begin in one
    const bool resumes = path_exists(path);
    require(command.resume || !resumes,
            "{} holds a survey: --resume continues it, -o keeps it apart",
            output.directory.string());
    nlohmann::json head = {{"command_line", command_line},
                           {"machine", measure::machine_metadata(redact)},
                           {"build", measure::build_metadata()},
                           {"deck", deck.to_json()}};
    if (interval_us > 0) head["segy_interval_us"] = interval_us;
    if (resumes) require_same_survey(path, identity, interval_us, survey);
    clear_all_traces(output, resumes);
    warn_of_other_shots(survey, output.directory);
    record.emplace(head, identity, survey, path);
    record->write();
  });
  say("{}", measure::topology_line());
  ShotRun how;
  how.deck = &deck;
  how.command_line = command_line;
  how.redact = redact;
  SurveyRun run(survey, shot, output, how, groups, record ? &*record : nullptr);
  run.run();

  // 3. All of them in one file.
  comm::together(world, [&] {
    if (!world.first()) return;
    run.look_again();
    if (!output.segy || !write_all(survey, output, run.complete())) return;
    record->set("files", {"survey.sgy"});
    record->write();
  });
  say("survey: {} of {} shots complete, in {}\n",
      std::count(run.complete().begin(), run.complete().end(), true), survey.shots.size(),
      output.directory.string());
  const int failed = world.broadcast(run.failed());
  require(failed == 0, "{} of {} shots failed: {} says why; --resume tries them again", failed,
          survey.shots.size(), path.string());
}
}  // namespace

void add_survey_command(CLI::App& app, const Catalogue& catalogue,
                        const std::string& command_line) {
  auto command = std::make_shared<SurveyCommand>();
  CLI::App* sub = app.add_subcommand(
      "survey", "Model many shots: a line, a grid, a table or the geometry of a SEG-Y file");
  command->deck.add_to(*sub);
  sub->add_option("-o,--output", command->directory, "Directory, instead of output.directory");
  add_rank_options(*sub, command->transport);
  sub->add_flag(
      "--resume", command->resume,
      "Go on with the survey in the directory: what is complete stays, a shot that has a\n"
      "checkpoint continues from it. A survey of another deck is refused");
  sub->add_flag(
      "--dry-run", command->dry_run,
      "Show memory, numerics and the number of shots; run nothing. With --resume a survey\n"
      "of another deck is refused here too");
  sub->footer(
      "Writes a directory a shot (shot-0001/ with what tessera shot writes), survey.sgy with all\n"
      "traces and survey.json with how each shot stands. A shot that fails does not stop the\n"
      "others; the exit status is then 1. On several ranks survey.ranks_per_shot of them make a "
      "shot\n"
      "together, and groups of so many take shot after shot.\n"
      "Examples:\n"
      "  tessera survey inputs/survey.toml --dry-run\n"
      "  tessera survey inputs/survey.toml\n"
      "  tessera survey inputs/survey.toml --resume\n"
      "  mpirun -n 4 tessera survey inputs/survey.toml --set survey.ranks_per_shot=2");
  sub->callback(
      [command, command_line, &catalogue] { survey(*command, catalogue.variants, command_line); });
}

}  // namespace tessera

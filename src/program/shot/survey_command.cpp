// SPDX-License-Identifier: Apache-2.0
// `tessera survey DECK`: many shots, each with its files, and one SEG-Y of all.
#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/io/run_folder.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_options.hpp"
#include "program/measure/machine_info.hpp"
#include "program/measure/topology.hpp"
#include "program/shot/accuracy.hpp"
#include "program/shot/grazing.hpp"
#include "program/shot/keys.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/shot_report.hpp"
#include "program/shot/survey.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace shot;

struct SurveyCommand {
  DeckOptions deck;
  std::string directory, transport;
  bool resume = false;
  bool dry_run = false;
  bool accuracy = false;
};

/// Places that are there twice, or that were given in km.
void question_places(const io::Deck& deck, const Survey& survey, const ShotCase& shot) {
  std::set<std::tuple<double, double, double>> places;
  for (const SurveyShot& one : survey.shots) {
    const io::Position& at = one.source.at;
    places.emplace(at.x, at.y, at.z);
  }
  const std::size_t repeated = survey.shots.size() - places.size();
  if (repeated > 0) {
    warn(
        fmt::format("{} of {} shots have their source where an earlier one has it: were other "
                    "places meant?",
                    repeated, survey.shots.size()));
  }
  GrazingPaths grazing(shot);
  for (const SurveyShot& one : survey.shots) grazing.add(one.source.at, *one.receivers);
  if (const std::string said = grazing.warning(); !said.empty()) warn(said);
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

/// What can be found wrong with each shot before the first one.
void check_shots(const Survey& survey, ShotCase& shot, const ShotOutput& output) {
  comm::together(comm::world(), [&] {
    for (const SurveyShot& one : survey.shots) {
      shot::place(one, shot);
      require_fit_for_ranks(shot);
      if (comm::world().first()) check_output(shot, output);
    }
  });
  shot::place(survey.shots.front(), shot);
}

void survey(const SurveyCommand& command, const Catalogue& catalogue,
            const std::string& command_line) {
  const io::Deck deck = command.deck.read();
  shot::check_shot_deck(deck, catalogue, "survey");
  // 1. All that can be found wrong before the first shot.
  ShotCase shot = read_shot(deck, catalogue.variants, shot::PlacesOf::survey);
  const Survey survey = shot::read_survey(deck, shot);
  const SurveyGroups groups = read_groups(deck);
  comm::ParallelOptions parallel = read_parallel(deck);
  if (!command.transport.empty()) parallel.transport = command.transport;
  shot.parallel = comm::Parallel(groups.mine, parallel);
  ShotOutput output = shot::read_shot_output(deck);
  const std::string named = io::folder_named(deck, command.directory);
  const bool redact = deck.get("output.redact", false);
  const auto largest = std::max_element(
      survey.shots.begin(), survey.shots.end(),
      [](const auto& a, const auto& b) { return a.receivers->size() < b.receivers->size(); });
  shot::place(*largest, shot);
  const FreeMemory free;
  print_memory(shot, free);
  const comm::Ranks& world = comm::world();
  comm::together(world, [&] { require_memory(shot, free); });
  load_velocity(deck, shot);
  if (command.accuracy && shot.accuracy_steps == 0) shot.accuracy_steps = shot.steps;
  print_numerics(shot);
  print_velocities(shot);
  print_survey(survey, groups);
  question_places(deck, survey, shot);
  for (const std::string& idle : idle_keys(deck, shot, output)) warn(idle);
  check_shots(survey, shot, output);
  const nlohmann::json machine = measure::machine_metadata(redact);
  const io::FolderRequest wanted{.folder = named,
                                 .command = "survey",
                                 .deck = deck.name(),
                                 .platform = machine.at("name").get<std::string>(),
                                 .command_line = command_line,
                                 .identity = survey_identity(shot, output, survey),
                                 .resume = command.resume};

  // 2. The shots, and all of them in one file.
  io::RunFolder folder;
  comm::together(world, [&] {
    if (!world.first()) return;
    if (command.dry_run) return io::require_possible_folder(wanted);
    folder = io::RunFolder(wanted);
    folder.begin();
    output.directory = folder.path();
  });
  if (command.dry_run) return;
  output.directory = world.broadcast(output.directory.string());
  say("{}", measure::topology_line());
  nlohmann::json record = {{"command_line", command_line},
                           {"machine", machine},
                           {"build", measure::build_metadata()},
                           {"deck", deck.to_json()}};
  record["accuracy"] = measure_accuracy(shot);
  if (record["accuracy"].is_null()) record.erase("accuracy");
  ShotRun how;
  how.deck = &deck;
  how.command_line = command_line;
  how.redact = redact;
  const SurveyOutcome outcome = run_survey(survey, shot, output, how, groups, std::move(record));
  say("survey: {} of {} shots complete, in {}\n", outcome.complete, survey.shots.size(),
      output.directory.string());
  const int failed = world.broadcast(outcome.failed);
  require(failed == 0, "{} of {} shots failed: {} says why; --resume tries them again", failed,
          survey.shots.size(), (output.directory / "survey.json").string());
  if (world.first()) folder.complete();
}
}  // namespace

void add_survey_command(CLI::App& app, const Catalogue& catalogue,
                        const std::string& command_line) {
  auto command = std::make_shared<SurveyCommand>();
  CLI::App* sub = app.add_subcommand(
      "survey", "Model many shots: a line, a grid, a table or the geometry of a SEG-Y file");
  command->deck.add_to(*sub);
  sub->add_option("-o,--output", command->directory,
                  "Folder, which the survey makes, instead of output.directory or\n"
                  "out/DECK-PLATFORM-DATE");
  add_rank_options(*sub, command->transport);
  sub->add_flag(
      "--resume", command->resume,
      "Continue a survey, the newest or that of --output: what is complete stays, a shot that\n"
      "has a checkpoint continues from it. A survey of another deck is refused");
  sub->add_flag("--accuracy", command->accuracy, kAccuracyHelp);
  sub->add_flag(
      "--dry-run", command->dry_run,
      "Show memory, numerics and the number of shots; run nothing. With --resume a survey\n"
      "of another deck is refused here too");
  sub->footer(
      "Writes a folder of its own with a folder a shot (shot-0001/ with what tessera shot writes), "
      "survey.sgy\n"
      "with all traces and survey.json with how each shot stands. A shot that fails does not stop "
      "the\n"
      "others; the exit status is then 1. On several ranks survey.ranks_per_shot of them make a "
      "shot\n"
      "together, and groups of so many take shot after shot.\n"
      "Examples:\n"
      "  tessera survey inputs/survey.toml --dry-run\n"
      "  tessera survey inputs/survey.toml\n"
      "  tessera survey inputs/survey.toml --resume\n"
      "  mpirun -n 2 tessera survey inputs/survey.toml --set survey.ranks_per_shot=2");
  sub->callback([command, command_line, &catalogue] { survey(*command, catalogue, command_line); });
}

}  // namespace tessera

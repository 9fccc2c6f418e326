// SPDX-License-Identifier: Apache-2.0
// `tessera survey DECK`: many shots, one after another, each with its files, and one SEG-Y of all.
#include "shot/survey.hpp"
#include "cli/commands.hpp"
#include "cli/deck_options.hpp"
#include "cli/shot_report.hpp"
#include "cli/shot_run.hpp"
#include "io/atomic_file.hpp"
#include "io/json_file.hpp"
#include "io/output_lock.hpp"
#include "io/segy_survey.hpp"
#include "measure/machine_info.hpp"
#include "measure/topology.hpp"
#include "results/result.hpp"
#include "support/console.hpp"
#include "support/duration.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/interrupt.hpp"
#include "support/progress.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

namespace tessera {
namespace {

namespace fs = std::filesystem;
using acoustic::ShotCase;
using acoustic::ShotOutcome;
using acoustic::ShotOutput;
using acoustic::Survey;
using acoustic::SurveyShot;

/// Name and version of survey.json's layout.
constexpr const char* kSurveySchema = "tessera-survey-1";

struct SurveyCommand {
  DeckOptions deck;
  std::string directory;
  bool resume = false;
  bool dry_run = false;
};

/// survey.json: how each shot stands.
class SurveyRecord {
 public:
  SurveyRecord(nlohmann::json head, const Survey& survey, fs::path path)
      : json_(std::move(head)), path_(std::move(path)) {
    json_["schema"] = kSurveySchema;
    for (const SurveyShot& shot : survey.shots) {
      const io::Position& at = shot.source.at;
      json_["shots"].push_back({{"number", shot.number},
                                {"directory", Survey::name_of(shot)},
                                {"x_m", at.x},
                                {"y_m", at.y},
                                {"z_m", at.z},
                                {"receivers", shot.receivers->size()},
                                {"status", "waiting"}});
    }
  }

  /// Notes "complete", "failed" or "interrupted", with more fields, and writes the file.
  void note(std::size_t shot, const std::string& status, const nlohmann::json& more) {
    json_["shots"][shot]["status"] = status;
    if (more.is_object()) json_["shots"][shot].update(more);
    write();
  }
  void write() {
    json_["date"] = measure::utc_now();
    io::write_atomically(path_, io::json_text(json_, 2) + "\n");
  }
  void set(const char* key, const nlohmann::json& value) { json_[key] = value; }

 private:
  nlohmann::json json_;
  fs::path path_;
};

/// A shot's own files: in a directory of its name.
ShotOutput output_of(const SurveyShot& shot, ShotOutput output) {
  output.directory /= Survey::name_of(shot);
  output.restart = true;
  return output;
}

/// What a survey has to say of its geometry.
void print_survey(const Survey& survey) {
  std::size_t fewest = survey.shots.front().receivers->size(), most = fewest;
  for (const SurveyShot& shot : survey.shots) {
    fewest = std::min(fewest, shot.receivers->size());
    most = std::max(most, shot.receivers->size());
  }
  say("survey: {} shots, each with {} receivers\n", survey.shots.size(),
      fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most));
}

/// The gathers of all complete shots in one file.
void write_all(const Survey& survey, const ShotOutput& output, const std::vector<bool>& complete) {
  std::vector<fs::path> gathers;
  for (std::size_t i = 0; i < survey.shots.size(); ++i) {
    if (!complete[i] || survey.shots[i].receivers->empty()) continue;
    gathers.push_back(output.directory / Survey::name_of(survey.shots[i]) / "gather.sgy");
  }
  if (gathers.empty()) return;
  const std::vector<std::string> text = {
      "SYNTHETIC SURVEY, PRESSURE, WRITTEN BY TESSERA",
      fmt::format("{} OF {} SHOTS, NUMBERED BY FIELD RECORD", gathers.size(), survey.shots.size()),
      "COORDINATES FROM THE FIRST CELL OF THE INNER REGION, Z DOWNWARD"};
  io::merge_segy(output.directory / "survey.sgy", gathers, text);
}

/// Runs shot after shot. A shot that fails is noted and told; the others go on.
class SurveyRun {
 public:
  SurveyRun(const Survey& survey, ShotCase& shot, const ShotOutput& output, ShotRun how,
            SurveyRecord& record)
      : survey_(survey),
        shot_(shot),
        output_(output),
        how_(std::move(how)),
        record_(record),
        complete_(survey.shots.size(), false) {
    how_.last = false;
  }

  void run() {
    for (std::size_t i = 0; i < survey_.shots.size(); ++i) {
      acoustic::place(survey_.shots[i], shot_);
      const ShotOutput output = output_of(survey_.shots[i], output_);
      complete_[i] = is_complete(shot_, output);
      if (!complete_[i]) continue;
      acoustic::ShotCheckpoints::remove(output.directory);  // of a kill after the last file
      record_.note(i, "complete", {});
    }
    waiting_ = std::count(complete_.begin(), complete_.end(), false);
    if (waiting_ < static_cast<std::ptrdiff_t>(complete_.size())) {
      say("{} of {} shots are complete already\n",
          static_cast<std::ptrdiff_t>(complete_.size()) - waiting_, complete_.size());
    }
    acoustic::ShotQueue queue(survey_.shots.size());
    while (const auto next = queue.take()) {
      if (!complete_[*next]) shoot(*next);
    }
    progress_.clear();
  }

  [[nodiscard]] const std::vector<bool>& complete() const { return complete_; }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  void shoot(std::size_t i) {
    const SurveyShot& one = survey_.shots[i];
    acoustic::place(one, shot_);
    how_.progress = [&](double part, const std::string& text) {
      progress_.update((static_cast<double>(done_) + part) / static_cast<double>(waiting_),
                       fmt::format("shot {} of {}  {}", i + 1, survey_.shots.size(), text));
    };
    const auto begin = std::chrono::steady_clock::now();
    std::string status = "failed";
    std::string reason;
    try {
      const ShotOutcome outcome = run_shot(shot_, output_of(one, output_), how_).outcome;
      status = to_string(outcome.status);
      reason = outcome.reason;
    } catch (const std::exception& error) {  // of this shot: the disk, the memory
      reason = error.what();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    complete_[i] = status == "complete";
    ++done_;
    progress_.clear();
    nlohmann::json more = {{"seconds", seconds.count()}};
    if (!reason.empty()) more["reason"] = reason;
    record_.note(i, status, more);
    if (status == "failed") {
      ++failed_;
      warn(fmt::format("shot {} failed: {}", one.number, reason));
    }
    say("shot {} of {} ({}): {}, {}\n", i + 1, survey_.shots.size(), Survey::name_of(one), status,
        duration_text(seconds.count()));
    flush_output();
    if (interrupted()) throw Interrupted{};
  }

  const Survey& survey_;
  ShotCase& shot_;
  const ShotOutput& output_;
  ShotRun how_;
  SurveyRecord& record_;
  std::vector<bool> complete_;
  std::ptrdiff_t waiting_ = 0, done_ = 0;
  int failed_ = 0;
  Progress progress_{stdout, kSecondsBetweenLines};
};

void survey(const SurveyCommand& command, const Registry& registry,
            const std::string& command_line) {
  const io::Deck deck = command.deck.read();
  // 1. All that can be found wrong before the first shot.
  ShotCase shot = read_shot(deck, registry, acoustic::PlacesOf::survey);
  const Survey survey = acoustic::read_survey(deck, shot);
  ShotOutput output = acoustic::read_shot_output(deck, "out/survey");
  if (!command.directory.empty()) output.directory = command.directory;
  const bool redact = deck.get("output.redact", false);
  for (const char* table : {"select", "measure", "parallel"}) deck.allow(table);
  const auto largest = std::max_element(
      survey.shots.begin(), survey.shots.end(),
      [](const auto& a, const auto& b) { return a.receivers->size() < b.receivers->size(); });
  acoustic::place(*largest, shot);
  const FreeMemory free;
  print_memory(shot, free);
  require_memory(shot, free);
  load_velocity(deck, shot);
  deck.reject_unknown();
  print_numerics(shot);
  print_survey(survey);
  for (const SurveyShot& one : survey.shots) {
    acoustic::place(one, shot);
    check_output(shot, output_of(one, output));
  }
  for (const char* name : {"survey.sgy", "survey.json"}) require_not_read(output.directory / name);
  if (command.dry_run) return;

  // 2. The shots.
  io::require_writable_directory(output.directory);
  const io::OutputLock lock(output.directory);
  const fs::path path = output.directory / "survey.json";
  require(command.resume || !path_exists(path),
          "{} holds a survey: --resume goes on with it, -o keeps it apart",
          output.directory.string());
  say("{}", measure::topology_line());
  SurveyRecord record({{"command_line", command_line},
                       {"machine", measure::machine_metadata(redact)},
                       {"build", measure::build_metadata()},
                       {"deck", deck.to_json()}},
                      survey, path);
  record.write();
  ShotRun how;
  how.deck = &deck;
  how.command_line = command_line;
  how.redact = redact;
  SurveyRun run(survey, shot, output, how, record);
  run.run();

  // 3. All of them in one file.
  if (output.segy) write_all(survey, output, run.complete());
  if (output.segy && path_exists(output.directory / "survey.sgy")) {
    record.set("files", {"survey.sgy"});
    record.write();
  }
  say("survey: {} of {} shots complete, in {}\n",
      std::count(run.complete().begin(), run.complete().end(), true), survey.shots.size(),
      output.directory.string());
  require(run.failed() == 0, "{} of {} shots failed: {} says why; --resume tries them again",
          run.failed(), survey.shots.size(), path.string());
}

}  // namespace

void add_survey_command(CLI::App& app, const Catalogue& catalogue,
                        const std::string& command_line) {
  auto command = std::make_shared<SurveyCommand>();
  CLI::App* sub = app.add_subcommand(
      "survey", "Model many shots: a line, a grid, a table or the geometry of a SEG-Y file");
  command->deck.add_to(*sub);
  sub->add_option("-o,--output", command->directory, "Directory, instead of output.directory");
  sub->add_flag(
      "--resume", command->resume,
      "Go on with the survey in the directory: what is complete stays, a shot that has a\n"
      "checkpoint goes on from it");
  sub->add_flag("--dry-run", command->dry_run,
                "Show memory, numerics and the number of shots; run nothing");
  sub->footer(
      "Writes a directory a shot (shot-0001/ with what tessera shot writes), survey.sgy with all\n"
      "traces and survey.json with how each shot stands. A shot that fails does not stop the\n"
      "others; the exit status is then 1.\n"
      "Examples:\n"
      "  tessera survey inputs/survey.toml --dry-run\n"
      "  tessera survey inputs/survey.toml\n"
      "  tessera survey inputs/survey.toml --resume");
  sub->callback(
      [command, command_line, &catalogue] { survey(*command, catalogue.variants, command_line); });
}

}  // namespace tessera

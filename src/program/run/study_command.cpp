// SPDX-License-Identifier: Apache-2.0
// `tessera study SUITE`: the decks of a suite, one after another, into one folder a machine.
#include "program/run/study_command.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/duration.hpp"
#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/text.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_kind.hpp"
#include "program/cli/deck_options.hpp"
#include "program/cli/options.hpp"
#include "program/measure/machine_info.hpp"
#include "program/predict/inputs.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/measurement_warnings.hpp"
#include "program/results/study_table.hpp"
#include "program/run/deck_run.hpp"
#include "program/run/run.hpp"
#include "program/run/suite.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

namespace tessera {
namespace {

namespace fs = std::filesystem;

using FilePointer = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// The decks' text output goes here; it grows by each run.
FilePointer open_log(const fs::path& path) {
  FilePointer log(std::fopen(path.c_str(), "a"), &std::fclose);
  require(log != nullptr, "{}: cannot be written", path.string());
  return log;
}

/// "; about 12 min left" by what the runs so far took; nothing before the first is done.
std::string left_text(double seconds, std::size_t done, std::size_t left) {
  if (done == 0) return "";
  return "; about " +
         duration_text(seconds / static_cast<double>(done) * static_cast<double>(left)) + " left";
}

/// The machine file that is given; none where it is to be measured.
std::optional<machine::Machine> read_given(const StudyCommand& command) {
  if (command.machine.empty()) return std::nullopt;
  const fs::path path = find_input(kMachineFile, command.machine);
  machine::Machine machine = machine::read_machine(path);
  require_kind_here(machine.kind, path.string());
  return machine;
}

/// What is left of the time budget; absent without one.
class Budget {
 public:
  explicit Budget(const std::string& text) {
    if (!text.empty()) seconds_ = parse_duration(text, "--time-budget");
  }
  [[nodiscard]] std::optional<double> left() const {
    if (!seconds_) return std::nullopt;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    return *seconds_ - passed.count();
  }

 private:
  std::optional<double> seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

nlohmann::json count_rows(const results::ResultFile& file) {
  nlohmann::json counts = nlohmann::json::object();
  for (const results::Result& row : file.results) {
    const std::string status = results::to_string(row.status);
    counts[status] = counts.value(status, 0) + 1;
  }
  return counts;
}

/// Measures one deck; prints its sentences. Returns what the manifest says of it.
nlohmann::json measure_one(const SuiteRun& run, const StudyCommand& command, const fs::path& folder,
                           const std::optional<double>& budget_s, bool first, std::FILE* log,
                           const Catalogue& catalogue) {
  RunRequest request = request_for(run, command, folder);
  request.follows_own = !first;
  request.machine = (folder / "machine.json").string();
  request.budget_s = budget_s;
  request.talk = log;
  const io::Deck deck = read_deck(run, command);
  DeckRun deck_run = read_deck_run(deck, request, catalogue);
  Progress progress(command.talk, kSecondsBetweenLines);
  measure_deck(deck_run, request, catalogue, progress);
  write_outputs(deck_run);
  const results::ResultFile& file = deck_run.file;
  say(log, "{}", results::format_study(file.results, {}));
  const std::string sentences = results::format_winners(file.results, file.roofline, !kOnDevice);
  say(command.talk, "{}", sentences);
  say(log, "{}", sentences);
  for (const std::string& warning : results::measurement_warnings(file)) {
    say(command.talk, "doubtful: {}\n", warning);
    say(log, "doubtful: {}\n", warning);
  }
  check_rows(deck_run);
  const bool whole = is_whole(deck_run);
  if (whole) deck_run.folder.complete();
  return {{"result", run.name + "/result.json"}, {"rows", count_rows(file)}, {"finished", whole}};
}

/// How a run ended, for the manifest.
struct RunOutcome {
  std::string status;
  nlohmann::json about;
};

/// The same, whatever happens.
RunOutcome try_one(const SuiteRun& run, const StudyCommand& command, const fs::path& folder,
                   const std::optional<double>& budget_s, bool first, std::FILE* log,
                   const Catalogue& catalogue) {
  try {
    nlohmann::json about = measure_one(run, command, folder, budget_s, first, log, catalogue);
    const bool finished = about.at("finished").get<bool>();
    return {finished ? "done" : interrupted() ? "interrupted" : "waiting", std::move(about)};
  } catch (const Interrupted&) {
    return {"interrupted", nlohmann::json::object()};
  } catch (const NothingMeasured& error) {
    return {"waiting", {{"reason", error.what()}}};
  } catch (const Error& error) {
    say(command.talk, "failed: {}\n", error.what());
    return {"failed", {{"reason", error.what()}}};
  }
}

void measure_suite(const StudyCommand& command, const Suite& suite, const Catalogue& catalogue) {
  const Budget budget(command.budget);
  const std::optional<machine::Machine> given = read_given(command);
  io::RunFolder own(folder_request(command, suite, measure::machine_name()));
  own.begin();
  const fs::path folder = own.path();
  Manifest manifest = open_manifest(command, suite, folder);
  FilePointer log = open_log(folder / "log.txt");
  say(command.talk, "study {}: {} runs, into {}\n", suite.name, suite.runs.size(), folder.string());
  write_machine_file(command, suite, given, folder / "machine.json", log.get());
  std::size_t failed = 0;
  std::size_t left = 0;
  std::size_t measured = 0;
  const std::string kind = kind_here();
  const auto taken = [&](const SuiteRun& run) {
    return is_wanted(run, command) && is_for(run, kind);
  };
  auto to_do = static_cast<std::size_t>(std::count_if(suite.runs.begin(), suite.runs.end(), taken));
  const auto study_begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < suite.runs.size(); ++i) {
    const SuiteRun& run = suite.runs[i];
    if (!taken(run)) {
      // What an earlier part of the study did stays noted.
      if (manifest.status(i) == "waiting") {
        manifest.note(i, "skipped",
                      {{"reason", is_wanted(run, command) ? "for a " + run.on : "--only"}});
      }
      continue;
    }
    if (const auto seconds = budget.left(); seconds && *seconds <= 0) {
      manifest.note(i, "waiting", {{"reason", "the time budget was spent"}});
      ++left;
      continue;
    }
    const std::string title = fmt::format("[{}/{}] {}", i + 1, suite.runs.size(), run.name);
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - study_begin;
    say(command.talk, "{}{}\n", title, left_text(so_far.count(), measured, to_do--));
    say(log.get(), "\n{} ({}), {}\n", title, run.deck, results::utc_now());
    flush_output();
    const auto begin = std::chrono::steady_clock::now();
    auto [status, about] =
        try_one(run, command, folder, budget.left(), measured++ == 0, log.get(), catalogue);
    if (status == "waiting") ++left;
    if (status == "failed") ++failed;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    about["seconds"] = manifest.seconds(i) + seconds.count();
    say(log.get(), "{}: {}, {}\n", run.name, status, duration_text(seconds.count()));
    std::fflush(log.get());
    manifest.note(i, status, about);
    if (interrupted()) throw Interrupted{};
  }
  say(command.talk, "study {}: {}; compare machines with tools/compare.py {}\n", suite.name,
      folder.string(), folder.string());
  if (left > 0) {
    say(command.talk,
        "{} runs are not finished: the time budget was spent; continue with --resume\n", left);
  }
  if (command.json) say("{}\n", io::json_text(manifest.json(), 2));
  const bool sound = std::ferror(log.get()) == 0;
  const bool closed = std::fclose(log.release()) == 0;  // writes what is left
  require(sound && closed, "cannot write {}: a part of it is missing",
          (folder / "log.txt").string());
  require(failed == 0, "{} of {} runs failed: {} says why", failed, suite.runs.size(),
          (folder / "manifest.json").string());
  if (left == 0) own.complete();
}

void study(StudyCommand& command, const Catalogue& catalogue) {
  require(!command.suite.empty(),
          "study requires a suite of decks: begin with tessera study inputs/study.toml --dry-run");
  if (command.json) command.talk = stderr;  // what a program reads stands alone on stdout
  const std::filesystem::path path = find_input(kSuiteFile, command.suite);
  require_deck_of("study", io::Deck::from_file(path));
  const Suite suite = read_suite(path);
  catch_interrupts();
  require(std::any_of(suite.runs.begin(), suite.runs.end(),
                      [&](const SuiteRun& run) { return is_wanted(run, command); }),
          "--only leaves no run of {}", suite.path.string());
  if (!command.platform.empty()) {  // it is a part of the usual folder's name
    static_cast<void>(io::file_name_of(command.platform, "--platform"));
  }
  if (!command.predict.empty()) return predict_suite(command, suite, catalogue);
  if (command.dry_run) return plan_suite(command, suite, catalogue);
  measure_suite(command, suite, catalogue);
}

}  // namespace

void add_study_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<StudyCommand>();
  CLI::App* sub = app.add_subcommand(
      "study", "Run the decks of a suite and keep all of a machine in one folder");
  sub->add_option("suite", command->suite,
                  "Suite (TOML): a path, or one of inputs/, which is found from any directory");
  sub->add_option("-o,--output", command->folder,
                  "Folder of this machine's part, which the study makes\n"
                  "(default: out/SUITE-PLATFORM-DATE)");
  sub->add_option("--only", command->only, "Glob over the names of runs (may be repeated)")
      ->allow_extra_args(false);
  sub->add_option("--set", command->overrides,
                  "Override a key in every deck: --set measure.repetitions=9 (may be repeated)")
      ->allow_extra_args(false);
  sub->add_option("--platform", command->platform,
                  "Name of this machine: of the usual folder, and in its files");
  sub->add_option("-m,--machine", command->machine,
                  "Machine file of this machine, instead of measuring one first");
  sub->add_flag(
      "--resume", command->resume,
      "Continue a study, the newest or that of --output: rows that are finished are kept.\n"
      "Refused if suite or binary differ, and run by run if deck or machine do");
  sub->add_option(
      "--time-budget", command->budget,
      "Start nothing new after 20m, 1.5h ...; what was measured is kept, --resume continues");
  sub->add_flag("--json", command->json, "Print the manifest and nothing else on stdout");
  sub->add_flag("--dry-run", command->dry_run,
                "Show plan and memory of every deck that this kind of machine runs;\n"
                "measure and write nothing. Refuses the folders that the study would");
  sub->add_option("--predict", command->predict,
                  "Run nothing: write the predictions for a machine file, or for one of\n"
                  "inputs/machines by its name, into the folder");
  refuse_together(*sub, "--json", {"--dry-run", "--predict"});
  refuse_together(*sub, "--predict", {"--dry-run", "--machine", "--resume", "--time-budget"});
  sub->footer(
      "The folder holds a folder a run with result.json and result.csv, machine.json, log.txt and\n"
      "manifest.json, which says of each run whether it is done. A run that fails does not stop\n"
      "the others; the exit status is then not zero.\n"
      "Examples:\n"
      "  tessera study inputs/study.toml --time-budget 30m\n"
      "  tessera study inputs/study.toml --resume\n"
      "  tessera study inputs/study.toml --predict V100 -o out/predicted\n"
      "  tools/compare.py out/study-*\n"
      "  tools/report.py out/study-* -o out/report.html");
  command->command_line = command_line;
  sub->callback([command, &catalogue] { study(*command, catalogue); });
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// `tessera tune DECK`: the best tile of each variant for the case of a deck.
#include "base/case/deck_keys.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/io/run_folder.hpp"
#include "base/support/console.hpp"
#include "base/support/data_directory.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/progress.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_forms.hpp"
#include "program/cli/deck_options.hpp"
#include "program/cli/options.hpp"
#include "program/measure/machine_info.hpp"
#include "program/predict/inputs.hpp"
#include "program/predict/selection.hpp"
#include "program/results/measurement_warnings.hpp"
#include "program/results/study_table.hpp"
#include "program/run/run.hpp"
#include "program/run/tuned.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace tessera {
namespace {

struct TuneCommand {
  DeckOptions deck;
  std::vector<std::string> variants, exclude;
  std::string winners = "tuned.json", folder, machine;
  double prune = 0;  // 0: not by the models
  std::int64_t steps = 10;
  bool strict = false;
  bool dry_run = false;
  bool json = false;
};

/// What is tuned: cases with the configurations that are tried on each.
struct Search {
  std::vector<std::unique_ptr<Case>> cases;
  std::vector<std::vector<Selected>> tiles;  ///< a case
  StudyOptions options;
  bool redact = false;
  std::string folder;  ///< that is named
};

/// Reads a deck and says what is tried and what is not.
Search read_search(const TuneCommand& command, const io::Deck& deck, const Catalogue& catalogue,
                   std::FILE* talk) {
  keys::check_deck(deck, study_form(catalogue), "tune");
  Search search;
  search.cases = make_cases(deck, catalogue.families);
  const Patterns patterns =
      built(catalogue.variants,
            read_patterns(deck, search.cases.front()->family, {command.variants, command.exclude}));
  const RunKeys how = read_run(deck);
  double& warmup_s = search.options.warmup_s;
  warmup_s = how.warmup_s;
  // A deck's is that of a run, which has fewer tiles.
  if (!deck.where("measure.warmup_s").starts_with("--set ")) warmup_s = std::min(0.2, warmup_s);
  search.redact = how.redact;
  search.folder = io::folder_named(deck, command.folder);
  std::optional<machine::Machine> machine;
  if (command.prune > 0) {
    require(!command.machine.empty(),
            "--prune requires --machine: the machine file whose model predicts");
    const std::filesystem::path path = find_input(kMachineFile, command.machine);
    machine = machine::read_machine(path);
    require_kind_here(machine->kind, path.string());
  }
  const std::vector<Selected> all =
      catalogue.variants.select(patterns.variants, patterns.exclude, kThisKind);
  require(!all.empty(), "select.exclude and --exclude leave no variant");
  for (const auto& c : search.cases) {
    search.tiles.push_back(tiles_to_try(*c, all, command.steps, talk));
    if (machine) prune_by_model(*c, search.tiles.back(), *machine, command.prune, talk);
  }
  return search;
}

/// `kept`: the winners are in their file.
void say_winners(const TuneCommand& command, const std::string& deck,
                 const std::vector<Winner>& best, bool several, bool kept,
                 const io::RunFolder& folder, std::FILE* talk) {
  say(talk, "\n");
  for (const Winner& e : best) {
    say(talk, "winner  {}:{}  {:.4g} GCell/s{}{}\n", e.variant, e.configuration, e.gcell_per_s,
        several ? "  " + e.stencil : "",
        e.rival ? "; within the spread of " + *e.rival + (command.strict ? ": not kept" : "") : "");
  }
  if (!folder.is_none()) {
    say(talk, "results: {0}; draw them: tools/report.py {0}\n",
        folder.file("result.json").string());
  }
  if (!kept) return;
  say(talk, "winners: {}; use them: tessera run {} --tuned {}\n", command.winners, deck,
      command.winners);
}

/// The rows so far of an interrupted search go into the result file, as those of `run` do; the
/// winners of earlier stencils are in their file, this one's are not printed. Throws Interrupted.
[[noreturn]] void stop(const TuneCommand& command, const io::RunFolder& folder,
                       results::ResultFile& file, const StudyRows& rows, std::FILE* talk) {
  const bool sampled =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !row.samples_s.empty(); });
  if (!sampled) throw Interrupted{};  // what earlier stencils gave is written
  say(talk, "interrupted: no winner of {} is written to {}\n", rows.front().stencil,
      command.winners);
  file.results.insert(file.results.end(), rows.begin(), rows.end());
  if (command.json) say("{}\n", io::json_text(results::to_json(file), 2));
  if (!folder.is_none()) {
    const std::filesystem::path path = folder.file("result.json");
    results::write_json(file, path);
    say(talk, "results so far: {}\n", path.string());
  }
  throw Interrupted{};
}

void tune(const TuneCommand& command, const std::string& command_line, const Catalogue& catalogue) {
  // What a program reads stands alone on stdout.
  std::FILE* talk = command.json ? stderr : stdout;
  const io::Deck deck = command.deck.read();
  catch_interrupts();  // not before: a deck may be a pipe without a writer
  nothing_to_save();
  Search search = read_search(command, deck, catalogue, talk);
  if (path_exists(command.winners)) static_cast<void>(read_tuned(command.winners));
  results::ResultFile file;
  file.date = results::utc_now();
  file.command_line = command_line;
  file.machine = measure::machine_metadata(search.redact);
  file.build = measure::build_metadata();
  file.deck = deck.to_json();
  const io::FolderRequest wanted{.folder = search.folder,
                                 .command = "tune",
                                 .deck = deck.name(),
                                 .platform = file.machine.at("name").get<std::string>(),
                                 .command_line = command_line,
                                 .identity = nlohmann::json::object()};
  const bool writes = !command.json || !search.folder.empty();
  if (command.dry_run) {
    if (writes) io::require_possible_folder(wanted);
    for (const auto& tiles : search.tiles) {
      for (const Selected& s : tiles) say(talk, "to try  {}\n", s.full_name());
    }
    return;
  }
  for (std::size_t i = 0; i < search.cases.size(); ++i) {
    search.cases[i]->select(search.tiles[i]);
    require_memory(*search.cases[i]);
  }
  // What was measured must not be lost to a file that cannot be written.
  io::require_writable_file(command.winners);
  io::RunFolder folder;
  if (writes) folder = io::RunFolder(wanted);
  search.options.seed = fresh_seed();
  std::vector<Winner> best;
  std::string unwritten;  // why the winners could not be
  Progress progress(talk, kSecondsBetweenLines);
  for (std::size_t i = 0; i < search.cases.size(); ++i) {
    std::unique_ptr<Case>& c = search.cases[i];
    auto rows = run_study(*c, search.tiles[i], catalogue.variants, search.options, std::nullopt,
                          [&](double part, const auto& text) { progress.update(part, text); });
    progress.clear();
    if (interrupted()) stop(command, folder, file, rows, talk);
    const auto fastest = winners(winner_of(*c), rows, file.date);
    std::vector<Winner> decided = fastest;
    if (command.strict) std::erase_if(decided, [](const Winner& w) { return w.rival.has_value(); });
    try {
      write_tuned(command.winners, decided);
    } catch (const Error& error) {  // the table and the rows come all the same
      unwritten = error.what();
    }
    rows = results::best_first(std::move(rows));
    say(talk, "{}", results::format_study(rows, {80, true, {}}));
    best.insert(best.end(), fastest.begin(), fastest.end());
    file.results.insert(file.results.end(), rows.begin(), rows.end());
    if (!folder.is_none()) results::write_json(file, folder.file("result.json"));
    c.reset();  // with its fields
  }
  say_winners(command, deck.name(), best, search.cases.size() > 1, unwritten.empty(), folder, talk);
  folder.complete();
  if (command.json) say("{}\n", io::json_text(results::to_json(file), 2));
  require(unwritten.empty(), "cannot keep the winners: {}", unwritten);
  const std::vector<std::string> warnings = results::measurement_warnings(file);
  for (const std::string& warning : warnings) say(talk, "doubtful: {}\n", warning);
  const auto undecided =
      std::count_if(best.begin(), best.end(), [](const Winner& w) { return w.rival.has_value(); });
  if (command.strict && (undecided > 0 || !warnings.empty())) {
    throw Doubtful(fmt::format(
        "{} winners within the spread of another tile, {} reasons to doubt these measurements "
        "(--strict)",
        undecided, warnings.size()));
  }
}

}  // namespace

void add_tune_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App* sub =
      app.add_subcommand("tune", "Find each variant's best tile for the case of a deck");
  command->deck.add_to(*sub);
  add_selection_options(*sub, command->variants, command->exclude);
  sub->add_option("-w,--winners", command->winners,
                  "File of winners: entries of this machine, build and problem are replaced")
      ->capture_default_str();
  sub->add_option("-o,--output", command->folder,
                  "Folder of the results, which the search makes: result.json has every tile's\n"
                  "samples. Instead of output.directory or out/DECK-PLATFORM-DATE");
  sub->add_option("--steps", command->steps, "Time steps of a sample, at most the deck's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20))
      ->check(whole_number<std::int64_t>)
      ->capture_default_str();
  sub->add_option("--prune", command->prune,
                  "Run only what is predicted within this factor of the best, by --machine")
      ->check(CLI::Range(1.0, 100.0))
      ->check(finite_number);
  sub->add_option("--machine", command->machine, "With --prune: this machine's file");
  refuse_without(*sub, "--prune", {"--machine"});
  sub->add_flag(
      "--strict", command->strict,
      "Keep no winner whose lead is within the spread of its samples and the next tile's;\n"
      "exit status 3 where there is one, or where the measurements are doubtful");
  sub->add_flag("--dry-run", command->dry_run,
                "Show what would be tried and what the plans rule out");
  sub->add_flag(
      "--json", command->json,
      "Print the result file with every tile and nothing else on stdout; without --output\n"
      "no folder is made");
  sub->footer(
      "Configurations that cannot run, that leave units of the machine without a team, or that\n"
      "move over twice the elements of the variant's best by their plan are not tried. The others\n"
      "are verified and timed. Nothing is tuned within `run`: it takes what --tuned names.\n"
      "Examples:\n"
      "  tessera tune inputs/fang-37-random.toml -v 'ete/base_simd_blocked' -o out/tune\n"
      "  tessera tune inputs/quick.toml --dry-run\n"
      "  tessera tune inputs/fang-37-random.toml --machine H100 --prune 1.2\n"
      "  tessera run inputs/quick.toml --tuned tuned.json\n"
      "  tools/report.py out/tune --svg out/figures");
  sub->callback([command, command_line, &catalogue] { tune(*command, command_line, catalogue); });
}

}  // namespace tessera

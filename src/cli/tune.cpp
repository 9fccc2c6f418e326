// SPDX-License-Identifier: Apache-2.0
// `tessera tune DECK`: the best tile of each variant for the case of a deck.
#include "cli/commands.hpp"
#include "cli/deck_options.hpp"
#include "io/atomic_file.hpp"
#include "io/json_file.hpp"
#include "io/output_lock.hpp"
#include "measure/device.hpp"
#include "measure/machine_info.hpp"
#include "study/plans.hpp"
#include "study/predict.hpp"
#include "study/prune.hpp"
#include "study/report.hpp"
#include "study/run.hpp"
#include "study/tuned.hpp"
#include "support/console.hpp"
#include "support/data_directory.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/interrupt.hpp"
#include "support/progress.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace tessera {
namespace {

struct TuneCommand {
  DeckOptions deck;
  std::vector<std::string> variants, exclude;
  std::string winners = "tuned.json", output, machine;
  double prune = 0;  // 0: not by the models
  std::int64_t steps = 10;
  bool dry_run = false;
  bool json = false;
};

/// A tile whose modelled traffic is so much above the least of its variant is not tried.
constexpr double kMostTraffic = 2;

/// Elements that a plan moves through caches and device memory, a cell.
double traffic(const Plan& p) { return p.loads + p.stores; }

/// Teams that must be there to use the whole machine: its multiprocessors, or its threads.
std::int64_t units() {
  if constexpr (kOnDevice) return measure::device_properties().units;
  return ExecSpace().concurrency();
}

/// Drops what the plans rule out, and says why, a line each.
void prune(const Case& c, std::vector<Selected>& selection, std::FILE* talk) {
  const std::string& decomposition = c.decompositions.front();
  std::map<std::string, double> least;
  std::map<std::string, bool> fills;  // variants of which one configuration has enough teams
  const auto plan_of = [&](const Selected& s) {
    return plan_of_regions(s, c.regions(decomposition), c.problem());
  };
  const std::int64_t wanted = units();
  for (const Selected& s : selection) {
    const Plan p = plan_of(s);
    if (!p.supported()) continue;
    const std::string name = s.variant->full_name();
    const auto [found, is_new] = least.emplace(name, traffic(p));
    if (!is_new) found->second = std::min(found->second, traffic(p));
    fills[name] = fills[name] || p.league >= wanted;
  }
  std::erase_if(selection, [&](const Selected& s) {
    const Plan p = plan_of(s);
    const std::string name = s.variant->full_name();
    std::string why;
    if (!p.supported()) {
      why = "unsupported: " + p.unsupported;
    } else if (fills[name] && p.league < wanted) {
      why = fmt::format("{} teams for {} units", p.league, wanted);
    } else if (traffic(p) > kMostTraffic * least[name]) {
      why = fmt::format("{:.1f} elements a cell, another tile has {:.1f}", traffic(p), least[name]);
    }
    if (!why.empty()) say(talk, "pruned  {:<44} {}\n", s.full_name(), why);
    return !why.empty();
  });
}

/// Drops what the machine's model predicts to be slower than `factor` times the best, a line each.
/// What has no prediction is kept.
void prune_by_model(const Case& c, std::vector<Selected>& selection,
                    const measure::Machine& machine, double factor, std::FILE* talk) {
  std::vector<double> predicted;
  const model::MachineModel target = model_for(machine, c);
  for (const Selected& s : selection) {
    const TrafficPrediction p = predict_traffic(c, s, c.decompositions.front(), target);
    predicted.push_back(p.unsupported.empty() ? p.step_s : 0);
  }
  const std::vector<bool> kept = within(predicted, factor);
  std::vector<Selected> left;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    if (kept[i]) {
      left.push_back(selection[i]);
    } else {
      say(talk, "pruned  {:<44} predicted {:.4g} ms\n", selection[i].full_name(),
          1e3 * predicted[i]);
    }
  }
  say(talk,
      "predicted within {:.4g} of the best: {} of {}; how often the fastest is among them: "
      "tessera predict --study FOLDER --prune {:.4g}\n",
      factor, left.size(), selection.size(), factor);
  selection = std::move(left);
}

/// "32", "16", "full" of "32x16xfull,chunk=120".
std::vector<std::string> extents_of(const std::string& configuration) {
  std::vector<std::string> parts(1);
  for (const char c : configuration.substr(0, configuration.find(','))) {
    if (c == 'x') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Rates of a variant over the y and z extents of its tiles, where it has a grid of them.
void print_map(const std::string& variant, const std::vector<measure::Result>& rows,
               std::FILE* talk) {
  std::map<std::pair<std::string, std::string>, double> rate;
  std::vector<std::string> ys, zs;
  const auto note = [](std::vector<std::string>& list, const std::string& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  for (const measure::Result& row : rows) {
    const auto parts = extents_of(row.configuration);
    if (row.variant != variant || !row.gcell_per_s || parts.size() != 3) continue;
    if (row.configuration.find(',') != std::string::npos) continue;
    note(ys, parts[1]);
    note(zs, parts[2]);
    double& best = rate[{parts[1], parts[2]}];  // of several decompositions and x extents
    best = std::max(best, row.gcell_per_s->median);
  }
  if (ys.size() < 2 || zs.size() < 2) return;
  const auto by_number = [](const std::string& a, const std::string& b) {
    const auto value = [](const std::string& s) { return s == "full" ? 1 << 30 : std::stoi(s); };
    return value(a) < value(b);
  };
  std::sort(ys.begin(), ys.end(), by_number);
  std::sort(zs.begin(), zs.end(), by_number);
  say(talk, "\n{}: GCell/s by block, y down, z across\n{:>8}", variant, "");
  for (const auto& z : zs) say(talk, " {:>8}", z);
  say(talk, "\n");
  for (const auto& y : ys) {
    say(talk, "{:>8}", y);
    for (const auto& z : zs) {
      const auto found = rate.find({y, z});
      say(talk, " {:>8}", found == rate.end() ? "-" : fmt::format("{:.3g}", found->second));
    }
    say(talk, "\n");
  }
}

/// Rates, best first, then maps over the tiles.
void print_rates(std::vector<measure::Result>& results, std::FILE* talk) {
  std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    const auto rate = [](const measure::Result& r) {
      return r.gcell_per_s ? r.gcell_per_s->median : 0;
    };
    return rate(a) > rate(b);
  });
  say(talk, "\n{:<48} {:<16} {:>10}  {}\n", "variant:configuration", "regions", "GCell/s",
      "remark");
  for (const measure::Result& row : results) {
    say(talk, "{:<48} {:<16} {:>10}  {}\n", full_name(row), row.decomposition,
        row.gcell_per_s ? fmt::format("{:.4g}", row.gcell_per_s->median) : "-", row.reason);
  }
  std::set<std::string> variants;
  for (const measure::Result& row : results) variants.insert(row.variant);
  for (const std::string& variant : variants) print_map(variant, results, talk);
}

/// What can be tried on a case; prints it, and what the plans rule out.
std::vector<Selected> tiles_to_try(Case& c, const std::vector<Selected>& all, std::int64_t steps,
                                   std::FILE* talk) {
  std::vector<Selected> selection = all;
  std::erase_if(selection, [&](const Selected& s) { return !s.variant->computes(c.stencil); });
  require(!selection.empty(), "the selection leaves no variant that computes {}", c.stencil);
  c.steps = std::min(c.steps, steps);
  print_case(c, selection, talk);
  prune(c, selection, talk);
  require(!selection.empty(), "nothing that was selected can run here");
  return selection;
}

void tune(const TuneCommand& command, const std::string& command_line, const Catalogue& catalogue) {
  // What a program reads stands alone on stdout.
  std::FILE* talk = command.json ? stderr : stdout;
  io::Deck deck = command.deck.read();
  catch_interrupts();  // not before: a deck may be a pipe that nobody writes into
  nothing_to_save();
  std::vector<std::unique_ptr<Case>> cases = make_cases(deck, catalogue.families);
  auto patterns =
      deck.get<std::vector<std::string>>("select.variants", {cases.front()->family + "/*"});
  auto exclude = deck.get<std::vector<std::string>>("select.exclude", {});
  if (!command.variants.empty()) patterns = command.variants;
  exclude.insert(exclude.end(), command.exclude.begin(), command.exclude.end());
  StudyOptions options;
  options.warmup_s = std::min(0.2, deck.get_in("measure.warmup_s", options.warmup_s, 0.0, 3600.0));
  const bool redact = deck.get("output.redact", false);
  for (const char* table :
       {"model", "shot", "source", "receivers", "snapshots", "fit", "measure", "output"}) {
    deck.allow(table);
  }
  deck.allow("parallel");
  deck.reject_unknown();
  std::optional<measure::Machine> machine;
  if (command.prune > 0) {
    require(!command.machine.empty(),
            "--prune wants --machine: the machine file whose model predicts");
    machine = measure::read_machine(find_input(kMachineFile, command.machine));
  }
  const std::vector<Selected> all = catalogue.variants.select(patterns, exclude, kThisKind);
  std::vector<std::vector<Selected>> selections;
  for (const auto& c : cases) {
    selections.push_back(tiles_to_try(*c, all, command.steps, talk));
    if (machine) prune_by_model(*c, selections.back(), *machine, command.prune, talk);
  }
  if (command.dry_run) {
    for (const auto& selection : selections) {
      for (const Selected& s : selection) say(talk, "to try  {}\n", s.full_name());
    }
    return;
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i]->select(selections[i]);
    require_memory(*cases[i]);
  }
  // What was measured must not be lost to a file that cannot be written.
  io::require_writable_file(command.winners);
  if (path_exists(command.winners)) static_cast<void>(read_tuned(command.winners));
  const auto locks = io::claim_outputs({command.output}, {deck.name(), command.winners});
  options.seed =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  measure::ResultFile file;
  file.date = measure::utc_now();
  file.command_line = command_line;
  file.machine = measure::machine_metadata(redact);
  file.build = measure::build_metadata();
  file.deck = deck.to_json();
  std::vector<TunedEntry> best;
  Progress progress(talk, kSecondsBetweenLines);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto rows = run_study(*cases[i], selections[i], catalogue.variants, options, std::nullopt,
                          [&](double part, const auto& text) { progress.update(part, text); });
    progress.clear();
    // The winners of earlier stencils are in the file.
    if (interrupted()) throw Interrupted{};
    const auto fastest = winners(tuned_key(*cases[i]), rows, file.date);
    write_tuned(command.winners, fastest);
    print_rates(rows, talk);
    best.insert(best.end(), fastest.begin(), fastest.end());
    file.results.insert(file.results.end(), rows.begin(), rows.end());
    if (!command.output.empty()) measure::write_json(file, command.output);
    cases[i].reset();  // with its fields
  }
  say(talk, "\n");
  for (const TunedEntry& e : best) {
    say(talk, "winner  {}:{}  {:.4g} GCell/s{}\n", e.variant, e.configuration, e.gcell_per_s,
        cases.size() > 1 ? "  " + e.key.stencil : "");
  }
  if (!command.output.empty()) {
    say(talk, "results: {}; draw them: tools/plot_tune.py {}\n", command.output, command.output);
  }
  say(talk, "winners: {}; use them: tessera run {} --tuned {}\n", command.winners, deck.name(),
      command.winners);
  if (command.json) say("{}\n", io::json_text(measure::to_json(file), 2));
}

}  // namespace

void add_tune_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App* sub =
      app.add_subcommand("tune", "Find each variant's best tile for the case of a deck");
  command->deck.add_to(*sub);
  add_selection_options(*sub, command->variants, command->exclude);
  sub->add_option(
         "-w,--winners", command->winners,
         "File of winners: entries of this device, stencil, size and precision are replaced")
      ->capture_default_str();
  sub->add_option("-o,--output", command->output, "Result file with every tile's samples");
  sub->add_option("--steps", command->steps, "Time steps of a sample, at most the deck's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20))
      ->capture_default_str();
  sub->add_option("--prune", command->prune,
                  "Run only what is predicted within this factor of the best, by --machine")
      ->check(CLI::Range(1.0, 100.0));
  sub->add_option("--machine", command->machine, "With --prune: this machine's file");
  sub->add_flag("--dry-run", command->dry_run,
                "Show what would be tried and what the plans rule out");
  sub->add_flag("--json", command->json,
                "Print the result file with every tile and nothing else on stdout");
  sub->footer(
      "Configurations that cannot run, that leave units of the machine without a team, or that\n"
      "move over twice the elements of the variant's best by their plan are not tried. The others\n"
      "are verified and timed. Nothing is tuned within `run`: it takes what --tuned names.\n"
      "Examples:\n"
      "  tessera tune inputs/fang-37-random.toml -v 'ete/base_simd_blocked' -o out/tune.json\n"
      "  tessera tune inputs/quick.toml --dry-run\n"
      "  tessera tune inputs/fang-37-random.toml --machine H100 --prune 1.2\n"
      "  tessera run inputs/quick.toml --tuned tuned.json\n"
      "  tools/plot_tune.py out/tune.json");
  sub->callback([command, command_line, &catalogue] { tune(*command, command_line, catalogue); });
}

}  // namespace tessera

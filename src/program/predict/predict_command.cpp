// SPDX-License-Identifier: Apache-2.0
// `tessera predict DECK --machine K20`: volumes and times by the traffic models, without a device.
#include "base/comm/parallel.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/keys/table.hpp"
#include "base/support/console.hpp"
#include "base/support/data_directory.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_forms.hpp"
#include "program/cli/deck_options.hpp"
#include "program/cli/options.hpp"
#include "program/predict/inputs.hpp"
#include "program/predict/predict.hpp"
#include "program/predict/predict_ranks.hpp"
#include "program/predict/prediction_tables.hpp"
#include "program/predict/selection.hpp"
#include "program/predict/stored_rows.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {
namespace {

struct PredictCommand {
  DeckOptions deck;
  std::vector<std::string> variants, exclude;
  std::string machine, registers, output, network, study;
  std::vector<std::string> ranks;
  bool explain = false;
  bool json = false;
};

/// The predictions of a case and, where they are requested, their explanations.
void print_case(const PredictCommand& command, const Case& c, const std::vector<PredictedRow>& rows,
                const machine::Machine& machine,
                const std::vector<measure::KernelResources>& registers) {
  say("{}", prediction_tables(c, rows, machine));
  if (!command.explain) return;
  for (const PredictedRow& row : rows) {
    if (!row.prediction.unsupported.empty() || row.prediction.attainable) continue;
    say("{}", explained(c, row.how, row.decomposition, model_for(machine, c), registers));
  }
}

/// Grids of ranks, and the network that connects them.
struct Scaling {
  std::vector<std::array<int, 3>> grids;
  model::Network network;
};

/// What --ranks and --network say; nothing where neither is there.
std::optional<Scaling> read_scaling(const PredictCommand& command, const io::Deck& deck) {
  if (command.ranks.empty() && command.network.empty()) return std::nullopt;
  require(!command.ranks.empty(), "--network requires --ranks, the grid of ranks");
  require(!command.network.empty(), "--ranks requires --network, what connects the ranks");
  Scaling scaling;
  for (const std::string& text : command.ranks) {
    scaling.grids.push_back(comm::parse_parts(text, "--ranks"));
    require_predictable_ranks(scaling.grids.back());
    require(std::find(scaling.grids.begin(), scaling.grids.end() - 1, scaling.grids.back()) ==
                scaling.grids.end() - 1,
            "--ranks: {} is listed twice", text);
  }
  scaling.network = model::read_network(deck.find_beside(kNetworkFile, command.network));
  return scaling;
}

/// The case on grids of ranks that a network connects.
void predict_ranks(const PredictCommand& command, const io::Deck& deck, const Catalogue& catalogue,
                   const std::vector<Selected>& selection, const machine::Machine& machine,
                   const Scaling& scaling, const std::vector<measure::KernelResources>& registers) {
  const model::Network& network = scaling.network;
  const nlohmann::json rows =
      predict_ranks_rows(deck, catalogue, selection, machine, network, scaling.grids, registers);
  if (command.json) {
    say("{}\n", io::json_text(rows, 2));
  } else {
    say("{} on {} ({})\n\n{}", deck.name(), machine.device, network.name, ranks_table(rows));
  }
  if (!command.output.empty()) {
    const nlohmann::json file = {{"schema", "tessera-scaling-1"},
                                 {"deck", deck.name()},
                                 {"machine", machine.name},
                                 {"network", network.name},
                                 {"rows", rows}};
    io::write_atomically(command.output, io::json_text(file, 1) + "\n");
  }
}

/// Prints stored rows with predictions beside; runs nothing.
void predict_study(const PredictCommand& command, const Catalogue& catalogue) {
  require(command.deck.path.empty(), "--study reads result files and takes no deck");
  const std::filesystem::path folder = command.study;
  const std::string machine_path = command.machine.empty()
                                       ? (folder / "machine.json").string()
                                       : find_input(kMachineFile, command.machine).string();
  const machine::Machine machine = machine::read_machine(machine_path);
  // The compiler's table lies beside the results where there is one.
  std::string table = command.registers;
  if (table.empty() && path_exists(folder / "resources.csv"))
    table = (folder / "resources.csv").string();
  std::vector<measure::KernelResources> registers;
  if (!table.empty())
    registers = measure::read_kernel_resources(find_input(kKernelResources, table));
  const StoredStudy study = read_study(folder, catalogue.variants);
  say("{}\n", io::json_text(predictions_of(study, machine, registers), 2));
}

void predict(const PredictCommand& command, const Catalogue& catalogue) {
  if (!command.study.empty()) return predict_study(command, catalogue);
  require(!command.machine.empty(),
          "predict requires --machine, a machine file or the name of one");
  const io::Deck deck = command.deck.read();
  keys::check_deck(deck, study_form(catalogue), "predict");
  const std::vector<std::unique_ptr<Case>> cases = make_cases(deck, catalogue.families);
  const Patterns patterns =
      read_patterns(deck, cases.front()->family, {command.variants, command.exclude});
  const std::optional<results::Published> published = read_deck_published(deck);
  const machine::Machine machine =
      machine::read_machine(deck.find_beside(kMachineFile, command.machine));
  std::vector<measure::KernelResources> registers;
  if (!command.registers.empty()) {
    registers =
        measure::read_kernel_resources(deck.find_beside(kKernelResources, command.registers));
  }
  const std::optional<Scaling> scaling = read_scaling(command, deck);
  if (!command.output.empty()) io::require_writable_file(command.output);
  const auto selection = catalogue.variants.select(
      patterns.variants, patterns.exclude, model::machine_limits(machine).kind, Tiles::planned);
  if (scaling) {
    predict_ranks(command, deck, catalogue, selection, machine, *scaling, registers);
    return;
  }
  nlohmann::json all = nlohmann::json::array();
  nlohmann::json by_case = nlohmann::json::array();
  for (const std::unique_ptr<Case>& c : cases) {
    auto rows = predict_rows(*c, selection, model_for(machine, *c), registers);
    if (published) set_published(rows, *c, *published);
    for (const PredictedRow& row : rows) all.push_back(row.json);
    by_case.push_back(predicted_case_json(*c, rows));
    if (command.json) continue;
    print_case(command, *c, rows, machine, registers);
    if (published) say("{}", beside_published(*c, rows, *published, machine));
  }
  if (command.json) say("{}\n", io::json_text(all, 2));
  if (!command.output.empty()) {
    io::write_atomically(command.output, prediction_file_text(machine, by_case));
  }
}

}  // namespace

void add_predict_command(CLI::App& app, const Catalogue& catalogue,
                         const std::string& /*command_line*/) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App* sub = app.add_subcommand(
      "predict", "Predict volumes and times on a machine; needs no device and runs nothing");
  command->deck.add_to(*sub);
  sub->add_option(
      "-m,--machine", command->machine,
      "Machine file, or the name of one in inputs/machines (K20, H100, ...), which is found\n"
      "from any directory; with --study also the folder's machine.json");
  add_selection_options(*sub, command->variants, command->exclude);
  sub->add_option(
      "--registers", command->registers,
      "Table of the device compiler's report (ci/resources.sh): occupancy by registers");
  sub->add_option("--ranks", command->ranks,
                  "Ranks along x, y and z: weak and strong scaling on them, as in 8x8x16,\n"
                  "at most a million (may be repeated)")
      ->allow_extra_args(false);
  sub->add_option("--network", command->network,
                  "What connects the ranks: a network file, or the name of one in inputs/networks");
  sub->add_flag("--explain", command->explain,
                "Print the paper's Table 2, line by line, with the numbers filled in");
  sub->add_option("--study", command->study,
                  "A folder of result files, in place of a deck: JSON of each row with its\n"
                  "prediction, which tools/model_error.py judges");
  sub->add_flag("--json", command->json, "Print JSON");
  sub->add_option("-o,--output", command->output,
                  "Also write the predictions to a file, which tools/compare.py reads; those\n"
                  "with --ranks are of schema tessera-scaling-1, which it does not");
  refuse_together(
      *sub, "--study",
      {"--set", "--variants", "--exclude", "--ranks", "--network", "--explain", "--output"});
  refuse_together(*sub, "--explain", {"--json", "--ranks", "--network"});
  sub->footer(
      "Examples:\n"
      "  tessera predict inputs/su-k20.toml --machine K20 --explain\n"
      "  tessera predict inputs/su-zblock.toml --machine H100\n"
      "  tessera predict inputs/sai-table2.toml --machine V100 -v 'acoustic/st_*'\n"
      "  tessera predict inputs/low-order.toml --machine my-machine.json\n"
      "  tessera predict inputs/low-order.toml --machine V100 -o out/v100.json\n"
      "  tessera predict inputs/scaling-acoustic-weak.toml --machine H100 --ranks 8x8x16 \\\n"
      "    --network dgx-h100\n"
      "  tessera predict --study results/nvidia-h100 --machine H100");
  sub->callback([command, &catalogue] { predict(*command, catalogue); });
}

}  // namespace tessera

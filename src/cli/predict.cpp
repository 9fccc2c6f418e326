// SPDX-License-Identifier: Apache-2.0
// `tessera predict DECK --machine K20`: volumes and times by the traffic models, without a device.
#include "study/predict.hpp"
#include "cli/commands.hpp"
#include "cli/deck_options.hpp"
#include "comm/parallel.hpp"
#include "io/atomic_file.hpp"
#include "io/json_file.hpp"
#include "io/output_lock.hpp"
#include "model/device_model.hpp"
#include "model/host_model.hpp"
#include "model/paper_model.hpp"
#include "results/result_table.hpp"
#include "study/error_report.hpp"
#include "study/inputs.hpp"
#include "study/predict_ranks.hpp"
#include "study/selection.hpp"
#include "support/console.hpp"
#include "support/data_directory.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

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

constexpr double kMiB = 1024.0 * 1024.0;

struct PredictCommand {
  DeckOptions deck;
  std::vector<std::string> variants, exclude;
  std::string machine, registers, output, network, study;
  std::vector<std::string> ranks;
  ErrorReport report;
  bool explain = false;
  bool json = false;
};

/// Table 2 for one configuration, region by region.
void print_explained(const Case& c, const Selected& how, const std::string& decomposition,
                     const model::MachineModel& target,
                     const std::vector<measure::KernelResources>& registers) {
  for (const Region& region : c.regions(decomposition)) {
    const Plan plan = how.variant->plan(how.configuration, region, problem_on(c, target));
    if (!plan.supported() || !model::describes_traffic(plan)) continue;
    const int used =
        registers_of(registers, how, how.variant->configurations[how.configuration].text,
                     c.precision, c.stencil, region);
    const model::Kernel kernel = model::kernel_of(plan, region.box, c.problem().value_bytes, used);
    const model::PaperPrediction paper = model::predict_by_paper(kernel, target);
    say("\n{} {}, region {}, as the paper's Table 2 (units are binary):\n", how.full_name(),
        decomposition, region.name);
    std::vector<std::vector<std::string>> rows = {{"", "model parameter", "source", "value"}};
    for (const model::ExplainedRow& row : model::explain(kernel, target, paper)) {
      rows.push_back({std::to_string(rows.size()), row.parameter, row.source, row.value});
    }
    say("{}", measure::layout_table(rows, 3, 1));
    say("(2)   {:.4g} ms = max(V_GM {:.4g}, V_L2 {:.4g}, V_SMX {:.4g} ms): {} binds\n"
        "(18)  {:.4g} ms = {:.4g} (1 + 1 / {}) / ({:.4g} / {:.4g})\n",
        1e3 * paper.bound_s, 1e3 * paper.seconds.gm, 1e3 * paper.seconds.l2,
        1e3 * paper.seconds.smx, paper.binding, 1e3 * paper.adjusted_s, 1e3 * paper.bound_s,
        paper.groups, paper.residency.occupancy, paper.residency.highest);
    if (model::has_device_constants(target) || model::has_host_constants(target)) continue;
    const model::RefinedPrediction refined = model::predict_refined(kernel, target);
    say("refined model: V_GM {:.2f} MiB ({:.1f} % of the y halo and {:.1f} % of the z halo loaded "
        "again), V_L2 {:.2f} MiB, V_SMX {:.2f} MiB; {:.4g} ms\n",
        refined.volume.gm / kMiB, 100 * refined.reloaded_y, 100 * refined.reloaded_z,
        refined.volume.l2 / kMiB, refined.volume.smx / kMiB, 1e3 * refined.step_s);
  }
}

using Table = std::vector<std::vector<std::string>>;

/// Names, volumes, stage times and `more`, then the stage that binds.
void add_row(Table& table, const std::string& name, const std::string& decomposition,
             const model::ByStage& volume, const model::ByStage& seconds,
             const std::vector<double>& more) {
  std::vector<std::string> row = {name, decomposition};
  for (const double v : {volume.gm, volume.l2, volume.smx}) {
    row.push_back(fmt::format("{:.2f}", v / kMiB));
  }
  for (const double t : {seconds.gm, seconds.l2, seconds.smx}) {
    row.push_back(fmt::format("{:.4g}", 1e3 * t));
  }
  for (const double value : more) row.push_back(fmt::format("{:.4g}", value));
  row.push_back(model::binding_stage(seconds));
  table.push_back(std::move(row));
}

/// The predictions of a case, printed as tables unless JSON is wanted.
void print_case_predictions(const PredictCommand& command, const Case& c,
                            const std::vector<PredictedRow>& rows, const measure::Machine& machine,
                            const std::vector<measure::KernelResources>& registers) {
  Table paper = {{"variant:configuration", "decomposition", "V_GM MiB", "V_L2 MiB", "V_SMX MiB",
                  "GM ms", "L2 ms", "SMX ms", "(2) ms", "(2) no misses", "(18) ms", "binds"}};
  Table refined = {{"variant:configuration", "decomposition", "V_GM MiB", "V_L2 MiB", "V_SMX MiB",
                    "GM ms", "L2 ms", "SMX ms", "joined ms", "GCell/s", "binds"}};
  const model::MachineModel model = model_for(machine, c);
  for (const PredictedRow& row : rows) {
    const TrafficPrediction& p = row.prediction;
    const std::string where = row.decomposition.empty() ? "-" : row.decomposition;
    if (!p.unsupported.empty() || p.attainable) {
      for (Table* table : {&paper, &refined}) {
        table->push_back({row.how.full_name(), where});
        table->back().resize(table->front().size(), "-");
        table->back().back() = p.attainable ? p.remark : p.unsupported;
      }
      if (p.attainable) {
        const double practical = model::practical(p.attainable->cells_per_s, p.valid_share);
        refined.back()[refined.back().size() - 2] = fmt::format("{:.4g}", practical * 1e-9);
      }
      continue;
    }
    add_row(paper, row.how.full_name(), where, p.paper_volume,
            model::stage_times(p.paper_volume, model.bandwidth),
            {1e3 * p.paper_s, 1e3 * p.paper_net_s, 1e3 * p.paper_adjusted_s});
    add_row(refined, row.how.full_name(), where, p.volume, p.seconds,
            {1e3 * p.step_s, c.work().cells / p.step_s * 1e-9});
  }
  say("{} {}, {} x {} x {} cells on {} ({})\n", c.stencil, c.precision, c.n.nx, c.n.ny, c.n.nz,
      machine.device, machine.source);
  if (!model.constants_of.empty()) {
    say("constants of {}: the machine file lacks some of its own\n", model.constants_of);
  }
  const bool host = model::has_host_constants(model);
  if (host && model::measured_core(model, c.problem().value_bytes) == nullptr) {
    say("ports of a core typed, not measured: the machine file has no \"core\" ({})\n",
        c.precision);
  }
  say("\nSu's formulas, as printed, with and without miss ratios and adjusted:\n{}",
      measure::layout_table(paper, 2, 1));
  say("\nrefined model: the formulas refined for caches of today (docs/model.md):\n{}",
      measure::layout_table(refined, 2, 1));
  if (!command.explain) return;
  for (const PredictedRow& row : rows) {
    if (!row.prediction.unsupported.empty() || row.prediction.attainable) continue;
    print_explained(c, row.how, row.decomposition, model, registers);
  }
}

/// One quantity of the deck's published table beside what the models say of it, and their ratio
/// where the column is of the machine asked about; empty where they say nothing.
Table beside(const std::vector<PredictedRow>& rows, const Case& c,
             const measure::Published& published, const std::string& quantity,
             const measure::Machine& machine) {
  const model::MachineModel target = model_for(machine, c);
  Table table = {{"variant:configuration", "decomposition", "predicted"}};
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < published.columns.size(); ++i) {
    const measure::PublishedColumn& column = published.columns[i];
    if (column.quantity != quantity) continue;
    columns.push_back(i);
    table.front().push_back(column.title);
    if (is_of_machine(column, machine.name)) table.front().push_back("predicted / published");
  }
  bool any = false;
  for (const PredictedRow& row : rows) {
    const measure::PublishedRow* printed =
        find_row(published, row.how.full_name(), "", c.stencil, c.precision);
    if (printed == nullptr) continue;
    const auto predicted = predicted_quantity(quantity, row.json, c.work(), target);
    any = any || predicted;
    std::vector<std::string> cells = {
        row.how.full_name(), row.decomposition.empty() ? "-" : row.decomposition,
        predicted ? measure::show_quantity(quantity, *predicted) : "-"};
    for (const std::size_t i : columns) {
      const double value = printed->values[i];
      cells.push_back(measure::show_quantity(quantity, value));
      if (!is_of_machine(published.columns[i], machine.name)) continue;
      cells.push_back(predicted && value > 0 ? fmt::format("{:.2f}", *predicted / value) : "-");
    }
    table.push_back(std::move(cells));
  }
  return any ? table : Table{};
}

/// Every quantity of the deck's published table that the models say something of.
void print_published(const std::vector<PredictedRow>& rows, const Case& c,
                     const measure::Published& published, const measure::Machine& machine) {
  std::vector<std::string> quantities;
  for (const measure::PublishedColumn& column : published.columns) {
    if (std::find(quantities.begin(), quantities.end(), column.quantity) == quantities.end()) {
      quantities.push_back(column.quantity);
    }
  }
  for (const std::string& quantity : quantities) {
    const Table table = beside(rows, c, published, quantity, machine);
    if (table.empty()) continue;
    say("\nbeside {}, {}:\n{}", published.source, measure::label_of(quantity),
        measure::layout_table(table, 2, 1));
  }
}

/// The case on grids of ranks that a network connects.
void predict_ranks(const PredictCommand& command, io::Deck& deck, const Catalogue& catalogue,
                   const std::vector<Selected>& selection, const measure::Machine& machine,
                   const std::vector<measure::KernelResources>& registers) {
  require(!command.ranks.empty(), "--network without --ranks: which grid of ranks?");
  require(!command.network.empty(), "--ranks without --network: what connects them?");
  std::vector<std::array<int, 3>> grids;
  for (const std::string& text : command.ranks) grids.push_back(comm::parse_parts(text, "--ranks"));
  const model::Network network =
      model::read_network(deck.find_beside(kNetworkFile, command.network));
  const nlohmann::json rows =
      predict_ranks_rows(deck, catalogue, selection, machine, network, grids, registers);
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

/// Stored results set against predictions; runs nothing.
void predict_study(PredictCommand command, const Catalogue& catalogue) {
  require(command.deck.path.empty(), "--study reads result files and takes no deck");
  const std::filesystem::path folder = command.study;
  const std::string machine_path = command.machine.empty()
                                       ? (folder / "machine.json").string()
                                       : find_input(kMachineFile, command.machine).string();
  const measure::Machine machine = measure::read_machine(machine_path);
  // The compiler's table lies beside the results where there is one.
  std::string table = command.registers;
  if (table.empty() && path_exists(folder / "resources.csv"))
    table = (folder / "resources.csv").string();
  std::vector<measure::KernelResources> registers;
  if (!table.empty())
    registers = measure::read_kernel_resources(find_input(kKernelResources, table));
  const StoredStudy study = read_study(folder, catalogue.variants);
  const JudgedStudy judged = judge(study, machine, registers);
  command.report.machine = machine.name;
  if (command.json) {
    say("{}\n", io::json_text(error_json(judged, study, command.report), 2));
  } else {
    say("{}", error_table(judged, study, command.report));
  }
}

void predict(const PredictCommand& command, const Catalogue& catalogue) {
  if (!command.study.empty()) return predict_study(command, catalogue);
  require(!command.machine.empty(), "predict wants --machine, a machine file or the name of one");
  io::Deck deck = command.deck.read();
  const std::vector<std::unique_ptr<Case>> cases = make_cases(deck, catalogue.families);
  const Patterns patterns =
      read_patterns(deck, cases.front()->family, {command.variants, command.exclude});
  const std::optional<measure::Published> published = read_deck_published(deck);
  // `run` and `shot` read the rest.
  for (const char* table :
       {"select", "measure", "output", "model", "shot", "source", "receivers", "snapshots"}) {
    deck.allow(table);
  }
  deck.allow("parallel");
  deck.reject_unknown();
  const measure::Machine machine =
      measure::read_machine(deck.find_beside(kMachineFile, command.machine));
  std::vector<measure::KernelResources> registers;
  if (!command.registers.empty()) {
    registers =
        measure::read_kernel_resources(deck.find_beside(kKernelResources, command.registers));
  }
  const auto locks = io::claim_outputs(
      {command.output}, {deck.name(), deck.find_beside(kMachineFile, command.machine)});
  const auto selection = catalogue.variants.select(patterns.variants, patterns.exclude,
                                                   model::machine_limits(machine).kind);
  if (!command.ranks.empty() || !command.network.empty()) {
    predict_ranks(command, deck, catalogue, selection, machine, registers);
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
    print_case_predictions(command, *c, rows, machine, registers);
    if (published) print_published(rows, *c, *published, machine);
  }
  if (command.json) say("{}\n", io::json_text(all, 2));
  if (!command.output.empty()) {
    io::write_atomically(command.output,
                         io::json_text(prediction_file_json(machine, by_case), 1) + "\n");
  }
}

}  // namespace

void add_predict_command(CLI::App& app, const Catalogue& catalogue) {
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
                  "Ranks along x, y and z: weak and strong scaling on them, as in 8x8x16\n"
                  "(may be repeated)")
      ->allow_extra_args(false);
  sub->add_option("--network", command->network,
                  "What connects the ranks: a network file, or the name of one in inputs/networks");
  sub->add_flag("--explain", command->explain,
                "Print the paper's Table 2, line by line, with the numbers filled in");
  sub->add_option(
      "--study", command->study,
      "A folder of result files, in place of a deck: how far predictions are from them,\n"
      "by family");
  sub->add_option("--worst", command->report.worst, "With --study: rows of a family to name")
      ->capture_default_str();
  sub->add_option("--prune", command->report.prune,
                  "With --study: the factor of tune's pruned search that is reported")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  sub->add_flag("--json", command->json, "Print JSON");
  sub->add_option("-o,--output", command->output,
                  "Also write the predictions to a file, which `tessera compare` reads");
  sub->footer(
      "Examples:\n"
      "  tessera predict inputs/su-k20.toml --machine K20 --explain\n"
      "  tessera predict inputs/su-zblock.toml --machine H100\n"
      "  tessera predict inputs/sai-table2.toml --machine V100 -v 'acoustic/st_*'\n"
      "  tessera predict inputs/low-order.toml --machine my-machine.json\n"
      "  tessera predict inputs/low-order.toml --machine V100 -o out/v100.json\n"
      "  tessera predict inputs/scaling-acoustic-weak.toml --machine H100 --ranks 8x8x16 \\\n"
      "    --network dgx-h100\n"
      "  tessera predict --study results/nvidia-h100 --machine H100 --worst 3");
  sub->callback([command, &catalogue] { predict(*command, catalogue); });
}

}  // namespace tessera

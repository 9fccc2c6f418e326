// SPDX-License-Identifier: Apache-2.0
#include "program/predict/prediction_tables.hpp"

#include "base/support/bytes.hpp"
#include "program/predict/host_model.hpp"
#include "program/predict/machine_model.hpp"
#include "program/predict/paper_model.hpp"
#include "program/predict/predict.hpp"
#include "program/results/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

using Table = std::vector<std::vector<std::string>>;

/// Names, volumes, stage times and `more`, then the stage that binds.
void add_row(Table& table, const std::string& name, const std::string& decomposition,
             const model::ByStage& volume, const model::ByStage& seconds,
             const std::vector<double>& more) {
  std::vector<std::string> row = {name, decomposition};
  for (const double v : {volume.gm, volume.l2, volume.smx}) {
    row.push_back(fmt::format("{:.2f}", v / kBytesPerMiB));
  }
  for (const double t : {seconds.gm, seconds.l2, seconds.smx}) {
    row.push_back(fmt::format("{:.4g}", 1e3 * t));
  }
  for (const double value : more) row.push_back(fmt::format("{:.4g}", value));
  row.push_back(model::binding_stage(seconds));
  table.push_back(std::move(row));
}

/// One quantity of the deck's published table beside what the models say of it, and their ratio
/// where the column is of the machine in question; empty where the models give nothing.
Table beside(const std::vector<PredictedRow>& rows, const Case& c,
             const results::Published& published, const std::string& quantity,
             const machine::Machine& machine) {
  const model::MachineModel target = model_for(machine, c);
  Table table = {{"variant:configuration", "decomposition", "predicted"}};
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < published.columns.size(); ++i) {
    const results::PublishedColumn& column = published.columns[i];
    if (column.quantity != quantity) continue;
    columns.push_back(i);
    table.front().push_back(column.title);
    if (is_of_machine(column, machine.name)) table.front().push_back("predicted / published");
  }
  bool any = false;
  for (const PredictedRow& row : rows) {
    const results::PublishedRow* printed =
        find_row(published, row.how.full_name(), "", c.stencil, c.precision);
    if (printed == nullptr) continue;
    const auto predicted = predicted_quantity(quantity, row.json, c.work(), target);
    any = any || predicted;
    std::vector<std::string> cells = {
        row.how.full_name(), row.decomposition.empty() ? "-" : row.decomposition,
        predicted ? results::show_quantity(quantity, *predicted) : "-"};
    for (const std::size_t i : columns) {
      const double value = printed->values[i];
      cells.push_back(results::show_quantity(quantity, value));
      if (!is_of_machine(published.columns[i], machine.name)) continue;
      cells.push_back(predicted && value > 0 ? fmt::format("{:.2f}", *predicted / value) : "-");
    }
    table.push_back(std::move(cells));
  }
  return any ? table : Table{};
}

}  // namespace

std::string prediction_tables(const Case& c, const std::vector<PredictedRow>& rows,
                              const machine::Machine& machine) {
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
        const double practical = p.attainable->cells_per_s * p.valid_share;
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
  std::string out = fmt::format("{} {}, {} x {} x {} cells on {} ({})\n", c.stencil, c.precision,
                                c.n.nx, c.n.ny, c.n.nz, machine.device, machine.source);
  if (!model.constants_of.empty()) {
    out += fmt::format("constants of {}: the machine file lacks some of its own\n",
                       model.constants_of);
  }
  const bool host = model.model == machine::kHostModel;
  if (host && model::measured_core(model, c.problem().value_bytes) == nullptr) {
    out += fmt::format(
        "ports of a core assumed, not measured: the machine file has no \"core\" ({})\n",
        c.precision);
  }
  const auto& judged = machine.model.time_residual;
  out +=
      judged
          ? fmt::format("validated by runs of this machine: times off by {:.0f} % in the mean\n",
                        100 * *judged)
          : "no run of this machine was fitted: not validated, but where docs/model.md judges it\n";
  return out + fmt::format(
                   "\nSu's formulas, as printed, with and without miss ratios and adjusted:\n{}"
                   "\nrefined model: the formulas refined for caches of today (docs/model.md):\n{}",
                   results::layout_table(paper, 2, 1), results::layout_table(refined, 2, 1));
}

std::string beside_published(const Case& c, const std::vector<PredictedRow>& rows,
                             const results::Published& published, const machine::Machine& machine) {
  std::string out;
  std::vector<std::string> quantities;
  for (const results::PublishedColumn& column : published.columns) {
    if (std::find(quantities.begin(), quantities.end(), column.quantity) == quantities.end()) {
      quantities.push_back(column.quantity);
    }
  }
  for (const std::string& quantity : quantities) {
    const Table table = beside(rows, c, published, quantity, machine);
    if (table.empty()) continue;
    out += fmt::format("\nbeside {}, {}:\n{}", published.source, results::label_of(quantity),
                       results::layout_table(table, 2, 1));
  }
  return out;
}

std::string explained(const Case& c, const Selected& how, const std::string& decomposition,
                      const model::MachineModel& target,
                      const std::vector<measure::KernelResources>& registers) {
  std::string out;
  for (const Region& region : c.regions(decomposition)) {
    const Plan plan = how.variant->plan(how.configuration, region, problem_on(c, target));
    if (!plan.supported() || !model::describes_traffic(plan)) continue;
    const int used =
        registers_of(registers, how, how.variant->configuration(how.configuration).text,
                     c.precision, c.stencil, region);
    const model::Kernel kernel = model::kernel_of(plan, region.box, c.problem().value_bytes, used);
    const model::PaperPrediction paper = model::predict_by_paper(kernel, target);
    out += fmt::format("\n{} {}, region {}, as the paper's Table 2 (units are binary):\n",
                       how.full_name(), decomposition, region.name);
    std::vector<std::vector<std::string>> rows = {{"", "model parameter", "source", "value"}};
    for (const model::ExplainedRow& row : model::explain(kernel, target, paper)) {
      rows.push_back({std::to_string(rows.size()), row.parameter, row.source, row.value});
    }
    out += results::layout_table(rows, 3, 1);
    out += fmt::format(
        "(2)   {:.4g} ms = max(V_GM {:.4g}, V_L2 {:.4g}, V_SMX {:.4g} ms): {} binds\n"
        "(18)  {:.4g} ms = {:.4g} (1 + 1 / {}) / ({:.4g} / {:.4g})\n",
        1e3 * paper.bound_s, 1e3 * paper.seconds.gm, 1e3 * paper.seconds.l2,
        1e3 * paper.seconds.smx, paper.binding, 1e3 * paper.adjusted_s, 1e3 * paper.bound_s,
        paper.groups, paper.residency.occupancy, paper.residency.highest);
    if (target.model != machine::kTrafficModel) continue;
    const model::RefinedPrediction refined = model::predict_refined(kernel, target);
    out += fmt::format(
        "refined model: V_GM {:.2f} MiB ({:.1f} % of the y halo and {:.1f} % of the z halo loaded "
        "again), V_L2 {:.2f} MiB, V_SMX {:.2f} MiB; {:.4g} ms\n",
        refined.volume.gm / kBytesPerMiB, 100 * refined.reloaded_y, 100 * refined.reloaded_z,
        refined.volume.l2 / kBytesPerMiB, refined.volume.smx / kBytesPerMiB, 1e3 * refined.total_s);
  }
  return out;
}

}  // namespace tessera

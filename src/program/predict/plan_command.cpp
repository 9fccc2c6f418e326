// SPDX-License-Identifier: Apache-2.0
// `tessera plan STENCIL --machine A100`: how EBISU would block a stencil in time on a machine, or
// Fang ete's host sweeps in space, and why. Needs no device.
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/data_directory.hpp"
#include "program/cli/commands.hpp"
#include "program/predict/attainable.hpp"
#include "program/predict/blocking_order.hpp"
#include "program/predict/layer_condition.hpp"
#include "program/predict/paper_depths.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/published.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {
namespace {

struct PlanCommand {
  std::string stencil, machine = "A100", precision = "double";
  bool json = false;
};

/// The machine that EBISU's figures are of, and a host that was measured: their barriers stand in
/// where the machine file of a GPU or a CPU has none.
constexpr const char* kPapersMachine = "A100";
constexpr const char* kMeasuredHost = "EmeraldRapids";

double giga(double cells_per_s) { return cells_per_s / 1e9; }

/// `mark`: behind what rests on a barrier that is not the machine's own.
void print_candidate(const char* what, const model::Candidate& c, const char* mark = "") {
  say("     {:<14} {} x {}, t = {}: attainable {:.0f} GCell/s ({} binds), valid {:.1f}{} %, "
      "practical {:.0f}{} GCell/s\n",
      what, c.tile_x, c.tile_y, c.t, giga(c.p.cells_per_s), c.p.bottleneck, 100 * c.valid, mark,
      giga(c.practical_cells_per_s), mark);
}

nlohmann::json to_json(const model::Candidate& c) {
  return {{"tile_x", c.tile_x},
          {"tile_y", c.tile_y},
          {"temporal_depth", c.t},
          {"attainable_gcell_per_s", giga(c.p.cells_per_s)},
          {"binding", c.p.bottleneck},
          {"valid_share", c.valid},
          {"practical_gcell_per_s", giga(c.practical_cells_per_s)}};
}

/// The decisions; a depth that no machine reaches is null.
nlohmann::json to_json(const PlanCommand& command, const model::BlockingPlan& plan,
                       const model::BlockingMachine& machine) {
  nlohmann::json parallelism = nlohmann::json::array();
  for (const model::Concurrency& c : plan.parallelism) {
    parallelism.push_back(
        {{"what", c.what}, {"cycles", c.cycles}, {"per_cycle", c.per_cycle}, {"needed", c.needed}});
  }
  const auto finite = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
  };
  return {{"stencil", plan.stencil.name},
          {"precision", command.precision},
          {"machine", machine.name},
          {"barrier_us", machine.sync_s * 1e6},
          {"barrier_of", machine.sync_of.empty() ? machine.name : machine.sync_of},
          {"threads", plan.threads},
          {"ilp", plan.ilp},
          {"parallelism", std::move(parallelism)},
          {"desired_depth", finite(plan.desired)},
          {"deepest", plan.deepest},
          {"temporal_depth", plan.depth},
          {"sm_tiling", to_json(plan.sm)},
          {"device_tiling", to_json(plan.device)},
          {"uses_device_tiling", plan.uses_device_tiling},
          {"wide_tile", finite(plan.wide_tile)},
          {"addresses", plan.computed_addresses ? "computed" : "shifted"}};
}

void print_parallelism(const model::BlockingPlan& plan) {
  say("\n  1. parallelism (6.1, equations 13 to 16): {} threads x {} = {} in flight\n",
      plan.threads, plan.ilp, plan.threads * plan.ilp);
  if (plan.parallelism.empty()) {
    say("     the machine file has no latencies: the paper's eighth of the threads times 4 is "
        "taken "
        "over\n");
  }
  for (const model::Concurrency& c : plan.parallelism) {
    say("     {:<22} {:>4.0f} cycles x {:>5.2f} a cycle = {:>4.0f} needed\n", c.what, c.cycles,
        c.per_cycle, c.needed);
  }
}

void print_depth(const model::BlockingPlan& plan, const model::BlockingMachine& machine,
                 int bytes) {
  const model::TemporalStencil& s = plan.stencil;
  const bool flat = s.dims == 2;
  say("\n  2. depth (6.2, equation {}): scratch becomes the bottleneck from t = {} on\n",
      flat ? "17" : "19",
      std::isfinite(plan.desired) ? fmt::format("{:.2f}", plan.desired) : "infinity");
  if (std::isfinite(plan.desired)) {
    const double t = std::ceil(plan.desired);
    say("     that takes {:.0f} KiB of scratch a team; there are {:.0f} KiB: t = {} fits\n",
        model::queue_bytes(flat ? 256 : 32, flat ? 4 : 32, t, s.rad, s.dims, bytes) / 1024,
        machine.scratch_bytes / 1024, plan.deepest);
  } else {
    say("     never: its halos alone keep device memory busier; t = {} fits in {:.0f} KiB\n",
        plan.deepest, machine.scratch_bytes / 1024);
  }
}

/// What EBISU printed: the depth of its Table 3, and rates on this machine where its text has some.
void print_published(const std::string& machine, const model::TemporalStencil& stencil) {
  const model::PaperDepths depths =
      model::read_paper_depths(find_input(kPublishedTable, "ebisu-table3"));
  say("\n  published: t = {} on an {} (Table 3)\n", depths.depth(stencil.name, "EBISU"),
      kPapersMachine);
  for (const char* name : {"ebisu-a100", "ebisu-h100"}) {
    const results::Published table = results::read_published(find_input(kPublishedTable, name));
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const results::PublishedColumn& column = table.columns[c];
      if (!results::is_of_machine(column, machine)) continue;
      for (const results::PublishedRow& row : table.rows) {
        if (row.stencil != "jacobi/" + stencil.name) continue;
        say("     {:.0f} {} on the {}, beside it here {} ({})\n", row.values[c],
            results::label_of(column.quantity), column.device, row.name, table.source);
      }
    }
  }
  say("     misprints of the paper are corrected here: docs/errata.md\n");
}

/// Blocks of a sweep without temporal blocking: Fang's conditions (7) and (8).
void print_layers(const PlanCommand& command, const model::LayeredStencil& stencil,
                  const Registry& variants) {
  const machine::Machine machine = machine::read_machine(find_input(kMachineFile, command.machine));
  const LayerPlan plan =
      plan_layers(variants, stencil, machine, command.precision == "float" ? 4 : 8);
  if (command.json) {
    nlohmann::json out = to_json(plan);
    out["precision"] = command.precision;
    say("{}\n", io::json_text(out, 2));
  } else {
    print(plan, command.precision);
  }
}

void print_plan(const PlanCommand& command, const Registry& variants) {
  if (const auto* layered = model::find_layered_stencil(command.stencil)) {
    print_layers(command, *layered, variants);
    return;
  }
  const model::TemporalStencil& stencil = model::temporal_stencil(command.stencil);
  const machine::Machine file = machine::read_machine(find_input(kMachineFile, command.machine));
  const int bytes = command.precision == "float" ? 4 : 8;
  std::optional<machine::Machine> stand_in;  // for its barrier
  if (!file.barrier_us) {
    const char* const name = file.kind == "cpu" ? kMeasuredHost : kPapersMachine;
    stand_in = machine::read_machine(find_input(kMachineFile, name));
  }
  const model::BlockingMachine machine =
      model::blocking_machine(file, bytes, stand_in ? &*stand_in : nullptr);
  const char* const mark = machine.sync_of.empty() ? "" : "*";
  const model::BlockingPlan plan = model::plan_blocking(machine, stencil, bytes);
  const bool flat = stencil.dims == 2;
  const BlockingOrder order =
      order_blocking(variants, "jacobi/" + stencil.name, file, command.precision);
  if (command.json) {
    nlohmann::json out = to_json(command, plan, machine);
    out["predicted"] = to_json(order);
    say("{}\n", io::json_text(out, 2));
    return;
  }

  say("{}, {}, on {} ({})\n", stencil.name, command.precision, file.name, file.device);
  say("  memory {:.0f} GB/s, scratch {:.2f} TB/s, {:.2f} TFLOP/s, barrier of {} {:.2f}{} us\n"
      "  radius {}, {:.0f} flops a cell; scratch accesses a cell {} with redundant "
      "register streaming, {} without (Table 2)\n",
      machine.gm_bytes_per_s / 1e9, machine.sm_bytes_per_s / 1e12, machine.flop_per_s / 1e12,
      file.kind == "cpu" ? "all threads" : "the device", machine.sync_s * 1e6, mark, stencil.rad,
      stencil.flops, stencil.a_sm_rst, stencil.a_sm);
  if (!machine.sync_of.empty()) {
    say("  *: by the barrier of {}; the machine file of {} has no latency.barrier_us, which "
        "`tessera machine` measures\n",
        machine.sync_of, machine.name);
  }
  print_parallelism(plan);
  print_depth(plan, machine, bytes);
  say("\n  3. device or SM tiling (6.3, equations 8 to 12 and 18)\n");
  print_candidate("SM tiling", plan.sm);
  print_candidate("device tiling", plan.device, mark);
  say("     so {} (equation {})\n",
      plan.uses_device_tiling ? "one tile of the whole device, its teams exchanging halos"
                              : "a tile a team, overlapping",
      flat ? "20" : "21");
  say("\n  4. deeper or wider (6.4)\n");
  if (flat) {
    say("     t = {} is enough; what scratch is left goes into width, which loses less at "
        "the cuts\n",
        plan.depth);
  } else {
    say("     tiles from {:.1f} x {:.1f} on keep halos from being the bottleneck (equation "
        "23): 32 x 32; then as deep as fits\n",
        plan.wide_tile, plan.wide_tile);
  }
  say("\n  5. circular multi-queue (4.2.2): {}\n",
      plan.computed_addresses
          ? "computed addresses: rounding rows up to 2^n slots costs little"
          : "shifted addresses: rounding planes up to 2^n slots would cost depth");
  say("\n  plan: {} x {} threads x ILP, {}, t = {}, {} addresses\n", plan.threads, plan.ilp,
      plan.uses_device_tiling ? "device tiling of 32 x 32 tiles"
      : flat                  ? "SM tiling of 256 x 4 tiles"
                              : "SM tiling of 32 x 32 tiles",
      plan.depth, plan.computed_addresses ? "computed" : "shifted");

  print(order);
  if (bytes == 8) print_published(file.name, stencil);
}

}  // namespace

void add_plan_command(CLI::App& app, const Catalogue& catalogue,
                      const std::string& /*command_line*/) {
  auto command = std::make_shared<PlanCommand>();
  CLI::App* sub = app.add_subcommand(
      "plan",
      "Plan the blocking of a stencil on a machine, in time or of ete's host sweeps in space, and\n"
      "say why; needs no device");
  sub->add_option("stencil", command->stencil, "j2d5pt, j2d9pt, ..., poisson; ete/37pt, ete/73pt")
      ->required();
  sub->add_option(
         "-m,--machine", command->machine,
         "Machine file, or the name of one in inputs/machines (A100, H100, H200), which is found\n"
         "from any directory")
      ->capture_default_str();
  sub->add_option("--precision", command->precision, "float or double")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  sub->add_flag("--json", command->json, "Print JSON");
  sub->footer(
      "EBISU's model, equations (1) to (23): attainable performance, what overheads leave of it,\n"
      "and the decisions of its Table 1; then the tiles and depths that this code has in the order "
      "of\n"
      "their predicted times. For the ete family Fang's layer conditions (7) and (8): "
      "the\n"
      "rows that a core's cache allows, and the blocks that they choose.\n"
      "Examples:\n"
      "  tessera plan j2d5pt --machine A100\n"
      "  tessera plan j3d7pt --machine H100\n"
      "  tessera plan ete/37pt --machine KNC5110P --precision float");
  sub->callback([command, &catalogue] { print_plan(*command, catalogue.variants); });
}

}  // namespace tessera

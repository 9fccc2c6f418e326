// SPDX-License-Identifier: Apache-2.0
// `tessera machine`: measures the machine and writes its description.
#include "cases/case.hpp"
#include "cli/commands.hpp"
#include "io/atomic_file.hpp"
#include "io/json_file.hpp"
#include "io/output_lock.hpp"
#include "machine/machine_file.hpp"
#include "measure/characterise.hpp"
#include "measure/kernel_resources.hpp"
#include "measure/topology.hpp"
#include "model/calibrate.hpp"
#include "results/result.hpp"
#include "study/predict.hpp"
#include "support/console.hpp"
#include "support/data_directory.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/interrupt.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

struct MachineCommand {
  measure::CharacteriseOptions how;
  std::string output;
  std::string name;
  std::string input, registers;        // with `calibrate`
  std::vector<std::string> calibrate;  // result files
  bool json = false;
};

void print_number(const char* label, const measure::MaybeNumber& value, const char* unit) {
  if (value) say("  {:<28} {:>14.6g} {}\n", label, *value, unit);
}

// Capacities are powers of two and are printed as such; rates are decimal.
void print_bytes(const char* label, const measure::MaybeNumber& bytes) {
  if (!bytes) return;
  const double kib = *bytes / 1024;
  if (kib < 1024) return print_number(label, kib, "KiB");
  if (kib < 1024.0 * 1024) return print_number(label, kib / 1024, "MiB");
  print_number(label, kib / 1024 / 1024, "GiB");
}

void print_machine(const measure::Machine& m) {
  say("{} ({}), {}\n", m.device, m.kind, m.name);
  say("{}", measure::topology_line());
  print_number(m.kind == "gpu" ? "multiprocessors" : "cores", m.units, "");
  print_number("clock, highest", m.clock_ghz, "GHz");
  print_bytes("memory", m.memory_bytes);
  say("memory bandwidth ({})\n", m.precision);
  print_number("copy    b = a", m.copy_gb_per_s, "GB/s");
  print_number("triad   c = a + s b", m.triad_gb_per_s, "GB/s");
  print_number("update  b = a + q b", m.update_gb_per_s, "GB/s");
  print_number("copy, streaming stores", m.copy_streaming_gb_per_s, "GB/s");
  print_number("theoretical", m.theoretical_gb_per_s, "GB/s");
  say("cache-resident triad ({}), all threads\n", m.precision);
  for (const measure::MachineCache& cache : m.caches) {
    print_bytes((cache.level + " size, one instance").c_str(), cache.bytes);
    print_number((cache.level + " instances").c_str(), cache.instances, "");
    print_number((cache.level + " bandwidth").c_str(), cache.gb_per_s, "GB/s");
  }
  if (m.metadata.contains("cache_sweep")) {
    say("working set, sweep\n");
    for (const auto& point : m.metadata.at("cache_sweep")) {
      const bool threads = point.contains("bytes_per_thread");
      const double kib = point.at(threads ? "bytes_per_thread" : "bytes").get<double>() / 1024;
      say("  {:>10} KiB{:<15} {:>14.6g} GB/s\n", kib, threads ? " a thread" : "",
          point.at("gb_per_s").get<double>());
    }
  }
  say("peak multiply-add\n");
  print_number("float", m.float_gflop_per_s, "GFLOP/s");
  print_number("double", m.double_gflop_per_s, "GFLOP/s");
  say("launch of an empty kernel\n");
  print_number("launch and wait", m.launch_fenced_us, "us");
  print_number("one of many", m.launch_us, "us");
  say("latency\n");
  print_number("load from memory", m.memory_cycles, "cycles");
  print_number("load from scratch", m.scratch_cycles, "cycles");
  print_number("multiply-add of doubles", m.fma_cycles, "cycles");
  print_number("barrier of the device", m.barrier_us, "us");
}

/// The kernel of a result row, where its variant is in this binary and its regions are one.
std::optional<model::MeasuredRun> measured_run(
    const measure::Result& row, const Registry& registry, const model::MachineModel& target,
    const std::vector<measure::KernelResources>& registers) {
  if (row.status != measure::Status::valid || !row.decomposition.empty()) return std::nullopt;
  const auto& all = registry.variants();
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const auto& v) { return v->full_name() == row.variant; });
  if (known == all.end()) return std::nullopt;
  const Variant& variant = **known;
  const auto found = std::find_if(variant.configurations.begin(), variant.configurations.end(),
                                  [&](const auto& c) { return c.text == row.configuration; });
  if (found == variant.configurations.end()) return std::nullopt;
  const Region grid{
      "grid",
      Update::inner,
      whole({static_cast<int>(row.nz), static_cast<int>(row.ny), static_cast<int>(row.nx)}),
      {}};
  const int bytes = value_bytes(row.precision);
  Problem problem{row.stencil, bytes};
  problem.machine = target.machine;
  const Plan plan =
      variant.plan(static_cast<std::size_t>(found - variant.configurations.begin()), grid, problem);
  if (!plan.supported() || !model::describes_traffic(plan) || plan.temporal_depth > 1) {
    return std::nullopt;
  }
  model::MeasuredRun run;
  run.kernel = model::kernel_of(
      plan, grid.box, bytes,
      registers_of(registers, {&variant, 0}, row.configuration, row.precision, row.stencil, grid));
  run.seconds = measure::summarise(row.samples_s).median;
  const double cells =
      static_cast<double>(row.nx) * static_cast<double>(row.ny) * static_cast<double>(row.nz);
  // Counters may be of another grid, on which volumes a cell are others.
  if (row.counters.value("nx", std::int64_t{0}) == row.nx) {
    const auto volume = [&](const char* key) {
      const double bytes_a_cell = row.counters.value(key, 0.0);
      return bytes_a_cell > 0 ? measure::MaybeNumber(bytes_a_cell * cells) : std::nullopt;
    };
    run.counted_gm = volume("dram_bytes_per_cell");
    run.counted_l2 = volume("l2_bytes_per_cell");
  }
  return run;
}

/// Fits the models' constants of a machine file to result files of that machine.
void run_calibration(const MachineCommand& command, const Registry& registry) {
  require(!command.input.empty(), "--calibrate wants --input, the machine file to be completed");
  measure::Machine machine = measure::read_machine(command.input);
  machine.model = {};
  for (const std::string& path : command.calibrate) note_input(path);
  const model::MachineModel target = model::machine_model_of(machine);
  std::vector<measure::KernelResources> registers;
  if (!command.registers.empty()) {
    registers = measure::read_kernel_resources(find_input(kKernelResources, command.registers));
  }
  const std::string output = command.output.empty() ? command.input : command.output;
  const auto locks = io::claim_outputs({output}, {});
  std::vector<model::MeasuredRun> runs;
  for (const std::string& path : command.calibrate) {
    for (const measure::Result& row : measure::read_json(path).results) {
      if (auto run = measured_run(row, registry, target, registers))
        runs.push_back(std::move(*run));
    }
  }
  machine.model = model::calibrate(target, runs);
  const auto& m = machine.model;
  say("{} runs, {:.0f} of them with arrays of four times the shared cache or more: fitted to every "
      "second of these, judged by the others\n",
      runs.size(), machine.model.runs.value_or(0));
  for (const auto& [name, value] : {std::pair{"delta (8)", m.delta},
                                    {"epsilon (15)", m.epsilon},
                                    {"eta (17)", m.eta},
                                    {"L2 share", m.l2_share},
                                    {"dirty share", m.dirty_share},
                                    {"L2 scale", m.l2_scale},
                                    {"overlap", m.overlap},
                                    {"tail", m.tail},
                                    {"block start, ns", m.team_ns},
                                    {"warp, us", m.warp_us},
                                    {"plane, us", m.plane_us},
                                    {"lookups a cycle", m.lookups_per_cycle},
                                    {"drift, planes", m.drift_planes},
                                    {"time residual", m.time_residual},
                                    {"V_GM residual", m.volume_residual}}) {
    print_number(name, value, "");
  }
  measure::write_machine(machine, output);
  say("machine file: {}\n", output);
}

void run_machine(const MachineCommand& command, const Catalogue& catalogue) {
  if (!command.calibrate.empty()) return run_calibration(command, catalogue.variants);
  // Before the measurement: a run of ten seconds must not end in a file that cannot be written.
  const auto locks = io::claim_outputs({command.output}, {});
  measure::Machine machine = measure::characterise(command.how, [](const std::string& what) {
    write_error(fmt::format("measuring {}\n", what));
  });
  if (!command.name.empty()) machine.name = command.name;
  if (command.json) {
    say("{}\n", io::json_text(measure::to_json(machine), 2));
  } else {
    print_machine(machine);
  }
  if (command.output.empty()) return;
  measure::write_machine(machine, command.output);
  if (!command.json) say("machine file: {}\n", command.output);
}

}  // namespace

void add_machine_command(CLI::App& app, const Catalogue& catalogue) {
  auto command = std::make_shared<MachineCommand>();
  CLI::App* sub =
      app.add_subcommand("machine", "Measure bandwidths, peak rate and latencies of this machine");
  sub->add_option("-o,--output", command->output, "Machine file to write (JSON)");
  sub->add_option("--name", command->name, "Short name in the file (default: from the device)");
  sub->add_option("--precision", command->how.precision, "Precision of the bandwidth loops")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  sub->add_flag("--quick", command->how.quick, "Smaller arrays, shorter samples, no sweep");
  sub->add_flag("--json", command->json, "Print the machine file and nothing else on stdout");
  sub->add_flag("--redact", command->how.redact, "Leave the host's name out of the file");
  sub->add_option(
      "--calibrate", command->calibrate,
      "Result files of this machine: fit the traffic models' constants to them instead\n"
      "of measuring, and put them with their residual into the machine file");
  sub->add_option("--input", command->input,
                  "With --calibrate: the machine file to complete; written back unless --output");
  sub->add_option("--registers", command->registers,
                  "With --calibrate: table of the device compiler's report (ci/resources.sh)");
  sub->footer(
      "Examples:\n"
      "  tessera machine\n"
      "  tessera machine --input machine.json --calibrate out/su-baseline.json out/su-zblock.json\n"
      "  tessera machine --output machine.json     # then: tessera run DECK --machine "
      "machine.json\n"
      "  OMP_PROC_BIND=spread OMP_PLACES=cores tessera machine --precision double\n"
      "  tessera machine --redact --name my-cluster-a100 --output my-cluster-a100.json");
  sub->callback([command, &catalogue] {
    catch_interrupts();
    run_machine(*command, catalogue);
  });
}

}  // namespace tessera

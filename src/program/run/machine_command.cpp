// SPDX-License-Identifier: Apache-2.0
// `tessera machine`: measures the machine and writes its description.
#include "base/case/case.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/data_directory.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/interrupt.hpp"
#include "program/cli/commands.hpp"
#include "program/measure/characterise.hpp"
#include "program/measure/kernel_resources.hpp"
#include "program/measure/topology.hpp"
#include "program/predict/fit_constants.hpp"
#include "program/predict/kernel.hpp"
#include "program/predict/stored_rows.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/measurement_warnings.hpp"
#include "program/results/result.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

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

void print_number(const char* label, const machine::MaybeNumber& value, const char* unit) {
  if (value) say("  {:<28} {:>14.6g} {}\n", label, *value, unit);
}

// Capacities are powers of two and are printed as such; rates are decimal.
void print_bytes(const char* label, const machine::MaybeNumber& bytes) {
  if (!bytes) return;
  const double kib = *bytes / 1024;
  if (kib < 1024) return print_number(label, kib, "KiB");
  if (kib < 1024.0 * 1024) return print_number(label, kib / 1024, "MiB");
  print_number(label, kib / 1024 / 1024, "GiB");
}

void print_machine(const machine::Machine& m) {
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
  for (const machine::MachineCache& cache : m.caches) {
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
  if (!m.core.empty()) {
    say("a core, in a cycle: instructions on registers and L1; gathered elements\n");
    say("  {:<8} {:>6} {:>7} {:>7} {:>7} {:>9} {:>7} {:>8}\n", "", "bytes", "loads", "stores",
        "sums", "products", "mixed", "gathers");
    const auto shown = [](const machine::MaybeNumber& value) {
      return value ? fmt::format("{:.2f}", *value) : std::string("-");
    };
    for (const machine::CoreWidth& c : m.core) {
      say("  {:<8} {:>6} {:>7} {:>7} {:>7} {:>9} {:>7} {:>8}\n", c.precision,
          c.vector_bytes.value_or(0), shown(c.loads), shown(c.stores), shown(c.sums),
          shown(c.products), shown(c.mixed), shown(c.gathers));
    }
  }
  say("latency\n");
  print_number("load from memory", m.memory_cycles, "cycles");
  print_number("load from scratch", m.scratch_cycles, "cycles");
  print_number("multiply-add of doubles", m.fma_cycles, "cycles");
  print_number("barrier of the device", m.barrier_us, "us");
}

/// Fits the models' constants of a machine file to result files of that machine.
void run_calibration(const MachineCommand& command, const Registry& registry) {
  require(!command.input.empty(), "--calibrate requires --input, the machine file to be completed");
  machine::Machine machine = machine::read_machine(command.input);
  const bool gpu = machine.kind == "gpu";
  std::vector<measure::KernelResources> registers;
  if (!command.registers.empty()) {
    registers = measure::read_kernel_resources(find_input(kKernelResources, command.registers));
  }
  const std::string output = command.output.empty() ? command.input : command.output;
  io::require_writable_file(output);
  require(machine.clock_ghz.has_value(),
          "--calibrate requires clock_ghz in {}: the models count cycles", command.input);
  machine.predicted_by = gpu ? machine::kDeviceModel : machine::kHostModel;
  const StoredStudy study =
      read_rows({command.calibrate.begin(), command.calibrate.end()}, registry);
  const std::vector<model::FamilyRun> runs = family_runs(study, machine, registers);
  require(!runs.empty(), "none of the rows is of a variant whose plan describes its traffic");
  // From the file's own, and its lender's for what it lacks: what is not fitted stays so.
  machine.model = model::fit_constants(runs, model::completed_constants(machine).values);
  say("{} rows; fitted to every second one of a family, judged by the others\n", runs.size());
  const nlohmann::json written = machine::to_json(machine);
  for (const auto& [name, value] : written.at("model").items()) {
    print_number(name.c_str(), value.get<double>(), "");
  }
  machine::write_machine(machine, output);
  say("machine file: {}\n", output);
}

void run_machine(const MachineCommand& command, const Catalogue& catalogue) {
  if (!command.calibrate.empty()) return run_calibration(command, catalogue.variants);
  require(command.input.empty() && command.registers.empty(),
          "--{} is read by --calibrate alone: name result files with --calibrate, or leave it out",
          command.input.empty() ? "registers" : "input");
  // Before the measurement: a run of ten seconds must not end in a file that cannot be written.
  if (!command.output.empty()) io::require_writable_file(command.output);
  nothing_to_save();
  machine::Machine machine = measure::characterise(command.how, [](const std::string& what) {
    write_error(fmt::format("measuring {}\n", what));
  });
  something_to_save();
  if (!command.name.empty()) machine.name = command.name;
  if (command.json) {
    say("{}\n", io::json_text(machine::to_json(machine), 2));
  } else {
    print_machine(machine);
  }
  const std::string warning = results::warning_of_streams(
      machine.metadata.at("streams").at("array_bytes").get<double>(),
      static_cast<double>(measure::last_level_cache_bytes()), machine.kind == "gpu");
  if (!warning.empty()) warn("doubtful: " + warning);
  if (command.output.empty()) return;
  machine::write_machine(machine, command.output);
  if (!command.json) say("machine file: {}\n", command.output);
}

}  // namespace

void add_machine_command(CLI::App& app, const Catalogue& catalogue,
                         const std::string& /*command_line*/) {
  auto command = std::make_shared<MachineCommand>();
  CLI::App* sub = app.add_subcommand(
      "machine", "Measure bandwidths, peak rate, a core's ports and latencies of this machine");
  sub->add_option("-o,--output", command->output, "Machine file to write (JSON)");
  sub->add_option("--name", command->name, "Short name in the file (default: from the device)");
  sub->add_option("--precision", command->how.precision, "Precision of the bandwidth loops")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  sub->add_option(
         "--roofs-bytes", command->how.roofs_bytes,
         "Most memory that the arrays of a host's streams take in all, for caches of more\n"
         "than 80 MiB")
      ->check(CLI::Range(measure::kLeastRoofsBytes, measure::kMostRoofsBytes))
      ->capture_default_str();
  sub->add_flag("--quick", command->how.quick, "Smaller arrays, shorter samples, no sweep");
  sub->add_flag("--json", command->json, "Print the machine file and nothing else on stdout");
  sub->add_flag("--redact", command->how.redact, "Leave the host's name out of the file");
  auto* calibrate =
      sub->add_option("--calibrate", command->calibrate,
                      "Result files of this machine: fit the models' constants to them instead\n"
                      "of measuring, and put them with their residual into the machine file");
  for (const char* of_measuring :
       {"--name", "--precision", "--roofs-bytes", "--quick", "--json", "--redact"}) {
    calibrate->excludes(sub->get_option(of_measuring));
  }
  sub->add_option("--input", command->input,
                  "With --calibrate: the machine file to complete; written back unless --output");
  sub->add_option("--registers", command->registers,
                  "With --calibrate: table of the device compiler's report (ci/resources.sh)");
  sub->footer(
      "Examples:\n"
      "  tessera machine\n"
      "  tessera machine --input machine.json --calibrate out/su-*/result.json\n"
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

// SPDX-License-Identifier: Apache-2.0
// `tessera machine`: measures the machine and writes its description.
#include "cli/commands.hpp"
#include "io/atomic_file.hpp"
#include "measure/characterise.hpp"
#include "measure/machine_file.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace tessera {

namespace {

struct MachineCommand {
  measure::CharacteriseOptions how;
  std::string output;
  std::string name;
};

void print_number(const char* label, const measure::MaybeNumber& value, const char* unit) {
  if (value) fmt::print("  {:<28} {:>14.6g} {}\n", label, *value, unit);
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
  fmt::print("{} ({}), {}\n", m.device, m.kind, m.name);
  print_number(m.kind == "gpu" ? "multiprocessors" : "cores", m.units, "");
  print_number("clock, highest", m.clock_ghz, "GHz");
  print_bytes("memory", m.memory_bytes);
  fmt::print("memory bandwidth ({})\n", m.precision);
  print_number("copy    b = a", m.copy_gb_per_s, "GB/s");
  print_number("triad   c = a + s b", m.triad_gb_per_s, "GB/s");
  print_number("update  b = a + q b", m.update_gb_per_s, "GB/s");
  print_number("copy, streaming stores", m.copy_streaming_gb_per_s, "GB/s");
  print_number("theoretical", m.theoretical_gb_per_s, "GB/s");
  fmt::print("cache-resident triad ({}), all threads\n", m.precision);
  for (const measure::MachineCache& cache : m.caches) {
    print_bytes((cache.level + " size, one instance").c_str(), cache.bytes);
    print_number((cache.level + " instances").c_str(), cache.instances, "");
    print_number((cache.level + " bandwidth").c_str(), cache.gb_per_s, "GB/s");
  }
  if (m.metadata.contains("cache_sweep")) {
    fmt::print("working set, sweep\n");
    for (const auto& point : m.metadata.at("cache_sweep")) {
      const bool threads = point.contains("bytes_per_thread");
      const double kib = point.at(threads ? "bytes_per_thread" : "bytes").get<double>() / 1024;
      fmt::print("  {:>10} KiB{:<15} {:>14.6g} GB/s\n", kib, threads ? " a thread" : "",
                 point.at("gb_per_s").get<double>());
    }
  }
  fmt::print("peak multiply-add\n");
  print_number("float", m.float_gflop_per_s, "GFLOP/s");
  print_number("double", m.double_gflop_per_s, "GFLOP/s");
  fmt::print("launch of an empty kernel\n");
  print_number("launch and wait", m.launch_fenced_us, "us");
  print_number("one of many", m.launch_us, "us");
}

void run_machine(const MachineCommand& command) {
  // Before the measurement: a run of ten seconds must not end in a file that cannot be written.
  if (!command.output.empty()) {
    const auto parent = std::filesystem::path(command.output).parent_path();
    io::require_writable_directory(parent.empty() ? "." : parent);
  }
  measure::Machine machine = measure::characterise(
      command.how, [](const std::string& what) { fmt::print(stderr, "measuring {}\n", what); });
  if (!command.name.empty()) machine.name = command.name;
  print_machine(machine);
  if (command.output.empty()) return;
  measure::write_machine(machine, command.output);
  fmt::print("machine file: {}\n", command.output);
}

}  // namespace

void add_machine_command(CLI::App& app) {
  auto command = std::make_shared<MachineCommand>();
  CLI::App* sub = app.add_subcommand(
      "machine", "Measure bandwidths, peak rate and launch latency of this machine");
  sub->add_option("-o,--output", command->output, "Machine file to write (JSON)");
  sub->add_option("--name", command->name, "Short name in the file (default: from the device)");
  sub->add_option("--precision", command->how.precision, "Precision of the bandwidth loops")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  sub->add_flag("--quick", command->how.quick, "Smaller arrays, shorter samples, no sweep");
  sub->add_flag("--redact", command->how.redact, "Leave the host's name out of the file");
  sub->footer(
      "Examples:\n"
      "  tessera machine\n"
      "  tessera machine --output machine.json     # then: tessera run DECK --machine "
      "machine.json\n"
      "  OMP_PROC_BIND=spread OMP_PLACES=cores tessera machine --precision double\n"
      "  tessera machine --redact --name my-cluster-a100 --output my-cluster-a100.json");
  sub->callback([command] { run_machine(*command); });
}

}  // namespace tessera

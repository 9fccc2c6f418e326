// SPDX-License-Identifier: Apache-2.0
#include "program/measure/characterise.hpp"

#include "base/device/space.hpp"
#include "base/support/build_info.hpp"
#include "program/measure/device.hpp"
#include "program/measure/host.hpp"
#include "program/measure/machine_info.hpp"
#include "program/measure/measurements.hpp"
#include "program/measure/memory.hpp"
#include "program/measure/streams.hpp"
#include "program/measure/topology.hpp"
#include "program/results/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera::measure {

using nlohmann::json;

namespace {

machine::MaybeNumber known(double value) {
  return value > 0 ? machine::MaybeNumber(value) : std::nullopt;
}

// Three or four significant digits are all that a measurement is good for; the ranges in metadata
// are not rounded.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

json range_json(const machine::Rate& rate) {
  return {{"min", rate.min}, {"median", rate.median}, {"max", rate.max}};
}

void add_streams(machine::Machine& machine, const CharacteriseOptions& options) {
  StreamOptions how;
  how.precision = options.precision;
  how.most_bytes = options.roofs_bytes;
  if (options.quick) {
    how.array_bytes = std::min(array_bytes_here(options.roofs_bytes),
                               std::max<std::int64_t>(2 * last_level_cache_bytes(), 32 << 20));
    how.warmup_s = 0.05;
    how.repetitions = 5;
  }
  const machine::StreamRates streams = measure_streams(how);
  machine.copy_gb_per_s = rounded(streams.copy.median);
  machine.triad_gb_per_s = rounded(streams.triad.median);
  machine.update_gb_per_s = rounded(streams.update.median);
  if (streams.copy_streaming) {
    machine.copy_streaming_gb_per_s = rounded(streams.copy_streaming->median);
  }
  machine.metadata["streams"] = results::to_json(streams);
}

void add_caches(machine::Machine& machine, const CharacteriseOptions& options) {
  CacheOptions how;
  how.precision = options.precision;
  if (options.quick) how.sample_s = 0.002;
  for (const CacheLevel& level : measure_caches(how)) {
    machine.caches.push_back({level.level, static_cast<double>(level.bytes),
                              known(level.line_bytes), level.instances,
                              rounded(level.gb_per_s.median)});
    machine.metadata["cache_range"][level.level] = range_json(level.gb_per_s);
  }
  if (options.quick) return;
  how.repetitions = 5;
  machine.metadata["cache_sweep"] = json::array();
  for (const CachePoint& point : sweep_caches(how)) {
    machine.metadata["cache_sweep"].push_back(
        {{kOnDevice ? "bytes" : "bytes_per_thread", point.bytes},
         {"gb_per_s", rounded(point.gb_per_s.median)}});
  }
}

void add_peaks(machine::Machine& machine) {
  const machine::Rate single = measure_peak_gflop_per_s("float");
  const machine::Rate full = measure_peak_gflop_per_s("double");
  // A peak is a ceiling: the fastest sample, which other load has disturbed least.
  machine.float_gflop_per_s = rounded(single.max);
  machine.double_gflop_per_s = rounded(full.max);
  machine.metadata["peak_range"] = {{"float", range_json(single)}, {"double", range_json(full)}};
}

void add_latency(machine::Machine& machine) {
  const LaunchLatency latency = measure_launch_latency();
  machine.launch_us = rounded(latency.unfenced_us.median);
  machine.launch_fenced_us = rounded(latency.fenced_us.median);
}

// In cycles of the highest clock, that of the file; of the clock that was measured where the system
// tells none.
void add_core(machine::Machine& machine, const CoreOptions& how) {
  const CoreRates core = measure_core_rates(how);
  if (core.rates.empty()) return;
  const double measured_ghz = 1e-9 * core.clock.max;
  machine.metadata["core_clock_ghz"] = {
      {"min", 1e-9 * core.clock.min}, {"median", 1e-9 * core.clock.median}, {"max", measured_ghz}};
  if (!machine.clock_ghz) machine.clock_ghz = rounded(measured_ghz);
  // The fastest sample, which other load has disturbed least: what a port can do is a ceiling.
  const auto a_cycle = [&](const machine::Rate& rate) {
    return rate.max > 0 ? machine::MaybeNumber(rounded(1e-9 * rate.max / *machine.clock_ghz))
                        : std::nullopt;
  };
  for (const CoreRate& r : core.rates) {
    machine.core.push_back({r.precision, static_cast<double>(r.vector_bytes), a_cycle(r.loads),
                            a_cycle(r.stores), a_cycle(r.sums), a_cycle(r.products),
                            a_cycle(r.mixed), a_cycle(r.gathers)});
  }
}

// In cycles of the highest clock, that of the file: what Little's law needs is the time.
void add_latencies(machine::Machine& machine) {
  const Latencies latencies = measure_latencies();
  machine.barrier_us = rounded(latencies.barrier_ns.median / 1000);
  const auto cycles = [&](const machine::Summary& ns) {
    return machine.clock_ghz ? machine::MaybeNumber(rounded(ns.median * *machine.clock_ghz))
                             : std::nullopt;
  };
  machine.memory_cycles = cycles(latencies.memory_ns);
  machine.scratch_cycles = cycles(latencies.scratch_ns);
  machine.fma_cycles = cycles(latencies.fma_ns);
  for (const auto& [what, ns] :
       {std::pair{"memory", latencies.memory_ns}, std::pair{"scratch", latencies.scratch_ns},
        std::pair{"fma", latencies.fma_ns}, std::pair{"barrier", latencies.barrier_ns}}) {
    machine.metadata["latency_ns"][what] = {
        {"min", ns.min}, {"median", ns.median}, {"max", ns.max}};
  }
}

void add_facts(machine::Machine& machine) {
  machine.memory_bytes = static_cast<double>(total_memory_bytes());
  if constexpr (!kOnDevice) {
    machine.units = known(cores_of(this_topology()));
    machine.clock_ghz = known(host_properties().max_clock_ghz);
    return;
  }
  const DeviceProperties device = device_properties();
  machine.units = known(device.units);
  machine.clock_ghz = known(device.clock_ghz);
  machine.theoretical_gb_per_s = known(rounded(device.theoretical_gb_per_s));
  machine.architecture = device.architecture;
  machine.lanes = known(device.lanes);
  machine.threads_per_unit = known(device.threads_per_unit);
  machine.threads_per_team = known(device.threads_per_team);
  machine.teams_per_unit = known(device.teams_per_unit);
  machine.registers_per_unit = known(device.registers_per_unit);
  machine.scratch_bytes_per_unit = known(static_cast<double>(device.scratch_bytes_per_unit));
  machine.scratch_bytes_per_team = known(static_cast<double>(device.scratch_bytes_per_team_optin));
}

}  // namespace

machine::Machine characterise(const CharacteriseOptions& options, const Progress& progress) {
  machine::Machine machine;
  machine.name = machine_name();
  machine.kind = kOnDevice ? "gpu" : "cpu";
  machine.device = device_name();
  machine.precision = options.precision;
  machine.source = fmt::format("measured by tessera {} machine{}, {}", build_info().version,
                               options.quick ? " --quick" : "", results::utc_now());
  add_facts(machine);
  progress("memory bandwidth");
  add_streams(machine, options);
  progress("cache-resident bandwidth");
  add_caches(machine, options);
  progress("peak multiply-add");
  add_peaks(machine);
  if constexpr (!kOnDevice) {
    progress("a core's ports");
    add_core(machine, {});
  }
  progress("launch latency");
  add_latency(machine);
  progress("latencies and the barrier of the device");
  add_latencies(machine);
  machine.metadata["machine"] = machine_metadata(options.redact);
  machine.metadata["build"] = build_metadata();
  return machine;
}

machine::Machine describe_quickly(const machine::StreamRates& streams) {
  machine::Machine machine;
  machine.name = machine_name();
  machine.kind = kOnDevice ? "gpu" : "cpu";
  machine.device = device_name();
  machine.precision = streams.precision;
  machine.source = "measured in this run";
  add_facts(machine);
  machine.copy_gb_per_s = streams.copy.median;
  machine.triad_gb_per_s = streams.triad.median;
  machine.update_gb_per_s = streams.update.median;
  CharacteriseOptions quick;
  quick.precision = streams.precision;
  quick.quick = true;
  add_caches(machine, quick);
  if constexpr (!kOnDevice) {
    add_core(machine, {.precision = streams.precision, .widest = true, .sample_s = 0.0005});
  }
  // The least: a preempted thread makes a launch last a turn of the scheduler.
  machine.launch_us = measure_launch_latency(10, 15).unfenced_us.min;
  machine.barrier_us = measure_barrier_ns().min / 1000;
  return machine;
}

}  // namespace tessera::measure

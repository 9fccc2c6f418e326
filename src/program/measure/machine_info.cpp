// SPDX-License-Identifier: Apache-2.0
#include "program/measure/machine_info.hpp"

#include "base/device/host_vector.hpp"
#include "base/device/space.hpp"
#include "base/support/build_info.hpp"
#include "program/measure/device.hpp"
#include "program/measure/flush_to_zero.hpp"
#include "program/measure/host.hpp"
#include "program/measure/memory.hpp"
#include "program/measure/topology.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tessera::measure {

using nlohmann::json;

namespace {

json host_json(const HostProperties& host, bool redact) {
  const Processor processor = this_processor();
  json caches = json::array();
  const Topology& topology = this_topology();
  for (const Cache& cache : topology.caches) {
    caches.push_back({{"level", cache.level},
                      {"bytes", cache.bytes},
                      {"line_bytes", cache.line_bytes},
                      {"instances", cache.instances},
                      {"cores", cache.cores > 0 ? json(cache.cores) : json(nullptr)}});
    if (cache.reported_bytes > 0) caches.back()["reported_bytes"] = cache.reported_bytes;
  }
  return {{"hostname", redact ? "redacted" : host.hostname},
          {"cpu", host.cpu},
          {"vendor", processor.vendor},
          {"family", processor.family},
          {"model", processor.model},
          {"stepping", processor.stepping},
          {"microarchitecture", microarchitecture(processor)},
          {"vector_bits", processor.vector_bits},
          {"load", host.load},
          {"operating_system", host.kernel},
          {"logical_cpus", topology.cpus},
          {"cores", topology.cores},
          {"sockets", topology.packages},
          {"max_clock_ghz", host.max_clock_ghz},
          {"frequency_governor", host.governor},
          {"memory_bytes", total_host_memory_bytes()},
          {"memory_available_bytes", available_host_memory_bytes()},
          {"caches", std::move(caches)}};
}

json device_json(const DeviceProperties& p, bool redact) {
  return {{"name", p.name},
          {"architecture", p.architecture},
          {"pci_bus", redact ? "redacted" : p.pci_bus},
          {"units", p.units},
          {"lanes", p.lanes},
          {"clock_ghz", p.clock_ghz},
          {"memory_clock_ghz", p.memory_clock_ghz},
          {"memory_bus_bits", p.memory_bus_bits},
          {"theoretical_gb_per_s", p.theoretical_gb_per_s},
          {"ecc", p.ecc ? json(*p.ecc) : json(nullptr)},
          {"memory_bytes", p.memory_bytes},
          {"memory_available_bytes", device_memory().available_bytes},
          {"l2_bytes", p.l2_bytes},
          {"scratch_bytes_per_unit", p.scratch_bytes_per_unit},
          {"scratch_bytes_per_team", p.scratch_bytes_per_team},
          {"scratch_bytes_per_team_optin", p.scratch_bytes_per_team_optin},
          {"registers_per_unit", p.registers_per_unit},
          {"registers_per_team", p.registers_per_team},
          {"threads_per_unit", p.threads_per_unit},
          {"threads_per_team", p.threads_per_team},
          {"teams_per_unit", p.teams_per_unit},
          {"driver", p.driver},
          {"driver_api", p.driver_api},
          {"runtime", p.runtime_version},
          {"state", p.state}};
}

/// Bits of a vector in this build's code, which a wider processor runs as it is.
constexpr int kVectorBits = 8 * static_cast<int>(sizeof(HostVector<float>));

/// "zen4-avx512-16t": distinguishes hosts of one name; empty on devices.
std::string host_suffix() {
  if constexpr (kOnDevice) return "";
  const Processor processor = this_processor();
  std::string out = microarchitecture(processor);
  const int bits = std::min(processor.vector_bits, kVectorBits);
  const bool x86 = processor.vendor == "AMD" || processor.vendor == "Intel";
  if (bits == 512) out += x86 ? "-avx512" : "-sve512";
  if (bits == 256) out += x86 ? "-avx2" : "-sve256";
  return out + fmt::format("-{}t", ExecSpace().concurrency());
}

}  // namespace

std::string device_name() {
  if constexpr (kOnDevice) return device_properties().name;
  const std::string cpu = host_properties().cpu;
  if (!cpu.empty()) return cpu;
  // Linux on Arm reports numbers, not names: the suffix has the core's.
  const Processor processor = this_processor();
  return processor.vendor.empty() ? "unknown CPU" : processor.vendor + " CPU";
}

std::string machine_name() {
  const std::string name = hyphened(device_name());
  const std::string suffix = host_suffix();
  return suffix.empty() ? name : name + "-" + suffix;
}

json machine_metadata(bool redact) {
  json environment_variables = json::object();
  for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "KOKKOS_NUM_THREADS",
                           "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    environment_variables[name] = environment(name);
  }
  const HostProperties host = host_properties();
  json out = {{"name", machine_name()},
              {"kind", kOnDevice ? "gpu" : "cpu"},
              {"device", device_name()},
              {"hostname", redact ? "redacted" : host.hostname},
              {"execution_space", ExecSpace::name()},
              {"concurrency", ExecSpace().concurrency()},
              {"host_concurrency", Kokkos::DefaultHostExecutionSpace().concurrency()},
              {"flush_to_zero", flushes_to_zero()},
              {"environment", std::move(environment_variables)},
              {"host", host_json(host, redact)},
              {"topology", to_json(this_topology())}};
  if constexpr (kOnDevice) out["device_properties"] = device_json(device_properties(), redact);
  return out;
}

json build_metadata() {
  const BuildInfo& build = build_info();
  return {{"version", build.version},
          {"git_revision", build.git_revision},
          {"git_dirty", build.git_dirty},
          {"compiler", build.compiler},
          {"flags", build.flags},
          {"build_type", build.build_type},
          {"kokkos_version", build.kokkos_version},
          {"kokkos_devices", build.kokkos_devices},
          {"kokkos_arch", build.kokkos_arch},
          {"kokkos_options", build.kokkos_options}};
}

}  // namespace tessera::measure

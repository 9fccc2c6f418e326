// SPDX-License-Identifier: Apache-2.0
#include "program/predict/kernel.hpp"

#include "base/support/data_directory.hpp"
#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace tessera::model {

namespace {

const machine::MachineCache* find_level(const machine::Machine& machine, const std::string& level) {
  const auto found = std::find_if(machine.caches.begin(), machine.caches.end(),
                                  [&](const auto& cache) { return cache.level == level; });
  return found == machine.caches.end() ? nullptr : &*found;
}

// Which of a machine's caches plays which role in the model, by level.
struct CacheRoles {
  bool three = false;  // a CPU's private caches stand before the one that all cores share
  std::string near, shared;
};

CacheRoles roles_of(const machine::Machine& machine) {
  const bool three = machine.kind != "gpu" && find_level(machine, "L3") != nullptr;
  return {three, three ? "L2" : "L1", three ? "L3" : "L2"};
}

}  // namespace

std::int64_t Kernel::blocks() const {
  return ceil_div(grid.x, tile.x) * ceil_div(grid.y, tile.y) * ceil_div(grid.z, tile.z);
}

bool Kernel::begins_on(double elements) const {
  const auto multiple = [&](double x) { return std::fmod(x, elements) == 0; };
  return aligned || (multiple(first_x) && multiple(static_cast<double>(tile.x)));
}

bool describes_traffic(const Plan& plan) { return !plan.arrays.empty() && plan.tile[0] > 0; }

Kernel kernel_of(const Plan& plan, const Box& box, int value_bytes, int registers) {
  require(describes_traffic(plan) || plan.temporal_depth > 1,
          "the traffic model requires arrays and tile of a plan, and this variant's has none");
  Kernel k;
  k.grid = {box.nx(), box.ny(), box.nz()};
  k.tile = {plan.tile[0], plan.tile[1], plan.tile[2]};
  k.first_x = box.x0;
  k.aligned = plan.aligned_tiles;
  k.chunk = plan.planes_per_thread;
  k.value_bytes = value_bytes;
  k.depth = plan.temporal_depth;
  k.team = plan.team;
  k.loads = plan.loads;
  k.misaligned = plan.misaligned_loads;
  k.stores = plan.stores;
  k.scratch = plan.scratch_loads + plan.scratch_stores;
  k.arrays = plan.arrays;
  k.registers = registers > 0 ? registers : plan.registers;
  k.flops = plan.flops;
  k.conversions = plan.conversions;
  k.scratch_loads = plan.scratch_loads;
  k.league = plan.league;
  k.valid_share = plan.valid_share;
  k.walk = plan.walk;
  k.gather = plan.gather;
  k.other_gather = plan.other_gather;
  k.loops = plan.loops;
  k.table = plan.l2_table;
  k.scratch_bytes = plan.scratch_bytes;
  return k;
}

MachineLimits machine_limits(const machine::Machine& machine) {
  MachineLimits m;
  m.kind = machine.kind == "gpu" ? MachineKind::device : MachineKind::host;
  m.units = static_cast<int>(machine.units.value_or(1));
  if (!m.on_device()) {
    m.scratch_bytes = m.native_scratch_bytes = kKokkosHostScratch;
    return m;
  }
  // 48 KiB is what every GPU grants.
  m.native_scratch_bytes = static_cast<int>(machine.scratch_bytes_per_team.value_or(48 * 1024));
  m.scratch_bytes = std::min(m.native_scratch_bytes, kKokkosDeviceScratch);
  m.bulk_copies = machine.architecture == "sm_90" || machine.architecture == "sm_100";
  m.unit_threads = static_cast<int>(machine.threads_per_unit.value_or(2048));
  m.unit_teams = static_cast<int>(machine.teams_per_unit.value_or(32));
  m.unit_scratch_bytes = static_cast<std::int64_t>(machine.scratch_bytes_per_unit.value_or(0));
  m.unit_registers = static_cast<int>(machine.registers_per_unit.value_or(m.unit_registers));
  m.thread_registers = static_cast<int>(machine.registers_per_thread.value_or(m.thread_registers));
  m.register_base = static_cast<int>(completed_constants(machine).values.register_base.value_or(0));
  return m;
}

std::string missing_for_model(const machine::Machine& machine) {
  const auto wants = [&](const std::string& what) {
    return fmt::format("machine {}: the traffic model requires {}", machine.name, what);
  };
  const auto has = [&](const std::string& level) {
    const machine::MachineCache* cache = find_level(machine, level);
    return cache != nullptr && cache->bytes && cache->gb_per_s;
  };
  const auto cache = [&](const std::string& level, const char* role) {
    return wants(fmt::format("bytes and gb_per_s of cache {}, {}", level, role));
  };
  const CacheRoles roles = roles_of(machine);
  if (!has(roles.near)) return cache(roles.near, "the storage next to the registers");
  if (!has(roles.shared)) return cache(roles.shared, "the cache that all units share");
  if (!machine.copy_gb_per_s) return wants("memory.copy_gb_per_s");
  if (!machine.units) return wants("units");
  if (roles.three && !has("L1")) return cache("L1", "next to the registers");
  return {};
}

MachineModel machine_model_of(const machine::Machine& machine) {
  const std::string missing = missing_for_model(machine);
  require(missing.empty(), "{}", missing);
  MachineModel c;
  c.name = machine.name;
  c.model = model_of(machine);
  c.gpu = machine.kind == "gpu";
  c.machine = machine_limits(machine);
  const CacheRoles roles = roles_of(machine);
  const machine::MachineCache& smx = *find_level(machine, roles.near);
  const machine::MachineCache& l2 = *find_level(machine, roles.shared);
  const auto memory = machine.copy_gb_per_s;
  c.units = *machine.units;
  c.lanes = machine.lanes.value_or(c.gpu ? 32 : 1);
  c.threads_per_unit = c.gpu ? machine.threads_per_unit.value_or(2048) : 1;  // a team is a thread
  c.processors_per_unit = machine.processors_per_unit.value_or(0);
  c.limits.lanes = static_cast<int>(c.lanes);
  c.limits.warps = std::max(1, static_cast<int>(c.threads_per_unit / c.lanes));
  c.limits.teams = static_cast<int>(machine.teams_per_unit.value_or(c.gpu ? 32 : 1));
  c.limits.registers = static_cast<std::int64_t>(machine.registers_per_unit.value_or(65536));
  c.limits.scratch_bytes =
      static_cast<std::int64_t>(machine.scratch_bytes_per_unit.value_or(48 * 1024));
  c.smx_bytes = *smx.bytes;
  c.smx_line_bytes = smx.line_bytes.value_or(128);
  c.l2_bytes = *l2.bytes * l2.instances.value_or(1);
  c.l2_line_bytes = l2.line_bytes.value_or(32);
  // On a CPU the first level feeds the registers, whichever level plays the storage.
  const machine::MachineCache& first = roles.three ? *find_level(machine, "L1") : smx;
  c.bandwidth = {1e9 * *memory, 1e9 * *l2.gb_per_s, 1e9 * *first.gb_per_s};
  if (const machine::MachineCache* scratch = find_level(machine, "scratch")) {
    c.scratch_bytes_per_s = 1e9 * scratch->gb_per_s.value_or(0);
  }
  c.launch_s = 1e-6 * machine.launch_us.value_or(0);
  c.barrier_s = 1e-6 * machine.barrier_us.value_or(0);
  c.clock_hz = 1e9 * machine.clock_ghz.value_or(0);
  c.update_bytes_per_s = 1e9 * machine.update_gb_per_s.value_or(*memory);
  c.first_bytes = *first.bytes;
  c.first_line_bytes = first.line_bytes.value_or(c.first_line_bytes);
  c.memory_atom_bytes = machine.memory_atom_bytes.value_or(c.l2_line_bytes);
  c.core = machine.core;
  Constants constants = completed_constants(machine);
  c.constants = constants.values;
  c.constants_of = std::move(constants.defaults_of);
  c.loss_steepness = c.constants.loss_steepness.value_or(c.loss_steepness);
  if (c.constants.lookups_per_cycle && machine.clock_ghz) {
    c.lookups_per_s = *c.constants.lookups_per_cycle * c.units * 1e9 * *machine.clock_ghz;
  }
  return c;
}

Residency residency_of(const Kernel& kernel, const MachineModel& target) {
  if (!target.gpu) return {1, 1, 1, "threads"};  // a team is a thread, and a core runs one
  const LaunchNeeds needs{kernel.team, kernel.registers, kernel.scratch_bytes};
  const Occupancy found = occupancy(target.limits, needs);
  double highest = found.fraction;
  for (int team = target.limits.lanes; team <= 1024; team += target.limits.lanes) {
    const double share = static_cast<double>(team) / kernel.team;
    const auto scratch =
        static_cast<std::int64_t>(static_cast<double>(kernel.scratch_bytes) * share);
    if (std::int64_t{team} * kernel.registers > target.limits.registers) break;
    if (scratch > target.limits.scratch_bytes / 2) break;
    const LaunchNeeds other{team, kernel.registers, scratch};
    highest = std::max(highest, occupancy_or_none(target.limits, other).fraction);
  }
  return {found.fraction, highest, found.teams, found.limited_by};
}

Residency bounded_residency(const Kernel& kernel, const MachineModel& target) {
  if (kernel.registers > 0 || !target.gpu) return residency_of(kernel, target);
  const Walk& walk = kernel.walk;
  if (walk.kept_words > 0) {
    Kernel known = kernel;
    known.registers = target.machine.registers_with(walk.kept_words);
    // A compiler keeps to the launch bound, and spills.
    const int team = std::max(walk.bound_threads, kernel.team);
    known.registers = std::clamp(static_cast<int>(target.limits.registers) / team, 1,
                                 std::max(1, known.registers));
    return residency_of(known, target);
  }
  Residency found = residency_of(kernel, target);
  const int bound = std::max(1, walk.bound_threads / kernel.team);
  if (walk.bound_threads == 0 || bound >= found.blocks_a_unit) return found;
  const double fewer = static_cast<double>(bound) / static_cast<double>(found.blocks_a_unit);
  return {found.occupancy * fewer, found.highest, bound, "launch bound"};
}

std::string model_of(const machine::Machine& machine) {
  if (!machine.predicted_by.empty()) return machine.predicted_by;
  if (machine.kind == "gpu") return machine::kDeviceModel;
  const bool ports = machine.model.port_share || !machine.core.empty();
  return ports && machine.clock_ghz ? machine::kHostModel : machine::kTrafficModel;
}

std::string lender_of(const machine::Machine& machine) {
  const std::string model = model_of(machine);
  if (model == machine::kDeviceModel) return "H100";
  if (model == machine::kTrafficModel) return machine.kind == "gpu" ? "A100" : "KNL7250";
  double widest = machine.model.vector_bytes.value_or(0);
  for (const machine::CoreWidth& core : machine.core) {
    widest = std::max(widest, core.vector_bytes.value_or(0));
  }
  constexpr double kAvx2Bytes = 32;
  return widest > kAvx2Bytes ? "Zen4-AVX512" : "Zen4-AVX2";
}

machine::ModelConstants constants_of_machine(const std::string& name) {
  static std::mutex guard;
  static std::map<std::string, machine::ModelConstants> known;
  const std::lock_guard lock(guard);
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  machine::ModelConstants constants = machine::read_machine(find_input(kMachineFile, name)).model;
  // How well they fit is that machine's own.
  constants.time_residual = constants.volume_residual = constants.runs = std::nullopt;
  return known.emplace(name, constants).first->second;
}

Constants completed_constants(const machine::Machine& machine) {
  Constants all{machine.model, ""};
  // Su's are his paper's, whose GPU is a K20.
  const machine::ModelConstants su = constants_of_machine("K20");
  for (auto member : {&machine::ModelConstants::delta, &machine::ModelConstants::epsilon,
                      &machine::ModelConstants::eta}) {
    if (!(all.values.*member)) all.values.*member = su.*member;
  }
  const std::string lender = lender_of(machine);
  if (machine::fill_missing(all.values, constants_of_machine(lender))) all.defaults_of = lender;
  return all;
}

}  // namespace tessera::model

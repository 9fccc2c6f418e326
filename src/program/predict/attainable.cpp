// SPDX-License-Identifier: Apache-2.0
#include "program/predict/attainable.hpp"

#include "base/support/error.hpp"
#include "base/support/text.hpp"
#include "program/predict/kernel.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::model {

const std::vector<TemporalStencil>& temporal_stencils() {
  static const std::vector<TemporalStencil> all = {
      {"j2d5pt", 2, 1, 10, 6, 4, true},       {"j2d9pt", 2, 2, 18, 10, 6, true},
      {"j2d9pt-gol", 2, 1, 18, 10, 4, false}, {"j2d25pt", 2, 2, 50, 26, 6, false},
      {"j3d7pt", 3, 1, 14, 8, 4.5, true},     {"j3d13pt", 3, 2, 26, 14, 7, true},
      {"j3d17pt", 3, 1, 34, 18, 5.5, false},  {"j3d27pt", 3, 1, 54, 28, 5.5, false},
      {"poisson", 3, 1, 38, 20, 5.5, false},
  };
  return all;
}

const TemporalStencil& temporal_stencil(const std::string& name) {
  const std::string prefix = "jacobi/";
  const std::string wanted =
      name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : name;
  std::vector<std::string> names;
  for (const TemporalStencil& stencil : temporal_stencils()) {
    if (stencil.name == wanted) return stencil;
    names.push_back(stencil.name);
  }
  fail("no stencil \"{}\" is blocked in time; the nearest is {}; there are {}", name,
       nearest_name(wanted, names), fmt::join(names, ", "));
}

BlockingMachine blocking_machine(const machine::Machine& machine, int value_bytes,
                                 const machine::Machine* stand_in) {
  const auto need = [&](const machine::MaybeNumber& value, const char* key) {
    require(value.has_value(), "machine {}: a plan requires {}", machine.name, key);
    return *value;
  };
  BlockingMachine m;
  m.name = machine.name;
  m.units = need(machine.units, "units");
  const auto& bandwidth =
      machine.copy_gb_per_s ? machine.copy_gb_per_s : machine.theoretical_gb_per_s;
  m.gm_bytes_per_s = 1e9 * need(bandwidth, "memory.copy_gb_per_s");
  // A host's queues lie in its core's share of L2, unless the file names a scratch.
  const bool host = machine.kind == "cpu";
  machine::MaybeNumber scratch, scratch_bytes = machine.scratch_bytes_per_team;
  for (const char* level : {"scratch", host ? "L2" : "L1", "L1"}) {
    for (const machine::MachineCache& cache : machine.caches) {
      if (cache.level != level) continue;
      if (!scratch) scratch = cache.gb_per_s;
      if (host && !scratch_bytes && cache.level == "L2" && cache.bytes) {
        scratch_bytes = *cache.bytes * cache.instances.value_or(m.units) / m.units;
      }
    }
  }
  m.sm_bytes_per_s = 1e9 * need(scratch, "gb_per_s of the cache \"scratch\" or \"L1\"");
  m.flop_per_s =
      1e9 * (value_bytes == 4 ? need(machine.float_gflop_per_s, "peak.float_gflop_per_s")
                              : need(machine.double_gflop_per_s, "peak.double_gflop_per_s"));
  const bool own = machine.barrier_us || stand_in == nullptr;
  m.sync_s = 1e-6 * need(own ? machine.barrier_us : stand_in->barrier_us, "latency.barrier_us");
  if (!own) m.sync_of = stand_in->name;
  m.scratch_bytes = need(scratch_bytes, host ? "a cache \"L2\"" : "limits.scratch_bytes_per_team");
  m.registers_per_thread = machine.registers_per_thread.value_or(0);
  m.register_base = completed_constants(machine).values.register_base.value_or(0);
  m.clock_hz = 1e9 * machine.clock_ghz.value_or(0);
  m.threads_per_unit = machine.threads_per_unit.value_or(host ? 1 : 2048);
  m.gm_cycles = machine.memory_cycles.value_or(0);
  m.sm_cycles = machine.scratch_cycles.value_or(0);
  m.fma_cycles = machine.fma_cycles.value_or(0);
  return m;
}

Attainable attainable(const BlockingMachine& machine, const BlockingWork& w) {
  Attainable a;
  a.t_gm = w.a_gm * w.d_gm / machine.gm_bytes_per_s * w.s_cell;
  a.t_sm = w.a_sm * w.d_sm * w.t / machine.sm_bytes_per_s * w.s_cell;
  a.t_cmp = w.a_cmp * w.d_cmp * w.t / machine.flop_per_s;
  a.t_stencil = std::max({a.t_gm, a.t_sm, a.t_cmp});
  a.bottleneck = a.t_stencil == a.t_gm   ? "device memory"
                 : a.t_stencil == a.t_sm ? "scratch"
                                         : "arithmetic";
  a.cells_per_s = w.d_all * w.t / a.t_stencil;
  return a;
}

Attainable attainable_of(const Plan& plan, const MachineModel& target, int value_bytes) {
  BlockingMachine machine;
  machine.gm_bytes_per_s = target.bandwidth.gm;
  machine.sm_bytes_per_s =
      target.scratch_bytes_per_s > 0 ? target.scratch_bytes_per_s : target.bandwidth.smx;
  machine.flop_per_s =
      target.flop_per_s > 0 ? target.flop_per_s : std::numeric_limits<double>::infinity();
  BlockingWork work;
  work.a_sm = (plan.scratch_loads + plan.scratch_stores) * plan.valid_share;
  work.a_cmp = plan.flops;
  work.d_gm = 1 + plan.exchanged;
  work.d_sm = work.d_cmp = work.d_all = 1;
  work.t = plan.temporal_depth;
  work.s_cell = value_bytes;
  return attainable(machine, work);
}

std::optional<double> barrier_share_of(const Plan& plan, const MachineModel& target,
                                       const Attainable& attainable, double cells) {
  if (plan.barriers <= 0) return 1;
  if (target.barrier_s <= 0) return std::nullopt;
  const double t_stencil = attainable.t_stencil * cells / plan.valid_share;
  return valid_device_tile(t_stencil, target.barrier_s, plan.barriers);
}

double valid_sm_tile(double tile_x, double t, double rad) {
  return std::max(0.0, (tile_x - 2 * t * rad) / tile_x);
}

double valid_sm_tile(double tile_x, double tile_y, double t, double rad) {
  return valid_sm_tile(tile_x, t, rad) * valid_sm_tile(tile_y, t, rad);
}

double valid_device_tile(double t_stencil, double t_sync, double n) {
  return t_stencil / (t_stencil + t_sync * n);
}

std::vector<Concurrency> necessary_parallelism(const BlockingMachine& m, int value_bytes) {
  std::vector<Concurrency> all;
  if (m.clock_hz <= 0) return all;
  const double a_unit_and_cycle = m.units * m.clock_hz;
  const auto add = [&](const char* what, double cycles, double per_s) {
    if (cycles <= 0) return;
    const double per_cycle = per_s / a_unit_and_cycle;
    all.push_back({what, cycles, per_cycle, cycles * per_cycle});
  };
  add("device memory accesses", m.gm_cycles, m.gm_bytes_per_s / value_bytes);
  add("scratch accesses", m.sm_cycles, m.sm_bytes_per_s / value_bytes);
  add("multiply-adds", m.fma_cycles, m.flop_per_s / 2);
  return all;
}

double desired_depth(const BlockingMachine& machine, double a_sm) {
  return kAgm / a_sm * machine.sm_bytes_per_s / machine.gm_bytes_per_s;
}

double device_tile_cells(double tile_x, double tile_y, double t, double rad) {
  return tile_x * tile_y + (tile_x + tile_y) * 2 * t * rad;
}

double desired_depth_device(const BlockingMachine& machine, double a_sm, double tile_x,
                            double tile_y, double rad) {
  // a_sm D_sm t / B_sm = a_gm (D_sm + (tile_x + tile_y) 2 t rad) / B_gm, solved for t.
  const double d_sm = tile_x * tile_y;
  const double gained = a_sm * d_sm / machine.sm_bytes_per_s -
                        kAgm * (tile_x + tile_y) * 2 * rad / machine.gm_bytes_per_s;
  if (gained <= 0) return std::numeric_limits<double>::infinity();
  return kAgm * d_sm / machine.gm_bytes_per_s / gained;
}

double queue_bytes(double tile_x, double tile_y, double t, double rad, int dims, double s_cell) {
  const double plane = (tile_x + 2 * rad) * (dims == 2 ? tile_y : tile_y + 2 * rad);
  return (2 * rad * t + 1) * plane * s_cell;
}

int deepest(const BlockingMachine& machine, const TemporalStencil& stencil, double tile_x,
            double tile_y, double s_cell) {
  constexpr double kRows = 4;  // of a round in two dimensions
  const double rad = stencil.rad;
  const double behind = stencil.star ? 0 : rad;  // planes or rows that only a box reads of others
  double by_scratch = 0, kept = 0;
  if (stencil.dims == 2) {
    // A step's ring: the rows of a round, those that the next makes meanwhile, rad on either side
    // of which one is shared; of the last step nothing.
    const double rows = std::floor(machine.scratch_bytes / ((tile_x + 2 * rad) * s_cell));
    by_scratch = 1 + (rows - (2 * kRows + rad + behind)) / (kRows + rad + behind);
    kept = kRows + rad;
  } else {
    const double plane = queue_bytes(tile_x, tile_y, 0, rad, stencil.dims, s_cell);
    by_scratch = (std::floor(machine.scratch_bytes / plane) - 1) / (rad + 1 + behind);
    kept = (rad + 1) * kRows;  // a thread has four cells of a plane
  }
  double deepest_t = by_scratch;
  if (machine.registers_per_thread > 0) {
    constexpr double kRegisterBytes = 4;
    const double registers_a_step = kept * s_cell / kRegisterBytes;
    deepest_t = std::min(deepest_t,
                         (machine.registers_per_thread - machine.register_base) / registers_a_step);
  }
  constexpr double kMost = 1 << 16;  // of a scratch that no machine has
  return static_cast<int>(std::clamp(deepest_t, 0.0, kMost));
}

namespace {

/// (22), (23): the square tile from which on halos no longer are the bottleneck.
double smallest_wide_tile(const BlockingMachine& machine, double a_sm, double rad) {
  return 4 * kAgm * machine.sm_bytes_per_s / (a_sm * machine.gm_bytes_per_s) * rad;
}

BlockingWork work_of(const TemporalStencil& stencil, double a_sm, double cells, int t,
                     double s_cell) {
  BlockingWork w;
  w.a_sm = a_sm;
  w.a_cmp = stencil.flops;
  w.d_gm = w.d_sm = w.d_cmp = w.d_all = cells;
  w.t = t;
  w.s_cell = s_cell;
  return w;
}

/// Doubles the instruction-level parallelism until it saturates a resource. No machine requests
/// thousands.
void raise_ilp(BlockingPlan& plan, const Concurrency& resource, const std::string& machine) {
  constexpr int kMost = 1 << 16;
  while (plan.threads * plan.ilp < resource.needed) {
    require(plan.ilp < kMost,
            "machine {}: to saturate {}, {:.3g} would be under way in a unit: look at its latency, "
            "clock and rate",
            machine, resource.what, resource.needed);
    plan.ilp *= 2;
  }
}

Candidate better(const Candidate& a, const Candidate& b) {
  return b.practical_cells_per_s > a.practical_cells_per_s ? b : a;
}

}  // namespace

Candidate sm_tiling(const BlockingMachine& machine, const TemporalStencil& stencil, double a_sm,
                    int tile_x, int tile_y, int t, double s_cell) {
  Candidate c{false, tile_x, tile_y, t, {}, 0, 0};
  const double cells = machine.units * tile_x * tile_y;
  c.p = attainable(machine, work_of(stencil, a_sm, cells, t, s_cell));
  c.valid = stencil.dims == 2
                ? valid_sm_tile(tile_x, t, stencil.rad)
                : valid_sm_tile(tile_x + 2 * stencil.rad, tile_y + 2 * stencil.rad, t, stencil.rad);
  c.practical_cells_per_s = c.p.cells_per_s * c.valid;
  return c;
}

Candidate device_tiling(const BlockingMachine& machine, const TemporalStencil& stencil, double a_sm,
                        int tile_x, int tile_y, int t, double s_cell) {
  Candidate c{true, tile_x, tile_y, t, {}, 0, 0};
  const double cells = machine.units * tile_x * tile_y;
  BlockingWork w = work_of(stencil, a_sm, cells, t, s_cell);
  // In three dimensions the halos between teams go through memory (18); in two they are a few
  // cells.
  if (stencil.dims == 3) {
    w.d_gm = machine.units * device_tile_cells(tile_x, tile_y, t, stencil.rad);
  }
  c.p = attainable(machine, w);
  c.valid = valid_device_tile(c.p.t_stencil, machine.sync_s, 1);
  c.practical_cells_per_s = c.p.cells_per_s * c.valid;
  return c;
}

BlockingPlan plan_blocking(const BlockingMachine& machine, const TemporalStencil& stencil,
                           int value_bytes) {
  BlockingPlan plan;
  plan.stencil = stencil;
  plan.parallelism = necessary_parallelism(machine, value_bytes);
  // 6.1: 12.5 % of the threads, and what instruction-level parallelism then must give: 256 x 4.
  plan.threads = std::max(1, static_cast<int>(machine.threads_per_unit / 8));
  for (const Concurrency& c : plan.parallelism) raise_ilp(plan, c, machine.name);
  const bool flat = stencil.dims == 2;
  const int tile_x = flat ? 256 : 32;
  const int tile_y = flat ? 4 : 32;
  const double a_sm = stencil.a_sm_rst;
  plan.deepest = deepest(machine, stencil, tile_x, tile_y, value_bytes);
  plan.desired = flat ? desired_depth(machine, a_sm)
                      : desired_depth_device(machine, a_sm, tile_x, tile_y, stencil.rad);
  if (!flat) plan.wide_tile = smallest_wide_tile(machine, a_sm, stencil.rad);
  for (int t = 1; t <= std::max(1, plan.deepest); ++t) {
    const Candidate sm = sm_tiling(machine, stencil, a_sm, tile_x, tile_y, t, value_bytes);
    const Candidate device = device_tiling(machine, stencil, a_sm, tile_x, tile_y, t, value_bytes);
    plan.sm = better(plan.sm, sm);
    plan.device = better(plan.device, device);
  }
  plan.uses_device_tiling = plan.device.practical_cells_per_s > plan.sm.practical_cells_per_s;
  // Two dimensions: deep enough to shift the bottleneck (6.2.1). Three: as deep as possible
  // (6.4.2).
  const bool enough = plan.desired < plan.sm.t;  // it may be infinite
  plan.depth = plan.uses_device_tiling ? plan.device.t
               : enough                ? std::max(1, static_cast<int>(std::ceil(plan.desired)))
                                       : plan.sm.t;
  // Computed addresses need 2^n slots: cheap for rows, half the scratch for planes (Table 1).
  plan.computed_addresses = flat;
  return plan;
}

}  // namespace tessera::model

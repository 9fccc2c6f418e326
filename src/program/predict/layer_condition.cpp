// SPDX-License-Identifier: Apache-2.0
#include "program/predict/layer_condition.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/predict/kernel.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace tessera::model {

int LayerCondition::most_rows() const {
  const double row = wanted(1);
  require(row > 0, "a layer condition requires threads, cells along x, bytes and layers above 0");
  // The condition is strict: a block that just fills the cache does not fit.
  return std::max(0, static_cast<int>(std::ceil(available() / row)) - 1);
}

LayerCondition layer_condition(const machine::Machine& machine, double nx, double value_bytes,
                               double layers, double table_bytes) {
  require(machine.kind == "cpu",
          "machine {} is a GPU: conditions (7) and (8) are of a core's cache", machine.name);
  require(machine.units.has_value(), "machine {}: a layer condition requires units", machine.name);
  const machine::MachineCache* own = nullptr;
  for (const machine::MachineCache& cache : machine.caches) {
    const bool shared = cache.instances.value_or(1) < 2 && *machine.units > 1;
    if (cache.level == "scratch" || shared || !cache.bytes) continue;
    if (own == nullptr || *cache.bytes > *own->bytes) own = &cache;
  }
  require(own != nullptr, "machine {}: a layer condition requires a cache with bytes and instances",
          machine.name);
  const double cores = std::max(1.0, *machine.units / own->instances.value_or(*machine.units));
  return {machine.threads_per_unit.value_or(1),
          nx,
          value_bytes,
          layers,
          *own->bytes / cores,
          table_bytes};
}

const LayeredStencil* find_layered_stencil(const std::string& name) {
  static const std::vector<LayeredStencil> all = {{"ete/37pt", 9, 11}, {"ete/73pt", 9, 17}};
  for (const LayeredStencil& stencil : all) {
    if (name == stencil.name || "ete/" + name == stencil.name) return &stencil;
  }
  return nullptr;
}

const Block& choose_block(const std::vector<Block>& offered, const LayerCondition& condition,
                          int ny_full, int nz_full) {
  require(!offered.empty(), "a layer condition has no block to choose from");
  const auto rows = [&](const Block& b) { return b.ny == 0 ? ny_full : std::min(b.ny, ny_full); };
  const auto planes = [&](const Block& b) { return b.nz == 0 ? nz_full : std::min(b.nz, nz_full); };
  const auto better = [&](const Block& a, const Block& b) {
    const bool fits_a = condition.holds(rows(a)), fits_b = condition.holds(rows(b));
    if (fits_a != fits_b) return fits_a;
    if (rows(a) != rows(b)) return fits_a ? rows(a) > rows(b) : rows(a) < rows(b);
    return planes(a) > planes(b);
  };
  const Block* best = &offered.front();
  for (const Block& block : offered) {
    if (better(block, *best)) best = &block;
  }
  return *best;
}

}  // namespace tessera::model

namespace tessera {

namespace {

/// The condition of each scheme: how many layers it keeps, and the variant that is it.
struct Scheme {
  int equation;
  bool all_layers;
  const char* variant;
};
constexpr Scheme kSchemes[] = {{7, true, "ete/base_simd_blocked"}, {8, false, "ete/scatter"}};

double kib(double bytes) { return bytes / 1024; }

}  // namespace

LayerPlan plan_layers(const Registry& variants, const model::LayeredStencil& stencil,
                      const machine::Machine& machine, int value_bytes) {
  LayerPlan plan{stencil, machine.name, machine.device, {}};
  const Region region{"whole", Update::inner, {0, stencil.nz, 0, stencil.ny, 0, stencil.nx}, {}};
  const Problem problem{.stencil = stencil.name,
                        .value_bytes = value_bytes,
                        .columns = stencil.table_columns,
                        .machine = model::machine_limits(machine)};
  for (const Scheme& scheme : kSchemes) {
    LayerChoice choice{scheme.equation,
                       scheme.variant,
                       model::layer_condition(machine, stencil.nx, value_bytes,
                                              scheme.all_layers ? stencil.layers : 1,
                                              stencil.table_bytes(value_bytes)),
                       {},
                       0};
    std::vector<model::Block> blocks;
    std::vector<std::int64_t> cached;
    for (const auto& variant : variants.variants()) {
      if (variant->full_name() != scheme.variant) continue;
      for (std::size_t c = 0; c < variant->configurations.size(); ++c) {
        const Plan p = variant->plan(c, region, problem);
        if (!p.supported()) continue;
        blocks.push_back({variant->configurations[c].text, p.tile[1], p.tile[2]});
        cached.push_back(p.cached_bytes);
      }
    }
    if (!blocks.empty()) {
      const model::Block& best =
          model::choose_block(blocks, choice.condition, stencil.ny, stencil.nz);
      choice.block = best;
      choice.cached_bytes = cached[static_cast<std::size_t>(&best - blocks.data())];
    }
    plan.choices.push_back(std::move(choice));
  }
  return plan;
}

nlohmann::json to_json(const LayerPlan& plan) {
  nlohmann::json conditions = nlohmann::json::array();
  for (const LayerChoice& c : plan.choices) {
    nlohmann::json row = {{"equation", c.equation},
                          {"variant", c.variant},
                          {"threads", c.condition.threads},
                          {"nx", c.condition.nx},
                          {"layers", c.condition.layers},
                          {"cache_bytes", c.condition.cache_bytes},
                          {"table_bytes", c.condition.table_bytes},
                          {"bytes_per_row", c.condition.wanted(1)},
                          {"most_rows", c.condition.most_rows()},
                          {"configuration", nullptr}};
    if (!c.block.name.empty()) {
      row["configuration"] = c.block.name;
      row["holds"] = c.condition.holds(c.block.ny);
      row["cached_bytes"] = c.cached_bytes;
    }
    conditions.push_back(std::move(row));
  }
  return {{"stencil", plan.stencil.name},
          {"machine", plan.machine},
          {"conditions", std::move(conditions)}};
}

void print(const LayerPlan& plan, const std::string& precision) {
  const model::LayeredStencil& s = plan.stencil;
  say("{}, {}, {} x {} x {} cells, on {} ({})\n", s.name, precision, s.nx, s.ny, s.nz, plan.machine,
      plan.device);
  for (const LayerChoice& c : plan.choices) {
    const model::LayerCondition& l = c.condition;
    say("\n  ({}) {}: {} layer{} of a block in cache\n", c.equation, c.variant, l.layers,
        l.layers > 1 ? "s" : "");
    say("      threads x Nx x Ny x bytes x layers = {} x {} x Ny x {} x {} = {:.1f} KiB a row\n",
        l.threads, l.nx, l.value_bytes, l.layers, kib(l.wanted(1)));
    say("      C / 2 - table = {:.0f} / 2 - {:.1f} = {:.1f} KiB: Ny <= {}\n", kib(l.cache_bytes),
        kib(l.table_bytes), kib(l.available()), l.most_rows());
    if (c.block.name.empty()) {
      say("      this binary offers no blocks of it in that precision\n");
      continue;
    }
    say("      chooses {} of those offered: {:.1f} KiB by ({}){}; with halo rows{} {:.1f} KiB a "
        "thread\n",
        c.block.name, kib(l.wanted(c.block.ny) / l.threads), c.equation,
        l.holds(c.block.ny) ? "" : ", which does not hold",
        c.equation == 8 ? " and the nine layers of sums" : "",
        kib(static_cast<double>(c.cached_bytes)));
  }
}

}  // namespace tessera

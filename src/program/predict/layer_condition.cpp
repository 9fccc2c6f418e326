// SPDX-License-Identifier: Apache-2.0
#include "program/predict/layer_condition.hpp"

#include "base/support/error.hpp"

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

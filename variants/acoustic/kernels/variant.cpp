// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/kernels/variant.hpp"

namespace tessera::acoustic {

void add_region_costs(Plan& plan, const Region& region, double vp, bool eta_by_profiles) {
  const auto inner = static_cast<double>(region.inner_cells());
  const auto pml = static_cast<double>(region.pml_cells());
  if (inner + pml == 0) return;
  plan.minimal_elements = (4 * inner + 7 * pml) / (inner + pml);
  plan.flops = (kFlopsInner * inner + kFlopsPml * pml) / (inner + pml);
  // For the traffic model: u+ is written over u-; a variant that reads u through the cache reads
  // 2R of its 25 points, and in the PML two of eta's seven, at x +- m.
  const double in_pml = pml / (inner + pml);
  plan.arrays = {{"u", {kR, kR, kR}},
                 {"next", {0, 0, 0}, true, true},
                 {"vp", {0, 0, 0}, true, false, vp},
                 {"phi", {0, 0, 0}, true, true, in_pml}};
  if (!eta_by_profiles) plan.arrays.push_back({"eta", {1, 1, 1}, true, false, in_pml});
  plan.loops.branched = in_pml;
  if (plan.scratch_loads == 0) plan.misaligned_loads = 2 * kR + 2 * in_pml;
}

namespace {

/// Instructions that reading a value takes on a device beyond a float's, with those of writing
/// spread over the values read: what ncu counts in the format less what it counts in float, over
/// the values that a cell reads. Means of acoustic/st_async and st_bulk where both have the format
/// (docs/performance/storage.md).
double conversions_a_value(Storage storage) {
  constexpr double kInstructions[] = {0, 1.4, 1.9, 2.7, 6.8, 9.1};  // in the order of Storage
  return kInstructions[static_cast<int>(storage)];
}

}  // namespace

void add_storage(Plan& plan, const Problem& problem) {
  const Storage storage = problem.storage;
  const double pml = plan.arrays[3].share;  // phi's
  if (plan.supported() && plan.temporal_depth == 1 && problem.machine.on_device()) {
    const double read = plan.scratch_loads > 0 ? plan.scratch_loads : plan.loads - 8 * pml;
    plan.conversions = conversions_a_value(storage) * read;
  }
  const double share = stored_share(storage);
  for (std::size_t i = 0; i < 2; ++i) plan.arrays[i].share = share;
  plan.arrays[2].share = 0.5;       // vp
  if (keeps_difference(storage)) {  // in place of u-, which is not read
    plan.arrays[1].read = false;
    plan.arrays.push_back({"difference", {0, 0, 0}, true, true, share});
  }
  // What is read and written of the layers alone stays: phi and eta.
  plan.loads = (plan.loads - 1 - 8 * pml) * share + 0.5 + 8 * pml;
  plan.stores = (plan.stores - pml + (keeps_difference(storage) ? 1 : 0)) * share + pml;
  plan.scratch_loads *= share;
  plan.scratch_stores *= share;
  plan.misaligned_loads *= share;
}

}  // namespace tessera::acoustic

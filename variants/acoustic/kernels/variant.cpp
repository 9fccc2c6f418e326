// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/kernels/variant.hpp"

namespace tessera::acoustic {

void add_region_costs(Plan& plan, const Region& region) {
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
                 {"vp", {0, 0, 0}},
                 {"phi", {0, 0, 0}, true, true, in_pml},
                 {"eta", {1, 1, 1}, true, false, in_pml}};
  plan.loops.branched = in_pml;
  if (plan.scratch_loads == 0) plan.misaligned_loads = 2 * kR + 2 * in_pml;
}

}  // namespace tessera::acoustic

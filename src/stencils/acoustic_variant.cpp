// SPDX-License-Identifier: Apache-2.0
#include "stencils/acoustic_variant.hpp"

namespace tessera::acoustic {

void add_region_costs(Plan& plan, const Region& region) {
  const auto inner = static_cast<double>(region.inner_cells());
  const auto pml = static_cast<double>(region.pml_cells());
  if (inner + pml == 0) return;
  plan.minimal_elements = (4 * inner + 7 * pml) / (inner + pml);
  plan.flops = (kFlopsInner * inner + kFlopsPml * pml) / (inner + pml);
}

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
#include "variants/low_order/kernels/variant.hpp"

namespace tessera::low_order {

CellLoads loads_of_a_cell(Stencil stencil) {
  switch (stencil) {
    case Stencil::pt7_1:
      return {5, 2};  // the cell, y +- 1, z +- 1; x +- 1
    case Stencil::pt7_2:
      return {5, 2};  // gamma in place of the cell
    case Stencil::pt7_3:
      return {11, 4};  // seven of u, seven of kappa, gamma
    case Stencil::pt19:
      break;
  }
  return {9, 10};  // y +- 1, z +- 1, the four at (y +- 1, z +- 1), gamma; the others have x +- 1
}

CellLoads loads_in_chunks(Stencil stencil, int chunk) {
  const double ends = 2.0 / chunk;  // of each column: one value before the first cell, one after
  switch (stencil) {
    case Stencil::pt7_1:
      return {3 + ends, 2};
    case Stencil::pt7_2:
      return {4 + ends, 2};
    case Stencil::pt7_3:
      return {2 * (3 + ends) + 1, 4};
    case Stencil::pt19:
      break;
  }
  return {3 * (1 + ends) + 1, 2 * (1 + ends) + 4};
}

void add_costs(Plan& plan, Stencil stencil) {
  for (const StencilFacts& facts : kStencils) {
    if (facts.stencil != stencil) continue;
    plan.minimal_elements = facts.arrays;
    plan.flops = facts.flops;
  }
  plan.arrays = {{"u", {kR, kR, kR}, true, false, 1, stencil == Stencil::pt19},
                 {"next", {0, 0, 0}, false, true}};
  if (stencil != Stencil::pt7_1) plan.arrays.push_back({"gamma", {0, 0, 0}, true, false});
  if (stencil == Stencil::pt7_3) plan.arrays.push_back({"kappa", {kR, kR, kR}, true, false});
}

}  // namespace tessera::low_order

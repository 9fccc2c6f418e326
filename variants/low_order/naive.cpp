// SPDX-License-Identifier: Apache-2.0
// low_order/naive: what a newcomer to Kokkos writes. One MDRangePolicy over the grid, with the
// backend's default tile or a chosen one, one functor call a cell.
//
// Formula:  the four stencils of variants/low_order/formula.hpp, e.g. 7pt-1: u+ = alpha u + beta
//           S(u).
// Idea:     every value is read through the cache; Kokkos chooses the traversal.
// Minimal:  16, 24, 32, 24 B a cell in double for 7pt-1, 7pt-2, 7pt-3, 19pt.
#include "base/grid/cell_policy.hpp"
#include "base/registry/cell_tiles.hpp"
#include "variants/low_order/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace low_order;

template <class Real, Stencil kStencil>
struct NaiveKernel {
  Fields<Real> f;

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::int64_t i = f.offset(z, y, x);
    f.next[i] = value_at<kStencil>(f, i);
  }
};

template <class Real>
struct Naive {
  CellTile tile;

  [[nodiscard]] Plan plan(const Region& region, Stencil stencil, const Problem& problem) const {
    Plan p = plan_of_cells(tile, region.box, problem.machine, {kR, kR, kR});
    const CellLoads loads = loads_of_a_cell(stencil);
    p.loads = loads.aligned + loads.misaligned;
    p.misaligned_loads = loads.misaligned;
    p.stores = 1;
    return p;
  }

  void step(const ExecSpace& exec, Stencil stencil, const Fields<Real>& fields,
            const Region& region) const {
    with_stencil(stencil, [&](auto chosen) {
      Kokkos::parallel_for("tessera::low_order::naive::step", cells_of(exec, region.box, tile),
                           NaiveKernel<Real, chosen()>{fields});
    });
  }
};

}  // namespace

void register_low_order_naive(Registry& registry) {
  auto v = std::make_unique<LowOrderVariant>(VariantFacts{
      .name = "naive",
      .summary = "one MDRange, with Kokkos' default tile or a chosen one",
      .source = "ours: a baseline",
      .memory = "all arrays in device memory and its caches; nothing staged",
      .loses = "on hosts, where Kokkos does not ask the compiler to vectorise an MDRange",
      .tags = {"baseline", "mdrange", "3d"},
  });
  for (const OfferedCellTile& offered : kCellTiles) {
    v->offer(offered.configuration(),
             [&](auto real) { return Naive<decltype(real)>{offered.tile}; });
  }
  registry.add(std::move(v));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// ete/naive: what a newcomer to Kokkos writes. One MDRangePolicy over the grid, with the backend's
// default tile or a chosen one, one functor call a cell.
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Idea:     every point and every coefficient is read through the caches; Kokkos chooses the
//           traversal.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "base/grid/cell_policy.hpp"
#include "base/registry/cell_tiles.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace ete;

template <class Real, class ShapeType>
struct NaiveKernel {
  Fields<Real> f;

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const int v = f.index[f.index_offset(z, y, x)];
    const Real* column = f.tables.by_velocity + v * padded_rows<Real>(ShapeType::kRows);
    const std::int64_t i = f.offset(z, y, x);
    const Real* p = f.p + i;
    const Real sum = convolve_rows<ShapeType, 0, ShapeType::kRows>(
        Real(0), [&](auto r) { return column[r]; },
        [&](auto dz, auto dy, auto dx) { return p[dz * f.plane + (dy * f.row + dx)]; });
    f.next[i] = advanced(sum, f.next[i]);
  }
};

template <class Real, class ShapeType>
struct Naive {
  CellTile tile;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    if (std::string why = unfit_table(Rows::z_distinct, problem); !why.empty()) {
      return unsupported(std::move(why));
    }
    Plan p = plan_of_cells(tile, region.box, problem.machine, {kR, kR, kR});
    p.loads = ShapeType::kPoints + ShapeType::kClasses + 1 + 2.0 / sizeof(Real);
    p.misaligned_loads = ShapeType::kBeside;
    p.gather.columns = problem.columns, p.gather.neighbours = problem.neighbours;
    gather_table<Real>(p, Home::ro, ShapeType::kClasses, ShapeType::kRows, Layout::velocity);
    p.stores = 1;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    Kokkos::parallel_for("tessera::ete::naive::step", cells_of(exec, region.box, tile),
                         NaiveKernel<Real, ShapeType>{fields});
  }
};

}  // namespace

void register_ete_naive(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "naive",
      .summary = "one MDRange, with Kokkos' default tile or a chosen one",
      .source = "ours: a baseline",
      .memory = "p, p-, index and table in device memory and its caches; nothing staged",
      .loses = "on hosts, where Kokkos does not ask the compiler to vectorise an MDRange",
      .tags = {"baseline", "mdrange", "3d"},
  });
  for (const OfferedCellTile& offered : kCellTiles) {
    v->offer(offered.configuration(), [&](auto real, auto points) {
      return Naive<decltype(real), Shape<points()>>{offered.tile};
    });
  }
  registry.add(std::move(v));
}

}  // namespace tessera

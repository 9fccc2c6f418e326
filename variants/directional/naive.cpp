// SPDX-License-Identifier: Apache-2.0
// directional/naive: what a newcomer to Kokkos writes. One MDRangePolicy over the cube, with the
// backend's default tile or a chosen one, one functor call a cell.
//
// Formula:  out = sum over directions d of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1..R.
// Idea:     every point is read through the cache; Kokkos chooses the traversal.
// Minimal:  8 B a cell (float): the input read once, the output written once.
#include "base/grid/cell_policy.hpp"
#include "base/registry/cell_tiles.hpp"
#include "variants/directional/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D>
struct NaiveKernel {
  Cubes<Real> f;

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::int64_t i = f.offset(z, y, x);
    const Real* u = f.in + i;
    f.out[i] = derivative<R, D>(
        f.k, [&](auto m) { return u[m]; }, [&](auto m) { return u[m * f.row]; },
        [&](auto m) { return u[m * f.plane]; });
  }
};

template <class Real>
struct Naive {
  CellTile tile;

  [[nodiscard]] Plan plan(const Region& region, const Operator& op, const Problem& problem) const {
    const auto along = [&](Directions d) { return has(op.directions, d) ? op.radius : 0; };
    Plan p = plan_of_cells(tile, region.box, problem.machine,
                           {along(Directions::x), along(Directions::y), along(Directions::z)});
    p.loads = 2.0 * op.radius * axes(op.directions) + 1;
    p.misaligned_loads = 2.0 * along(Directions::x);
    p.stores = 1;
    return p;
  }

  void step(const ExecSpace& exec, const Cubes<Real>& cubes, const Region& region,
            const Operator& op) const {
    AllDirections::with(op.directions, [&](auto d) {
      AllRadii::with(op.radius, [&](auto r) {
        Kokkos::parallel_for("tessera::directional::naive::step", cells_of(exec, region.box, tile),
                             NaiveKernel<Real, r(), d()>{cubes});
      });
    });
  }
};

}  // namespace

void register_directional_naive(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "naive",
          .summary = "one MDRange, with Kokkos' default tile or a chosen one",
          .source = "ours: a baseline",
          .memory = "both cubes in device memory and its caches; nothing staged",
          .loses = "on hosts, where Kokkos does not ask the compiler to vectorise an MDRange",
          .tags = {"baseline", "mdrange", "3d"},
      },
      std::vector<Directions>{std::begin(kDirections), std::end(kDirections)});
  for (const OfferedCellTile& offered : kCellTiles) {
    v->offer(offered.configuration(),
             [&](auto real) { return Naive<decltype(real)>{offered.tile}; });
  }
  registry.add(std::move(v));
}

}  // namespace tessera

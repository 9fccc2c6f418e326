// SPDX-License-Identifier: Apache-2.0
// acoustic/naive: what a newcomer to Kokkos writes, as the baseline. One MDRangePolicy a region
// with the backend's default tile, one functor call a cell.
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (stencils/acoustic/formula.hpp).
// Idea:     every point is read through the cache; Kokkos chooses tile and traversal.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
// Order:    x is the policy's first index: Kokkos maps the first index to neighbouring threads on a
//           device whatever the iteration order, and iterates the leftmost fastest on a host here.
#include "grid/cell_policy.hpp"
#include "kernels/acoustic/variant.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, Update kUpdate>
struct NaiveKernel {
  Fields<Real> f;
  Box hole;

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::int64_t i = f.offset(z, y, x);
    const Real* u = f.u + i;
    update_cell<kUpdate>(
        f, hole, z, y, x, i, [&](auto m) { return u[m]; }, [&](auto m) { return u[m * f.row]; },
        [&](auto m) { return u[m * f.plane]; });
  }
};

template <class Real>
struct Naive {
  [[nodiscard]] Plan plan(const Region& region, int) const {
    Plan p;
    p.league = region.box.cells();  // Kokkos does not tell its tile before the launch
    p.team = 1;
    const bool inner = region.update == Update::inner;
    p.loads = inner ? 27 : 35;
    p.stores = inner ? 1 : 2;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    const Box& b = region.box;
    with_update(region.update, [&](auto update) {
      Kokkos::parallel_for("tessera::acoustic::naive::step",
                           CellPolicy(exec, {b.x0, b.y0, b.z0}, {b.x1, b.y1, b.z1}),
                           NaiveKernel<Real, update()>{fields, region.hole});
    });
  }
};

}  // namespace

void register_acoustic_naive(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "naive",
      .summary = "one MDRange with Kokkos' default tile",
      .source = "ours: the baseline",
      .memory = "u, u-, vp, phi, eta in device memory and its caches; nothing staged",
      .loses = "on hosts, where Kokkos does not ask the compiler to vectorise an MDRange",
      .tags = {"baseline", "3d"},
  });
  v->offer({"default", Origin::ours, ""}, [](auto real) { return Naive<decltype(real)>{}; });
  registry.add(std::move(v));
}

}  // namespace tessera

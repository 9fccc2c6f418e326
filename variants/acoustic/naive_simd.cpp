// SPDX-License-Identifier: Apache-2.0
// acoustic/naive_simd: the plain host code whose loop the compiler vectorises. A thread takes rows;
// along a row one simd loop. No tiles.
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     the same reads as `naive`, in vectors: what is won against it is won by blocking, and
//           not only by vector instructions.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, Update kUpdate>
struct NaiveSimdKernel {
  Fields<Real> f;
  Box hole;
  Tiling rows;  // a tile is a row

  KOKKOS_FUNCTION void operator()(int row) const {
    const TilePlace place = rows.place(row);
    const RuntimeTile tile{place.extent.nx, 1, 1};
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    for_each_part_by_update<kUpdate>(place, hole, [&](auto update, const Box& part) {
      for_each_cell_in(tile, part, [&](const Cell& c) {
        const std::int64_t i = first + c.x;
        const Real* u = f.u + i;
        update_cell<update()>(
            f, hole, place.z0, place.y0, place.x0 + c.x, i, [&](auto m) { return u[m]; },
            [&](auto m) { return u[m * f.row]; }, [&](auto m) { return u[m * f.plane]; });
      });
    });
  }
};

template <class Real>
struct NaiveSimd {
  [[nodiscard]] static Tiling rows_of(const Box& box) { return {box, box.nx(), 1, 1}; }

  [[nodiscard]] Plan plan(const Region& region, const Problem&) const {
    Plan p;
    p.league = rows_of(region.box).league();
    p.launch = Launch::rows;
    p.team = 1;
    p.tile[0] = region.box.nx(), p.tile[1] = 1, p.tile[2] = 1;
    const double pml = pml_share(region);
    p.loads = kPoints + 2 + 8 * pml;  // u, u-, vp; in the PML phi and eta: 7
    p.stores = 1 + pml;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (!kOnDevice) {
      const Tiling rows = rows_of(region.box);
      with_update(region.update, [&](auto update) {
        Kokkos::parallel_for("tessera::acoustic::naive_simd::step",
                             Kokkos::RangePolicy<ExecSpace>(exec, 0, rows.league()),
                             NaiveSimdKernel<Real, update()>{fields, region.hole, rows});
      });
    }
  }
};

}  // namespace

void register_acoustic_naive_simd(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "naive_simd",
      .summary = "plain loops on hosts: a row a thread, vectorised along it",
      .source = "ours: the plain code in vectors",
      .memory = "u, u-, vp, phi, eta in memory and its caches; nothing staged",
      .loses = "where 2R + 1 planes do not fit in the last cache: each is then read again",
      .tags = {"host baseline", "host only", "3d"},
  });
  v->offer({"default", Origin::ours, "host", RunsOn::hosts},
           [](auto real) { return NaiveSimd<decltype(real)>{}; });
  registry.add(std::move(v));
}

}  // namespace tessera

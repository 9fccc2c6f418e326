// SPDX-License-Identifier: Apache-2.0
// acoustic/naive: what a newcomer to Kokkos writes, as the baseline. One MDRangePolicy a region,
// with the backend's default tile or a chosen one, one functor call a cell.
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     every point is read through the cache; Kokkos chooses the traversal.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
// Order:    x is the policy's first index: Kokkos maps the first index to neighbouring threads on a
//           device whatever the iteration order, and iterates the leftmost fastest on a host here.
#include "base/grid/cell_policy.hpp"
#include "base/registry/cell_tiles.hpp"
#include "variants/acoustic/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, class Format, Update kUpdate>
struct NaiveKernel {
  Fields<Real, Format> f;
  Box hole;

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::int64_t i = f.offset(z, y, x);
    const auto u = f.u + i;
    update_cell<kUpdate>(
        f, hole, z, y, x, i, [&](auto m) { return u[m]; }, [&](auto m) { return u[m * f.row]; },
        [&](auto m) { return u[m * f.plane]; });
  }
};

/// In blocks: a call for each, which makes its cells one after the other and then stores them.
template <class Real, class Format, Update kUpdate>
struct NaiveBlockKernel {
  Fields<Real, Format> f;
  Box box, hole;

  KOKKOS_FUNCTION void operator()(int block, int y, int z) const {
    const int begin = block * kBlockCells;
    const int cells = box.x1 - begin < kBlockCells ? box.x1 - begin : kBlockCells;
    float made[kBlockCells];
    for (int k = 0; k < cells; ++k) {
      const std::int64_t i = f.offset(z, y, begin + k);
      const auto u = f.u + i;
      update_cell<kUpdate>(
          f, hole, z, y, begin + k, i, [&](auto m) { return u[m]; },
          [&](auto m) { return u[m * f.row]; }, [&](auto m) { return u[m * f.plane]; },
          KeepNext{made[k]});
    }
    put_block(f.next + f.offset(z, y, begin), made, cells);
  }
};

template <class Real>
struct Naive {
  CellTile tile;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    Plan p = plan_of_cells(tile, region.box, problem.machine, {kR, kR, kR});
    const double pml = pml_share(region);
    p.loads = kPoints + 2 + 8 * pml;  // u, u-, vp; in the PML phi and eta: 7
    p.stores = 1 + pml;
    p.loops.vectorised = false;
    return p;
  }

  template <class Format>
  void step(const ExecSpace& exec, const Fields<Real, Format>& fields, const Region& region) const {
    const char* const label = "tessera::acoustic::naive::step";
    with_update<Format>(region.update, [&](auto update) {
      if constexpr (Format::kBlocks) {
        Box blocks = region.box;
        blocks.x0 /= kBlockCells, blocks.x1 = (blocks.x1 + kBlockCells - 1) / kBlockCells;
        Kokkos::parallel_for(
            label, cells_of(exec, blocks, tile),
            NaiveBlockKernel<Real, Format, update()>{fields, region.box, region.hole});
      } else {
        Kokkos::parallel_for(label, cells_of(exec, region.box, tile),
                             NaiveKernel<Real, Format, update()>{fields, region.hole});
      }
    });
  }
};

}  // namespace

void register_acoustic_naive(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "naive",
      .summary = "one MDRange, with Kokkos' default tile or a chosen one",
      .source = "ours: the baseline",
      .memory = "u, u-, vp, phi, eta in device memory and its caches; nothing staged",
      .loses = "on hosts, where Kokkos does not ask the compiler to vectorise an MDRange",
      .tags = {"device baseline", "mdrange", "3d"},
  });
  for (const OfferedCellTile& offered : kCellTiles) {
    v->offer(offered.configuration(),
             [&](auto real) { return Naive<decltype(real)>{offered.tile}; });
    v->offer_stored<true>(offered.configuration().text, Naive<float>{offered.tile}, AllFormats{});
  }
  registry.add(std::move(v));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// low_order/zvector: blocking along z by vectors of cells.
//
// Formula:  the four stencils of variants/low_order/formula.hpp, e.g. 7pt-1: u+ = alpha u + beta
//           S(u).
// Idea:     a thread owns V neighbouring cells along x and walks chunk planes. The rows of its
//           cells at z - 1, z and z + 1 stay in registers, for 19pt those at y +- 1 too; the rest
//           is read through the cache. u+ leaves by plain stores, for 7pt-3 by streaming ones.
// Minimal:  16, 24, 32, 24 B a cell in double for 7pt-1, 7pt-2, 7pt-3, 19pt.
// Why:      what separates zblock from the copy bandwidth is bytes in flight: its threads request 8
//           B, wait, compute, and ask again. So V = 2 (16 B, of which a warp requests whole lines),
//           all loads of a plane before its first sum, and no more registers than three quarters of
//           the threads need. With all threads resident (32 registers) the compiler asks and waits
//           four times a plane. Chunks of 4 to 8: longer ones are read twice at their ends, their
//           neighbours having left the cache, and spread memory accesses over more pages. Plain
//           stores serve better than streaming ones, except for 7pt-3. What did not help:
//           docs/performance/low_order.md.
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "variants/low_order/zvector/kernel.hpp"

namespace tessera {
namespace {

using namespace low_order;

template <class Real, int V>
struct Zvector {
  /// Teams of 512 threads that should be resident: 40 registers a thread with V = 2, or 64.
  [[nodiscard]] static constexpr int min_teams(Stencil stencil) {
    const bool one_column = stencil == Stencil::pt7_1 || stencil == Stencil::pt7_2;
    return !one_column ? 1 : V == 2 ? 3 : 2;
  }

  int bx, by, chunk;  // bx in cells; 0: the region's own extent

  [[nodiscard]] RuntimeBlocks blocks(const Box& box) const {
    return {box, bx == 0 ? box.nx() : bx, by, chunk, {bx == 0 ? 1 : V, chunk}};
  }

  [[nodiscard]] Plan plan(const Region& region, Stencil stencil, const Problem& problem) const {
    const bool device = problem.machine.on_device();
    const RuntimeBlocks tiles = blocks(region.box);
    Plan p;
    p.league = tiles.league();
    p.team = device ? tiles.threads() : 1;
    p.tile[0] = bx == 0 ? region.box.nx() : bx, p.tile[1] = by, p.tile[2] = chunk;
    p.planes_per_thread = chunk;
    p.halo_cells = halo_of_faces(p.tile, kR);
    const CellLoads kept = loads_in_chunks(stencil, chunk);
    const double ends = kept.misaligned / V;  // x +- 1 only beside a thread's cells
    const CellLoads loads = device ? CellLoads{kept.aligned, ends} : loads_of_a_cell(stencil);
    p.loads = loads.aligned + loads.misaligned;
    p.misaligned_loads = loads.misaligned;
    p.stores = 1;
    p.walk.width = device ? V : 1;
    p.walk.bound_threads = 512 * min_teams(stencil);
    p.loops.streaming_stores = !device && stencil == Stencil::pt7_3;
    return p;
  }

  void step(const ExecSpace& exec, Stencil stencil, const Fields<Real>& fields,
            const Region& region) const {
    const RuntimeBlocks tiles = blocks(region.box);
    with_stencil(stencil, [&](auto chosen) {
      launch_blocks<512, min_teams(chosen())>(
          exec, "tessera::low_order::zvector::step", tiles,
          ZvectorKernel<Real, V, chosen()>{fields, tiles, region.box.x1});
    });
  }
};

template <int V>
void offer_vectors(auto&& variant, int bx, int by, int chunk, const char* note = "") {
  const std::string text =
      extents_text({bx, by}) + parameter_text("v", V) + parameter_text("chunk", chunk);
  variant.offer({text, Origin::ours, note}, [=](auto real) {
    return Zvector<decltype(real), V>{bx, by, chunk};
  });
}

}  // namespace

void register_low_order_zvector(Registry& registry) {
  auto v = std::make_unique<LowOrderVariant>(VariantFacts{
      .name = "zvector",
      .summary = "vectors of cells along x, chunks along z",
      .source = "ours: what Su's zblock needs to reach the copy bandwidth",
      .memory =
          "rows of V values at z - 1 ... z + 1 in registers, x +- 1 and y +- 1 through the cache",
      .loses = "on small grids, and on hosts, where it is zblock",
      .tags = {"2.5d", "streaming", "vector"},
  });
  offer_vectors<2>(*v, 64, 8, 6);
  offer_vectors<4>(*v, 128, 4, 8);
  offer_vectors<4>(*v, 128, 4, 32);
  auto&& more = beyond_few(*v);
  for (const int chunk : {4, 8, 16}) offer_vectors<2>(more, 64, 8, chunk);
  for (const int chunk : {4, 6, 8}) offer_vectors<2>(more, 64, 16, chunk);
  for (const int chunk : {4, 6, 8}) offer_vectors<2>(more, 128, 8, chunk);
  for (const int chunk : {4, 16}) offer_vectors<4>(more, 128, 4, chunk);
  for (const int chunk : {8, 16}) offer_vectors<4>(more, 128, 2, chunk);
  for (const int chunk : {8, 16, 64}) offer_vectors<4>(more, 128, 8, chunk);
  registry.add(std::move(v));
}

}  // namespace tessera

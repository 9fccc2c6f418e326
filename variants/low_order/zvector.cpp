// SPDX-License-Identifier: Apache-2.0
// low_order/zvector: blocking along z by vectors of cells.
//
// Formula:  the four stencils of stencils/low_order.hpp, e.g. 7pt-1: u+ = alpha u + beta S(u).
// Memory:   a thread owns V neighbouring cells along x and walks chunk planes. Rows of V + 2
//           values, the cells and one neighbour on either side (from the threads beside, by
//           shuffles), stay in registers for z - 1 ... z + 1. Rows at y +- 1 are read through the
//           cache; for 19pt they stay in registers too. u+ leaves by streaming stores.
// Minimal:  16, 24, 32, 24 B a cell in double for 7pt-1, 7pt-2, 7pt-3, 19pt.
// Why:      what separates zblock from the copy bandwidth is bytes in flight: its threads ask for
//           8 B, wait, compute, and ask again. Tried without gain: planes loaded ahead (registers),
//           prefetches to L2, several rows a thread, plain stores.
// Loses:    on grids too small for such blocks, and on hosts, where it is zblock.
#include "error.hpp"
#include "stencils/low_order_variant.hpp"
#include "tile/lanes.hpp"
#include "tile/runtime_block.hpp"
#include "tile/vec.hpp"

namespace tessera {
namespace {

using namespace low_order;

/// The V cells of a thread in one row. The cells on either side are the neighbouring threads';
/// those at the ends of a warp load them.
template <class Real, int V>
struct Row {
  Pack<Real, V> cells;
  Real before, after;

  KOKKOS_FORCEINLINE_FUNCTION void load(const Real* at, const RowLanes& lanes) {
    cells = load_pack<V>(at);
    if (lanes.first()) before = at[-1];
    if (lanes.last()) after = at[V];
  }
  /// The cells one further along x, or one back.
  template <int Dx>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<Real, V> shifted(const RowLanes& lanes) const {
    if constexpr (Dx == 0) {
      return cells;
    } else {
      const Real end =
          Dx < 0 ? lanes.before(lane(cells, V - 1), before) : lanes.after(lane(cells, 0), after);
      return make_pack<Real, V>([&](int i) {
        const int from = i + Dx;
        return from < 0 || from >= V ? end : lane(cells, from);
      });
    }
  }
};

/// Rows at z - 1, z and z + 1.
template <class Real, int V>
struct Rows {
  Row<Real, V> row[3];

  KOKKOS_FORCEINLINE_FUNCTION Rows(const Real* at, int plane, const RowLanes& lanes) {
    row[0].load(at - plane, lanes);
    row[1].load(at, lanes);
  }
  KOKKOS_FORCEINLINE_FUNCTION void shift() { row[0] = row[1], row[1] = row[2]; }
};

template <class Real, int V, Stencil kStencil>
struct ZvectorKernel {
  using S = Shape<kStencil>;
  using Value = Pack<Real, V>;
  using Stack = Rows<Real, V>;
  Fields<Real> f;
  RuntimeBlocks blocks;
  int bx, nx;  // of a block and of the grid, in cells

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    blocks.for_each_column(team, [&](int z, int y, int x, int planes) {
      const std::int64_t i = f.offset(z, y, x);
      if constexpr (kOnDevice) {
        const int inside = x % bx;
        const int cells = nx - (x - inside) < bx ? nx - (x - inside) : bx;
        walk(i, planes, nx - x, RowLanes(inside / V, (cells + V - 1) / V));
      } else {
        f.next[i] = value_at<kStencil>(f, i);
      }
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t i, int planes, int left,
                                        const RowLanes& lanes) const {
    const Real* u = f.u + i;
    const Real* k = S::kKappa ? f.kappa + i : u;
    Stack rows(u, f.plane, lanes), kappa(k, f.plane, lanes);
    Stack front(u - f.row, f.plane, lanes), back(u + f.row, f.plane, lanes);
    for (int n = 0; n < planes; ++n) {
      // 1. Ask for plane z + 1.
      rows.row[2].load(u + f.plane, lanes);
      if constexpr (S::kKappa) kappa.row[2].load(k + f.plane, lanes);
      if constexpr (S::kEdges) {
        front.row[2].load(u + f.plane - f.row, lanes);
        back.row[2].load(u + f.plane + f.row, lanes);
      }
      // 2. Compute plane z.
      const Value value = new_value<kStencil>(
          f.alpha, f.beta,
          [&](auto dx, auto dy, auto dz) { return near(rows, front, back, u, lanes, dx, dy, dz); },
          [&] { return load_pack<V>(f.gamma + i); },
          [&](auto dx, auto dy, auto dz) {
            return near(kappa, kappa, kappa, k, lanes, dx, dy, dz);
          });
      store_cells<V>(f.next + i, value, left);
      // 3. What was z + 1 becomes z.
      rows.shift();
      if constexpr (S::kKappa) kappa.shift();
      if constexpr (S::kEdges) front.shift(), back.shift();
      u += f.plane, k += f.plane, i += f.plane;
    }
  }

  template <int Dx, int Dy, int Dz>
  KOKKOS_FORCEINLINE_FUNCTION Value near(const Stack& rows, [[maybe_unused]] const Stack& front,
                                         [[maybe_unused]] const Stack& back, const Real* at,
                                         const RowLanes& lanes, Constant<Dx>, Constant<Dy>,
                                         Constant<Dz>) const {
    if constexpr (Dy == 0) {
      return rows.row[Dz + 1].template shifted<Dx>(lanes);
    } else if constexpr (S::kEdges) {
      return (Dy < 0 ? front : back).row[Dz + 1].template shifted<Dx>(lanes);
    } else {
      return load_pack<V>(at + Dy * f.row);  // seven points: x and z are this row's
    }
  }
};

template <class Real, int V>
struct Zvector {
  int bx, by, chunk;  // bx in cells; 0: the region's own extent

  [[nodiscard]] RuntimeBlocks blocks(const Box& box) const {
    return {box, bx == 0 ? box.nx() : bx, by, chunk, {bx == 0 ? 1 : V, chunk}};
  }

  [[nodiscard]] Plan plan(const Region& region, Stencil stencil, int) const {
    if (kOnDevice && bx == 0) return unsupported("a host tile: a thread owns V columns");
    const RuntimeBlocks tiles = blocks(region.box);
    Plan p;
    p.league = tiles.league();
    p.team = kOnDevice ? tiles.threads() : 1;
    p.tile[0] = bx == 0 ? region.box.nx() : bx, p.tile[1] = by, p.tile[2] = chunk;
    p.planes_per_thread = chunk;
    p.halo_cells =
        2LL * kR *
        (std::int64_t{p.tile[0]} * by + std::int64_t{by} * chunk + std::int64_t{p.tile[0]} * chunk);
    const CellLoads kept = loads_in_chunks(stencil, chunk);
    const double ends =
        kept.misaligned / (RowLanes::kLanes * V);  // x +- 1 only at the ends of a warp
    const CellLoads loads = kOnDevice ? CellLoads{kept.aligned, ends} : loads_of_a_cell(stencil);
    p.loads = loads.aligned + loads.misaligned;
    p.misaligned_loads = loads.misaligned;
    p.stores = 1;
    if (bx > 0) p.device = {tiles.threads(), kept.aligned + ends, ends};
    return p;
  }

  void step(const ExecSpace& exec, Stencil stencil, const Fields<Real>& fields,
            const Region& region) const {
    const RuntimeBlocks tiles = blocks(region.box);
    with_stencil(stencil, [&](auto chosen) {
      launch_blocks<512, 1>(exec, "tessera::low_order::zvector::step", tiles,
                            ZvectorKernel<Real, V, chosen()>{fields, tiles, bx, region.box.x1});
    });
  }
};

template <int V>
void offer_vectors(LowOrderVariant& variant, int bx, int by, int chunk, const char* note = "") {
  const std::string width = bx == 0 ? "full" : std::to_string(bx);
  variant.offer({fmt::format("{}x{},v={},chunk={}", width, by, V, chunk), Origin::ours, note},
                [=](auto real) {
                  return Zvector<decltype(real), V>{bx, by, chunk};
                });
}

}  // namespace

void register_low_order_zvector(Registry& registry) {
  auto v = std::make_unique<LowOrderVariant>("zvector", "vectors of cells along x, chunks along z");
  v->source = "ours: what Su's zblock needs to reach the copy bandwidth";
  v->memory =
      "rows of V values at z - 1 ... z + 1 in registers, x +- 1 from the threads beside, y +- 1 "
      "through the cache";
  v->loses = "on small grids, and on hosts, where it is zblock";
  v->tags = {"2.5d", "streaming", "vector"};
  offer_vectors<4>(*v, 128, 4, 8);
  offer_vectors<4>(*v, 128, 4, 32);
  offer_vectors<2>(*v, 64, 4, 8);
  offer_vectors<2>(*v, 64, 4, 32);
  if constexpr (!kFewConfigurations) {
    offer_vectors<4>(*v, 128, 1, 8);
    offer_vectors<4>(*v, 128, 1, 16);
    offer_vectors<4>(*v, 128, 2, 4);
    offer_vectors<4>(*v, 128, 2, 8);
    offer_vectors<4>(*v, 128, 2, 16);
    offer_vectors<4>(*v, 128, 4, 4);
    offer_vectors<4>(*v, 128, 4, 16);
    offer_vectors<4>(*v, 128, 8, 64);
    offer_vectors<4>(*v, 256, 4, 8);
    offer_vectors<2>(*v, 64, 8, 8);
    offer_vectors<2>(*v, 128, 4, 8);
  }
  registry.add(std::move(v));
}

}  // namespace tessera

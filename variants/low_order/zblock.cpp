// SPDX-License-Identifier: Apache-2.0
// low_order/zblock: blocking along z, chunk_z cells a thread (Su 3.5).
//
// Formula:  the four stencils of variants/low_order/formula.hpp, e.g. 7pt-1: u+ = alpha u + beta
//           S(u).
// Idea:     a thread walks a column of chunk_z cells. The columns that its cells share stay in
//           registers: u at z - 1, z, z + 1, for 7pt-3 kappa too, for 19pt also the columns at x +-
//           1 and y +- 1; a plane further costs one load of each. The rest is read through the
//           cache. On a host one thread walks the block, and its L1 and L2 hold the planes.
// Minimal:  16, 24, 32, 24 B a cell in double for 7pt-1, 7pt-2, 7pt-3, 19pt.
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "base/tile/runtime_block.hpp"
#include "variants/low_order/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace low_order;

/// Three neighbours of a column along z: value[0] at z - 1, value[1] at z, value[2] at z + 1.
template <class Real>
struct Column {
  Real value[3];

  KOKKOS_FORCEINLINE_FUNCTION Column(const Real* at, int plane) : value{at[-plane], at[0], 0} {}
  KOKKOS_FORCEINLINE_FUNCTION void shift() { value[0] = value[1], value[1] = value[2]; }
};

template <class Real, Stencil kStencil>
struct ZblockKernel {
  using S = Shape<kStencil>;
  Fields<Real> f;
  RuntimeBlocks blocks;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    blocks.for_each_column(team, [&](int z, int y, int x, int planes) {
      const std::int64_t i = f.offset(z, y, x);
      if constexpr (!kOnDevice) {
        f.next[i] = value_at<kStencil>(f, i);
      } else if constexpr (S::kEdges) {
        walk_edges(i, planes);
      } else {
        walk(i, planes);
      }
    });
  }

 private:
  /// Seven points: the centre's column is kept.
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t i, int planes) const {
    const Real* u = f.u + i;
    const Real* k = S::kKappa ? f.kappa + i : u;
    Column<Real> centre(u, f.plane);
    Column<Real> kappa(k, f.plane);
    for (int n = 0; n < planes; ++n) {
      centre.value[2] = u[f.plane];
      if constexpr (S::kKappa) kappa.value[2] = k[f.plane];
      f.next[i] = new_value<kStencil>(
          f.alpha, f.beta, [&](auto dx, auto dy, auto dz) { return near(centre, u, dx, dy, dz); },
          [&] { return f.gamma[i]; },
          [&](auto dx, auto dy, auto dz) { return near(kappa, k, dx, dy, dz); });
      centre.shift();
      kappa.shift();
      u += f.plane, k += f.plane, i += f.plane;
    }
  }

  template <int Dx, int Dy, int Dz>
  KOKKOS_FORCEINLINE_FUNCTION Real near(const Column<Real>& column, const Real* at, Constant<Dx>,
                                        Constant<Dy>, Constant<Dz>) const {
    if constexpr (Dx == 0 && Dy == 0) {
      return column.value[Dz + 1];
    } else {
      return at[Dy * f.row + Dx];  // seven points: in plane z only
    }
  }

  /// Nineteen points: five columns are kept; only the corners of plane z are read anew.
  KOKKOS_FORCEINLINE_FUNCTION void walk_edges(std::int64_t i, int planes) const {
    const Real* u = f.u + i;
    Column<Real> centre(u, f.plane), left(u - 1, f.plane), right(u + 1, f.plane);
    Column<Real> front(u - f.row, f.plane), back(u + f.row, f.plane);
    for (int n = 0; n < planes; ++n) {
      const Real* ahead = u + f.plane;
      centre.value[2] = ahead[0];
      left.value[2] = ahead[-1], right.value[2] = ahead[1];
      front.value[2] = ahead[-f.row], back.value[2] = ahead[f.row];
      const auto value = [&](auto dx, auto dy, auto dz) {
        constexpr int kX = decltype(dx)::value, kY = decltype(dy)::value, kZ = decltype(dz)::value;
        if constexpr (kX != 0 && kY != 0) {
          return u[kY * f.row + kX];
        } else if constexpr (kX != 0) {
          return (kX < 0 ? left : right).value[kZ + 1];
        } else if constexpr (kY != 0) {
          return (kY < 0 ? front : back).value[kZ + 1];
        } else {
          return centre.value[kZ + 1];
        }
      };
      f.next[i] = new_value<kStencil>(
          f.alpha, f.beta, value, [&] { return f.gamma[i]; }, value);
      centre.shift(), left.shift(), right.shift(), front.shift(), back.shift();
      u = ahead, i += f.plane;
    }
  }
};

template <class Real>
struct Zblock {
  int bx, by, chunk;  // bx 0: the region's own extent

  [[nodiscard]] RuntimeBlocks blocks(const Box& box) const {
    return {box, bx == 0 ? box.nx() : bx, by, chunk, {1, chunk}};
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
    const CellLoads loads = device ? loads_in_chunks(stencil, chunk) : loads_of_a_cell(stencil);
    p.loads = loads.aligned + loads.misaligned;
    p.misaligned_loads = loads.misaligned;
    p.stores = 1;
    p.walk.bound_threads = 1024;
    return p;
  }

  void step(const ExecSpace& exec, Stencil stencil, const Fields<Real>& fields,
            const Region& region) const {
    const RuntimeBlocks tiles = blocks(region.box);
    with_stencil(stencil, [&](auto chosen) {
      launch_blocks<1024, 1>(exec, "tessera::low_order::zblock::step", tiles,
                             ZblockKernel<Real, chosen()>{fields, tiles});
    });
  }
};

void offer_chunk(auto&& variant, int bx, int by, int chunk, Origin origin) {
  variant.offer({extents_text({bx, by}) + parameter_text("chunk", chunk), origin,
                 origin == Origin::paper ? "" : "host", bx > 0 ? RunsOn::any : RunsOn::hosts},
                [=](auto real) {
                  return Zblock<decltype(real)>{bx, by, chunk};
                });
}

}  // namespace

void register_low_order_zblock(Registry& registry) {
  auto v = std::make_unique<LowOrderVariant>(VariantFacts{
      .name = "zblock",
      .summary = "chunk_z cells along z a thread",
      .source = "Su 3.5, 4.3",
      .memory = "columns along z in registers, the rest through the caches",
      .loses = "with long chunks on small grids, and with very short ones",
      .tags = {"paper", "2.5d", "streaming"},
  });
  // The paper's: Bx divisible by 32, Bz = 1, chunk_z = 2^i, i = 0 ... 8.
  for (int bx = 32; bx <= 1024; bx *= 2) {
    for (int by = 1; bx * by <= 1024; by *= 2) {
      for (int chunk = 1; chunk <= 256; chunk *= 2) {
        if (bx == 32 && by == 4 && chunk == 16) {
          offer_chunk(*v, bx, by, chunk, Origin::paper);
        } else {
          offer_chunk(beyond_few(*v), bx, by, chunk, Origin::paper);
        }
      }
    }
  }
  offer_chunk(*v, 0, 16, 16, Origin::ours);
  offer_chunk(*v, 0, 8, 64, Origin::ours);
  registry.add(std::move(v));
}

}  // namespace tessera

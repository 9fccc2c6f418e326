// SPDX-License-Identifier: Apache-2.0
// low_order/baseline: one thread, one cell (Su 2.2).
//
// Formula:  the four stencils of variants/low_order/formula.hpp, e.g. 7pt-1: u+ = alpha u + beta
//           S(u).
// Idea:     every value is read through the cache; nothing is kept. On a device a thread owns a
//           cell of a Bx x By x Bz block, x over neighbouring threads, as in the paper's kernel. On
//           a host one thread walks the block's planes and rows with a vectorised loop along x.
// Minimal:  16, 24, 32, 24 B a cell in double for 7pt-1, 7pt-2, 7pt-3, 19pt.
// Blocks:   extents are known at run time (tile/runtime_block.hpp): one kernel serves every shape.
// Launch:   a TeamPolicy, as the family's others; three shapes natively besides (`launch=native`),
//           since a device's teams live for one block (docs/kokkos.md).
#include "base/device/native_launch.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "base/tile/runtime_block.hpp"
#include "variants/low_order/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace low_order;

template <class Real, Stencil kStencil, class TeamHandle>
struct BaselineKernel {
  static constexpr const char* kLabel = "tessera::low_order::baseline::step";

  Fields<Real> f;
  RuntimeBlocks blocks;

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    blocks.for_each_column(team, [&](int z, int y, int x, int /*planes*/) {
      const std::int64_t i = f.offset(z, y, x);
      f.next[i] = value_at<kStencil>(f, i);
    });
  }
};

/// kNativeThreads: of a block that is launched natively.
template <class Real, int kNativeThreads = 0>
struct Baseline {
  static constexpr bool kNative = kNativeThreads > 0;
  int bx, by, bz;  // 0: the region's own extent

  [[nodiscard]] RuntimeBlocks blocks(const Box& box) const {
    const auto or_full = [](int size, int full) { return size == 0 ? full : size; };
    return {box, or_full(bx, box.nx()), or_full(by, box.ny()), or_full(bz, box.nz())};
  }

  [[nodiscard]] Plan plan(const Region& region, Stencil stencil, const Problem& problem) const {
    const Box& box = region.box;
    const RuntimeBlocks tiles = blocks(box);
    Plan p;
    p.league = tiles.league();
    p.team = problem.machine.on_device() ? tiles.threads() : 1;
    if (kNative) p.launch = Launch::native;
    p.tile[0] = bx == 0 ? box.nx() : bx;
    p.tile[1] = by == 0 ? box.ny() : by;
    p.tile[2] = bz == 0 ? box.nz() : bz;
    p.halo_cells = halo_of_faces(p.tile, kR);
    const CellLoads loads = loads_of_a_cell(stencil);
    p.loads = loads.aligned + loads.misaligned;
    p.misaligned_loads = loads.misaligned;
    p.stores = 1;
    p.walk.bound_threads = (stencil == Stencil::pt7_3 ? 1 : 2) * kMaxBlock;
    return p;
  }

  void step(const ExecSpace& exec, Stencil stencil, const Fields<Real>& fields,
            const Region& region) const {
    const RuntimeBlocks tiles = blocks(region.box);
    with_stencil(stencil, [&](auto chosen) {
      // 32 registers a thread where that holds the point, so that all 2048 threads are resident.
      constexpr int kTeams = chosen() == Stencil::pt7_3 ? 1 : 2;
      using Kernel = BaselineKernel<Real, chosen(), std::conditional_t<kNative, NativeTeam, Team>>;
      const Kernel kernel{fields, tiles};
      if constexpr (kNative) {
        native_launch<kNativeThreads, kTeams * kMaxBlock / kNativeThreads>(
            exec, Kernel::kLabel, static_cast<int>(tiles.league()), 0, kernel);
      } else {
        launch_blocks<kMaxBlock, kTeams>(exec, Kernel::kLabel, tiles, kernel);
      }
    });
  }

 private:
  static constexpr int kMaxBlock = 1024;
};

void offer_block(auto&& variant, int bx, int by, int bz, Origin origin) {
  variant.offer({extents_text({bx, by, bz}), origin, origin == Origin::paper ? "" : "host",
                 bx * by * bz > 0 ? RunsOn::any : RunsOn::hosts},
                [=](auto real) {
                  return Baseline<decltype(real)>{bx, by, bz};
                });
}

template <int Bx, int By, int Bz>
void offer_native(auto&& variant) {
  variant.offer({extents_text({Bx, By, Bz}) + ",launch=native", Origin::ours, "", RunsOn::devices},
                [](auto real) {
                  return Baseline<decltype(real), Bx * By * Bz>{Bx, By, Bz};
                });
}

}  // namespace

void register_low_order_baseline(Registry& registry) {
  auto v = std::make_unique<LowOrderVariant>(VariantFacts{
      .name = "baseline",
      .summary = "one thread, one cell, any block shape",
      .source = "Su 2.2, 4.2",
      .memory = "all arrays in device memory and its caches; nothing staged",
      .loses = "on flat blocks and narrow ones, where L2 is the bottleneck",
      .launch = "launch=native: what a TeamPolicy costs teams that live for a block "
                "(docs/kokkos.md)",
      .tags = {"paper", "baseline", "3d"},
  });
  // The paper's: Bx divisible by 32, powers of two, at most 1024 threads.
  offer_block(*v, 32, 4, 1, Origin::paper);  // its worked example
  for (int bx = 32; bx <= 1024; bx *= 2) {
    for (int by = 1; bx * by <= 1024; by *= 2) {
      for (int bz = 1; bx * by * bz <= 1024; bz *= 2) {
        const bool example = bx == 32 && by == 4 && bz == 1;
        const bool few = by == 4 && bz == 4;
        if (example) continue;
        if (few) {
          offer_block(*v, bx, by, bz, Origin::paper);
        } else {
          offer_block(beyond_few(*v), bx, by, bz, Origin::paper);
        }
      }
    }
  }
  offer_native<32, 4, 1>(*v);
  offer_native<32, 2, 2>(beyond_few(*v));
  offer_native<32, 4, 2>(beyond_few(*v));
  offer_block(*v, 0, 16, 16, Origin::ours);
  offer_block(*v, 0, 8, 0, Origin::ours);
  offer_block(*v, 0, 1, 1, Origin::ours);
  registry.add(std::move(v));
}

}  // namespace tessera

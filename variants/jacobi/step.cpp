// SPDX-License-Identifier: Apache-2.0
// jacobi/step: one sweep over the grid a launch, no temporal blocking.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j) (variants/jacobi/formula.hpp).
// Memory:   every point is read through the cache; nothing is staged. On a device a thread owns a
//           cell; on a host a thread walks rows with vectorised loops over x, and the planes around
//           a row stay in L2.
// Launch:   a device's teams live for one tile. Natively (`launch=native`) they are what others are
//           compared with; through a TeamPolicy (`default`) they lose a fifth or more
//           (docs/kokkos.md).
// Minimal:  two elements a cell and step: u read, u+ written.
// Loses:    wherever memory is the bound: each step moves the whole field. The baseline.
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "variants/jacobi/kernels/sweep.hpp"
#include "variants/jacobi/kernels/sweep_plan.hpp"
#include "variants/jacobi/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace jacobi;

/// kLaunch, kNx and kRows are a device's, `rows` a host's (0: those that sweep well).
template <class StencilType, class Real, Launch kLaunch = Launch::teams, int kNx = 64,
          int kRows = 4>
struct Sweep {
  int rows = 0;

  [[nodiscard]] Plan plan(const Extents& n, const MachineLimits& machine) const {
    Plan p = machine.on_device() ? plan_of(DeviceSweepTile<StencilType, kNx, kRows>{}, n)
                                 : plan_of(host_sweep_tile<StencilType>(n, rows), n);
    if (machine.on_device()) p.launch = kLaunch;
    return p;
  }
  template <class TileType>
  [[nodiscard]] static Plan plan_of(const TileType& tile, const Extents& n) {
    Plan p;
    p.league = Tiling(whole(n), tile.nx(), tile.ny(), tile.nz()).league();
    p.team = tile.kCells;
    p.tile[0] = tile.nx(), p.tile[1] = tile.ny(), p.tile[2] = tile.nz();
    constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
    p.halo_cells = halo_of_faces(p.tile, {kR, kRy, kR});
    describe_sweep<StencilType>(p);
    return p;
  }

  int step(const ExecSpace& exec, const Fields<Real>& f, int /*left*/,
           const Resident<Real>& /*resident*/) const {
    sweep<StencilType, kLaunch>(exec, "tessera::jacobi::step::sweep", f,
                                sweep_tile<StencilType, kNx, kRows>({f.ns, f.ny, f.nx}, rows));
    return 1;
  }

  [[nodiscard]] std::int64_t exchange_elements(const Extents&) const { return 0; }
};

template <int kNx, int kRows>
void offer_native(auto&& variant) {
  variant.offer({extents_text({kNx, kRows}) + ",launch=native", Origin::ours, "", RunsOn::devices},
                [](auto stencil, auto real) {
                  return Sweep<decltype(stencil), decltype(real), Launch::native, kNx, kRows>{};
                });
}

void offer_rows(auto&& variant, int rows) {
  variant.offer(
      {extents_text({0, rows}), Origin::ours, "host", RunsOn::hosts},
      [rows](auto stencil, auto real) { return Sweep<decltype(stencil), decltype(real)>{rows}; });
}

}  // namespace

void register_jacobi_step(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "step",
      .summary = "one sweep a launch, points through the cache",
      .source = "ours: the baseline of EBISU's temporal blocking",
      .memory = "u and u+ in device memory and its caches; nothing staged",
      .loses = "wherever memory is the bound",
      .launch =
          "launch=native: what a TeamPolicy costs teams that live for a tile (docs/kokkos.md)",
      .tags = {"baseline"},
  });
  v->offer({"default", Origin::ours, ""},
           [](auto stencil, auto real) { return Sweep<decltype(stencil), decltype(real)>{}; });
  offer_native<64, 4>(*v);
  auto&& more = beyond_few(*v);
  offer_native<32, 8>(more);
  offer_native<256, 1>(more);
  offer_rows(*v, 8);
  offer_rows(*v, 64);
  registry.add(std::move(v));
}

}  // namespace tessera

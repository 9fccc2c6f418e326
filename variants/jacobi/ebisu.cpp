// SPDX-License-Identifier: Apache-2.0
// jacobi/ebisu: EBISU's end point: all stages of the ladder at once, at the depths of its Table 3.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
//
//   for each tile                            # 2D: of a team; 3D: of all teams, the device's
//     for each round                         # 2D: a few rows; 3D: a plane
//       what the next round reads is on its way from memory        # prefetching
//       for each time step l = 1 ... t       # no barrier in between: lazy streaming
//         make l from step l - 1: own columns from registers,      # redundant register streaming
//                                 neighbours' from scratch         # circular multi-queue
//         keep it in both places             # l = t: store it
//       one barrier
//
// Memory:   values of each step twice, in registers for the own cells of a thread and in a circular
//           multi-queue in scratch for its neighbours. Two dimensions (ebisu/rows.hpp): SM tiling,
//           strips that overlap. Three (ebisu/planes.hpp): device tiling, halos through device
//           memory. On hosts registers are memory: there the multi-queue alone, as in jacobi/lazy.
// Minimal:  2 / t elements a cell and step.
// Loses:    2D: on narrow grids, of whose strips 2 t R columns overlap; 3D: where the device tile
//           does not fit the grid, and to whatever needs no barrier of the device.
#include "variants/jacobi/ebisu/instance.hpp"
#include "variants/jacobi/ebisu/offers.hpp"
#include "variants/jacobi/kernels/ladder.hpp"
#include "variants/jacobi/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace jacobi;

constexpr QueuePolicy kHostPolicy2d{
    .addressing = Addressing::computed_addresses, .prefetch = true, .lazy = true};
constexpr QueuePolicy kHostPolicy3d{.addressing = Addressing::shifted_addresses,
                                    .prefetch = true,
                                    .lazy = true,
                                    .device_tiling = true};

/// Offers stream I to its stencils.
template <int I>
void offer(auto&& variant) {
  constexpr Offer kOffer = kOffers[I];
  variant.offer({kOffer.of_rows ? kOffer.rows.text() : kOffer.planes.text(), kOffer.origin,
                 kOffer.of_rows ? "SM tiling" : "device tile", RunsOn::devices},
                [](auto stencil, auto real) {
                  using StencilType = decltype(stencil);
                  if constexpr (kOffers[I].template fits<StencilType>()) {
                    return EbisuInstance<StencilType, decltype(real)>{I};
                  } else {
                    return Unsupported{"a tile and depth for other stencils"};
                  }
                });
}

}  // namespace

void register_jacobi_ebisu(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "ebisu",
      .summary = "all stages at once, values in registers and in a circular multi-queue",
      .source = "EBISU 4, Table 3",
      .memory =
          "values of each step in registers and, for neighbours, in a circular multi-queue in "
          "team scratch; device tiling in 3D; on hosts the multi-queue alone",
      .loses = "2D: on narrow grids; 3D: where a barrier of the device costs more than overlap",
      .launch = kLaunchOfStreams,
      .tags = {"paper", "temporal", "scratch", "registers", "ladder"},
  });
  static_for<kOfferCount>([&](auto i) { offer<i>(*v); });
  static_for<kAllOffers - kOfferCount>([&](auto i) { offer<kOfferCount + i>(beyond_few(*v)); });
  offer_queue<EbisuLabel, kHostPolicy2d, kHostLadderTile2d, RunsOn::hosts>(*v, 4,
                                                                           "the multi-queue alone");
  offer_queue<EbisuLabel, kHostPolicy3d, kHostLadderTile3d, RunsOn::hosts>(*v, 4,
                                                                           "the multi-queue alone");
  registry.add(std::move(v));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// jacobi/ebisu: EBISU's end point: all stages of the ladder at once, at the depths of its Table 3.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (stencils/jacobi/formula.hpp).
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
#include "kernels/jacobi/ladder.hpp"
#include "kernels/jacobi/launcher.hpp"
#include "kernels/jacobi/variant.hpp"
#include "variants/jacobi/ebisu/planes.hpp"
#include "variants/jacobi/ebisu/rows.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::ebisu::stream";
};
constexpr QueuePolicy kHostPolicy2d{
    .addressing = Addressing::computed_addresses, .prefetch = true, .lazy = true};
constexpr QueuePolicy kHostPolicy3d{.addressing = Addressing::shifted_addresses,
                                    .prefetch = true,
                                    .lazy = true,
                                    .device_tiling = true};

/// Offers a stream to those stencils.
template <auto kStream, template <class, class, class, auto> class Kernel, class... For>
void offer(JacobiVariant& variant, Origin origin, const char* note) {
  variant.offer({kStream.text(), origin, note, RunsOn::devices}, [](auto stencil, auto real) {
    using StencilType = decltype(stencil);
    using Real = decltype(real);
    if constexpr ((std::is_same_v<StencilType, For> || ...)) {
      using Chosen = Kernel<Label, StencilType, Real, kStream>;
      return StreamLauncher<Chosen, Real, RunsOn::devices>{};
    } else {
      return Unsupported{"a tile and depth for other stencils"};
    }
  });
}
template <class L, class S, class R, auto kStream>
using Rows = RowStreamingKernel<L, S, R, kStream>;
template <class L, class S, class R, auto kStream>
using Planes = PlaneStreamingKernel<L, S, R, kStream>;

template <RowStream kStream, class... For>
void offer_rows(JacobiVariant& variant, Origin origin = Origin::ours) {
  offer<kStream, Rows, For...>(variant, origin, "SM tiling");
}
template <PlaneStream kStream, class... For>
void offer_planes(JacobiVariant& variant, Origin origin = Origin::ours) {
  offer<kStream, Planes, For...>(variant, origin, "device tile");
}

/// Two dimensions: a column a thread and four rows a round (EBISU Table 1), or two and two: a value
/// in scratch is then read by half as many threads.
constexpr RowStream four_rows(int steps) { return {.nx = 256, .rows = 4, .steps = steps}; }
constexpr RowStream two_columns(int steps) {
  return {.nx = 512, .rows = 2, .columns = 2, .steps = steps};
}
/// Three: waiting at the end of a round (the paper), or a round later.
constexpr PlaneStream at_once(int steps) { return {.steps = steps, .apart = 1}; }
constexpr PlaneStream round_later(int steps) { return {.steps = steps, .apart = 2}; }

/// The tiles of Table 1 at the depths of Table 3.
void offer_paper(JacobiVariant& v) {
  offer_rows<four_rows(12), J2d5pt>(v, Origin::paper);
  offer_rows<four_rows(8), J2d9pt>(v, Origin::paper);
  offer_rows<four_rows(6), J2d9ptGol>(v, Origin::paper);
  offer_rows<four_rows(4), J2d25pt>(v, Origin::paper);
  offer_planes<at_once(8), J3d7pt>(v, Origin::paper);
  offer_planes<at_once(6), J3d17pt, Poisson>(v, Origin::paper);
  offer_planes<at_once(5), J3d13pt, J3d27pt>(v, Origin::paper);
}

/// The same depths or some beside them, in other ways.
void offer_neighbours(JacobiVariant& v) {
  offer_rows<two_columns(12), J2d5pt>(v);
  offer_rows<two_columns(8), J2d5pt, J2d9pt>(v);
  offer_rows<two_columns(6), J2d9pt, J2d9ptGol>(v);
  offer_rows<two_columns(4), J2d9ptGol, J2d25pt>(v);
  offer_planes<round_later(8), J3d7pt>(v);
  offer_planes<round_later(5), J3d13pt, J3d17pt, J3d27pt, Poisson>(v);
  offer_planes<round_later(4), J3d7pt, J3d13pt, J3d17pt, J3d27pt, Poisson>(v);
  if constexpr (!kFewConfigurations) {
    offer_rows<four_rows(7), J2d5pt>(v);
    offer_rows<four_rows(10), J2d5pt>(v);
    offer_rows<two_columns(10), J2d5pt>(v);
    offer_rows<two_columns(3), J2d25pt>(v);
    offer_planes<round_later(6), J3d7pt>(v);
    offer_planes<round_later(3), J3d17pt, J3d27pt, Poisson>(v);
  }
}

}  // namespace

void register_jacobi_ebisu(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "ebisu",
      .summary = "all stages at once, values in registers and in a circular multi-queue",
      .source = "EBISU 4, Table 3",
      .memory = "values of each step in registers and, for neighbours, in a circular multi-queue in "
                "team scratch; device tiling in 3D; on hosts the multi-queue alone",
      .loses = "2D: on narrow grids; 3D: where a barrier of the device costs more than overlap",
      .launch = "2D: the league is what is resident, and scratch grows with the depth; 3D: teams "
                "meet at a barrier of the device, for which all must be resident",
      .tags = {"paper", "temporal", "scratch", "registers", "ladder"},
  });
  offer_paper(*v);
  offer_neighbours(*v);
  offer_queue<Label, kHostPolicy2d, kHostLadderTile2d, RunsOn::hosts>(*v, 4, "portable path");
  offer_queue<Label, kHostPolicy3d, kHostLadderTile3d, RunsOn::hosts>(*v, 4, "portable path");
  registry.add(std::move(v));
}

}  // namespace tessera

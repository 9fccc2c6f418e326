// SPDX-License-Identifier: Apache-2.0
// jacobi/warps: register streaming with warp shuffles, on devices.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
//
//   for each tile of the plane (a warp's row of 128 cells; in 3D a team of 8 to 12 warps)
//     for each plane p that arrives in scratch, asynchronously
//       for each time step l = 1 ... t                    # R planes behind step l - 1
//         add the newest plane of step l - 1 to the 2R + 1 open sums of step l, in registers;
//         neighbours along x come by shuffles, along y from the own rows, or scratch between warps
//       store the plane that step t has completed
//
// Memory:   sums and values in registers; scratch holds the planes that arrive, and in three
//           dimensions the rows where two warps meet (variants/jacobi/warps/stream.hpp). In two
//           dimensions a warp never waits for another. With tiles this large what overlapping
//           tiles compute twice is less than a barrier of the device costs: EBISU's equation (21)
//           turns round (`tessera plan`).
// Minimal:  2 / t elements a cell and step.
// Loses:    on grids of few tiles, whose streams are short beside the 2 t R planes before them.
#include "variants/jacobi/kernels/launcher.hpp"
#include "variants/jacobi/kernels/variant.hpp"
#include "variants/jacobi/warps/stream.hpp"
#include "variants/jacobi/warps/tile.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::warps::stream";
};

constexpr int kAnyRadius = 0;

/// The stencils that a tile and depth are for.
struct Fits {
  int dims = 2;
  int radius = kAnyRadius;
  int fewest_points = 0;
  int most_points = 0;

  template <class StencilType>
  [[nodiscard]] constexpr bool holds() const {
    return StencilType::kDims == dims && (radius == kAnyRadius || StencilType::kR == radius) &&
           StencilType::kPoints <= most_points && StencilType::kPoints >= fewest_points;
  }
};

/// Offers a tile for the stencils that it fits.
template <WarpStrips kStrips, Fits kFits>
void offer(JacobiVariant& variant) {
  variant.offer({kStrips.text(), Origin::ours, "", RunsOn::devices}, [](auto stencil, auto real) {
    using StencilType = decltype(stencil);
    using Real = decltype(real);
    if constexpr (kFits.template holds<StencilType>()) {
      using Kernel = WarpStreamingKernel<Label, StencilType, Real, kStrips>;
      return StreamLauncher<Kernel, Real, RunsOn::devices>{};
    } else {
      return Unsupported{"a tile and depth for other stencils"};
    }
  });
}

}  // namespace

void register_jacobi_warps(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "warps",
      .summary = "register streaming with warp shuffles",
      .source = "ours, after EBISU's low occupancy (4, 6)",
      .memory = "sums in registers, shuffles between threads; scratch for planes that arrive",
      .loses = "on grids of few tiles, whose streams are short; on hosts",
      .launch = "the league is what is resident, which Kokkos does not report",
      .tags = {"temporal", "scratch", "registers", "device only"},
  });
  constexpr Fits kAny2d{.dims = 2, .most_points = 25};
  offer<WarpStrips{.steps = 4}, kAny2d>(*v);
  // 12 warps have 168 registers: enough for a box, where a star would spill 368 B.
  offer<WarpStrips{.steps = 8, .box_teams = 12}, Fits{.dims = 2, .radius = 1, .most_points = 9}>(
      *v);
  offer<WarpStrips{.steps = 10}, Fits{.dims = 2, .radius = 1, .most_points = 5}>(*v);
  offer<WarpStrips{.steps = 6}, Fits{.dims = 2, .radius = 2, .most_points = 25}>(*v);
  offer<WarpStrips{.rows = 4, .warps = 12, .steps = 2, .stages = 2},
        Fits{.dims = 3, .radius = 1, .fewest_points = 27, .most_points = 27}>(*v);
  offer<WarpStrips{.rows = 4, .warps = 12, .steps = 3},
        Fits{.dims = 3, .radius = 1, .most_points = 19}>(*v);
  offer<WarpStrips{.rows = 4, .warps = 8, .steps = 3, .stages = 3},
        Fits{.dims = 3, .radius = 1, .fewest_points = 17, .most_points = 27}>(*v);
  offer<WarpStrips{.rows = 4, .warps = 8, .steps = 4},
        Fits{.dims = 3, .radius = 1, .most_points = 7}>(*v);
  offer<WarpStrips{.rows = 4, .warps = 8, .steps = 2, .stages = 2},
        Fits{.dims = 3, .radius = 2, .most_points = 13}>(*v);
  registry.add(std::move(v));
}

}  // namespace tessera

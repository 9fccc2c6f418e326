// SPDX-License-Identifier: Apache-2.0
// jacobi/ebisu: all of the ladder's optimisations, with the tiling that pays on this machine.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (stencils/jacobi/formula.hpp).
// Memory:   device: sums and values in registers, x neighbours by shuffles; scratch holds
//           the planes that arrive, and in three dimensions the rows where two warps meet
//           (variants/jacobi/warps/stream.hpp). Two dimensions: a warp streams rows of 128 cells,
//           four a thread, and never waits for another. Three: 8 to 16 warps above each other, 2 x
//           4 cells a thread. With tiles this large what SM tiling computes twice is less than a
//           barrier of the device costs: equation (21) turns round (`tessera plan`). Host: a
//           circular multi-queue of planes for each thread, in L2 or in a share of L3, of which
//           four rows are made at a time; skewed tiles, in which threads follow each other
//           (variants/jacobi/skewed/stream.hpp, jacobi_skewed.hpp).
// Minimal:  2 / t elements a cell and step.
// Loses:    on grids of few tiles, whose streams are too short for their lead of 2 t R planes; on
//           hosts on those of fewer tiles than threads.
#include "kernels/jacobi/launcher.hpp"
#include "kernels/jacobi/variant.hpp"
#include "variants/jacobi/skewed/launcher.hpp"
#include "variants/jacobi/skewed/stream.hpp"
#include "variants/jacobi/warps/stream.hpp"

#include <fmt/core.h>

#include <string>

namespace tessera {
namespace {

using namespace jacobi;

struct Stage {
  static constexpr const char* kLabel = "tessera::jacobi::ebisu::stream";
  [[nodiscard]] static const char* label() { return kLabel; }
};

/// Offers one launcher for the stencils that `fits` says.
template <template <class, class> class KernelOf, int Levels, class Fits>
void offer_kernel(JacobiVariant& variant, const std::string& text, const Fits&) {
  variant.offer({text, Origin::ours, ""}, [](auto stencil, auto real) {
    using StencilType = decltype(stencil);
    using Real = decltype(real);
    if constexpr (Fits{}(StencilType{})) {
      return StreamLauncher<KernelOf<StencilType, Real>, Real>{Levels};
    } else {
      return Unsupported{"a tile and depth for other stencils"};
    }
  });
}

constexpr int kAnyRadius = 0;

/// Host: a tile whose rows are made in blocks, k=planes x rows, `depth` steps a pass.
template <class TileType, int Radius = kAnyRadius>
void offer_rows(JacobiVariant& variant, int depth) {
  constexpr int kDims = TileType::kNy == 1 ? 2 : 3;
  const std::string text = fmt::format("{}x{},k={}x{},t={}", TileType::kNx, TileType::kNy,
                                       TileType::kKs, TileType::kKy, depth);
  variant.offer({text, Origin::ours, "host"}, [=](auto stencil, auto real) {
    using StencilType = decltype(stencil);
    using Real = decltype(real);
    if constexpr (!kOnDevice && StencilType::kDims == kDims &&
                  (Radius == kAnyRadius || Radius == StencilType::kR)) {
      return SkewedLauncher<RowsKernel<StencilType, Real, TileType, Stage>, Real>{depth};
    } else if constexpr (StencilType::kDims == kDims) {
      return Unsupported{fmt::format("a tile for stencils of radius {}", Radius)};
    } else {
      return Unsupported{fmt::format("a tile for stencils of {} dimensions", kDims)};
    }
  });
}

/// Strips of `Rows` rows, a warp each, `Levels` steps in `Stages` stages. A multiprocessor's
/// registers hold 8 warps of 255, or 16 of 128: in two dimensions those that hold few sums are 16.
/// Where a barrier a step was measured to cost more than what stages take, each step is a stage.
template <int Rows, int Warps, int Levels, int Stages>
struct Strips {
  static constexpr int kVector = Warps == 1 ? 4 : 2;
  [[nodiscard]] static constexpr int min_teams(int radius) {
    return Warps > 1 ? 1 : radius * Levels <= 4 ? 16 : 8;
  }
  template <class S, class Real>
  using Kernel =
      WarpKernel<S, Real, WarpTile<kVector, Rows, Warps>, Levels, Stages, min_teams(S::kR), Stage>;
};

template <int Dims, int R, int MostPoints, int FewestPoints = 0>
struct Fits {
  template <class S>
  constexpr bool operator()(S) const {
    return S::kDims == Dims && (R == kAnyRadius || S::kR == R) && S::kPoints <= MostPoints &&
           S::kPoints >= FewestPoints;
  }
};

}  // namespace

void register_jacobi_ebisu(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>("ebisu", "all of EBISU, as the planner chooses");
  v->source = "EBISU 4, 6";
  v->memory = "device: sums in registers, shuffles between threads; host: planes in L2 or L3";
  v->loses = "on grids of few tiles, whose streams are too short for their lead";
  v->tags = {"seed", "temporal", "scratch", "registers"};
  if constexpr (kOnDevice) {
    offer_kernel<Strips<1, 1, 4, 1>::Kernel, 4>(*v, "128x1,t=4", Fits<2, kAnyRadius, 25>{});
    offer_kernel<Strips<1, 1, 8, 1>::Kernel, 8>(*v, "128x1,t=8", Fits<2, 1, 9>{});
    offer_kernel<Strips<1, 1, 10, 1>::Kernel, 10>(*v, "128x1,t=10", Fits<2, 1, 5>{});
    offer_kernel<Strips<1, 1, 6, 1>::Kernel, 6>(*v, "128x1,t=6", Fits<2, 2, 25>{});
    offer_kernel<Strips<4, 12, 2, 2>::Kernel, 2>(*v, "64x48,t=2", Fits<3, 1, 27, 27>{});
    offer_kernel<Strips<4, 12, 3, 1>::Kernel, 3>(*v, "64x48,t=3", Fits<3, 1, 19>{});
    offer_kernel<Strips<4, 8, 3, 3>::Kernel, 3>(*v, "64x32,t=3", Fits<3, 1, 27, 17>{});
    offer_kernel<Strips<4, 8, 4, 1>::Kernel, 4>(*v, "64x32,t=4", Fits<3, 1, 7>{});
    offer_kernel<Strips<4, 8, 2, 2>::Kernel, 2>(*v, "64x32,t=2", Fits<3, 2, 13>{});
  } else {
    if constexpr (kFewConfigurations) {  // no blocks: sanitizers take a quarter of an hour for them
      offer_rows<RowTile<512, 1, 1, 1>>(*v, 8);
      offer_rows<RowTile<144, 24, 1, 1>>(*v, 3);
    } else {
      // Short rows where L2 holds the queue. A queue in a core's share of L3 pays just as well for
      // longer ones: whatever comes once a row is then rare, and so is what leads a tile. Blocks of
      // twice as many planes, which each plane enters L2 for half as often, pay in two dimensions,
      // and in three where a queue has as many planes of a step anyway.
      for (const int depth : {24, 48}) offer_rows<RowTile<512, 1, 4, 1>>(*v, depth);
      for (const int depth : {24, 48}) offer_rows<RowTile<512, 1, 8, 1>>(*v, depth);
      offer_rows<RowTile<2048, 1, 8, 1>>(*v, 48);
      for (const int depth : {6, 12}) offer_rows<RowTile<96, 24, 2, 2>>(*v, depth);
      offer_rows<RowTile<96, 24, 4, 2>, 2>(*v, 6);
      for (const int depth : {12, 24}) offer_rows<RowTile<416, 24, 2, 2>>(*v, depth);
      offer_rows<RowTile<416, 24, 4, 2>, 2>(*v, 12);
      for (const int depth : {6, 12}) offer_rows<RowTile<416, 48, 2, 2>>(*v, depth);
    }
  }
  registry.add(std::move(v));
}

}  // namespace tessera

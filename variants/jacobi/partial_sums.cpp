// SPDX-License-Identifier: Apache-2.0
// jacobi/partial_sums: register streaming of partial sums, beside EBISU's ladder: the paper keeps
// values in registers and in scratch (jacobi/ebisu); here registers keep what planes have added.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
// Memory:   the sums that planes behind have begun lie in the registers of the cells' threads, the
//           newest plane of each step in scratch for the neighbours, so that a plane is read from
//           scratch once and not 2R + 1 times. Two planes a step in scratch in place of 2R + 2. Two
//           dimensions: SM tiling. Three: device tiling.
// Minimal:  2 / t elements a cell and step.
// Loses:    where registers bound the depth: 2R sums a cell, a step and a thread's own cell; on
//           hosts, where registers are memory.
#include "variants/jacobi/kernels/launcher.hpp"
#include "variants/jacobi/kernels/variant.hpp"
#include "variants/jacobi/partial_sums/stream.hpp"

#include <fmt/core.h>

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::partial_sums::stream";
};

/// 256 threads, four cells each (EBISU 6.1), as in the stages before.
constexpr TileShape kTile2d{.nx = 1024, .ny = 1, .own = 4};
constexpr TileShape kTile3d{.nx = 32, .ny = 32, .own = 4};
constexpr TileShape kHostTile3d{.nx = 128, .ny = 32, .own = 4};

/// SM tiling in two dimensions, device tiling in three.
template <TileShape kTile, int Steps, RunsOn kRuns>
void offer(auto&& variant) {
  variant.offer(
      {kTile.text(Steps), Origin::ours,
       kTile.dims() == 3 ? "device tile" : "256 x 4 threads x cells", kRuns},
      [](auto stencil, auto real) {
        using StencilType = decltype(stencil);
        using Real = decltype(real);
        if constexpr (StencilType::kDims != kTile.dims()) {
          return Unsupported{fmt::format("a tile for stencils of {} dimensions", kTile.dims())};
        } else if constexpr (Steps * 2 * StencilType::kR > 12) {
          return Unsupported{"the sums of so many steps do not fit in the registers"};
        } else {
          constexpr RegisterStream kStream{
              .tile = kTile, .steps = Steps, .device_tiling = kTile.dims() == 3};
          using Kernel = RegisterStreamingKernel<Label, StencilType, Real, kStream>;
          return StreamLauncher<Kernel, Real, kRuns>{};
        }
      });
}

}  // namespace

void register_jacobi_partial_sums(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "partial_sums",
      .summary = "register streaming: partial sums in registers, planes in scratch",
      .source = "ours, beside EBISU 4.3.3, which keeps values",
      .memory = "2R sums a cell and step in registers, two planes a step in scratch; device tiling "
                "in 3D",
      .loses = "where registers bound the depth; on hosts, where they are memory",
      .launch = kLaunchOfStreams,
      .tags = {"temporal", "scratch", "registers"},
  });
  offer<kTile2d, 6, RunsOn::devices>(*v);
  offer<kTile3d, 6, RunsOn::devices>(*v);
  offer<kTile3d, 3, RunsOn::devices>(beyond_few(*v));
  offer<kTile2d, 3, RunsOn::any>(*v);
  offer<kTile3d, 2, RunsOn::devices>(*v);
  offer<kHostTile3d, 2, RunsOn::hosts>(*v);
  registry.add(std::move(v));
}

}  // namespace tessera

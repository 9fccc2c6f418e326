// SPDX-License-Identifier: Apache-2.0
// jacobi/rst: redundant register streaming (EBISU 4.3.3), the last stage of the ladder.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (stencils/jacobi/formula.hpp).
// Memory:   the sums that planes behind have begun lie in the registers of the cells' threads, the
//           newest plane of each step in scratch for the neighbours, so that a plane is read from
//           scratch once and not 2R + 1 times. Two planes a step in scratch in place of 2R + 2. Two
//           dimensions: SM tiling. Three: device tiling.
// Minimal:  2 / t elements a cell and step.
// Loses:    where registers bound the depth: 2R sums a cell, a step and a thread's own cell; on
//           hosts, where registers are memory.
#include "variants/jacobi/rst/columns.hpp"

namespace tessera {
namespace {

using namespace jacobi;

template <bool DeviceTiling>
struct Policy {
  static constexpr bool kDeviceTiling = DeviceTiling;
  [[nodiscard]] static const char* label() { return "tessera::jacobi::rst::stream"; }
};

/// 256 threads, four cells each (EBISU 6.1), as in the stages before.
template <int Dims>
using TileFor =
    std::conditional_t<Dims == 2, StripTile<1024, 1, 4>,
                       std::conditional_t<kOnDevice, StripTile<32, 32, 4>, StripTile<128, 32, 1>>>;

template <int Dims, int Levels>
void offer_depth(JacobiVariant& variant, const char* text) {
  variant.offer({text, Origin::paper, Dims == 3 ? "device tile" : "256 x 4 threads x cells"},
                [](auto stencil, auto real) {
                  using StencilType = decltype(stencil);
                  using Real = decltype(real);
                  if constexpr (StencilType::kDims != Dims) {
                    return Unsupported{fmt::format("a tile for stencils of {} dimensions", Dims)};
                  } else if constexpr (Levels * 2 * StencilType::kR > 12) {
                    return Unsupported{"the sums of so many steps do not fit in the registers"};
                  } else {
                    using Kernel =
                        ColumnKernel<StencilType, Real, TileFor<Dims>, Levels, Policy<Dims == 3>>;
                    return StreamLauncher<Kernel, Real>{Levels};
                  }
                });
}

}  // namespace

void register_jacobi_rst(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "rst",
      .summary = "redundant register streaming: sums in registers, planes in scratch",
      .source = "EBISU 4.3.3",
      .memory = "2R sums a cell and step in registers, two planes a step in scratch; device tiling "
                "in 3D",
      .loses = "where registers bound the depth; on hosts, where they are memory",
      .tags = {"paper", "temporal", "scratch", "registers", "ladder"},
  });
  if constexpr (kOnDevice) {
    offer_depth<2, 6>(*v, "1024x1,t=6");
    offer_depth<3, 6>(*v, "32x32,t=6");
    if constexpr (!kFewConfigurations) offer_depth<3, 3>(*v, "32x32,t=3");
  }
  offer_depth<2, 3>(*v, "1024x1,t=3");
  offer_depth<3, 2>(*v, kOnDevice ? "32x32,t=2" : "128x32,t=2");
  registry.add(std::move(v));
}

}  // namespace tessera

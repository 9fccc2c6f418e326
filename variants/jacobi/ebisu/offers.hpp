// SPDX-License-Identifier: Apache-2.0
// The tiles and depths of jacobi/ebisu on devices, each for the stencils that it is made for.
#pragma once

#include "base/registry/plan.hpp"
#include "base/registry/variant.hpp"
#include "variants/jacobi/ebisu/streams.hpp"
#include "variants/jacobi/formula.hpp"

#include <type_traits>

namespace tessera::jacobi {

/// The stencils as bits of a set.
template <class... For>
constexpr unsigned kFor = 0;
template <class StencilType, class... For>
constexpr unsigned kFor<StencilType, For...> =
    (std::is_same_v<StencilType, J2d5pt> ? 1U : 0U) |
    (std::is_same_v<StencilType, J2d9pt> ? 2U : 0U) |
    (std::is_same_v<StencilType, J2d9ptGol> ? 4U : 0U) |
    (std::is_same_v<StencilType, J2d25pt> ? 8U : 0U) |
    (std::is_same_v<StencilType, J3d7pt> ? 16U : 0U) |
    (std::is_same_v<StencilType, J3d13pt> ? 32U : 0U) |
    (std::is_same_v<StencilType, J3d17pt> ? 64U : 0U) |
    (std::is_same_v<StencilType, J3d27pt> ? 128U : 0U) |
    (std::is_same_v<StencilType, Poisson> ? 256U : 0U) | kFor<For...>;

/// A stream of rows (two dimensions) or of planes, where it comes from, and for whom it is: data,
/// since not every device compiler can spell types that are made from a stream's value.
struct Offer {
  RowStream rows{};
  PlaneStream planes{};
  bool of_rows = false;  ///< `rows` counts, else `planes`
  Origin origin = Origin::ours;
  unsigned stencils = 0;  ///< a set, see kFor

  template <class StencilType>
  [[nodiscard]] constexpr bool fits() const {
    return (stencils & kFor<StencilType>) != 0;
  }
};

/// Two dimensions: a column a thread and four rows a round (EBISU Table 1), or two and two: a value
/// in scratch is then read by half as many threads.
constexpr Offer four_rows(int steps, Origin origin, unsigned stencils) {
  return {{.nx = 256, .rows = 4, .steps = steps}, {}, true, origin, stencils};
}
constexpr Offer two_columns(int steps, unsigned stencils) {
  return {{.nx = 512, .rows = 2, .columns = 2, .steps = steps}, {}, true, Origin::ours, stencils};
}
/// Three: waiting at the end of a round (the paper), or a round later.
constexpr Offer at_once(int steps, unsigned stencils) {
  return {{}, {.steps = steps, .apart = 1}, false, Origin::paper, stencils};
}
constexpr Offer round_later(int steps, unsigned stencils) {
  return {{}, {.steps = steps, .apart = 2}, false, Origin::ours, stencils};
}

/// The tiles of Table 1 at the depths of Table 3; the same depths or some beside them, in other
/// ways; and, behind kFewOffers, more.
inline constexpr Offer kOffers[] = {
    four_rows(12, Origin::paper, kFor<J2d5pt>),
    four_rows(8, Origin::paper, kFor<J2d9pt>),
    four_rows(6, Origin::paper, kFor<J2d9ptGol>),
    four_rows(4, Origin::paper, kFor<J2d25pt>),
    at_once(8, kFor<J3d7pt>),
    at_once(6, kFor<J3d17pt, Poisson>),
    at_once(5, kFor<J3d13pt, J3d27pt>),
    two_columns(12, kFor<J2d5pt>),
    two_columns(8, kFor<J2d5pt, J2d9pt>),
    two_columns(6, kFor<J2d9pt, J2d9ptGol>),
    two_columns(4, kFor<J2d9ptGol, J2d25pt>),
    round_later(8, kFor<J3d7pt>),
    round_later(5, kFor<J3d13pt, J3d17pt, J3d27pt, Poisson>),
    round_later(4, kFor<J3d7pt, J3d13pt, J3d17pt, J3d27pt, Poisson>),
    four_rows(7, Origin::paper, kFor<J2d5pt>),
    four_rows(10, Origin::ours, kFor<J2d5pt>),
    two_columns(10, kFor<J2d5pt>),
    two_columns(3, kFor<J2d25pt>),
    round_later(6, kFor<J3d7pt>),
    round_later(3, kFor<J3d17pt, J3d27pt, Poisson>),
};
inline constexpr int kFewOffers = 14;
inline constexpr int kAllOffers = std::extent_v<decltype(kOffers)>;
/// Those that have kernels in this build.
inline constexpr int kOfferCount = kFewConfigurations ? kFewOffers : kAllOffers;

}  // namespace tessera::jacobi

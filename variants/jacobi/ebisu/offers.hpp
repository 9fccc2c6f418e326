// SPDX-License-Identifier: Apache-2.0
// The tiles and depths of jacobi/ebisu on devices, each for the stencils that it is made for.
#pragma once

#include "registry/plan.hpp"
#include "registry/variant.hpp"
#include "stencils/jacobi/formula.hpp"
#include "variants/jacobi/ebisu/streams.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera::jacobi {

/// A stream, where it comes from, and for whom it is.
template <auto kStreamOf, Origin kOriginOf, class... For>
struct Offered {
  static constexpr auto kStream = kStreamOf;
  static constexpr Origin kOrigin = kOriginOf;
  template <class StencilType>
  static constexpr bool kFits = (std::is_same_v<StencilType, For> || ...);
};
template <auto kStream, class... For>
using Paper = Offered<kStream, Origin::paper, For...>;
template <auto kStream, class... For>
using Ours = Offered<kStream, Origin::ours, For...>;

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
using PaperOffers = std::tuple<Paper<four_rows(12), J2d5pt>, Paper<four_rows(8), J2d9pt>,
                               Paper<four_rows(6), J2d9ptGol>, Paper<four_rows(4), J2d25pt>,
                               Paper<at_once(8), J3d7pt>, Paper<at_once(6), J3d17pt, Poisson>,
                               Paper<at_once(5), J3d13pt, J3d27pt>>;
/// The same depths or some beside them, in other ways.
using OtherOffers =
    std::tuple<Ours<two_columns(12), J2d5pt>, Ours<two_columns(8), J2d5pt, J2d9pt>,
               Ours<two_columns(6), J2d9pt, J2d9ptGol>, Ours<two_columns(4), J2d9ptGol, J2d25pt>,
               Ours<round_later(8), J3d7pt>,
               Ours<round_later(5), J3d13pt, J3d17pt, J3d27pt, Poisson>,
               Ours<round_later(4), J3d7pt, J3d13pt, J3d17pt, J3d27pt, Poisson>>;
using MoreOffers =
    std::tuple<Paper<four_rows(7), J2d5pt>, Ours<four_rows(10), J2d5pt>,
               Ours<two_columns(10), J2d5pt>, Ours<two_columns(3), J2d25pt>,
               Ours<round_later(6), J3d7pt>, Ours<round_later(3), J3d17pt, J3d27pt, Poisson>>;

using AllOffers = decltype(std::tuple_cat(
    std::declval<PaperOffers>(), std::declval<OtherOffers>(),
    std::declval<std::conditional_t<kFewConfigurations, std::tuple<>, MoreOffers>>()));

}  // namespace tessera::jacobi

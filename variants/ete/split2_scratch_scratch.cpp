// SPDX-License-Identifier: Apache-2.0
// ete/split2_scratch_scratch: two sweeps, each with its half of the table in team scratch (Fang IV
// and VI.A, SMem+2kernels(SM+SM)).
//
// Formula:  p+ = 2 sum_{j in plane} c_j p_j - p-, then p+ += 2 sum_{j out of plane} c_j p_j:
//           formulas (5) and (6).
// Idea:     as scatter. The first sweep has no open sums, the second nine. p+ is written, read and
//           written again, p is read twice.
// Minimal:  14 B a cell in float; each of the two sweeps moves as much, together 28 B.
#include "variants/ete/kernels/scatter.hpp"

namespace tessera {
namespace {

using namespace ete;

struct PlaneLabel {
  static constexpr const char* kText = "tessera::ete::split2_scratch_scratch::in_plane";
};
struct OutLabel {
  static constexpr const char* kText = "tessera::ete::split2_scratch_scratch::out_of_plane";
};

template <class Real, class ShapeType, class TileType>
struct TwoSweeps {
  template <class Label, Part kPart>
  using Sweep = StreamLauncher<ScatterKernel<Label, Real, ShapeType, TileType, Home::scratch,
                                             Home::scratch, Layout::velocity, kPart>,
                               TileType, Real>;
  Sweep<PlaneLabel, Part::in_plane> in_plane;
  Sweep<OutLabel, Part::out_of_plane> out_of_plane;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    const Plan first = in_plane.plan(region, problem);
    if (!first.supported()) return first;
    Plan both = out_of_plane.plan(region, problem);
    if (!both.supported()) return both;
    both.league += first.league;
    both.scratch_bytes = std::max(both.scratch_bytes, first.scratch_bytes);
    for (const auto member :
         {&Plan::loads, &Plan::stores, &Plan::scratch_loads, &Plan::scratch_stores}) {
      both.*member += first.*member;
    }
    both.gather.elements += first.gather.elements, both.gather.reads += first.gather.reads;
    both.walk.trips *= 2, both.walk.barriers *= 2;  // a plane of each sweep
    both.loops.rows += first.loops.rows;
    // The second sweep reads all again.
    both.moved_elements = 2 * (3 + 2.0 / sizeof(Real));
    both.arrays = arrays_of(ShapeType::kPoints, problem, true);
    for (ArrayUse& array : both.arrays) array.share *= 2;
    return both;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    in_plane.step(exec, fields, region);
    out_of_plane.step(exec, fields, region);
  }
};

template <class TileType>
void offer_split(EteVariant& variant, int chunk, const char* note = "") {
  variant.offer({stream_text<TileType>(chunk), Origin::ours, note, tile_runs_on<TileType>()},
                [chunk](auto real, auto points) {
                  return TwoSweeps<decltype(real), Shape<points()>, TileType>{{chunk}, {chunk}};
                });
}

}  // namespace

void register_ete_split2_scratch_scratch(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "split2_scratch_scratch",
      .summary = "two sweeps, each with half of the table in scratch",
      .formula = "p+ = 2 sum_{j in plane} c_j p_j - p-, then p+ += 2 sum_{j out of plane} c_j p_j",
      .source = "Fang IV, formulas (5) and (6); VI.A, SMem+2kernels(SM+SM)",
      .memory = "as scatter, with half of the table in scratch at a time",
      .loses = "to scatter, wherever the whole table fits in scratch",
      .launch = kLaunchWithTable,
      .tags = {"paper", "2.5d", "streaming", "scratch", "reorders"},
  });
  offer_split<Tile<32, 16>>(*v, 117);
  if constexpr (kAllDeviceTiles) offer_split<Tile<32, 8>>(*v, 117, "37 points in double: 64 KiB");
  offer_split<Tile<256, 16>>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// acoustic/st_bulk: 2.5D streaming, planes brought by the bulk copy engine, paced.
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     planes of u with their halos, of u- and of vp arrive in team scratch by bulk copies
//           that one thread requests three planes ahead; warps meet at barriers that leave them a
//           plane of slack. A thread owns vectors of four cells in two rows. A plane is added to
//           the nine sums along z that it belongs to while it is there (kernels/column.hpp), so
//           that it is read from scratch once; the teams that run side by side are paced, but
//           where a configuration says `unpaced`. The layers as st_async does them
//           (variants/acoustic/st_bulk/kernel.hpp).
// Minimal:  16 B a cell inside in float, 8 B with u and u- in half, 10 B with a difference.
// Order:    z is summed in two halves, the nearer plane behind first: equal within the bound, not
//           bitwise.
// Loses:    where there is no copy engine; in float it is st_async's equal. Not in float24 and
//           block16: a bulk copy of bytes begins on 16 cells, and exponents that each thread
//           brings leave it slower than float.
#include "base/registry/scratch_refusal.hpp"
#include "variants/acoustic/kernels/vector_stream.hpp"
#include "variants/acoustic/st_bulk/kernel.hpp"

#include <algorithm>
#include <type_traits>

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, int Columns, int Rows>
struct StBulk {
  using Layers = VectorLauncher<VectorStreamKernel, Real, tessera::Tile<32, 8>, 4>;
  static constexpr int kTeams = 512 / (Columns * Rows);  // of a multiprocessor, at least
  bool paced = true;
  Layers layers{{64}};

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    const MachineLimits& machine = problem.machine;
    if (region.update == Update::branched || region.update == Update::shell)
      return unsupported("requires separate layers: seven or seven_concurrent");
    if (problem.value_bytes != 4) return unsupported("scratch holds its planes of floats alone");
    if (!machine.bulk_copies) return unsupported(kNoBulkCopies);
    if (region.update != Update::inner) return layers.plan(region, problem);
    using Kernel = BulkStreamKernel<float, float, Columns, Rows>;
    Plan p;
    const Tiling tiles = tiling<Kernel>(region.box, wave<Kernel>(machine));
    p.aligned_tiles = true;
    p.launch = Launch::native;
    p.league = tiles.league();
    p.team = Kernel::kThreads;
    count_streaming<tessera::Tile<Kernel::kNx, Kernel::kNy>>(p, 0);
    p.tile[0] = Kernel::kNx, p.tile[1] = Kernel::kNy, p.tile[2] = tiles.nz;
    p.planes_per_thread = tiles.nz;
    p.scratch_bytes = static_cast<std::int64_t>(Kernel::scratch_bytes());
    p.scratch_loads = 3 + (2.0 * kR + Kernel::kOwnRows) / Kernel::kOwnRows + 1;
    p.scratch_stores += 2;
    p.walk.trips = 1.0 / Kernel::kAhead;
    p.walk.barriers = 1;
    p.walk.width = Kernel::V;
    p.walk.bound_threads = kTeams * Kernel::kThreads;
    p.walk.more_planes = 2 * kR;
    refuse_scratch_beyond(p, machine.native_scratch_bytes, machine.kind);
    return p;
  }

  template <class Format>
  void step(const ExecSpace& exec, const Fields<Real, Format>& fields, const Region& region) const {
    if (region.update != Update::inner) return layers.step(exec, fields, region);
    if constexpr (!std::is_same_v<Format, Plain>) {
      launch<Format>(exec, fields, region);
    } else if (fields.vp_index == nullptr) {
      launch<Real>(exec, fields, region);
    } else {
      launch<Linear16>(exec, fields, region);
    }
  }

 private:
  template <class Kept, class OfFormat>
  void launch([[maybe_unused]] const ExecSpace& exec, [[maybe_unused]] const OfFormat& fields,
              [[maybe_unused]] const Region& region) const {
    if constexpr (kOnDevice && kHasBulkCopy && std::is_same_v<Real, float>) {
      using Kernel = BulkStreamKernel<Real, Kept, Columns, Rows>;
      const int together = wave<Kernel>(this_machine());
      const Tiling tiles = tiling<Kernel>(region.box, together);
      const Pacer pacer =
          paced ? make_pacer(exec, tiles.league(), together, tiles.nz + 2 * kR) : Pacer();
      native_launch<Kernel::kThreads, kTeams>(
          exec, Kernel::kLabel, static_cast<int>(tiles.league()), Kernel::scratch_bytes(),
          Kernel(fields, region.box, tiles, pacer));
    }
  }

  /// Teams that run at the same time.
  template <class Kernel>
  [[nodiscard]] static int wave(const MachineLimits& machine) {
    if constexpr (kOnDevice && kHasBulkCopy) {
      if (machine.here && Kokkos::is_initialized()) {
        static const int kWave = std::max(1, max_resident_league<Kernel::kThreads, Kernel, kTeams>(
                                                 ExecSpace(), Kernel::scratch_bytes()));
        return kWave;
      }
    }
    return kTeams * machine.units;
  }
  /// Tiles start at whole lines; what is left when whole streams have been dealt out evenly is cut
  /// along z.
  template <class Kernel>
  [[nodiscard]] static Tiling tiling(Box box, int together) {
    box.x0 = box.x0 / kLine * kLine;
    const Tiling whole(box, Kernel::kNx, Kernel::kNy, box.nz());
    constexpr int kStart = 2 * kR + Kernel::kAhead;
    return {box, Kernel::kNx, Kernel::kNy,
            balanced_stream(box.nz(), whole.league(), together, kStart, box.nz())};
  }
};

template <int Columns, int Rows>
void offer(AcousticVariant& variant, bool paced = true) {
  using Kernel = BulkStreamKernel<float, float, Columns, Rows>;
  const std::string text =
      extents_text({Kernel::kNx, Kernel::kNy}) + ",v=4,rows=2" + (paced ? "" : ",unpaced");
  variant.offer({text, Origin::ours, "", RunsOn::devices},
                [paced](auto real) { return StBulk<decltype(real), Columns, Rows>{paced}; });
  variant.offer_stored(text, StBulk<float, Columns, Rows>{paced},
                       Formats<StoredHalf, StoredDifference, StoredBHalf>{});
}

}  // namespace

void register_acoustic_st_bulk(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "st_bulk",
      .summary = "2.5D streaming, planes by the bulk copy engine, two rows a thread",
      .source = "ours: what fields in 16 bits need to reach the roofline",
      .memory = "four planes of u, u- and vp in team scratch, halves of the sums along z in "
                "registers",
      .loses = "without a copy engine; in float to two_step",
      .launch = "bulk copies by maps that lie in the launch, and a pace",
      .tags = {"2.5d", "streaming", "scratch", "async", "reorders", "device only"},
  });
  v->eta_by_profiles = v->reads_vp_steps = v->inner_alone = true;
  offer<32, 8>(*v);
  offer<32, 8>(*v, false);
  registry.add(std::move(v));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// acoustic/two_step: two time steps a pass through the inner region, on devices.
//
// Formula:  u+ = 2u - u- + vp L(u) inside, twice; PML formula in the layers
//           (variants/acoustic/formula.hpp).
//
//   for each tile of the cells that are 4 and more from the layers, the core (56 x 24), along z
//     for each plane p of step n that arrives in scratch
//       stage one: complete plane p - 4 of step n + 1, 4 cells wider than the core
//       stage two: complete plane p - 9 of step n + 2 from the plane of step n + 1 before
//   layers: step n -> n + 1                                             # as acoustic/st_async
//   layers and all cells nearer to them than 4: step n + 1 -> n + 2
//
// Memory:   planes of u (four), u-, vp (ten) and step n + 1 in scratch; per stage and cell four
//           values and four begun sums in registers (variants/acoustic/kernels/column.hpp). Planes
//           come by bulk copies where the device has them, and warps meet at barriers that leave
//           them half a plane of slack (variants/acoustic/two_step/pass.hpp). The teams that run
//           side by side are paced, but where a configuration says `unpaced`: nobody waits for the
//           slowest, and with vp from its field L2 loses halos.
// Minimal:  10 B a cell and step inside (u, u-, vp read, two results written, for two steps), 5 B
//           in half.
// Order:    z is summed in two halves, the nearer plane behind first: equal within the bound, not
//           bitwise. Out of place: four wavefields.
#include "base/registry/scratch_refusal.hpp"
#include "variants/acoustic/kernels/vector_stream.hpp"
#include "variants/acoustic/two_step/pass.hpp"

namespace tessera {
namespace {

using namespace acoustic;

/// The pass over the inner region; what is left of it, and the layers, as st_async does.
template <class Real, int Columns, int Rows, Copies kCopies>
struct TwoStep {
  using Layers = VectorLauncher<VectorStreamKernel, Real, tessera::Tile<32, 8>, 4>;
  using Tile = PassTile<Real, Columns, Rows, kCopies>;
  using Kernel = PassKernel<Real, Tile>;
  static constexpr bool kRuns = kHasBulkCopy || kCopies == Copies::threads;
  Layers layers{{64}};
  bool paced = true;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    return problem.value_bytes == 4
               ? TwoStep<float, Columns, Rows, kCopies>{}.plan_in_precision(region, problem)
               : TwoStep<double, Columns, Rows, kCopies>{}.plan_in_precision(region, problem);
  }

  [[nodiscard]] Plan plan_in_precision(const Region& region, const Problem& problem) const {
    const MachineLimits& machine = problem.machine;
    if (region.update != Update::inner) {
      if (region.update == Update::branched || region.update == Update::shell) {
        return unsupported("two steps require separate layers: seven or seven_concurrent");
      }
      return layers.plan(region, problem);
    }
    if (kCopies == Copies::bulk && !machine.bulk_copies) {
      std::string why = kNoBulkCopies;
      why += ": copies=threads";
      return unsupported(why);
    }
    Plan p;
    using InHalf = PassTile<Real, Columns, Rows, kCopies, StoredHalf>;
    p.scratch_bytes = static_cast<std::int64_t>(
        problem.storage == Storage::plain ? Tile::scratch_bytes() : InHalf::scratch_bytes());
    refuse_scratch_beyond(p, machine.native_scratch_bytes, machine.kind);
    if (!p.supported()) return p;
    // The layers are as thick along y as along z; their thickness 0 hides a free surface.
    const Box& inner = region.box;
    const Box box = pass_box(inner, {inner.y0, inner.y0 > 0 && inner.z0 == 0});
    if (box.empty()) return unsupported("the layers leave no cell for two steps at once");
    const PassTiling tiles = tiling(box, machine);
    p.league = tiles.league();
    p.launch = Launch::native;
    p.team = Tile::kThreads;
    p.tile[0] = Tile::kCoreX, p.tile[1] = Tile::kCoreY, p.tile[2] = box.nz();
    p.planes_per_thread = box.nz();
    if constexpr (kRuns && kOnDevice) {
      if (machine.here) p.registers = registers_of<Tile::kThreads, Kernel>();
    }
    p.temporal_depth = 2;
    constexpr double kCore = Tile::kCoreX * Tile::kCoreY;
    p.halo_cells = Tile::kPlane - Tile::kCoreX * Tile::kCoreY;
    p.loads = (Tile::kPlane + 2.0 * Tile::kOwn) / kCore / 2;
    p.stores = 1;
    p.valid_share = kCore / Tile::kOwn;
    // x by vectors, y, centre; u- and vp; of both stages, halved.
    const double grown = Tile::kOwn / kCore;
    const double sums = 2.0 * kR + 1 + 2.0 * kR / Tile::kV;
    p.scratch_loads = (grown * (sums + 2) + sums + 2) / 2;
    p.scratch_stores = p.loads + (grown + 1) / 2;
    return p;
  }

  template <class Format>
  void step(const ExecSpace& exec, const Fields<Real, Format>& fields, const Region& region) const {
    layers.step(exec, fields, region);
  }

  template <class Format>
  void pass([[maybe_unused]] const ExecSpace& exec,
            [[maybe_unused]] const PassFields<Real, Format>& f,
            [[maybe_unused]] const Box& box) const {
    if constexpr (kOnDevice && kRuns) {
      if constexpr (!std::is_same_v<Format, Plain>) {
        launch<Format>(exec, f, box);
      } else if (f.first.vp_index == nullptr) {
        launch<Real>(exec, f, box);
      } else {
        launch<Linear16>(exec, f, box);
      }
    }
  }

 private:
  template <class Kept, class Format>
  void launch(const ExecSpace& exec, const PassFields<Real, Format>& f, const Box& box) const {
    using Tile = PassTile<Real, Columns, Rows, kCopies, Kept>;
    using Kernel = PassKernel<Real, Tile>;
    const MachineLimits machine = this_machine();
    const PassTiling tiles = tiling(box, machine);
    const auto pacer = paced ? make_pacer<PassPacer>(exec, tiles.league(), together(machine),
                                                     box.nz() + 4 * kR + 1)
                             : PassPacer();
    native_launch<Tile::kThreads>(exec, Kernel::kLabel, tiles.league(), Tile::scratch_bytes(),
                                  Kernel(f, tiles, pacer));
  }

  [[nodiscard]] static int together(const MachineLimits& machine) {
    if constexpr (kRuns && kOnDevice) {
      const auto scratch = static_cast<int>(Tile::scratch_bytes());
      if (machine.here && Kokkos::is_initialized() && scratch <= machine.native_scratch_bytes) {
        static const int kTeams = std::max(
            1, max_resident_league<Tile::kThreads, Kernel>(ExecSpace(), Tile::scratch_bytes()));
        return kTeams;
      }
    }
    return machine.units;
  }
  [[nodiscard]] static PassTiling tiling(const Box& box, const MachineLimits& machine) {
    return {box, Tile::kCoreX, Tile::kCoreY, together(machine)};
  }
};

/// A tile of Columns x Rows threads, with bulk copies in 16 bits too.
template <int Columns, int Rows, Copies kCopies>
void offer(auto&& variant, bool paced = true) {
  using InFloat = PassTile<float, Columns, Rows, kCopies>;
  const std::string text = extents_text({InFloat::kCoreX, InFloat::kCoreY}) +
                           (kCopies == Copies::bulk ? ",copies=bulk" : ",copies=threads") +
                           (paced ? "" : ",unpaced");
  const Configuration configuration{text, Origin::ours, "core in float", RunsOn::devices};
  const auto launcher = [paced](auto real) {
    return TwoStep<decltype(real), Columns, Rows, kCopies>{.paced = paced};
  };
  constexpr Formats<StoredHalf, StoredBHalf> kFormats{};
  if constexpr (!kOnDevice) {
    variant.offer(configuration, launcher);
    if constexpr (kCopies == Copies::bulk) variant.offer_stored_plan(text, kFormats);
  } else {
    variant.offer_pass(configuration, PassShape{.steps = 2}, launcher);
    if constexpr (kCopies == Copies::bulk)
      variant.offer_stored_pass(text, launcher(float()), kFormats);
  }
}

}  // namespace

void register_acoustic_two_step(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "two_step",
      .summary = "two time steps a pass through the inner region",
      .source = "ours: 3.5D blocking with boundary conditions, which Sai VI names as future work",
      .memory = "planes of two time steps in team scratch, halves of the sums along z in registers",
      .loses = "in double, where scratch holds half as many cells; on hosts",
      .supports = "PML, sources and receivers: two steps a pass",
      .launch =
          "144 KiB and more of scratch, bulk copies by maps that lie in the launch, and a pace",
      .tags = {"3.5d", "temporal", "streaming", "scratch", "async", "reorders", "device only"},
  });
  v->eta_by_profiles = v->reads_vp_steps = true;
  offer<16, 32, Copies::bulk>(*v);
  offer<16, 32, Copies::bulk>(*v, false);
  offer<16, 24, Copies::threads>(*v);
  offer<16, 32, Copies::threads>(beyond_few(*v));
  registry.add(std::move(v));
}

}  // namespace tessera

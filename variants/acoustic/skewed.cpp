// SPDX-License-Identifier: Apache-2.0
// acoustic/skewed: several time steps a pass in skewed tiles, in place, layers and all, on hosts.
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
//
//   for each skewed tile of rows (x whole), in a chain of threads    # tile i + 1 a round behind
//   tile i
//     for z in planes, 4 at a time                                   # a round
//       for each time step l = 1 ... t
//         for planes z - 4 (l - 1) ... + 3, rows 4 (l - 1) further up than those of step 1
//           u+ (over u-) and in the layers phi+ (over phi), whole rows, K planes in registers
//         sources add to u+, receivers record it
//
// Memory:   u, u-, vp and phi where they are: the planes and rows between the first and the last
//           step of a tile stay in L2 and L3. eta from its profiles, sums in registers
//           (variants/acoustic/kernels/host_rows.hpp).
// In place: two wavefields are enough. u+ of a cell takes the place of its u-, which only its own
//           neighbours read, to make u: and all of these are made before it, since u+ reads them.
// Sources:  skewed tiles: McCalpin and Wonnacott 1999; pipelined wavefront: Wellein et al. 2009.
// Minimal:  20 / t B a cell and step inside, 28 / t in the layers (float).
// Loses:    on grids of fewer tiles than threads; on small grids, which the last cache holds.
#include "base/registry/configuration_text.hpp"
#include "variants/acoustic/kernels/variant.hpp"
#include "variants/acoustic/skewed/pass.hpp"

#include <algorithm>

namespace tessera {
namespace {

using namespace acoustic;

/// Tiles of at most `rows` rows, `steps` time steps a pass, K planes at a time in registers.
template <class Real, int K>
struct Skewed {
  int rows, steps;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    if (region.update == Update::pml || region.update == Update::shell) {
      return unsupported("the layers are computed with the inner region: it requires single");
    }
    const Box& box = region.box;
    const int threads = problem.machine.units;
    const SkewedCut tiles = skewed_rows(box.ny(), rows, steps, threads);
    Plan p;
    p.launch = Launch::resident;
    p.team = 1;
    p.league = std::min(tiles.count(), threads);
    p.temporal_depth = steps;
    p.tile[0] = box.nx(), p.tile[1] = tiles.tile, p.tile[2] = box.nz();
    p.halo_cells = 2LL * kR * box.nx();
    const double pml = pml_share(region);
    p.loads = HostRows<Real>::loads(K, pml);
    p.stores = 1 + pml;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    const Box& box = region.box;
    PassFields<Real> f{fields, nullptr, {box.nz(), box.ny(), box.nx()}};
    f.inner = region.update == Update::inner ? box : region.hole;
    f.steps = 1;
    pass(exec, f, box);
  }

  void pass(const ExecSpace& exec, const PassFields<Real>& f, const Box&) const {
    if constexpr (!kOnDevice) {
      const SkewedCut tiles = skewed_rows(f.n.ny, rows, f.steps, multiprocessors());
      const int teams = std::min(tiles.count(), multiprocessors());
      persistent_launch<1>(exec, SkewedPass<Real, K>::kLabel, teams, 0,
                           SkewedPass<Real, K>{f, tiles, teams});
    }
  }
};

template <int K>
void offer(auto&& variant, int rows, int steps) {
  variant.offer_pass(
      {extents_text({0, rows, 0}) + parameter_text("nz", K) + parameter_text("t", steps),
       Origin::ours, "host", RunsOn::hosts},
      PassShape{.steps = steps, .in_place = true}, [=](auto real) {
        return Skewed<decltype(real), K>{rows, steps};
      });
}

}  // namespace

void register_acoustic_skewed(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "skewed",
      .summary = "several time steps a pass in skewed tiles, in place",
      .source =
          "McCalpin and Wonnacott 1999; Wellein et al. 2009; PML, sources and receivers: ours",
      .memory =
          "u, u-, vp, phi of a tile's planes in L2 and L3, sums of 1 to 4 planes in registers",
      .loses = "on grids of fewer tiles than threads, and on small ones; on devices",
      .supports = "PML, sources and receivers: several steps a launch",
      .launch = "threads follow each other from tile to tile: one team each, all at once",
      .tags = {"ours", "temporal", "registers", "host only"},
  });
  v->eta_by_profiles = true;
  for (const int steps : {2, 4, 8}) {
    offer<1>(*v, 32, steps);
    offer<4>(*v, 32, steps);
    auto&& more = beyond_few(*v);
    offer<2>(more, 32, steps);
    for (const int rows : {16, 64}) {
      offer<1>(more, rows, steps);
      offer<4>(more, rows, steps);
    }
  }
  registry.add(std::move(v));
}

}  // namespace tessera

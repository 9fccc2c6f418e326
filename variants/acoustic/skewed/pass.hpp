// SPDX-License-Identifier: Apache-2.0
// The pass of acoustic/skewed: a chain of threads, each with tiles of rows.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/tile/skewed_cut.hpp"
#include "variants/acoustic/kernels/host_rows.hpp"
#include "variants/acoustic/kernels/pass.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::acoustic {

/// ny rows in skewed tiles of at most `rows` for passes of so many steps: as many as keep so many
/// threads busy to the end, no lower than a tile's neighbours reach.
[[nodiscard]] inline SkewedCut skewed_rows(int ny, int rows, int steps, int threads) {
  constexpr int kLeast = 2 * kR;
  const int skew = (steps - 1) * kR;
  const int fewest = fewest_tiles(ny, rows, skew, 1);
  const int most = std::max((ny + skew) / kLeast, fewest);
  const int count = std::min((fewest + threads - 1) / threads * threads, most);
  return skewed(ny, count, skew, 1, kLeast);
}

/// A team makes its tiles one after another. In round r it makes step l of planes kPlanes r - kR (l
/// - 1) and those that follow, K of them at a time: what step l reads, kR planes and rows around,
/// has been made in this round's step l - 1, in rounds before, or by the tile before.
template <class Real, int K>
struct SkewedPass {
  static constexpr const char* kLabel = "tessera::acoustic::skewed::pass";
  static constexpr int kPlanes = 4;  ///< of a round
  static_assert(kPlanes % K == 0);

  PassFields<Real> f;
  SkewedCut tiles;
  int teams;

  void operator()(const NativeTeam& team) const {
    const int skew = (f.steps - 1) * kR;
    const int rounds = (f.n.nz + skew + kPlanes - 1) / kPlanes;
    const auto stream = [&](int i, const auto& wait, const auto& finish) {
      for (int round = 0; round < rounds; ++round) {
        wait();
        for (int step = 1; step <= f.steps; ++step) {
          const int behind = (step - 1) * kR, z = round * kPlanes - behind;
          make(step, {std::max(z, 0), std::min(z + kPlanes, f.n.nz), tiles.begin(i, skew - behind),
                      tiles.end(i, skew - behind), 0, f.n.nx});
        }
        finish();
      }
    };
    if (f.steps == 1) {  // no team waits for another
      for (int i = team.league_rank(); i < tiles.count(); i += teams) {
        stream(
            i, [] {}, [] {});
      }
    } else {
      for_each_tile_in_chain(f.chain, 0, teams, team.league_rank(), tiles.count(), rounds, stream);
    }
  }

 private:
  /// Step `step` of a box of whole rows, its sources and receivers.
  void make(int step, const Box& box) const {
    if (box.empty()) return;
    const Fields<Real> fields = step % 2 == 1 ? f.first : f.second();
    make_rows<K>(fields, box, f.inner);
    for (int s = 0; s < f.source_count; ++s) {
      const PassSource& source = f.sources[s];
      const Box here = intersect(source.box, box);
      for (int z = here.z0; z < here.z1; ++z)
        for (int y = here.y0; y < here.y1; ++y)
          for (int x = here.x0; x < here.x1; ++x)
            fields.next[fields.offset(z, y, x)] +=
                source_value<Real>(source.box, source.weights, z, y, x, source.amplitude[step - 1]);
    }
    record(step, fields, box);
  }

  void record(int step, const Fields<Real>& fields, const Box& box) const {
    const Receiver* const end = f.records.receivers + f.records.count;
    const Receiver* r = std::lower_bound(f.records.receivers, end, box.z0,
                                         [](const Receiver& a, int z) { return a.z < z; });
    Real* const samples = f.records.samples + std::int64_t{step - 1} * f.records.count;
    for (; r != end && r->z < box.z1; ++r) {
      if (box.contains(r->z, r->y, r->x)) {
        samples[r->number] = fields.next[fields.offset(r->z, r->y, r->x)];
      }
    }
  }
};

}  // namespace tessera::acoustic

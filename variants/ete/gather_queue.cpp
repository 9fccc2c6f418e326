// SPDX-License-Identifier: Apache-2.0
// ete/gather_queue: the traditional scheme: the plane in team scratch, columns in register queues
// (Fang V.A).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Loop:     for each plane z of the stream:
//               load p at z + R of the own column, at z + m of the four columns m cells away
//               sum the points of plane z from scratch, those above and below from the queues
//               p+ = 2 sum - p-
//               each queue takes a value of plane z in and lets its last one go
// Queues:   own column      z-4 z-3 z-2 z-1 | z | z+1 z+2 z+3 (z+4)    8 values
//           column m away   z-m ... z-1     | z |         (z+m)        m values, see
//           gather_queue/column_queues.hpp: 12 a cell for 37 points, as the paper counts, 48 for 73
// Memory:   one plane with its halo in team scratch, two more on their way; so is the table. Of p a
//           cell loads 5 values for 37 points, 17 for 73, beside its plane: the caches serve them.
// Table:    in scratch; `coeff=scratch+ro` leaves what exceeds the paper's 48 KiB (of its 902
//           velocities) behind the read-only cache, as VI.A has it; `coeff=ro` and
//           `coeff=gmem` are its RO and GMem.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "base/tile/cornered_ring.hpp"
#include "variants/ete/gather_queue/column_queues.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace ete;

/// kRest: rows of the table that exceed 48 KiB of scratch stay in the read-only cache.
template <class Real, class ShapeType, class TileType, Home kHome, bool kRest>
struct GatherQueueKernel {
  static constexpr const char* kLabel = "tessera::ete::gather_queue::step";
  static constexpr Rows kRowKind = ShapeType::kRowKind;
  // Registers: up to 64 for 37 points in float, twice as many in double and for 73 points.
  static constexpr int kMostThreads =
      (sizeof(Real) == 4 ? 1024 : 512) / (ShapeType::kPoints == 37 ? 1 : 2);
  static constexpr int kSlots = 3;  // two planes on their way, one in use
  using Ring = CorneredRing<Real, TileType, kR, kSlots>;
  static constexpr int kRows = ShapeType::kRows;
  static constexpr int kIn = [] {  // rows in the table's home
    int rows = kRows;
    while (kRest && padded_rows<Real>(rows) * kPaperColumns * sizeof(Real) > 48 * 1024) --rows;
    return rows;
  }();
  using Table = Coefficients<Real, ShapeType, kHome, Layout::velocity, 0, kIn>;
  using Rest =
      Coefficients<Real, ShapeType, Home::ro, Layout::velocity, kIn % kRows, kRows>;  // if any
  using Queues = ColumnQueues<Real, kR, ShapeType::kDiagonals, TileType>;
  // A table in scratch has as many columns as there are velocities.
  static constexpr std::size_t kScratch =
      kHome == Home::scratch ? kScratchOfRunTime
                             : Ring::kBytes + (2 + Queues::kWindows) * kScratchSlack;
  using TeamHandle = TeamWith<kScratch>;

  Fields<Real> f;
  Tiling tiling;

  [[nodiscard]] static std::size_t scratch_bytes(int columns, MachineKind kind = kThisKind) {
    return Ring::scratch_bytes() + Table::scratch_bytes(columns) + Queues::scratch_bytes(kind) +
           (2 + Queues::kWindows) * kScratchSlack;
  }

  static void count(Plan& plan, double halo) {
    const bool scratch = kHome == Home::scratch;
    const double in = ShapeType::kClasses - (kRows - kIn);
    plan.loads = 2 + halo + Queues::kColumns + 2.0 / sizeof(Real) +
                 (scratch ? kRows - kIn : ShapeType::kClasses);
    plan.misaligned_loads = 2 * ShapeType::kDiagonals;
    plan.stores = 1;
    plan.scratch_stores = 1 + halo;
    plan.scratch_loads = 1 + 4 * (kR + ShapeType::kDiagonals) + (scratch ? in : 0);
    gather_table<Real>(plan, kHome, in, kIn, Layout::velocity);
  }

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    TileExtent extent = place.extent;
    const int planes = extent.nz;
    extent.nz = 1;
    const Ring ring(team, f.row, place.extent);
    const Table table(team, f.tables);
    const Rest rest(team, f.tables);
    Queues queues(team);
    Place at{f.offset(place.z0, place.y0, place.x0), f.index_offset(place.z0, place.y0, place.x0)};
    for (int k = 0; k < kSlots - 1; ++k) {
      if (k < planes) ring.load(k, f.p + at.first + k * f.plane);
      commit_copies();
    }
    for_each_cell(team, TileType{}, extent, [&](const Cell& c) {
      queues.fill(c, f.p + at.first + c.y * f.row + c.x, f.row, f.plane);
    });
    int slot = 0, z = 0;
    while (z < planes) {
      for_each_phase<Queues::kPeriod>([&](auto phase) {
        const Prefetched prefetched = fetch(team, extent, at);
        wait_for_copies<kSlots - 2>();
        team.team_barrier();
        const int freed = slot == 0 ? kSlots - 1 : slot - 1;
        if (z + kSlots - 1 < planes) ring.load(freed, f.p + at.first + (kSlots - 1) * f.plane);
        commit_copies();
        take_plane(phase, team, extent, ring, slot, table, rest, queues, prefetched, at);
        at.first += f.plane;
        at.index += f.index_plane;
        slot = slot == kSlots - 1 ? 0 : slot + 1;
        return ++z < planes;
      });
    }
  }

 private:
  /// Offsets of the tile's first cell in plane z: in the fields and in the index.
  struct Place {
    std::int64_t first, index;
  };

  /// What a device thread fetches before it waits for its plane. A host loop reads it where it
  /// needs it.
  struct Prefetched {
    Real above[Queues::kColumns];
    Real minus;
    int v;
  };
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Prefetched fetch(const TeamHandle& team,
                                                             const TileExtent& extent,
                                                             const Place& at) const {
    Prefetched a{};
    if constexpr (kOnDevice) {
      for_each_cell(team, TileType{}, extent, [&](const Cell& c) {
        const std::int64_t i = at.first + c.y * f.row + c.x;
        a.v = f.index[at.index + c.y * f.index_row + c.x];
        a.minus = f.next[i];
        Queues::for_each_load([&](auto load, auto dz, auto dy, auto dx) {
          a.above[load] = f.p[i + dz * f.plane + dy * f.row + dx];
        });
      });
    }
    return a;
  }

  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void take_plane(Phase phase, const TeamHandle& team,
                                              const TileExtent& extent, const Ring& ring, int slot,
                                              const Table& table, const Rest& rest, Queues& queues,
                                              const Prefetched& prefetched,
                                              const Place& place) const {
    for_each_cell(team, TileType{}, extent, [&](const Cell& c) {
      const std::int64_t i = place.first + c.y * f.row + c.x;
      const Real* here = ring.at(slot, c.y, c.x);
      const auto loaded = [&](auto load, auto dz, auto dy, auto dx) {
        return kOnDevice ? prefetched.above[load] : f.p[i + dz * f.plane + dy * f.row + dx];
      };
      const auto at = [&](auto dz, auto dy, auto dx) {
        constexpr int kZ = decltype(dz)::value, kY = decltype(dy)::value, kX = decltype(dx)::value;
        if constexpr (kZ == 0) {
          return here[kY * Ring::kPitch + kX];
        } else if constexpr (kZ == kR || (kZ > 0 && (kY != 0 || kX != 0))) {
          return loaded(Constant<Queues::load_of(kZ, kY, kX)>{}, dz, dy, dx);
        } else {
          return queues.template at<kZ, kY, kX>(phase, c);
        }
      };
      const int v = kOnDevice ? prefetched.v : f.index[place.index + c.y * f.index_row + c.x];
      Real sum(0);
      if constexpr (kOnDevice) {
        Real k[kIn], more[kIn < kRows ? kRows - kIn : 1];
        table.template load<0>(v, k);
        if constexpr (kIn < kRows) rest.template load<kIn>(v, more);
        sum = convolve_rows<ShapeType, 0, kRows>(
            sum,
            [&](auto r) {
              if constexpr (r < kIn)
                return k[r];
              else
                return more[r - kIn];
            },
            at);
      } else {
        static_assert(kIn == kRows);
        sum = convolve_rows<ShapeType, 0, kRows>(
            sum, [&](auto r) { return table.template one<r>(v); }, at);
      }
      f.next[i] = advanced(sum, kOnDevice ? prefetched.minus : f.next[i]);
      queues.take(phase, c, here, Ring::kPitch, at(Constant<kR>{}, Constant<0>{}, Constant<0>{}));
    });
  }
};

template <class TileType, Home kHome, bool kRest = false>
void offer_queue(auto&& variant, int chunk, const char* note = "") {
  constexpr RunsOn kRunsOn = tile_runs_on<TileType>();
  const std::string home = kRest ? ",coeff=scratch+ro" : home_text(kHome, kRunsOn);
  variant.offer({stream_text<TileType>(chunk) + home, Origin::ours, note, kRunsOn},
                [chunk](auto real, auto points) {
                  using Real = decltype(real);
                  using Kernel = GatherQueueKernel<Real, Shape<points()>, TileType, kHome, kRest>;
                  return StreamLauncher<Kernel, TileType, Real>{chunk};
                });
}

}  // namespace

void register_ete_gather_queue(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "gather_queue",
      .summary = "the plane in scratch, columns in register queues",
      .source = "Fang V.A and VI.A, SMem+traditional",
      .memory = "one plane and the table in team scratch; 12 or 48 values a cell in registers",
      .loses = "with 73 points, whose 17 columns are 17 loads and 48 registers a cell",
      .launch = "a table in scratch is as large as there are velocities; without it (coeff=ro, "
                "coeff=gmem) Kokkos grants all",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  offer_queue<Tile<32, 16>, Home::scratch>(*v, 117);
  offer_queue<Tile<32, 8>, Home::scratch>(*v, 117, "73 points, double");
  offer_queue<Tile<32, 8>, Home::ro>(*v, 117, "where the table exceeds the scratch-pad");
  if constexpr (kAllDeviceTiles) {
    offer_queue<Tile<64, 4>, Home::scratch>(*v, 117);
    offer_queue<Tile<32, 8>, Home::gmem>(*v, 117, "the paper's GMem, in its scheme of V.A");
    offer_queue<Tile<32, 8>, Home::scratch, true>(*v, 117, "VI.A: what exceeds 48 KiB read-only");
  }
  offer_queue<Tile<256, 8>, Home::ro>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera

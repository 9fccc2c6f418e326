// SPDX-License-Identifier: Apache-2.0
// low_order/zasync: streaming along z, planes arriving asynchronously. Ours.
//
// Formula:  the four stencils of stencils/low_order.hpp, e.g. 7pt-1: u+ = alpha u + beta S(u).
// Memory:   a thread owns 16 bytes of cells along x in each of `rows` rows and streams along z. A
//           ring in scratch holds the planes z and z + 1 with their halos (for 19pt z - 1 too) and
//           `ahead` planes that are on their way there; kappa has one of its own, gamma is fetched
//           ahead. The thread's own columns, z - 1 ... z + 1, lie in registers: the loop is
//           unrolled three times, and their roles move. One barrier a plane; u+ leaves by streaming
//           stores.
// Minimal:  16, 24, 32, 24 B a cell in double for 7pt-1, 7pt-2, 7pt-3, 19pt.
// Why:      long streams of 128x16 tiles ask L2 for 1.2 values a cell and array with neighbours,
//           zvector's blocks of 128x4 cells and 8 planes for 1.8, and scratch keeps what 19pt
//           needs around a plane. On an H200 that gains 1 % for 7pt-3 and 8 % for 19pt over the
//           best of the others.
// Loses:    to zvector for 7pt-1 and 7pt-2 (7 and 9 %; that L2 binds 7pt-1 was predicted, and is
//           refuted), on grids too small for such tiles, where scratch is small, and on hosts,
//           where the copies are all there is.
#include "stencils/low_order_launcher.hpp"
#include "tile/plane_ring.hpp"
#include "tile/register_window.hpp"

namespace tessera {
namespace {

using namespace low_order;

template <class Real, class T, Stencil kStencil>
struct ZasyncKernel {
  using S = Shape<kStencil>;
  using Threads = typename T::template Threads<Real>;
  static constexpr int kV = T::template kV<Real>, kRows = T::kRows, kAhead = T::kAhead;
  static constexpr int kBehind = S::kEdges ? 1 : 0;  // planes before z that the ring keeps
  static constexpr int kPlanes = kBehind + 2 + kAhead;
  // What kappa and the edges take of registers and scratch leaves no room for more.
  static constexpr int kMinTeams = S::kKappa || S::kEdges ? 1 : T::kMinTeams;
  static constexpr const char* kLabel = "tessera::low_order::zasync::step";
  using Value = Pack<Real, kV>;
  using Ring = PlaneRing<Real, kV, Threads, kR, kPlanes, kRows, S::kEdges>;
  using Gamma = FetchedAhead<Real, kV, Threads, kPlanes * kRows>;
  /// What a thread has of a plane.
  struct Cells {
    Value row[kRows];
  };
  using Column = RegisterWindow<Cells, 3, Threads>;
  /// An array that is read around the cell. Place (phase + k) % 3 of the column is plane z - 1 + k.
  struct Input {
    Ring ring;
    Column column;
  };

  Fields<Real> f;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    Input u{Ring(team, f.row, place.extent), Column(team)};
    Input kappa = S::kKappa ? Input{Ring(team, f.row, place.extent), Column(team)} : u;
    stream(team, place, u, kappa, S::kGamma ? Gamma(team) : Gamma());
  }

  [[nodiscard]] static std::size_t scratch_bytes() {
    return (S::kKappa ? 2 : 1) * (Ring::scratch_bytes() + Column::scratch_bytes()) +
           (S::kGamma ? Gamma::scratch_bytes() : 0);
  }
  static void count(Plan& plan) {
    plan.halo_cells = 2LL * kR * (T::kNx + T::kNy) + (S::kEdges ? 4 * kR * kR : 0);
    const int inputs = S::kKappa ? 2 : 1, own = S::kGamma ? 1 : 0;
    plan.loads = inputs * (1 + double(plan.halo_cells) / (T::kNx * T::kNy)) + own;
    plan.scratch_stores = plan.loads;
    constexpr double kY = 2.0 * kR / kRows, kX = 2.0 * kR / T::template kDeviceV<Real>;
    plan.scratch_loads = inputs * (S::kEdges ? 1 + 3 * kY + (3 + kY) * kX : 1 + kY + kX) + own;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const TilePlace& place, Input& u,
                                          Input& kappa, const Gamma& gamma) const {
    const TileExtent vectors{1, (place.extent.ny + kRows - 1) / kRows,
                             (place.extent.nx + kV - 1) / kV};
    const int planes = place.extent.nz;
    std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    // body(cell, j, offset in the tile) for each row j of the thread before row `end`.
    const auto for_each_row = [&](int end, const auto& body) {
      for_each_cell(team, Threads{}, vectors, [&](const Cell& c) {
        static_for<kRows>([&](auto j) {
          const int y = c.y * kRows + j;
          if (kRows == 1 || y < end) body(c, j, y * f.row + kV * c.x);
        });
      });
    };
    // Copies of plane p, a group.
    const auto fetch = [&](int p, std::int64_t at, int slot) {
      if (p <= planes) {
        u.ring.load(slot, f.u + at);
        if constexpr (S::kKappa) kappa.ring.load(slot, f.kappa + at);
      }
      if (S::kGamma && p < planes) {
        for_each_row(place.extent.ny, [&](const Cell&, auto j, int i) {
          gamma.fetch(slot * kRows + j, f.gamma + at + i);
        });
      }
      commit_copies();
    };
    // 1. The ring's first planes, and the columns'. The last thread's may be those of a halo row.
    if (S::kEdges) u.ring.load(kPlanes - 1, f.u + first - f.plane);
    for (int p = 0; p <= kAhead; ++p) fetch(p, first + std::int64_t{p} * f.plane, p);
    for_each_row(place.extent.ny + kR, [&](const Cell& c, auto j, int i) {
      const auto prime = [&](Input& in, const Real* at) {
        in.column.at(c, Constant<0>{}).row[j] = load_pack<kV>(at - f.plane);
        in.column.at(c, Constant<1>{}).row[j] = load_pack<kV>(at);
      };
      prime(u, f.u + first + i);
      if constexpr (S::kKappa) prime(kappa, f.kappa + first + i);
    });
    // 2. Stream. The slot of the plane that nobody needs since the last barrier is filled again.
    int slot = 0;
    int p = 0;
    while (p < planes) {
      for_each_phase<3>([&](auto phase) {
        wait_for_copies<kAhead - 1>();
        team.team_barrier();
        const int done = slot - 1 - kBehind;
        fetch(p + 1 + kAhead, first + std::int64_t{1 + kAhead} * f.plane,
              done < 0 ? done + kPlanes : done);
        for_each_cell(team, Threads{}, vectors, [&](const Cell& c) {
          advance(phase, place.extent, u, kappa, gamma, c, first, slot);
        });
        first += f.plane;
        slot = slot == kPlanes - 1 ? 0 : slot + 1;
        return ++p < planes;
      });
    }
  }

  /// Plane z, which lies in `slot`: plane z + 1 joins the columns, then u+ is complete.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(Phase phase, const TileExtent& extent, Input& u,
                                           Input& kappa, const Gamma& gamma, const Cell& c,
                                           std::int64_t first, int slot) const {
    const int slots[] = {slot == 0 ? kPlanes - 1 : slot - 1, slot,
                         slot == kPlanes - 1 ? 0 : slot + 1};
    const auto join = [&](Input& in) {
      const Real* above = in.ring.at(slots[2], c.y * kRows, kV * c.x);
      Cells& cells = in.column.at(c, rotate<3>(phase, Constant<2>{}));
      static_for<kRows>([&](auto j) { cells.row[j] = load_pack<kV>(above + j * Ring::kPitch); });
    };
    join(u);
    if constexpr (S::kKappa) join(kappa);
    static_for<kRows>([&](auto j) {
      const int y = c.y * kRows + j;
      const std::int64_t i = first + y * f.row + kV * c.x;
      const auto around = [&](Input& in) {
        return [&](auto dx, auto dy, auto dz) {
          return near<dx(), j() + dy(), dz() + 1>(in, phase, c, slots);
        };
      };
      const Value value = new_value<kStencil>(
          f.alpha, f.beta, around(u), [&] { return gamma.take(slot * kRows + j, f.gamma + i); },
          around(kappa));
      if (kRows == 1 || y < extent.ny) store_cells<kV>(f.next + i, value, extent.nx - kV * c.x);
    });
  }

  /// Cells x + Dx of a thread's row Y in the plane z - 1 + K: its own columns lie in registers.
  template <int Dx, int Y, int K, class Phase>
  KOKKOS_FORCEINLINE_FUNCTION static Value near(Input& in, Phase phase, const Cell& c,
                                                const int* slots) {
    const Real* here = in.ring.at(slots[K], c.y * kRows + Y, kV * c.x);
    if constexpr (Dx != 0) {
      const Value cells = near<0, Y, K>(in, phase, c, slots);
      const Real end = here[Dx < 0 ? -1 : kV];
      return make_pack<Real, kV>([&](int v) {
        const int from = v + Dx;
        return from < 0 || from >= kV ? end : lane(cells, from);
      });
    } else if constexpr (Y >= 0 && Y < kRows) {
      return in.column.at(c, rotate<3>(phase, Constant<K>{})).row[Y];
    } else {
      return load_pack<kV>(here);
    }
  }
};

}  // namespace

void register_low_order_zasync(Registry& registry) {
  auto v = std::make_unique<LowOrderVariant>(
      "zasync", "vectors of cells streaming along z, planes arriving asynchronously");
  v->source = "ours: zvector with less traffic of L2";
  v->memory =
      "planes z, z + 1 and those on their way in a ring in team scratch, a thread's own columns in "
      "registers";
  v->loses = "on small grids, where scratch is small, and on hosts";
  v->tags = {"2.5d", "streaming", "scratch", "vector", "async"};
  offer_stream<ZasyncKernel, Streamed<128, 16, 2, 1, 2>>(*v, 64);
  offer_stream<ZasyncKernel, Streamed<128, 16, 2, 2, 2>>(*v, 0);
  offer_stream<ZasyncKernel, Streamed<128, 8, 2, 2, 4>>(*v, 32);
  if constexpr (!kFewConfigurations) offer_stream<ZasyncKernel, Streamed<128, 16, 4, 2, 2>>(*v, 64);
  if constexpr (!kOnDevice) offer_stream<ZasyncKernel, Streamed<256, 4, 1, 1, 1>>(*v, 64, "host");
  registry.add(std::move(v));
}

}  // namespace tessera

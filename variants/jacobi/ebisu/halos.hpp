// SPDX-License-Identifier: Apache-2.0
// What a thread does for the halo of its team's tile in device tiling: a cell of it each plane from
// memory, and for each time step a cell that a neighbour made, or that is fixed. All of where they
// lie is found once a stream.
#pragma once

#include "base/device/prefetch.hpp"
#include "base/device/unroll.hpp"
#include "variants/jacobi/kernels/exchange.hpp"

#include <cstdint>

namespace tessera::jacobi {

template <class Layout>
class Halos {
  using Stencil = typename Layout::Stencil;
  using Real = typename Layout::Real;
  using Record = typename Layout::Record;
  static constexpr int kR = Layout::kR, kSteps = Layout::kSteps, kPitch = Layout::kPitch;
  static constexpr int kEdges = Record::kElements;
  static constexpr int kCorners = Stencil::kStar ? 0 : Record::kCorners;
  /// The threads are dealt out in groups, one cell of the edges each; groups take turns in steps.
  static constexpr int kGroups = Layout::kThreads / kEdges;
  static constexpr int kMine = (kSteps - 1 + kGroups - 1) / (kGroups > 0 ? kGroups : 1);
  static_assert(kGroups > 0, "a halo has more cells than the team has threads");
  static_assert(kCorners * (kSteps - 1) <= Layout::kThreads && kCorners <= Layout::kThreads);

 public:
  KOKKOS_FORCEINLINE_FUNCTION Halos(const Fields<Real>& f, const Exchange<Real>& exchange,
                                    const PlanePlace& place, int team, int rank)
      : group_(rank / kEdges),
        corner_step_(kCorners == 0 ? kSteps : rank / (kCorners == 0 ? 1 : kCorners) + 1),
        edge_(f, exchange, place, team, Record::halo_cell(rank % kEdges)) {
    if constexpr (kCorners > 0) {
      corner_ = Cell(f, exchange, place, team, Record::corner_cell(rank % kCorners));
    }
  }

  /// Calls copy(i, offset, source) for what the thread copies of plane p of memory's halo, from
  /// f.from + source to `offset` cells from the tile's first one; i: 0 or 1.
  template <class Copy>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const Fields<Real>& f, int p, const Copy& copy) const {
    if (group_ == 0 && edge_.exists) copy(0, edge_.offset, edge_.memory + p * f.plane);
    if constexpr (kCorners > 0) {
      if (corner_step_ == 1 && corner_.exists) {
        copy(1, corner_.offset, corner_.memory + p * f.plane);
      }
    }
  }

  /// Reads the halos of what was made in a round: plane p(step) of each step but the last.
  template <class PlaneOf>
  KOKKOS_FORCEINLINE_FUNCTION void fetch_made(const Fields<Real>& f, unsigned round,
                                              const PlaneOf& plane_of) {
    TESSERA_UNROLL
    for (int i = 0; i < kMine; ++i) {
      const int step = i * kGroups + group_ + 1;
      if (step < kSteps) value_[i] = edge_.read(f, round, step, plane_of(step));
    }
    if constexpr (kCorners > 0) {
      if (corner_step_ < kSteps) {
        corner_value_ = corner_.read(f, round, corner_step_, plane_of(corner_step_));
      }
    }
  }

  /// Stores what was read: `slot_of(step)` is the first cell of the plane that the step made.
  template <class SlotOf>
  KOKKOS_FORCEINLINE_FUNCTION void put(const SlotOf& slot_of) const {
    TESSERA_UNROLL
    for (int i = 0; i < kMine; ++i) {
      const int step = i * kGroups + group_ + 1;
      if (step < kSteps) slot_of(step)[edge_.offset] = value_[i];
    }
    if constexpr (kCorners > 0) {
      if (corner_step_ < kSteps) slot_of(corner_step_)[corner_.offset] = corner_value_;
    }
  }

 private:
  /// A cell of the halo: in memory, and where its owner leaves it.
  struct Cell {
    const Real* record = nullptr;  ///< of its owner's first step and round; null: no owner
    std::int64_t memory = 0;       ///< plane 0, from f.from
    int offset = 0;                ///< in scratch, from the tile's first cell
    bool exists = false;           ///< in memory

    Cell() = default;
    KOKKOS_FORCEINLINE_FUNCTION Cell(const Fields<Real>& f, const Exchange<Real>& exchange,
                                     const PlanePlace& place, int team,
                                     const typename Record::Beside& cell)
        : record(exchange.template find<Record>(team, 1, 0, cell)),
          memory(f.offset(0, place.y0 + cell.y, place.x0 + cell.x)),
          offset(cell.y * kPitch + cell.x),
          exists(f.template exists<kR, kR>(0, place.y0 + cell.y, place.x0 + cell.x)) {}

    /// Its value in plane p after a time step. Who has no owner is fixed, or too far from all that
    /// is stored to matter; a plane that memory does not have never matters.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real read(const Fields<Real>& f, unsigned round,
                                                        int step, int p) const {
      const int plane = p < -kR ? -kR : p < f.ns + kR ? p : f.ns + kR - 1;
      const int index = static_cast<int>(round % Exchange<Real>::kRounds) * kSteps + step - 1;
      const Real* const from =
          record != nullptr ? record + index * kEdges : f.from + memory + plane * f.plane;
      return record != nullptr || exists ? load_from_l2(from) : Real(0);
    }
  };

  int group_, corner_step_;
  Cell edge_, corner_;
  Real value_[kMine > 0 ? kMine : 1] = {};
  Real corner_value_ = 0;
};

}  // namespace tessera::jacobi

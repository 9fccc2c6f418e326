// SPDX-License-Identifier: Apache-2.0
// Keeps the teams of a device that stream side by side within a few planes of each other.
//
// Tiles that stream along z share their halos through L2, which holds a few planes of all tiles
// under way. Nothing keeps teams together: they drift apart, L2 loses planes before the neighbour
// has requested them, and device memory delivers them twice. A paced team counts itself into a
// counter of its wave (the teams that run at the same time) every few planes, and requests no more
// planes while another team of its wave is more than a few counts behind.
//
// The wait is a matter of speed alone and bounded: a team whose wait runs out, because its
// neighbours are not resident or have not started, waits no more. Hosts, whose tiles are streamed
// one after the other by a few threads, do not pace.
#pragma once

#include "base/device/native_launch.hpp"

#include <cstdint>

namespace tessera {

/// The counters of one launch, as its kernel sees them; a default one paces nothing. A team may be
/// `drift` counts ahead of its wave; as a value and not a constant that cost acoustic/st_bulk 5 %
/// in half (docs/performance/storage.md, what did not help).
template <int drift>
class PacerWithin {
 public:
  static constexpr int kDrift = drift;
  static constexpr int kPlanes = 4;     ///< from one count to the next
  static constexpr int kPatience = 64;  ///< looks at the counter, about a microsecond each, a wait

  PacerWithin() = default;
  /// `counters`: zeros, groups(planes) for each wave of `wave` consecutive teams out of `league`.
  PacerWithin(unsigned* counters, int league, int wave, int planes)
      : counters_(counters), league_(league), wave_(wave), groups_(groups(planes)) {}

  /// Counters that a wave needs whose teams stream at most `planes` planes.
  [[nodiscard]] static constexpr int groups(int planes) { return (planes + kPlanes - 1) / kPlanes; }

  /// What one thread of a team keeps; the others' does nothing.
  class Stream {
   public:
    /// Once a plane, before the team requests more planes: may wait.
    KOKKOS_FORCEINLINE_FUNCTION void next_plane() {
      if constexpr (kOnDevice) {
        if (counter_ == nullptr) return;
        if (plane_ == 0) {
          for (int looks = 0; seen_ < wave_; ++looks) {
            if (looks == kPatience) wave_ = 0;  // a team is missing: continue without pacing
            seen_ = look(-kDrift);
          }
          Kokkos::atomic_add(counter_, 1U);
        } else if (plane_ == kPlanes / 2 && group_ + 1 >= kDrift) {
          seen_ = look(1 - kDrift);  // early, so that a wait that is over costs nothing
        }
        if (++plane_ == kPlanes) {
          plane_ = 0;
          ++counter_;
          ++group_;
        }
      }
    }
    /// After the last plane: no team waits for this one any more.
    KOKKOS_FORCEINLINE_FUNCTION void leave() {
      if constexpr (kOnDevice) {
        if (counter_ == nullptr) return;
        if (plane_ > 0) ++counter_, ++group_;
        for (; group_ < groups_; ++group_, ++counter_) Kokkos::atomic_add(counter_, 1U);
      }
    }

   private:
    friend class PacerWithin;
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned look(int groups_on) const {
      return *static_cast<volatile unsigned*>(counter_ + groups_on);
    }
    unsigned* counter_ = nullptr;   // of the group under way
    unsigned wave_ = 0, seen_ = 0;  // teams to wait for, and those seen kDrift groups back
    int plane_ = 0, group_ = 0, groups_ = 0;
  };

  /// A team's part: every thread calls it, one gets a Stream that paces.
  template <class TeamHandle>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Stream join(const TeamHandle& team) const {
    Stream s;
    if constexpr (kOnDevice) {
      if (counters_ != nullptr && team.team_rank() == 0) {
        const int index = team.league_rank() / wave_;
        const int size = league_ - index * wave_;
        s.counter_ = counters_ + std::int64_t{index} * groups_;
        s.wave_ = static_cast<unsigned>(size < wave_ ? size : wave_);
        s.seen_ = s.wave_;  // the first groups wait for none
        s.groups_ = groups_;
      }
    }
    return s;
  }

 private:
  unsigned* counters_ = nullptr;
  int league_ = 0, wave_ = 1, groups_ = 0;
};

using Pacer = PacerWithin<1>;

/// Enqueues zeros for `count` counters of a launch. nullptr where they would take more than their
/// share of the memory, which is allocated by the first call.
[[nodiscard]] unsigned* pacing_counters(const ExecSpace& exec, std::int64_t count);

/// For a launch of `league` teams that stream at most `planes` planes each, of which `wave` run at
/// the same time. Paces nothing on a host, or without counters.
template <class P = Pacer>
[[nodiscard]] P make_pacer(const ExecSpace& exec, std::int64_t league, int wave, int planes) {
  if (!kOnDevice || wave < 2 || league < 2) return {};
  const std::int64_t waves = (league + wave - 1) / wave;
  return {pacing_counters(exec, waves * P::groups(planes)), static_cast<int>(league), wave, planes};
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// The limits of the machine that a launch's plan is made for: this one, or any other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tessera {

/// A host, where a team is a thread that walks its tile, or a device, where it is a block of
/// threads that own cells.
enum class MachineKind { host, device };

/// What Kokkos grants a team at the scratch level that tiles use (device/space.hpp): of CUDA's 48
/// KiB of level 0, and of a host's memory.
inline constexpr int kKokkosDeviceScratch = 40960;
inline constexpr int kKokkosHostScratch = 20 << 20;

/// A machine as plans see it. Bytes are a team's scratch at most.
struct MachineLimits {
  MachineKind kind = MachineKind::host;
  bool here = false;             ///< the one that this binary runs on: a device can be asked
  int scratch_bytes = 0;         ///< of a Kokkos launch
  int native_scratch_bytes = 0;  ///< of a native launch (device/native_launch.hpp)
  int units = 1;                 ///< multiprocessors, or threads
  bool bulk_copies = false;      ///< a copy engine for boxes (device/bulk_copy.hpp)
  // Of a device elsewhere: what a multiprocessor holds at a time.
  int unit_threads = 2048, unit_teams = 32;
  std::int64_t unit_scratch_bytes = 0;  ///< 0: not known, taken not to limit
  int unit_registers = 65536, thread_registers = 255;
  int register_base = 0;  ///< of a thread, beside those of the values that it keeps

  /// Registers of a thread that keeps so many words of 32 bits: all that a plan knows of them.
  [[nodiscard]] constexpr int registers_with(int kept_words) const {
    return std::clamp(kept_words + register_base, 1, std::max(1, thread_registers));
  }

  [[nodiscard]] constexpr bool on_device() const { return kind == MachineKind::device; }

  /// Teams of a launch that are resident on the whole machine at once, as far as threads and
  /// scratch limit them.
  [[nodiscard]] constexpr int resident(int team, std::int64_t scratch) const {
    if (!on_device()) return units;
    std::int64_t teams = std::min(unit_teams, unit_threads / team);
    if (scratch > 0 && unit_scratch_bytes > 0)
      teams = std::min(teams, unit_scratch_bytes / scratch);
    return static_cast<int>(std::min<std::int64_t>(teams * units, std::numeric_limits<int>::max()));
  }
};

/// A machine of each kind of which nothing more is known: a device as an H100.
inline constexpr MachineLimits kAnyDevice{
    .kind = MachineKind::device,
    .scratch_bytes = kKokkosDeviceScratch,
    .native_scratch_bytes = 227 << 10,
    .units = 132,
    .bulk_copies = true,
    .unit_scratch_bytes = 228 << 10,
    .register_base = 37,
};
inline constexpr MachineLimits kAnyHost{
    .scratch_bytes = kKokkosHostScratch,
    .native_scratch_bytes = kKokkosHostScratch,
};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Values that every cell of a tile keeps across calls of for_each_cell, e.g. a column along z.
#pragma once

#include "base/device/static_for.hpp"
#include "base/tile/for_each_cell.hpp"

namespace tessera {

namespace detail {

/// Device: Depth registers of the thread that owns the cell; every index is a constant.
template <class T, int Depth>
struct RegisterStorage {
  T value[Depth];
  template <int I>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T& at(const Cell&, Constant<I>) {
    static_assert(I >= 0 && I < Depth);
    return value[I];
  }
};

/// Host: a [Depth][Dz*Dy*Dx] block of the team's scratch, which stays in L1 or L2.
template <class T, int Depth, int Cells>
struct ScratchStorage {
  T* value;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T& at(const Cell& cell, int i) {
    return value[i * Cells + cell.slot];
  }
};

}  // namespace detail

/// Depth values a cell. On a device every index is a compile-time constant, so that the values are
/// registers (check: no stack frame, no spills); on a host it may be an int. A variant rotates a
/// window by renaming (for_each_phase, Sai IV.7) or shifts it by copying (Sai IV.6).
template <class T, int Depth, class TileType>
class RegisterWindow {
  using Block = Kokkos::View<T[Depth * TileType::kCells], ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Storage = std::conditional_t<kOnDevice, detail::RegisterStorage<T, Depth>,
                                     detail::ScratchStorage<T, Depth, TileType::kCells>>;

 public:
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION explicit RegisterWindow([[maybe_unused]] const TeamHandle& team) {
    if constexpr (!kOnDevice) storage_.value = Block(scratch_of(team)).data();
  }

  /// Team scratch that the window takes, in bytes: none on a device.
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return kind == MachineKind::device ? 0 : Block::shmem_size();
  }

  /// Value `index`, 0 <= index < Depth, of the cell; a Constant, on a host also an int.
  template <class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T& at(const Cell& cell, Index index) {
    return storage_.at(cell, index);
  }

  /// value[i] = value[i + 1]: copies Depth - 1 values of the cell.
  KOKKOS_FORCEINLINE_FUNCTION void shift(const Cell& cell) {
    static_for<Depth - 1>([&](auto i) { at(cell, i) = at(cell, Constant<i + 1>{}); });
  }

 private:
  Storage storage_;
};

/// Calls body(phase) for phase = 0 ... Depth - 1 until it returns false. On a device the phases are
/// Constants: the loop is unrolled and a window's rotation costs nothing. On a host they are ints,
/// since an index there is an address anyway.
template <int Depth, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_phase(const Body& body) {
  if constexpr (kOnDevice) {
    static_while<Depth>(body);
  } else {
    for (int phase = 0; phase < Depth && body(phase); ++phase) {
    }
  }
}

}  // namespace tessera

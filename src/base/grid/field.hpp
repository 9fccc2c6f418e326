// SPDX-License-Identifier: Apache-2.0
// Aligned, padded fields with halos: rows start on 128-byte lines, offsets are 64-bit.
#pragma once

#include "base/device/huge_pages.hpp"
#include "base/device/space.hpp"
#include "base/grid/extents.hpp"
#include "base/support/error.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace tessera {

/// Bytes of the line that the first interior cell of every row is aligned to.
inline constexpr int kLineBytes = 128;

/// Bytes of the widest access of a device thread.
inline constexpr int kVectorBytes = 16;

/// What a kernel sees of a field: a pointer to cell (0, 0, 0) and two strides in elements. The
/// strides are 32-bit, so that offsets around a cell cost one register; a cell's own offset is
/// computed once in 64 bits.
template <class T>
struct FieldRef {
  T* origin = nullptr;
  int plane = 0;  ///< elements from z to z + 1
  int row = 0;    ///< elements from y to y + 1

  /// Address of cell (z, y, x); halo cells have negative indices or indices past the extent.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T* at(int z, int y, int x) const {
    return origin + (static_cast<std::int64_t>(z) * plane + static_cast<std::int64_t>(y) * row + x);
  }
  /// The same field, read-only. A template, since nvcc warns of an operator that converts to its
  /// own type where T is const already.
  template <class U, class = std::enable_if_t<!std::is_const_v<T> && std::is_same_v<U, const T>>>
  // NOLINTNEXTLINE(google-explicit-constructor): a read-only view of the same field
  KOKKOS_FORCEINLINE_FUNCTION operator FieldRef<U>() const {
    return {origin, plane, row};
  }
};

/// Bytes that the first interior cell of every row begins on: two lines, a line, or no more padding
/// than whole vectors need (the widest access of a device thread).
enum class RowAlignment { lines = 2 * kLineBytes, line = kLineBytes, vector = kVectorBytes };

/// Where the elements of a field lie: (nz + 2 halo_z) planes of (ny + 2 halo) rows of `pitch`
/// elements, behind a lead that holds the first row's left halo.
struct FieldLayout {
  Extents n;
  int halo = 0;
  int halo_z = 0;          ///< as halo, but 0 in a field of two dimensions
  int pitch = 0;           ///< elements a row, a multiple of 128 bytes (or of 16 or 256)
  int base_bytes = 0;      ///< what the field's first element is aligned to: a line or two
  std::int64_t lead = 0;   ///< elements before the first row's first interior cell's line
  std::int64_t count = 0;  ///< elements in all, slack for the alignment of the base included

  /// Layout for extents `n` and halo width `halo`, elements of `bytes` bytes. Throws Error where a
  /// neighbour's offset would not fit in 32 bits.
  FieldLayout(const Extents& n, int halo, int bytes, RowAlignment rows = RowAlignment::line)
      : FieldLayout(n, halo, halo, bytes, rows) {}

  /// The same with a halo of its own along z: 0 for fields of two dimensions, whose one plane then
  /// takes no others beside it.
  FieldLayout(const Extents& n, int halo, int halo_z, int bytes,
              RowAlignment rows = RowAlignment::line);

  /// Elements of a plane.
  [[nodiscard]] std::int64_t plane() const {
    return static_cast<std::int64_t>(pitch) * (n.ny + 2 * halo);
  }
};

inline FieldLayout::FieldLayout(const Extents& extents, int halo_cells, int halo_planes, int bytes,
                                RowAlignment rows)
    : n(extents), halo(halo_cells), halo_z(halo_planes) {
  const int unit = static_cast<int>(rows) / bytes;
  base_bytes = std::max(static_cast<int>(rows), kLineBytes);
  const auto round_up = [unit](std::int64_t v) { return (v + unit - 1) / unit * unit; };
  pitch = static_cast<int>(round_up(std::int64_t{n.nx} + 2 * halo));
  lead = round_up(halo);
  require(plane() * (2 * halo_z + 1) <= std::numeric_limits<int>::max(),
          "a plane of {} x {} cells is too large: {} elements, the limit is {}", n.nx, n.ny,
          plane(), std::numeric_limits<int>::max() / (2 * halo_z + 1));
  count = lead + plane() * (n.nz + 2 * halo_z) + base_bytes / bytes;
}

/// Bytes that a field of `n` cells with the given halo takes.
[[nodiscard]] inline std::int64_t field_bytes(const Extents& n, int halo, int bytes,
                                              RowAlignment rows = RowAlignment::line) {
  return FieldLayout(n, halo, bytes, rows).count * bytes;
}

/// A 3D array in the memory of the default execution space.
template <class T>
class Field {
 public:
  using View = Kokkos::View<T*, ExecSpace::memory_space>;

  Field() = default;

  /// Allocates and fills with `value` (halo too), touched by the threads that will use it.
  Field(const std::string& label, const Extents& n, int halo, T value = T(0),
        RowAlignment rows = RowAlignment::line)
      : Field(label, FieldLayout(n, halo, static_cast<int>(sizeof(T)), rows), value) {}

  /// The same with a layout of one's own, made for elements of this size.
  Field(const std::string& label, const FieldLayout& layout, T value = T(0))
      : layout_(layout),
        data_(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
              static_cast<std::size_t>(layout_.count)) {
    if constexpr (!kOnDevice) {
      ask_for_huge_pages(data_.data(), static_cast<std::size_t>(layout_.count) * sizeof(T));
    }
    const int aligned = layout_.base_bytes;
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(data_.data()) % aligned);
    const std::int64_t shift = past == 0 ? 0 : (aligned - past) / static_cast<int>(sizeof(T));
    first_ = shift + layout_.lead + index_of_first_row();
    fill(value);
  }

  /// Sets every element, halo included. On a host the rows are touched in y slabs, as the tiles
  /// of the variants walk them, so that pages lie where they are used.
  void fill(T value) {
    if constexpr (kOnDevice) {
      Kokkos::deep_copy(data_, value);
    } else {
      const int nz = layout_.n.nz + 2 * layout_.halo_z;
      const int ny = layout_.n.ny + 2 * layout_.halo;
      const FillRows touch{data_.data() + (first_ - index_of_first_row()), value, nz, layout_.pitch,
                           layout_.plane()};
      Kokkos::parallel_for("tessera::field::fill",
                           Kokkos::RangePolicy<ExecSpace>(0, static_cast<std::int64_t>(nz) * ny),
                           touch);
      Kokkos::fence();
      const std::int64_t rows_end = first_ - index_of_first_row() + layout_.plane() * nz;
      for (std::int64_t i = 0; i < first_ - index_of_first_row(); ++i) data_(i) = value;
      for (std::int64_t i = rows_end; i < layout_.count; ++i) data_(i) = value;
    }
  }

  /// The field as kernels see it: at(0, 0, 0) is the first interior cell, behind the halo. Valid as
  /// long as this field or a copy of it, which share the memory, lives.
  [[nodiscard]] FieldRef<T> ref() const {
    return {data_.data() + first_, static_cast<int>(layout_.plane()), layout_.pitch};
  }
  [[nodiscard]] const View& view() const { return data_; }
  [[nodiscard]] const FieldLayout& layout() const { return layout_; }
  [[nodiscard]] const Extents& extents() const { return layout_.n; }

  /// Position of cell (z, y, x) in view(); the same in a host mirror of it.
  [[nodiscard]] std::int64_t index(int z, int y, int x) const {
    return first_ + z * layout_.plane() + static_cast<std::int64_t>(y) * layout_.pitch + x;
  }

 private:
  struct FillRows {
    T* rows;
    T value;
    int nz, pitch;
    std::int64_t plane;
    void operator()(std::int64_t i) const {
      T* row = rows + (i % nz) * plane + (i / nz) * pitch;
      for (int x = 0; x < pitch; ++x) row[x] = value;
    }
  };
  [[nodiscard]] std::int64_t index_of_first_row() const {
    return layout_.halo_z * layout_.plane() +
           static_cast<std::int64_t>(layout_.halo) * layout_.pitch;
  }

  FieldLayout layout_{{}, 0, static_cast<int>(sizeof(T))};
  View data_;
  std::int64_t first_ = 0;
};

}  // namespace tessera

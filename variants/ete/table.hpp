// SPDX-License-Identifier: Apache-2.0
// Where a kernel finds the coefficients of a velocity, and how it loads them (Fang IV).
#pragma once

#include "base/device/scratch_pointer.hpp"
#include "base/device/space.hpp"
#include "variants/ete/formula.hpp"

namespace tessera::ete {

/// Where the coefficient table lies. Hosts have one kind of memory: there a table in scratch is a
/// copy, and the other two are the same.
///   gmem:    device memory, cached in L2 only, as the paper's GPUs did
///   ro:      device memory through the read-only cache (L1 and texture cache)
///   scratch: a copy in the team's scratch
enum class Home { gmem, ro, scratch };

/// How it is stored. `velocity`: the rows of a velocity beside each other, so that one load fetches
/// 16 bytes of them, and neighbouring threads conflict in groups of four banks, eight threads at a
/// time. `by_class`: the velocities of a row beside each other: single loads, 32 threads at a time.
enum class Layout { velocity, by_class };

namespace detail {

/// N elements at `address`, aligned to their size, at most 16 bytes.
template <Home kHome, int N, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Vec<Real, N> load_elements(const Real* address) {
#if defined(__CUDA_ARCH__)
  if constexpr (kHome != Home::scratch) {
    using Wide = std::conditional_t<sizeof(Real) * N == 16, float4,
                                    std::conditional_t<sizeof(Real) * N == 8, float2, float>>;
    const Wide* wide = reinterpret_cast<const Wide*>(address);
    const Wide value = kHome == Home::ro ? __ldg(wide) : __ldcg(wide);
    return reinterpret_cast<const Vec<Real, N>&>(value);
  }
#endif
  return Vec<Real, N>::load(address);
}

}  // namespace detail

/// Rows First ... Last - 1 of a table, for a kernel. On a device the team copies them to scratch
/// where that is their home, and a barrier must follow before the first load. Two rows that would
/// begin another vector of 16 bytes (6 rows in float) lie there in a table of pairs behind the
/// whole vectors: 24 bytes a velocity for 48, a load of 16 bytes and one of 8.
template <class Real, class ShapeType, Home kHome, Layout kLayout = Layout::velocity, int First = 0,
          int Last = ShapeType::kRows>
class Coefficients {
  static constexpr bool kStaged = kHome == Home::scratch;
  static constexpr bool kByVelocity = kLayout == Layout::velocity;
  static constexpr bool kDistinct = ShapeType::kRowKind == Rows::z_distinct;
  static_assert(kByVelocity || kDistinct);
  static constexpr int kVector = 16 / static_cast<int>(sizeof(Real));
  static constexpr int kTableStride = padded_rows<Real>(ShapeType::kRows);
  static constexpr int kCount = Last - First;
  static constexpr bool kPaired =
      kOnDevice && kStaged && kByVelocity && kVector == 4 && kCount % 8 == 6;
  static constexpr int kWhole = kPaired ? kCount - 2 : kCount;  // rows in front of the pairs
  static constexpr int kStride = kStaged ? padded_rows<Real>(kWhole) : kTableStride;
  static constexpr int kBase = kStaged ? First : 0;  // row of table_'s first element
  using Storage = Kokkos::View<Vec<Real, kVector>*, ScratchSpace, Kokkos::MemoryUnmanaged>;

 public:
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION Coefficients([[maybe_unused]] const TeamHandle& team,
                                           const Tables<Real>& tables) {
    const Real* source =
        kByVelocity ? table_of(tables) + kBase : tables.by_class + kBase * tables.pitch;
    pitch_ = tables.pitch;
    table_ = source;
    if constexpr (kStaged) {
      Real* copy = scratch_pointer(
          reinterpret_cast<Real*>(Storage(scratch_of(team), vectors(tables.columns)).data()));
      table_ = copy;
      const int begin = kOnDevice ? team.team_rank() : 0;
      const int step = kOnDevice ? team.team_size() : 1;
      if constexpr (!kByVelocity) {
        for (int i = begin; i < kCount * tables.pitch; i += step) copy[i] = source[i];
      } else if constexpr (kStride == kTableStride && kBase == 0 && !kPaired) {
        for (int i = begin; i < tables.columns * kStride / kVector; i += step) {
          Vec<Real, kVector>::load(source + kVector * i).store(copy + kVector * i);
        }
      } else {
        Real* pairs = copy + tables.columns * kStride;
        pairs_ = pairs;
        for (int i = begin; i < tables.columns * kCount; i += step) {
          const int v = i / kCount;
          const int r = i % kCount;
          (r < kWhole ? copy + v * kStride : pairs + v * 2 - kWhole)[r] =
              source[v * kTableStride + r];
        }
      }
    }
  }

  /// A table that nothing is loaded from.
  Coefficients() = default;

  /// Scratch of a team for a table of so many columns.
  [[nodiscard]] static std::size_t scratch_bytes(int columns) {
    return kStaged ? Storage::shmem_size(static_cast<std::size_t>(vectors(columns))) : 0;
  }

  /// Coefficients of rows Begin ... Begin + N - 1 for column v.
  template <int Begin, int N>
  KOKKOS_FORCEINLINE_FUNCTION void load(int v, Real (&c)[N]) const {
    static_assert(Begin >= First && Begin + N <= Last);
    if constexpr (!kByVelocity) {
      static_for<N>([&](auto i) {
        c[i] = detail::load_elements<kHome, 1>(table_ + (Begin - kBase + i) * pitch_ + v)[0];
      });
    } else {
      load_part<Begin - kBase, 0>(v, c);
    }
  }

  /// The coefficient of one row: for a loop over cells that the compiler vectorises.
  template <int Row>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real one(int v) const {
    return kByVelocity ? *row_of<Row - kBase>(v) : table_[(Row - kBase) * pitch_ + v];
  }

 private:
  /// Where row kBase + Row of column v lies.
  template <int Row>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Real* row_of(int v) const {
    if constexpr (Row < kWhole || !kPaired) {
      return table_ + v * kStride + Row;
    } else {
      return pairs_ + v * 2 + (Row - kWhole);
    }
  }

  /// c[I] ... from rows kBase + Row + I ... of column v, by the widest aligned pieces.
  template <int Row, int I, int N>
  KOKKOS_FORCEINLINE_FUNCTION void load_part(int v, Real (&c)[N]) const {
    if constexpr (I < N) {
      constexpr int kAt = Row + I;
      constexpr int kLeft = N - I;
      constexpr int kWide = kOnDevice && kAt % kVector == 0 && kLeft >= kVector ? kVector
                            : kOnDevice && kAt % 2 == 0 && kLeft >= 2           ? 2
                                                                                : 1;
      const auto part = detail::load_elements<kHome, kWide>(row_of<kAt>(v));
      for (int k = 0; k < kWide; ++k) c[I + k] = part[k];
      load_part<Row, I + kWide>(v, c);
    }
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static const Real* table_of(const Tables<Real>& t) {
    return ShapeType::kRowKind == Rows::full        ? t.full
           : ShapeType::kRowKind == Rows::isotropic ? t.isotropic
                                                    : t.by_velocity;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static int vectors(int columns) {
    const int elements = !kByVelocity ? kCount * class_pitch(columns)
                         : kPaired    ? columns * kCount
                                      : columns * kStride;
    return (elements + kVector - 1) / kVector;
  }

  const Real* table_ = nullptr;
  const Real* pairs_ = nullptr;  // the last two rows of each column, where kPaired
  int pitch_ = 0;
};

}  // namespace tessera::ete

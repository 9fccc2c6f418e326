// SPDX-License-Identifier: Apache-2.0
// Division by a number that the host knows before a launch: a multiplication on the device.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace tessera {

/// n / d for 0 <= n < 2^31 and 1 <= d < 2^31 by a multiplication and a shift (Granlund and
/// Montgomery 1994). A device divides integers in some twenty instructions, which every thread of a
/// kernel with one cell a thread would spend several times to find its tile.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(int d) : divisor_(d) {
    while ((std::uint64_t{1} << shift_) < static_cast<std::uint64_t>(d)) ++shift_;
    const auto divisor = static_cast<std::uint64_t>(d);
    const std::uint64_t excess = (std::uint64_t{1} << shift_) - divisor;
    factor_ = static_cast<std::uint32_t>((excess << 32) / divisor + 1);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int quotient(int n) const {
    const auto u = static_cast<std::uint32_t>(n);
    const auto high = static_cast<std::uint32_t>((static_cast<std::uint64_t>(u) * factor_) >> 32);
    return static_cast<int>((high + u) >> shift_);
  }

  /// The quotient, and what is left of n in `rest`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int quotient(int n, int& rest) const {
    const int whole = quotient(n);
    rest = n - whole * divisor_;
    return whole;
  }

 private:
  int divisor_ = 1;
  std::uint32_t factor_ = 1;
  int shift_ = 0;
};

}  // namespace tessera

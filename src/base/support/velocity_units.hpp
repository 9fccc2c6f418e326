// SPDX-License-Identifier: Apache-2.0
// Velocities that are off by a thousand: km/s where m/s are expected, or the other way round.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tessera {

inline constexpr std::string_view kTooFast =
    "no rock is that fast: another unit, or a marker of missing values?";

/// A question about velocities (m/s) outside those of rock, water and air, 300 to 9000 m/s:
/// `if_slow` or `if_fast`; empty where there is none. One slow velocity is enough: a
/// layer that was given in km/s.
[[nodiscard]] inline std::string velocity_question(double lowest, double highest,
                                                   std::string_view if_slow,
                                                   std::string_view if_fast = kTooFast) {
  constexpr double kSlow = 50;
  constexpr double kFast = 50000;
  if (lowest < kSlow) {
    return fmt::format("velocities of {:g} to {:g} m/s: {}", lowest, highest, if_slow);
  }
  if (highest > kFast) {
    return fmt::format("velocities of {:g} to {:g} m/s: {}", lowest, highest, if_fast);
  }
  return {};
}

}  // namespace tessera

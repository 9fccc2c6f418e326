// SPDX-License-Identifier: Apache-2.0
// Velocities that are off by a thousand: km/s where m/s are wanted, or the other way round.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tessera {

/// What to ask about velocities (m/s) that are none of rock, water or air, 300 to 9000 m/s: empty
/// where there is nothing to ask. One slow velocity is enough: a layer that was given in km/s.
[[nodiscard]] inline std::string velocity_question(double lowest, double highest,
                                                   std::string_view way_out) {
  constexpr double kSlow = 50;
  constexpr double kFast = 50000;
  if (lowest < kSlow) {
    return fmt::format("velocities of {:g} to {:g} m/s: km/s? {}", lowest, highest, way_out);
  }
  if (highest > kFast) {
    return fmt::format("velocities of {:g} to {:g} m/s: were they m/s already?", lowest, highest);
  }
  return {};
}

}  // namespace tessera

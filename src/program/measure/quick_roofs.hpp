// SPDX-License-Identifier: Apache-2.0
// Roofs in a tenth of a second, for tests of everything but the roofs.
#pragma once

#include <cstdlib>

namespace tessera::measure {

/// True where the environment's TESSERA_QUICK_ROOFS asks for it: streams over arrays of a few MiB,
/// samples of less than a millisecond. Results doubt such roofs.
[[nodiscard]] inline bool quick_roofs() {
  static const bool quick = std::getenv("TESSERA_QUICK_ROOFS") != nullptr;
  return quick;
}

}  // namespace tessera::measure

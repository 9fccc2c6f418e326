// SPDX-License-Identifier: Apache-2.0
// Entry point of the directional family for the list of families.
#pragma once

#include "base/case/case.hpp"

namespace tessera::directional {

/// The family as commands see it. Its deck keys: [case] stencil ("xyz-r4"), nx, ny, nz, precision,
/// seed; [directional] h, aligned.
[[nodiscard]] Family family();

}  // namespace tessera::directional

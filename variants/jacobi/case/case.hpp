// SPDX-License-Identifier: Apache-2.0
// Entry point of the jacobi family for the list of families.
#pragma once

#include "base/case/case.hpp"

namespace tessera::jacobi {

/// The family as commands see it.
[[nodiscard]] Family family();

}  // namespace tessera::jacobi

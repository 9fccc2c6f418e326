// SPDX-License-Identifier: Apache-2.0
// The machine that this binary is made for, as plans see it.
#pragma once

#include "base/support/machine_limits.hpp"

namespace tessera {

/// This binary's kind and, once Kokkos is initialised, what its device or host grants; before, what
/// an H100 would, or a host of one thread.
[[nodiscard]] MachineLimits this_machine();

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// The work of a step: what any variant must do.
#pragma once

namespace tessera {

/// What one time step of a case amounts to, whatever the variant.
struct StepWork {
  double cells = 0;          ///< cell updates
  double minimal_bytes = 0;  ///< compulsory device-memory traffic
  double flops = 0;          ///< floating-point operations, a fused multiply-add counting two
};

}  // namespace tessera

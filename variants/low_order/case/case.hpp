// SPDX-License-Identifier: Apache-2.0
// Entry point of the low_order family for the list of families.
#pragma once

#include "base/case/case.hpp"
#include "variants/low_order/case/solver.hpp"

namespace tessera::low_order {

/// Steps after which the largest value may exceed what the precision holds: 19pt as the paper
/// writes it multiplies by up to 12 + 6 |beta| a step. Large where the stencil is bounded.
[[nodiscard]] std::int64_t most_steps(const Setup& setup, int value_bytes);

/// The family as commands see it.
[[nodiscard]] Family family();

}  // namespace tessera::low_order

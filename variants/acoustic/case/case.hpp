// SPDX-License-Identifier: Apache-2.0
// Entry points of the acoustic family for the list of families and the `shot` command.
#pragma once

#include "base/case/case.hpp"
#include "variants/acoustic/case/setup.hpp"

namespace tessera::acoustic {

/// Reads the grid from [case] and the physics from [acoustic]: h, v_max, f_max, cfl, pml_cells,
/// free_surface.
/// Throws Error for values that make no sense.
[[nodiscard]] Setup read_setup(const io::Deck& deck);

/// The case of a deck: also reads acoustic.velocity, source, source_at, decomposition, case.init,
/// case.seed and case.precision.
[[nodiscard]] std::unique_ptr<Case> make_case(const io::Deck& deck);

/// The family as commands see it.
[[nodiscard]] Family family();

}  // namespace tessera::acoustic

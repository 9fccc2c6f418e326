// SPDX-License-Identifier: Apache-2.0
// What `shot` and `survey` print of a shot, and what they refuse for want of memory.
#pragma once

#include "program/cli/free_memory.hpp"
#include "program/shot/files.hpp"
#include "program/shot/shot.hpp"

namespace tessera {

/// Grid, variant, and the memory that they need beside what there is.
void print_memory(const shot::ShotCase& shot, const FreeMemory& free);
/// Throws Error where the shot needs more than there is.
void require_memory(const shot::ShotCase& shot, const FreeMemory& free);
/// Time step, points per wavelength, width of the PML; warns where they make for bad results. The
/// model must be loaded.
void print_numerics(const shot::ShotCase& shot);
/// Seconds by phase, and rates.
void print_times(const shot::ShotCase& shot, const shot::ShotOutcome& outcome);

}  // namespace tessera

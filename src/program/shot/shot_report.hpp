// SPDX-License-Identifier: Apache-2.0
// What `shot` and `survey` print of a shot, their warnings, and their refusal where memory is
// short.
#pragma once

#include "program/cli/free_memory.hpp"
#include "program/shot/deck.hpp"
#include "program/shot/files.hpp"
#include "program/shot/output.hpp"
#include "program/shot/shot.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Grid, variant, and the memory that they need beside what there is.
void print_memory(const shot::ShotCase& shot, const FreeMemory& free);
/// Throws Error where the shot needs more than there is.
void require_memory(const shot::ShotCase& shot, const FreeMemory& free);
/// Time step, points per wavelength, width of the PML; warns where they make for bad results. The
/// model must be loaded.
void print_numerics(const shot::ShotCase& shot);
/// Mean velocity at the top, in the middle and at the bottom, and velocity at source and receivers.
/// Collective; the model must be loaded.
void print_velocities(const shot::ShotCase& shot);
/// Seconds by phase, and rates.
void print_times(const shot::ShotCase& shot, const shot::ShotOutcome& outcome);
/// The last block, as of `run`: the rate of all the shot's work, and "PASS"; "FAIL" alone where u
/// is not finite.
[[nodiscard]] std::string format_verdict(const shot::ShotCase& shot,
                                         const shot::ShotOutcome& outcome);

}  // namespace tessera

namespace tessera::shot {

/// Warnings about lengths that look like km where m are expected: several places of a table that
/// lie within a tenth of a cell, tops of layers within one.
[[nodiscard]] std::vector<std::string> unit_warnings(const io::Deck& deck, const ShotCase& shot,
                                                     PlacesOf places = PlacesOf::deck);

/// A line for each key that has no effect beside another one. The model must be loaded, on which
/// the steps may depend.
[[nodiscard]] std::vector<std::string> idle_keys(const io::Deck& deck, const ShotCase& shot,
                                                 const ShotOutput& output);

}  // namespace tessera::shot

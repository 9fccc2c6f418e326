// SPDX-License-Identifier: Apache-2.0
// The roofs that a run is set below: what this machine's memory and arithmetic give now, or what a
// machine file says that they give.
#pragma once

#include "program/run/deck_run.hpp"

#include <string>

namespace tessera {

/// What finding the roofs will take: "roofs: streams over 3 arrays of 341 MB, then peak; ...".
[[nodiscard]] std::string roofs_plan(const DeckRun& run, const RunRequest& request);

/// Sets streams and roofline of the file, and what predictions are made for, on all ranks. Prints a
/// line before and one after. Throws Error where the machine file lacks a figure that is to be
/// taken from it.
void find_roofs(DeckRun& run, const RunRequest& request);

}  // namespace tessera

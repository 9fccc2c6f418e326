// SPDX-License-Identifier: Apache-2.0
// What decks may hold: of a study (run, tune, predict, list) and of a fit. A shot's form is in
// src/program/shot.
#pragma once

#include "base/case/catalogue.hpp"
#include "base/keys/table.hpp"

namespace tessera {

/// The tables that all families share, and those of the families.
[[nodiscard]] keys::Form study_form(const Catalogue& catalogue);

/// [ete] and [fit], of a deck of a study or of a shot.
[[nodiscard]] keys::Form fit_form(const Catalogue& catalogue);

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// How the velocities of neighbouring cells relate in the models that decks and results name.
#pragma once

#include "base/registry/plan.hpp"

#include <cmath>
#include <string>

namespace tessera {

/// Of a model kind ("random", "layered", "smooth"; anything else is taken to be random) with so
/// many velocities. Of 32 random cells some have the same velocity. Layers along z have one along
/// x. Where a model is smooth the velocity rises by about one of 900 a cell, now and then by two:
/// columns mostly follow each other, and meet in a bank a third as often as unrelated ones.
[[nodiscard]] inline Neighbours neighbours_of(const std::string& model, int columns) {
  if (model == "layered") return {1, 0};
  if (model == "smooth") return {28, 0.35};
  if (columns <= 0) return {32, 1};
  return {columns * (1 - std::pow(1 - 1.0 / columns, 32)), 1};
}

}  // namespace tessera

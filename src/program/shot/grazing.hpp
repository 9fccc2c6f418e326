// SPDX-License-Identifier: Apache-2.0
// Waves that run along a layer of the paper's PML, which reflects them: docs/shot.md, "Layers".
#pragma once

#include "program/shot/deck.hpp"

#include <string>
#include <vector>

namespace tessera::shot {

/// Paths from sources to receivers by way of a layer of the paper's kind that meet it near grazing.
class GrazingPaths {
 public:
  explicit GrazingPaths(const ShotCase& shot);

  /// Adds those from one source that arrive within the run at the fastest velocity.
  void add(const io::Position& source, const std::vector<Station>& receivers);
  /// What is said of them in the dry run; empty where there are none.
  [[nodiscard]] std::string warning() const;

 private:
  std::vector<int> faces_;  // 2 axis, and 1 more at the far end
  io::Position last_;       // of the inner region, m
  double reach_ = 0;        // m that the fastest wave runs
  std::int64_t all_ = 0, grazing_ = 0;
  double widest_ = 0;  // angle from the layer's normal, degrees
  int face_ = 0;       // which it is of
};

}  // namespace tessera::shot

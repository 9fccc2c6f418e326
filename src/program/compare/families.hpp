// SPDX-License-Identifier: Apache-2.0
// A family over all of its problems: Phi of the best choice a platform, and of one variant alone.
#pragma once

#include "program/compare/comparison.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::compare {

/// A family over the platforms of a set that ran it, and the problems that all of these ran.
struct FamilyPhi {
  std::vector<std::size_t> platforms;  ///< of the collection
  std::size_t problems = 0;            ///< common to them
  std::size_t left_out = 0;            ///< that some of them did not run
  /// Of the best variant a platform and problem: the harmonic mean of its architectural
  /// efficiencies over all pairs of the two; absent where there is none, or one is not known.
  std::optional<double> phi;
  /// The variant with the largest Phi of application efficiencies over the same pairs, of those
  /// that ran in all; empty where none did.
  std::string variant;
  std::optional<double> variant_phi;   ///< its architectural Phi
  std::optional<double> variant_best;  ///< its application Phi
};

[[nodiscard]] FamilyPhi family_phi(const Comparison& all, const std::string& family,
                                   const PlatformSet& set);

}  // namespace tessera::compare

// SPDX-License-Identifier: Apache-2.0
// The figures of performance portability: plain functions of efficiencies and rates.
//
// Sources: Pennycook, Sewall, Lee: "Implications of a metric for performance portability", Future
// Generation Computer Systems 92 (2019); Sewall, Pennycook, Jacobsen, Deakin, McIntosh-Smith:
// "Interpreting and visualizing performance portability metrics", P3HPC 2020 (the cascade);
// Kendall: "The treatment of ties in ranking problems", Biometrika 33 (1945) (tau-b).
#pragma once

#include <optional>
#include <vector>

namespace tessera::compare {

/// An efficiency on each platform of a set, 0 to 1; 0 where the program does not run there or gives
/// wrong results.
using Efficiencies = std::vector<double>;

/// Phi: the harmonic mean of the efficiencies, 0 where one of them is 0 (Pennycook et al.). Throws
/// Error on an empty set, a negative efficiency or one that is no number.
[[nodiscard]] double performance_portability(const Efficiencies& efficiencies);

/// One step of a cascade.
struct CascadeStep {
  std::size_t platform = 0;  ///< index into the efficiencies
  double efficiency = 0;     ///< there
  double phi = 0;            ///< over the platforms so far
};

/// Platforms in order of falling efficiency, with Phi over those so far; ties in the given order.
[[nodiscard]] std::vector<CascadeStep> cascade(const Efficiencies& efficiencies);

/// Kendall's tau-b of two lists of rates of the same variants: 1 the same ranking, -1 the opposite
/// one. Absent for fewer than two variants, or where one list is all ties. Throws Error where the
/// lists differ in length.
[[nodiscard]] std::optional<double> rank_correlation(const std::vector<double>& a,
                                                     const std::vector<double>& b);

}  // namespace tessera::compare

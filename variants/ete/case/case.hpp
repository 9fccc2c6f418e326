// SPDX-License-Identifier: Apache-2.0
// Entry points of the ete family for the list of families and the `fit` command.
#pragma once

#include "base/case/case.hpp"
#include "base/keys/table.hpp"
#include "variants/ete/case/fit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::ete {

/// A table that was saved: its file is read once.
struct SavedTable {
  std::string path;
  CoefficientTable table;
  std::uint32_t digest = 0;  ///< of the file's bytes: two tables of one name are two cases
};

/// What a deck says of the coefficients. Keys of [ete]: velocities (902), v_min, v_max in m/s,
/// alpha_max = v_max dt / h, h (one spacing in m, or [hx = hy, hz]), table (a saved one instead of
/// a fit); of [fit]: band, power, outside, stabilise.
struct FitDeck {
  int points = 37;
  std::vector<double> alpha;  ///< the table's, where there is one
  double dt = 0;              ///< s
  double hx = 0;              ///< m
  double v_min = 0, v_max = 0;
  FitOptions options;
  std::optional<SavedTable> saved;  ///< ete.table; none: fit
};

/// Reads case.stencil, [ete] and [fit]. Throws Error for values that make no sense, and for keys
/// that contradict ete.table: those of [ete] that the deck has, and h_z / h_x.
[[nodiscard]] FitDeck read_fit(const io::Deck& deck);

/// The keys of [fit].
[[nodiscard]] const keys::KeyTable<FitOptions>& fit_keys();

/// Reads [fit] alone.
[[nodiscard]] FitOptions read_fit_options(const io::Deck& deck);

/// A table and its quality.
struct JudgedTable {
  CoefficientTable table;
  std::vector<FitQuality> quality;
};

/// The deck's table: the saved one, or fitted. Throws Error where it is of another stencil.
[[nodiscard]] JudgedTable make_table(const FitDeck& deck);

/// One line on the quality of all columns.
[[nodiscard]] std::string describe_quality(const std::vector<FitQuality>& quality, double band);

/// The family as commands see it.
[[nodiscard]] Family family();

}  // namespace tessera::ete

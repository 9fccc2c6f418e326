// SPDX-License-Identifier: Apache-2.0
// The JSON files that we write and read, each by its table of fields.
#pragma once

#include "program/results/fields.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::results {

// What several files have.
inline constexpr NumberRange kCells{1, 1 << 20, true};  ///< along an axis, as decks have it
inline constexpr NumberRange kSteps{0, 1LL << 40, true};
inline constexpr NumberRange kStepsOfSample{1, 1LL << 40, true};
inline constexpr NumberRange kSeconds{1e-15, 1e9};     ///< a step
inline constexpr NumberRange kUpdates{1e-15, 1e9};     ///< GCell/s
inline constexpr NumberRange kMemoryRate{1e-6, 1e9};   ///< GB/s, of all ranks together
inline constexpr NumberRange kArithmetic{1e-6, 1e12};  ///< GFLOP/s, of all ranks together
inline constexpr NumberRange kDerived{0, 1e15};        ///< what follows from the others

/// "float" or "double".
[[nodiscard]] Type precision();

/// A result file, with its members of ResultFile; a row of it, of Result; and parts of a row.
[[nodiscard]] const Fields& result_file_fields();
[[nodiscard]] const Fields& row_fields();
[[nodiscard]] const Fields& machine_info_fields();
[[nodiscard]] const Fields& build_fields();
[[nodiscard]] const Fields& resources_fields();
[[nodiscard]] const Fields& predicted_fields();
[[nodiscard]] const Fields& published_fields();
[[nodiscard]] const Fields& parallel_fields();

/// Name and version of the layout of files of predictions (docs/results.md): `tessera predict -o`
/// writes them, tools/compare.py reads them.
inline constexpr const char* kPredictionSchema = "tessera-prediction-1";

[[nodiscard]] const Fields& network_fields();

/// The fastest configuration of a variant, and what it holds for: another device, stencil, size or
/// precision has its own, and so have another number of threads and another problem of that
/// stencil, which older files lack.
struct Winner {
  std::string machine;  ///< its name: a host's has processor, vectors and threads
  std::string build;    ///< compiler, flags and Kokkos
  std::string code;     ///< digest of the family's sources
  std::string stencil, precision, model, details;
  int nx = 0, ny = 0, nz = 0;
  std::string variant, configuration, decomposition;
  double gcell_per_s = 0;            ///< median
  std::optional<std::string> rival;  ///< a tile that may be as fast: the samples overlap
  std::string date;
};
/// A file of winners, and one of them.
[[nodiscard]] const Fields& tuned_fields();
[[nodiscard]] const Fields& winner_fields();

/// A kind of file, by the name of its schema.
struct FileKind {
  std::string name, title, about;
  const Fields* fields;
};
[[nodiscard]] const std::vector<FileKind>& file_kinds();

/// A field of a row at its path from there: "predicted.step_s".
struct RowField {
  std::string path;
  const Field* field;
};
/// All fields of a row, those of its objects after it, in the tables' order.
[[nodiscard]] const std::vector<RowField>& all_row_fields();

/// The value at a path of a row as JSON, a rate's median; null where there is none.
[[nodiscard]] json value_at(const json& row, std::string_view path);

}  // namespace tessera::results

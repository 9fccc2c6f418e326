// SPDX-License-Identifier: Apache-2.0
// Published tables: what a paper printed of its own kernels, as data to set measurements beside
// (inputs/published/README.md).
#pragma once

#include "base/keys/table.hpp"
#include "program/results/result.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::results {

/// Name and version of the layout of published tables.
inline constexpr const char* kPublishedSchema = "tessera-published-1";

/// One column: which measured quantity it stands beside, and of which machine it is.
struct PublishedColumn {
  std::string title;     ///< heading, e.g. "V100"
  std::string device;    ///< the vendor's name
  std::string quantity;  ///< "gcell_per_s", "counters.dram_bytes_per_cell", "registers" ...
  std::string machine;   ///< machine file that describes the device; empty: one named as the title
  // The grid and steps that it was run with; zeros: not stated.
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 0;
  // Least traffic of a step and its intensity; zeros: not stated.
  double bytes_per_cell = 0, flop_per_byte = 0;
};

/// One row. Values are in the unit of their column's quantity, whatever was printed.
struct PublishedRow {
  std::string name;       ///< "acoustic/gmem:8x8x8"; with '*' of all names that it matches
  std::string region;     ///< "inner", "top/bottom"; empty: of all regions together
  std::string stencil;    ///< "directional/x-r4"; empty: the only one that the table is about
  std::string precision;  ///< "double"; empty: the table's, or both
  std::vector<double> values;
};

struct Published {
  std::string path;
  std::string source;  ///< paper and table
  // What was computed, where the table says so once for all rows; empty or zero: it does not.
  std::string stencil, decomposition, precision;
  std::vector<PublishedColumn> columns;
  std::vector<PublishedRow> rows;
};

/// The keys of published tables.
[[nodiscard]] keys::Form published_form();

/// Whether the file is a published table in this layout. Throws Error where it is not TOML.
[[nodiscard]] bool is_published(const std::filesystem::path& path);

/// Reads a published table. Throws Error where the file is missing or not TOML, has another schema,
/// an unknown key or quantity, two rows of one name and region, or a row without a value for each
/// column.
[[nodiscard]] Published read_published(const std::filesystem::path& path);

/// The row of a configuration in a region or, without one of that region, of all of them; nullptr
/// where there is none. Rows of another stencil or precision than a given one do not count, and a
/// name that is a pattern only where no other row is of the configuration.
[[nodiscard]] const PublishedRow* find_row(const Published& published, std::string_view name,
                                           std::string_view region, std::string_view stencil = "",
                                           std::string_view precision = "");

/// Whether a row stands beside whatever its name matches.
[[nodiscard]] bool is_pattern(const PublishedRow& row);

/// Whether a column is of the machine that a machine file names so.
[[nodiscard]] bool is_of_machine(const PublishedColumn& column, std::string_view machine);

/// What stands beside a row's own figures: {"source", "columns": [{"title", "device", "quantity",
/// "label", "value"}]}.
[[nodiscard]] nlohmann::json to_json(const Published& published, const PublishedRow& row);

/// Sets `published` of the rows that the table has to to_json() of theirs. `region` is the one
/// whose figures are taken for the whole where the table goes by regions.
void attach_published(std::vector<Result>& results, const Published& published,
                      std::string_view region);

/// Heading of a quantity, with its unit: "GCell/s".
[[nodiscard]] std::string label_of(std::string_view quantity);

/// The value as tables show it: fractions and occupancies as percentages, "-" for null.
[[nodiscard]] std::string show_quantity(std::string_view quantity, const nlohmann::json& value);

/// A table of the rows that carry published values, each quantity of theirs beside what was
/// measured here, and the ratio where the column is of `device`; quantities that no row has
/// measured are left out. Empty where nothing is left.
[[nodiscard]] std::string format_published(const std::vector<Result>& results,
                                           std::string_view device = "");

}  // namespace tessera::results

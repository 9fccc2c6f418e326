// SPDX-License-Identifier: Apache-2.0
#include "program/results/published.hpp"

#include "base/io/deck.hpp"
#include "base/keys/table.hpp"
#include "base/support/error.hpp"
#include "base/support/text.hpp"
#include "program/results/file_fields.hpp"
#include "program/results/result_table.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

namespace tessera::results {

using nlohmann::json;

namespace {

// What a column may stand beside: a field of a result row, by its path, that has a heading, or a
// figure of `list --resources`.
constexpr std::pair<std::string_view, std::string_view> kFigures[] = {
    {"team", "threads"},
    {"league", "teams"},
    {"registers", "registers"},
    {"vgprs", "VGPRs"},
    {"sgprs", "SGPRs"},
    {"spill_store_bytes", "spill stores B"},
    {"spill_load_bytes", "spill loads B"},
    {"static_lds_bytes", "LDS B"},
    {"waves_per_simd", "waves/SIMD"},
    {"warps", "warps"},
    {"occupancy", "occupancy %"},
};

std::map<std::string, std::string, std::less<>> quantities() {
  std::map<std::string, std::string, std::less<>> all = {{"gcell_per_s", "GCell/s"}};
  for (const RowField& at : all_row_fields()) {
    if (at.field->shown.heading != nullptr) all.emplace(at.path, at.field->shown.heading);
  }
  for (const auto& [name, title] : kFigures) all.emplace(name, title);
  return all;
}

bool is_percentage(std::string_view quantity) {
  return quantity.find("fraction") != std::string_view::npos ||
         quantity.find("occupancy") != std::string_view::npos;
}

// What a printed number is multiplied with, or divides, to give the column's quantity.
struct Conversion {
  double factor = 1;
  bool inverse = false;

  [[nodiscard]] double operator()(double printed) const {
    return inverse ? factor / printed : factor * printed;
  }
};

const keys::KeyTable<PublishedColumn>& column_keys() {
  using keys::any, keys::between, keys::fetched, keys::key;
  using Column = PublishedColumn;
  const auto known = std::views::keys(quantities());
  static const keys::KeyTable<Column> table(
      {.name = "column", .meaning = "A column", .is_list = true, .is_required = true},
      {key("title", &Column::title, any(), "", "Heading").required(),
       key("device", &Column::device, any(), "", "The vendor's name").required(),
       key("quantity", &Column::quantity, keys::one_of({known.begin(), known.end()}), "",
           "Field of a result row that it stands beside")
           .required(),
       key("machine", &Column::machine, any(), "", "Machine file whose roofs bound it"),
       fetched<std::vector<std::int64_t>, Column>("grid", between(1, 1 << 30), "", "nx, ny, nz")
           .list_of(3),
       key("steps", &Column::steps, between(0, 1e12), "", "It was run with"),
       key("bytes_per_cell", &Column::bytes_per_cell, between(0, 1e6), "B", "Least traffic"),
       key("flop_per_byte", &Column::flop_per_byte, between(0, 1e6), "", "Its intensity"),
       fetched<double, Column>("scale", any(), "", "To the quantity's unit", "1"),
       fetched<std::string, Column>("printed", keys::one_of({"value", "seconds"}), "",
                                    "What the numbers are", "\"value\"")});
  return table;
}

const keys::KeyTable<PublishedRow>& row_keys() {
  using keys::any, keys::key;
  using Row = PublishedRow;
  static const keys::KeyTable<Row> table(
      {.name = "row", .meaning = "A row", .is_list = true, .is_required = true},
      {key("name", &Row::name, any(), "", "Our family/variant:configuration").required(),
       key("values", &Row::values, keys::at_least(0), "", "As printed, one a column").required(),
       key("region", &Row::region, any(), "", "Where the table goes by regions"),
       key("stencil", &Row::stencil, any(), "", "Where the table has several"),
       key("precision", &Row::precision, keys::one_of({"float", "double"}), "",
           "Where the table has both")});
  return table;
}

const keys::KeyTable<Published>& top_keys() {
  using keys::any, keys::key;
  static const keys::KeyTable<Published> table(
      {.name = ""},
      {keys::fetched<std::string, Published>("schema", keys::one_of({kPublishedSchema}), "",
                                             "Name and version of this layout")
           .required(),
       key("source", &Published::source, any(), "", "Paper and table").required(),
       key("stencil", &Published::stencil, any(), "", "What was computed"),
       key("decomposition", &Published::decomposition, any(), "", "Regions of a step"),
       key("precision", &Published::precision, keys::one_of({"float", "double"}), "",
           "Of fields")});
  return table;
}

Conversion read_conversion(const io::Deck& file, PublishedColumn& column) {
  const bool seconds = file.get("printed", "value") == "seconds";
  if (seconds || file.contains("grid")) {
    const auto grid = file.get<std::vector<std::int64_t>>("grid");
    column.nx = grid[0], column.ny = grid[1], column.nz = grid[2];
  }
  if (!seconds) return {file.get("scale", 1.0), false};
  require(column.steps > 0, "{}: seconds require steps above 0", file.where("steps"));
  const double cells = static_cast<double>(column.nx) * static_cast<double>(column.ny) *
                       static_cast<double>(column.nz);
  return {1e-9 * cells * static_cast<double>(column.steps), true};
}

PublishedRow read_row(const io::Deck& table, const std::vector<Conversion>& conversions) {
  PublishedRow row;
  row_keys().read(table, row);
  require(row.values.size() == conversions.size(), "{}: {} values for {} columns",
          table.where("values"), row.values.size(), conversions.size());
  for (std::size_t c = 0; c < conversions.size(); ++c) {
    // Nothing takes no time, and what a table says of a kernel is at least 0.
    require(conversions[c].inverse ? row.values[c] > 0 : row.values[c] >= 0,
            "{}: {} is {}, must be {}", table.where("values"), row.name, row.values[c],
            conversions[c].inverse ? "above 0" : "0 or more");
    row.values[c] = conversions[c](row.values[c]);
  }
  return row;
}

}  // namespace

keys::Form published_form() {
  return {"published",
          "Tessera published table",
          "What a paper printed of its kernels, in TOML (inputs/published/README.md)",
          {top_keys().table(), column_keys().table(), row_keys().table()}};
}

bool is_published(const std::filesystem::path& path) {
  const io::Deck file = io::Deck::from_file(path);
  return file.contains("schema") && file.get("schema", "") == kPublishedSchema;
}

Published read_published(const std::filesystem::path& path) {
  const io::Deck file = io::Deck::from_file(path);
  const std::string schema = file.get("schema", "absent");
  require(schema == kPublishedSchema, "{}: schema is {}, this version reads {}", path.string(),
          schema, kPublishedSchema);
  keys::check_deck(file, published_form(), "compare");
  Published published;
  published.path = path.string();
  top_keys().read(file, published);
  std::vector<Conversion> conversions;
  for (const io::Deck& column : file.tables("column")) {
    PublishedColumn read;
    column_keys().read(column, read);
    conversions.push_back(read_conversion(column, read));
    published.columns.push_back(std::move(read));
  }
  std::set<std::array<std::string, 4>> seen;
  for (const io::Deck& row : file.tables("row")) {
    published.rows.push_back(read_row(row, conversions));
    const PublishedRow& last = published.rows.back();
    require(seen.insert({last.name, last.region, last.stencil, last.precision}).second,
            "{}: {} {} {} {} is there twice", row.where("name"), last.name, last.region,
            last.stencil, last.precision);
  }
  require(!published.columns.empty() && !published.rows.empty(),
          "{}: a published table needs [[column]] and row", path.string());
  return published;
}

const PublishedRow* find_row(const Published& published, std::string_view name,
                             std::string_view region, std::string_view stencil,
                             std::string_view precision) {
  const PublishedRow* whole = nullptr;
  const PublishedRow* pattern = nullptr;
  for (const PublishedRow& row : published.rows) {
    const bool exact = row.name == name;
    if (!exact && !(is_pattern(row) && glob_match(row.name, name))) continue;
    if (!row.stencil.empty() && !stencil.empty() && row.stencil != stencil) continue;
    const std::string& of = row.precision.empty() ? published.precision : row.precision;
    if (!of.empty() && !precision.empty() && of != precision) continue;
    if (!exact) {
      pattern = &row;
      continue;
    }
    if (row.region == region) return &row;
    if (row.region.empty()) whole = &row;
  }
  return whole != nullptr ? whole : pattern;
}

bool is_pattern(const PublishedRow& row) { return row.name.find('*') != std::string::npos; }

bool is_of_machine(const PublishedColumn& column, std::string_view machine) {
  return (column.machine.empty() ? column.title : column.machine) == machine;
}

json to_json(const Published& published, const PublishedRow& row) {
  json columns = json::array();
  for (std::size_t c = 0; c < published.columns.size(); ++c) {
    const PublishedColumn& column = published.columns[c];
    columns.push_back({{"title", column.title},
                       {"device", column.device},
                       {"quantity", column.quantity},
                       {"label", label_of(column.quantity)},
                       {"value", row.values[c]}});
  }
  return {{"source", published.source}, {"columns", std::move(columns)}};
}

void attach_published(std::vector<Result>& results, const Published& published,
                      std::string_view region) {
  for (Result& result : results) {
    const PublishedRow* row = find_row(published, result.variant + ":" + result.configuration,
                                       region, result.stencil, result.precision);
    if (row != nullptr) result.published = to_json(published, *row);
  }
}

std::string label_of(std::string_view quantity) {
  const auto all = quantities();
  const auto found = all.find(quantity);
  return found == all.end() ? std::string(quantity) : found->second;
}

std::string show_quantity(std::string_view quantity, const json& value) {
  if (!value.is_number()) return "-";
  const auto number = value.get<double>();
  if (is_percentage(quantity)) return fmt::format("{:.1f}", 100 * number);
  if (quantity == "gcell_per_s") return fmt::format("{:.3f}", number);
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (number == static_cast<double>(static_cast<std::int64_t>(number)) && number < 1e15) {
    return fmt::format("{:.0f}", number);
  }
  return number < 10 ? fmt::format("{:.2f}", number) : fmt::format("{:.1f}", number);
}

std::string format_published(const std::vector<Result>& results, std::string_view device) {
  enum class Kind { here, published, ratio };
  struct Column {
    std::string title, quantity;
    Kind kind;
  };
  std::vector<json> rows;
  for (const Result& result : results) {
    if (!result.published.empty()) rows.push_back(to_json(result));
  }
  if (rows.empty()) return "";
  std::vector<Column> columns;
  for (const json& entry : rows.front().at("published").at("columns")) {
    const auto quantity = entry.at("quantity").get<std::string>();
    const bool measured = std::any_of(rows.begin(), rows.end(), [&](const json& row) {
      return value_at(row, quantity).is_number();
    });
    if (!measured) continue;
    const bool first = std::none_of(columns.begin(), columns.end(),
                                    [&](const Column& c) { return c.quantity == quantity; });
    if (first) columns.push_back({"here " + label_of(quantity), quantity, Kind::here});
    const auto title = entry.at("title").get<std::string>();
    columns.push_back({title, quantity, Kind::published});
    if (!device.empty() && entry.at("device") == device) {
      columns.push_back({"x " + title, quantity, Kind::ratio});
    }
  }
  if (columns.empty()) return "";
  const bool several = std::any_of(rows.begin(), rows.end(), [&](const json& row) {
    return row.at("stencil") != rows.front().at("stencil");
  });
  std::vector<std::vector<std::string>> cells = {{"variant:configuration", "decomposition"}};
  if (several) cells.front().insert(cells.front().begin() + 1, "stencil");
  for (const Column& column : columns) cells.front().push_back(column.title);
  for (const json& row : rows) {
    cells.push_back(
        {row.at("variant").get<std::string>() + ":" + row.at("configuration").get<std::string>(),
         row.at("decomposition").get<std::string>()});
    if (several) {
      const auto stencil = row.at("stencil").get<std::string>();
      cells.back().insert(cells.back().begin() + 1, stencil.substr(stencil.find('/') + 1));
    }
    for (const Column& column : columns) {
      const json here = value_at(row, column.quantity);
      json there;
      for (const json& entry : row.at("published").at("columns")) {
        if (entry.at("quantity") != column.quantity) continue;
        const auto title = entry.at("title").get<std::string>();
        if (title == column.title || "x " + title == column.title) there = entry.at("value");
      }
      const bool both = here.is_number() && there.is_number() && there.get<double>() > 0;
      cells.back().push_back(
          column.kind == Kind::here        ? show_quantity(column.quantity, here)
          : column.kind == Kind::published ? show_quantity(column.quantity, there)
          : both ? fmt::format("{:.2f}", here.get<double>() / there.get<double>())
                 : "-");
    }
  }
  return fmt::format("beside {}:\n{}", rows.front().at("published").at("source").get<std::string>(),
                     layout_table(cells, several ? 3 : 2, 0));
}

}  // namespace tessera::results

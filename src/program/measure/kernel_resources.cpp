// SPDX-License-Identifier: Apache-2.0
#include "program/measure/kernel_resources.hpp"

#include "base/support/error.hpp"
#include "base/support/files.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <sstream>

namespace tessera::measure {
namespace {

// One line of RFC 4180 without line breaks in cells: quotes hold commas, two of them one.
std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool escaped = inside && i + 1 < line.size() && line[i + 1] == '"';
      if (escaped) cells.back() += line[i++];
      if (!escaped) inside = !inside;
    } else if (line[i] == ',' && !inside) {
      cells.emplace_back();
    } else if (line[i] != '\r') {
      cells.back() += line[i];
    }
  }
  return cells;
}

// A table with one heading, read by column names.
class CsvRow {
 public:
  CsvRow(const std::vector<std::string>& heads, std::vector<std::string> cells, std::string where)
      : heads_(heads), cells_(std::move(cells)), where_(std::move(where)) {
    require(cells_.size() == heads_.size(), "{}: {} cells below {} columns", where_, cells_.size(),
            heads_.size());
  }

  [[nodiscard]] std::string text(std::string_view column) const {
    const auto at = std::find(heads_.begin(), heads_.end(), column);
    return at == heads_.end() ? std::string() : cells_[std::size_t(at - heads_.begin())];
  }

  // Sum of those of the columns that are there; an empty cell is 0.
  [[nodiscard]] int sum(std::initializer_list<std::string_view> columns) const {
    int total = 0;
    for (const std::string_view column : columns) {
      const std::string cell = text(column);
      if (cell.empty()) continue;
      int value = 0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      require(error == std::errc() && end == cell.data() + cell.size() && value >= 0 &&
                  value <= 1 << 20,
              "{}: {} is \"{}\", not a number of registers or bytes", where_, column, cell);
      total += value;
    }
    return total;
  }

 private:
  const std::vector<std::string>& heads_;
  std::vector<std::string> cells_;
  std::string where_;
};

}  // namespace

std::vector<KernelResources> read_kernel_resources(const std::filesystem::path& path) {
  std::istringstream file(read_table(path));
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> heads = split_csv(line);
  const auto has = [&](std::string_view column) {
    return std::find(heads.begin(), heads.end(), column) != heads.end();
  };
  require(has("variant") && has("tile") && has("precision") && has("update") &&
              (has("registers") || has("vgprs")),
          "{}: not a table of kernel resources: columns variant, tile, precision, update and "
          "registers or vgprs are required (ci/resources.sh writes it)",
          path.string());
  std::vector<KernelResources> table;
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const CsvRow row(heads, split_csv(line), fmt::format("{}:{}", path.string(), number));
    KernelResources kernel{row.text("variant"), row.text("tile"), row.text("precision"),
                           row.text("stencil"), row.text("update")};
    // On CDNA accumulation registers come out of the same file.
    kernel.registers = row.sum({"registers", "vgprs", "agprs"});
    kernel.spilled_bytes = row.sum({"stack_bytes", "spill_store_bytes", "scratch_bytes_per_lane"});
    table.push_back(std::move(kernel));
  }
  require(!table.empty(), "{}: a table of kernel resources without a row", path.string());
  return table;
}

std::optional<KernelResources> find_kernel(const std::vector<KernelResources>& table,
                                           std::string_view variant, std::string_view configuration,
                                           std::string_view precision, std::string_view update,
                                           std::string_view stencil) {
  // A configuration is the tile, perhaps with what the kernel was compiled for, and then numbers
  // that the kernel does not depend on.
  const auto names = [configuration](std::string_view tile) {
    return tile.empty() ||
           (configuration.starts_with(tile) &&
            (configuration.size() == tile.size() || configuration[tile.size()] == ','));
  };
  const auto alike = [](const KernelResources& a, const KernelResources& b) {
    return a.tile.empty() && b.tile.empty() && a.precision == b.precision &&
           a.stencil == b.stencil && a.update == b.update;
  };
  std::optional<KernelResources> found;
  for (const KernelResources& kernel : table) {
    const bool match = kernel.variant == variant && names(kernel.tile) &&
                       (kernel.precision.empty() || kernel.precision == precision) &&
                       (kernel.stencil.empty() || stencil.empty() || kernel.stencil == stencil) &&
                       (kernel.update.empty() || kernel.update == update);
    if (!match) continue;
    if (found && alike(*found, kernel) && found->registers != kernel.registers) return std::nullopt;
    if (!found || kernel.registers > found->registers) found = kernel;
  }
  return found;
}

}  // namespace tessera::measure

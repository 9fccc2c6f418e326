// SPDX-License-Identifier: Apache-2.0
#include "program/results/result_table.hpp"

#include "base/io/json_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace tessera::results {

namespace {

using Row = std::vector<std::string>;

std::string number(const std::optional<double>& value, const char* format, double scale = 1) {
  return value ? fmt::format(fmt::runtime(format), *value * scale) : "-";
}

// What the traffic model says a stage moves, in bytes a cell.
std::optional<double> volume_of(const Result& r, const char* stage) {
  const auto found = r.predicted.find("volume_bytes_per_cell");
  return found == r.predicted.end() ? std::nullopt : number_at(*found, stage);
}

// True where a row advances several steps a pass, and is judged by what EBISU's model says of it.
bool any_attainable(const std::vector<Result>& results) {
  return std::any_of(results.begin(), results.end(), [](const Result& r) {
    return r.gcell_per_s && number_at(r.predicted, "fraction_of_attainable");
  });
}

// True where the table must say which stencil a row is of.
bool several_stencils(const std::vector<Result>& results) {
  return std::any_of(results.begin(), results.end(),
                     [&](const Result& r) { return r.stencil != results.front().stencil; });
}

// Adds the stencil, without its family, behind the name.
void name_stencils(std::vector<Row>& rows, const std::vector<const Result*>& results) {
  rows.front().insert(rows.front().begin() + 1, "stencil");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& stencil = results[i]->stencil;
    rows[i + 1].insert(rows[i + 1].begin() + 1, stencil.substr(stencil.find('/') + 1));
  }
}

// True where the machine told the energy of a row.
bool any_energy(const std::vector<Result>& results) {
  return std::any_of(results.begin(), results.end(), [](const Result& r) {
    return number_at(r.energy, "cells_per_joule").has_value();
  });
}

// What counted the energy, with the largest error of a row; why rows have no figure.
std::string energy_notes(const std::vector<Result>& results) {
  std::map<std::string, double> errors;
  std::map<std::string, int> without;  // rows by source
  for (const Result& r : results) {
    const std::string source = io::value_or(r.energy, "source", std::string());
    if (number_at(r.energy, "cells_per_joule")) {
      errors[source] = std::max(errors[source], number_at(r.energy, "error").value_or(0));
    } else if (!source.empty()) {
      ++without[source];
    }
  }
  std::string out;
  for (const auto& [source, error] : errors) {
    out += fmt::format("energy by {}, off by {:.2g} % at most\n", source, 100 * error);
  }
  for (const auto& [source, rows] : without) {
    out +=
        fmt::format("no energy of {} rows by {}: samples too short for its period, or unreadable\n",
                    rows, source);
  }
  return out;
}

Row table_row(const Result& r, bool with_attainable, bool with_energy) {
  std::string gcell = "-";
  std::string range = "-";
  if (r.gcell_per_s) {
    gcell = fmt::format("{}{:.3f}", r.noisy ? "~" : "", r.gcell_per_s->median);
    range = fmt::format("[{:.3f}, {:.3f}]", r.gcell_per_s->min, r.gcell_per_s->max);
  }
  Row row{full_name(r),
          r.decomposition.empty() ? "-" : r.decomposition,
          gcell,
          range,
          number(r.effective_gb_per_s, "{:.1f}"),
          number(r.fraction_of_copy, "{:.1f}", 100),
          number(r.fraction_of_update, "{:.1f}", 100),
          number(r.gflop_per_s, "{:.1f}"),
          number(r.flop_per_byte, "{:.2f}"),
          number(r.fraction_of_roofline, "{:.1f}", 100),
          number(r.moved_bytes_per_cell, "{:.1f}"),
          number(r.fraction_at_moved, "{:.1f}", 100),
          r.gcell_per_s ? number(number_at(r.predicted, "gcell_per_s"), "{:.3f}") : "-",
          r.gcell_per_s ? number(number_at(r.predicted, "deviation"), "{:+.1f}", 100) : "-"};
  if (with_attainable) {
    row.push_back(number(number_at(r.predicted, "fraction_of_attainable"), "{:.1f}", 100));
  }
  if (with_energy) {
    row.push_back(number(number_at(r.energy, "cells_per_joule"), "{:.4g}", 1e-6));
    row.push_back(number(number_at(r.energy, "watts"), "{:.4g}"));
  }
  row.emplace_back(to_string(r.status));
  return row;
}

}  // namespace

std::string layout_table(const std::vector<Row>& rows, std::size_t words,
                         std::size_t closing_words) {
  std::vector<std::size_t> width(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < width.size(); ++c) {
      const bool word = c < words || c + closing_words >= width.size();
      out += word ? fmt::format("{:<{}}", rows[i][c], width[c])
                  : fmt::format("{:>{}}", rows[i][c], width[c]);
      if (c + 1 < width.size()) out += "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    if (i == 0) {
      std::size_t total = 2 * (width.size() - 1);
      for (const std::size_t w : width) total += w;
      out += std::string(total, '-') + '\n';
    }
  }
  return out;
}

std::string format_table(const std::vector<Result>& results) {
  std::vector<Row> rows = {{"variant:configuration", "decomposition", "GCell/s", "[min, max]",
                            "GB/s effective", "% of copy", "% of update", "GFLOP/s", "flop/B",
                            "% of roof", "moved B/cell", "% at moved", "predicted", "dev. %"}};
  const bool with_attainable = any_attainable(results);
  if (with_attainable) rows.front().emplace_back("% of attainable");
  const bool with_energy = any_energy(results);
  if (with_energy) rows.front().insert(rows.front().end(), {"MCell/J", "W"});
  rows.front().emplace_back("status");
  std::vector<const Result*> shown;
  for (const Result& result : results) {
    rows.push_back(table_row(result, with_attainable, with_energy));
    shown.push_back(&result);
  }
  const bool several = several_stencils(results);
  if (several) name_stencils(rows, shown);
  std::string out = layout_table(rows, several ? 3 : 2, 1);
  bool noisy = false;
  for (const Result& r : results) {
    noisy = noisy || (r.noisy && r.gcell_per_s);
    // Rows that only ran for a profiler are all alike; a note below the table says so once.
    if (r.status == Status::valid || r.status == Status::unverified) continue;
    fmt::format_to(std::back_inserter(out), "{} {}: {}\n", full_name(r), to_string(r.status),
                   r.reason);
  }
  if (noisy) out += "~ noisy: the inter-quartile range exceeds 3 % of the median\n";
  return out + energy_notes(results);
}

std::string format_volumes(const std::vector<Result>& results) {
  // A column: its heading, the counter or plan figure, the format, the factor.
  struct Column {
    const char* title;
    const char* key;
    const char* format;
    double scale;
  };
  constexpr Column kColumns[] = {
      {"DRAM B/cell", "dram_bytes_per_cell", "{:.1f}", 1},
      {"GB/s achieved", "achieved_gb_per_s", "{:.1f}", 1},
      {"R/W", "read_write_ratio", "{:.3f}", 1},
      {"flop/B", "dram_flop_per_byte", "{:.2f}", 1},
      {"% of roof", "dram_fraction_of_roofline", "{:.1f}", 100},
      {"L2 B/cell", "l2_bytes_per_cell", "{:.1f}", 1},
      {"flop/B", "l2_flop_per_byte", "{:.2f}", 1},
      {"% of roof", "l2_fraction_of_roofline", "{:.1f}", 100},
  };
  std::vector<Row> rows = {
      {"variant:configuration", "decomposition", "least B/cell", "predicted", "predicted L2"}};
  for (const Column& column : kColumns) rows.front().emplace_back(column.title);
  std::vector<const Result*> shown;
  for (const Result& r : results) {
    if (r.counters.empty()) continue;
    shown.push_back(&r);
    rows.push_back({full_name(r), r.decomposition.empty() ? "-" : r.decomposition,
                    number(number_at(r.predicted, "bytes_per_cell"), "{:.1f}"),
                    number(volume_of(r, "gm"), "{:.1f}"), number(volume_of(r, "l2"), "{:.1f}")});
    for (const Column& column : kColumns) {
      rows.back().push_back(number(number_at(r.counters, column.key), column.format, column.scale));
    }
  }
  if (rows.size() == 1) return "";
  const bool several = several_stencils(results);
  if (several) name_stencils(rows, shown);
  return "by hardware counters:\n" + layout_table(rows, several ? 3 : 2, 0);
}

}  // namespace tessera::results

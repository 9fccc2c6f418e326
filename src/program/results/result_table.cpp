// SPDX-License-Identifier: Apache-2.0
#include "program/results/result_table.hpp"

#include "base/io/json_file.hpp"
#include "program/results/file_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

namespace tessera::results {

namespace {

using Row = std::vector<std::string>;

// A field's value as a table for people shows it.
std::string cell(const json& row, const RowField& at) {
  const json value = value_at(row, at.path);
  const Shown& shown = at.field->shown;
  const bool percent = std::string_view(shown.heading).find('%') != std::string_view::npos;
  if (!value.is_number()) return "-";
  return fmt::format("{:.{}f}", value.get<double>() * (percent ? 100 : shown.scale), shown.digits);
}

// The fields of a table that some row has a figure of.
std::vector<RowField> columns_of(Shown::Table table, const std::vector<json>& rows) {
  std::vector<RowField> columns;
  for (const RowField& at : all_row_fields()) {
    const auto has = [&](const json& row) { return value_at(row, at.path).is_number(); };
    if (at.field->shown.table == table && std::any_of(rows.begin(), rows.end(), has)) {
      columns.push_back(at);
    }
  }
  return columns;
}

// Adds the stencil, without its family, behind the name.
void name_stencils(std::vector<Row>& rows, const std::vector<const Result*>& results) {
  rows.front().insert(rows.front().begin() + 1, "stencil");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& stencil = results[i]->stencil;
    rows[i + 1].insert(rows[i + 1].begin() + 1, stencil.substr(stencil.find('/') + 1));
  }
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

// What a row is called, its figures, and what closes it.
std::string laid_out(const std::vector<const Result*>& shown, Shown::Table table) {
  std::vector<json> rows;
  for (const Result* r : shown) rows.push_back(to_json(*r));
  const std::vector<RowField> columns = columns_of(table, rows);
  const bool wide = table == Shown::Table::wide;
  std::vector<Row> cells = {{"variant:configuration", "decomposition"}};
  for (const RowField& at : columns) {
    cells.front().emplace_back(at.field->shown.heading);
    if (wide && at.path == "gcell_per_s.median") cells.front().emplace_back("[min, max]");
  }
  if (wide) cells.front().emplace_back("status");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result& r = *shown[i];
    const auto& rate = r.gcell_per_s;
    Row row = {full_name(r), r.decomposition.empty() ? "-" : r.decomposition};
    for (const RowField& at : columns) {
      row.push_back(cell(rows[i], at));
      if (!wide || at.path != "gcell_per_s.median") continue;
      if (r.noisy && rate) row.back().insert(0, "~");
      row.push_back(rate ? fmt::format("[{:.3f}, {:.3f}]", rate->min, rate->max) : "-");
    }
    if (wide) row.emplace_back(to_string(r.status));
    cells.push_back(std::move(row));
  }
  const bool several = std::any_of(shown.begin(), shown.end(), [&](const Result* r) {
    return r->stencil != shown.front()->stencil;
  });
  if (several) name_stencils(cells, shown);
  return layout_table(cells, several ? 3 : 2, wide ? 1 : 0);
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
  std::vector<const Result*> shown;
  for (const Result& result : results) shown.push_back(&result);
  std::string out = laid_out(shown, Shown::Table::wide);
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
  std::vector<const Result*> shown;
  for (const Result& r : results) {
    if (!r.counters.empty()) shown.push_back(&r);
  }
  return shown.empty() ? "" : "by hardware counters:\n" + laid_out(shown, Shown::Table::volumes);
}

std::string stage_words(const std::string& stage, std::string_view model, bool on_host) {
  using Words = std::map<std::string, std::string>;
  // The device model (program/predict/device_model.hpp) and the host model
  // (program/predict/host_model.hpp).
  static const Words of_device_model = {{"GM", "device memory"},
                                        {"L2", "the L2 cache"},
                                        {"L1", "L1 and scratch"},
                                        {"requests", "the rate of scattered requests"},
                                        {"lives", "the latency of a team's steps"},
                                        {"conversions", "the decoding of stored values"}};
  static const Words of_host_model = {
      {"GM", "memory"}, {"L3", "the last cache"}, {"L2", "the L2 cache"}, {"core", "the core"}};
  // The traffic model, whose stages rows name as Su's paper does, and EBISU's.
  static const Words on_devices = {{"L2", "the L2 cache"}, {"on-SMX storage", "L1 and scratch"}};
  static const Words on_hosts = {{"device memory", "memory"},
                                 {"L2", "the last cache"},
                                 {"on-SMX storage", "the L1 cache"},
                                 {"scratch", "the L1 cache"}};
  const Words& words = model.starts_with("device model") ? of_device_model
                       : model.starts_with("host model") ? of_host_model
                       : on_host                         ? on_hosts
                                                         : on_devices;
  const auto word = words.find(stage);
  return word == words.end() ? stage : word->second;
}

}  // namespace tessera::results

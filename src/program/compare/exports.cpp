// SPDX-License-Identifier: Apache-2.0
#include "program/compare/exports.hpp"

#include "base/support/csv.hpp"
#include "program/compare/families.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace tessera::compare {

using nlohmann::json;

namespace {

json maybe(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

json run_json(const Size& grid, const std::set<std::int64_t>& steps) {
  return {{"nx", grid.nx}, {"ny", grid.ny}, {"nz", grid.nz}, {"steps", steps}};
}

json line_json(const Line& line) {
  json cells = json::array();
  for (const Cell& cell : line.cells) {
    if (cell.state == Cell::State::absent) {
      cells.push_back(nullptr);
      continue;
    }
    cells.push_back({{"configuration", cell.point->configuration},
                     {"variant", cell.point->variant},
                     {"status", to_string(cell.point->status)},
                     {"reason", cell.point->reason},
                     {"gcell_per_s", maybe(cell.point->gcell_per_s)},
                     {"application_efficiency", maybe(cell.application)},
                     {"architectural_efficiency", maybe(cell.architectural)},
                     {"cells_per_joule", maybe(cell.point->cells_per_joule)},
                     {"above_bound", above_bound(cell.architectural)},
                     {"noisy", cell.point->noisy},
                     {"revision", cell.point->revision},
                     {"file", cell.point->file}});
  }
  return {{"name", line.name}, {"cells", std::move(cells)}};
}

json set_json(const ProblemTable& table, const PlatformSet& set) {
  const auto positions = table.positions(set);
  json lines = json::array();
  for (const auto& group : {table.variants, {table.application}, table.configurations}) {
    for (const Line& line : group) {
      json entry = {
          {"name", line.name},
          {"phi_application", maybe(phi_of(line, positions, Efficiency::application))},
          {"phi_architectural", maybe(phi_of(line, positions, Efficiency::architectural))}};
      if (const auto known = efficiencies_of(line, positions, Efficiency::application)) {
        json steps = json::array();
        for (const CascadeStep& step : cascade(*known)) {
          steps.push_back({{"platform", table.platforms[positions[step.platform]]},
                           {"efficiency", step.efficiency},
                           {"phi", step.phi}});
        }
        entry["cascade"] = std::move(steps);
      }
      lines.push_back(std::move(entry));
    }
  }
  json correlations = json::array();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = i + 1; j < positions.size(); ++j) {
      correlations.push_back(
          {{"platforms", {table.platforms[positions[i]], table.platforms[positions[j]]}},
           {"tau_b", maybe(rank_correlation(table, positions[i], positions[j]))}});
    }
  }
  json over = json::array();
  for (const std::size_t at : positions) over.push_back(table.platforms[at]);
  const Line* one = one_variant(table, set);
  return {{"name", set.name},
          {"platforms", std::move(over)},
          {"mixed_origins", set.mixed},
          {"phi", std::move(lines)},
          {"rank_correlation", std::move(correlations)},
          {"one_variant", one == nullptr ? json(nullptr) : json(one->name)}};
}

json problem_json(const Comparison& all, const ProblemTable& table) {
  json runs = json::array();
  for (std::size_t i = 0; i < table.grids.size(); ++i) {
    runs.push_back(run_json(table.grids[i], table.steps[i]));
  }
  json out = {{"family", table.problem.family},
              {"stencil", table.problem.stencil},
              {"decomposition", table.problem.decomposition},
              {"precision", table.problem.precision},
              {"model", table.problem.model},
              {"details", table.problem.details},
              {"platforms", table.platforms},
              {"runs", std::move(runs)},
              {"grids_differ", table.grids_differ},
              {"steps_differ", table.steps_differ},
              {"revisions_differ", table.revisions_differ},
              {"variants", json::array()},
              {"configurations", json::array()},
              {"application", line_json(table.application)},
              {"sets", json::array()}};
  for (const Line& line : table.variants) out["variants"].push_back(line_json(line));
  for (const Line& line : table.configurations) out["configurations"].push_back(line_json(line));
  for (const PlatformSet& set : all.sets) {
    if (!table.positions(set).empty()) out["sets"].push_back(set_json(table, set));
  }
  return out;
}

json families_json(const Comparison& all) {
  std::set<std::string> families;
  for (const ProblemTable& table : all.problems) families.insert(table.problem.family);
  json out = json::array();
  for (const std::string& family : families) {
    for (const PlatformSet& set : all.sets) {
      const FamilyPhi found = family_phi(all, family, set);
      if (found.platforms.empty()) continue;
      out.push_back({{"family", family},
                     {"set", set.name},
                     {"platforms", found.platforms},
                     {"problems", found.problems},
                     {"problems_left_out", found.left_out},
                     {"phi_architectural", maybe(found.phi)},
                     {"one_variant", found.variant.empty() ? json(nullptr) : json(found.variant)},
                     {"one_variant_phi_architectural", maybe(found.variant_phi)},
                     {"one_variant_phi_application", maybe(found.variant_best)}});
    }
  }
  return out;
}

}  // namespace

json to_json(const Comparison& all) {
  json platforms = json::array();
  for (const Platform& p : all.data.platforms) {
    platforms.push_back({{"name", p.name},
                         {"device", p.device},
                         {"kind", p.kind},
                         {"origin", to_string(p.origin)},
                         {"files", p.files},
                         {"revisions", p.revisions}});
  }
  json problems = json::array();
  for (const ProblemTable& table : all.problems) problems.push_back(problem_json(all, table));
  return {{"schema", kComparisonSchema},
          {"platforms", std::move(platforms)},
          {"problems", std::move(problems)},
          {"families", families_json(all)},
          {"remarks", all.remarks}};
}

std::size_t count_without_bound(const Comparison& all) {
  std::size_t count = 0;
  for (const ProblemTable& table : all.problems) {
    for (const Line& line : table.variants) {
      count += static_cast<std::size_t>(
          std::count_if(line.cells.begin(), line.cells.end(), [](const Cell& cell) {
            return cell.state == Cell::State::valid && !cell.architectural;
          }));
    }
  }
  return count;
}

std::string to_p3_csv(const Comparison& all) {
  // The library takes efficiencies from 0 to 1, and none that is empty.
  const auto efficiency = [](const std::optional<double>& value) {
    return csv_number(value ? std::optional(std::min(*value, 1.0)) : value);
  };
  const bool bounded = count_without_bound(all) == 0;
  std::vector<std::string> head = {"problem", "application", "platform", "fom", "app eff"};
  if (bounded) head.emplace_back("arch eff");
  std::string out = csv_line(head);
  for (const ProblemTable& table : all.problems) {
    for (const Line& line : table.variants) {
      for (std::size_t i = 0; i < line.cells.size(); ++i) {
        const Cell& cell = line.cells[i];
        if (cell.state == Cell::State::absent) continue;
        const bool valid = cell.state == Cell::State::valid;
        std::vector<std::string> fields = {table.problem.text() + " " + table.grids[i].grid_text(),
                                           line.name, all.data.platforms[table.platforms[i]].name,
                                           valid ? csv_number(cell.point->gcell_per_s) : "0",
                                           valid ? efficiency(cell.application) : "0"};
        if (bounded) fields.push_back(valid ? efficiency(cell.architectural) : "0");
        out += csv_line(fields);
      }
    }
  }
  return out;
}

std::string to_long_csv(const Comparison& all) {
  std::string out = csv_line({"platform",
                              "origin",
                              "kind",
                              "device",
                              "family",
                              "stencil",
                              "decomposition",
                              "precision",
                              "model",
                              "details",
                              "nx",
                              "ny",
                              "nz",
                              "steps",
                              "variant",
                              "configuration",
                              "status",
                              "reason",
                              "gcell_per_s",
                              "share_of_bound",
                              "cells_per_joule",
                              "noisy",
                              "revision",
                              "date",
                              "file"});
  for (const Point& p : all.data.points) {
    const Platform& platform = all.data.platforms[p.platform];
    out += csv_line({platform.name,
                     to_string(platform.origin),
                     platform.kind,
                     platform.device,
                     p.problem.family,
                     p.problem.stencil,
                     p.problem.decomposition,
                     p.problem.precision,
                     p.problem.model,
                     p.problem.details,
                     std::to_string(p.size.nx),
                     std::to_string(p.size.ny),
                     std::to_string(p.size.nz),
                     std::to_string(p.size.steps),
                     p.variant,
                     p.configuration,
                     to_string(p.status),
                     p.reason,
                     csv_number(p.gcell_per_s),
                     csv_number(p.share_of_bound),
                     csv_number(p.cells_per_joule),
                     p.noisy ? "true" : "false",
                     p.revision,
                     p.date,
                     p.file});
  }
  return out;
}

}  // namespace tessera::compare

// SPDX-License-Identifier: Apache-2.0
#include "compare/text_report.hpp"

#include "compare/families.hpp"
#include "results/result_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <iterator>
#include <set>
#include <utility>

namespace tessera::compare {
namespace {

using Row = std::vector<std::string>;

std::string percent(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", 100 * *value) : "-";
}

/// Letters stand for platforms in headings: A, B, ... Z, AA, ...
std::string letter(std::size_t index) {
  std::string out;
  for (std::size_t rest = index + 1; rest > 0; rest = (rest - 1) / 26) {
    out.insert(out.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return out;
}

std::string letters(const std::vector<std::size_t>& platforms) {
  std::vector<std::string> names;
  for (const std::size_t p : platforms) names.push_back(letter(p));
  return fmt::format("{}", fmt::join(names, " "));
}

std::string format_platforms(const Comparison& all) {
  std::vector<Row> rows = {{"", "platform", "device", "kind", "figures", "revision"}};
  for (std::size_t i = 0; i < all.data.platforms.size(); ++i) {
    const Platform& p = all.data.platforms[i];
    rows.push_back({letter(i), p.name, p.device, p.kind.empty() ? "-" : p.kind, to_string(p.origin),
                    p.revisions.empty()      ? "-"
                    : p.revisions.size() > 1 ? fmt::format("{} revisions", p.revisions.size())
                                             : p.revisions.front()});
  }
  return measure::layout_table(rows, 6, 0);
}

/// What a reader must know of grids, steps and revisions before he compares.
std::string describe_runs(const ProblemTable& table) {
  std::string out;
  auto to = std::back_inserter(out);
  if (!table.grids_differ) {
    out = table.grids.front().grid_text() + " cells";
  } else {
    out = "grids differ, so efficiencies are compared, not rates:";
    for (std::size_t i = 0; i < table.grids.size(); ++i) {
      fmt::format_to(to, "{} {} {}", i == 0 ? "" : ",", letter(table.platforms[i]),
                     table.grids[i].grid_text());
    }
  }
  if (!table.steps_differ) {
    if (!table.steps.front().empty()) {
      fmt::format_to(to, "; {} steps", *table.steps.front().begin());
    }
  } else {
    out += "; steps differ:";
    for (std::size_t i = 0; i < table.steps.size(); ++i) {
      fmt::format_to(to, "{} {} {}", i == 0 ? "" : ",", letter(table.platforms[i]),
                     fmt::join(table.steps[i], " and "));
    }
  }
  if (table.revisions_differ) out += "; revisions of the code differ";
  return out;
}

/// The sets that hold at least two platforms of a problem, with their positions in its table.
std::vector<std::pair<const PlatformSet*, std::vector<std::size_t>>> useful_sets(
    const Comparison& all, const ProblemTable& table) {
  std::vector<std::pair<const PlatformSet*, std::vector<std::size_t>>> out;
  std::set<std::vector<std::size_t>> seen;
  for (const PlatformSet& set : all.sets) {
    auto positions = table.positions(set);
    if (positions.size() > 1 && seen.insert(positions).second) out.emplace_back(&set, positions);
  }
  return out;
}

std::vector<std::size_t> of_collection(const ProblemTable& table,
                                       const std::vector<std::size_t>& positions) {
  std::vector<std::size_t> out;
  for (const std::size_t at : positions) out.push_back(table.platforms[at]);
  return out;
}

Row line_row(const Comparison& all, const ProblemTable& table, const Line& line, bool tuned) {
  Row row{line.name};
  for (std::size_t i = 0; i < line.cells.size(); ++i) {
    const Cell& cell = line.cells[i];
    if (tuned) row.push_back(cell.point ? cell.point->configuration : "");
    if (cell.state == Cell::State::valid) {
      if (!table.grids_differ) row.push_back(fmt::format("{:.4g}", *cell.point->gcell_per_s));
      row.push_back(percent(cell.architectural) + (above_bound(cell.architectural) ? "!" : ""));
      row.push_back(percent(cell.application));
    } else {
      const std::string word =
          cell.state == Cell::State::absent ? "-" : to_string(cell.point->status);
      if (!table.grids_differ) row.push_back(word);
      row.push_back(table.grids_differ ? word : "-");
      row.emplace_back("-");
    }
  }
  for (const auto& [set, positions] : useful_sets(all, table)) {
    row.push_back(percent(phi_of(line, positions, Efficiency::architectural)));
    row.push_back(percent(phi_of(line, positions, Efficiency::application)));
  }
  return row;
}

std::string format_lines(const Comparison& all, const ProblemTable& table,
                         const std::vector<Line>& lines, bool tuned) {
  Row head{tuned ? "variant, tuned" : "configuration"};
  for (const std::size_t p : table.platforms) {
    if (tuned) head.push_back(letter(p) + " tile");
    if (!table.grids_differ) head.push_back(letter(p) + " GCell/s");
    head.push_back(letter(p) + " % bound");
    head.push_back(letter(p) + " % best");
  }
  for (const auto& [set, positions] : useful_sets(all, table)) {
    const std::string over = letters(of_collection(table, positions));
    head.push_back("Phi bound % " + over);
    head.push_back("Phi best % " + over);
  }
  std::vector<Row> rows{std::move(head)};
  for (const Line& line : lines) rows.push_back(line_row(all, table, line, tuned));
  if (tuned) {
    Row last = line_row(all, table, table.application, true);
    for (std::size_t i = 0; i < table.platforms.size(); ++i) {
      const std::size_t column = 1 + i * (table.grids_differ ? 3 : 4);
      const Point* best = table.application.cells[i].point;
      last[column] =
          best && best->gcell_per_s ? best->variant.substr(best->variant.find('/') + 1) : "";
    }
    rows.push_back(std::move(last));
  }
  return measure::layout_table(rows, 1, 0);
}

/// Who is first where, how alike the rankings are, and what one variant alone would cost.
std::string format_decision(const Comparison& all, const ProblemTable& table) {
  std::string out;
  auto to = std::back_inserter(out);
  for (const auto& [set, positions] : useful_sets(all, table)) {
    const std::string over = letters(of_collection(table, positions));
    const Line* one = one_variant(table, *set);
    if (one == nullptr) {
      fmt::format_to(to, "{} ({}): no variant ran on all of them\n", set->name, over);
    } else {
      fmt::format_to(to, "{} ({}): if only one may be written, {}: Phi {:.1f} % of the best;",
                     set->name, over, one->name,
                     100 * *phi_of(*one, positions, Efficiency::application));
      for (const std::size_t at : positions) {
        fmt::format_to(to, " {} loses {:.1f} %", letter(table.platforms[at]),
                       100 * (1 - *one->cells[at].application));
      }
      out += '\n';
    }
    std::vector<std::string> taus;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t j = i + 1; j < positions.size(); ++j) {
        const auto tau = rank_correlation(table, positions[i], positions[j]);
        if (!tau) continue;
        taus.push_back(fmt::format("{}{} {:+.2f}", letter(table.platforms[positions[i]]),
                                   letter(table.platforms[positions[j]]), *tau));
      }
    }
    if (!taus.empty()) {
      fmt::format_to(to, "  rank correlation (Kendall's tau-b): {}\n", fmt::join(taus, ", "));
    }
  }
  return out;
}

std::string format_cascade(const Comparison& all, const ProblemTable& table) {
  std::string out;
  for (const auto& [set, positions] : useful_sets(all, table)) {
    const auto over = of_collection(table, positions);
    out += fmt::format("cascade over {} ({}): platform, % of the best, Phi so far\n", set->name,
                       letters(over));
    for (const Line& line : table.variants) {
      const auto known = efficiencies_of(line, positions, Efficiency::application);
      if (!known) continue;
      out += "  " + line.name + ":";
      for (const CascadeStep& step : cascade(*known)) {
        out += fmt::format("  {} {:.1f} {:.1f}", letter(over[step.platform]), 100 * step.efficiency,
                           100 * step.phi);
      }
      out += '\n';
    }
  }
  return out;
}

std::string format_families(const Comparison& all) {
  std::set<std::string> families;
  for (const ProblemTable& table : all.problems) families.insert(table.problem.family);
  std::vector<Row> rows = {{"family", "set", "platforms", "problems", "left out", "Phi bound %",
                            "one variant", "its Phi bound %", "its Phi best %"}};
  for (const std::string& family : families) {
    for (const PlatformSet& set : all.sets) {
      const FamilyPhi found = family_phi(all, family, set);
      if (found.platforms.empty()) continue;
      rows.push_back({family, set.name + (set.mixed ? " (mixed origins)" : ""),
                      letters(found.platforms), std::to_string(found.problems),
                      std::to_string(found.left_out), percent(found.phi),
                      found.variant.empty() ? "-" : found.variant, percent(found.variant_phi),
                      percent(found.variant_best)});
    }
  }
  return "each family: the best variant a platform and problem, and one variant for all of "
         "them:\n" +
         measure::layout_table(rows, 3, 0);
}

}  // namespace

std::string format_report(const Comparison& all, const ReportOptions& options) {
  std::string out = format_platforms(all);
  for (const std::string& remark : all.remarks) out += "note: " + remark + '\n';
  for (const ProblemTable& table : all.problems) {
    if (options.summary) break;
    out += fmt::format("\n{}: {}\n", table.problem.text(), describe_runs(table));
    out += format_lines(all, table, table.variants, true);
    if (options.configurations) {
      out += '\n' + format_lines(all, table, table.configurations, false);
    }
    out += format_decision(all, table);
    if (options.cascade) out += format_cascade(all, table);
  }
  return out + '\n' + format_families(all);
}

}  // namespace tessera::compare

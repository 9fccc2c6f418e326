// SPDX-License-Identifier: Apache-2.0
#include "program/compare/text_report.hpp"

#include "program/compare/families.hpp"
#include "program/results/result_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
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

std::size_t width_of(const std::vector<Row>& rows, std::size_t column) {
  std::size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, row[column].size());
  return widest;
}

/// A table of which the first `words` columns are text. One that is wider than the terminal is
/// broken into several with the first column in each: between columns whose headings begin with
/// another word, a platform's letter, say.
std::string fitted(const std::vector<Row>& rows, std::size_t words, const ReportOptions& options) {
  constexpr std::size_t kGap = 2;
  const Row& head = rows.front();
  const auto first_word = [&](std::size_t c) { return head[c].substr(0, head[c].find(' ')); };
  const std::size_t name = width_of(rows, 0);
  std::vector<std::vector<std::size_t>> parts{{}};
  std::size_t width = name;
  for (std::size_t c = 1; c < head.size();) {
    std::size_t end = c;
    std::size_t more = 0;
    do {
      more += kGap + width_of(rows, end++);
    } while (end < head.size() && first_word(end) == first_word(c) &&
             name + more + kGap + width_of(rows, end) <= options.width);
    if (!options.wide && width + more > options.width && !parts.back().empty()) {
      parts.emplace_back();
      width = name;
    }
    for (; c < end; ++c) parts.back().push_back(c);
    width += more;
  }
  std::string out;
  for (const std::vector<std::size_t>& part : parts) {
    std::vector<Row> block;
    for (const Row& row : rows) {
      Row& to = block.emplace_back(Row{row.front()});
      for (const std::size_t c : part) to.push_back(row[c]);
    }
    const auto text = std::count_if(part.begin(), part.end(), [&](auto c) { return c < words; });
    out += results::layout_table(block, static_cast<int>(text) + 1, 0);
  }
  return out;
}

std::string format_platforms(const Comparison& all, const ReportOptions& options) {
  std::vector<Row> rows = {{"", "platform", "device", "kind", "figures", "revision"}};
  for (std::size_t i = 0; i < all.data.platforms.size(); ++i) {
    const Platform& p = all.data.platforms[i];
    rows.push_back({letter(i), p.name, p.device, p.kind.empty() ? "-" : p.kind, to_string(p.origin),
                    p.revisions.empty()      ? "-"
                    : p.revisions.size() > 1 ? fmt::format("{} revisions", p.revisions.size())
                                             : p.revisions.front()});
  }
  return fitted(rows, 6, options);
}

/// "20", "20 and 40", or "unknown" where a source does not tell.
std::string steps_text(const std::set<std::int64_t>& steps) {
  std::vector<std::string> texts;
  for (const std::int64_t n : steps) texts.push_back(n == 0 ? "unknown" : std::to_string(n));
  return texts.empty() ? "unknown" : fmt::format("{}", fmt::join(texts, " and "));
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
    fmt::format_to(to, "; {} steps", steps_text(table.steps.front()));
  } else {
    out += "; steps differ or are unknown:";
    for (std::size_t i = 0; i < table.steps.size(); ++i) {
      fmt::format_to(to, "{} {} {}", i == 0 ? "" : ",", letter(table.platforms[i]),
                     steps_text(table.steps[i]));
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

/// Whether a platform of the table told its energy.
bool has_energy(const ProblemTable& table, std::size_t position) {
  return std::any_of(table.configurations.begin(), table.configurations.end(), [&](const Line& l) {
    return l.cells[position].point != nullptr && l.cells[position].point->cells_per_joule;
  });
}

std::string energy_text(const Cell& cell) {
  if (cell.point == nullptr || !cell.point->cells_per_joule) return "-";
  return fmt::format("{:.4g}", *cell.point->cells_per_joule / 1e6);
}

Row line_row(const Comparison& all, const ProblemTable& table, const Line& line, bool tiles) {
  Row row{line.name};
  for (std::size_t i = 0; i < line.cells.size(); ++i) {
    const Cell& cell = line.cells[i];
    if (tiles) row.push_back(cell.point ? cell.point->configuration : "");
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
    if (has_energy(table, i)) row.push_back(energy_text(cell));
  }
  for (const auto& [set, positions] : useful_sets(all, table)) {
    row.push_back(percent(phi_of(line, positions, Efficiency::architectural)));
    row.push_back(percent(phi_of(line, positions, Efficiency::application)));
  }
  return row;
}

std::string format_lines(const Comparison& all, const ProblemTable& table,
                         const std::vector<Line>& lines, bool tuned, const ReportOptions& options) {
  const bool tiles = tuned && options.wide;
  Row head{tuned ? "variant, tuned" : "configuration"};
  for (std::size_t i = 0; i < table.platforms.size(); ++i) {
    const std::size_t p = table.platforms[i];
    if (tiles) head.push_back(letter(p) + " tile");
    if (!table.grids_differ) head.push_back(letter(p) + " GCell/s");
    head.push_back(letter(p) + " % bound");
    head.push_back(letter(p) + " % best");
    if (has_energy(table, i)) head.push_back(letter(p) + " Mcell/J");
  }
  for (const auto& [set, positions] : useful_sets(all, table)) {
    const std::string over = letters(of_collection(table, positions));
    head.push_back("Phi bound % " + over);
    head.push_back("Phi best % " + over);
  }
  std::vector<Row> rows{std::move(head)};
  for (const Line& line : lines) rows.push_back(line_row(all, table, line, tiles));
  if (tuned) {
    Row last = line_row(all, table, table.application, tiles);
    for (std::size_t c = 0; tiles && c < rows.front().size(); ++c) {
      if (!rows.front()[c].ends_with(" tile")) continue;
      const std::string of = rows.front()[c].substr(0, rows.front()[c].find(' '));
      for (std::size_t i = 0; i < table.platforms.size(); ++i) {
        const Point* best = table.application.cells[i].point;
        if (of != letter(table.platforms[i])) continue;
        last[c] =
            best && best->gcell_per_s ? best->variant.substr(best->variant.find('/') + 1) : "";
      }
    }
    rows.push_back(std::move(last));
  }
  return fitted(rows, 1, options);
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

std::string format_families(const Comparison& all, const ReportOptions& options) {
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
         fitted(rows, 3, options);
}

}  // namespace

std::string format_report(const Comparison& all, const ReportOptions& options) {
  std::string out = format_platforms(all, options);
  for (const std::string& remark : all.remarks) out += "note: " + remark + '\n';
  for (const ProblemTable& table : all.problems) {
    if (options.summary) break;
    out += fmt::format("\n{}: {}\n", table.problem.text(), describe_runs(table));
    out += format_lines(all, table, table.variants, true, options);
    if (options.configurations) {
      out += '\n' + format_lines(all, table, table.configurations, false, options);
    }
    out += format_decision(all, table);
    if (options.cascade) out += format_cascade(all, table);
  }
  return out + '\n' + format_families(all, options);
}

}  // namespace tessera::compare

// SPDX-License-Identifier: Apache-2.0
#include "program/compare/comparison.hpp"

#include "base/support/error.hpp"
#include "program/compare/platform_sets.hpp"
#include "program/results/doubts.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tessera::compare {
namespace {

Size grid_of(const Point& p) { return {p.size.nx, p.size.ny, p.size.nz, 0}; }

/// The grid at which each platform is compared: the one that most platforms ran, else the one with
/// the most rates there.
std::vector<Size> choose_grids(const std::vector<const Point*>& points,
                               const std::vector<std::size_t>& platforms) {
  std::map<Size, std::map<std::size_t, int>> rates;  // by grid and platform
  for (const Point* p : points) rates[grid_of(*p)][p->platform] += p->gcell_per_s ? 1 : 0;
  const auto better = [&](const Size& a, const Size& b, std::size_t platform) {
    if (rates[a].size() != rates[b].size()) return rates[a].size() > rates[b].size();
    return rates[a][platform] > rates[b][platform];
  };
  std::vector<Size> grids;
  for (const std::size_t platform : platforms) {
    const Size* best = nullptr;
    for (const auto& [grid, at] : rates) {
      if (at.count(platform) == 0) continue;
      if (best == nullptr || better(grid, *best, platform)) best = &grid;
    }
    grids.push_back(*best);
  }
  return grids;
}

/// Says of a table whether what it sets side by side was run alike.
void mark_differences(ProblemTable& table) {
  std::set<std::string> revisions;
  for (const Line& line : table.variants) {
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (line.cells[i].state != Cell::State::valid) continue;
      const Point& p = *line.cells[i].point;
      table.steps[i].insert(p.size.steps);
      if (!p.revision.empty()) revisions.insert(p.revision);
    }
  }
  table.revisions_differ = revisions.size() > 1;
  for (std::size_t i = 0; i < table.grids.size(); ++i) {
    const Size& grid = table.grids[i];
    table.grids_differ =
        table.grids_differ ||
        (table.grids.size() > 1 && (grid.nx == 0 || !grid.same_grid(table.grids.front())));
    table.steps_differ =
        table.steps_differ || table.steps[i].size() > 1 || table.steps[i] != table.steps.front();
  }
}

/// Takes the faster of two configurations; one that failed only where there is no other.
void take(Cell& cell, const Point& p) {
  if (p.gcell_per_s) {
    const bool first = cell.state != Cell::State::valid;
    if (!first && *p.gcell_per_s <= *cell.point->gcell_per_s) return;
    cell.state = Cell::State::valid;
  } else if (cell.state == Cell::State::absent) {
    cell.state = Cell::State::failed;
  } else {
    return;
  }
  cell.point = &p;
}

using Lines = std::map<std::string, Line>;

void add(Lines& lines, const std::string& name, std::size_t platforms, std::size_t at,
         const Point& p) {
  Line& line = lines[name];
  line.name = name;
  line.cells.resize(platforms);
  take(line.cells[at], p);
}

void set_efficiencies(Line& line, const std::vector<double>& best) {
  for (std::size_t i = 0; i < line.cells.size(); ++i) {
    Cell& cell = line.cells[i];
    if (cell.state != Cell::State::valid) continue;
    cell.application = *cell.point->gcell_per_s / best[i];
    cell.architectural = cell.point->share_of_bound;
  }
}

std::vector<Line> sorted(Lines lines, const std::vector<double>& best) {
  std::vector<Line> out;
  for (auto& [name, line] : lines) {
    set_efficiencies(line, best);
    out.push_back(std::move(line));
  }
  // By the mean of what is known, so that a variant of one platform does not come first for it.
  const auto worth = [](const Line& line) {
    double sum = 0;
    for (const Cell& cell : line.cells) sum += cell.application.value_or(0);
    return sum;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Line& a, const Line& b) { return worth(a) > worth(b); });
  return out;
}

ProblemTable tabulate(const Problem& problem, const std::vector<const Point*>& points) {
  ProblemTable table;
  table.problem = problem;
  std::set<std::size_t> seen;
  for (const Point* p : points) seen.insert(p->platform);
  table.platforms.assign(seen.begin(), seen.end());
  table.grids = choose_grids(points, table.platforms);
  const std::size_t n = table.platforms.size();
  table.steps.resize(n);
  Lines variants, configurations;
  std::vector<double> best(n, 0);
  table.application.name = "best of each platform";
  table.application.cells.resize(n);
  for (const Point* p : points) {
    const auto at = static_cast<std::size_t>(
        std::find(table.platforms.begin(), table.platforms.end(), p->platform) -
        table.platforms.begin());
    if (!p->size.same_grid(table.grids[at])) continue;
    add(variants, p->variant, n, at, *p);
    add(configurations, p->full_name(), n, at, *p);
    take(table.application.cells[at], *p);
    best[at] = std::max(best[at], p->gcell_per_s.value_or(0));
  }
  set_efficiencies(table.application, best);
  table.variants = sorted(std::move(variants), best);
  table.configurations = sorted(std::move(configurations), best);
  mark_differences(table);
  return table;
}

/// What a reader must know before he compares.
void remark_on_revisions(Comparison& all) {
  std::set<std::string> measured;
  for (const Platform& p : all.data.platforms) {
    if (p.origin != Origin::measured) continue;
    measured.insert(p.revisions.begin(), p.revisions.end());
    if (p.revisions.size() > 1) {
      all.remarks.push_back(fmt::format("{} was measured with {} revisions of the code: {}", p.name,
                                        p.revisions.size(), fmt::join(p.revisions, ", ")));
    }
  }
  if (measured.size() > 1) {
    all.remarks.emplace_back("not all rows are of one revision: what differs may be the code");
  }
}

/// Nothing is faster than its bound: such a roof was measured low, on a busy machine, say.
void remark_on_bounds(Comparison& all) {
  for (std::size_t i = 0; i < all.data.platforms.size(); ++i) {
    std::size_t above = 0;
    const Point* worst = nullptr;
    for (const Point& p : all.data.points) {
      if (p.platform != i || !above_bound(p.share_of_bound)) continue;
      ++above;
      if (worst == nullptr || *p.share_of_bound > *worst->share_of_bound) worst = &p;
    }
    if (above == 0) continue;
    all.remarks.push_back(fmt::format(
        "{} rows of {} lie above their bound (marked !; the furthest {} at {:.0f} %, {}): a roof "
        "there is too low; Phi takes them for 100 %",
        above, all.data.platforms[i].name, worst->full_name(), 100 * *worst->share_of_bound,
        worst->file));
  }
}

}  // namespace

bool above_bound(const std::optional<double>& share) {
  return share.value_or(0) > 1 + results::kBoundSlack;
}

std::optional<Efficiencies> efficiencies_of(const Line& line,
                                            const std::vector<std::size_t>& positions,
                                            Efficiency which) {
  Efficiencies out;
  for (const std::size_t at : positions) {
    const Cell& cell = line.cells[at];
    if (cell.state == Cell::State::absent) return std::nullopt;
    if (cell.state == Cell::State::failed) {
      out.push_back(0);
      continue;
    }
    const auto& e = which == Efficiency::application ? cell.application : cell.architectural;
    if (!e) return std::nullopt;
    out.push_back(std::min(*e, 1.0));
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::optional<double> phi_of(const Line& line, const std::vector<std::size_t>& positions,
                             Efficiency which) {
  const auto known = efficiencies_of(line, positions, which);
  return known ? std::optional(performance_portability(*known)) : std::nullopt;
}

std::vector<std::size_t> ProblemTable::positions(const PlatformSet& set) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    const auto& in = set.platforms;
    if (std::find(in.begin(), in.end(), platforms[i]) != in.end()) out.push_back(i);
  }
  return out;
}

Comparison compare(Collection data, const std::vector<std::string>& patterns) {
  Comparison all;
  all.data = std::move(data);
  all.remarks = all.data.remarks;
  const auto& platforms = all.data.platforms;
  all.sets = patterns.empty() ? sets_by_origin(platforms) : chosen_set(platforms, patterns);
  std::map<Problem, std::vector<const Point*>> by_problem;
  for (const Point& p : all.data.points) {
    const auto& in = all.sets.front().platforms;
    const bool taken = patterns.empty() || std::find(in.begin(), in.end(), p.platform) != in.end();
    if (taken) by_problem[p.problem].push_back(&p);
  }
  std::size_t most = 0;
  for (const auto& [problem, points] : by_problem) {
    all.problems.push_back(tabulate(problem, points));
    most = std::max(most, all.problems.back().platforms.size());
  }
  const std::size_t wanted =
      patterns.empty() ? platforms.size() : all.sets.front().platforms.size();
  require(most > 1 || wanted == 1,
          "no stencil, decomposition and precision was run on two of the {} platforms", wanted);
  remark_on_revisions(all);
  remark_on_bounds(all);
  return all;
}

const Line* one_variant(const ProblemTable& table, const PlatformSet& set) {
  const auto positions = table.positions(set);
  const Line* best = nullptr;
  double best_phi = 0;
  for (const Line& line : table.variants) {
    const double phi = phi_of(line, positions, Efficiency::application).value_or(0);
    if (phi > best_phi) {
      best = &line;
      best_phi = phi;
    }
  }
  return best;
}

std::optional<double> rank_correlation(const ProblemTable& table, std::size_t a, std::size_t b) {
  std::vector<double> of_a, of_b;
  for (const Line& line : table.variants) {
    if (!line.cells[a].application || !line.cells[b].application) continue;
    of_a.push_back(*line.cells[a].application);
    of_b.push_back(*line.cells[b].application);
  }
  return rank_correlation(of_a, of_b);
}

}  // namespace tessera::compare

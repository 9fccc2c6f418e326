// SPDX-License-Identifier: Apache-2.0
#include "program/compare/families.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tessera::compare {
namespace {

/// A problem that every platform of the set ran, with their positions in its table.
using Common = std::pair<const ProblemTable*, std::vector<std::size_t>>;

/// The platforms of a set that ran the family.
std::vector<std::size_t> platforms_of(const Comparison& all, const std::string& family,
                                      const PlatformSet& set) {
  std::vector<std::size_t> out;
  std::copy_if(set.platforms.begin(), set.platforms.end(), std::back_inserter(out),
               [&](std::size_t platform) {
                 return std::any_of(all.problems.begin(), all.problems.end(), [&](const auto& t) {
                   return t.problem.family == family &&
                          std::find(t.platforms.begin(), t.platforms.end(), platform) !=
                              t.platforms.end();
                 });
               });
  return out;
}

/// Efficiencies of the line that `choose` takes of each problem; absent where one is not known.
template <class Choose>
std::optional<Efficiencies> over_all(const std::vector<Common>& problems, Efficiency kind,
                                     const Choose& choose) {
  Efficiencies pairs;
  for (const auto& [table, positions] : problems) {
    const Line* line = choose(*table);
    const auto here = line == nullptr ? std::nullopt : efficiencies_of(*line, positions, kind);
    if (!here) return std::nullopt;
    pairs.insert(pairs.end(), here->begin(), here->end());
  }
  return pairs;
}

template <class Choose>
std::optional<double> phi_over_all(const std::vector<Common>& problems, Efficiency kind,
                                   const Choose& choose) {
  const auto pairs = over_all(problems, kind, choose);
  if (!pairs || pairs->empty()) return std::nullopt;
  return performance_portability(*pairs);
}

/// The line of a variant in a problem; null where it has none.
const Line* find_line(const ProblemTable& table, const std::string& variant) {
  const auto found = std::find_if(table.variants.begin(), table.variants.end(),
                                  [&](const Line& line) { return line.name == variant; });
  return found == table.variants.end() ? nullptr : &*found;
}

}  // namespace

FamilyPhi family_phi(const Comparison& all, const std::string& family, const PlatformSet& set) {
  FamilyPhi out;
  out.platforms = platforms_of(all, family, set);
  const PlatformSet with_family{set.name, out.platforms, set.mixed};
  std::vector<Common> problems;
  std::set<std::string> variants;
  for (const ProblemTable& table : all.problems) {
    if (table.problem.family != family) continue;
    auto positions = table.positions(with_family);
    if (positions.size() < out.platforms.size()) {
      if (!positions.empty()) ++out.left_out;
      continue;
    }
    for (const Line& line : table.variants) variants.insert(line.name);
    problems.emplace_back(&table, std::move(positions));
  }
  out.problems = problems.size();
  out.phi = phi_over_all(problems, Efficiency::architectural,
                         [](const ProblemTable& table) { return &table.application; });
  for (const std::string& variant : variants) {
    const auto its_line = [&](const ProblemTable& table) { return find_line(table, variant); };
    const auto best = phi_over_all(problems, Efficiency::application, its_line);
    if (!best || *best <= out.variant_best.value_or(0)) continue;
    out.variant = variant;
    out.variant_best = best;
    out.variant_phi = phi_over_all(problems, Efficiency::architectural, its_line);
  }
  return out;
}

}  // namespace tessera::compare

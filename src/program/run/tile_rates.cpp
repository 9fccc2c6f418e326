// SPDX-License-Identifier: Apache-2.0
#include "program/run/tile_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tessera {
namespace {

/// "32", "16", "full" of "32x16xfull,chunk=120".
std::vector<std::string> extents_of(const std::string& configuration) {
  std::vector<std::string> parts(1);
  for (const char c : configuration.substr(0, configuration.find(','))) {
    if (c == 'x') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Rates of a variant over the y and z extents of its tiles; empty where it has no grid of them.
std::string tile_map(const std::string& variant, const std::vector<results::Result>& rows) {
  std::map<std::pair<std::string, std::string>, double> rate;
  std::vector<std::string> ys, zs;
  const auto note = [](std::vector<std::string>& list, const std::string& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  for (const results::Result& row : rows) {
    const auto parts = extents_of(row.configuration);
    if (row.variant != variant || !row.gcell_per_s || parts.size() != 3) continue;
    if (row.configuration.find(',') != std::string::npos) continue;
    note(ys, parts[1]);
    note(zs, parts[2]);
    double& best = rate[{parts[1], parts[2]}];  // of several decompositions and x extents
    best = std::max(best, row.gcell_per_s->median);
  }
  if (ys.size() < 2 || zs.size() < 2) return {};
  const auto by_number = [](const std::string& a, const std::string& b) {
    const auto value = [](const std::string& s) { return s == "full" ? 1 << 30 : std::stoi(s); };
    return value(a) < value(b);
  };
  std::sort(ys.begin(), ys.end(), by_number);
  std::sort(zs.begin(), zs.end(), by_number);
  std::string out = fmt::format("\n{}: GCell/s by block, y down, z across\n{:>8}", variant, "");
  for (const auto& z : zs) out += fmt::format(" {:>8}", z);
  out += "\n";
  for (const auto& y : ys) {
    out += fmt::format("{:>8}", y);
    for (const auto& z : zs) {
      const auto found = rate.find({y, z});
      out +=
          fmt::format(" {:>8}", found == rate.end() ? "-" : fmt::format("{:.3g}", found->second));
    }
    out += "\n";
  }
  return out;
}

}  // namespace

void sort_by_rate(std::vector<results::Result>& results) {
  std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    const auto rate = [](const results::Result& r) {
      return r.gcell_per_s ? r.gcell_per_s->median : 0;
    };
    return rate(a) > rate(b);
  });
}

std::string tile_rates(const std::vector<results::Result>& results) {
  std::string out = fmt::format("\n{:<48} {:<16} {:>10}  {}\n", "variant:configuration", "regions",
                                "GCell/s", "remark");
  for (const results::Result& row : results) {
    out += fmt::format("{:<48} {:<16} {:>10}  {}\n", full_name(row), row.decomposition,
                       row.gcell_per_s ? fmt::format("{:.4g}", row.gcell_per_s->median) : "-",
                       row.reason);
  }
  std::set<std::string> variants;
  for (const results::Result& row : results) variants.insert(row.variant);
  for (const std::string& variant : variants) out += tile_map(variant, results);
  return out;
}

}  // namespace tessera

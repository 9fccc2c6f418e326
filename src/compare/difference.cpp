// SPDX-License-Identifier: Apache-2.0
#include "compare/difference.hpp"

#include "results/result_table.hpp"
#include "support/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tessera::compare {

using nlohmann::json;

namespace {

std::string name_of(const measure::Result& r) {
  std::string name = measure::full_name(r);
  for (const std::string& part : {r.decomposition, r.stencil, r.precision, r.model}) {
    if (!part.empty()) name += " " + part;
  }
  return name + fmt::format(" {}x{}x{} {} steps", r.nx, r.ny, r.nz, r.steps);
}

std::string device_of(const measure::ResultFile& file) {
  return file.machine.value("device", std::string("an unnamed machine"));
}

/// Half the inter-quartile range over the median, of the samples.
double spread_of(const measure::Result& r) {
  if (r.samples_s.size() < 2) return 0;
  const measure::Summary s = measure::summarise(r.samples_s);
  return s.iqr() / (2 * s.median);
}

RowDifference compare_rows(const measure::Result& a, const measure::Result& b, double scale,
                           double tolerance) {
  RowDifference row;
  row.name = name_of(b);
  row.before = a.gcell_per_s ? a.gcell_per_s->median : 0;
  row.after = b.gcell_per_s ? b.gcell_per_s->median : 0;
  if (row.before == 0 || row.after == 0) {
    if (row.before != row.after) {
      row.verdict = row.after == 0 ? Verdict::lost : Verdict::gained;
    }
    return row;
  }
  row.ratio = scale * row.after / row.before;
  row.spread = spread_of(a) + spread_of(b);
  if (std::abs(row.ratio - 1) > std::max(tolerance, row.spread)) {
    row.verdict = row.ratio > 1 ? Verdict::faster : Verdict::slower;
  }
  return row;
}

}  // namespace

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::lost:
      return "lost";
    case Verdict::gained:
      return "gained";
  }
  return "";
}

std::size_t Difference::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const RowDifference& row) { return row.verdict == verdict; }));
}

Difference difference(const measure::ResultFile& before, const measure::ResultFile& after,
                      const DifferenceOptions& options) {
  require(device_of(before) == device_of(after),
          "the two files are of {} and of {}: compare machines without --difference",
          device_of(before), device_of(after));
  Difference found;
  found.measure = "GCell/s";
  double scale = 1;
  if (!options.absolute && before.streams && after.streams) {
    scale = before.streams->copy.median / after.streams->copy.median;
    found.measure = "share of copy";
  } else if (!options.absolute) {
    found.remarks.emplace_back("a file has no copy bandwidth: GCell/s are compared");
  }
  if (before.deck != after.deck) found.remarks.emplace_back("the decks differ");
  std::map<std::string, const measure::Result*> old;
  for (const measure::Result& r : before.results) old[name_of(r)] = &r;
  for (const measure::Result& r : after.results) {
    const auto at = old.find(name_of(r));
    if (at == old.end()) {
      ++found.only_after;
      continue;
    }
    found.rows.push_back(compare_rows(*at->second, r, scale, options.tolerance));
    old.erase(at);
  }
  found.only_before = old.size();
  require(!found.rows.empty(), "the two files have no row in common");
  return found;
}

std::string format_difference(const Difference& found) {
  std::vector<std::vector<std::string>> rows = {
      {"row", "before GCell/s", "after GCell/s", found.measure + " ratio", "spread %", "verdict"}};
  for (const RowDifference& row : found.rows) {
    const bool both = row.before > 0 && row.after > 0;
    rows.push_back({row.name, row.before > 0 ? fmt::format("{:.4g}", row.before) : "-",
                    row.after > 0 ? fmt::format("{:.4g}", row.after) : "-",
                    both ? fmt::format("{:.3f}", row.ratio) : "-",
                    both ? fmt::format("{:.1f}", 100 * row.spread) : "-", to_string(row.verdict)});
  }
  std::string out = measure::layout_table(rows, 1, 1);
  for (const std::string& remark : found.remarks) out += "note: " + remark + '\n';
  out +=
      fmt::format("{} slower, {} lost, {} faster, {} gained, {} same", found.count(Verdict::slower),
                  found.count(Verdict::lost), found.count(Verdict::faster),
                  found.count(Verdict::gained), found.count(Verdict::same));
  if (found.only_before + found.only_after > 0) {
    out += fmt::format("; {} rows only before, {} only after", found.only_before, found.only_after);
  }
  return out + '\n';
}

json to_json(const Difference& found) {
  json rows = json::array();
  for (const RowDifference& row : found.rows) {
    rows.push_back({{"name", row.name},
                    {"before_gcell_per_s", row.before},
                    {"after_gcell_per_s", row.after},
                    {"ratio", row.ratio},
                    {"spread", row.spread},
                    {"verdict", to_string(row.verdict)}});
  }
  return {{"schema", "tessera-difference-1"}, {"measure", found.measure},
          {"rows", std::move(rows)},          {"only_before", found.only_before},
          {"only_after", found.only_after},   {"remarks", found.remarks}};
}

}  // namespace tessera::compare

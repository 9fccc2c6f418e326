// SPDX-License-Identifier: Apache-2.0
#include "program/results/study_table.hpp"

#include "base/io/json_file.hpp"
#include "base/support/problem_identity.hpp"
#include "program/results/result_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace tessera::results {
namespace {

using Row = std::vector<std::string>;
using Group = std::vector<const Result*>;
using GroupKey = std::pair<std::string, std::string>;  // stencil, decomposition

GroupKey key_of(const Result& r) { return {r.stencil, r.decomposition}; }

double rate_of(const Result& r) { return r.gcell_per_s ? r.gcell_per_s->median : 0; }

/// Groups in the order of their first rows.
std::vector<Group> grouped(const std::vector<Result>& results) {
  std::vector<Group> groups;
  std::map<GroupKey, std::size_t> index;
  for (const Result& r : results) {
    const auto [at, fresh] = index.insert({key_of(r), groups.size()});
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(&r);
  }
  for (Group& group : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [](const Result* a, const Result* b) { return rate_of(*a) > rate_of(*b); });
  }
  return groups;
}

/// The fastest baseline of a group; nullptr where none has a rate.
const Result* baseline_of(const Group& group) {
  for (const Result* r : group) {
    if (r->baseline && r->gcell_per_s) return r;
  }
  return nullptr;
}

std::string number(const char* format, const std::optional<double>& value) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::optional<double> times(const std::optional<double>& a, double factor) {
  return a ? std::optional(*a * factor) : std::nullopt;
}

/// Name without its family, which the heading says.
std::string short_name(const Result& r) {
  const std::string full = full_name(r);
  return full.substr(full.find('/') + 1) + (r.baseline ? " *" : "");
}

Row row_of(const Result& r, const Result* baseline) {
  if (!r.gcell_per_s) return {short_name(r), to_string(r.status), "-", "-", "-", "-"};
  const double rate = r.gcell_per_s->median;
  const auto share = share_of_bound(r);
  std::optional<double> factor;
  if (baseline) factor = rate / rate_of(*baseline);
  return {short_name(r),
          fmt::format("{}{:.3f}", r.noisy ? "~" : "", rate),
          number("{:.1f}", times(share, 100)),
          number("{:.2f}", factor),
          number("{:.3f}", number_at(r.predicted, "gcell_per_s")),
          number("{:.3f}", share && *share > 0 ? std::optional(rate / *share) : std::nullopt)};
}

std::size_t width_of(const std::vector<Row>& rows) {
  std::size_t total = 0;
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    std::size_t widest = 0;
    for (const Row& row : rows) widest = std::max(widest, row[c].size());
    total += widest + (c == 0 ? 0 : 2);
  }
  return total;
}

/// Drops columns from the right until the table fits; name, rate and share stay.
void fit(std::vector<Row>& rows, std::size_t width) {
  while (rows.front().size() > 3 && width_of(rows) > width) {
    for (Row& row : rows) row.pop_back();
  }
}

/// Rows that are counted in one line.
bool is_counted(const Result& r, const StudyTableOptions& options) {
  const auto& named = options.by_name;
  if (r.status == Status::unmeasured) return !options.all;
  return r.status == Status::unsupported && !options.all &&
         std::find(named.begin(), named.end(), full_name(r)) == named.end();
}

std::string title_of(const Result& r) {
  return r.stencil + " " + r.precision + (r.model.empty() ? "" : ", " + r.model + " model") +
         (r.decomposition.empty() ? "" : ", decomposition " + r.decomposition);
}

/// What holds a row back, by counters where there are any, else by the model, else by its bound.
std::string held_back(const Result& r, const std::optional<Roofline>& roofline, bool on_host) {
  if (const auto used = number_at(r.counters, "dram_fraction_of_roofline")) {
    return fmt::format("by counters it uses {:.0f} % of the memory's roof", 100 * *used);
  }
  const auto binding = r.predicted.find("binding");
  if (binding != r.predicted.end() && binding->is_string()) {
    const auto model = io::value_or(r.predicted, "model", std::string());
    return fmt::format("by the model {} limits it",
                       stage_words(binding->get<std::string>(), model, on_host));
  }
  if (roofline && r.flop_per_byte) {
    const bool memory = *r.flop_per_byte * roofline->gb_per_s < roofline->peak_gflop_per_s;
    return fmt::format("its bound is {}; no model says what limits it",
                       memory ? "memory" : "arithmetic");
  }
  return "what limits it is unknown";
}

}  // namespace

std::string count_by_reason(const std::map<std::string, int>& rows, const char* what) {
  if (rows.empty()) return "";
  int sum = 0;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : rows) {
    sum += count;
    parts.push_back(fmt::format("{} {}", count, reason));
  }
  return fmt::format("{} {} ({}); --all names them\n", sum, what, fmt::join(parts, "; "));
}

std::vector<Result> best_first(std::vector<Result> results) {
  std::vector<Result> out;
  for (const Group& group : grouped(results)) {
    for (const Result* r : group) out.push_back(*r);
  }
  return out;
}

std::string format_study(const std::vector<Result>& results, const StudyTableOptions& options) {
  std::string out, reasons;
  std::map<std::string, int> cannot, unmeasured;  // rows by reason
  bool noisy = false;
  bool marked = false;
  bool alone = false;  // rates without a baseline
  for (const Group& group : grouped(results)) {
    std::vector<Row> rows = {
        {"variant:configuration", "GCell/s", "% bound", "x base", "predicted", "bound"}};
    const Result* baseline = baseline_of(group);
    for (const Result* r : group) {
      if (is_counted(*r, options)) {
        ++(r->status == Status::unmeasured ? unmeasured : cannot)[r->reason];
        continue;
      }
      rows.push_back(row_of(*r, baseline));
      noisy = noisy || (r->noisy && r->gcell_per_s);
      marked = marked || r->baseline;
      if (r->status != Status::valid) {
        reasons += fmt::format("{} {}: {}\n", full_name(*r), to_string(r->status), r->reason);
      }
    }
    if (rows.size() == 1) continue;
    alone = alone || (baseline == nullptr && rate_of(*group.front()) > 0);
    fit(rows, options.width);
    out += fmt::format("{}{}\n{}", out.empty() ? "" : "\n", title_of(*group.front()),
                       layout_table(rows, 1, 0));
  }
  out += reasons;
  if (marked) out += "* the baseline\n";
  if (alone)
    out +=
        "x base is - where the family's baseline (a tag in tessera describe) is not measured too\n";
  if (noisy) out += "~ noisy: the inter-quartile range exceeds 3 % of the median\n";
  out += count_by_reason(cannot, "rows cannot run here");
  out += count_by_reason(unmeasured, "rows were not measured");
  return out;
}

std::string format_winners(const std::vector<Result>& results,
                           const std::optional<Roofline>& roofline, bool on_host) {
  std::string out;
  std::map<std::string, const Result*> fastest;
  std::map<GroupKey, const Result*> baselines;
  std::vector<std::string> order;
  for (const Group& group : grouped(results)) {
    const Result* first = group.front();
    if (!first->gcell_per_s) continue;
    baselines[key_of(*first)] = baseline_of(group);
    const Result*& best = fastest[first->stencil];
    if (best == nullptr) order.push_back(first->stencil);
    if (best == nullptr || rate_of(*first) > rate_of(*best)) best = first;
  }
  for (const std::string& stencil : order) {
    const Result& r = *fastest[stencil];
    const Result* baseline = baselines[key_of(r)];
    fmt::format_to(std::back_inserter(out), "fastest{}: {}{}, {:.3f} GCell/s",
                   order.size() > 1 ? " of " + stencil : "", full_name(r),
                   r.decomposition.empty() ? "" : " in " + r.decomposition, rate_of(r));
    if (baseline != nullptr && baseline != &r) {
      fmt::format_to(std::back_inserter(out), ", {:.2f} times {}", rate_of(r) / rate_of(*baseline),
                     baseline->variant);
    }
    if (const auto share = share_of_bound(r)) {
      fmt::format_to(std::back_inserter(out), ", {:.1f} % of its bound", 100 * *share);
    }
    if (const auto moved = share_of_moved(r); moved && r.fraction_of_roofline) {
      fmt::format_to(
          std::back_inserter(out),
          " (of the roofline {:.1f} % by the {:.1f} B a cell that it moves, {:.1f} % by the "
          "fewest that one step needs)",
          100 * moved->share, moved->bytes_per_cell, 100 * *r.fraction_of_roofline);
    }
    out += "; " + held_back(r, roofline, on_host) + "\n";
  }
  return out;
}

std::string figure_of_merit(std::string name, double gcell_per_s) {
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), ':', '/');
  return fmt::format("FOM {} = {:.6g} GCell/s\n", name, gcell_per_s);
}

std::string format_figures_of_merit(const std::vector<Result>& results) {
  std::string out;
  for (const Result& r : results) {
    if (r.status != Status::valid || !r.gcell_per_s) continue;
    std::string name = full_name(r) + "/" + r.stencil.substr(r.stencil.find('/') + 1);
    if (!r.decomposition.empty()) name += "/" + r.decomposition;
    name += "/" + r.precision;
    // Fields that are not plain are in the details, and a figure of their own.
    if (const auto storage = value_in(r.details, "storage"); !storage.empty())
      name.append("/").append(storage);
    out += figure_of_merit(std::move(name), rate_of(r));
  }
  return out;
}

std::string format_verdict(const std::vector<Result>& results) {
  const Result* fastest = nullptr;
  bool pass = true;
  for (const Result& r : results) {
    pass = pass && r.status != Status::invalid;
    if (r.status != Status::valid || !r.gcell_per_s) continue;
    if (fastest == nullptr || rate_of(r) > rate_of(*fastest)) fastest = &r;
  }
  if (fastest == nullptr) return "FAIL\n";
  return format_figures_of_merit({*fastest}) + (pass ? "PASS\n" : "FAIL\n");
}

}  // namespace tessera::results

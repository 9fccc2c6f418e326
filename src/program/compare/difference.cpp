// SPDX-License-Identifier: Apache-2.0
#include "program/compare/difference.hpp"

#include "base/support/error.hpp"
#include "program/compare/collection.hpp"
#include "program/compare/machine_identity.hpp"
#include "program/results/result_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera::compare {

using nlohmann::json;

namespace {

/// What was computed and how, without the steps.
std::string case_of(const results::Result& r) {
  std::string name = results::full_name(r);
  for (const std::string& part : {r.decomposition, r.stencil, r.precision, r.model}) {
    if (!part.empty()) name += " " + part;
  }
  return name + fmt::format(" {}x{}x{}", r.nx, r.ny, r.nz);
}

std::string name_of(const results::Result& r) {
  return case_of(r) + fmt::format(" {} steps", r.steps);
}

/// A GPU goes by its name. Processors of several generations call themselves alike.
bool same_machine(const results::ResultFile& a, const results::ResultFile& b) {
  if (a.machine.contains("device_properties") || b.machine.contains("device_properties")) {
    return device_of(a.machine) == device_of(b.machine);
  }
  return machine_identity(a.machine) == machine_identity(b.machine);
}

/// Half the inter-quartile range over the median, of the samples.
double spread_of(const results::Result& r) {
  if (r.samples_s.size() < 2) return 0;
  const machine::Summary s = machine::summarise(r.samples_s);
  return s.iqr() / (2 * s.median);
}

/// Half the range of the copy bandwidth over its median.
double copy_spread_of(const results::ResultFile& file) {
  const machine::Rate& copy = file.streams->copy;
  return copy.median > 0 ? (copy.max - copy.min) / (2 * copy.median) : 0;
}

/// Whether a stored file holds the run's own measurements, under whatever name: its date, and
/// rows with the same samples.
bool is_run_itself(const results::ResultFile& stored, const results::ResultFile& run) {
  const auto is_same = [](const results::Result& a, const results::Result& b) {
    return name_of(a) == name_of(b) && a.status == b.status && a.samples_s == b.samples_s;
  };
  return stored.date == run.date && device_of(stored.machine) == device_of(run.machine) &&
         std::equal(stored.results.begin(), stored.results.end(), run.results.begin(),
                    run.results.end(), is_same);
}

/// A stored row and the file that it stands in.
struct StoredRow {
  const StoredFile* from = nullptr;
  const results::Result* row = nullptr;
};

/// The stored rows by name: of several the newest, a valid one before any that is not, and one of
/// `run` before any of `tune`.
std::map<std::string, StoredRow> rows_by_name(const std::vector<const StoredFile*>& stored) {
  std::map<std::string, StoredRow> out;
  const auto rank = [](const StoredRow& r) {
    return std::tuple(r.row->status == results::Status::valid, !is_of_tune(r.from->file),
                      std::string_view(r.from->file.date));
  };
  for (const StoredFile* file : stored) {
    for (const results::Result& row : file->file.results) {
      const StoredRow found{file, &row};
      const auto [at, fresh] = out.try_emplace(name_of(row), found);
      if (!fresh && rank(found) >= rank(at->second)) at->second = found;
    }
  }
  return out;
}

RowDifference compare_rows(const StoredRow& before, const results::ResultFile& run,
                           const results::Result& b, const DifferenceOptions& options) {
  const results::Result& a = *before.row;
  RowDifference row;
  row.name = name_of(b);
  row.stored = before.from->name;
  row.date = before.from->file.date;
  row.before = a.gcell_per_s ? a.gcell_per_s->median : 0;
  row.after = b.gcell_per_s ? b.gcell_per_s->median : 0;
  if (row.before == 0 || row.after == 0) {
    if (row.after == 0 && row.before > 0) {
      row.verdict = Verdict::lost;
      row.reason = to_string(b.status) + (b.reason.empty() ? "" : ": " + b.reason);
    } else if (row.after > 0) {
      row.verdict = Verdict::gained;
    } else {
      row.verdict = Verdict::never;
    }
    return row;
  }
  row.ratio = row.after / row.before;
  row.spread = spread_of(a) + spread_of(b);
  if (!options.absolute && before.from->file.streams && run.streams) {
    row.ratio *= before.from->file.streams->copy.median / run.streams->copy.median;
    row.spread += copy_spread_of(before.from->file) + copy_spread_of(run);
  }
  if (std::abs(row.ratio - 1) > std::max(options.tolerance, row.spread)) {
    row.verdict = row.ratio > 1 ? Verdict::faster : Verdict::slower;
  }
  return row;
}

/// The stored files of a machine like the run's, but for the run itself, whose names go to
/// `left_out`.
std::vector<const StoredFile*> files_alike(const std::vector<StoredFile>& stored,
                                           const results::ResultFile& run, bool any_machine,
                                           std::vector<std::string>& left_out) {
  std::vector<const StoredFile*> alike;
  const StoredFile* other = nullptr;
  for (const StoredFile& file : stored) {
    if (is_run_itself(file.file, run)) {
      left_out.push_back(file.name);
    } else if (any_machine || same_machine(file.file, run)) {
      alike.push_back(&file);
    } else if (other == nullptr) {
      other = &file;
    }
  }
  require(!alike.empty() || other != nullptr || left_out.empty(),
          "{}: the run itself, and nothing else is stored to set it beside",
          fmt::join(left_out, ", "));
  require(!alike.empty(),
          "no stored file is of a machine like the run's ({}): {}; --any-machine takes them all",
          other == nullptr ? device_of(run.machine) : told_apart(run.machine, other->file.machine),
          other == nullptr ? "there is none" : told_apart(other->file.machine, run.machine));
  return alike;
}

/// "revision 0123abcd of 2026-01-31T23:59:59Z": of the files each once.
std::string origins_of(const std::vector<const results::ResultFile*>& files) {
  std::map<std::string, std::set<std::string>> dates;
  for (const results::ResultFile* file : files) {
    dates[short_revision(file->build)].insert(file->date);
  }
  std::vector<std::string> out;
  for (const auto& [revision, of] : dates) {
    const std::string when = of.size() == 1 ? *of.begin() : *of.begin() + " to " + *of.rbegin();
    out.push_back((revision.empty() ? "no revision" : "revision " + revision) + " of " + when);
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

/// Why no row is in common: other steps, where that is all.
std::string nothing_in_common(const std::vector<const StoredFile*>& stored,
                              const results::ResultFile& run) {
  for (const StoredFile* file : stored) {
    for (const results::Result& old : file->file.results) {
      for (const results::Result& now : run.results) {
        if (case_of(old) == case_of(now) && old.steps == now.steps) {
          return fmt::format(
              "none of its rows is stored: they are of another problem: it ran \"{}\", {} holds "
              "\"{}\"",
              now.details, file->name, old.details);
        }
        if (case_of(old) == case_of(now)) {
          return fmt::format(
              "none of its rows is stored with the same steps: it ran {}, {} holds "
              "{} (--set case.steps={})",
              now.steps, file->name, old.steps, old.steps);
        }
      }
    }
  }
  return "none of its rows is stored: the files have no row in common";
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
    case Verdict::never:
      return "never";
  }
  return "";
}

std::size_t Difference::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const RowDifference& row) { return row.verdict == verdict; }));
}

Difference difference(const std::vector<StoredFile>& stored, const results::ResultFile& run,
                      const DifferenceOptions& options) {
  Difference found;
  std::vector<std::string> left_out;
  const auto alike = files_alike(stored, run, options.any_machine, left_out);
  for (const std::string& name : left_out) {
    found.remarks.push_back(name + ": left out, since it is the run itself");
  }
  found.measure = options.absolute ? "GCell/s" : "share of copy";
  const auto lacks_copy = [](const StoredFile* file) { return !file->file.streams; };
  if (!options.absolute && (!run.streams || std::any_of(alike.begin(), alike.end(), lacks_copy))) {
    found.remarks.emplace_back("a file has no copy bandwidth: its GCell/s are compared");
  }
  if (alike.size() == 1 && alike.front()->file.deck != run.deck) {
    found.remarks.emplace_back("the decks differ");
  }
  std::map<std::string, StoredRow> old = rows_by_name(alike);
  for (const results::Result& r : run.results) {
    const auto at = old.find(name_of(r));
    // Older files do not tell a case's details.
    if (at == old.end() || (!r.details.empty() && !at->second.row->details.empty() &&
                            r.details != at->second.row->details)) {
      ++found.only_after;
      continue;
    }
    found.rows.push_back(compare_rows(at->second, run, r, options));
    old.erase(at);
  }
  found.only_before = old.size();
  std::vector<const results::ResultFile*> before;
  for (const StoredFile* file : alike) before.push_back(&file->file);
  found.before = origins_of(before);
  found.after = origins_of({&run});
  require(!found.rows.empty(), "{}", nothing_in_common(alike, run));
  return found;
}

std::string format_difference(const Difference& found) {
  std::vector<std::vector<std::string>> rows = {
      {"row", "before GCell/s", "after GCell/s", found.measure + " ratio", "spread %", "verdict"}};
  for (const RowDifference& row : found.rows) {
    const bool both = row.before > 0 && row.after > 0;
    if (row.verdict == Verdict::never) continue;
    rows.push_back({row.name, row.before > 0 ? fmt::format("{:.4g}", row.before) : "-",
                    row.after > 0 ? fmt::format("{:.4g}", row.after) : "-",
                    both ? fmt::format("{:.3f}", row.ratio) : "-",
                    both ? fmt::format("{:.1f}", 100 * row.spread) : "-", to_string(row.verdict)});
  }
  std::string out = fmt::format("before: {}\nafter: {}\n{}", found.before, found.after,
                                results::layout_table(rows, 1, 1));
  for (const std::string& remark : found.remarks) out += "note: " + remark + '\n';
  out +=
      fmt::format("{} slower, {} lost, {} faster, {} gained, {} same", found.count(Verdict::slower),
                  found.count(Verdict::lost), found.count(Verdict::faster),
                  found.count(Verdict::gained), found.count(Verdict::same));
  if (const std::size_t never = found.count(Verdict::never); never > 0) {
    out += fmt::format("; {} valid in neither", never);
  }
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
                    {"verdict", to_string(row.verdict)},
                    {"reason", row.reason},
                    {"stored", row.stored},
                    {"stored_date", row.date}});
  }
  return {{"schema", "tessera-difference-1"}, {"measure", found.measure},
          {"before", found.before},           {"after", found.after},
          {"rows", std::move(rows)},          {"only_before", found.only_before},
          {"only_after", found.only_after},   {"remarks", found.remarks}};
}

}  // namespace tessera::compare

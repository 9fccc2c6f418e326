// SPDX-License-Identifier: Apache-2.0
#include "program/predict/error_report.hpp"

#include "program/predict/prune.hpp"
#include "program/results/result_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {
namespace {

std::string row_name(const JudgedRow& row) {
  const results::Result& r = *row.stored->result;
  return fmt::format("{} {}{}{} {}", results::full_name(r), r.stencil,
                     r.decomposition.empty() ? "" : " ", r.decomposition, r.precision);
}

std::vector<const JudgedRow*> worst_of(const JudgedStudy& study, const std::string& family,
                                       std::size_t most) {
  std::vector<const JudgedRow*> rows = worst_rows(study, study.rows.size());
  std::erase_if(rows, [&](const JudgedRow* row) { return row->stored->result->family != family; });
  rows.resize(std::min(rows.size(), most));
  return rows;
}

std::string percent(double error, int rows) {
  return rows == 0 ? "-" : fmt::format("{:.1f}", 100 * error);
}

/// ": a, b, c"; nothing of none.
std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? std::string() : fmt::format(": {}", fmt::join(names, ", "));
}

}  // namespace

std::string error_table(const JudgedStudy& study, const StoredStudy& stored,
                        const ErrorReport& how) {
  std::string text = fmt::format(
      "predictions for {}, mean |predicted / measured - 1| in %: of time, of the half of a "
      "family's "
      "rows that calibration may use and of the other, and of counted memory volume\n\n",
      how.machine);
  std::vector<std::vector<std::string>> table = {{"family", "rows", "first half", "judged half",
                                                  "not vectorised", "volume", "rows counted",
                                                  "Spearman"}};
  const auto families = errors_by_family(study);
  for (const FamilyErrors& f : families) {
    table.push_back({f.family, std::to_string(f.fitted_rows + f.judged_rows + f.scalar_rows),
                     percent(f.fitted, f.fitted_rows), percent(f.judged, f.judged_rows),
                     percent(f.scalar, f.scalar_rows), percent(f.volume, f.counted_rows),
                     std::to_string(f.counted_rows), fmt::format("{:.2f}", f.rank)});
  }
  text += results::layout_table(table, 1, 0);
  for (const FamilyErrors& f : families) {
    if (how.worst == 0) break;
    text += fmt::format("\nworst of {}: predicted / measured, what binds\n", f.family);
    for (const JudgedRow* row : worst_of(study, f.family, how.worst)) {
      text += fmt::format("  {:5.2f}  {:<12} {} ({})\n", row->ratio(), row->binding, row_name(*row),
                          row->stored->file);
    }
  }
  const PruneRecord p = prune_record(study, how.prune);
  text += fmt::format(
      "\na search that runs what is predicted within {:.4g} of the best: the same winner in {} of "
      "{} "
      "groups, {} of {} rows run, at worst {:.1f} % slower\n",
      how.prune, p.same_winner, p.groups, p.kept, p.rows, 100 * p.worst_loss);
  text += fmt::format("{} rows without a prediction{}\n", study.unpredicted_rows,
                      listed(study.unpredicted));
  text += fmt::format("{} rows of tiles that there is no plan of{}\n", stored.unknown_rows,
                      listed(stored.unknown));
  return text;
}

nlohmann::json error_json(const JudgedStudy& study, const StoredStudy& stored,
                          const ErrorReport& how) {
  nlohmann::json families = nlohmann::json::array();
  for (const FamilyErrors& f : errors_by_family(study)) {
    nlohmann::json worst = nlohmann::json::array();
    for (const JudgedRow* row : worst_of(study, f.family, how.worst)) {
      worst.push_back({{"name", row_name(*row)},
                       {"file", row->stored->file},
                       {"predicted_over_measured", row->ratio()},
                       {"binding", row->binding}});
    }
    nlohmann::json entry = {{"family", f.family},
                            {"fitted_rows", f.fitted_rows},
                            {"judged_rows", f.judged_rows},
                            {"scalar_rows", f.scalar_rows},
                            {"counted_rows", f.counted_rows},
                            {"rank", f.rank},
                            {"measured_s", f.measured_s},
                            {"worst", worst}};
    if (f.fitted_rows > 0) entry["fitted"] = f.fitted;
    if (f.judged_rows > 0) entry["judged"] = f.judged;
    if (f.scalar_rows > 0) entry["scalar"] = f.scalar;
    if (f.counted_rows > 0) entry["volume"] = f.volume;
    families.push_back(std::move(entry));
  }
  const PruneRecord p = prune_record(study, how.prune);
  return {{"schema", "tessera-model-errors-1"},
          {"machine", how.machine},
          {"unpredicted_rows", study.unpredicted_rows},
          {"unpredicted", study.unpredicted},
          {"unknown_rows", stored.unknown_rows},
          {"unknown", stored.unknown},
          {"families", families},
          {"prune",
           {{"factor", how.prune},
            {"groups", p.groups},
            {"same_winner", p.same_winner},
            {"rows", p.rows},
            {"kept", p.kept},
            {"worst_loss", p.worst_loss}}}};
}

}  // namespace tessera

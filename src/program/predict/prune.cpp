// SPDX-License-Identifier: Apache-2.0
#include "program/predict/prune.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tessera {

std::vector<bool> within(const std::vector<double>& predicted_s, double factor) {
  double least = std::numeric_limits<double>::infinity();
  for (const double s : predicted_s) {
    if (s > 0) least = std::min(least, s);
  }
  std::vector<bool> kept;
  for (const double s : predicted_s) kept.push_back(s <= 0 || s <= factor * least);
  return kept;
}

PruneRecord prune_record(const JudgedStudy& study, double factor) {
  using Key = std::tuple<std::string, std::string, std::string, std::int64_t>;
  std::map<Key, std::vector<const JudgedRow*>> groups;
  for (const JudgedRow& row : study.rows) {
    const results::Result& r = *row.stored->result;
    groups[{row.stored->file, r.stencil, r.decomposition + "/" + r.precision, r.nx * r.ny * r.nz}]
        .push_back(&row);
  }
  PruneRecord record;
  for (const auto& [key, rows] : groups) {
    if (rows.size() < 2) continue;
    std::vector<double> predicted;
    for (const JudgedRow* row : rows) predicted.push_back(row->predicted_s);
    const std::vector<bool> kept = within(predicted, factor);
    double best = std::numeric_limits<double>::infinity(), best_kept = best;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      best = std::min(best, rows[i]->stored->seconds);
      if (!kept[i]) continue;
      best_kept = std::min(best_kept, rows[i]->stored->seconds);
      ++record.kept;
    }
    record.rows += static_cast<int>(rows.size());
    ++record.groups;
    record.same_winner += best_kept == best ? 1 : 0;
    record.worst_loss = std::max(record.worst_loss, best_kept / best - 1);
  }
  return record;
}

}  // namespace tessera

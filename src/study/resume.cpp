// SPDX-License-Identifier: Apache-2.0
#include "study/resume.hpp"

#include "io/json_file.hpp"

#include <fmt/core.h>

namespace tessera {
namespace {

using nlohmann::json;

/// The deck without what may differ between runs whose rows are alike.
json case_of(json deck) {
  for (const char* table : {"select", "output"}) deck.erase(table);
  return deck;
}

/// What tells machines apart, and how their threads are used.
json setting_of(const json& machine) {
  json out;
  for (const char* key : {"name", "device", "concurrency", "environment"}) {
    out[key] = machine.value(key, json(nullptr));
  }
  return out;
}

/// Why no row of `earlier` can be kept; empty where some may.
std::string difference(const results::ResultFile& earlier, const results::ResultFile& now,
                       int ranks) {
  if (earlier.build != now.build) return "another binary measured it";
  if (setting_of(earlier.machine) != setting_of(now.machine)) {
    return "it is of another machine, or of other threads";
  }
  if (case_of(earlier.deck) != case_of(now.deck)) return "its deck was another";
  for (const results::Result& row : earlier.results) {
    const int had = io::value_or(row.parallel, "ranks", 1);
    const bool ran = row.status == results::Status::valid;
    if (ran && had != ranks) return fmt::format("it is of {} ranks, not {}", had, ranks);
  }
  return "";
}

}  // namespace

Resumed resume(const results::ResultFile& earlier, const results::ResultFile& now,
               const std::filesystem::path& path, const Resuming& run) {
  Resumed out;
  const std::string why = difference(earlier, now, run.ranks);
  if (why.empty()) {
    for (const results::Result& row : earlier.results) {
      if (!run.is_selected(row)) {
        out.others.push_back(row);
        continue;
      }
      const bool whole = row.status == results::Status::valid && row.reason.empty() &&
                         static_cast<int>(row.samples_s.size()) >= run.repetitions;
      if (whole || row.status == results::Status::unsupported) {
        out.kept.push_back(row);
      } else if (row.status == results::Status::valid) {
        out.unfinished.push_back(row);
      }
    }
  }
  if (out.kept.empty() && out.others.empty()) {
    out.remark = fmt::format("resuming: nothing of {} is kept: {}", path.string(),
                             why.empty() ? "no row of it is finished" : why);
    return out;
  }
  out.begun = earlier.begun.empty() ? earlier.date : earlier.begun;
  out.remark = fmt::format("resuming: {} of the {} rows of {} are kept", out.kept.size(),
                           earlier.results.size(), path.string());
  if (!out.others.empty()) {
    out.remark += fmt::format("; {} that are not selected stay in the file", out.others.size());
  }
  return out;
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "program/run/resume.hpp"

#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/run/json_difference.hpp"
#include "program/run/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The deck without what may differ between runs whose rows are alike. Repetitions are counted row
/// by row.
json case_of(json deck) {
  for (const char* table : {"select", "output"}) deck.erase(table);
  const auto measure = deck.find("measure");
  if (measure != deck.end() && measure->is_object()) {
    measure->erase("repetitions");
    if (measure->empty()) deck.erase(measure);
  }
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

/// Where the threads run, as far as `like` tells it too.
json place_of(const json& machine, const json& like) {
  const auto topology = [](const json& of) { return io::value_or(of, "topology", json::object()); };
  const json here = topology(machine);
  const json there = topology(like);
  json out = json::object();
  for (const char* key : {"binding", "cores", "cpu_quota", "cpus", "numa_nodes"}) {
    if (here.contains(key) && there.contains(key)) out[key] = here[key];
  }
  return out;
}

bool is_finished(const results::Result& row, int repetitions) {
  const bool whole = row.status == results::Status::valid && row.reason.empty() &&
                     static_cast<int>(row.samples_s.size()) >= repetitions;
  return whole || row.status == results::Status::unsupported;
}

/// Takes the rows of `part` that `file` does not have, or has less of. Whether there are any.
bool take_rows(std::vector<results::Result>& rows, const std::vector<results::Result>& part,
               int repetitions) {
  bool any = false;
  const auto worth = [&](const results::Result& row) {
    return std::pair(is_finished(row, repetitions), row.samples_s.size());
  };
  for (const results::Result& row : part) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const results::Result& other) {
      return is_alike(other, row);
    });
    if (same != rows.end() && worth(*same) >= worth(row)) continue;
    if (same == rows.end()) {
      rows.push_back(row);
    } else {
      *same = row;
    }
    any = true;
  }
  return any;
}

/// The file of which a killed run, which left a part file, was to take the place; none where it has
/// no rows for this run.
std::optional<results::ResultFile> read_older(const fs::path& path, const results::ResultFile& now,
                                              const Resuming& run) {
  try {
    results::ResultFile file = results::read_json(path);
    if (!run.judges || difference(file, now, run).empty()) return file;
  } catch (const Error&) {  // no result file
  }
  return std::nullopt;
}

}  // namespace

std::string difference(const results::ResultFile& earlier, const results::ResultFile& now,
                       const Resuming& run) {
  for (const std::string& text :
       {first_difference(case_of(earlier.deck), case_of(now.deck), "deck"),
        first_difference(setting_of(earlier.machine), setting_of(now.machine), "machine"),
        first_difference(place_of(earlier.machine, now.machine),
                         place_of(now.machine, earlier.machine), "machine.topology"),
        first_difference(earlier.build, now.build, "build")}) {
    if (!text.empty()) return text;
  }
  for (const results::Result& row : earlier.results) {
    if (row.status != results::Status::valid) continue;
    const int had = io::value_or(row.parallel, "ranks", 1);
    if (had != run.ranks) return fmt::format("it is of {} ranks, not {}", had, run.ranks);
    const std::string by = io::value_or(row.parallel, "transport", run.transport);
    if (by != run.transport) {
      return fmt::format("its transport is {}, here it is {}", by, run.transport);
    }
  }
  return "";
}

Earlier read_earlier(const fs::path& json, const results::ResultFile& now, const Resuming& run) {
  const fs::path part_path = io::part_path(json);
  if (!is_plain_file(part_path)) {
    Earlier out{results::read_json(json), json.string()};
    const std::string differs = run.judges ? difference(out.file, now, run) : "";
    require(differs.empty(),
            "{} is of another run: {}; -o keeps this one apart, without --resume all is measured "
            "anew",
            json.string(), differs);
    return out;
  }
  results::ResultFile part = results::read_json(part_path);
  const std::string differs = run.judges ? difference(part, now, run) : "";
  require(differs.empty(),
          "{}, which a killed run left, is of another run: {}; move it away, or -o keeps it apart",
          part_path.string(), differs);
  std::optional<results::ResultFile> older;
  if (is_plain_file(json)) older = read_older(json, now, run);
  if (!older) return {std::move(part), part_path.string()};
  const std::string begun = older->begun.empty() ? older->date : older->begun;
  std::vector<results::Result> rows = older->results;
  if (!take_rows(rows, part.results, run.repetitions)) return {*std::move(older), json.string()};
  // Head and streams are of what was measured last.
  part.results = std::move(rows);
  part.begun = begun;
  return {std::move(part), json.string() + " and " + part_path.string()};
}

Resumed resume(const Earlier& earlier, const Resuming& run) {
  Resumed out;
  const results::ResultFile& file = earlier.file;
  for (const results::Result& row : file.results) {
    if (!run.is_selected(row)) {
      out.others.push_back(row);
    } else if (is_finished(row, run.repetitions)) {
      out.kept.push_back(row);
    } else if (row.status == results::Status::valid) {
      out.unfinished.push_back(row);
    }
  }
  if (out.kept.empty() && out.others.empty()) {
    out.remark =
        fmt::format("resuming: nothing of {} is kept: no row of it is finished", earlier.source);
    return out;
  }
  out.begun = file.begun.empty() ? file.date : file.begun;
  out.remark = fmt::format("resuming: {} of the {} rows of {} are kept", out.kept.size(),
                           file.results.size(), earlier.source);
  if (!out.others.empty()) {
    out.remark += fmt::format("; {} that are not selected stay in the file", out.others.size());
  }
  return out;
}

}  // namespace tessera

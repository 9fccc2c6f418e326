// SPDX-License-Identifier: Apache-2.0
#include "program/run/resume.hpp"

#include "base/io/json_file.hpp"

#include <fmt/core.h>

#include <utility>

namespace tessera {
namespace {

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

/// Where the threads run.
json place_of(const json& machine) {
  const json topology = io::value_or(machine, "topology", json::object());
  json out = json::object();
  for (const char* key : {"binding", "cores", "cpu_quota", "cpus", "numa_nodes"}) {
    if (topology.contains(key)) out[key] = topology[key];
  }
  return out;
}

bool is_finished(const results::Result& row, int repetitions) {
  const bool whole = row.status == results::Status::valid && row.reason.empty() &&
                     static_cast<int>(row.samples_s.size()) >= repetitions;
  return whole || row.status == results::Status::unsupported;
}

}  // namespace

json run_identity(const results::ResultFile& file, int ranks, const std::string& transport) {
  json machine = setting_of(file.machine);
  machine["topology"] = place_of(file.machine);
  return {{"deck", case_of(file.deck)},
          {"machine", std::move(machine)},
          {"build", file.build},
          {"ranks", ranks},
          {"transport", transport}};
}

Resumed resume(const results::ResultFile& earlier, const std::string& source, const Resuming& run) {
  Resumed out;
  for (const results::Result& row : earlier.results) {
    if (!run.is_selected(row)) {
      out.others.push_back(row);
    } else if (is_finished(row, run.repetitions)) {
      out.kept.push_back(row);
    } else if (row.status == results::Status::valid) {
      out.unfinished.push_back(row);
    }
  }
  if (out.kept.empty() && out.others.empty()) {
    out.remark = fmt::format("resuming: nothing of {} is kept: no row of it is finished", source);
    return out;
  }
  out.begun = earlier.begun.empty() ? earlier.date : earlier.begun;
  out.remark = fmt::format("resuming: {} of the {} rows of {} are kept", out.kept.size(),
                           earlier.results.size(), source);
  if (!out.others.empty()) {
    out.remark += fmt::format("; {} that are not selected stay in the file", out.others.size());
  }
  return out;
}

}  // namespace tessera

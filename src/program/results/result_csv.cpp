// SPDX-License-Identifier: Apache-2.0
#include "program/results/result_csv.hpp"

#include "base/io/atomic_file.hpp"
#include "base/support/csv.hpp"

#include <set>
#include <string>
#include <vector>

namespace tessera::results {
namespace {

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What was computed, alike for all variants: equal texts are one problem.
std::string problem_of(const Result& r) {
  std::string out = fmt::format("{} {}x{}x{} {}", r.stencil, r.nx, r.ny, r.nz, r.precision);
  for (const std::string& part : {r.model, r.details}) {
    if (!part.empty()) out += " " + part;
  }
  return out;
}

/// Whether a row says how fast a variant is, or that it cannot run; not that it was not tried.
bool is_figure(const Result& r) {
  return r.status != Status::unmeasured && r.status != Status::unverified;
}

/// The problems that some variant has a rate of: best rates, which efficiencies are shares of.
std::set<std::string> solved_problems(const ResultFile& file) {
  std::set<std::string> out;
  for (const Result& r : file.results) {
    if (r.status == Status::valid && r.gcell_per_s) out.insert(problem_of(r));
  }
  return out;
}

std::string part_of(const Result& r, double machine::Rate::*which) {
  return r.gcell_per_s ? csv_number((*r.gcell_per_s).*which) : std::string();
}

std::string stream_of(const ResultFile& file, machine::Rate machine::StreamRates::*which) {
  return file.streams ? csv_number(((*file.streams).*which).median) : std::string();
}

std::string seconds_of(const Result& r) {
  return r.samples_s.empty() ? std::string() : csv_number(machine::summarise(r.samples_s).median);
}

/// Where a file's rows ran.
struct Place {
  std::string platform, transport;
  int ranks = 1;
};

/// All rows of a file ran on as many ranks; those that could not run do not say so themselves.
Place place_of(const ResultFile& file) {
  Place place;
  place.platform = text_of(file.machine, "name");
  if (place.platform.empty()) place.platform = text_of(file.machine, "device");
  for (const Result& r : file.results) {
    const auto found = r.parallel.find("ranks");
    if (found == r.parallel.end() || !found->is_number_integer()) continue;
    place.ranks = found->get<int>();
    place.transport = text_of(r.parallel, "transport");
    break;
  }
  if (place.ranks > 1) place.platform += fmt::format(", {} ranks", place.ranks);
  return place;
}

/// What a line is made from.
struct Line {
  const ResultFile& file;
  const Place& place;
  const Result& r;
};

struct Column {
  const char* name;
  std::string (*text)(const Line&);
};

const Column kColumns[] = {
    {"application",
     [](const Line& l) {
       return "tessera " + full_name(l.r) +
              (l.r.decomposition.empty() ? "" : " " + l.r.decomposition);
     }},
    {"problem", [](const Line& l) { return problem_of(l.r); }},
    {"platform", [](const Line& l) { return l.place.platform; }},
    {"fom",
     [](const Line& l) { return l.r.gcell_per_s ? part_of(l.r, &machine::Rate::median) : "0"; }},
    {"family", [](const Line& l) { return l.r.family; }},
    {"stencil", [](const Line& l) { return l.r.stencil; }},
    {"variant", [](const Line& l) { return l.r.variant; }},
    {"configuration", [](const Line& l) { return l.r.configuration; }},
    {"decomposition", [](const Line& l) { return l.r.decomposition; }},
    {"precision", [](const Line& l) { return l.r.precision; }},
    {"model", [](const Line& l) { return l.r.model; }},
    {"details", [](const Line& l) { return l.r.details; }},
    {"nx", [](const Line& l) { return std::to_string(l.r.nx); }},
    {"ny", [](const Line& l) { return std::to_string(l.r.ny); }},
    {"nz", [](const Line& l) { return std::to_string(l.r.nz); }},
    {"steps", [](const Line& l) { return std::to_string(l.r.steps); }},
    {"status", [](const Line& l) { return to_string(l.r.status); }},
    {"reason", [](const Line& l) { return l.r.reason; }},
    {"seconds_per_step_median", [](const Line& l) { return seconds_of(l.r); }},
    {"iqr_s", [](const Line& l) { return csv_number(l.r.iqr_s); }},
    {"noisy", [](const Line& l) { return std::string(l.r.noisy ? "true" : "false"); }},
    {"steps_per_sample", [](const Line& l) { return std::to_string(l.r.steps_per_sample); }},
    {"repetitions", [](const Line& l) { return std::to_string(l.r.samples_s.size()); }},
    {"temporal_depth", [](const Line& l) { return std::to_string(l.r.temporal_depth); }},
    {"gcell_per_s_min", [](const Line& l) { return part_of(l.r, &machine::Rate::min); }},
    {"gcell_per_s_median", [](const Line& l) { return part_of(l.r, &machine::Rate::median); }},
    {"gcell_per_s_max", [](const Line& l) { return part_of(l.r, &machine::Rate::max); }},
    {"effective_gb_per_s", [](const Line& l) { return csv_number(l.r.effective_gb_per_s); }},
    {"fraction_of_copy", [](const Line& l) { return csv_number(l.r.fraction_of_copy); }},
    {"fraction_of_update", [](const Line& l) { return csv_number(l.r.fraction_of_update); }},
    {"gflop_per_s", [](const Line& l) { return csv_number(l.r.gflop_per_s); }},
    {"flop_per_byte", [](const Line& l) { return csv_number(l.r.flop_per_byte); }},
    {"roofline_gflop_per_s", [](const Line& l) { return csv_number(l.r.roofline_gflop_per_s); }},
    {"fraction_of_roofline", [](const Line& l) { return csv_number(l.r.fraction_of_roofline); }},
    {"moved_bytes_per_cell", [](const Line& l) { return csv_number(l.r.moved_bytes_per_cell); }},
    {"fraction_at_moved", [](const Line& l) { return csv_number(l.r.fraction_at_moved); }},
    {"u_min", [](const Line& l) { return csv_number(l.r.u_min); }},
    {"u_max", [](const Line& l) { return csv_number(l.r.u_max); }},
    {"predicted_step_s",
     [](const Line& l) { return csv_number(number_at(l.r.predicted, "step_s")); }},
    {"predicted_gcell_per_s",
     [](const Line& l) { return csv_number(number_at(l.r.predicted, "gcell_per_s")); }},
    {"predicted_deviation",
     [](const Line& l) { return csv_number(number_at(l.r.predicted, "deviation")); }},
    {"fraction_of_attainable",
     [](const Line& l) { return csv_number(number_at(l.r.predicted, "fraction_of_attainable")); }},
    {"joules", [](const Line& l) { return csv_number(number_at(l.r.energy, "joules")); }},
    {"watts", [](const Line& l) { return csv_number(number_at(l.r.energy, "watts")); }},
    {"cells_per_joule",
     [](const Line& l) { return csv_number(number_at(l.r.energy, "cells_per_joule")); }},
    {"energy_error", [](const Line& l) { return csv_number(number_at(l.r.energy, "error")); }},
    {"copy_gb_per_s", [](const Line& l) { return stream_of(l.file, &machine::StreamRates::copy); }},
    {"triad_gb_per_s",
     [](const Line& l) { return stream_of(l.file, &machine::StreamRates::triad); }},
    {"update_gb_per_s",
     [](const Line& l) { return stream_of(l.file, &machine::StreamRates::update); }},
    {"date", [](const Line& l) { return l.file.date; }},
    {"version", [](const Line& l) { return text_of(l.file.build, "version"); }},
    {"git_revision", [](const Line& l) { return text_of(l.file.build, "git_revision"); }},
    {"ranks", [](const Line& l) { return std::to_string(l.place.ranks); }},
    {"transport", [](const Line& l) { return l.place.transport; }},
};

}  // namespace

std::string to_csv(const ResultFile& file) {
  std::vector<std::string> cells;
  for (const Column& column : kColumns) cells.emplace_back(column.name);
  std::string out = csv_line(cells);
  const Place place = place_of(file);
  const std::set<std::string> problems = solved_problems(file);
  for (const Result& stored : file.results) {
    if (!is_figure(stored) || problems.count(problem_of(stored)) == 0) continue;
    Result r = stored;
    // The same guard as in JSON: no rate leaves a row that is not valid.
    if (r.status != Status::valid) set_failed(r, r.status, r.reason.empty() ? "-" : r.reason);
    cells.clear();
    for (const Column& column : kColumns) cells.push_back(column.text({file, place, r}));
    out += csv_line(cells);
  }
  return out;
}

void write_csv(const ResultFile& file, const std::filesystem::path& path) {
  io::write_atomically(path, to_csv(file));
}

}  // namespace tessera::results

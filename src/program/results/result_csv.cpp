// SPDX-License-Identifier: Apache-2.0
// Results as spreadsheets read them: a flat CSV.
#include "base/io/atomic_file.hpp"
#include "base/support/csv.hpp"
#include "program/results/file_fields.hpp"
#include "program/results/result.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::results {
namespace {

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What was computed, alike for all variants and in compare.py: equal texts are one problem.
std::string problem_of(const Result& r) {
  std::string out = r.stencil;
  for (const std::string& part : {r.decomposition, r.precision, r.model, r.details}) {
    if (!part.empty()) out += " " + part;
  }
  return fmt::format("{} {}x{}x{}", out, r.nx, r.ny, r.nz);
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

/// A number or a text as a cell; null is an empty one.
std::string cell(const json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? csv_number(value.get<double>()) : value.dump();
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

/// What performance-portability tools look for first, then the fields of the row that show in CSV,
/// then what the file says of all of its rows.
std::vector<std::pair<std::string, std::string>> cells_of(const ResultFile& file,
                                                          const Place& place, const Result& r) {
  const json row = to_json(r);
  const json fom = value_at(row, "gcell_per_s");
  const json median = r.samples_s.empty() ? json() : json(machine::summarise(r.samples_s).median);
  std::vector<std::pair<std::string, std::string>> cells = {
      {"application", full_name(r)},
      {"problem", problem_of(r)},
      {"platform", place.platform},
      {"fom", fom.is_null() ? "0" : cell(fom)}};
  for (const RowField& at : all_row_fields()) {
    if (at.field->shown.csv == nullptr) continue;
    cells.emplace_back(at.field->shown.csv, cell(value_at(row, at.path)));
  }
  const json streams = file.streams ? to_json(*file.streams) : json::object();
  cells.insert(cells.end(), {{"seconds_per_step_median", cell(median)},
                             {"repetitions", std::to_string(r.samples_s.size())},
                             {"copy_gb_per_s", cell(value_at(streams, "copy"))},
                             {"triad_gb_per_s", cell(value_at(streams, "triad"))},
                             {"update_gb_per_s", cell(value_at(streams, "update"))},
                             {"date", file.date},
                             {"version", text_of(file.build, "version")},
                             {"git_revision", text_of(file.build, "git_revision")},
                             {"ranks", std::to_string(place.ranks)},
                             {"transport", place.transport}});
  return cells;
}

}  // namespace

std::string to_csv(const ResultFile& file) {
  const Place place = place_of(file);
  const std::set<std::string> problems = solved_problems(file);
  std::vector<std::string> line;
  for (const auto& [column, empty] : cells_of(file, place, Result{})) line.push_back(column);
  std::string out = csv_line(line);
  for (const Result& r : file.results) {
    if (!is_figure(r) || problems.count(problem_of(r)) == 0) continue;
    line.clear();
    for (const auto& [column, text] : cells_of(file, place, r)) line.push_back(text);
    out += csv_line(line);
  }
  return out;
}

void write_csv(const ResultFile& file, const std::filesystem::path& path) {
  io::write_atomically(path, to_csv(file));
}

}  // namespace tessera::results

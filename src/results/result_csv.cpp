// SPDX-License-Identifier: Apache-2.0
#include "results/result_csv.hpp"

#include "io/atomic_file.hpp"
#include "support/csv.hpp"

#include <set>

namespace tessera::measure {
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

}  // namespace

std::string to_csv(const ResultFile& file) {
  std::string platform = text_of(file.machine, "name");
  if (platform.empty()) platform = text_of(file.machine, "device");
  // All rows of a file ran on as many ranks; those that could not run do not say so themselves.
  int ranks = 1;
  std::string transport;
  for (const Result& r : file.results) {
    const auto found = r.parallel.find("ranks");
    if (found == r.parallel.end() || !found->is_number_integer()) continue;
    ranks = found->get<int>();
    transport = text_of(r.parallel, "transport");
    break;
  }
  if (ranks > 1) platform += fmt::format(", {} ranks", ranks);
  std::string out;
  out += csv_line({"application",
                   "problem",
                   "platform",
                   "fom",
                   "family",
                   "stencil",
                   "variant",
                   "configuration",
                   "decomposition",
                   "precision",
                   "model",
                   "details",
                   "nx",
                   "ny",
                   "nz",
                   "steps",
                   "status",
                   "reason",
                   "seconds_per_step_median",
                   "iqr_s",
                   "noisy",
                   "steps_per_sample",
                   "repetitions",
                   "temporal_depth",
                   "gcell_per_s_min",
                   "gcell_per_s_median",
                   "gcell_per_s_max",
                   "effective_gb_per_s",
                   "fraction_of_copy",
                   "fraction_of_update",
                   "gflop_per_s",
                   "flop_per_byte",
                   "roofline_gflop_per_s",
                   "fraction_of_roofline",
                   "moved_bytes_per_cell",
                   "fraction_at_moved",
                   "u_min",
                   "u_max",
                   "predicted_step_s",
                   "predicted_gcell_per_s",
                   "predicted_deviation",
                   "fraction_of_attainable",
                   "joules",
                   "watts",
                   "cells_per_joule",
                   "energy_error",
                   "copy_gb_per_s",
                   "triad_gb_per_s",
                   "update_gb_per_s",
                   "date",
                   "version",
                   "git_revision",
                   "ranks",
                   "transport"});
  const auto stream = [&file](Rate StreamRates::*which) {
    return file.streams ? csv_number(((*file.streams).*which).median) : std::string();
  };
  const std::set<std::string> problems = solved_problems(file);
  for (const Result& stored : file.results) {
    if (!is_figure(stored) || problems.count(problem_of(stored)) == 0) continue;
    Result r = stored;
    // The same guard as in JSON: no rate leaves a row that is not valid.
    if (r.status != Status::valid) set_failed(r, r.status, r.reason.empty() ? "-" : r.reason);
    const std::optional<Rate> rate = r.gcell_per_s;
    const auto part = [&rate](double Rate::*which) {
      return rate ? csv_number((*rate).*which) : std::string();
    };
    const std::string seconds =
        r.samples_s.empty() ? std::string() : csv_number(summarise(r.samples_s).median);
    out += csv_line(
        {"tessera " + full_name(r) + (r.decomposition.empty() ? "" : " " + r.decomposition),
         problem_of(r),
         platform,
         rate ? csv_number(rate->median) : "0",
         r.family,
         r.stencil,
         r.variant,
         r.configuration,
         r.decomposition,
         r.precision,
         r.model,
         r.details,
         std::to_string(r.nx),
         std::to_string(r.ny),
         std::to_string(r.nz),
         std::to_string(r.steps),
         to_string(r.status),
         r.reason,
         seconds,
         csv_number(r.iqr_s),
         r.noisy ? "true" : "false",
         std::to_string(r.steps_per_sample),
         std::to_string(r.samples_s.size()),
         std::to_string(r.temporal_depth),
         part(&Rate::min),
         part(&Rate::median),
         part(&Rate::max),
         csv_number(r.effective_gb_per_s),
         csv_number(r.fraction_of_copy),
         csv_number(r.fraction_of_update),
         csv_number(r.gflop_per_s),
         csv_number(r.flop_per_byte),
         csv_number(r.roofline_gflop_per_s),
         csv_number(r.fraction_of_roofline),
         csv_number(r.moved_bytes_per_cell),
         csv_number(r.fraction_at_moved),
         csv_number(r.u_min),
         csv_number(r.u_max),
         csv_number(number_at(r.predicted, "step_s")),
         csv_number(number_at(r.predicted, "gcell_per_s")),
         csv_number(number_at(r.predicted, "deviation")),
         csv_number(number_at(r.predicted, "fraction_of_attainable")),
         csv_number(number_at(r.energy, "joules")),
         csv_number(number_at(r.energy, "watts")),
         csv_number(number_at(r.energy, "cells_per_joule")),
         csv_number(number_at(r.energy, "error")),
         stream(&StreamRates::copy),
         stream(&StreamRates::triad),
         stream(&StreamRates::update),
         file.date,
         text_of(file.build, "version"),
         text_of(file.build, "git_revision"),
         std::to_string(ranks),
         transport});
  }
  return out;
}

void write_csv(const ResultFile& file, const std::filesystem::path& path) {
  io::write_atomically(path, to_csv(file));
}

}  // namespace tessera::measure

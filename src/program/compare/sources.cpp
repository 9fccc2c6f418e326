// SPDX-License-Identifier: Apache-2.0
#include "program/compare/sources.hpp"

#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/text.hpp"
#include "program/compare/machine_identity.hpp"
#include "program/results/prediction_file.hpp"
#include "program/results/result_ranges.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace tessera::compare {

using nlohmann::json;

namespace {

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::pair<std::string, std::string> split_name(const std::string& full) {
  const std::size_t colon = full.find(':');
  if (colon == std::string::npos) return {full, ""};
  return {full.substr(0, colon), full.substr(colon + 1)};
}

/// Steps that one pass of a published row makes, by the "t=8" in its configuration.
int depth_of(const std::string& configuration) {
  const std::size_t at = configuration.find(",t=");
  return at == std::string::npos ? 1 : std::atoi(configuration.c_str() + at + 3);
}

std::string family_of(const std::string& variant) { return variant.substr(0, variant.find('/')); }

}  // namespace

std::optional<double> Roofs::share(const Point& point) const {
  const double peak = point.problem.precision == "double" ? double_gflop_per_s : float_gflop_per_s;
  // No step is a pass over memory there, and no model tells what the paper's tiles could attain.
  if (point.steps_a_pass > 1) return std::nullopt;
  if (!point.gcell_per_s || !point.bytes_per_cell || gb_per_s <= 0) return std::nullopt;
  double bound = gb_per_s / *point.bytes_per_cell;  // GCell/s
  if (peak > 0 && point.flop_per_byte) {
    bound = std::min(bound, peak / (*point.flop_per_byte * *point.bytes_per_cell));
  }
  return *point.gcell_per_s / bound;
}

bool is_of_tune(const results::ResultFile& file) { return !file.streams && !file.roofline; }

bool Reader::read(const std::filesystem::path& path, const std::string& name) {
  if (path.extension() == ".toml") return add_published(path);
  const json parsed = io::read_json_file(path);
  const std::string schema = parsed.is_object() ? text_at(parsed, "schema") : "";
  if (schema.rfind("tessera-result-", 0) == 0) {
    add_results(path, name);  // which refuses another version
  } else if (schema.rfind("tessera-prediction-", 0) == 0) {
    require(schema == results::kPredictionSchema, "{}: schema is {}, this version reads {}",
            path.string(), schema, results::kPredictionSchema);
    add_predictions(path, parsed, name);
  } else {
    return false;
  }
  return true;
}

std::size_t Reader::platform(const Platform& wanted, const std::string& file,
                             const std::string& revision) {
  require(!trimmed(wanted.name).empty(), "{}: names no machine: give it a name, NAME={}", file,
          file);
  auto& all = collection.platforms;
  auto found = std::find_if(all.begin(), all.end(), [&](const Platform& p) {
    return p.name == wanted.name && p.origin == wanted.origin;
  });
  if (found == all.end()) {
    all.push_back(wanted);
    roofs.emplace_back();
    found = all.end() - 1;
  }
  if (found->identity != wanted.identity) {
    fail(
        "{} and {} are of two machines that are both called {} ({}; {}): give each a name, "
        "NAME=FILE",
        found->files.front(), file, wanted.name, found->identity, wanted.identity);
  }
  add_once(found->files, file);
  if (!revision.empty()) add_once(found->revisions, revision);
  return static_cast<std::size_t>(found - all.begin());
}

void Reader::add_results(const std::filesystem::path& path, const std::string& name) {
  const results::ResultFile file = results::read_json(path);
  const bool tuning = is_of_tune(file);
  Platform here;
  here.device = text_at(file.machine, "device");
  here.name = !name.empty() ? name : text_at(file.machine, "name");
  if (trimmed(here.name).empty()) here.name = here.device;
  here.kind = text_at(file.machine, "kind");
  here.identity = machine_identity(file.machine);
  const std::string revision = short_revision(file.build);
  const std::size_t index = platform(here, path.string(), revision);
  for (const results::Result& row : file.results) {
    if (row.status == results::Status::unverified || row.status == results::Status::unmeasured) {
      continue;  // it ran for a profiler, or its turn did not come
    }
    Point p;
    p.problem = {row.family, row.stencil, row.decomposition, row.precision, row.model, row.details};
    p.size = {row.nx, row.ny, row.nz, row.steps};
    p.variant = row.variant;
    p.configuration = row.configuration;
    p.platform = index;
    p.status = row.status;
    p.reason = row.reason;
    p.noisy = row.noisy;
    p.revision = revision;
    p.date = file.date;
    p.file = path.string();
    p.of_tune = tuning;
    if (row.status == results::Status::valid && row.gcell_per_s) {
      p.gcell_per_s = row.gcell_per_s->median;
      p.share_of_bound = results::share_of_bound(row);
      p.flop_per_byte = row.flop_per_byte;
      p.cells_per_joule = results::number_at(row.energy, "cells_per_joule");
      if (row.effective_gb_per_s) p.bytes_per_cell = *row.effective_gb_per_s / *p.gcell_per_s;
    }
    collection.points.push_back(std::move(p));
  }
}

void Reader::add_predictions(const std::filesystem::path& path, const json& file,
                             const std::string& name) try {
  const json& machine = file.at("machine");
  Platform there;
  there.origin = Origin::predicted;
  there.name = name.empty() ? machine.at("name").get<std::string>() : name;
  there.device = machine.at("device").get<std::string>();
  there.kind = results::choice_under("cpu", "gpu", machine, "kind", path.string() + ": machine");
  there.identity = there.device;
  const std::string revision = short_revision(file.at("build"));
  const std::size_t index = platform(there, path.string(), revision);
  const std::string date = results::date_under(file, "date", path.string());
  for (std::size_t c = 0; c < file.at("cases").size(); ++c) {
    const json& run = file.at("cases").at(c);
    const std::string of_case = fmt::format("{}: cases[{}]", path.string(), c);
    const auto cells = [&](const char* key) {
      return results::count_under(results::kCells, run, key, of_case);
    };
    const Size size{cells("nx"), cells("ny"), cells("nz"),
                    results::count_under(results::kSteps, run, "steps", of_case)};
    const std::string precision = results::precision_under(run, of_case);
    for (std::size_t r = 0; r < run.at("rows").size(); ++r) {
      const json& row = run.at("rows").at(r);
      const std::string where = fmt::format("{}: rows[{}]", of_case, r);
      const auto number = [&](const machine::NumberRange& range, const char* key) {
        return results::number_under(range, row, key, where);
      };
      // No prediction is not a machine that cannot: such a row is as if it were not there.
      if (!row.contains("gcell_per_s")) continue;
      Point p;
      p.problem = {run.at("family"),
                   run.at("stencil"),
                   row.at("decomposition"),
                   precision,
                   run.value("model", std::string()),
                   run.value("details", std::string())};
      p.size = size;
      std::tie(p.variant, p.configuration) = split_name(row.at("name").get<std::string>());
      p.platform = index;
      p.revision = revision;
      p.date = date;
      p.file = path.string();
      p.gcell_per_s = number(results::kNoUpdates, "gcell_per_s");
      p.share_of_bound =
          row.contains("attainable_gcell_per_s")
              ? *p.gcell_per_s / number(results::kUpdates, "attainable_gcell_per_s")
              : number(results::kSeconds, "least_step_s") / number(results::kSeconds, "step_s");
      collection.points.push_back(std::move(p));
    }
  }
} catch (const json::exception& e) {
  fail("{}: is not a whole file of predictions: {}", path.string(), io::reason_of(e));
}

bool Reader::add_published(const std::filesystem::path& path) {
  if (!results::is_published(path)) return false;
  const results::Published table = results::read_published(path);
  bool any = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const results::PublishedColumn& column = table.columns[c];
    const bool rates = column.quantity == "gcell_per_s";
    if (!rates && column.quantity != "effective_gb_per_s") continue;
    any = true;
    Platform there;
    there.origin = Origin::published;
    there.name = column.title;
    there.device = column.device;
    there.identity = column.device;
    const std::optional<machine::Machine> machine =
        find_machine_(column.machine.empty() ? column.title : column.machine);
    if (machine) there.kind = machine->kind;
    const std::size_t index = platform(there, path.string(), "");
    if (machine) {
      roofs[index].gb_per_s =
          std::max({machine->copy_gb_per_s.value_or(0), machine->triad_gb_per_s.value_or(0),
                    machine->update_gb_per_s.value_or(0)});
      if (roofs[index].gb_per_s == 0) {
        roofs[index].gb_per_s = machine->theoretical_gb_per_s.value_or(0);
      }
      roofs[index].float_gflop_per_s = machine->float_gflop_per_s.value_or(0);
      roofs[index].double_gflop_per_s = machine->double_gflop_per_s.value_or(0);
    }
    for (const results::PublishedRow& row : table.rows) {
      if (!row.region.empty() || row.values[c] <= 0 || is_pattern(row)) continue;
      Point p;
      std::tie(p.variant, p.configuration) = split_name(row.name);
      p.steps_a_pass = depth_of(p.configuration);
      p.problem.family = family_of(p.variant);
      p.problem.stencil = row.stencil.empty() ? table.stencil : row.stencil;
      p.problem.decomposition = table.decomposition;
      p.problem.precision = table.precision;
      p.size = {column.nx, column.ny, column.nz, column.steps};
      p.platform = index;
      p.date = table.source;
      p.file = path.string();
      if (rates) {
        p.gcell_per_s = row.values[c];
      } else if (column.bytes_per_cell > 0) {
        p.gcell_per_s = row.values[c] / column.bytes_per_cell;
      } else {
        continue;
      }
      if (column.bytes_per_cell > 0) p.bytes_per_cell = column.bytes_per_cell;
      if (column.flop_per_byte > 0) p.flop_per_byte = column.flop_per_byte;
      collection.points.push_back(std::move(p));
    }
  }
  return any;
}

}  // namespace tessera::compare

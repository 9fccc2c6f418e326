// SPDX-License-Identifier: Apache-2.0
#include "program/predict/stored_rows.hpp"

#include "base/io/json_file.hpp"
#include "base/registry/neighbours.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/precision.hpp"
#include "base/support/problem_identity.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>

namespace tessera {

using nlohmann::json;

namespace {

/// The whole number after "key=" in a row's details; 0 where there is none.
int number_in(const std::string& details, const std::string& key) {
  const std::string_view value = value_in(details, key);
  int number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

bool is_vectorised(const StoredRow& row, const MachineLimits& machine) {
  Problem problem = row.problem;
  problem.machine = machine;
  return std::all_of(row.regions.begin(), row.regions.end(), [&](const Region& region) {
    return row.how.variant->plan(row.how.configuration, region, problem).loops.vectorised;
  });
}

/// Marks the first, third ... different row of each family.
void set_halves(std::vector<StoredRow>& rows) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::int64_t,
                         std::int64_t, std::int64_t>;
  std::map<Key, bool> seen;
  std::map<std::string, int> count;
  for (StoredRow& row : rows) {
    const results::Result& r = *row.result;
    const std::string what = r.precision + r.model + (r.family == "acoustic" ? r.details : "");
    const Key key{results::full_name(r), r.stencil, r.decomposition, what, r.nx, r.ny, r.nz};
    const auto [found, is_new] = seen.emplace(key, false);
    if (is_new) found->second = count[r.family]++ % 2 == 0;
    row.fitted = found->second;
  }
}

/// The configuration that a row names, which this binary need not have a kernel of; nothing where
/// it has no plan either.
std::optional<Selected> find_configuration(const results::Result& row, const Registry& registry) {
  for (const auto& variant : registry.variants()) {
    if (variant->full_name() != row.variant) continue;
    const std::size_t count = variant->configurations.size() + variant->planned.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (variant->configuration(i).text == row.configuration) return Selected{variant.get(), i};
    }
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Problem problem_of(const results::Result& row) {
  Problem problem{row.stencil, value_bytes(row.precision)};
  for (const Storage storage : kStorages) {
    if (value_in(row.details, "storage") == to_string(storage)) problem.storage = storage;
  }
  const std::string_view vp = value_in(row.details, "vp_storage");
  if (problem.storage == Storage::plain) {  // a format has its own
    if (vp == "index") problem.vp_beside = VpStorage::index;
    if (vp == "linear") problem.vp_beside = VpStorage::linear;
  }
  problem.convolutional_layers = value_in(row.details, "layers") == "convolutional";
  if (row.family != "ete") return problem;
  problem.columns = number_in(row.details, "velocities");
  problem.isotropic = problem.columns > 0;
  problem.neighbours = neighbours_of(row.model, problem.columns);
  return problem;
}

std::vector<Region> regions_of(const results::Result& row) {
  const Extents n{static_cast<int>(row.nz), static_cast<int>(row.ny), static_cast<int>(row.nx)};
  if (row.family == "acoustic" && !row.decomposition.empty()) {
    return decompose(n, number_in(row.details, "pml_cells"), parse_decomposition(row.decomposition),
                     cells_together(problem_of(row).storage));
  }
  return {{"whole", Update::inner, whole(n), {}}};
}

StoredStudy read_rows(const std::vector<std::filesystem::path>& paths, const Registry& registry) {
  StoredStudy study;
  study.paths = paths;
  for (const auto& path : paths) study.files.push_back(results::read_json(path));
  for (std::size_t f = 0; f < paths.size(); ++f) {
    for (const results::Result& row : study.files[f].results) {
      if (row.status != results::Status::valid || !row.parallel.empty()) continue;
      const auto how = find_configuration(row, registry);
      if (!how) {
        ++study.unknown_rows;
        add_once(study.unknown, results::full_name(row));
        continue;
      }
      const std::string name =
          (paths[f].stem() == "result" ? paths[f].parent_path().filename() : paths[f].stem())
              .string();
      StoredRow stored{&row, name, *how, regions_of(row), problem_of(row)};
      stored.streams = study.files[f].streams;
      stored.seconds = machine::summarise(row.samples_s).median;
      stored.cells =
          static_cast<double>(row.nx) * static_cast<double>(row.ny) * static_cast<double>(row.nz);
      // Counters may be of another grid, on which volumes a cell are others.
      if (io::value_or(row.counters, "nx", std::int64_t{0}) == row.nx) {
        const auto bytes = [&](const char* key) {
          auto counted = results::number_at(row.counters, key);
          if (counted) *counted *= stored.cells;
          return counted;
        };
        stored.counted_gm = bytes("dram_bytes_per_cell");
        stored.counted_l2 = bytes("l2_bytes_per_cell");
      }
      study.rows.push_back(std::move(stored));
    }
  }
  set_halves(study.rows);
  return study;
}

StoredStudy read_study(const std::filesystem::path& folder, const Registry& registry) {
  require(is_folder(folder), "{} is not a folder of result files", folder.string());
  std::vector<std::filesystem::path> paths;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    // A study has a folder a run.
    const auto path = is_folder(entry.path()) ? entry.path() / "result.json" : entry.path();
    if (std::filesystem::exists(path, ignored) && results::is_result_file(path))
      paths.push_back(path);
  }
  require(!paths.empty(), "{} holds no result files", folder.string());
  std::sort(paths.begin(), paths.end());
  return read_rows(paths, registry);
}

namespace {

/// The machine as it was in a row's run.
model::MachineModel machine_of(const StoredRow& row, const machine::Machine& machine) {
  machine::Machine now = machine;
  if (now.kind == "cpu" && row.streams) {
    now.copy_gb_per_s = row.streams->copy.median;
    now.update_gb_per_s = row.streams->update.median;
  }
  return model_for(now, row.result->precision);
}

Problem problem_for(const StoredRow& row, const model::MachineModel& target) {
  Problem problem = row.problem;
  problem.machine = target.machine;
  return problem;
}

RegistersOf registers_of_row(const StoredRow& row,
                             const std::vector<measure::KernelResources>& registers) {
  const results::Result& r = *row.result;
  const double counted = results::number_at(r.counters, "registers").value_or(0);
  // Counters add up to one kernel's registers only where there is one.
  const bool one = row.regions.size() == 1 && counted > 0;
  return [&row, &registers, &r, one, counted](const Region& region) {
    return one ? static_cast<int>(counted)
               : registers_of(registers, row.how, r.configuration, r.precision, r.stencil, region);
  };
}

/// Throws Error where a file of a study is of the other kind than a machine: a GPU's model says
/// nothing of a CPU's rows. Files without a kind are accepted.
void require_kind(const StoredStudy& study, const machine::Machine& machine) {
  for (std::size_t f = 0; f < study.files.size(); ++f) {
    const auto kind = io::value_or(study.files[f].machine, "kind", std::string());
    require(kind.empty() || kind == machine.kind,
            "{}: its rows were measured on a {}, but {} is a {}", study.paths[f].string(), kind,
            machine.name, machine.kind);
  }
}

}  // namespace

std::vector<model::FamilyRun> family_runs(const StoredStudy& study, const machine::Machine& machine,
                                          const std::vector<measure::KernelResources>& registers) {
  require_kind(study, machine);
  std::vector<model::FamilyRun> runs;
  for (const StoredRow& row : study.rows) {
    model::MachineModel target = machine_of(row, machine);
    if (!target.gpu && !is_vectorised(row, target.machine)) continue;
    if (row.problem.convolutional_layers) continue;  // a launch that the models do not know
    RegionKernels all = kernels_of(row.how, row.regions, problem_for(row, target), row.cells,
                                   registers_of_row(row, registers));
    if (!all.unsupported.empty()) continue;
    runs.push_back({row.result->family, row.fitted, std::move(all.kernels), row.seconds,
                    row.counted_gm, row.counted_l2, std::move(target)});
  }
  return runs;
}

json predictions_of(const StoredStudy& study, const machine::Machine& machine,
                    const std::vector<measure::KernelResources>& registers) {
  require_kind(study, machine);
  const MachineLimits limits = model::machine_limits(machine);
  json rows = json::array();
  std::vector<std::string> unpredicted;
  int unpredicted_rows = 0;
  for (const StoredRow& row : study.rows) {
    const results::Result& r = *row.result;
    const model::MachineModel target = machine_of(row, machine);
    const TrafficPrediction p =
        predict_regions(row.how, row.regions, problem_for(row, target), row.cells, target,
                        registers_of_row(row, registers));
    if (!p.unsupported.empty() || p.step_s <= 0) {
      ++unpredicted_rows;
      add_once(unpredicted, results::full_name(r));
      continue;
    }
    json found = {{"file", row.file},
                  {"name", results::full_name(r)},
                  {"family", r.family},
                  {"stencil", r.stencil},
                  {"decomposition", r.decomposition},
                  {"precision", r.precision},
                  {"cells", row.cells},
                  {"measured_s", row.seconds},
                  {"predicted_s", p.step_s},
                  {"binding", p.binding},
                  {"fitted", row.fitted},
                  {"vectorised", limits.on_device() || is_vectorised(row, limits)}};
    if (row.counted_gm) {
      found["counted_bytes"] = *row.counted_gm;
      found["predicted_bytes"] = p.counted_gm;
    }
    rows.push_back(std::move(found));
  }
  return {{"schema", "tessera-stored-predictions-1"},
          {"machine", machine.name},
          {"rows", std::move(rows)},
          {"unpredicted", unpredicted},
          {"unpredicted_rows", unpredicted_rows},
          {"unknown", study.unknown},
          {"unknown_rows", study.unknown_rows}};
}

}  // namespace tessera

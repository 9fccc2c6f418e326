// SPDX-License-Identifier: Apache-2.0
#include "program/shot/record.hpp"

#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/shot/identity.hpp"
#include "program/shot/writer_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::shot {
namespace {

nlohmann::json place_json(const Station& station) {
  const auto& c = station.cell;
  return {{"x_m", station.at.x}, {"y_m", station.at.y}, {"z_m", station.at.z},
          {"cell_x", c[2]},      {"cell_y", c[1]},      {"cell_z", c[0]}};
}

}  // namespace

nlohmann::json to_json(const ShotCase& shot, const ShotOutcome& outcome) {
  const acoustic::Setup& s = shot.setup;
  const ShotTimes& t = outcome.times;
  const auto rate = [&](double seconds) -> nlohmann::json {
    if (seconds <= 0 || outcome.status == ShotOutcome::Status::not_finite) return nullptr;
    return static_cast<double>(s.n.cells()) * static_cast<double>(outcome.steps - outcome.first) /
           seconds / 1e9;
  };
  const auto number = [](double value) -> nlohmann::json {
    if (std::isfinite(value)) return value;
    return nullptr;
  };
  nlohmann::json json;
  json["status"] = to_string(outcome.status);
  json["reason"] = outcome.reason;
  json["variant"] = shot.how.variant->full_name();
  json["configuration"] = shot.how.variant->configurations[shot.how.configuration].text;
  json["decomposition"] = to_string(s.decomposition);
  json["operator"] = shot.inner ? "ete" : "fd";
  json["precision"] = shot.precision;
  json["nx"] = s.n.nx;
  json["ny"] = s.n.ny;
  json["nz"] = s.n.nz;
  json["pml_cells"] = s.pml_cells;
  json["free_surface"] = s.free_surface;
  json["steps"] = shot.steps;
  json["steps_done"] = outcome.steps;
  if (outcome.first > 0) json["restarted_at_step"] = outcome.first;
  json["time_step_s"] = s.dt();
  json["v_min_m_per_s"] = shot.v.minimum;
  json["v_max_m_per_s"] = shot.v.maximum;
  json["cfl_fraction"] = shot.cfl_fraction();
  json["points_per_wavelength"] = shot.points_per_wavelength();
  json["pml_wavelengths"] = shot.pml_wavelengths();
  for (const ShotSource& source : shot.sources) {
    json["sources"].push_back(place_json(source.station));
  }
  json["receivers"] = shot.receivers.size();
  json["u_min"] = number(outcome.u.min);
  json["u_max"] = number(outcome.u.max);
  json["times_s"] = {{"inner", t.inner},
                     {"pml", t.pml},
                     {"inner_and_pml_together", t.joint},
                     {"source_receivers", t.source_receivers},
                     {"checks", t.checks},
                     {"io", t.io},
                     {"wall", t.wall},
                     {"timed_steps", t.timed_steps}};
  json["gcell_per_s"] = {{"kernels", rate(t.kernels())}, {"overall", rate(t.wall)}};
  return json;
}

namespace {

/// Whether a file is there with the bytes that shot.json says, where it does.
bool is_whole(const std::filesystem::path& file, const nlohmann::json& found,
              const std::string& name) {
  if (!path_exists(file)) return false;
  if (!found.contains("file_bytes") || !found["file_bytes"].is_object()) return true;
  const nlohmann::json bytes = found["file_bytes"].value(name, nlohmann::json());
  return bytes.is_number_unsigned() && bytes.get<std::uintmax_t>() == bytes_of_file(file);
}

}  // namespace

int segy_interval_us(const ShotCase& shot, const ShotOutput& output) {
  if (!output.segy || shot.receivers.empty()) return 0;
  return io::plan_segy(gather_options(shot, output)).interval_us;
}

bool is_complete(const ShotCase& shot, const ShotOutput& output) {
  const std::filesystem::path path = output.directory / "shot.json";
  if (!path_exists(path)) return false;
  const nlohmann::json found = io::read_json_file(path);
  const auto text = [&](const char* key) -> std::string {
    if (!found.contains(key)) return {};
    require(found[key].is_string(), "{}: its {} is {}: not what a shot leaves", path.string(), key,
            io::brief(found[key]));
    return found[key].get<std::string>();
  };
  const std::vector<std::string> wanted = recorded_names(shot, output);
  const int interval = segy_interval_us(shot, output);
  return found.is_object() && text("status") == "complete" &&
         text("fingerprint") == fingerprint(identity_of(shot), shot.steps) &&
         (interval == 0 || io::value_or(found, "segy_interval_us", 0) == interval) &&
         std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
           return is_whole(output.directory / name, found, name);
         });
}

}  // namespace tessera::shot

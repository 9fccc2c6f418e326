// SPDX-License-Identifier: Apache-2.0
#include "program/shot/record.hpp"

#include "program/shot/identity.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <string>

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

std::string outputs_text(const ShotCase& shot, const ShotOutput& output) {
  std::string text = fmt::format("{}", fmt::join(recorded_names(shot, output), ", "));
  // Without the key it follows from the time step and the number of steps.
  if (output.segy && output.segy_interval_us > 0) {
    text += fmt::format(", SEG-Y every {} us", output.segy_interval_us);
  }
  return text;
}

nlohmann::json folder_identity(const ShotCase& shot, const ShotOutput& output) {
  nlohmann::json identity;
  for (const auto& [name, value] : identity_of(shot)) identity[name] = value;
  identity["outputs"] = outputs_text(shot, output);
  return identity;
}

}  // namespace tessera::shot

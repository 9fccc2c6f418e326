// SPDX-License-Identifier: Apache-2.0
#include "program/results/machine_file.hpp"

#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "program/results/file_fields.hpp"

namespace tessera::machine {

using nlohmann::json;

namespace {

// A unit of a device holds one warp at least.
void require_whole_warps(const Machine& machine, const std::string& where) {
  if (machine.kind != "gpu" || !machine.threads_per_unit) return;
  const double lanes = machine.lanes.value_or(32);
  require(*machine.threads_per_unit >= lanes,
          "{}: limits.threads_per_unit is {}, fewer than the {} lanes of a warp (limits.lanes)",
          where, *machine.threads_per_unit, lanes);
}

// The model of devices continues along the line from copy to update, down to where one would be 0.
void require_related_rates(const Machine& machine, const std::string& where) {
  if (machine.kind != "gpu" || !machine.copy_gb_per_s || !machine.update_gb_per_s) return;
  const double copy = *machine.copy_gb_per_s, update = *machine.update_gb_per_s;
  require(update > copy / 2 && update < copy * 2,
          "{}: memory.update_gb_per_s is {} and memory.copy_gb_per_s is {}: neither may be twice "
          "the other",
          where, update, copy);
}

// The models differ by the kind of machine; the traffic model is for both.
void require_model_of_kind(const Machine& machine, const std::string& where) {
  const std::string own = machine.kind == "gpu" ? kDeviceModel : kHostModel;
  const std::string& model = machine.predicted_by;
  require(model.empty() || model == kTrafficModel || model == own,
          "{}: predicted_by is \"{}\", expected for a {}: \"{}\" or \"{}\"", where, model,
          machine.kind, kTrafficModel, own);
}

}  // namespace

bool fill_missing(ModelConstants& own, const ModelConstants& others) {
  const results::Fields& fields = model_constants_fields();
  json taken = results::write(fields, others);
  const json known = results::write(fields, own);
  for (const auto& item : known.items()) taken.erase(item.key());
  results::fill(fields, taken, own);
  return !taken.empty();
}

json to_json(const Machine& machine) {
  json out = results::write(machine_file_fields(), machine);
  for (const char* optional : {"architecture", "model", "precision", "predicted_by"}) {
    const auto at = out.find(optional);
    if (at != out.end() && (*at == "" || *at == json::object())) out.erase(at);
  }
  return out;
}

Machine machine_from_json(const json& j, const std::string& where) {
  const std::string schema =
      j.is_object() ? io::value_or(j, "schema", std::string("absent")) : std::string("absent");
  require(schema == kMachineSchema, "{}: schema is {}, this version reads {}", where, schema,
          kMachineSchema);
  auto machine = results::read<Machine>(machine_file_fields(), j, where);
  require(machine.copy_gb_per_s || machine.triad_gb_per_s || machine.update_gb_per_s ||
              machine.theoretical_gb_per_s,
          "{}: no memory bandwidth: memory requires copy_gb_per_s, triad_gb_per_s, "
          "update_gb_per_s or theoretical_gb_per_s",
          where);
  require_model_of_kind(machine, where);
  require_whole_warps(machine, where);
  require_related_rates(machine, where);
  return machine;
}

void write_machine(const Machine& machine, const std::filesystem::path& path) {
  io::write_atomically(path, io::json_text(to_json(machine), 2) + "\n");
}

Machine read_machine(const std::filesystem::path& path) {
  return machine_from_json(io::read_json_file(path), path.string());
}

std::string shortfall(const Machine& stored, const StreamRates& now, const std::string& where) {
  const bool triad = stored.triad_gb_per_s.has_value();
  require(triad || stored.update_gb_per_s,
          "{}: neither memory.triad_gb_per_s nor memory.update_gb_per_s to compare with", where);
  const double before = triad ? *stored.triad_gb_per_s : *stored.update_gb_per_s;
  const double today = triad ? now.triad.median : now.update.median;
  if (today >= kHealthyFraction * before) return "";
  return fmt::format(
      "{} bandwidth is {:.4g} GB/s, {:.0f} % under the {:.4g} GB/s that {} stores for {}: is the "
      "machine shared, throttled or faulty?",
      triad ? "triad" : "update", today, 100 * (1 - today / before), before, where, stored.device);
}

}  // namespace tessera::machine

// SPDX-License-Identifier: Apache-2.0
#include "machine/machine_file.hpp"

#include "io/atomic_file.hpp"
#include "io/json_file.hpp"
#include "support/error.hpp"

#include <algorithm>

namespace tessera::measure {

using nlohmann::json;

namespace {

using NumberMember = MaybeNumber Machine::*;
using TextMember = std::string Machine::*;
using CacheMember = MaybeNumber MachineCache::*;

// A number of the file: the table that holds it ("" for the top), its key, and its member.
struct NumberField {
  const char* table;
  const char* key;
  NumberMember member;
};

constexpr NumberField kNumbers[] = {
    {"", "units", &Machine::units},
    {"", "clock_ghz", &Machine::clock_ghz},
    {"memory", "bytes", &Machine::memory_bytes},
    {"memory", "atom_bytes", &Machine::memory_atom_bytes},
    {"memory", "copy_gb_per_s", &Machine::copy_gb_per_s},
    {"memory", "triad_gb_per_s", &Machine::triad_gb_per_s},
    {"memory", "update_gb_per_s", &Machine::update_gb_per_s},
    {"memory", "copy_streaming_gb_per_s", &Machine::copy_streaming_gb_per_s},
    {"memory", "theoretical_gb_per_s", &Machine::theoretical_gb_per_s},
    {"peak", "float_gflop_per_s", &Machine::float_gflop_per_s},
    {"peak", "double_gflop_per_s", &Machine::double_gflop_per_s},
    {"latency", "launch_us", &Machine::launch_us},
    {"latency", "launch_fenced_us", &Machine::launch_fenced_us},
    {"latency", "barrier_us", &Machine::barrier_us},
    {"latency", "memory_cycles", &Machine::memory_cycles},
    {"latency", "scratch_cycles", &Machine::scratch_cycles},
    {"latency", "fma_cycles", &Machine::fma_cycles},
    {"limits", "lanes", &Machine::lanes},
    {"limits", "threads_per_unit", &Machine::threads_per_unit},
    {"limits", "threads_per_team", &Machine::threads_per_team},
    {"limits", "teams_per_unit", &Machine::teams_per_unit},
    {"limits", "registers_per_unit", &Machine::registers_per_unit},
    {"limits", "registers_per_thread", &Machine::registers_per_thread},
    {"limits", "scratch_bytes_per_unit", &Machine::scratch_bytes_per_unit},
    {"limits", "scratch_bytes_per_team", &Machine::scratch_bytes_per_team},
    {"limits", "processors_per_unit", &Machine::processors_per_unit},
};

struct ConstantField {
  const char* key;
  MaybeNumber ModelConstants::*member;
};

constexpr ConstantField kConstants[] = {
    {"delta", &ModelConstants::delta},
    {"epsilon", &ModelConstants::epsilon},
    {"eta", &ModelConstants::eta},
    {"l2_share", &ModelConstants::l2_share},
    {"dirty_share", &ModelConstants::dirty_share},
    {"l2_scale", &ModelConstants::l2_scale},
    {"overlap", &ModelConstants::overlap},
    {"tail", &ModelConstants::tail},
    {"team_ns", &ModelConstants::team_ns},
    {"warp_us", &ModelConstants::warp_us},
    {"plane_us", &ModelConstants::plane_us},
    {"lookups_per_cycle", &ModelConstants::lookups_per_cycle},
    {"drift_planes", &ModelConstants::drift_planes},
    {"loss_steepness", &ModelConstants::loss_steepness},
    {"register_base", &ModelConstants::register_base},
    {"clock_share", &ModelConstants::clock_share},
    {"wavefront_load", &ModelConstants::wavefront_load},
    {"wavefront_fill", &ModelConstants::wavefront_fill},
    {"wavefront_store", &ModelConstants::wavefront_store},
    {"wavefront_scratch", &ModelConstants::wavefront_scratch},
    {"wavefront_column", &ModelConstants::wavefront_column},
    {"unrelated_columns", &ModelConstants::unrelated_columns},
    {"table_share", &ModelConstants::table_share},
    {"misses_per_cycle", &ModelConstants::misses_per_cycle},
    {"trip_cycles", &ModelConstants::trip_cycles},
    {"translation", &ModelConstants::translation},
    {"barrier_cycles", &ModelConstants::barrier_cycles},
    {"start_cycles", &ModelConstants::start_cycles},
    {"warp_cycles", &ModelConstants::warp_cycles},
    {"own_work", &ModelConstants::own_work},
    {"level_cycles", &ModelConstants::level_cycles},
    {"exchange_us", &ModelConstants::exchange_us},
    {"halo_share", &ModelConstants::halo_share},
    {"load_bytes", &ModelConstants::load_bytes},
    {"store_bytes", &ModelConstants::store_bytes},
    {"vector_bytes", &ModelConstants::vector_bytes},
    {"port_share", &ModelConstants::port_share},
    {"flop_cycles", &ModelConstants::flop_cycles},
    {"gather_cycles", &ModelConstants::gather_cycles},
    {"row_cycles", &ModelConstants::row_cycles},
    {"layer_cycles", &ModelConstants::layer_cycles},
    {"scratch_cycles", &ModelConstants::scratch_cycles},
    {"scalar_cycles", &ModelConstants::scalar_cycles},
    {"l1_share", &ModelConstants::l1_share},
    {"first_uses", &ModelConstants::first_uses},
    {"l2_bytes_per_cycle", &ModelConstants::l2_bytes_per_cycle},
    {"l3_bytes_per_cycle", &ModelConstants::l3_bytes_per_cycle},
    {"memory_scale", &ModelConstants::memory_scale},
    {"time_residual", &ModelConstants::time_residual},
    {"volume_residual", &ModelConstants::volume_residual},
    {"runs", &ModelConstants::runs},
};

struct TextField {
  const char* key;
  TextMember member;
  bool required;
};

constexpr TextField kTexts[] = {
    {"name", &Machine::name, true},
    {"kind", &Machine::kind, true},
    {"device", &Machine::device, true},
    {"source", &Machine::source, true},
    {"precision", &Machine::precision, false},
    {"architecture", &Machine::architecture, false},
};

struct CacheField {
  const char* key;
  CacheMember member;
};

constexpr CacheField kCacheNumbers[] = {
    {"bytes", &MachineCache::bytes},
    {"line_bytes", &MachineCache::line_bytes},
    {"instances", &MachineCache::instances},
    {"gb_per_s", &MachineCache::gb_per_s},
};

struct CoreField {
  const char* key;
  MaybeNumber CoreWidth::*member;
};

constexpr CoreField kCoreNumbers[] = {
    {"vector_bytes", &CoreWidth::vector_bytes},
    {"loads", &CoreWidth::loads},
    {"stores", &CoreWidth::stores},
    {"sums", &CoreWidth::sums},
    {"products", &CoreWidth::products},
    {"mixed", &CoreWidth::mixed},
    {"gathers", &CoreWidth::gathers},
};

// Whole numbers without a decimal point: sizes are read by people too.
json plain(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? json(whole) : json(value);
}

double positive(const json& value, const std::string& where) {
  require(value.is_number(), "{} is {}, not a number", where, io::brief(value));
  const auto number = value.get<double>();
  require(number > 0, "{} is {}, must be above 0", where, number);
  return number;
}

// A constant of a model may be 0: the effect is not there.
double not_negative(const json& value, const std::string& where) {
  require(value.is_number(), "{} is {}, not a number", where, io::brief(value));
  const auto number = value.get<double>();
  require(number >= 0, "{} is {}, must not be negative", where, number);
  return number;
}

std::string text(const json& value, const std::string& where) {
  require(value.is_string(), "{} is {}, not a text", where, io::brief(value));
  return value.get<std::string>();
}

void require_object(const json& value, const std::string& where) {
  require(value.is_object(), "{}: not a JSON object", where);
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) {
    if (!list.empty()) list += ", ";
    list += word;
  }
  return list;
}

// Throws unless every key of `object` is one of `known`; the message lists them.
void require_known(const json& object, const std::vector<std::string>& known,
                   const std::string& where) {
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    fail("{}: unknown key \"{}\"; known keys: {}", where, item.key(), list_of(known));
  }
}

std::vector<std::string> keys_of(const std::string& table) {
  std::vector<std::string> keys;
  if (table.empty()) {
    keys = {"schema", "caches", "core", "metadata", "memory", "peak", "latency", "limits", "model"};
    for (const TextField& field : kTexts) keys.emplace_back(field.key);
  }
  for (const NumberField& field : kNumbers) {
    if (field.table == table) keys.emplace_back(field.key);
  }
  for (const ConstantField& field : kConstants) {
    if (table == "model") keys.emplace_back(field.key);
  }
  return keys;
}

// An entry of a list: a text that it must have, and numbers.
template <class Entry, class Fields>
Entry entry_from_json(const json& object, const char* name, std::string Entry::*member,
                      const Fields& fields, const std::string& where) {
  require_object(object, where);
  std::vector<std::string> keys = {name};
  for (const auto& field : fields) keys.emplace_back(field.key);
  require_known(object, keys, where);
  Entry entry;
  require(object.contains(name), "{}: no key \"{}\"", where, name);
  entry.*member = text(object.at(name), where + "." + name);
  for (const auto& field : fields) {
    if (object.contains(field.key)) {
      entry.*field.member = positive(object.at(field.key), where + "." + field.key);
    }
  }
  return entry;
}

template <class Entry, class Fields>
std::vector<Entry> list_from_json(const json& file, const char* list, const char* name,
                                  std::string Entry::*member, const Fields& fields,
                                  const std::string& where) {
  std::vector<Entry> entries;
  if (!file.contains(list)) return entries;
  const json& all = file.at(list);
  require(all.is_array(), "{}: {} is not a list", where, list);
  for (std::size_t i = 0; i < all.size(); ++i) {
    entries.push_back(
        entry_from_json(all[i], name, member, fields, fmt::format("{}: {}[{}]", where, list, i)));
  }
  return entries;
}

template <class Entry, class Fields>
json list_to_json(const std::vector<Entry>& entries, const char* name, std::string Entry::*member,
                  const Fields& fields) {
  json list = json::array();
  for (const Entry& entry : entries) {
    json object = {{name, entry.*member}};
    for (const auto& field : fields) {
      if (entry.*field.member) object[field.key] = plain(*(entry.*field.member));
    }
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

bool fill_missing(ModelConstants& own, const ModelConstants& others) {
  bool taken = false;
  for (const ConstantField& field : kConstants) {
    if (own.*field.member || !(others.*field.member)) continue;
    own.*field.member = others.*field.member;
    taken = true;
  }
  return taken;
}

json to_json(const Machine& machine) {
  json out = {{"schema", kMachineSchema}};
  for (const TextField& field : kTexts) {
    if (field.required || !(machine.*field.member).empty()) {
      out[field.key] = machine.*field.member;
    }
  }
  for (const NumberField& field : kNumbers) {
    const MaybeNumber& value = machine.*field.member;
    if (!value) continue;
    json& table = *field.table == '\0' ? out : out[field.table];
    table[field.key] = plain(*value);
  }
  out["caches"] = list_to_json(machine.caches, "level", &MachineCache::level, kCacheNumbers);
  if (!machine.core.empty()) {
    out["core"] = list_to_json(machine.core, "precision", &CoreWidth::precision, kCoreNumbers);
  }
  for (const ConstantField& field : kConstants) {
    if (machine.model.*field.member)
      out["model"][field.key] = plain(*(machine.model.*field.member));
  }
  out["metadata"] = machine.metadata;
  return out;
}

Machine machine_from_json(const json& j, const std::string& where) {
  require_object(j, where);
  const std::string schema =
      j.contains("schema") ? text(j.at("schema"), where + ": schema") : std::string("absent");
  require(schema == kMachineSchema, "{}: schema is {}, this version reads {}", where, schema,
          kMachineSchema);
  require_known(j, keys_of(""), where);
  Machine machine;
  for (const TextField& field : kTexts) {
    require(!field.required || j.contains(field.key), "{}: no key \"{}\"", where, field.key);
    if (!j.contains(field.key)) continue;
    machine.*field.member = text(j.at(field.key), where + ": " + field.key);
    require(!field.required || !(machine.*field.member).empty(), "{}: {} is empty", where,
            field.key);
  }
  require(machine.kind == "cpu" || machine.kind == "gpu",
          "{}: kind is \"{}\", not \"cpu\" or \"gpu\"", where, machine.kind);
  for (const char* table : {"memory", "peak", "latency", "limits", "model"}) {
    if (!j.contains(table)) continue;
    require_object(j.at(table), where + ": " + table);
    require_known(j.at(table), keys_of(table), where + ": " + table);
  }
  for (const NumberField& field : kNumbers) {
    const bool top = *field.table == '\0';
    if (!top && !j.contains(field.table)) continue;
    const json& table = top ? j : j.at(field.table);
    if (!table.contains(field.key)) continue;
    const std::string prefix = top ? std::string() : std::string(field.table) + ".";
    machine.*field.member =
        positive(table.at(field.key), fmt::format("{}: {}{}", where, prefix, field.key));
  }
  machine.caches = list_from_json(j, "caches", "level", &MachineCache::level, kCacheNumbers, where);
  machine.core = list_from_json(j, "core", "precision", &CoreWidth::precision, kCoreNumbers, where);
  for (const ConstantField& field : kConstants) {
    if (!j.contains("model") || !j.at("model").contains(field.key)) continue;
    machine.model.*field.member =
        not_negative(j.at("model").at(field.key), fmt::format("{}: model.{}", where, field.key));
  }
  if (j.contains("metadata")) machine.metadata = j.at("metadata");
  require(machine.copy_gb_per_s || machine.triad_gb_per_s || machine.update_gb_per_s ||
              machine.theoretical_gb_per_s,
          "{}: no memory bandwidth: memory needs at least one of {}", where,
          list_of(keys_of("memory")));
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

}  // namespace tessera::measure

// SPDX-License-Identifier: Apache-2.0
#include "program/results/machine_file.hpp"

#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "program/results/number_range.hpp"

#include <algorithm>

namespace tessera::machine {

using nlohmann::json;

namespace {

using NumberMember = MaybeNumber Machine::*;
using TextMember = std::string Machine::*;
using CacheMember = MaybeNumber MachineCache::*;

// A number of the file: the table that holds it ("" for the top), its key, its member and range.
struct NumberField {
  const char* table;
  const char* key;
  NumberMember member;
  NumberRange range;
};

constexpr NumberField kNumbers[] = {
    {"", "units", &Machine::units, kUnits},
    {"", "clock_ghz", &Machine::clock_ghz, kClock},
    {"memory", "bytes", &Machine::memory_bytes, kBytes},
    {"memory", "atom_bytes", &Machine::memory_atom_bytes, kLine},
    {"memory", "copy_gb_per_s", &Machine::copy_gb_per_s, kBandwidth},
    {"memory", "triad_gb_per_s", &Machine::triad_gb_per_s, kBandwidth},
    {"memory", "update_gb_per_s", &Machine::update_gb_per_s, kBandwidth},
    {"memory", "copy_streaming_gb_per_s", &Machine::copy_streaming_gb_per_s, kBandwidth},
    {"memory", "theoretical_gb_per_s", &Machine::theoretical_gb_per_s, kBandwidth},
    {"peak", "float_gflop_per_s", &Machine::float_gflop_per_s, kRate},
    {"peak", "double_gflop_per_s", &Machine::double_gflop_per_s, kRate},
    {"latency", "launch_us", &Machine::launch_us, kLatency},
    {"latency", "launch_fenced_us", &Machine::launch_fenced_us, kLatency},
    {"latency", "barrier_us", &Machine::barrier_us, kLatency},
    {"latency", "memory_cycles", &Machine::memory_cycles, kLatency},
    {"latency", "scratch_cycles", &Machine::scratch_cycles, kLatency},
    {"latency", "fma_cycles", &Machine::fma_cycles, kLatency},
    {"limits", "lanes", &Machine::lanes, kLanes},
    {"limits", "threads_per_unit", &Machine::threads_per_unit, kThreads},
    {"limits", "threads_per_team", &Machine::threads_per_team, kThreads},
    {"limits", "teams_per_unit", &Machine::teams_per_unit, kTeams},
    {"limits", "registers_per_unit", &Machine::registers_per_unit, kRegistersOfUnit},
    {"limits", "registers_per_thread", &Machine::registers_per_thread, kRegistersOfThread},
    {"limits", "scratch_bytes_per_unit", &Machine::scratch_bytes_per_unit, kScratch},
    {"limits", "scratch_bytes_per_team", &Machine::scratch_bytes_per_team, kScratch},
    {"limits", "processors_per_unit", &Machine::processors_per_unit, kProcessors},
};

struct ConstantField {
  const char* key;
  MaybeNumber ModelConstants::*member;
  NumberRange range = kEffect;
};

constexpr ConstantField kConstants[] = {
    {"delta", &ModelConstants::delta},
    {"epsilon", &ModelConstants::epsilon},
    {"eta", &ModelConstants::eta},
    {"l2_share", &ModelConstants::l2_share, kShare},
    {"dirty_share", &ModelConstants::dirty_share, kShare},
    {"l2_scale", &ModelConstants::l2_scale, kScale},
    {"overlap", &ModelConstants::overlap, kExponent},
    {"tail", &ModelConstants::tail, kShare},
    {"team_ns", &ModelConstants::team_ns},
    {"warp_us", &ModelConstants::warp_us},
    {"plane_us", &ModelConstants::plane_us},
    {"lookups_per_cycle", &ModelConstants::lookups_per_cycle, kDivisor},
    {"drift_planes", &ModelConstants::drift_planes},
    {"loss_steepness", &ModelConstants::loss_steepness, {0, 1000}},
    {"register_base", &ModelConstants::register_base, kRegisterBase},
    {"clock_share", &ModelConstants::clock_share, kScale},
    {"wavefront_load", &ModelConstants::wavefront_load},
    {"wavefront_fill", &ModelConstants::wavefront_fill},
    {"wavefront_store", &ModelConstants::wavefront_store},
    {"wavefront_scratch", &ModelConstants::wavefront_scratch},
    {"wavefront_column", &ModelConstants::wavefront_column},
    {"unrelated_columns", &ModelConstants::unrelated_columns},
    {"table_share", &ModelConstants::table_share, kShare},
    {"misses_per_cycle", &ModelConstants::misses_per_cycle, kDivisor},
    {"trip_cycles", &ModelConstants::trip_cycles},
    {"translation", &ModelConstants::translation},
    {"barrier_cycles", &ModelConstants::barrier_cycles},
    {"start_cycles", &ModelConstants::start_cycles},
    {"warp_cycles", &ModelConstants::warp_cycles},
    {"own_work", &ModelConstants::own_work, kShare},
    {"level_cycles", &ModelConstants::level_cycles},
    {"exchange_us", &ModelConstants::exchange_us},
    {"halo_share", &ModelConstants::halo_share, kShare},
    {"load_bytes", &ModelConstants::load_bytes, kBytesInACycle},
    {"store_bytes", &ModelConstants::store_bytes, kBytesInACycle},
    {"vector_bytes", &ModelConstants::vector_bytes, kBytesInACycle},
    {"port_share", &ModelConstants::port_share},
    {"flop_cycles", &ModelConstants::flop_cycles},
    {"gather_cycles", &ModelConstants::gather_cycles},
    {"row_cycles", &ModelConstants::row_cycles},
    {"layer_cycles", &ModelConstants::layer_cycles},
    {"scratch_cycles", &ModelConstants::scratch_cycles},
    {"scalar_cycles", &ModelConstants::scalar_cycles},
    {"l1_share", &ModelConstants::l1_share, kShare},
    {"first_uses", &ModelConstants::first_uses, kShare},
    {"l2_bytes_per_cycle", &ModelConstants::l2_bytes_per_cycle, kBytesInACycle},
    {"l3_bytes_per_cycle", &ModelConstants::l3_bytes_per_cycle, kBytesInACycle},
    {"memory_scale", &ModelConstants::memory_scale, kScale},
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
  NumberRange range;
};

constexpr CacheField kCacheNumbers[] = {
    {"bytes", &MachineCache::bytes, kBytes},
    {"line_bytes", &MachineCache::line_bytes, kLine},
    {"instances", &MachineCache::instances, kUnits},
    {"gb_per_s", &MachineCache::gb_per_s, kCacheBandwidth},
};

struct CoreField {
  const char* key;
  MaybeNumber CoreWidth::*member;
  NumberRange range = kInACycle;
};

constexpr CoreField kCoreNumbers[] = {
    {"vector_bytes", &CoreWidth::vector_bytes, kLine},
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
      entry.*field.member = number_in(field.range, object.at(field.key), where + "." + field.key);
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

// A unit of a device holds one warp at the least.
void require_whole_warps(const Machine& machine, const std::string& where) {
  if (machine.kind != "gpu" || !machine.threads_per_unit) return;
  const double lanes = machine.lanes.value_or(32);
  require(*machine.threads_per_unit >= lanes,
          "{}: limits.threads_per_unit is {}, fewer than the {} lanes of a warp (limits.lanes)",
          where, *machine.threads_per_unit, lanes);
}

// The model of devices goes on along the line from copy to update, down to where one would be 0.
void require_related_rates(const Machine& machine, const std::string& where) {
  if (machine.kind != "gpu" || !machine.copy_gb_per_s || !machine.update_gb_per_s) return;
  const double copy = *machine.copy_gb_per_s, update = *machine.update_gb_per_s;
  require(update > copy / 2 && update < copy * 2,
          "{}: memory.update_gb_per_s is {} and memory.copy_gb_per_s is {}: neither may be twice "
          "the other",
          where, update, copy);
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
    machine.*field.member = number_in(field.range, table.at(field.key),
                                      fmt::format("{}: {}{}", where, prefix, field.key));
  }
  machine.caches = list_from_json(j, "caches", "level", &MachineCache::level, kCacheNumbers, where);
  machine.core = list_from_json(j, "core", "precision", &CoreWidth::precision, kCoreNumbers, where);
  for (const ConstantField& field : kConstants) {
    if (!j.contains("model") || !j.at("model").contains(field.key)) continue;
    machine.model.*field.member = number_in(field.range, j.at("model").at(field.key),
                                            fmt::format("{}: model.{}", where, field.key));
  }
  if (j.contains("metadata")) machine.metadata = j.at("metadata");
  require(machine.copy_gb_per_s || machine.triad_gb_per_s || machine.update_gb_per_s ||
              machine.theoretical_gb_per_s,
          "{}: no memory bandwidth: memory needs at least one of {}", where,
          list_of(keys_of("memory")));
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

// SPDX-License-Identifier: Apache-2.0
// Result files as JSON, written and read.
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "program/results/result.hpp"
#include "program/results/result_ranges.hpp"

#include <limits>
#include <string_view>
#include <utility>

namespace tessera::results {

using nlohmann::json;

namespace {

json rate_json(const std::optional<machine::Rate>& rate) {
  if (!rate) return nullptr;
  return {{"min", rate->min}, {"median", rate->median}, {"max", rate->max}};
}

json number_json(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

/// Of a field that was computed.
constexpr machine::NumberRange kAnyNumber{std::numeric_limits<double>::lowest(),
                                          std::numeric_limits<double>::max()};

// A member of a JSON object, with errors that say where it should have been.
template <class T>
T field(const json& object, const char* key, const std::string& where) {
  require(object.is_object() && object.contains(key), "{}: no field \"{}\"", where, key);
  try {
    return object.at(key).get<T>();
  } catch (const json::exception&) {
    fail("{}: field \"{}\" has the wrong type: {}", where, key, io::brief(object.at(key)));
  }
}

std::optional<double> optional_number(const json& object, const char* key,
                                      const machine::NumberRange& range, const std::string& where) {
  if (!object.contains(key) || object.at(key).is_null()) return std::nullopt;
  return number_under(range, object, key, where);
}

std::optional<machine::Rate> optional_rate(const json& object, const char* key,
                                           const machine::NumberRange& range,
                                           const std::string& where) {
  if (!object.contains(key) || object.at(key).is_null()) return std::nullopt;
  const json& values = object.at(key);
  const std::string inner = where + ": " + key;
  const machine::Rate rate{number_under(range, values, "min", inner),
                           number_under(range, values, "median", inner),
                           number_under(range, values, "max", inner)};
  require(rate.min <= rate.median && rate.median <= rate.max,
          "{}: min {}, median {} and max {} are not in this order", inner, rate.min, rate.median,
          rate.max);
  return rate;
}

json object_or_empty(const json& object, const char* key, const std::string& where) {
  if (!object.contains(key)) return json::object();
  require(object.at(key).is_object(), "{}: field \"{}\" is {}, not an object", where, key,
          io::brief(object.at(key)));
  return object.at(key);
}

Status status_from(const std::string& word, const std::string& where) {
  std::string all;
  for (const Status status : {Status::valid, Status::invalid, Status::unsupported,
                              Status::unverified, Status::unmeasured}) {
    if (word == to_string(status)) return status;
    all += (all.empty() ? "" : ", ") + to_string(status);
  }
  fail("{}: status is \"{}\", none of {}", where, word, all);
}

machine::StreamRates streams_from_json(const json& object, const std::string& where) {
  machine::StreamRates streams;
  streams.precision = precision_under(object, where);
  streams.array_bytes = count_under(kStreamBytes, object, "array_bytes", where);
  if (object.contains("unit")) {
    require(object.at("unit") == "GB/s", "{}: \"unit\" is {}, not \"GB/s\"", where,
            io::brief(object.at("unit")));
  }
  const json ranges = field<json>(object, "range", where);
  for (auto [name, rate] : {std::pair{"copy", &streams.copy}, std::pair{"triad", &streams.triad},
                            std::pair{"update", &streams.update}}) {
    const auto found = optional_rate(ranges, name, kMemoryRate, where + ": range");
    require(found.has_value(), "{}: range: no field \"{}\"", where, name);
    *rate = *found;
    static_cast<void>(optional_number(object, name, kMemoryRate, where));  // what tools read
  }
  streams.copy_streaming = optional_rate(ranges, "copy_streaming", kMemoryRate, where + ": range");
  return streams;
}

/// What tells how many ranks a row ran on.
void check_ranks(const json& parallel, const std::string& where) {
  static_cast<void>(optional_number(parallel, "ranks", kRanks, where));
  static_cast<void>(optional_number(parallel, "steps_per_exchange", kStepsOfSample, where));
  for (const json& along : io::value_or(parallel, "rank_grid", json::array())) {
    static_cast<void>(number_in(kRanksAlong, along, where + ": \"rank_grid\""));
  }
}

std::vector<double> samples_from_json(const json& list, const std::string& where) {
  require(list.is_array(), "{}: is {}, not a list", where, io::brief(list));
  std::vector<double> samples;
  for (std::size_t i = 0; i < list.size(); ++i) {
    samples.push_back(number_in(kSeconds, list[i], fmt::format("{}[{}]", where, i)));
  }
  return samples;
}

Roofline roofline_from_json(const json& object, const std::string& where) {
  return {precision_under(object, where),
          number_under(kArithmetic, object, "peak_gflop_per_s", where),
          number_under(kMemoryRate, object, "gb_per_s", where),
          optional_number(object, "l2_gb_per_s", kMemoryRate, where)};
}

}  // namespace

json to_json(const Result& r) {
  // Whatever the row holds, a rate leaves it only where its output was found right.
  const bool valid = r.status == Status::valid;
  const auto number = [valid](const std::optional<double>& value) {
    return valid ? number_json(value) : json(nullptr);
  };
  return {{"family", r.family},
          {"stencil", r.stencil},
          {"variant", r.variant},
          {"configuration", r.configuration},
          {"decomposition", r.decomposition},
          {"model", r.model},
          {"details", r.details},
          {"precision", r.precision},
          {"nx", r.nx},
          {"ny", r.ny},
          {"nz", r.nz},
          {"steps", r.steps},
          {"status", to_string(r.status)},
          {"reason", r.reason},
          {"baseline", r.baseline},
          {"samples_s", valid ? json(r.samples_s) : json::array()},
          {"steps_per_sample", r.steps_per_sample},
          {"temporal_depth", r.temporal_depth},
          {"iqr_s", number(r.iqr_s)},
          {"noisy", r.noisy},
          {"gcell_per_s", valid ? rate_json(r.gcell_per_s) : json(nullptr)},
          {"effective_gb_per_s", number(r.effective_gb_per_s)},
          {"fraction_of_copy", number(r.fraction_of_copy)},
          {"fraction_of_update", number(r.fraction_of_update)},
          {"gflop_per_s", number(r.gflop_per_s)},
          {"flop_per_byte", number(r.flop_per_byte)},
          {"roofline_gflop_per_s", number(r.roofline_gflop_per_s)},
          {"fraction_of_roofline", number(r.fraction_of_roofline)},
          {"moved_bytes_per_cell", number(r.moved_bytes_per_cell)},
          {"fraction_at_moved", number(r.fraction_at_moved)},
          {"u_min", number_json(r.u_min)},
          {"u_max", number_json(r.u_max)},
          {"resources", r.resources},
          {"predicted", r.predicted},
          {"counters", r.counters},
          {"published", r.published},
          {"energy", valid ? r.energy : json::object()},
          {"parallel", r.parallel}};
}

json to_json(const machine::StreamRates& s) {
  json ranges = {{"copy", rate_json(s.copy)},
                 {"triad", rate_json(s.triad)},
                 {"update", rate_json(s.update)},
                 {"copy_streaming", rate_json(s.copy_streaming)}};
  // Medians in GB/s at the top, where simple readers look for them.
  return {{"unit", "GB/s"},
          {"precision", s.precision},
          {"array_bytes", s.array_bytes},
          {"copy", s.copy.median},
          {"triad", s.triad.median},
          {"update", s.update.median},
          {"range", std::move(ranges)}};
}

json to_json(const Roofline& r) {
  return {{"precision", r.precision},
          {"peak_gflop_per_s", r.peak_gflop_per_s},
          {"gb_per_s", r.gb_per_s},
          {"l2_gb_per_s", number_json(r.l2_gb_per_s)}};
}

json to_json(const ResultFile& file) {
  json rows = json::array();
  for (const Result& result : file.results) rows.push_back(to_json(result));
  return {{"schema", kResultSchema},
          {"date", file.date},
          {"begun", file.begun.empty() ? json(nullptr) : json(file.begun)},
          {"command_line", file.command_line},
          {"machine", file.machine},
          {"build", file.build},
          {"deck", file.deck},
          {"streams", file.streams ? to_json(*file.streams) : json(nullptr)},
          {"roofline", file.roofline ? to_json(*file.roofline) : json(nullptr)},
          {"results", std::move(rows)}};
}

Result result_from_json(const json& j, const std::string& where) {
  Result r;
  for (auto [key, text] :
       {std::pair{"family", &r.family}, std::pair{"stencil", &r.stencil},
        std::pair{"variant", &r.variant}, std::pair{"configuration", &r.configuration},
        std::pair{"decomposition", &r.decomposition}, std::pair{"reason", &r.reason}}) {
    *text = field<std::string>(j, key, where);
  }
  r.precision = precision_under(j, where);
  for (auto [key, count] :
       {std::pair{"nx", &r.nx}, std::pair{"ny", &r.ny}, std::pair{"nz", &r.nz}}) {
    *count = count_under(kCells, j, key, where);
  }
  r.steps = count_under(kSteps, j, "steps", where);
  // Old files lack these.
  if (j.contains("model")) r.model = field<std::string>(j, "model", where);
  if (j.contains("details")) r.details = field<std::string>(j, "details", where);
  r.status = status_from(field<std::string>(j, "status", where), where);
  r.samples_s = samples_from_json(field<json>(j, "samples_s", where), where + ": samples_s");
  r.steps_per_sample = count_under(kStepsOfSample, j, "steps_per_sample", where);
  r.temporal_depth = static_cast<int>(count_under(kDepth, j, "temporal_depth", where));
  r.noisy = field<bool>(j, "noisy", where);
  if (j.contains("baseline")) r.baseline = field<bool>(j, "baseline", where);  // old files lack it
  r.gcell_per_s = optional_rate(j, "gcell_per_s", kUpdates, where);
  for (auto [key, value] :
       {std::pair{"iqr_s", &r.iqr_s}, std::pair{"effective_gb_per_s", &r.effective_gb_per_s},
        std::pair{"fraction_of_copy", &r.fraction_of_copy},
        std::pair{"fraction_of_update", &r.fraction_of_update},
        std::pair{"gflop_per_s", &r.gflop_per_s}, std::pair{"flop_per_byte", &r.flop_per_byte},
        std::pair{"roofline_gflop_per_s", &r.roofline_gflop_per_s},
        std::pair{"fraction_of_roofline", &r.fraction_of_roofline},
        std::pair{"moved_bytes_per_cell", &r.moved_bytes_per_cell},
        std::pair{"fraction_at_moved", &r.fraction_at_moved}}) {
    *value = optional_number(j, key, kDerived, where);
  }
  r.u_min = optional_number(j, "u_min", kAnyNumber, where);
  r.u_max = optional_number(j, "u_max", kAnyNumber, where);
  const bool valid = r.status == Status::valid;
  require(valid || !r.gcell_per_s, "{}: a result that is {} has a rate", where,
          to_string(r.status));
  require(valid || r.samples_s.empty(), "{}: a result that is {} has samples", where,
          to_string(r.status));
  require(!valid || r.gcell_per_s, "{}: a result that is valid has no \"gcell_per_s\"", where);
  require(!valid || !r.samples_s.empty(), "{}: a result that is valid has no samples", where);
  // Those of energy and parallel old files lack.
  for (auto [key, object] :
       {std::pair{"resources", &r.resources}, std::pair{"predicted", &r.predicted},
        std::pair{"counters", &r.counters}, std::pair{"energy", &r.energy},
        std::pair{"parallel", &r.parallel}}) {
    *object = object_or_empty(j, key, where);
    require_no_negatives(*object, where + ": " + key);
  }
  check_ranks(r.parallel, where + ": parallel");
  r.published = object_or_empty(j, "published", where);
  return r;
}

namespace {

/// Today's name of a variant in a file of `date`: until this day two strategies were called
/// `jacobi/ebisu`, one for devices and one for hosts, and `jacobi/rst` was what is now ours.
std::string todays_name(const std::string& variant, const json& machine, std::string_view date) {
  constexpr std::string_view kEbisuSplit = "2026-11-26";
  if (variant == "jacobi/rst") return "jacobi/partial_sums";
  if (variant != "jacobi/ebisu" || date >= kEbisuSplit) return variant;
  return io::value_or(machine, "kind", std::string()) == "gpu" ? "jacobi/warps" : "jacobi/skewed";
}

/// The kind of model that an older file's deck asked for: its rows do not say.
std::string model_by_deck(const json& deck) {
  const json ete = io::value_or(deck, "ete", json::object());
  return io::value_or(ete, "model", std::string("random"));
}

}  // namespace

ResultFile result_file_from_json(const json& j, const std::string& where) {
  const auto schema = field<std::string>(j, "schema", where);
  require(schema == kResultSchema, "{}: schema is \"{}\", this version reads \"{}\"", where, schema,
          kResultSchema);
  ResultFile file;
  file.date = date_under(j, "date", where);
  if (j.contains("begun") && !j.at("begun").is_null()) {
    file.begun = date_under(j, "begun", where);
  }
  file.command_line = field<std::string>(j, "command_line", where);
  for (const char* key : {"machine", "build", "deck"})
    static_cast<void>(field<json>(j, key, where));
  file.machine = object_or_empty(j, "machine", where);
  if (file.machine.contains("kind")) {
    static_cast<void>(choice_under("cpu", "gpu", file.machine, "kind", where + ": machine"));
  }
  file.build = object_or_empty(j, "build", where);
  file.deck = object_or_empty(j, "deck", where);
  if (const json streams = field<json>(j, "streams", where); !streams.is_null()) {
    file.streams = streams_from_json(streams, where + ": streams");
  }
  if (j.contains("roofline") && !j.at("roofline").is_null()) {
    file.roofline = roofline_from_json(j.at("roofline"), where + ": roofline");
  }
  const json rows = field<json>(j, "results", where);
  require(rows.is_array(), "{}: field \"results\" is not a list", where);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    file.results.push_back(result_from_json(rows[i], fmt::format("{}: results[{}]", where, i)));
    Result& row = file.results.back();
    row.variant = todays_name(row.variant, file.machine, file.date);
    if (row.model.empty() && row.family == "ete") row.model = model_by_deck(file.deck);
  }
  return file;
}

void write_json(const ResultFile& file, const std::filesystem::path& path) {
  constexpr int kLevels = 2;  // a row of the results a line
  io::write_atomically(path, io::json_lines(to_json(file), kLevels) + "\n");
}

ResultFile read_json(const std::filesystem::path& path) {
  return result_file_from_json(io::read_json_file(path), path.string());
}

bool is_result_file(const std::filesystem::path& path) {
  if (path.extension() != ".json") return false;
  const json parsed = io::read_json_file(path);
  return parsed.is_object() && parsed.contains("schema") && parsed["schema"].is_string() &&
         parsed["schema"].get<std::string>().starts_with("tessera-result-");
}

}  // namespace tessera::results

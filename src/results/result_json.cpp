// SPDX-License-Identifier: Apache-2.0
// Result files as JSON, written and read.
#include "io/atomic_file.hpp"
#include "io/json_file.hpp"
#include "results/result.hpp"
#include "support/error.hpp"

#include <string_view>
#include <utility>

namespace tessera::measure {

using nlohmann::json;

namespace {

json rate_json(const std::optional<Rate>& rate) {
  if (!rate) return nullptr;
  return {{"min", rate->min}, {"median", rate->median}, {"max", rate->max}};
}

json number_json(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

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
                                      const std::string& where) {
  if (!object.contains(key) || object.at(key).is_null()) return std::nullopt;
  return field<double>(object, key, where);
}

std::optional<Rate> optional_rate(const json& object, const char* key, const std::string& where) {
  if (!object.contains(key) || object.at(key).is_null()) return std::nullopt;
  const json& rate = object.at(key);
  const std::string inner = where + ": " + key;
  return Rate{field<double>(rate, "min", inner), field<double>(rate, "median", inner),
              field<double>(rate, "max", inner)};
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

StreamRates streams_from_json(const json& object, const std::string& where) {
  StreamRates streams;
  streams.precision = field<std::string>(object, "precision", where);
  streams.array_bytes = field<std::int64_t>(object, "array_bytes", where);
  const json ranges = field<json>(object, "range", where);
  for (auto [name, rate] : {std::pair{"copy", &streams.copy}, std::pair{"triad", &streams.triad},
                            std::pair{"update", &streams.update}}) {
    const auto found = optional_rate(ranges, name, where + ": range");
    require(found.has_value(), "{}: range: no field \"{}\"", where, name);
    *rate = *found;
  }
  streams.copy_streaming = optional_rate(ranges, "copy_streaming", where + ": range");
  return streams;
}

Roofline roofline_from_json(const json& object, const std::string& where) {
  return {field<std::string>(object, "precision", where),
          field<double>(object, "peak_gflop_per_s", where),
          field<double>(object, "gb_per_s", where), optional_number(object, "l2_gb_per_s", where)};
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

json to_json(const StreamRates& s) {
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
        std::pair{"decomposition", &r.decomposition}, std::pair{"precision", &r.precision},
        std::pair{"reason", &r.reason}}) {
    *text = field<std::string>(j, key, where);
  }
  for (auto [key, count] : {std::pair{"nx", &r.nx}, std::pair{"ny", &r.ny}, std::pair{"nz", &r.nz},
                            std::pair{"steps", &r.steps}}) {
    *count = field<std::int64_t>(j, key, where);
  }
  // Old files lack these.
  if (j.contains("model")) r.model = field<std::string>(j, "model", where);
  if (j.contains("details")) r.details = field<std::string>(j, "details", where);
  r.status = status_from(field<std::string>(j, "status", where), where);
  r.samples_s = field<std::vector<double>>(j, "samples_s", where);
  r.steps_per_sample = field<int>(j, "steps_per_sample", where);
  r.temporal_depth = field<int>(j, "temporal_depth", where);
  r.noisy = field<bool>(j, "noisy", where);
  if (j.contains("baseline")) r.baseline = field<bool>(j, "baseline", where);  // old files lack it
  r.gcell_per_s = optional_rate(j, "gcell_per_s", where);
  for (auto [key, value] :
       {std::pair{"iqr_s", &r.iqr_s}, std::pair{"effective_gb_per_s", &r.effective_gb_per_s},
        std::pair{"fraction_of_copy", &r.fraction_of_copy},
        std::pair{"fraction_of_update", &r.fraction_of_update},
        std::pair{"gflop_per_s", &r.gflop_per_s}, std::pair{"flop_per_byte", &r.flop_per_byte},
        std::pair{"roofline_gflop_per_s", &r.roofline_gflop_per_s},
        std::pair{"fraction_of_roofline", &r.fraction_of_roofline},
        std::pair{"moved_bytes_per_cell", &r.moved_bytes_per_cell},
        std::pair{"fraction_at_moved", &r.fraction_at_moved}, std::pair{"u_min", &r.u_min},
        std::pair{"u_max", &r.u_max}}) {
    *value = optional_number(j, key, where);
  }
  require(r.status == Status::valid || !r.gcell_per_s, "{}: a result that is {} has a rate", where,
          to_string(r.status));
  r.resources = object_or_empty(j, "resources", where);
  r.predicted = object_or_empty(j, "predicted", where);
  r.counters = object_or_empty(j, "counters", where);
  r.published = object_or_empty(j, "published", where);
  r.energy = object_or_empty(j, "energy", where);      // old files lack it
  r.parallel = object_or_empty(j, "parallel", where);  // likewise
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
  file.date = field<std::string>(j, "date", where);
  if (j.contains("begun") && !j.at("begun").is_null()) {
    file.begun = field<std::string>(j, "begun", where);
  }
  file.command_line = field<std::string>(j, "command_line", where);
  for (const char* key : {"machine", "build", "deck"})
    static_cast<void>(field<json>(j, key, where));
  file.machine = object_or_empty(j, "machine", where);
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

}  // namespace tessera::measure

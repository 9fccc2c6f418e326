// SPDX-License-Identifier: Apache-2.0
// Result files as JSON, written and read by their tables of fields.
// What a result file holds beside its rows.

#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "program/results/file_fields.hpp"
#include "program/results/measurement_warnings.hpp"
#include "program/results/result.hpp"

#include <string_view>

namespace tessera::results {

namespace {

/// Whatever the row holds, a rate leaves it only where its output was found right.
Result with_rates_of_valid(Result row) {
  if (row.status != Status::valid) clear_rates(row);
  return row;
}

/// What the types of its fields allow and all together do not.
void require_consistent(const Result& r, const std::string& where) {
  const bool valid = r.status == Status::valid;
  const std::string status = to_string(r.status);
  require(valid == r.gcell_per_s.has_value(), "{}: {} \"gcell_per_s\", and its status is {}", where,
          valid ? "no" : "has", status);
  require(valid == !r.samples_s.empty(), "{}: {} \"samples_s\", and its status is {}", where,
          valid ? "no" : "has", status);
  if (!r.gcell_per_s) return;
  const auto& [min, median, max] = *r.gcell_per_s;
  require(min <= median && median <= max,
          "{}: gcell_per_s: min {}, median {} and max {} are not in this order", where, min, median,
          max);
}

/// Today's name of a variant in a file of `date`: until this day two strategies were called
/// `jacobi/ebisu`, one for devices and one for hosts, and `jacobi/rst` was what is now ours.
std::string todays_name(const std::string& variant, const json& machine, std::string_view date) {
  constexpr std::string_view kEbisuSplit = "2026-11-26";
  if (variant == "jacobi/rst") return "jacobi/partial_sums";
  if (variant != "jacobi/ebisu" || date >= kEbisuSplit) return variant;
  return io::value_or(machine, "kind", std::string()) == "gpu" ? "jacobi/warps" : "jacobi/skewed";
}

/// The kind of model that an older file's deck requested: its rows do not say.
std::string model_by_deck(const json& deck) {
  const json ete = io::value_or(deck, "ete", json::object());
  return io::value_or(ete, "model", std::string("random"));
}

}  // namespace

json to_json(const Result& row) { return write(row_fields(), with_rates_of_valid(row)); }

json to_json(const machine::StreamRates& streams) {
  return write(*result_file_fields().find("streams")->type.fields, streams);
}

json to_json(const ResultFile& file) {
  ResultFile shown = file;
  for (Result& row : shown.results) row = with_rates_of_valid(std::move(row));
  return write(result_file_fields(), shown);
}

Result result_from_json(const json& j, const std::string& where) {
  auto row = read<Result>(row_fields(), j, where);
  require_consistent(row, where);
  return row;
}

ResultFile result_file_from_json(const json& j, const std::string& where) {
  const std::string schema =
      j.is_object() ? io::value_or(j, "schema", std::string("absent")) : std::string("absent");
  require(schema == kResultSchema, "{}: \"schema\" is {}, this version reads {}", where, schema,
          kResultSchema);
  auto file = read<ResultFile>(result_file_fields(), j, where);
  for (std::size_t i = 0; i < file.results.size(); ++i) {
    Result& row = file.results[i];
    require_consistent(row, fmt::format("{}: results[{}]", where, i));
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
  return parsed.is_object() &&
         io::value_or(parsed, "schema", std::string()).starts_with("tessera-result-");
}

namespace {

using machine::Rate;
using machine::StreamRates;

const Fields kStream = {
    {"min", number(kMemoryRate), "", &Rate::min},
    {"median", number(kMemoryRate), "", &Rate::median},
    {"max", number(kMemoryRate), "", &Rate::max},
};

const Fields kStreamRanges = {
    {"copy", object(kStream), "", Member(&StreamRates::copy, kStream)},
    {"triad", object(kStream), "", Member(&StreamRates::triad, kStream)},
    {"update", object(kStream), "", Member(&StreamRates::update, kStream)},
    {"copy_streaming?", maybe(object(kStream)), "by non-temporal stores",
     Member(&StreamRates::copy_streaming, kStream)},
};

Member median(Rate StreamRates::*stream) {
  return Member::of<StreamRates>([stream](const StreamRates& s) { return (s.*stream).median; });
}
const Fields kStreams = {
    {"unit?", text({"GB/s"})},
    {"precision", precision(), "", &StreamRates::precision},
    {"array_bytes", whole(0, 1e15), "of each array", &StreamRates::array_bytes},
    {"copy", number(kMemoryRate), "b = a, the median", median(&StreamRates::copy)},
    {"triad", number(kMemoryRate), "c = a + s b", median(&StreamRates::triad)},
    {"update", number(kMemoryRate), "b = a + q b, q an array", median(&StreamRates::update)},
    {"range", object(kStreamRanges), "min, median and max of each"},
};

const Fields kRoofline = {
    {"precision", precision(), "", &Roofline::precision},
    {"peak_gflop_per_s", number(kArithmetic), "multiply-adds", &Roofline::peak_gflop_per_s},
    {"gb_per_s", number(kMemoryRate), "of the fastest stream", &Roofline::gb_per_s},
    {"l2_gb_per_s", maybe(number(kMemoryRate)), "of a machine file", &Roofline::l2_gb_per_s},
};

}  // namespace

const Fields& result_file_fields() {
  static const Fields kFile = {
      {"schema", text({kResultSchema})},
      {"date", date(), "UTC", &ResultFile::date},
      {"begun?", maybe(date()), "date of the run that this one resumed",
       Member::of<ResultFile>(
           [](const ResultFile& f) { return f.begun.empty() ? json() : json(f.begun); },
           [](ResultFile& f, const json& value) { f.begun = value; })},
      {"command_line", text(), "", &ResultFile::command_line},
      {"machine", object(machine_info_fields()), "", &ResultFile::machine},
      {"build", object(build_fields()), "", &ResultFile::build},
      {"deck", any_object(), "the deck as it ran, with the command line's overrides",
       &ResultFile::deck},
      {"streams", maybe(object(kStreams)), "null in files of `tune` and `run --profile`",
       Member(&ResultFile::streams, kStreams)},
      {"roofline?", maybe(object(kRoofline)), "null where `streams` is",
       Member(&ResultFile::roofline, kRoofline)},
      {"doubtful?", list(text()), "what speaks against its figures, a sentence each",
       Member::of<ResultFile>([](const ResultFile& f) {
         const std::vector<std::string> warnings = measurement_warnings(f);
         return warnings.empty() ? json() : json(warnings);
       })},
      {"results", list(object(row_fields())), "an entry a configuration and decomposition",
       Member(&ResultFile::results, row_fields())},
  };
  return kFile;
}

}  // namespace tessera::results

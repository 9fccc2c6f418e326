// SPDX-License-Identifier: Apache-2.0
// Results: one row a configuration, one file a run. JSON is the master, CSV a flat view of it.
#pragma once

#include "base/registry/step_work.hpp"
#include "program/results/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::results {

/// Name and version of the result file's layout.
inline constexpr const char* kResultSchema = "tessera-result-1";

/// What became of a configuration.
enum class Status {
  valid,        ///< ran, and its output equals the reference within the bound
  invalid,      ///< ran, and its output is wrong: it has no rate
  unsupported,  ///< this backend or device cannot run it; `reason` says why
  unverified,   ///< ran for a profiler, compared with nothing: it has no rate
  unmeasured,   ///< its turn did not come: interrupted, or the time budget was spent
};

NLOHMANN_JSON_SERIALIZE_ENUM(Status, {{Status::unsupported, "unsupported"},
                                      {Status::valid, "valid"},
                                      {Status::invalid, "invalid"},
                                      {Status::unverified, "unverified"},
                                      {Status::unmeasured, "unmeasured"}})

/// "valid", "invalid", "unsupported", "unverified" or "unmeasured".
[[nodiscard]] std::string to_string(Status status);

/// What bounds a kernel by its arithmetic intensity: the roofs of this machine, in this run.
struct Roofline {
  std::string precision;              ///< of the peak
  double peak_gflop_per_s = 0;        ///< multiply-adds, a fused one counting two
  double gb_per_s = 0;                ///< device memory: the fastest of the run's streams
  std::optional<double> l2_gb_per_s;  ///< L2 cache, where a machine file gives it

  /// The lower of the two roofs at an intensity in flop/B, in GFLOP/s.
  [[nodiscard]] double attainable(double flop_per_byte, double bandwidth_gb_per_s) const {
    return std::min(peak_gflop_per_s, flop_per_byte * bandwidth_gb_per_s);
  }
};

/// One configuration of one case. Rates are absent unless the status is valid.
struct Result {
  std::string family;
  std::string stencil;
  std::string variant;        ///< e.g. "acoustic/st_reg_fixed"
  std::string configuration;  ///< the part after the colon, e.g. "32x16,nw=4"
  std::string decomposition;
  std::string precision;
  std::string model;    ///< kind of model, where one stencil has several: "random", "smooth" ...
  std::string details;  ///< further parameters that identify it: "pml_cells=27"; empty: unknown
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t steps = 0;
  Status status = Status::unsupported;
  std::string reason;     ///< why it is not valid, or a remark; one line
  bool baseline = false;  ///< the variant that the family's others are compared with

  std::vector<double> samples_s;  ///< seconds a step, one a repetition
  std::int64_t steps_per_sample = 1;
  int temporal_depth = 1;                    ///< time steps a pass over memory
  std::optional<double> iqr_s;               ///< inter-quartile range of samples_s
  bool noisy = false;                        ///< iqr_s above 3 % of the median
  std::optional<machine::Rate> gcell_per_s;  ///< 10^9 cell updates a second
  std::optional<double> effective_gb_per_s;  ///< minimal bytes over the median time
  std::optional<double> fraction_of_copy;    ///< of this run's copy bandwidth
  std::optional<double> fraction_of_update;  ///< of this run's update bandwidth
  std::optional<double> gflop_per_s;
  std::optional<double> flop_per_byte;         ///< arithmetic intensity, minimal bytes
  std::optional<double> roofline_gflop_per_s;  ///< attainable at that intensity
  std::optional<double> fraction_of_roofline;  ///< gflop_per_s over it
  std::optional<double> moved_bytes_per_cell;  ///< as the variant stores and blocks its fields
  std::optional<double> fraction_at_moved;     ///< gflop_per_s over what is attainable with these
  std::optional<double> u_min;                 ///< smallest value of the final field
  std::optional<double> u_max;

  nlohmann::json resources = nlohmann::json::object();  ///< team size, scratch bytes, ...
  nlohmann::json predicted = nlohmann::json::object();  ///< what the models say
  nlohmann::json counters = nlohmann::json::object();   ///< imported hardware counters
  nlohmann::json published = nlohmann::json::object();  ///< what a paper printed of it
  nlohmann::json energy =
      nlohmann::json::object();  ///< of the samples, where the machine measures it
  nlohmann::json parallel =
      nlohmann::json::object();  ///< of several ranks: grid, transport, phases
};

/// The row's variant with its configuration, "acoustic/gmem:8x8x8".
[[nodiscard]] std::string full_name(const Result& result);

/// The row's share of what bounds it: of what its temporal blocking can attain, where the model
/// gives it; of the roofline at the traffic of its blocking, where several steps are made at once;
/// else of the roofline at least traffic. Absent where none is known.
[[nodiscard]] std::optional<double> share_of_bound(const Result& result);

/// The row's share of the roofline at the traffic of how its variant stores and blocks its fields,
/// where that is not the least of the plain formula, and that traffic. If the file lacks
/// `fraction_at_moved`, by the plan's elements.
struct MovedShare {
  double share = 0;
  double bytes_per_cell = 0;
};
[[nodiscard]] std::optional<MovedShare> share_of_moved(const Result& result);

/// The number under `key` of one of the row's objects, where there is one.
[[nodiscard]] std::optional<double> number_at(const nlohmann::json& object, const char* key);

/// Sets samples, rates and fractions of a row that ran and was found right. `samples_s` are seconds
/// a step. Throws Error where there are no samples or one is not positive.
void set_valid(Result& result, std::vector<double> samples_s, const StepWork& work,
               const std::optional<machine::StreamRates>& streams);

/// Sets attainable performance and fraction of a valid row, at least traffic and at that of how its
/// variant stores and blocks its fields, where the plan says; of its counters' volumes too, where
/// it has any ("dram_bytes_per_cell", "l2_bytes_per_cell"): intensity by measured bytes, the roof
/// there, and the fraction. Other rows are left alone.
void set_roofline(Result& result, const Roofline& roofline);

/// Marks a row as wrong or not runnable: removes its samples and rates and keeps the reason.
void set_failed(Result& result, Status status, const std::string& reason);

/// Removes samples, rates and energy.
void clear_rates(Result& result);

/// All results of a run, with what is needed to judge them later.
struct ResultFile {
  std::string date;   ///< UTC, ISO 8601
  std::string begun;  ///< date of the run that this one continued; empty: none
  std::string command_line;
  nlohmann::json machine = nlohmann::json::object();  ///< machine_info.hpp's to_json
  nlohmann::json build = nlohmann::json::object();    ///< version, revision, compiler, flags, ...
  nlohmann::json deck = nlohmann::json::object();     ///< with the command line's overrides
  std::optional<machine::StreamRates> streams;
  std::optional<Roofline> roofline;
  std::vector<Result> results;
};

/// Current time, UTC, as 2024-05-31T12:00:00Z.
[[nodiscard]] std::string utc_now();

[[nodiscard]] nlohmann::json to_json(const Result& result);
[[nodiscard]] nlohmann::json to_json(const machine::StreamRates& streams);
[[nodiscard]] nlohmann::json to_json(const ResultFile& file);

/// Inverse of to_json. `where` names the source in errors. Throws Error on a field that is missing,
/// unknown, of another type or out of its range (results/row_fields.cpp), and on a row whose status
/// and figures contradict each other.
[[nodiscard]] Result result_from_json(const nlohmann::json& json, const std::string& where);
[[nodiscard]] ResultFile result_file_from_json(const nlohmann::json& json,
                                               const std::string& where);

/// Writes the file so that a reader finds the old one or the new one, never a part of it.
void write_json(const ResultFile& file, const std::filesystem::path& path);

/// The file's rows as CSV (RFC 4180, one header line). The columns application, problem, platform
/// and fom come first and are what performance-portability tools look for: fom is the median
/// GCell/s, larger is better, 0 where the result is not valid.
[[nodiscard]] std::string to_csv(const ResultFile& file);
void write_csv(const ResultFile& file, const std::filesystem::path& path);

/// Reads a result file. Throws Error where it is missing, is not JSON or has another schema.
[[nodiscard]] ResultFile read_json(const std::filesystem::path& path);

/// Whether a file holds results, of whatever version of the schema, and not a machine or something
/// else. Throws Error where a .json file cannot be read or is not JSON.
[[nodiscard]] bool is_result_file(const std::filesystem::path& path);

}  // namespace tessera::results

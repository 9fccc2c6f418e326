// SPDX-License-Identifier: Apache-2.0
#include "program/results/measurement_warnings.hpp"

#include "base/io/json_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

namespace tessera::results {
namespace {

using nlohmann::json;

/// Bytes of the last-level cache of the device or of all of the host's; 0 where it is not known.
double cache_bytes(const json& machine) {
  if (machine.contains("device_properties")) {
    return number_at(machine["device_properties"], "l2_bytes").value_or(0);
  }
  double largest = 0;
  if (!machine.contains("host")) return largest;
  for (const json& cache : io::value_or(machine["host"], "caches", json::array())) {
    largest = std::max(
        largest, number_at(cache, "bytes").value_or(0) * number_at(cache, "instances").value_or(1));
  }
  return largest;
}

/// Least bytes of a step: what a cache would have to hold for a step to run from it.
std::optional<double> step_bytes(const Result& r) {
  if (!r.effective_gb_per_s || !r.gcell_per_s) return std::nullopt;
  const double cells =
      static_cast<double>(r.nx) * static_cast<double>(r.ny) * static_cast<double>(r.nz);
  return *r.effective_gb_per_s / r.gcell_per_s->median * cells;
}

/// "acoustic/gmem:8x8x8 and 3 more".
std::string name_some(const std::vector<const Result*>& rows) {
  std::string out = full_name(*rows.front());
  if (rows.size() > 1) out += fmt::format(" and {} more", rows.size() - 1);
  return out;
}

/// The same with its verb, "acoustic/gmem:8x8x8 varies": for one row, for several.
std::string some_that(const std::vector<const Result*>& rows, const char* one,
                      const char* several) {
  return name_some(rows) + " " + (rows.size() == 1 ? one : several);
}

/// How much more the memory gave for the file's streams than when a row was measured, relative; a
/// row knows the copy bandwidth of its own run by its share of it.
double drift_since(const Result& r, const machine::StreamRates& streams) {
  if (!r.effective_gb_per_s || !r.fraction_of_copy || *r.fraction_of_copy <= 0) return 0;
  return streams.copy.median * *r.fraction_of_copy / *r.effective_gb_per_s - 1;
}

/// Rows that an earlier run measured, on a machine that was faster or slower then.
void add_drift_warning(const ResultFile& file, std::vector<std::string>& warnings) {
  if (!file.streams) return;
  std::vector<const Result*> rows;
  double most = 0;
  for (const Result& r : file.results) {
    const double drift = r.gcell_per_s ? drift_since(r, *file.streams) : 0;
    if (std::abs(drift) <= kDriftSlack) continue;
    rows.push_back(&r);
    if (std::abs(drift) > std::abs(most)) most = drift;
  }
  if (rows.empty()) return;
  warnings.push_back(fmt::format(
      "the copy bandwidth is {:.0f} % {} than when {} measured by the run that this one resumed: "
      "shares are of that run's bound",
      100 * std::abs(most), most > 0 ? "higher" : "lower", some_that(rows, "was", "were")));
}

/// What a host's threads may not do to each other: wander between NUMA nodes, share a CPU.
void add_thread_warnings(const json& machine, std::vector<std::string>& warnings) {
  if (!machine.contains("topology") || io::value_or(machine, "kind", std::string()) != "cpu")
    return;
  const json& topology = machine["topology"];
  const double nodes = number_at(topology, "numa_nodes").value_or(0);
  if (nodes > 1 && io::value_or(topology, "binding", std::string()) == "none") {
    warnings.push_back(fmt::format(
        "the threads are not bound, and the machine has {} NUMA nodes: set OMP_PROC_BIND=spread "
        "OMP_PLACES=cores",
        nodes));
  }
  const double threads = number_at(topology, "threads").value_or(0);
  const auto cpus = number_at(topology, "cpus");
  const auto quota = number_at(topology, "cpu_quota");
  if (cpus && threads > *cpus) {
    warnings.push_back(fmt::format(
        "{} threads share the {} CPUs that they may run on: set OMP_NUM_THREADS", threads, *cpus));
  } else if (const auto cores = number_at(topology, "cores"); cores && threads > *cores) {
    warnings.push_back(fmt::format(
        "{} threads share the {} cores that they may run on, several a core: set OMP_NUM_THREADS",
        threads, *cores));
  } else if (quota && threads > *quota) {
    warnings.push_back(fmt::format(
        "{} threads share the time of {:.3g} CPUs, which their control group allows: set "
        "OMP_NUM_THREADS",
        threads, *quota));
  }
}

}  // namespace

std::string warning_of_streams(double array_bytes, double cache_bytes, bool on_device) {
  if (array_bytes < cache_bytes) {
    return fmt::format(
        "the streams' arrays of {:.1f} MB fit the last cache ({:.1f} MB): the roofs "
        "are not the memory's",
        array_bytes / 1e6, cache_bytes / 1e6);
  }
  // Arrays end with a whole chunk, a little below what was aimed at.
  if (on_device || array_bytes > 3.99 * cache_bytes) return "";
  return fmt::format(
      "the streams' arrays of {:.1f} MB are less than 4 times the last cache ({:.1f} MB): the "
      "roofs are perhaps the cache's; measure.roofs_bytes={:.0f} allows for larger ones",
      array_bytes / 1e6, cache_bytes / 1e6, 12 * cache_bytes);
}

std::string warning_of_build(const json& build) {
  std::istringstream flags(io::value_or(build, "flags", std::string()));
  std::string optimised = "-O0";
  bool described = false;
  bool asserts = true;
  for (std::string flag; flags >> flag;) {
    described = true;
    if (flag.starts_with("-O")) optimised = flag;
    if (flag == "-DNDEBUG") asserts = false;
  }
  if (!described) return "";
  std::vector<std::string> why;
  if (optimised == "-O0" || optimised == "-O1" || optimised == "-Og") why.push_back(optimised);
  if (asserts || flags.str().find("_ASSERTIONS") != std::string::npos)
    why.emplace_back("assertions");
  const auto options = io::value_or(build, "kokkos_options", std::string());
  if (options.find("BOUNDS_CHECK") != std::string::npos) why.emplace_back("bounds checks");
  if (why.empty()) return "";
  return fmt::format(
      "this build is not for measuring ({}): rates of a build at -O3 may be several times as high",
      fmt::join(why, ", "));
}

std::vector<std::string> measurement_warnings(const ResultFile& file) {
  std::vector<const Result*> noisy, above, above_model, cached;
  const double cache = cache_bytes(file.machine);
  for (const Result& r : file.results) {
    if (!r.gcell_per_s) continue;
    if (r.noisy) noisy.push_back(&r);
    if (share_of_bound(r).value_or(0) > 1 + kBoundSlack) {
      (number_at(r.predicted, "fraction_of_attainable") ? above_model : above).push_back(&r);
    }
    if (const auto bytes = step_bytes(r); bytes && *bytes < cache) cached.push_back(&r);
  }
  std::vector<std::string> warnings;
  if (std::string warning = warning_of_build(file.build); !warning.empty()) {
    warnings.push_back(std::move(warning));
  }
  if (file.streams && file.streams->array_bytes > 0) {  // measured by this run
    std::string warning = warning_of_streams(static_cast<double>(file.streams->array_bytes), cache,
                                             file.machine.contains("device_properties"));
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
  if (!noisy.empty()) {
    warnings.push_back(fmt::format("{} by more than 3 %: measure again on a quieter machine",
                                   some_that(noisy, "varies", "vary")));
  }
  if (!above.empty()) {
    warnings.push_back(
        fmt::format("{}: the bound was measured while the machine was busy, or a cache serves {}",
                    some_that(above, "is above its bound", "are above their bound"),
                    above.size() == 1 ? "it" : "them"));
  }
  if (!above_model.empty()) {
    warnings.push_back(fmt::format(
        "{} above what EBISU's equations call attainable: they count more accesses than {}, or a "
        "roof was measured while the machine was busy",
        some_that(above_model, "is", "are"),
        above_model.size() == 1 ? "this makes" : "these make"));
  }
  if (!cached.empty()) {
    warnings.push_back(fmt::format(
        "the grid of {} fits the last cache ({:.1f} MB): rates are the cache's, not the memory's",
        name_some(cached), cache * 1e-6));
  }
  const json host = io::value_or(file.machine, "host", json::object());
  const bool known = host.contains("load") && host["load"].is_number();
  const double load = known ? host["load"].get<double>() : 0;
  const double cpus = number_at(host, "cores").value_or(0);
  if (cpus > 0 && load > 0.5 * cpus) {
    warnings.push_back(fmt::format(
        "the machine was busy before the run: load average {:.1f} on {:.0f} cores", load, cpus));
  }
  add_thread_warnings(file.machine, warnings);
  add_drift_warning(file, warnings);
  return warnings;
}

}  // namespace tessera::results

// SPDX-License-Identifier: Apache-2.0
#include "program/run/roofs.hpp"

#include "base/comm/session.hpp"
#include "base/device/profiling_region.hpp"
#include "base/support/bytes.hpp"
#include "base/support/console.hpp"
#include "program/measure/machine_info.hpp"
#include "program/measure/measurements.hpp"
#include "program/measure/streams.hpp"
#include "program/measure/timing.hpp"
#include "program/measure/topology.hpp"
#include "program/predict/inputs.hpp"

#include <algorithm>
#include <initializer_list>

namespace tessera {
namespace {

/// What the ranks' memories give together: each has measured beside the others.
void add_up(const comm::Ranks& ranks, machine::StreamRates& streams) {
  const auto sum = [&](machine::Rate& rate) {
    rate = {ranks.sum(rate.min), ranks.sum(rate.median), ranks.sum(rate.max)};
  };
  for (machine::Rate* rate : {&streams.copy, &streams.triad, &streams.update}) sum(*rate);
  if (streams.copy_streaming) sum(*streams.copy_streaming);
}

/// The machine file's streams; those that it lacks are its copy's.
machine::StreamRates stored_streams(const StoredMachine& stored, const std::string& precision) {
  const machine::Machine& m = stored.machine;
  require(m.copy_gb_per_s.has_value(),
          "{}: memory.copy_gb_per_s is missing: --stored-roofs takes it", stored.path);
  const auto rate = [](double gb_per_s) { return machine::Rate{gb_per_s, gb_per_s, gb_per_s}; };
  machine::StreamRates streams;
  streams.precision = precision;
  streams.copy = rate(*m.copy_gb_per_s);
  streams.triad = rate(m.triad_gb_per_s.value_or(*m.copy_gb_per_s));
  streams.update = rate(m.update_gb_per_s.value_or(*m.copy_gb_per_s));
  return streams;
}

double stored_peak(const StoredMachine& stored, const std::string& precision) {
  const machine::Machine& m = stored.machine;
  const auto& peak = precision == "float" ? m.float_gflop_per_s : m.double_gflop_per_s;
  require(peak.has_value(), "{}: peak.{}_gflop_per_s is missing: --stored-roofs takes it",
          stored.path, precision);
  return *peak;
}

machine::StreamRates measured_streams(const DeckRun& run, const std::string& precision) {
  measure::StreamOptions options;
  options.precision = precision;
  options.most_bytes = run.roofs_bytes;
  const comm::Ranks& ranks = comm::world();
  ranks.barrier();
  machine::StreamRates streams = measure::measure_streams(options);
  if (ranks.alone()) warn_of_shortfall(run.stored, streams);
  add_up(ranks, streams);
  return streams;
}

}  // namespace

std::string roofs_plan(const DeckRun& run, const RunRequest& request) {
  if (request.stored_roofs) return fmt::format("roofs: of {}\n", run.stored.path);
  const auto bytes = static_cast<double>(measure::array_bytes_here(run.roofs_bytes));
  return fmt::format(
      "roofs: streams over 3 arrays of {:.0f} MB, then peak and caches: {:.2f} GiB, {}\n",
      1e-6 * bytes, 3 * bytes / kBytesPerGiB,
      measure::quick_roofs() ? "at once" : "a few seconds, at most about 10");
}

void find_roofs(DeckRun& run, const RunRequest& request) {
  const comm::Ranks& ranks = comm::world();
  const std::string& precision = run.studies.front().what->precision;
  say(request.talk, "{}", roofs_plan(run, request));
  const ProfilingRegion region("tessera::roofs");
  const machine::StreamRates streams = request.stored_roofs ? stored_streams(run.stored, precision)
                                                            : measured_streams(run, precision);
  run.options.target = model_of_this_machine(run.stored, streams);
  run.options.target.machine = this_machine();  // the plans that are launched
  results::Roofline roofline = roofline_of(streams, run.stored, precision);
  roofline.peak_gflop_per_s = request.stored_roofs
                                  ? stored_peak(run.stored, precision)
                                  : ranks.sum(measure::measure_peak_gflop_per_s(precision).max);
  run.options.target.flop_per_s = 1e9 * roofline.peak_gflop_per_s;
  say(request.talk, "streams: copy {:.4g}, triad {:.4g}, update {:.4g} GB/s ({})\n",
      streams.copy.median, streams.triad.median, streams.update.median, measure::device_name());
  say(request.talk, "{}", measure::topology_line());
  run.file.streams = streams;
  run.file.roofline = roofline;
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "program/results/result.hpp"

#include "base/support/error.hpp"

#include <cmath>
#include <ctime>
#include <utility>

namespace tessera::results {
namespace {

double value_bytes(const Result& r) { return r.precision == "float" ? 4 : 8; }

}  // namespace

std::string to_string(Status status) { return nlohmann::json(status).get<std::string>(); }

std::string full_name(const Result& result) {
  return result.configuration.empty() ? result.variant
                                      : result.variant + ":" + result.configuration;
}

std::optional<double> share_of_bound(const Result& result) {
  if (const auto share = number_at(result.predicted, "fraction_of_attainable")) return share;
  if (number_at(result.resources, "temporal_depth").value_or(1) > 1) {
    if (const auto moved = share_of_moved(result)) return moved->share;
  }
  return result.fraction_of_roofline;
}

std::optional<MovedShare> share_of_moved(const Result& result) {
  const auto least = number_at(result.resources, "minimal_elements_per_cell");
  const auto moved = number_at(result.resources, "moved_elements_per_cell");
  if (!result.fraction_of_roofline || !least || !moved || *least <= 0) return std::nullopt;
  // Both are means over the cells of a grid with regions, summed in different orders.
  constexpr double kRounding = 1e-9;
  if (std::abs(*moved / *least - 1) < kRounding) return std::nullopt;
  if (result.fraction_at_moved && result.moved_bytes_per_cell)
    return MovedShare{*result.fraction_at_moved, *result.moved_bytes_per_cell};
  return MovedShare{*result.fraction_of_roofline * *moved / *least, value_bytes(result) * *moved};
}

std::optional<double> number_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

void set_valid(Result& result, std::vector<double> samples_s, const StepWork& work,
               const std::optional<machine::StreamRates>& streams) {
  const machine::Summary seconds = machine::summarise(samples_s);
  result.status = Status::valid;
  result.samples_s = std::move(samples_s);
  result.iqr_s = seconds.iqr();
  result.noisy = seconds.noisy();
  result.gcell_per_s = rate(work.cells * 1e-9, seconds);
  result.gflop_per_s = work.flops * 1e-9 / seconds.median;
  const double gb_per_s = work.minimal_bytes * 1e-9 / seconds.median;
  result.effective_gb_per_s = gb_per_s;
  if (work.minimal_bytes > 0) result.flop_per_byte = work.flops / work.minimal_bytes;
  if (streams) {
    result.fraction_of_copy = gb_per_s / streams->copy.median;
    result.fraction_of_update = gb_per_s / streams->update.median;
  }
}

void set_roofline(Result& r, const Roofline& roofline) {
  if (r.status != Status::valid || !r.gcell_per_s || !r.gflop_per_s) return;
  if (r.flop_per_byte) {
    r.roofline_gflop_per_s = roofline.attainable(*r.flop_per_byte, roofline.gb_per_s);
    r.fraction_of_roofline = *r.gflop_per_s / *r.roofline_gflop_per_s;
    const auto least = number_at(r.resources, "minimal_elements_per_cell");
    const auto moved = number_at(r.resources, "moved_elements_per_cell");
    if (least && moved && *least > 0 && *moved > 0) {
      const double intensity = *r.flop_per_byte * *least / *moved;
      r.moved_bytes_per_cell = value_bytes(r) * *moved;
      r.fraction_at_moved = *r.gflop_per_s / roofline.attainable(intensity, roofline.gb_per_s);
    }
  }
  // The row's own flop count: a semi-stencil or a reordered sum still does the stencil's work.
  const double flops = *r.gflop_per_s / r.gcell_per_s->median;  // a cell
  const double dram = number_at(r.counters, "dram_bytes_per_cell").value_or(0);
  if (dram > 0) r.counters["achieved_gb_per_s"] = dram * r.gcell_per_s->median;
  for (const auto& [level, bandwidth] : {std::pair{"dram", std::optional(roofline.gb_per_s)},
                                         std::pair{"l2", roofline.l2_gb_per_s}}) {
    const std::string name = level;
    const double bytes = r.counters.value(name + "_bytes_per_cell", 0.0);
    if (bytes <= 0) continue;
    r.counters[name + "_flop_per_byte"] = flops / bytes;
    if (!bandwidth) continue;
    const double roof = roofline.attainable(flops / bytes, *bandwidth);
    r.counters[name + "_roofline_gflop_per_s"] = roof;
    r.counters[name + "_fraction_of_roofline"] = *r.gflop_per_s / roof;
  }
}

void set_failed(Result& result, Status status, const std::string& reason) {
  require(status != Status::valid, "a failed result cannot be valid");
  require(!reason.empty(), "{}:{} is {} without a reason", result.variant, result.configuration,
          to_string(status));
  result.status = status;
  result.reason = reason;
  clear_rates(result);
}

void clear_rates(Result& result) {
  result.samples_s.clear();
  result.noisy = false;
  result.energy = nlohmann::json::object();
  result.gcell_per_s.reset();
  for (auto* rate : {&result.iqr_s, &result.effective_gb_per_s, &result.fraction_of_copy,
                     &result.fraction_of_update, &result.gflop_per_s, &result.flop_per_byte,
                     &result.roofline_gflop_per_s, &result.fraction_of_roofline,
                     &result.moved_bytes_per_cell, &result.fraction_at_moved}) {
    rate->reset();
  }
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, length};
}

}  // namespace tessera::results

// SPDX-License-Identifier: Apache-2.0
// A row of a study before it is measured, and whether an earlier run's will do.
#include "program/run/run.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace tessera {
namespace {

/// Whether a variant is what its family's others are compared with on this kind of machine: a
/// host's plain code is in vectors where the family has such.
bool is_baseline_here(const Variant& variant) {
  const auto has = [&](const char* tag) {
    return std::find(variant.tags.begin(), variant.tags.end(), tag) != variant.tags.end();
  };
  return is_baseline(variant) || has(kOnDevice ? "device baseline" : "host baseline");
}

}  // namespace

std::uint64_t fresh_seed() {
  const auto ticks = std::chrono::system_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(ticks) % (std::uint64_t{1} << 53);
}

bool is_finished(const results::Result& row, int repetitions) {
  const bool whole = row.status == results::Status::valid && row.reason.empty() &&
                     static_cast<int>(row.samples_s.size()) >= repetitions;
  return whole || row.status == results::Status::unsupported;
}

bool is_alike(const results::Result& one, const results::Result& other) {
  const auto key = [](const results::Result& k) {
    return std::tie(k.stencil, k.variant, k.configuration, k.decomposition, k.precision, k.model,
                    k.details, k.nx, k.ny, k.nz, k.steps);
  };
  return key(one) == key(other);
}

results::Result empty_row(const Case& c, const Selected& how, const std::string& decomposition) {
  results::Result row;
  row.family = c.family;
  row.stencil = c.stencil;
  row.variant = how.variant->full_name();
  row.baseline = is_baseline_here(*how.variant);
  row.configuration = how.variant->configurations[how.configuration].text;
  row.decomposition = decomposition;
  row.precision = c.precision;
  row.model = c.model;
  row.details = c.details;
  row.nx = c.n.nx;
  row.ny = c.n.ny;
  row.nz = c.n.nz;
  row.steps = c.steps;
  return row;
}

}  // namespace tessera

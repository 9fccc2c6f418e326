// SPDX-License-Identifier: Apache-2.0
#include "program/predict/inputs.hpp"

#include "base/device/space.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/measure/characterise.hpp"
#include "program/measure/measurements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tessera {

const char* kind_here() { return kOnDevice ? "gpu" : "cpu"; }

void require_kind_here(const std::string& kind, const std::string& path) {
  require(kind.empty() || kind == kind_here(),
          "{}: it describes a {}, but this machine is a {}: name a file of this machine", path,
          kind, kind_here());
}

namespace {

/// The file of the option, else of the key, whose file need not be there where the option is
/// given; empty where neither names one.
std::string named_file(const io::Deck& deck, const std::string& option, const std::string& key,
                       const InputKind& kind) {
  const bool in_deck = deck.contains(key);
  if (!option.empty()) return deck.find_beside(kind, option).string();
  return in_deck ? deck.get_path(key, kind).string() : "";
}

}  // namespace

StoredMachine read_stored_machine(const io::Deck& deck, const std::string& option) {
  StoredMachine stored;
  stored.path = named_file(deck, option, "measure.machine", kMachineFile);
  if (stored.path.empty()) return stored;
  stored.machine = machine::read_machine(stored.path);
  require_kind_here(stored.machine.kind, stored.path);
  return stored;
}

model::MachineModel model_of_this_machine(const StoredMachine& stored,
                                          const machine::StreamRates& now) {
  bool complete = stored.machine.units.has_value();
  int levels = 0;
  for (const machine::MachineCache& cache : stored.machine.caches) {
    levels += cache.level != "scratch" && cache.bytes && cache.gb_per_s ? 1 : 0;
  }
  complete = complete && levels >= 2;
  machine::Machine machine = complete ? stored.machine : measure::describe_quickly(now);
  machine.copy_gb_per_s = now.copy.median;
  machine.model = stored.machine.model;
  machine.predicted_by = stored.machine.predicted_by;
  return model::machine_model_of(machine);
}

void warn_of_shortfall(const StoredMachine& stored, const machine::StreamRates& now) {
  if (stored.path.empty()) return;
  const std::string text = machine::shortfall(stored.machine, now, stored.path);
  if (!text.empty()) warn(text);
}

std::optional<results::Published> read_deck_published(const io::Deck& deck) {
  if (!deck.contains("output.published")) return std::nullopt;
  return results::read_published(deck.get_path("output.published", kPublishedTable));
}

StoredCounters read_stored_counters(const io::Deck& deck, const std::string& option) {
  StoredCounters stored;
  stored.path = named_file(deck, option, "measure.counters", kResultFile);
  if (stored.path.empty()) return stored;
  results::ResultFile file = results::read_json(stored.path);
  require_kind_here(io::value_or(file.machine, "kind", std::string()), stored.path);
  stored.rows = std::move(file.results);
  require(std::any_of(stored.rows.begin(), stored.rows.end(),
                      [](const results::Result& row) { return !row.counters.empty(); }),
          "{}: no row has counters; tools/counters.py --result fills them in", stored.path);
  return stored;
}

namespace {

/// Whether two rows are of one configuration of one problem, of whatever size: older files lack
/// model and details.
bool is_alike_but_for_size(const results::Result& a, const results::Result& b) {
  const auto agree = [](const std::string& one, const std::string& other) {
    return one.empty() || other.empty() || one == other;
  };
  return a.stencil == b.stencil && a.variant == b.variant && a.configuration == b.configuration &&
         a.decomposition == b.decomposition && a.precision == b.precision &&
         agree(a.model, b.model) && agree(a.details, b.details);
}

}  // namespace

void take_counters(std::vector<results::Result>& results, const StoredCounters& stored) {
  bool any_valid = false, any_taken = false;
  for (results::Result& row : results) {
    if (row.status != results::Status::valid) continue;
    any_valid = true;
    for (const results::Result& other : stored.rows) {
      if (other.counters.empty() || !is_alike_but_for_size(row, other)) continue;
      row.counters = other.counters;
      any_taken = true;
    }
  }
  if (!stored.path.empty() && any_valid && !any_taken) {
    warn(fmt::format(
        "{}: its counters match none of these rows: they are of another stencil, model, "
        "precision or of other configurations",
        stored.path));
  }
}

results::Roofline roofline_of(const machine::StreamRates& streams, const StoredMachine& stored,
                              const std::string& precision) {
  results::Roofline roofline;
  roofline.precision = precision;
  roofline.gb_per_s = std::max({streams.copy.median, streams.triad.median, streams.update.median});
  for (const machine::MachineCache& cache : stored.machine.caches) {
    if (cache.level == "L2") roofline.l2_gb_per_s = cache.gb_per_s;
  }
  return roofline;
}

}  // namespace tessera

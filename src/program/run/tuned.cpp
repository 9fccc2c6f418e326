// SPDX-License-Identifier: Apache-2.0
#include "program/run/tuned.hpp"

#include "base/device/space.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/io/run_folder.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/measure/device.hpp"
#include "program/measure/machine_info.hpp"
#include "program/predict/plans.hpp"
#include "program/predict/predict.hpp"
#include "program/results/file_fields.hpp"
#include "program/run/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tessera {

namespace {

constexpr const char* kTunedSchema = "tessera-tuned-1";

nlohmann::json to_json(const TunedEntry& e) {
  nlohmann::json out = {{"device", e.key.device},
                        {"stencil", e.key.stencil},
                        {"precision", e.key.precision},
                        {"nx", e.key.n.nx},
                        {"ny", e.key.n.ny},
                        {"nz", e.key.n.nz},
                        {"variant", e.variant},
                        {"configuration", e.configuration},
                        {"decomposition", e.decomposition},
                        {"gcell_per_s", e.gcell_per_s},
                        {"date", e.date}};
  if (e.key.threads) out["threads"] = *e.key.threads;
  if (e.key.model) out["model"] = *e.key.model;
  if (e.key.details) out["details"] = *e.key.details;
  return out;
}

/// Of a checked entry.
TunedEntry from_json(const nlohmann::json& j) {
  const auto text = [&](const char* key) { return j.at(key).get<std::string>(); };
  const auto cells = [&](const char* key) { return j.at(key).get<int>(); };
  TunedEntry e;
  e.key = {
      text("device"), text("stencil"), text("precision"), {cells("nz"), cells("ny"), cells("nx")}};
  // Older files lack these.
  if (j.contains("threads")) e.key.threads = cells("threads");
  if (j.contains("model")) e.key.model = text("model");
  if (j.contains("details")) e.key.details = text("details");
  e.variant = text("variant");
  e.configuration = text("configuration");
  e.decomposition = text("decomposition");
  e.gcell_per_s = j.at("gcell_per_s").get<double>();
  e.date = text("date");
  return e;
}

}  // namespace

bool is_one_case(const TunedKey& a, const TunedKey& b) {
  const auto agree = [](const auto& one, const auto& other) {
    return !one || !other || *one == *other;
  };
  return a.device == b.device && a.stencil == b.stencil && a.precision == b.precision &&
         a.n.nx == b.n.nx && a.n.ny == b.n.ny && a.n.nz == b.n.nz && agree(a.threads, b.threads) &&
         agree(a.model, b.model) && agree(a.details, b.details);
}

TunedKey tuned_key(const Case& c) {
  TunedKey key{measure::device_name(), c.stencil, c.precision, c.n};
  if (!kOnDevice) key.threads = ExecSpace().concurrency();
  key.model = c.model;
  key.details = c.details;
  return key;
}

std::vector<TunedEntry> winners(const TunedKey& key, const std::vector<results::Result>& rows,
                                const std::string& date) {
  std::vector<TunedEntry> best;
  for (const results::Result& row : rows) {
    if (row.status != results::Status::valid || !row.gcell_per_s) continue;
    const TunedEntry entry{
        key, row.variant, row.configuration, row.decomposition, row.gcell_per_s->median, date};
    const auto found = std::find_if(
        best.begin(), best.end(), [&](const TunedEntry& e) { return e.variant == entry.variant; });
    if (found == best.end()) {
      best.push_back(entry);
    } else if (entry.gcell_per_s > found->gcell_per_s) {
      *found = entry;
    }
  }
  return best;
}

std::vector<TunedEntry> read_tuned(const std::filesystem::path& path) {
  require(path_exists(path), "{}: cannot be read; `tessera tune` writes it", path.string());
  std::vector<TunedEntry> entries;
  const nlohmann::json file = io::read_json_file(path);
  results::check(results::tuned_fields(), file, path.string());
  for (const nlohmann::json& entry : file.at("winners")) {
    const std::string where = fmt::format("{}: winners[{}]", path.string(), entries.size());
    TunedEntry read = from_json(entry);
    require(std::none_of(entries.begin(), entries.end(),
                         [&](const TunedEntry& e) {
                           return is_one_case(e.key, read.key) && e.variant == read.variant;
                         }),
            "{}: {} has a winner for this case already", where, read.variant);
    entries.push_back(std::move(read));
  }
  return entries;
}

void write_tuned(const std::filesystem::path& path, const std::vector<TunedEntry>& fresh) {
  const io::FolderLock alone(path.parent_path());  // two may tune into one file
  std::vector<TunedEntry> entries;
  if (path_exists(path)) entries = read_tuned(path);
  std::erase_if(entries, [&](const TunedEntry& old) {
    return std::any_of(fresh.begin(), fresh.end(), [&](const TunedEntry& e) {
      return is_one_case(e.key, old.key) && e.variant == old.variant;
    });
  });
  entries.insert(entries.end(), fresh.begin(), fresh.end());
  nlohmann::json list = nlohmann::json::array();
  for (const TunedEntry& e : entries) list.push_back(to_json(e));
  io::write_atomically(path,
                       io::json_text({{"schema", kTunedSchema}, {"winners", list}}, 2) + "\n");
}

std::string apply_tuned(const std::vector<TunedEntry>& entries, const TunedKey& key,
                        std::vector<Selected>& selection) {
  std::set<std::string> tuned;
  std::set<std::string> others;
  std::set<std::string> remaining;  // with a configuration that is selected
  std::erase_if(selection, [&](const Selected& s) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const TunedEntry& e) {
      return is_one_case(e.key, key) && e.variant == s.variant->full_name();
    });
    (found == entries.end() ? others : tuned).insert(s.variant->full_name());
    const bool beaten = found != entries.end() &&
                        found->configuration != s.variant->configurations[s.configuration].text;
    if (!beaten) remaining.insert(s.variant->full_name());
    return beaten;
  });
  std::string line = fmt::format(
      "configurations: {} variants tuned for this device, its threads, this problem and precision; "
      "{} as selected",
      tuned.size(), others.size());
  std::erase_if(tuned, [&](const std::string& name) { return remaining.contains(name); });
  if (!tuned.empty()) {
    line += fmt::format("; left out, since their winners are not among the selected: {}",
                        fmt::join(tuned, ", "));
  }
  return line;
}

namespace {

/// A tile whose modelled traffic is so much above the least of its variant is not tried.
constexpr double kMostTraffic = 2;

/// Elements that a plan moves through caches and device memory, a cell.
double traffic(const Plan& p) { return p.loads + p.stores; }

/// Teams that must be there to use the whole machine: its multiprocessors, or its threads.
std::int64_t units() {
  if constexpr (kOnDevice) return measure::device_properties().units;
  return ExecSpace().concurrency();
}

/// Drops what the plans rule out, and says why, a line each.
void prune_by_plans(const Case& c, std::vector<Selected>& selection, std::FILE* talk) {
  const std::string& decomposition = c.decompositions.front();
  std::map<std::string, double> least;
  std::map<std::string, bool> fills;  // variants of which one configuration has enough teams
  const auto plan_of = [&](const Selected& s) {
    return plan_of_regions(s, c.regions(decomposition), c.problem());
  };
  const std::int64_t wanted = units();
  for (const Selected& s : selection) {
    const Plan p = plan_of(s);
    if (!p.supported()) continue;
    const std::string name = s.variant->full_name();
    const auto [found, is_new] = least.emplace(name, traffic(p));
    if (!is_new) found->second = std::min(found->second, traffic(p));
    fills[name] = fills[name] || p.league >= wanted;
  }
  std::erase_if(selection, [&](const Selected& s) {
    const Plan p = plan_of(s);
    const std::string name = s.variant->full_name();
    std::string why;
    if (!p.supported()) {
      why = "unsupported: " + p.unsupported;
    } else if (fills[name] && p.league < wanted) {
      why = fmt::format("{} teams for {} units", p.league, wanted);
    } else if (traffic(p) > kMostTraffic * least[name]) {
      why = fmt::format("{:.1f} elements a cell, another tile has {:.1f}", traffic(p), least[name]);
    }
    if (!why.empty()) say(talk, "pruned  {:<44} {}\n", s.full_name(), why);
    return !why.empty();
  });
}

}  // namespace

std::vector<Selected> tiles_to_try(Case& c, const std::vector<Selected>& all, std::int64_t steps,
                                   std::FILE* talk) {
  std::vector<Selected> selection = all;
  std::erase_if(selection, [&](const Selected& s) { return !s.variant->computes(c.stencil); });
  require(!selection.empty(), "the selection leaves no variant that computes {}", c.stencil);
  c.steps = std::min(c.steps, steps);
  print_case(c, selection, talk);
  prune_by_plans(c, selection, talk);
  require(!selection.empty(), "nothing that was selected can run here");
  return selection;
}

void prune_by_model(const Case& c, std::vector<Selected>& selection,
                    const machine::Machine& machine, double factor, std::FILE* talk) {
  std::vector<double> predicted;
  const model::MachineModel target = model_for(machine, c);
  for (const Selected& s : selection) {
    const TrafficPrediction p = predict_traffic(c, s, c.decompositions.front(), target);
    predicted.push_back(p.unsupported.empty() ? p.step_s : 0);
  }
  double least = std::numeric_limits<double>::infinity();
  for (const double s : predicted) {
    if (s > 0) least = std::min(least, s);
  }
  std::vector<Selected> left;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    if (predicted[i] <= factor * least) {  // what is not predicted, 0, is kept
      left.push_back(selection[i]);
    } else {
      say(talk, "pruned  {:<44} predicted {:.4g} ms\n", selection[i].full_name(),
          1e3 * predicted[i]);
    }
  }
  say(talk,
      "predicted within {:.4g} of the best: {} of {}; how often the fastest is among them: "
      "tools/model_error.py FOLDER --prune {:.4g}\n",
      factor, left.size(), selection.size(), factor);
  selection = std::move(left);
}

void sort_by_rate(std::vector<results::Result>& results) {
  std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    const auto rate = [](const results::Result& r) {
      return r.gcell_per_s ? r.gcell_per_s->median : 0;
    };
    return rate(a) > rate(b);
  });
}

std::string tile_rates(const std::vector<results::Result>& results) {
  std::string out = fmt::format("\n{:<48} {:<16} {:>10}  {}\n", "variant:configuration", "regions",
                                "GCell/s", "remark");
  for (const results::Result& row : results) {
    out += fmt::format("{:<48} {:<16} {:>10}  {}\n", full_name(row), row.decomposition,
                       row.gcell_per_s ? fmt::format("{:.4g}", row.gcell_per_s->median) : "-",
                       row.reason);
  }
  return out;
}

}  // namespace tessera

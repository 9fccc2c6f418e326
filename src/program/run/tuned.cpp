// SPDX-License-Identifier: Apache-2.0
#include "program/run/tuned.hpp"

#include "base/device/space.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/io/run_folder.hpp"
#include "base/support/build_info.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/measure/device.hpp"
#include "program/measure/machine_info.hpp"
#include "program/predict/plans.hpp"
#include "program/predict/predict.hpp"
#include "program/results/file_fields.hpp"
#include "program/results/statistics.hpp"
#include "program/run/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace tessera {

namespace {

constexpr const char* kTunedSchema = "tessera-tuned-2";

bool is_one_problem(const Winner& a, const Winner& b) {
  const auto key = [](const Winner& w) {
    return std::tie(w.stencil, w.precision, w.model, w.details, w.nx, w.ny, w.nz);
  };
  return key(a) == key(b);
}

/// Whether some winner is of the same machine, build, problem and variant as `one`: of whatever
/// revision of the code, since the newest is kept.
bool has_alike(const std::vector<Winner>& winners, const Winner& one) {
  return std::any_of(winners.begin(), winners.end(), [&](const Winner& other) {
    return other.machine == one.machine && other.build == one.build && is_one_problem(other, one) &&
           other.variant == one.variant;
  });
}

/// Whether the samples of two rows overlap so that neither is faster: the quartiles cross.
bool overlap(const results::Result& fast, const results::Result& slow) {
  return machine::summarise(slow.samples_s).q1 <= machine::summarise(fast.samples_s).q3;
}

}  // namespace

Winner winner_of(const Case& c) {
  Winner of_case;
  const BuildInfo& build = build_info();
  of_case.machine = measure::machine_name();
  of_case.build = fmt::format("{}; {}; Kokkos {} {}", build.compiler, build.flags,
                              build.kokkos_version, build.kokkos_arch);
  of_case.code = build.family_code.at(c.family);
  of_case.stencil = c.stencil;
  of_case.precision = c.precision;
  of_case.nx = c.n.nx, of_case.ny = c.n.ny, of_case.nz = c.n.nz;
  of_case.model = c.model;
  of_case.details = c.details;
  return of_case;
}

std::vector<Winner> winners(const Winner& of_case, const std::vector<results::Result>& rows,
                            const std::string& date) {
  const auto valid = [](const results::Result& row) {
    return row.status == results::Status::valid && row.gcell_per_s.has_value();
  };
  std::map<std::string, const results::Result*> fastest;  // by variant
  std::vector<std::string> order;
  for (const results::Result& row : rows) {
    if (!valid(row)) continue;
    const results::Result*& found = fastest[row.variant];
    if (found == nullptr) order.push_back(row.variant);
    if (found == nullptr || row.gcell_per_s->median > found->gcell_per_s->median) found = &row;
  }
  std::vector<Winner> best;
  for (const std::string& variant : order) {
    const results::Result& row = *fastest[variant];
    Winner entry = of_case;
    entry.variant = row.variant;
    entry.configuration = row.configuration;
    entry.decomposition = row.decomposition;
    entry.gcell_per_s = row.gcell_per_s->median;
    entry.date = date;
    const results::Result* rival = nullptr;
    for (const results::Result& other : rows) {
      if (other.configuration == row.configuration || other.variant != variant || !valid(other) ||
          !overlap(row, other)) {
        continue;
      }
      if (rival == nullptr || other.gcell_per_s->median > rival->gcell_per_s->median) {
        rival = &other;
      }
    }
    if (rival != nullptr) entry.rival = rival->configuration;
    best.push_back(std::move(entry));
  }
  return best;
}

std::vector<Winner> read_tuned(const std::filesystem::path& path) {
  require(path_exists(path), "{}: cannot be read; `tessera tune` writes such files", path.string());
  std::vector<Winner> entries;
  const nlohmann::json file = io::read_json_file(path);
  results::check(results::tuned_fields(), file, path.string());
  for (const nlohmann::json& entry : file.at("winners")) {
    const std::string where = fmt::format("{}: winners[{}]", path.string(), entries.size());
    Winner read;
    results::fill(results::winner_fields(), entry, read);
    require(!has_alike(entries, read), "{}: {} has a winner for this case already", where,
            read.variant);
    entries.push_back(std::move(read));
  }
  return entries;
}

void write_tuned(const std::filesystem::path& path, const std::vector<Winner>& fresh) {
  const io::FolderLock alone(path.parent_path());  // two may tune into one file
  std::vector<Winner> entries;
  if (path_exists(path)) entries = read_tuned(path);
  std::erase_if(entries, [&](const Winner& old) { return has_alike(fresh, old); });
  entries.insert(entries.end(), fresh.begin(), fresh.end());
  nlohmann::json list = nlohmann::json::array();
  for (const Winner& e : entries) {
    list.push_back(results::write(results::winner_fields(), e));
  }
  io::write_atomically(path,
                       io::json_text({{"schema", kTunedSchema}, {"winners", list}}, 2) + "\n");
}

std::string apply_tuned(const std::vector<Winner>& entries, const Winner& key,
                        std::vector<Selected>& selection) {
  std::set<std::string> tuned;
  std::set<std::string> others;
  std::set<std::string> remaining;  // with a configuration that is selected
  int elsewhere = 0;                // configurations whose winner is of another machine or code
  std::erase_if(selection, [&](const Selected& s) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Winner& e) {
      return e.machine == key.machine && e.build == key.build && e.code == key.code &&
             is_one_problem(e, key) && e.variant == s.variant->full_name();
    });
    elsewhere +=
        found == entries.end() && std::any_of(entries.begin(), entries.end(), [&](const Winner& e) {
          return is_one_problem(e, key) && e.variant == s.variant->full_name();
        });
    (found == entries.end() ? others : tuned).insert(s.variant->full_name());
    const bool beaten = found != entries.end() &&
                        found->configuration != s.variant->configurations[s.configuration].text;
    if (!beaten) remaining.insert(s.variant->full_name());
    return beaten;
  });
  std::string line = fmt::format(
      "configurations: {} variants tuned for this machine, build, problem and precision; {} as "
      "selected",
      tuned.size(), others.size());
  if (elsewhere > 0) {
    line += "; winners of another machine, build or revision of the code are not taken: tune again";
  }
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
  require(!selection.empty(), "none of the selected configurations can run here");
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

}  // namespace tessera

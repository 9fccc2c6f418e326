// SPDX-License-Identifier: Apache-2.0
#include "program/predict/predict_ranks.hpp"

#include <fmt/format.h>
#include "base/case/rank_regions.hpp"
#include "base/comm/halo.hpp"
#include "base/support/error.hpp"
#include "program/results/result_table.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace tessera {
namespace {

/// Seconds of launches on some regions, a time step.
struct Launched {
  double alone = 0;  ///< with the device to themselves
  double busy = 0;   ///< what they take of one that others fill
};

/// Sets `why` where no model applies.
Launched seconds_of(const Case& c, const Selected& how, const std::vector<Region>& regions,
                    double cells, const model::MachineModel& target,
                    const std::vector<measure::KernelResources>& registers, std::string& why) {
  if (regions.empty()) return {};
  const TrafficPrediction p = predict_regions(c, how, regions, cells, target, registers);
  if (p.attainable) {
    double made = 0;
    for (const Region& region : regions) made += static_cast<double>(region.box.cells());
    const double seconds = made / (p.attainable->cells_per_s * p.valid_share);
    return {seconds, seconds};
  }
  why = p.unsupported;
  // A host's launches follow each other.
  const double busiest = std::max({p.seconds.gm, p.seconds.l2, p.seconds.smx});
  return {p.step_s, target.gpu ? std::min(busiest, p.step_s) : p.step_s};
}

/// What a rank computes: the case must be on it.
model::RankStep computation_of(const Case& c, const Selected& how, const std::string& decomposition,
                               const comm::RankGrid& grid, int rank, bool overlap,
                               const model::MachineModel& target,
                               const std::vector<measure::KernelResources>& registers,
                               std::string& why) {
  const Extents own = grid.domain(rank).n();
  const auto seconds = [&](const std::vector<Region>& regions) {
    return seconds_of(c, how, regions, static_cast<double>(own.cells()), target, registers, why);
  };
  const comm::HaloShape shape = c.halo_shape();
  const int bytes = value_bytes(c.precision);
  const std::vector<Region> all = c.regions(decomposition);
  model::RankStep step;
  step.overlap = overlap;
  step.whole = seconds(all).alone;
  if (!overlap) return step;
  if (shape.steps == 1) {
    const RankRegions parts = split(all, grid, rank, own, shape.width, bytes);
    step.core = seconds(parts.core).alone;
    const Launched edges = seconds(parts.edges);
    step.edges = edges.alone;
    step.edges_busy = edges.busy;
    return step;
  }
  // Passes of several steps (variants/jacobi/case/overlap_exchange.hpp): the core lacks R planes
  // beside each cut, an edge is a slab of (3 t - 2) R planes, whose stream fills its queues with 2
  // t R more; where other axes are cut, and on devices, nothing runs beside.
  const bool flat = own.nz == 1;
  const auto& parts = grid.parts();
  const int planes = flat ? own.ny : own.nz;
  step.overlap =
      !target.gpu && parts[0] == 1 && (flat || parts[1] == 1) && planes >= 3 * shape.width;
  if (!step.overlap) return step;
  const int radius = shape.width / shape.steps;
  const int cuts = (grid.neighbour(rank, flat ? 0 : -1, flat ? -1 : 0, 0) >= 0 ? 1 : 0) +
                   (grid.neighbour(rank, flat ? 0 : 1, flat ? 1 : 0, 0) >= 0 ? 1 : 0);
  const auto of_planes = [&](int count) {
    Extents n = own;
    (flat ? n.ny : n.nz) = count;
    return seconds({{"inner", Update::inner, whole(n), {}}}).alone;
  };
  step.core = of_planes(planes - cuts * radius);
  step.edges = of_planes(cuts * (5 * shape.steps - 2) * radius);
  step.edges_busy = step.edges;
  return step;
}

/// First, in between or last along each axis: ranks of one kind compute alike except for a plane.
std::array<int, 3> kind_of(const std::array<int, 3>& place, const std::array<int, 3>& parts) {
  std::array<int, 3> kind{};
  for (std::size_t a = 0; a < 3; ++a) {
    kind[a] = place[a] == 0 ? 0 : place[a] == parts[a] - 1 ? parts[a] - 1 : parts[a] / 2;
  }
  return kind;
}

/// The step of all ranks, which is that of the slowest.
struct RanksPrediction {
  std::string unsupported;  ///< why no model applies; empty where one does
  model::StepTime time;     ///< of the slowest rank, a time step
  double pack_s = 0;        ///< of that rank
  double exchange_s = 0;    ///< its messages
  double bytes_sent = 0;    ///< by it, an exchange
  std::string level;        ///< of the network, where its messages take longest
  double imbalance = 0;     ///< the busiest rank's computation over the mean, less 1
};

/// A configuration on a grid of `parts` ranks that cut the case; sets the case's ranks and leaves
/// it on one. Throws Error where the case cannot be cut so.
RanksPrediction predict_on_ranks(Case& c, const Selected& how, const std::string& decomposition,
                                 const model::MachineModel& target, const model::Network& network,
                                 const std::array<int, 3>& parts, bool overlap,
                                 const std::vector<measure::KernelResources>& registers) {
  const int ranks = parts[0] * parts[1] * parts[2];
  c.machine = target.machine;
  const auto stand_on = [&](int rank) {
    c.parallel = {};
    c.parallel.ranks = comm::Ranks::imagined(rank, ranks);
    c.parallel.options.parts = parts;
    c.parallel.options.overlap = overlap;
    c.select({how});
  };
  const auto leave = [&] {
    c.parallel = {};
    c.select({how});
  };
  stand_on(0);
  const comm::RankGrid grid = c.rank_grid();
  const comm::HaloShape shape = c.halo_shape();
  const bool plain = c.problem().storage == Storage::plain;  // else 16 bits are sent
  const int bytes = plain ? value_bytes(c.precision) : 2;
  RanksPrediction worst;
  worst.unsupported = c.refused_on_ranks(how);
  std::map<std::array<int, 3>, model::RankStep> computed;  // by kind
  double busiest = 0, all = 0;
  for (int rank = 0; rank < ranks && worst.unsupported.empty(); ++rank) {
    const std::array<int, 3> kind = kind_of(grid.place(rank), parts);
    const auto [entry, fresh] = computed.try_emplace(kind);
    if (fresh) {
      const int like = (kind[2] * parts[1] + kind[1]) * parts[0] + kind[0];
      stand_on(like);
      entry->second = computation_of(c, how, decomposition, grid, like, overlap, target, registers,
                                     worst.unsupported);
    }
    model::RankStep step = entry->second;
    std::vector<model::Traffic> sent(network.levels.size());
    double packed = 0, total = 0;
    const Extents own = grid.domain(rank).n();
    for (const comm::HaloMessage& m :
         comm::halo_messages(grid, rank, whole(own), shape.width, shape.reach)) {
      const comm::Pieces pieces = comm::pieces_of(m, parts, own.nz == 1 && c.n.nz == 1);
      const double size = static_cast<double>(m.sent.cells()) * bytes;
      model::Traffic& level = sent[model::level_between(network, rank, m.peer)];
      level.messages += pieces.count;
      level.bytes += size;
      total += size;
      if (pieces.packed) packed += size;
    }
    // Read and written, here and there; a launch each.
    if (packed > 0) {
      step.pack = (4 * packed / target.bandwidth.gm + 2 * target.launch_s) / shape.steps;
    }
    step.exchange = model::exchange_seconds(network, sent) / shape.steps;
    step.shared = model::exchange_memory_bytes(network, sent) / target.bandwidth.gm / shape.steps;
    const model::StepTime time = model::step_time(step);
    busiest = std::max(busiest, time.compute);
    all += time.compute;
    if (time.step <= worst.time.step) continue;
    worst.time = time;
    worst.pack_s = step.pack;
    worst.exchange_s = step.exchange;
    worst.bytes_sent = total;
    double longest = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      std::vector<model::Traffic> one(sent.size());
      one[i] = sent[i];
      const double here = model::exchange_seconds(network, one);
      if (here > longest) worst.level = network.levels[i].name;
      longest = std::max(longest, here);
    }
  }
  // The mean over equal ranks may round to a little more than each takes.
  if (all > 0) worst.imbalance = std::max(0.0, busiest / (all / ranks) - 1);
  leave();
  return worst;
}

}  // namespace

void require_predictable_ranks(const std::array<int, 3>& parts) {
  std::int64_t ranks = 1;
  for (const int along : parts) {
    ranks *= along;  // each at most 2^31, and no product exceeds the limit
    require(ranks <= kMostPredictedRanks,
            "--ranks {}x{}x{}: more than {} ranks, the most that are predicted", parts[0], parts[1],
            parts[2], kMostPredictedRanks);
  }
}

nlohmann::json predict_ranks_rows(const io::Deck& deck, const Catalogue& catalogue,
                                  const std::vector<Selected>& selection,
                                  const machine::Machine& machine, const model::Network& network,
                                  const std::vector<std::array<int, 3>>& grids,
                                  const std::vector<measure::KernelResources>& registers) {
  const bool overlap = read_parallel(deck).overlap;
  const std::vector<std::unique_ptr<Case>> one = make_cases(deck, catalogue.families);
  const Extents n = one.front()->n;
  nlohmann::json rows = nlohmann::json::array();
  const auto weak_deck = [&](const std::array<int, 3>& times) {
    const io::Deck plane = deck.with(fmt::format("case.nx={}", n.nx * times[0]))
                               .with(fmt::format("case.ny={}", n.ny * times[1]));
    return n.nz > 1 ? plane.with(fmt::format("case.nz={}", n.nz * times[2])) : plane;
  };
  for (const std::array<int, 3>& parts : grids) {
    require(n.nz > 1 || parts[2] == 1, "--ranks {}x{}x{}: a grid of one plane is not cut along z",
            parts[0], parts[1], parts[2]);
    for (const bool weak : {false, true}) {
      const std::vector<std::unique_ptr<Case>> cut =
          make_cases(weak ? weak_deck(parts) : deck, catalogue.families);
      for (std::size_t i = 0; i < cut.size(); ++i) {
        const model::MachineModel target = model_for(machine, *one[i]);
        for (const Selected& how : selection) {
          if (!how.variant->computes(cut[i]->stencil)) continue;
          for (const std::string& decomposition : cut[i]->decompositions) {
            std::string why;
            const double alone_s =
                seconds_of(*one[i], how, one[i]->regions(decomposition),
                           static_cast<double>(one[i]->n.cells()), target, registers, why)
                    .alone;
            const RanksPrediction p = predict_on_ranks(*cut[i], how, decomposition, target, network,
                                                       parts, overlap, registers);
            const int ranks = parts[0] * parts[1] * parts[2];
            const StepWork work = cut[i]->work();
            nlohmann::json row = {{"name", how.full_name()},
                                  {"stencil", cut[i]->stencil},
                                  {"precision", cut[i]->precision},
                                  {"decomposition", decomposition},
                                  {"scaling", weak ? "weak" : "strong"},
                                  {"machine", machine.name},
                                  {"network", network.name},
                                  {"ranks", ranks},
                                  {"rank_grid", parts},
                                  {"nx", cut[i]->n.nx},
                                  {"ny", cut[i]->n.ny},
                                  {"nz", cut[i]->n.nz},
                                  {"unsupported", why.empty() ? p.unsupported : why}};
            if (why.empty() && p.unsupported.empty()) {
              row["step_s"] = p.time.step;
              row["compute_s"] = p.time.compute;
              row["pack_s"] = p.pack_s;
              row["exchange_s"] = p.exchange_s;
              row["exchange_hidden_s"] = p.time.hidden;
              row["exchange_exposed_s"] = p.time.exposed;
              row["imbalance"] = p.imbalance;
              row["bytes_sent"] = p.bytes_sent;
              row["level"] = p.level;
              row["gcell_per_s"] = work.cells / p.time.step / 1e9;
              row["efficiency"] = work.minimal_bytes / p.time.step /
                                  (one[i]->work().minimal_bytes / alone_s * ranks);
            }
            rows.push_back(std::move(row));
          }
        }
      }
    }
  }
  return rows;
}

std::string ranks_table(const nlohmann::json& rows) {
  std::vector<std::vector<std::string>> table = {
      {"variant:configuration", "decomposition", "scaling", "ranks", "grid", "cells", "step ms",
       "exchange us", "exposed us", "imbalance %", "GCell/s", "efficiency %"}};
  for (const nlohmann::json& row : rows) {
    const auto& parts = row["rank_grid"];
    std::vector<std::string> cells = {
        row["name"],
        row["decomposition"],
        row["scaling"],
        std::to_string(row["ranks"].get<int>()),
        fmt::format("{}x{}x{}", parts[0].get<int>(), parts[1].get<int>(), parts[2].get<int>()),
        fmt::format("{} x {} x {}", row["nx"].get<int>(), row["ny"].get<int>(),
                    row["nz"].get<int>())};
    if (cells[1].empty()) cells[1] = "-";
    if (row.contains("step_s")) {
      const auto number = [&](const char* key, double factor) {
        return fmt::format("{:.4g}", factor * row[key].get<double>());
      };
      cells.push_back(number("step_s", 1e3));
      cells.push_back(fmt::format(
          "{:.4g}", 1e6 * (row["exchange_s"].get<double>() + row["pack_s"].get<double>())));
      cells.push_back(number("exchange_exposed_s", 1e6));
      cells.push_back(fmt::format("{:.1f}", 100 * row["imbalance"].get<double>()));
      cells.push_back(number("gcell_per_s", 1));
      cells.push_back(fmt::format("{:.1f}", 100 * row["efficiency"].get<double>()));
    } else {
      cells.resize(table.front().size(), "-");
      cells.back() = row["unsupported"];
    }
    table.push_back(std::move(cells));
  }
  return results::layout_table(table, 2, 1);
}

}  // namespace tessera

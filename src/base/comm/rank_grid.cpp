// SPDX-License-Identifier: Apache-2.0
#include "base/comm/rank_grid.hpp"

#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::comm {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

int cells_along(const Extents& n, int axis) { return axis == 0 ? n.nx : axis == 1 ? n.ny : n.nz; }

/// What a plane of cells at `i` along an axis costs, by the cell.
double plane_cost(const Extents& n, int axis, int i, const SplitCost& cost) {
  if (cost.layer == 0) return cost.cell_bytes;
  const int cells = cells_along(n, axis);
  if (i < cost.layer || i >= cells - cost.layer) return cost.layer_bytes;
  double inner = 1;  // share of the plane
  for (int other = 0; other < 3; ++other) {
    if (other == axis) continue;
    const double all = cells_along(n, other);
    inner *= std::max(0.0, all - 2.0 * cost.layer) / all;
  }
  return inner * cost.cell_bytes + (1 - inner) * cost.layer_bytes;
}

/// First cells of `parts` parts that cost alike, and the end; none has fewer than `least` cells.
std::vector<int> balanced_cuts(const Extents& n, int axis, int parts, const SplitCost& cost) {
  const int cells = cells_along(n, axis);
  const int least = parts == 1 ? 1 : std::max(1, cost.width);
  require(cells >= std::int64_t{parts} * least,
          "cannot divide {} cells along {} among {} ranks: each requires at least {}, the cells "
          "that its neighbours read",
          cells, kAxes[axis], parts, least);
  std::vector<double> before(static_cast<std::size_t>(cells) + 1, 0.0);
  for (int i = 0; i < cells; ++i) {
    before[static_cast<std::size_t>(i) + 1] =
        before[static_cast<std::size_t>(i)] + plane_cost(n, axis, i, cost);
  }
  std::vector<int> first{0};
  for (int part = 1; part < parts; ++part) {
    const double wanted = before.back() * part / parts;
    const auto above = std::lower_bound(before.begin(), before.end(), wanted);
    int at = static_cast<int>(above - before.begin());
    const auto here = static_cast<std::size_t>(at);
    if (at > 0 && wanted - before[here - 1] < before[here] - wanted) --at;
    first.push_back(std::clamp(at, first.back() + least, cells - (parts - part) * least));
  }
  first.push_back(cells);
  return first;
}

}  // namespace

double packing(int axis, const std::array<int, 3>& parts, const SplitCost& cost) {
  const int slowest = cost.cuts[2] ? 2 : 1;
  if (axis == slowest && parts[0] == 1) return 0;
  if (axis != 0) return 4;
  constexpr double kLine = 128;
  const double row = cost.width * cost.values;
  return 2 + 2 * std::ceil(row / kLine) * kLine / row;
}

RankGrid::RankGrid(const Extents& n) : RankGrid(n, {1, 1, 1}, {}) {}

RankGrid::RankGrid(const Extents& n, const std::array<int, 3>& parts, const SplitCost& cost)
    : n_(n), parts_(parts) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    require(parts[a] >= 1, "{} ranks along {}: at least one", parts[a], kAxes[axis]);
    require(parts[a] == 1 || cost.cuts[a],
            "{} ranks along {}: this case cannot be divided along that axis", parts[a],
            kAxes[axis]);
    first_[a] = balanced_cuts(n, axis, parts[a], cost);
  }
}

std::array<int, 3> RankGrid::place(int rank) const {
  return {rank % parts_[0], rank / parts_[0] % parts_[1], rank / parts_[0] / parts_[1]};
}

int RankGrid::neighbour(int rank, int dz, int dy, int dx) const {
  const std::array<int, 3> here = place(rank);
  const std::array<int, 3> there = {here[0] + dx, here[1] + dy, here[2] + dz};
  for (std::size_t a = 0; a < 3; ++a) {
    if (there[a] < 0 || there[a] >= parts_[a]) return -1;
  }
  return (there[2] * parts_[1] + there[1]) * parts_[0] + there[0];
}

Domain RankGrid::domain(int rank) const {
  const std::array<int, 3> at = place(rank);
  const auto from = [&](std::size_t a) { return first_[a][static_cast<std::size_t>(at[a])]; };
  const auto to = [&](std::size_t a) { return first_[a][static_cast<std::size_t>(at[a]) + 1]; };
  return {n_, {from(2), to(2), from(1), to(1), from(0), to(0)}};
}

std::string RankGrid::text() const {
  return fmt::format("{}x{}x{}", parts_[0], parts_[1], parts_[2]);
}

double cost_of(const RankGrid& grid, const SplitCost& cost) {
  double most = 0;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const Domain part = grid.domain(rank);
    const Extents n = part.n();
    const auto cells = static_cast<double>(n.cells());
    const auto inner =
        static_cast<double>(intersect(part.box, inner_box(part.grid, cost.layer)).cells());
    const double layer = cost.layer == 0 ? cost.cell_bytes : cost.layer_bytes;
    const double computed = inner * cost.cell_bytes + (cells - inner) * layer;
    double sent = 0, more = 0;
    bool packs = false;
    for (int axis = 0; axis < 3; ++axis) {
      for (const int d : {-1, 1}) {
        if (grid.neighbour(rank, axis == 2 ? d : 0, axis == 1 ? d : 0, axis == 0 ? d : 0) < 0) {
          continue;
        }
        const double face = cost.width * cells / cells_along(n, axis) * cost.values / cost.steps;
        const double copied = packing(axis, grid.parts(), cost);
        packs = packs || copied > 0;
        sent += face;
        more += (2 + copied) * face + kLaunchBytes / cost.steps;
      }
    }
    if (packs) more += 2 * kLaunchBytes / cost.steps;
    most = std::max(most, computed + more + std::max(0.0, kLinkRatio * sent - computed));
  }
  return most;
}

RankGrid choose_rank_grid(const Extents& n, int ranks, const SplitCost& cost) {
  std::optional<RankGrid> best;
  double least = 0;
  std::string why;
  // From the most parts along z on: of those alike the first one stays.
  for (int pz = ranks; pz >= 1; --pz) {
    if (ranks % pz != 0 || (pz > 1 && !cost.cuts[2])) continue;
    for (int py = ranks / pz; py >= 1; --py) {
      const int px = ranks / pz / py;
      if (px * py * pz != ranks) continue;
      try {
        RankGrid grid(n, {px, py, pz}, cost);
        const double here = cost_of(grid, cost);
        if (!best || here < least) {
          best.emplace(std::move(grid));
          least = here;
        }
      } catch (const Error& e) {
        if (why.empty()) why = e.what();
      }
    }
  }
  require(best.has_value(), "{} x {} x {} cells cannot be divided among {} ranks: {}", n.nx, n.ny,
          n.nz, ranks, why);
  return *best;
}

}  // namespace tessera::comm

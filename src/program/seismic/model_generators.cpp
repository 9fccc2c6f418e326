// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/model_generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/support/console.hpp"

namespace tessera::io {
namespace {

// A number in [0, 1) from a seed and a counter (the splitmix64 mixing function): it doesn't depend
// on the order in which cells are visited.
double uniform_number(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t bits = seed * 0x9e3779b97f4a7c15ULL + counter + 0x632be59bd9b4e019ULL;
  for (int round = 0; round < 2; ++round) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
    bits ^= bits >> 31;
  }
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

CellVelocity uniform(const Deck& deck) {
  const auto v = static_cast<float>(deck.get<double>("model.v"));
  return [v](std::int64_t, std::int64_t, std::int64_t) { return v; };
}

// Warns of the first layer that lies between two rows of cells, or below them all.
void warn_of_layers(const Deck& deck, const std::vector<double>& tops, const ModelGrid& grid) {
  std::size_t lost = 0, first = 0;
  for (std::size_t i = 0; i < tops.size(); ++i) {
    const double cell = std::ceil(tops[i] / grid.dz);
    const bool below = cell > static_cast<double>(grid.inner_nz() - 1);
    if (!below && (i + 1 == tops.size() || cell * grid.dz < tops[i + 1])) continue;
    if (lost++ == 0) first = i;
  }
  if (lost == 0) return;
  warn(
      fmt::format("{}: {} of {} layers have no cell, the first one that of top {:g} m: cells of "
                  "the model lie every {:g} m from 0 to {:g} m",
                  deck.where("model.tops"), lost, tops.size(), tops[first], grid.dz,
                  static_cast<double>(grid.inner_nz() - 1) * grid.dz));
}

CellVelocity layered(const Deck& deck, const ModelGrid& grid) {
  const auto tops = deck.get<std::vector<double>>("model.tops");
  const auto velocities = deck.get<std::vector<double>>("model.v");
  require(!tops.empty() && tops.size() == velocities.size(),
          "{} has {} entries, model.v has {}: one velocity a layer is required",
          deck.where("model.tops"), tops.size(), velocities.size());
  require(tops.front() == 0.0, "{} begins with {}: the first layer begins at depth 0",
          deck.where("model.tops"), tops.front());
  for (std::size_t i = 0; i < tops.size(); ++i) {
    require(i == 0 || tops[i] > tops[i - 1], "{}: {} after {} does not rise",
            deck.where("model.tops"), tops[i], i == 0 ? 0.0 : tops[i - 1]);
  }
  warn_of_layers(deck, tops, grid);
  return [tops, velocities, dz = grid.dz](std::int64_t z, std::int64_t, std::int64_t) {
    const auto below = std::upper_bound(tops.begin(), tops.end(), static_cast<double>(z) * dz);
    return static_cast<float>(velocities[static_cast<std::size_t>(below - tops.begin()) - 1]);
  };
}

CellVelocity gradient(const Deck& deck, const ModelKeys& m, const ModelGrid& grid) {
  const double v0 = m.v0, k = m.k;
  const double bottom = v0 + k * static_cast<double>(grid.inner_nz() - 1) * grid.dz;
  require(bottom >= kLowestVelocity && bottom <= kHighestVelocity,
          "{}: v0 + k z is {} m/s at the bottom, not between {} and {}", deck.where("model.k"),
          bottom, kLowestVelocity, kHighestVelocity);
  return [v0, k, dz = grid.dz](std::int64_t z, std::int64_t, std::int64_t) {
    return static_cast<float>(v0 + k * static_cast<double>(z) * dz);
  };
}

CellVelocity random_cells(const Deck& deck, const ModelKeys& m, const ModelGrid& grid) {
  const double low = m.v_min, high = m.v_max;
  require(high >= low, "{} = {} is below model.v_min = {}", deck.where("model.v_max"), high, low);
  const std::uint64_t seed = m.seed;
  return [=, nx = grid.inner_nx(), ny = grid.inner_ny()](std::int64_t z, std::int64_t y,
                                                         std::int64_t x) {
    const auto cell = static_cast<std::uint64_t>((z * ny + y) * nx + x);
    return static_cast<float>(low + (high - low) * uniform_number(seed, cell));
  };
}

// kind = "structure": the velocity at a point (m).
struct Structure : ModelKeys {
  double width, breadth, depth;  // of the inner region, m
  double throw_m;
  std::vector<double> tops, velocities;

  [[nodiscard]] bool in_salt(double x, double y, double z) const {
    const double a = (x / width - salt[0]) / salt_size[0];
    const double b = (y / breadth - salt[1]) / salt_size[1];
    const double c = (z / depth - salt[2]) / salt_size[2];
    // Wide at its crest and narrow at its root: closer to a diapir than an ellipsoid is.
    return std::abs(c) < 1.0 && a * a * (1.0 + 0.6 * c) + b * b + c * c < 1.0;
  }

  [[nodiscard]] double operator()(double x, double y, double z) const {
    if (z < water_depth) return v_water;
    if (v_salt > 0.0 && in_salt(x, y, z)) return v_salt;
    double level = z - dip_x * (x - 0.5 * width) - dip_y * (y - 0.5 * breadth);
    if (x > fault_x * width + fault_slope * z) level -= throw_m;
    const auto below = std::upper_bound(tops.begin(), tops.end(), level);
    const auto layer = std::max<std::ptrdiff_t>(below - tops.begin() - 1, 0);
    return velocities[static_cast<std::size_t>(layer)];
  }
};

// Warns of water and salt that are requested and lie in no cell.
void warn_of_structure(const Deck& deck, const Structure& s, double dz) {
  if (s.water_depth > 0 && s.water_depth < dz) {
    warn(fmt::format("{} = {:g} m is less than a cell of {:g} m: km?",
                     deck.where("model.water_depth"), s.water_depth, dz));
  }
  const char* const names[] = {"x", "y", "z"};
  for (std::size_t axis = 0; axis < s.salt.size() && s.v_salt > 0 && deck.contains("model.salt");
       ++axis) {
    if (s.salt[axis] + s.salt_size[axis] >= 0 && s.salt[axis] - s.salt_size[axis] <= 1) continue;
    warn(
        fmt::format("{}: {} = {:g} lies outside the model, there is no salt: places and sizes are "
                    "fractions of the model's, not m",
                    deck.where("model.salt"), names[axis], s.salt[axis]));
    return;
  }
}

CellVelocity structure(const Deck& deck, const ModelKeys& m, const ModelGrid& grid) {
  Structure s{m, 0, 0, 0, 0, {}, {}};
  // A single plane of cells counts as one cell wide.
  s.width = static_cast<double>(std::max<std::int64_t>(grid.inner_nx() - 1, 1)) * grid.dx;
  s.breadth = static_cast<double>(std::max<std::int64_t>(grid.inner_ny() - 1, 1)) * grid.dy;
  s.depth = static_cast<double>(std::max<std::int64_t>(grid.inner_nz() - 1, 1)) * grid.dz;
  s.throw_m = m.fault_throw.value_or(0.1 * s.depth);
  warn_of_structure(deck, s, grid.dz);
  // Layer tops, uneven by up to a third of a layer; velocities rise, unevenly too, with depth.
  for (int i = 0; i < m.layers; ++i) {
    const auto counter = 2 * static_cast<std::uint64_t>(i);
    const double shift = (uniform_number(m.seed, counter) - 0.5) * 2.0 / 3.0;
    s.tops.push_back(s.depth * (i + (i == 0 ? 0.0 : shift)) / m.layers);
    const double jitter = (uniform_number(m.seed, counter + 1) - 0.5) * 0.8;
    const double fraction =
        m.layers == 1 ? 0.0 : std::clamp((i + jitter) / (m.layers - 1), 0.0, 1.0);
    s.velocities.push_back(m.v_top + (m.v_bottom - m.v_top) * fraction);
  }
  return [s = std::move(s), grid](std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<float>(s(static_cast<double>(x) * grid.dx, static_cast<double>(y) * grid.dy,
                                static_cast<double>(z) * grid.dz));
  };
}

}  // namespace

bool is_generator(const std::string& kind) {
  return kind == "uniform" || kind == "layered" || kind == "gradient" || kind == "structure" ||
         kind == "random";
}

CellVelocity make_generator(const ModelKeys& keys, const Deck& deck, const ModelGrid& grid) {
  const std::string& kind = keys.kind;
  if (kind == "uniform") return uniform(deck);
  if (kind == "layered") return layered(deck, grid);
  if (kind == "gradient") return gradient(deck, keys, grid);
  return kind == "structure" ? structure(deck, keys, grid) : random_cells(deck, keys, grid);
}

}  // namespace tessera::io

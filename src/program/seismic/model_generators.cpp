// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/model_generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/support/console.hpp"

namespace tessera::io {
namespace {

constexpr double kLowest = 1e-3;  // m/s; smaller values are surely a mistake in the unit
constexpr double kHighest = 1e5;  // m/s; faster than anything on Earth

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

double velocity_key(const Deck& deck, const char* key) {
  return deck.get_in(key, kLowest, kHighest);
}

CellVelocity uniform(const Deck& deck) {
  const auto v = static_cast<float>(velocity_key(deck, "model.v"));
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
    require(velocities[i] >= kLowest && velocities[i] <= kHighest,
            "{}: {} is not between {} and {}", deck.where("model.v"), velocities[i], kLowest,
            kHighest);
  }
  warn_of_layers(deck, tops, grid);
  return [tops, velocities, dz = grid.dz](std::int64_t z, std::int64_t, std::int64_t) {
    const auto below = std::upper_bound(tops.begin(), tops.end(), static_cast<double>(z) * dz);
    return static_cast<float>(velocities[static_cast<std::size_t>(below - tops.begin()) - 1]);
  };
}

CellVelocity gradient(const Deck& deck, const ModelGrid& grid) {
  const double v0 = velocity_key(deck, "model.v0");
  const double k = deck.get_in("model.k", -1e6, 1e6);
  const double bottom = v0 + k * static_cast<double>(grid.inner_nz() - 1) * grid.dz;
  require(bottom >= kLowest && bottom <= kHighest,
          "{}: v0 + k z is {} m/s at the bottom, not between {} and {}", deck.where("model.k"),
          bottom, kLowest, kHighest);
  return [v0, k, dz = grid.dz](std::int64_t z, std::int64_t, std::int64_t) {
    return static_cast<float>(v0 + k * static_cast<double>(z) * dz);
  };
}

CellVelocity random_cells(const Deck& deck, const ModelGrid& grid) {
  const double low = velocity_key(deck, "model.v_min");
  const double high = deck.get_in("model.v_max", low, kHighest);
  const auto seed = static_cast<std::uint64_t>(deck.get<std::int64_t>("model.seed", 1));
  return [=, nx = grid.inner_nx(), ny = grid.inner_ny()](std::int64_t z, std::int64_t y,
                                                         std::int64_t x) {
    const auto cell = static_cast<std::uint64_t>((z * ny + y) * nx + x);
    return static_cast<float>(low + (high - low) * uniform_number(seed, cell));
  };
}

std::array<double, 3> triple(const Deck& deck, const char* key, std::array<double, 3> fallback) {
  const auto values =
      deck.get<std::vector<double>>(key, std::vector<double>(fallback.begin(), fallback.end()));
  require(values.size() == 3, "{} has {} entries, expected 3: x, y, z", deck.where(key),
          values.size());
  return {values[0], values[1], values[2]};
}

// The parameters of kind = "structure", and the velocity at a point (m).
struct Structure {
  double width, breadth, depth;  // of the inner region, m
  double v_water, water_depth;
  double dip_x, dip_y;
  double fault_x, fault_slope, fault_throw;
  double v_salt;
  std::array<double, 3> salt, salt_size;
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
    if (x > fault_x * width + fault_slope * z) level -= fault_throw;
    const auto below = std::upper_bound(tops.begin(), tops.end(), level);
    const auto layer = std::max<std::ptrdiff_t>(below - tops.begin() - 1, 0);
    return velocities[static_cast<std::size_t>(layer)];
  }
};

// Warns of water and salt that are asked for and lie in no cell.
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

CellVelocity structure(const Deck& deck, const ModelGrid& grid) {
  Structure s;
  // A single plane of cells counts as one cell wide.
  s.width = static_cast<double>(std::max<std::int64_t>(grid.inner_nx() - 1, 1)) * grid.dx;
  s.breadth = static_cast<double>(std::max<std::int64_t>(grid.inner_ny() - 1, 1)) * grid.dy;
  s.depth = static_cast<double>(std::max<std::int64_t>(grid.inner_nz() - 1, 1)) * grid.dz;
  s.v_water = deck.get_in("model.v_water", 1500.0, kLowest, kHighest);
  s.water_depth = deck.get_in("model.water_depth", 0.0, 0.0, 1e9);
  const double v_top = deck.get_in("model.v_top", 1800.0, kLowest, kHighest);
  const double v_bottom = deck.get_in("model.v_bottom", 4000.0, kLowest, kHighest);
  const int layers = deck.get_in("model.layers", 8, 1, 10000);
  const auto seed = static_cast<std::uint64_t>(deck.get<std::int64_t>("model.seed", 1));
  s.dip_x = deck.get_in("model.dip_x", 0.1, -10.0, 10.0);
  s.dip_y = deck.get_in("model.dip_y", 0.05, -10.0, 10.0);
  s.fault_x = deck.get_in("model.fault_x", 0.35, -10.0, 10.0);
  s.fault_slope = deck.get_in("model.fault_slope", 0.4, -100.0, 100.0);
  s.fault_throw = deck.get_in("model.fault_throw", 0.1 * s.depth, -1e9, 1e9);
  s.v_salt = deck.get_in("model.v_salt", 4500.0, 0.0, kHighest);
  s.salt = triple(deck, "model.salt", {0.65, 0.5, 0.55});
  s.salt_size = triple(deck, "model.salt_size", {0.15, 0.3, 0.2});
  for (const double size : s.salt_size)
    require(size > 0.0, "{}: {} is not above 0", deck.where("model.salt_size"), size);
  warn_of_structure(deck, s, grid.dz);
  // Layer tops, uneven by up to a third of a layer; velocities rise, unevenly too, with depth.
  for (int i = 0; i < layers; ++i) {
    const auto counter = 2 * static_cast<std::uint64_t>(i);
    const double shift = (uniform_number(seed, counter) - 0.5) * 2.0 / 3.0;
    s.tops.push_back(s.depth * (i + (i == 0 ? 0.0 : shift)) / layers);
    const double jitter = (uniform_number(seed, counter + 1) - 0.5) * 0.8;
    const double fraction = layers == 1 ? 0.0 : std::clamp((i + jitter) / (layers - 1), 0.0, 1.0);
    s.velocities.push_back(v_top + (v_bottom - v_top) * fraction);
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

CellVelocity make_generator(const std::string& kind, const Deck& deck, const ModelGrid& grid) {
  if (kind == "uniform") return uniform(deck);
  if (kind == "layered") return layered(deck, grid);
  if (kind == "gradient") return gradient(deck, grid);
  if (kind == "structure") return structure(deck, grid);
  require(kind == "random", "model.kind = \"{}\" is not a generator", kind);
  return random_cells(deck, grid);
}

}  // namespace tessera::io

// SPDX-License-Identifier: Apache-2.0
#include "variants/directional/formula.hpp"

#include "base/support/error.hpp"
#include "base/support/text.hpp"

namespace tessera::directional {
namespace {

constexpr std::string_view kFamily = "directional/";

std::string_view name_of(Directions d) {
  switch (d) {
    case Directions::x:
      return "x";
    case Directions::y:
      return "y";
    case Directions::z:
      return "z";
    case Directions::xy:
      return "xy";
    case Directions::xyz:
      return "xyz";
  }
  return "";
}

}  // namespace

std::string stencil_name(const Operator& op) {
  return fmt::format("{}{}-r{}", kFamily, name_of(op.directions), op.radius);
}

std::vector<std::string> stencil_names(const std::vector<Directions>& directions) {
  std::vector<std::string> names;
  for (const Directions d : directions) {
    for (const int radius : kRadii) names.push_back(stencil_name({d, radius}));
  }
  return names;
}

Operator parse_stencil(std::string_view name) {
  const std::string full =
      name.starts_with(kFamily) ? std::string(name) : std::string(kFamily).append(name);
  for (const Directions d : kDirections) {
    for (const int radius : kRadii) {
      if (stencil_name({d, radius}) == full) return {d, radius};
    }
  }
  fail(
      "stencil \"{}\" does not exist; did you mean {}? There are directions x, y, z, xy, xyz and "
      "radii 1 to 8, e.g. xyz-r4",
      name, nearest_name(full, stencil_names()));
}

std::array<double, kMaxR + 1> second_derivative(int radius) {
  std::array<double, kMaxR + 1> c{};
  // (R!)^2 / ((R-m)! (R+m)!), from that of m - 1.
  double ratio = 1;
  for (int m = 1; m <= radius; ++m) {
    ratio *= static_cast<double>(radius - m + 1) / (radius + m);
    c[m] = (m % 2 == 1 ? 2 : -2) * ratio / (m * m);
    c[0] -= 2 * c[m];
  }
  return c;
}

}  // namespace tessera::directional

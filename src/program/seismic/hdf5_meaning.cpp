// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_meaning.hpp"

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_attributes.hpp"
#include "program/seismic/hdf5_axes.hpp"
#include "program/seismic/hdf5_units.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tessera::io {

namespace {

/// The quantities that model.quantity knows, and their units.
constexpr std::array<std::pair<const char*, const char*>, 3> kQuantities = {
    {{"velocity_m_s", "m/s"}, {"velocity_km_s", "km/s"}, {"squared_slowness_s2_km2", "s2/km2"}}};

void require_unit(hid_t data, const std::string& quantity, const std::string& text) {
  const auto [name, unit] = unit_of(data, text);
  if (unit.empty()) return;
  const std::string plain = plain_unit(unit);
  const auto* said = std::find_if(kQuantities.begin(), kQuantities.end(),
                                  [&](const auto& one) { return plain == one.second; });
  if (said != kQuantities.end()) {
    require(said->first == quantity,
            "{}: its attribute {} says {}, model.quantity is {}: set model.quantity = \"{}\"; {}",
            text, name, unit, quantity, said->first, kWayOut);
    return;
  }
  fail("{}: its attribute {} says {}, none of m/s, km/s, s2/km2: convert it; {}", text, name, unit,
       kWayOut);
}

void require_unpacked(hid_t data, const std::string& text) {
  const std::pair<const char*, double> plain[] = {{"scale_factor", 1.0}, {"add_offset", 0.0}};
  for (const auto& [name, value] : plain) {
    const double found = number_attribute(data, name, value, text);
    require(found == value,
            "{}: its attribute {} = {:g} says that its values are packed: write them unpacked; {}",
            text, name, found, kWayOut);
  }
}

}  // namespace

void require_plain_values(hid_t data, const HeaderChecks& checks, const std::string& text) {
  if (!checks.headers) return;
  require_unit(data, checks.quantity, text);
  require_unpacked(data, text);
  require_axes(data, checks, text);
}

}  // namespace tessera::io

#endif

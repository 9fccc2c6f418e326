// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_units.hpp"

#if TESSERA_HAVE_HDF5

#include "program/seismic/hdf5_attributes.hpp"

namespace tessera::io {

std::pair<std::string, std::string> unit_of(hid_t object, const std::string& text) {
  for (const char* name : {"units", "unit", "Units", "Unit", "UNITS", "UNIT"}) {
    const std::string unit = text_attribute(object, name, text);
    if (!unit.empty()) return {name, unit};
  }
  return {};
}

std::string plain_unit(std::string_view unit) {
  std::string plain;
  for (const char c : unit) {
    if (std::string_view(" ^*.()[]_").find(c) != std::string_view::npos) continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const std::pair<std::string_view, std::string_view> words[] = {
      {"metre", "meter"},   {"metersecond", "msecond"},
      {"meters-1", "ms-1"}, {"kilo", "k"},
      {"centi", "c"},       {"milli", "m"},
      {"meters", "m"},      {"meter", "m"},
      {"seconds", "s"},     {"second", "s"},
      {"sec", "s"},         {"per", "/"},
      {"squared", "2"},     {"feet", "ft"},
      {"foot", "ft"},       {"s2km-2", "s2/km2"},
      {"kms-1", "km/s"},    {"ms-1", "m/s"},
      {"fts-1", "ft/s"}};
  for (const auto& [from, to] : words) {
    for (std::size_t at = plain.find(from); at != std::string::npos;
         at = plain.find(from, at + to.size())) {
      plain.replace(at, from.size(), to);
    }
  }
  return plain;
}

std::optional<double> length_unit(std::string_view unit) {
  constexpr double kFoot = 0.3048, kSurveyFoot = 1200.0 / 3937.0;
  const std::pair<std::string_view, double> lengths[] = {{"m", 1.0},
                                                         {"km", 1000.0},
                                                         {"cm", 0.01},
                                                         {"mm", 0.001},
                                                         {"ft", kFoot},
                                                         {"kft", 1000.0 * kFoot},
                                                         {"ftus", kSurveyFoot},
                                                         {"usft", kSurveyFoot},
                                                         {"ussurveyft", kSurveyFoot}};
  const std::string plain = plain_unit(unit);
  for (const auto& [name, metres] : lengths) {
    if (plain == name) return metres;
  }
  return std::nullopt;
}

}  // namespace tessera::io

#endif

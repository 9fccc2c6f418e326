// SPDX-License-Identifier: Apache-2.0
#include "base/support/duration.hpp"

#include "base/support/error.hpp"

#include <charconv>
#include <cmath>

namespace tessera {

namespace {

constexpr double kLongest = 1e9;  // 31 years; clocks that count ns in 64 bits end at nine times it

}  // namespace

std::string duration_text(double seconds) {
  const auto s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

double parse_duration(std::string_view text, std::string_view where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  double scale = 0;
  if (unit.empty() || unit == "s") scale = 1;
  if (unit == "m" || unit == "min") scale = 60;
  if (unit == "h") scale = 3600;
  const double seconds = value * scale;
  require(error == std::errc() && seconds > 0 && std::isfinite(seconds),
          "{}: \"{}\" is not a duration, such as 90s, 20m or 1.5h", where, text);
  require(seconds <= kLongest, "{}: \"{}\" is longer than {:g} s", where, text, kLongest);
  return seconds;
}

}  // namespace tessera

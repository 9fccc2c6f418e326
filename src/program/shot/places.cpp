// SPDX-License-Identifier: Apache-2.0
#include "program/shot/places.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/text.hpp"
#include "program/shot/keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera::shot {
namespace {

constexpr double kFarthest = 1e9;  // m: beyond it a number is a mistake

/// [x, y, z], or [x, y] where the table has a depth.
io::Position read_place(const io::Deck& table, const char* key) {
  const auto v = table.get<std::vector<double>>(key);
  const bool has_depth = table.contains("depth");
  require(v.size() == (has_depth ? 2U : 3U), "{} has {} entries, expected {}", table.where(key),
          v.size(), has_depth ? "2: x, y (depth is given)" : "3: x, y, z (or 2 and a depth)");
  return {v[0], v[1], has_depth ? table.get<double>("depth") : v[2]};
}

/// How many places lie at which distance along a length.
struct Spacing {
  std::int64_t count = 1;
  double distance = 0;
};

/// By the key count or step, one number or the given entry of a list.
Spacing read_spacing(const io::Deck& table, double length, std::size_t entry, std::size_t entries) {
  require(table.contains("count") != table.contains("step"), "{}: expected either count or step",
          table.where("start"));
  const char* key = table.contains("count") ? "count" : "step";
  const auto values = table.get<std::vector<double>>(key);
  require(values.size() == entries, "{} has {} entries, expected {}", table.where(key),
          values.size(), entries);
  const double value = values[entry];
  if (key == std::string_view("count")) {
    require(value >= 2 || entries > 1, "{} = {}: a line has two places or more", table.where(key),
            value);
    const auto count = static_cast<std::int64_t>(value);
    return {count, count > 1 ? length / static_cast<double>(count - 1) : 0};
  }
  require(value >= 1e-6 && value <= kFarthest, "{} = {} m is not between 1e-6 and {:g}",
          table.where(key), value, kFarthest);
  const double steps = std::floor(length / value * (1 + 1e-12));
  require(steps < kMostPlaces, "{} = {} makes more than {} places", table.where(key), value,
          kMostPlaces);
  return {1 + static_cast<std::int64_t>(steps), value};
}

std::size_t entries_of(const io::Deck& table) {
  for (const char* key : {"count", "step"}) {
    if (table.contains(key)) return table.get<std::vector<double>>(key).size();
  }
  return 0;
}

std::vector<io::Position> read_grid(const io::Deck& table, const io::Position& start,
                                    const io::Position& end) {
  require(start.z == end.z, "{}: an areal grid lies at one depth, not between {} and {} m",
          table.where("end"), start.z, end.z);
  const Spacing x = read_spacing(table, std::abs(end.x - start.x), 0, 2);
  const Spacing y = read_spacing(table, std::abs(end.y - start.y), 1, 2);
  require(x.count * y.count <= kMostPlaces, "{}: {} times {} are more than {} places",
          table.where("start"), x.count, y.count, kMostPlaces);
  const double dx = end.x < start.x ? -x.distance : x.distance;
  const double dy = end.y < start.y ? -y.distance : y.distance;
  std::vector<io::Position> places;
  places.reserve(static_cast<std::size_t>(x.count * y.count));
  for (std::int64_t j = 0; j < y.count; ++j) {
    for (std::int64_t i = 0; i < x.count; ++i) {
      places.push_back(
          {start.x + static_cast<double>(i) * dx, start.y + static_cast<double>(j) * dy, start.z});
    }
  }
  return places;
}

double distance(const io::Position& a, const io::Position& b) {
  return std::hypot(b.x - a.x, b.y - a.y, b.z - a.z);
}

/// Places at equal distances along a path of straight pieces, its first point the first.
std::vector<io::Position> along(const std::vector<io::Position>& path, const Spacing& spacing) {
  std::vector<io::Position> places;
  places.reserve(static_cast<std::size_t>(spacing.count));
  std::size_t piece = 0;
  double begin = 0;  // of the piece, from the first point
  double length = distance(path[0], path[1]);
  for (std::int64_t i = 0; i < spacing.count; ++i) {
    const double wish = static_cast<double>(i) * spacing.distance;
    while (wish > begin + length && piece + 2 < path.size()) {
      begin += length;
      ++piece;
      length = distance(path[piece], path[piece + 1]);
    }
    const double part = length > 0 ? std::min((wish - begin) / length, 1.0) : 0.0;
    const io::Position &a = path[piece], &b = path[piece + 1];
    places.push_back(
        {std::lerp(a.x, b.x, part), std::lerp(a.y, b.y, part), std::lerp(a.z, b.z, part)});
  }
  return places;
}

/// The lists x, y and z; one number holds for all.
std::vector<io::Position> read_lists(const io::Deck& table) {
  const std::vector<double> lists[3] = {table.get<std::vector<double>>("x"),
                                        table.get<std::vector<double>>("y"),
                                        table.get<std::vector<double>>("z")};
  std::size_t count = 1;
  for (const auto& list : lists) count = std::max(count, list.size());
  for (int d = 0; d < 3; ++d) {
    const char* names[3] = {"x", "y", "z"};
    require(lists[d].size() == count || lists[d].size() == 1, "{} has {} entries, the others {}",
            table.where(names[d]), lists[d].size(), count);
  }
  const auto entry = [&](int d, std::size_t i) { return lists[d][lists[d].size() == 1 ? 0 : i]; };
  std::vector<io::Position> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back({entry(0, i), entry(1, i), entry(2, i)});
  return places;
}

std::vector<io::Position> read_path(const io::Deck& table) {
  const std::vector<io::Position> points = read_lists(table);
  const std::size_t entries = entries_of(table);
  if (entries == 0) return points;
  require(points.size() > 1, "{}: a well goes through two points at least", table.where("x"));
  double length = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) length += distance(points[i], points[i + 1]);
  return along(points, read_spacing(table, length, 0, 1));
}

}  // namespace

NamedPlaces read_places(const io::Deck& table) {
  keys::Nothing none;
  receiver_keys().read(table, none);
  const bool is_table = table.contains("table");
  const bool is_path = table.contains("x") || table.contains("y") || table.contains("z");
  const bool is_line = table.contains("start");
  require(int{is_table} + int{is_path} + int{is_line} <= 1,
          "{}: expected one of start, the lists x, y, z, and table", table.where("start"));
  if (is_table) {
    return {table.where("table"), read_place_table(table.get_path("table"))};
  }
  if (is_path) return {table.where("x"), read_path(table)};
  const io::Position start = read_place(table, "start");
  if (!table.contains("end")) return {table.where("start"), {start}};
  const io::Position end = read_place(table, "end");
  if (entries_of(table) == 2) return {table.where("start"), read_grid(table, start, end)};
  const Spacing spacing = read_spacing(table, distance(start, end), 0, 1);
  return {table.where("start"), along({start, end}, spacing)};
}

namespace {

/// Three numbers between commas; nothing where a line is not of that form.
std::optional<io::Position> place_of(std::string_view line) {
  std::array<double, 3> at{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t comma = line.find(',');
    if ((comma == std::string_view::npos) != (d == 2)) return std::nullopt;
    const std::string_view cell = trimmed(line.substr(0, comma));
    const char* const end = cell.data() + cell.size();
    const auto [read, error] = std::from_chars(cell.data(), end, at[d]);
    if (error != std::errc() || read != end || !(std::abs(at[d]) <= kFarthest)) return std::nullopt;
    if (d < 2) line.remove_prefix(comma + 1);
  }
  return io::Position{at[0], at[1], at[2]};
}

}  // namespace

std::vector<io::Position> read_place_table(const std::filesystem::path& path) {
  const std::string text = read_table(path);
  std::string_view rest = text;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<io::Position> places;
  bool begun = false;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    const bool is_title = !std::exchange(begun, true) && line == "x,y,z";
    if (is_title) continue;
    const auto place = place_of(line);
    require(place.has_value(),
            "{}:{}: \"{}\" is not a place: expected three numbers up to 1e9 in m, x,y,z, with "
            "decimal points, in UTF-8",
            path.string(), number, shown(line));
    require(static_cast<std::int64_t>(places.size()) < kMostPlaces, "{}: more than {} places",
            path.string(), kMostPlaces);
    places.push_back(*place);
  }
  require(!places.empty(), "{}: it names no place", path.string());
  return places;
}

}  // namespace tessera::shot

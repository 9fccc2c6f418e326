// SPDX-License-Identifier: Apache-2.0
#include "program/shot/places.hpp"

#include "base/support/error.hpp"
#include "program/shot/keys.hpp"
#include "program/shot/number_table.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

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

std::vector<io::Position> read_place_table(const std::filesystem::path& path) {
  std::vector<io::Position> places;
  for (const auto& [x, y, z] :
       read_number_table(path, {"x,y,z", "a place", "three numbers up to 1e9 in m", kMostPlaces})) {
    places.push_back({x, y, z});
  }
  return places;
}

}  // namespace tessera::shot

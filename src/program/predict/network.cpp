// SPDX-License-Identifier: Apache-2.0
#include "program/predict/network.hpp"

#include "base/io/json_file.hpp"
#include "base/support/error.hpp"

#include <algorithm>
#include <initializer_list>

namespace tessera::model {
namespace {

using nlohmann::json;

const json& value_of(const json& table, const char* key, const std::string& where) {
  const auto found = table.find(key);
  require(found != table.end(), "{}: {} is missing", where, key);
  return *found;
}

std::string text_of(const json& table, const char* key, const std::string& where) {
  const json& value = value_of(table, key, where);
  require(value.is_string(), "{}: {} is {}, not a text", where, key, io::brief(value));
  return value.get<std::string>();
}

double number_of(const json& table, const char* key, double least, double most,
                 const std::string& where) {
  const json& value = value_of(table, key, where);
  require(value.is_number(), "{}: {} is {}, not a number", where, key, io::brief(value));
  const auto number = value.get<double>();
  require(number >= least, "{}: {} = {} is below {}", where, key, number, least);
  require(number <= most, "{}: {} = {} is above {}", where, key, number, most);
  return number;
}

void require_known(const json& table, std::initializer_list<const char*> known,
                   const std::string& where) {
  require(table.is_object(), "{}: {} is no table", where, io::brief(table));
  for (const auto& [key, value] : table.items()) {
    const auto is_key = [&name = key](const char* other) { return name == other; };
    require(std::any_of(known.begin(), known.end(), is_key), "{}: unknown key {}", where, key);
  }
}

NetworkLevel level_of(const json& table, const std::string& where) {
  require_known(table, {"name", "ranks", "latency_us", "message_us", "gb_per_s", "memory_passes"},
                where);
  // schemas/network.schema.json has the same ranges, and a test compares them.
  constexpr double kMostMicroseconds = 1e6, kMostPasses = 1000;
  NetworkLevel level;
  level.name = text_of(table, "name", where);
  if (table.contains("ranks")) {
    const double ranks = number_of(table, "ranks", 2, 1 << 30, where);
    require(ranks == static_cast<int>(ranks), "{}: ranks = {} is no number of ranks", where, ranks);
    level.ranks = static_cast<int>(ranks);
  }
  level.latency_s = 1e-6 * number_of(table, "latency_us", 0, kMostMicroseconds, where);
  if (table.contains("message_us")) {
    level.message_s = 1e-6 * number_of(table, "message_us", 0, kMostMicroseconds, where);
  }
  constexpr double kLeastRate = 1e-6, kMostRate = 1e6;
  level.bytes_per_s = 1e9 * number_of(table, "gb_per_s", kLeastRate, kMostRate, where);
  if (table.contains("memory_passes")) {
    level.memory_passes = number_of(table, "memory_passes", 2, kMostPasses, where);
  }
  return level;
}

}  // namespace

Network read_network(const std::filesystem::path& path) {
  const json file = io::read_json_file(path);
  const std::string where = path.string();
  require_known(file, {"schema", "name", "source", "levels"}, where);
  const std::string schema = text_of(file, "schema", where);
  require(schema == kNetworkSchema, "{}: schema is \"{}\", not \"{}\"", where, schema,
          kNetworkSchema);
  Network network{text_of(file, "name", where), text_of(file, "source", where), {}};
  const json& levels = value_of(file, "levels", where);
  require(levels.is_array() && !levels.empty(), "{}: levels is {}, not a list of levels", where,
          io::brief(levels));
  for (const json& table : levels) {
    const std::string here = fmt::format("{}: levels[{}]", where, network.levels.size());
    NetworkLevel level = level_of(table, here);
    const int before = network.levels.empty() ? 1 : network.levels.back().ranks;
    require(before > 0 && (level.ranks == 0 || (level.ranks > before && level.ranks % before == 0)),
            "{}: ranks = {} is no multiple of the level before, {}", here, level.ranks, before);
    network.levels.push_back(std::move(level));
  }
  require(network.levels.back().ranks == 0,
          "{}: the last level has ranks = {}; without ranks it reaches all", where,
          network.levels.back().ranks);
  return network;
}

std::size_t level_between(const Network& network, int rank, int other) {
  std::size_t level = 0;
  while (network.levels[level].ranks > 0 &&
         rank / network.levels[level].ranks != other / network.levels[level].ranks) {
    ++level;
  }
  return level;
}

double exchange_memory_bytes(const Network& network, const std::vector<Traffic>& sent) {
  double bytes = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    bytes += network.levels[i].memory_passes * sent[i].bytes;
  }
  return bytes;
}

double exchange_seconds(const Network& network, const std::vector<Traffic>& sent) {
  double longest = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (sent[i].messages == 0) continue;
    const NetworkLevel& level = network.levels[i];
    longest = std::max(longest, level.latency_s + level.message_s * (sent[i].messages - 1) +
                                    sent[i].bytes / level.bytes_per_s);
  }
  return longest;
}

StepTime step_time(const RankStep& rank) {
  StepTime time;
  const double exchange = rank.pack + rank.exchange;
  time.compute = rank.whole;
  time.step = rank.whole + exchange;
  if (rank.overlap) {
    time.compute = std::max(rank.core + rank.edges_busy, rank.edges);
    time.step = std::max(rank.core + rank.edges_busy + rank.shared, exchange + rank.edges);
  }
  time.exposed = time.step - time.compute;
  time.hidden = exchange - time.exposed;
  return time;
}

}  // namespace tessera::model

// SPDX-License-Identifier: Apache-2.0
#include "program/predict/network.hpp"

#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "program/results/file_fields.hpp"

#include <algorithm>

namespace tessera::model {
namespace {

NetworkLevel level_of(const nlohmann::json& table) {
  NetworkLevel level;
  level.name = table.at("name").get<std::string>();
  level.ranks = table.value("ranks", 0);
  level.latency_s = 1e-6 * table.at("latency_us").get<double>();
  level.message_s = 1e-6 * table.value("message_us", 0.0);
  level.bytes_per_s = 1e9 * table.at("gb_per_s").get<double>();
  level.memory_passes = table.value("memory_passes", level.memory_passes);
  return level;
}

}  // namespace

Network read_network(const std::filesystem::path& path) {
  const nlohmann::json file = io::read_json_file(path);
  const std::string where = path.string();
  results::check(results::network_fields(), file, where);
  Network network{file.at("name").get<std::string>(), file.at("source").get<std::string>(), {}};
  for (const nlohmann::json& table : file.at("levels")) {
    NetworkLevel level = level_of(table);
    const int before = network.levels.empty() ? 1 : network.levels.back().ranks;
    require(before > 0 && (level.ranks == 0 || (level.ranks > before && level.ranks % before == 0)),
            "{}: levels[{}].ranks = {} is no multiple of the level before, {}", where,
            network.levels.size(), level.ranks, before);
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

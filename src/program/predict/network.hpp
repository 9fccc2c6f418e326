// SPDX-License-Identifier: Apache-2.0
// What connects ranks: a file of inputs/networks, and the time that messages take on it.
//
//   a rank's messages of a level:  T = latency + message (count - 1) + bytes / bandwidth
//   an exchange:                   the longest of its levels, which are different wires
//
// Latency and bandwidth are those of one rank's messages on the level, each way, while its
// neighbours send too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::model {

/// Name and version of the network file's layout.
inline constexpr const char* kNetworkSchema = "tessera-network-1";

/// Ranks that reach each other the same way: groups of `ranks` ranks one after another.
struct NetworkLevel {
  std::string name;        ///< "NVLink", "node", "fabric"
  int ranks = 0;           ///< of a group; 0: all that there are
  double latency_s = 0;    ///< of a message of a few bytes, from start to finish
  double message_s = 0;    ///< that each further message of an exchange adds
  double bytes_per_s = 0;  ///< each way
  /// How often a byte that a rank sends, and the one that it receives for it, are read or written
  /// in its memory: 2 where messages go from field to field, more with buffers between.
  double memory_passes = 2;
};

struct Network {
  std::string name, source;
  std::vector<NetworkLevel> levels;  ///< nearest first; the last one reaches all
};

/// Reads a network file (schemas/network.schema.json). Throws Error, naming the path and the key,
/// where it is missing or wrong.
[[nodiscard]] Network read_network(const std::filesystem::path& path);

/// The nearest level that two ranks share.
[[nodiscard]] std::size_t level_between(const Network& network, int rank, int other);

/// What a rank sends on a level in an exchange.
struct Traffic {
  int messages = 0;
  double bytes = 0;
};

/// Bytes that an exchange moves in a rank's memory; `sent` of each level, in the network's order.
[[nodiscard]] double exchange_memory_bytes(const Network& network,
                                           const std::vector<Traffic>& sent);

/// Seconds of an exchange; `sent` of each level, in the network's order.
[[nodiscard]] double exchange_seconds(const Network& network, const std::vector<Traffic>& sent);

/// A rank's step, in seconds.
struct RankStep {
  double whole = 0;       ///< all cells in one launch
  double core = 0;        ///< those that read no other rank's
  double edges = 0;       ///< the rest, with the device to themselves
  double edges_busy = 0;  ///< what they take of a device that runs the core beside them
  double pack = 0;        ///< packing and unpacking
  double exchange = 0;    ///< messages
  double shared = 0;      ///< of the memory's time, what messages take from a core beside them
  bool overlap = true;
};

struct StepTime {
  double step = 0;     ///< in all
  double compute = 0;  ///< without exchange, as a result's compute_s
  double hidden = 0, exposed = 0;
};

/// Beside each other, edges as soon as the halo is there:
///   step = max(core + edges_busy + shared, pack + exchange + edges)
///   compute = max(core + edges_busy, edges)
/// else whole + pack + exchange, and whole.
[[nodiscard]] StepTime step_time(const RankStep& rank);

}  // namespace tessera::model

// SPDX-License-Identifier: Apache-2.0
#include "program/results/stage_words.hpp"

#include <map>

namespace tessera::results {

std::string stage_words(const std::string& stage, std::string_view model, bool on_host) {
  using Words = std::map<std::string, std::string>;
  // The device model (model/device_model.hpp) and the host model (model/host_model.hpp).
  static const Words of_device_model = {{"GM", "device memory"},
                                        {"L2", "the L2 cache"},
                                        {"L1", "L1 and scratch"},
                                        {"requests", "the rate of scattered requests"},
                                        {"lives", "the latency of a team's steps"}};
  static const Words of_host_model = {
      {"GM", "memory"}, {"L3", "the last cache"}, {"L2", "the L2 cache"}, {"core", "the core"}};
  // The traffic model, whose stages rows name as Su's paper does, and EBISU's.
  static const Words on_devices = {{"L2", "the L2 cache"}, {"on-SMX storage", "L1 and scratch"}};
  static const Words on_hosts = {{"device memory", "memory"},
                                 {"L2", "the last cache"},
                                 {"on-SMX storage", "the L1 cache"},
                                 {"scratch", "the L1 cache"}};
  const Words& words = model.starts_with("device model") ? of_device_model
                       : model.starts_with("host model") ? of_host_model
                       : on_host                         ? on_hosts
                                                         : on_devices;
  const auto word = words.find(stage);
  return word == words.end() ? stage : word->second;
}

}  // namespace tessera::results

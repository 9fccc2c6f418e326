// SPDX-License-Identifier: Apache-2.0
// Topologies by hwloc; in builds with it only.
#pragma once

#include "program/measure/topology.hpp"

#include <string>
#include <vector>

namespace tessera::measure {

/// A machine that hwloc makes up ("numa:2 core:4 pu:2") under threads that may run on the given
/// CPUs ("0-1,4"). Throws Error where hwloc does not take the description.
[[nodiscard]] Topology synthetic_topology(const std::string& description,
                                          const std::vector<std::string>& thread_cpus);

}  // namespace tessera::measure

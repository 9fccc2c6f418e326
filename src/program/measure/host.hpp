// SPDX-License-Identifier: Apache-2.0
// The host and the operating system under this process; its cores and caches: topology.hpp.
#pragma once

#include <string>

namespace tessera::measure {

/// Facts about the host.
struct HostProperties {
  std::string hostname;
  std::string cpu;           ///< model name, "" where the system does not say
  std::string kernel;        ///< operating system and its release
  double max_clock_ghz = 0;  ///< 0 where the system does not say
  std::string governor;      ///< frequency policy of the first CPU, "" where there is none
  double load = 0;           ///< processes that wanted to run, a mean over the last minute
};

[[nodiscard]] HostProperties host_properties();

/// Value of an environment variable, "" where it is not set.
[[nodiscard]] std::string environment(const char* name);

}  // namespace tessera::measure

// SPDX-License-Identifier: Apache-2.0
// The processor and the operating system under this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::measure {

/// Facts about the host.
struct HostProperties {
  std::string hostname;
  std::string cpu;           ///< model name, "" where the system does not say
  std::string kernel;        ///< operating system and its release
  int logical_cpus = 0;      ///< that this process may run on
  int cores = 0;             ///< physical cores among them
  int sockets = 0;           ///< packages among them
  double max_clock_ghz = 0;  ///< 0 where the system does not say
  std::string governor;      ///< frequency policy of the first CPU, "" where there is none
  double load = 0;           ///< processes that wanted to run, a mean over the last minute
};

/// Numbers of the CPUs that the threads of this process may run on, ascending.
[[nodiscard]] std::vector<int> usable_cpus();

[[nodiscard]] HostProperties host_properties();

/// Value of an environment variable, "" where it is not set.
[[nodiscard]] std::string environment(const char* name);

}  // namespace tessera::measure

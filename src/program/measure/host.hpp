// SPDX-License-Identifier: Apache-2.0
// The host and the operating system under this process, and its processor; cores and caches are in
// topology.hpp.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::measure {

/// Facts about the host.
struct HostProperties {
  std::string hostname;
  std::string cpu;           ///< model name, "" where the system does not say
  std::string kernel;        ///< operating system and its release
  double max_clock_ghz = 0;  ///< 0 where the system does not say
  std::string governor;      ///< frequency policy of the first CPU, "" where there is none
  double load = 0;           ///< runnable processes, a mean over the last minute
};

[[nodiscard]] HostProperties host_properties();

/// Value of an environment variable, "" where it is not set.
[[nodiscard]] std::string environment(const char* name);

/// As CPUID numbers it, or Arm's main ID register: then `model` is the part, `stepping` the
/// revision. Zeros where the system does not say.
struct Processor {
  std::string vendor;  ///< "AMD", "Intel", "Arm" ...; empty: another, or not known
  int family = 0, model = 0, stepping = 0;
  int vector_bits = 0;  ///< widest vectors that it has: 128, 256, 512; 0: not known
};

/// The first processor of a text in the form of /proc/cpuinfo.
[[nodiscard]] Processor read_processor(const std::string& cpuinfo);

/// "zen4", "sapphire-rapids", "neoverse-v2" ...; empty where the numbers are not known here. After
/// the vendors' public tables of families and models, or implementers and parts.
[[nodiscard]] std::string microarchitecture(const Processor& processor);

/// The largest L3 of which its cores can share one: virtual machines are known to report more.
/// Where the generation is not known here, the largest of any processor.
[[nodiscard]] std::int64_t largest_l3_bytes(const Processor& processor);

/// This machine's.
[[nodiscard]] Processor this_processor();

/// A device's name as words of file names: lower case, with hyphens, and without words that
/// identify nothing:
/// "(R)", "(TM)", "CPU", "Processor", a clock after "@". Of "Intel(R) Xeon(R) Processor"
/// "intel-xeon".
[[nodiscard]] std::string hyphened(const std::string& device);

}  // namespace tessera::measure

// SPDX-License-Identifier: Apache-2.0
#include "program/measure/host.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace tessera::measure {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// x86 calls it "model name"; other kernels have "Hardware", "cpu" or nothing at all.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    for (const char* key : {"model name", "Hardware", "cpu\t", "Processor"}) {
      const auto colon = line.find(':');
      if (line.rfind(key, 0) == 0 && colon != std::string::npos && colon + 2 <= line.size()) {
        return line.substr(colon + 2);
      }
    }
  }
  return {};
}

double clock_from_sys() {
  const std::string khz = first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  return khz.empty() ? 0.0 : std::strtod(khz.c_str(), nullptr) * 1e-6;
}

}  // namespace

HostProperties host_properties() {
  HostProperties host;
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) == 0) host.hostname = name;
  host.cpu = cpu_model();
  utsname system{};
  if (uname(&system) == 0) {
    host.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
  }
  host.max_clock_ghz = clock_from_sys();
  if (double load = 0; getloadavg(&load, 1) == 1) host.load = load;
  host.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return host;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace tessera::measure

// SPDX-License-Identifier: Apache-2.0
#include "measure/host.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

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

std::vector<int> usable_cpus() {
  // A fixed set holds 1024 CPUs; larger machines need one of their own size.
  const int most = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_CONF), 1024L));
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  cpu_set_t* const set = CPU_ALLOC(most);
  std::set<int> cpus;
  // All threads: with OMP_PROC_BIND set each is bound to a place of its own, the main one too.
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const int thread = std::atoi(task.path().filename().c_str());
    CPU_ZERO_S(bytes, set);
    if (sched_getaffinity(thread, bytes, set) != 0) continue;
    for (int cpu = 0; cpu < most; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.insert(cpu);
    }
  }
  CPU_FREE(set);
  return {cpus.begin(), cpus.end()};
}

HostProperties host_properties() {
  HostProperties host;
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) == 0) host.hostname = name;
  host.cpu = cpu_model();
  utsname system{};
  if (uname(&system) == 0) {
    host.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
  }
  std::set<std::pair<std::string, std::string>> cores;
  std::set<std::string> sockets;
  const std::vector<int> cpus = usable_cpus();
  for (const int cpu : cpus) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const std::string socket = first_line(topology + "physical_package_id");
    cores.emplace(socket, first_line(topology + "core_id"));
    sockets.insert(socket);
  }
  host.logical_cpus = static_cast<int>(cpus.size());
  host.cores = static_cast<int>(cores.size());
  host.sockets = static_cast<int>(sockets.size());
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

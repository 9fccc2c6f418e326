// SPDX-License-Identifier: Apache-2.0
#include "program/measure/host.hpp"

#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
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

namespace {

/// Models of one generation in a family, both ends included.
struct Generation {
  const char* vendor;
  int family, first, last;
  const char* name;
  int l3_mib;  // the largest instance that its vendor sells, of one CCX at AMD; 0: not known here
};

constexpr Generation kGenerations[] = {
    {"AMD", 0x17, 0x00, 0x2f, "zen1", 8},          {"AMD", 0x17, 0x30, 0xff, "zen2", 16},
    {"AMD", 0x19, 0x00, 0x0f, "zen3", 96},  // EPYC 7773X
    {"AMD", 0x19, 0x10, 0x1f, "zen4", 96},  // EPYC 9684X
    {"AMD", 0x19, 0x20, 0x5f, "zen3", 96},  // Ryzen 7 5800X3D
    {"AMD", 0x19, 0x60, 0xaf, "zen4", 96},  // Ryzen 7 7800X3D
    {"AMD", 0x1a, 0x00, 0x1f, "zen5", 32},  // EPYC 9755
    {"AMD", 0x1a, 0x20, 0xff, "zen5", 96},  // Ryzen 7 9800X3D
    {"Intel", 6, 63, 63, "haswell", 45},           {"Intel", 6, 79, 79, "broadwell", 60},
    {"Intel", 6, 85, 85, "skylake-x", 39},         {"Intel", 6, 87, 87, "knights-landing", 0},
    {"Intel", 6, 133, 133, "knights-mill", 0},     {"Intel", 6, 106, 106, "ice-lake", 60},
    {"Intel", 6, 108, 108, "ice-lake", 60},        {"Intel", 6, 143, 143, "sapphire-rapids", 113},
    {"Intel", 6, 207, 207, "emerald-rapids", 320}, {"Intel", 6, 173, 174, "granite-rapids", 504},
    {"Arm", 0, 0xd08, 0xd08, "cortex-a72", 0},     {"Arm", 0, 0xd0c, 0xd0c, "neoverse-n1", 0},
    {"Arm", 0, 0xd40, 0xd40, "neoverse-v1", 0},    {"Arm", 0, 0xd49, 0xd49, "neoverse-n2", 0},
    {"Arm", 0, 0xd4f, 0xd4f, "neoverse-v2", 0},    {"Fujitsu", 0, 0x001, 0x001, "a64fx", 0},
    {"Cavium", 0, 0x0af, 0x0af, "thunderx2", 0},   {"Ampere", 0, 0xac3, 0xac3, "ampere1", 0},
};

// Of any processor: Intel's Xeon 6+.
constexpr int kLargestL3Mib = 576;

const Generation* generation_of(const Processor& p) {
  const auto* found =
      std::find_if(std::begin(kGenerations), std::end(kGenerations), [&](const Generation& g) {
        return p.vendor == g.vendor && p.family == g.family && p.model >= g.first &&
               p.model <= g.last;
      });
  return found == std::end(kGenerations) ? nullptr : found;
}

/// Who designed an Arm core, by the number in its main ID register.
std::string implementer(int number) {
  for (const auto& [of, name] : {std::pair{0x41, "Arm"},
                                 {0x43, "Cavium"},
                                 {0x46, "Fujitsu"},
                                 {0x4e, "NVIDIA"},
                                 {0x61, "Apple"},
                                 {0xc0, "Ampere"}}) {
    if (of == number) return name;
  }
  return "";
}

/// NEON's 128 bits; the length of SVE's vectors stands elsewhere.
int vector_bits(const std::string& flags) {
  const std::string padded = " " + flags + " ";
  for (const auto& [flag, bits] :
       {std::pair{" avx512f ", 512}, {" avx ", 256}, {" sse2 ", 128}, {" asimd ", 128}}) {
    if (padded.find(flag) != std::string::npos) return bits;
  }
  return 0;
}

}  // namespace

Processor read_processor(const std::string& cpuinfo) {
  Processor processor;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::string value = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
    if (key == "vendor_id") {
      processor.vendor = value == "AuthenticAMD" ? "AMD" : value == "GenuineIntel" ? "Intel" : "";
    } else if (key == "cpu family") {
      processor.family = std::atoi(value.c_str());
    } else if (key == "model") {
      processor.model = std::atoi(value.c_str());
    } else if (key == "stepping") {
      processor.stepping = std::atoi(value.c_str());
    } else if (key == "CPU implementer") {
      processor.vendor = implementer(static_cast<int>(std::strtol(value.c_str(), nullptr, 0)));
    } else if (key == "CPU part") {
      processor.model = static_cast<int>(std::strtol(value.c_str(), nullptr, 0));
    } else if (key == "CPU revision") {
      processor.stepping = std::atoi(value.c_str());
    } else if (key == "flags" || key == "Features") {
      processor.vector_bits = vector_bits(value);
    }
  }
  return processor;
}

std::string microarchitecture(const Processor& p) {
  const Generation* generation = generation_of(p);
  return generation == nullptr ? "" : generation->name;
}

std::int64_t largest_l3_bytes(const Processor& p) {
  const Generation* generation = generation_of(p);
  const int known = generation == nullptr ? 0 : generation->l3_mib;
  return std::int64_t{known > 0 ? known : kLargestL3Mib} << 20;
}

Processor this_processor() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  Processor processor = read_processor(text.str());
  // Where the processor has SVE: the longest vectors of a process, in bytes.
  std::ifstream sve("/proc/sys/abi/sve_default_vector_length");
  if (int bytes = 0; sve >> bytes)
    processor.vector_bits = std::max(processor.vector_bits, 8 * bytes);
  return processor;
}

std::string hyphened(const std::string& device) {
  std::string name;
  std::string word;
  const auto end_word = [&] {
    const bool says_nothing = word == "r" || word == "tm" || word == "cpu" || word == "processor";
    if (!word.empty() && !says_nothing) name += (name.empty() ? "" : "-") + word;
    word.clear();
  };
  for (const char c : device.substr(0, device.find('@'))) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0) {
      end_word();
    } else {
      word += static_cast<char>(std::tolower(letter));
    }
  }
  end_word();
  return name;
}

}  // namespace tessera::measure

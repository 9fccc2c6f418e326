// SPDX-License-Identifier: Apache-2.0
#include "measure/processor.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

namespace tessera::measure {
namespace {

/// Models of one generation in a family, both ends included.
struct Generation {
  const char* vendor;
  int family, first, last;
  const char* name;
};

constexpr Generation kGenerations[] = {
    {"AMD", 0x17, 0x00, 0x2f, "zen1"},         {"AMD", 0x17, 0x30, 0xff, "zen2"},
    {"AMD", 0x19, 0x00, 0x0f, "zen3"},         {"AMD", 0x19, 0x10, 0x1f, "zen4"},
    {"AMD", 0x19, 0x20, 0x5f, "zen3"},         {"AMD", 0x19, 0x60, 0xaf, "zen4"},
    {"AMD", 0x1a, 0x00, 0xff, "zen5"},         {"Intel", 6, 63, 63, "haswell"},
    {"Intel", 6, 79, 79, "broadwell"},         {"Intel", 6, 85, 85, "skylake-x"},
    {"Intel", 6, 87, 87, "knights-landing"},   {"Intel", 6, 133, 133, "knights-mill"},
    {"Intel", 6, 106, 106, "ice-lake"},        {"Intel", 6, 108, 108, "ice-lake"},
    {"Intel", 6, 143, 143, "sapphire-rapids"}, {"Intel", 6, 207, 207, "emerald-rapids"},
    {"Intel", 6, 173, 174, "granite-rapids"},
};

int vector_bits(const std::string& flags) {
  const std::string padded = " " + flags + " ";
  for (const auto& [flag, bits] : {std::pair{" avx512f ", 512}, {" avx ", 256}, {" sse2 ", 128}}) {
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
    } else if (key == "flags") {
      processor.vector_bits = vector_bits(value);
    }
  }
  return processor;
}

std::string microarchitecture(const Processor& p) {
  for (const Generation& g : kGenerations) {
    if (p.vendor == g.vendor && p.family == g.family && p.model >= g.first && p.model <= g.last) {
      return g.name;
    }
  }
  return "";
}

Processor this_processor() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  return read_processor(text.str());
}

}  // namespace tessera::measure

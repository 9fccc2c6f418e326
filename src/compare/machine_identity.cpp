// SPDX-License-Identifier: Apache-2.0
#include "compare/machine_identity.hpp"

#include "io/json_file.hpp"

#include <fmt/core.h>

namespace tessera::compare {

using nlohmann::json;

std::string device_of(const json& machine) {
  const auto found = machine.find("device");
  return found != machine.end() && found->is_string() ? found->get<std::string>()
                                                      : "an unnamed machine";
}

std::string short_revision(const json& build) {
  const auto found = build.find("git_revision");
  if (found == build.end() || !found->is_string()) return "";
  return found->get<std::string>().substr(0, 8) +
         (io::value_or(build, "git_dirty", false) ? "+" : "");
}

std::string machine_identity(const json& machine) {
  const auto part = [](const json& object, const char* key) {
    return object.is_object() && object.contains(key) ? io::brief(object.at(key)) : "?";
  };
  std::string out = device_of(machine);
  if (machine.contains("device_properties")) {
    const json& device = machine["device_properties"];
    return out +
           fmt::format(", {} units, {} B", part(device, "units"), part(device, "memory_bytes"));
  }
  out += fmt::format(", {} threads", part(machine, "concurrency"));
  if (!machine.contains("host") || !machine["host"].is_object()) return out;
  for (const json& cache : io::value_or(machine["host"], "caches", json::array())) {
    out += fmt::format(", {} {} B", part(cache, "level"), part(cache, "bytes"));
  }
  return out;
}

}  // namespace tessera::compare

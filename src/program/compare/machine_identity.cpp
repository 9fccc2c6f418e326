// SPDX-License-Identifier: Apache-2.0
#include "program/compare/machine_identity.hpp"

#include "base/io/json_file.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tessera::compare {

using nlohmann::json;

namespace {

/// The device's name, then what else tells machines apart.
std::vector<std::string> identity_parts(const json& machine) {
  const auto part = [](const json& object, const char* key) {
    return object.is_object() && object.contains(key) ? io::brief(object.at(key)) : "?";
  };
  std::vector<std::string> parts = {device_of(machine)};
  if (machine.contains("device_properties")) {
    const json& device = machine["device_properties"];
    parts.push_back(part(device, "units") + " units");
    parts.push_back(part(device, "memory_bytes") + " B");
    return parts;
  }
  parts.push_back(part(machine, "concurrency") + " threads");
  if (!machine.contains("host") || !machine["host"].is_object()) return parts;
  for (const json& cache : io::value_or(machine["host"], "caches", json::array())) {
    parts.push_back(fmt::format("{} {} B", part(cache, "level"), part(cache, "bytes")));
  }
  return parts;
}

}  // namespace

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
  return fmt::format("{}", fmt::join(identity_parts(machine), ", "));
}

std::string told_apart(const json& machine, const json& other) {
  std::vector<std::string> parts = identity_parts(machine);
  const std::vector<std::string> others = identity_parts(other);
  if (parts.front() != others.front()) return parts.front();
  const auto is_common = [&](const std::string& part) {
    return std::find(others.begin(), others.end(), part) != others.end();
  };
  parts.erase(std::remove_if(parts.begin() + 1, parts.end(), is_common), parts.end());
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tessera::compare

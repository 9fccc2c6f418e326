// SPDX-License-Identifier: Apache-2.0
#include "program/shot/earlier_files.hpp"

#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>

namespace tessera::shot {
namespace {

/// What shot.json says; an object without members where there is none that can be read.
nlohmann::json record_in(const std::filesystem::path& directory) {
  nlohmann::json record = nlohmann::json::object();
  const std::filesystem::path path = directory / "shot.json";
  if (!is_plain_file(path)) return record;
  try {
    record = io::read_json_file(path);
  } catch (const Error&) {  // half a file, or somebody else's
  }
  return record.is_object() ? record : nlohmann::json::object();
}

/// Whether a record lists a file of so many bytes. Older versions did not say how many.
bool lists(const nlohmann::json& record, const std::string& name, std::uintmax_t bytes) {
  for (const char* key : {"file_bytes", "earlier_file_bytes"}) {
    const nlohmann::json listed = record.value(key, nlohmann::json());
    if (listed.is_object() && listed.contains(name)) return listed[name] == bytes;
  }
  const nlohmann::json names = record.value("files", nlohmann::json());
  return !record.contains("file_bytes") && names.is_array() &&
         std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

EarlierFiles::EarlierFiles(const std::filesystem::path& directory,
                           const std::vector<std::string>& wanted)
    : directory_(directory) {
  const nlohmann::json record = record_in(directory);
  for (const char* name : {"gather.csv", "gather.sgy", "snapshots.h5", "snapshots.xdmf"}) {
    const std::filesystem::path path = directory / name;
    const bool own = std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    if (own || !path_exists(path)) continue;
    const std::uintmax_t bytes = bytes_of_file(path);
    if (lists(record, name, bytes)) {
      left_[name] = bytes;
    } else {
      foreign_.emplace_back(name);
    }
  }
}

void EarlierFiles::remove() const {
  for (const auto& [name, bytes] : left_.items()) {
    std::error_code ignored;
    std::filesystem::remove(io::resolve_link(directory_ / name), ignored);
  }
}

}  // namespace tessera::shot

// SPDX-License-Identifier: Apache-2.0
// What lies in a shot's directory under names that shots use and this one does not: an earlier
// shot's, or somebody else's.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::shot {

/// The files gather.csv, gather.sgy, snapshots.h5 and snapshots.xdmf that lie in a directory before
/// a shot, but for those that it writes itself. An earlier shot's are those that shot.json there
/// lists, of as many bytes as it says.
class EarlierFiles {
 public:
  EarlierFiles() = default;
  /// Looks at the directory, which need not be there; `wanted` are the names that the shot writes.
  /// A shot.json that cannot be read lists nothing.
  EarlierFiles(const std::filesystem::path& directory, const std::vector<std::string>& wanted);

  /// Names of those that no shot has left, which are never touched.
  [[nodiscard]] const std::vector<std::string>& foreign() const { return foreign_; }
  /// Bytes by name of those that an earlier shot left: `earlier_file_bytes` of the shot.json of a
  /// shot that ended early, so that the next one knows them.
  [[nodiscard]] const nlohmann::json& left() const { return left_; }
  /// Removes them, where links lead too: they would pass for those of the shot that is now
  /// complete.
  void remove() const;

 private:
  std::filesystem::path directory_;
  nlohmann::json left_ = nlohmann::json::object();
  std::vector<std::string> foreign_;
};

}  // namespace tessera::shot

// SPDX-License-Identifier: Apache-2.0
// Reads the files that a comparison is made of, each into points of a platform.
#pragma once

#include "program/compare/collection.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::compare {

/// What bounds a platform, from its machine file; zeros where it is not known.
struct Roofs {
  double gb_per_s = 0;
  double float_gflop_per_s = 0, double_gflop_per_s = 0;

  /// The point's rate over the lower roof at its least traffic: by the bytes alone where nobody
  /// tells its operations. None where a pass makes several steps: its bound is another.
  [[nodiscard]] std::optional<double> share(const Point& point) const;
};

class Reader {
 public:
  explicit Reader(FindMachine find_machine) : find_machine_(std::move(find_machine)) {}

  /// Adds a file's rows; false, and nothing added, where it is of another kind. `name` is the
  /// platform's, empty: the file's own. Throws Error where a file of a known kind is broken.
  bool read(const std::filesystem::path& path, const std::string& name);

  Collection collection;
  std::vector<Roofs> roofs;  ///< of each platform; of measured ones zeros: their rows know better

 private:
  void add_results(const std::filesystem::path& path, const std::string& name);
  void add_predictions(const std::filesystem::path& path, const nlohmann::json& file,
                       const std::string& name);
  bool add_published(const std::filesystem::path& path);
  std::size_t platform(const Platform& wanted, const std::string& file,
                       const std::string& revision);

  FindMachine find_machine_;
};

}  // namespace tessera::compare

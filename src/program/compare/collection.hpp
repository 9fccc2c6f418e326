// SPDX-License-Identifier: Apache-2.0
// The rows of several result files, published tables and predictions, sorted by platform: what
// `tessera compare` works on. A platform is a machine with a build, as whoever ran it saw it.
#pragma once

#include "program/results/machine_file.hpp"
#include "program/results/published.hpp"
#include "program/results/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::compare {

/// Where a platform's figures come from. They are never mixed unless asked for.
enum class Origin { measured, published, predicted };

/// "measured", "published" or "predicted".
[[nodiscard]] std::string to_string(Origin origin);

struct Platform {
  std::string name;    ///< as in the file, or given: "nvidia-h100-80gb-hbm3"
  std::string device;  ///< the vendor's name
  std::string kind;    ///< "cpu", "gpu"; empty where no file tells
  Origin origin = Origin::measured;
  std::vector<std::string> files;
  std::vector<std::string> revisions;  ///< of the code that was measured; short, each once
  std::string identity;                ///< what two machines of one name differ in
};

/// What a row computed, but for where and how.
struct Problem {
  std::string family, stencil, decomposition, precision;
  std::string model = {};    ///< kind of model, where one stencil has several
  std::string details = {};  ///< what else tells cases apart: "pml_cells=27"; empty: unknown

  friend auto operator<=>(const Problem&, const Problem&) = default;
  /// "acoustic/iso25 single float"
  [[nodiscard]] std::string text() const;
};

/// The size of a run. Zeros: the source does not tell.
struct Size {
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 0;

  friend auto operator<=>(const Size&, const Size&) = default;
  [[nodiscard]] bool same_grid(const Size& other) const {
    return nx == other.nx && ny == other.ny && nz == other.nz;
  }
  /// "1000 x 1000 x 1000", or "unknown grid".
  [[nodiscard]] std::string grid_text() const;
};

/// One configuration on one platform.
struct Point {
  Problem problem;
  Size size;
  std::string variant, configuration;
  std::size_t platform = 0;
  results::Status status = results::Status::valid;
  std::string reason;                                   ///< why it is not valid
  std::optional<double> gcell_per_s;                    ///< median; absent unless valid
  std::optional<double> share_of_bound;                 ///< architectural efficiency
  std::optional<double> flop_per_byte, bytes_per_cell;  ///< least traffic, where the source tells
  int steps_a_pass = 1;                                 ///< of published rows alone
  std::optional<double> cells_per_joule;                ///< where the machine told its energy
  std::string revision, date, file;
  bool noisy = false;
  bool of_tune = false;  ///< a row of `tessera tune`: few steps, no bound

  /// "acoustic/gmem:8x8x8"
  [[nodiscard]] std::string full_name() const { return variant + ":" + configuration; }
};

struct Collection {
  std::vector<Platform> platforms;
  std::vector<Point> points;
  std::vector<std::string> remarks;  ///< one line each, for the reader
};

/// Finds a machine file by the name that a published column gives.
using FindMachine = std::function<std::optional<machine::Machine>(const std::string& name)>;

/// The files of a folder that may hold rows (.json, .toml; no part of a run that was killed), by
/// name.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

/// Whether a result file is of `tessera tune`: no streams and no roofs were measured with it.
[[nodiscard]] bool is_of_tune(const results::ResultFile& file);

/// An input without the platform's name before it: "a=b/x.json" is "b/x.json" called "a", unless
/// there is a file or folder of the whole name.
struct NamedInput {
  std::string name;  ///< empty: none was given
  std::filesystem::path path;
};

/// Throws Error where an = has no name before it.
[[nodiscard]] NamedInput split_input(const std::string& input);

/// Reads inputs: result files, published tables, files of `tessera predict -o`, and folders of
/// these, whose other files are passed over. "NAME=PATH" gives the platform of measured rows a
/// name. Of rows that a platform has twice the newest counts, those of `tune` only where `run` has
/// none, and a remark says so. Throws Error
/// where an input is missing, truncated or has another schema, where a folder holds none, and where
/// two machines have one name.
[[nodiscard]] Collection collect(const std::vector<std::string>& inputs,
                                 const FindMachine& find_machine);

}  // namespace tessera::compare

// SPDX-License-Identifier: Apache-2.0
// Where input files are looked for: the same places from any directory and when installed. Output
// files are written where they are named and never come here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A kind of input file. With an extension a file of the kind can be named without folder and
/// extension: "H100" is machines/H100.json.
struct InputKind {
  std::string_view what;       ///< the word for messages
  std::string_view folder;     ///< where the project's own are, below inputs/
  std::string_view extension;  ///< of the project's own; empty: no names without one
};

inline constexpr InputKind kDeckFile{"deck", "", ".toml"};
inline constexpr InputKind kSuiteFile{"suite", "", ".toml"};
inline constexpr InputKind kMachineFile{"machine file", "machines", ".json"};
inline constexpr InputKind kPublishedTable{"published table", "published", ".toml"};
inline constexpr InputKind kKernelResources{"table of kernel resources", "", ""};
inline constexpr InputKind kResultFile{"result file", "", ""};
inline constexpr InputKind kInputFile{"file", "", ""};

/// Who names an input.
struct InputName {
  std::filesystem::path deck_folder =
      {};                  ///< of the deck that is read; empty: the working directory
  bool in_deck = false;    ///< the deck itself names it, not the command line
  std::string where = {};  ///< key and line, for messages
};

/// The project's data: $TESSERA_DATA, share/tessera beside the program's bin, the source tree. Each
/// is there and holds inputs/, except for the first, which is taken as it is given.
[[nodiscard]] std::vector<std::filesystem::path> data_directories();

/// The file that `name` means, the first that is there: in the working directory, in the deck's
/// folder (which comes first for what the deck names), in the data directories; in each also below
/// inputs/ and in the kind's own folder. Throws Error that names the places.
[[nodiscard]] std::filesystem::path find_input(const InputKind& kind,
                                               const std::filesystem::path& name,
                                               const InputName& by = {});

}  // namespace tessera

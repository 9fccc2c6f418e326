// SPDX-License-Identifier: Apache-2.0
// Where a run writes its results, and which file an interrupted one left.
#pragma once

#include "io/deck.hpp"

#include <filesystem>
#include <string>

namespace tessera {

/// The files of a run.
struct OutputFiles {
  std::filesystem::path json;
  std::filesystem::path csv;  ///< empty: not wanted
};

/// Letters, digits, '.' and '_' of `text` in lower case, all else as single dashes. Throws Error,
/// which begins with `where`, if nothing is left of it, or no name of a file: "." and "..", or more
/// than 200 characters.
[[nodiscard]] std::string file_name_of(const std::string& text, const std::string& where);

/// The files by the option, else by the deck's output.json and output.csv, else
/// out/DECK-PLATFORM-DATE.json, which no later run overwrites. `date` as utc_now() gives it.
[[nodiscard]] OutputFiles output_files(const io::Deck& deck, const std::string& option,
                                       const std::string& platform, const std::string& date);

/// The file that --resume goes on with: what a killed run left beside `json`, else `json` itself.
/// Where nobody named a file (`named` is false), the newest of the same deck and platform in its
/// folder. Empty where there is none.
[[nodiscard]] std::filesystem::path file_to_resume(const std::filesystem::path& json, bool named);

}  // namespace tessera

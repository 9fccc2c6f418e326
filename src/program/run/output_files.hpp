// SPDX-License-Identifier: Apache-2.0
// Where a run writes its results, and which file an interrupted one left.
#pragma once

#include "base/io/deck.hpp"

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
/// out/DECK-PLATFORM-DATE.json, which no later run overwrites. `date` as utc_now() gives it. The
/// table is called after the JSON file: x.csv of x.json, x.1.csv of x.1.
[[nodiscard]] OutputFiles output_files(const io::Deck& deck, const std::string& option,
                                       const std::string& platform, const std::string& date);

/// The result file that --resume goes on with: `json` where it is there or a killed run left
/// something beside it (io::part_path). Where no file was named (`named` is false), the newest
/// such of the same deck and platform in its folder. Empty where there is none.
[[nodiscard]] std::filesystem::path output_to_resume(const std::filesystem::path& json, bool named);

/// The table beside a result file.
[[nodiscard]] std::filesystem::path table_beside(const std::filesystem::path& json);

}  // namespace tessera

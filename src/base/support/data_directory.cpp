// SPDX-License-Identifier: Apache-2.0
#include "base/support/data_directory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "base/support/build_info.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/text.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// A folder to look in, and its name in messages.
struct Place {
  fs::path folder;
  std::string text;
  bool whole = true;  ///< a tree with inputs/ in it, not a deck's folder
};

bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  // What may not be looked at is for the reader to complain about.
  return type != fs::file_type::not_found && type != fs::file_type::directory;
}

std::vector<Place> places_of(const InputName& by) {
  std::vector<Place> places = {{"", "the working directory"}};
  if (!by.deck_folder.empty()) {
    places.insert(by.in_deck ? places.begin() : places.end(),
                  Place{by.deck_folder, by.deck_folder.string(), false});
  }
  for (const fs::path& data : data_directories()) places.push_back({data, data.string()});
  return places;
}

/// The folders of a place.
std::vector<fs::path> folders_of(const Place& place) {
  if (!place.whole) return {place.folder};
  return {place.folder, place.folder / "inputs"};
}

std::optional<fs::path> find_in(const fs::path& folder, const InputKind& kind,
                                const fs::path& name) {
  std::vector<fs::path> candidates = {folder / name, folder / kind.folder / name};
  if (!kind.extension.empty()) {
    candidates.push_back(candidates.back());
    candidates.back() += kind.extension;
  }
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_there);
  return found == candidates.end() ? std::nullopt : std::optional(*found);
}

/// The project's own files of a kind, by name.
std::vector<std::string> known_names(const InputKind& kind, const std::vector<Place>& places) {
  std::vector<std::string> names;
  if (kind.extension.empty()) return names;
  for (const Place& place : places) {
    for (const fs::path& folder : folders_of(place)) {
      std::error_code ignored;
      for (const auto& entry : fs::directory_iterator(folder / kind.folder, ignored)) {
        const fs::path& path = entry.path();
        if (path.extension() == kind.extension) names.push_back(path.stem().string());
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

[[noreturn]] void fail_to_find(const InputKind& kind, const fs::path& name, const InputName& by,
                               const std::vector<Place>& places) {
  std::string text = by.where.empty() ? "" : by.where + ": ";
  text += fmt::format("{} {}: {}", kind.what, name.empty() ? "\"\"" : name.string(),
                      is_folder(name) ? "it is a directory" : "no such file");
  if (name.is_absolute()) throw Error(text);
  std::vector<std::string> texts;
  for (const Place& place : places) texts.push_back(place.text);
  text += fmt::format("; looked in {}", fmt::join(texts, ", "));
  constexpr std::size_t kFew = 12;
  const std::vector<std::string> known = known_names(kind, places);
  if (!known.empty() && known.size() <= kFew) {
    text += fmt::format("; there are {}", fmt::join(known, ", "));
  } else if (!known.empty()) {
    text += fmt::format("; the nearest name is {}", nearest_name(name.stem().string(), known));
  }
  throw Error(text);
}

}  // namespace

std::vector<fs::path> data_directories() {
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (!error) found.push_back((bin / build_info().installed_data).lexically_normal());
  found.emplace_back(build_info().source_tree);
  std::erase_if(found, [](const fs::path& folder) { return !is_folder(folder / "inputs"); });
  if (const char* named = std::getenv("TESSERA_DATA"); named != nullptr && *named != '\0') {
    found.insert(found.begin(), named);
  }
  return found;
}

fs::path find_input(const InputKind& kind, const fs::path& name, const InputName& by) {
  if (name.is_absolute() && is_there(name)) return name;
  const std::vector<Place> places = places_of(by);
  if (!name.empty() && !name.is_absolute()) {
    for (const Place& place : places) {
      for (const fs::path& folder : folders_of(place)) {
        if (auto found = find_in(folder, kind, name)) return *std::move(found);
      }
    }
  }
  fail_to_find(kind, name, by, places);
}

}  // namespace tessera

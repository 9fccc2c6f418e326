// SPDX-License-Identifier: Apache-2.0
#include "program/run/output_files.hpp"

#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"

#include <algorithm>
#include <cctype>

namespace tessera {

namespace fs = std::filesystem;

namespace {

/// "20260131-235959" of "2026-01-31T23:59:59Z".
std::string compact(const std::string& date) {
  std::string out;
  for (const char c : date) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) out += c;
    if (c == 'T') out += '-';
  }
  return out;
}

/// Characters of compact()'s result.
constexpr std::size_t kDateLength = 15;

}  // namespace

std::string file_name_of(const std::string& text, const std::string& where) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '.' || c == '_') {
      out += static_cast<char>(std::tolower(u));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  require(out.find_first_not_of('.') != std::string::npos,
          "{} = \"{}\" leaves no name for a file: letters a to z and digits are required", where,
          text);
  // With what is put before and behind it, a name of a file has 255 bytes at the most.
  constexpr std::size_t kLongest = 200;
  require(out.size() <= kLongest, "{} = \"{}...\" has {} characters: {} are the most", where,
          out.substr(0, 20), out.size(), kLongest);
  return out;
}

OutputFiles output_files(const io::Deck& deck, const std::string& option,
                         const std::string& platform, const std::string& date) {
  OutputFiles out;
  const std::string stem = fs::path(deck.name()).stem().string();
  std::string usual;
  if (option.empty() && !deck.contains("output.json")) {
    usual = "out/" + stem + "-" + file_name_of(platform, "the platform's name") + "-" +
            compact(date) + ".json";
  }
  out.json = deck.get<std::string>("output.json", usual);
  const std::string of_deck = deck.get<std::string>("output.csv", table_beside(out.json).string());
  // The deck's table belongs to the deck's result: another one gets its own.
  const bool wants_table = !deck.contains("output.csv") || !of_deck.empty();
  out.csv = of_deck;
  if (!option.empty()) {
    out.json = option;
    out.csv = wants_table ? table_beside(option) : fs::path();
  }
  // Beside a terminal or /dev/null nothing is written.
  if (path_exists(out.json) && !is_plain_file(out.json) && !deck.contains("output.csv")) {
    out.csv.clear();
  }
  return out;
}

fs::path table_beside(const fs::path& json) {
  if (json.extension() == ".json") return fs::path(json).replace_extension(".csv");
  // Of a file that is a table by its name there is no other: claiming both refuses it.
  return json.empty() || json.extension() == ".csv" ? json : fs::path(json.string() + ".csv");
}

fs::path output_to_resume(const fs::path& json, bool named) {
  if (named) {
    const bool there = is_plain_file(json) || is_plain_file(io::part_path(json));
    return there ? json : fs::path();
  }
  const std::string stem = json.stem().string();
  const std::string same = stem.substr(0, stem.size() - std::min(stem.size(), kDateLength));
  std::string newest;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(json.parent_path(), none)) {
    std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json" || !is_plain_file(entry.path())) continue;
    if (name.ends_with(".part")) name.resize(name.size() - 5);
    if (name.size() == stem.size() && name.starts_with(same)) newest = std::max(newest, name);
  }
  return newest.empty() ? fs::path() : json.parent_path() / (newest + ".json");
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Small helpers for names that users type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// `text` without blanks and tabs at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// `text`, or where it has more than `width` columns (of one byte each) its first words and " ...";
/// where not one word fits, as much of it as does.
[[nodiscard]] inline std::string first_words(std::string_view text, std::size_t width) {
  constexpr std::string_view kMore = " ...";
  if (text.size() <= width) return std::string(text);
  const std::size_t blank =
      width < kMore.size() ? std::string_view::npos : text.rfind(' ', width - kMore.size());
  const std::string_view words = trimmed(text.substr(0, blank));
  if (blank == std::string_view::npos || words.empty()) return std::string(text.substr(0, width));
  return std::string(words) + std::string(kMore);
}

/// Levenshtein distance of two names.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// The name among `names` nearest to `wanted`; empty where there are none.
[[nodiscard]] inline std::string nearest_name(std::string_view wanted,
                                              const std::vector<std::string>& names) {
  const auto nearest =
      std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return edit_distance(wanted, a) < edit_distance(wanted, b);
      });
  return nearest == names.end() ? std::string() : *nearest;
}

/// True if `text` matches the glob `pattern` ('*' any run, '?' one character).
[[nodiscard]] inline bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // last '*' seen, and where its run began
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "base/io/deck_keys.hpp"

#include "base/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace tessera::io {
namespace {

std::string without_indices(std::string_view key) {
  std::string result;
  bool inside = false;
  for (const char c : key) {
    if (c == ']') inside = false;
    if (!inside) result += c;
    if (c == '[') inside = true;
  }
  return result;
}

}  // namespace

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> segments;
  for (;;) {
    const auto dot = key.find('.');
    segments.emplace_back(trimmed(key.substr(0, dot)));
    if (dot == std::string_view::npos) return segments;
    key.remove_prefix(dot + 1);
  }
}

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> cost((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      int& best = cost[i * width + j];
      if (i == 0 || j == 0) {
        best = static_cast<int>(i + j);
        continue;
      }
      best = std::min({cost[(i - 1) * width + j] + 1, cost[i * width + j - 1] + 1,
                       cost[(i - 1) * width + j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, cost[(i - 2) * width + j - 2] + 1);
    }
  }
  return cost.back();
}

std::string nearest_name(std::string_view name, const std::set<std::string>& candidates) {
  std::string nearest;
  // Beyond a third of the name a suggestion would be a guess.
  int smallest = std::max(2, static_cast<int>(name.size()) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

void KnownKeys::add(std::string_view key) { keys_.insert(without_indices(key)); }
void KnownKeys::allow(std::string_view key) { allowed_.insert(without_indices(key)); }

bool KnownKeys::has(std::string_view key) const { return keys_.count(without_indices(key)) > 0; }

bool KnownKeys::is_allowed(std::string_view key) const {
  return allowed_.count(without_indices(key)) > 0;
}

bool KnownKeys::has_table(std::string_view key) const {
  const std::string table = without_indices(key);
  if (keys_.count(table) > 0) return true;
  const auto next = keys_.lower_bound(table + ".");
  return next != keys_.end() && next->compare(0, table.size() + 1, table + ".") == 0;
}

std::string KnownKeys::suggest(std::string_view key, std::string_view table) const {
  const std::string prefix = table.empty() ? "" : without_indices(table) + ".";
  std::set<std::string> siblings;  // Names that may stand in this table.
  std::set<std::string> everything;
  const auto collect = [&](const std::string& known) {
    everything.insert(known);
    if (known.compare(0, prefix.size(), prefix) != 0) return;
    const std::string rest = known.substr(prefix.size());
    siblings.insert(rest.substr(0, rest.find_first_of(".[")));
  };
  for (const std::string& known : keys_) collect(known);
  for (const std::string& known : allowed_) collect(known);
  const std::string wanted = without_indices(key);
  const std::string name = nearest_name(wanted.substr(prefix.size()), siblings);
  if (!name.empty()) return fmt::format("did you mean {}{}?", prefix, name);
  // A key in the wrong table: the same last word elsewhere.
  const std::string last = wanted.substr(wanted.rfind('.') + 1);
  for (const std::string& known : everything)
    if (known.substr(known.rfind('.') + 1) == last) return fmt::format("did you mean {}?", known);
  std::string list;
  for (const std::string& sibling : siblings) list += (list.empty() ? "" : ", ") + sibling;
  return list.empty() ? "no key is known here" : "known here: " + list;
}

}  // namespace tessera::io

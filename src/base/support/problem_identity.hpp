// SPDX-License-Identifier: Apache-2.0
// Further parameters that identify a problem: Case::details.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

/// "key=value key=value", in the order in which they were added.
class ProblemIdentity {
 public:
  /// Always there.
  template <class Value>
  ProblemIdentity& add(const char* key, const Value& value) {
    return word(fmt::format("{}={}", key, value));
  }
  /// Left out where it is the usual one, so that usual cases keep their text.
  template <class Value>
  ProblemIdentity& add_unless(const Value& usual, const char* key, const Value& value) {
    return value == usual ? *this : add(key, value);
  }
  /// Of each axis; one number where all are alike.
  template <class Value, std::size_t N>
  ProblemIdentity& add(const char* key, const std::array<Value, N>& values) {
    std::string text = fmt::format("{}", values[0]);
    bool alike = true;
    for (std::size_t i = 1; i < N; ++i) alike = alike && values[i] == values[0];
    for (std::size_t i = 1; i < N && !alike; ++i) text += fmt::format("x{}", values[i]);
    return add(key, text);
  }
  /// A word as it is; empty: none.
  ProblemIdentity& word(const std::string& text) {
    if (text.empty()) return *this;
    text_ += (text_.empty() ? "" : " ") + text;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// What stands after `key=` in such a text; empty where no word has the key.
[[nodiscard]] inline std::string_view value_in(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return word.substr(key.size() + 1);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return {};
}

}  // namespace tessera

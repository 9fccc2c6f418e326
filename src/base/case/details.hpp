// SPDX-License-Identifier: Apache-2.0
// The words that tell one case from another of its stencil and size: Case::details.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <string>

namespace tessera {

/// "key=value key=value", in the order in which they were added.
class Details {
 public:
  /// Always there.
  template <class Value>
  Details& add(const char* key, const Value& value) {
    return word(fmt::format("{}={}", key, value));
  }
  /// Left out where it is the usual one, so that usual cases keep their text.
  template <class Value>
  Details& add_unless(const Value& usual, const char* key, const Value& value) {
    return value == usual ? *this : add(key, value);
  }
  /// Of each axis; one number where all are alike.
  template <class Value, std::size_t N>
  Details& add(const char* key, const std::array<Value, N>& values) {
    std::string text = fmt::format("{}", values[0]);
    bool alike = true;
    for (std::size_t i = 1; i < N; ++i) alike = alike && values[i] == values[0];
    for (std::size_t i = 1; i < N && !alike; ++i) text += fmt::format("x{}", values[i]);
    return add(key, text);
  }
  /// A word as it is; an empty one is none.
  Details& word(const std::string& text) {
    if (text.empty()) return *this;
    text_ += (text_.empty() ? "" : " ") + text;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tessera

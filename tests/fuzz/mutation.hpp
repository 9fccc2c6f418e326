// SPDX-License-Identifier: Apache-2.0
// Changes of inputs that readers must survive: bytes, numbers, cuts.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <random>
#include <string>

namespace tessera::test {

/// Makes one changed copy after another of an input; the same seed makes the same ones.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// A copy with one to four changes.
  [[nodiscard]] std::string operator()(std::string text) {
    for (std::size_t i = 0, count = 1 + below(4); i < count; ++i) change(text);
    return text;
  }
  /// A number below `limit`, which must not be 0.
  [[nodiscard]] std::size_t below(std::size_t limit) { return random_() % limit; }
  /// One of a list.
  template <class List>
  [[nodiscard]] auto of(const List& list) {
    return list[below(list.size())];
  }

 private:
  void change(std::string& text) {
    if (text.empty()) {
      text = std::string(1 + below(8), static_cast<char>(below(256)));
      return;
    }
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(text.size() - at, 1 + below(40));
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(below(text.size()), of(kWords));
        break;
      case 5:
        replace_number(text, at);
        break;
      default:
        text[at] = static_cast<char>(text[at] ^ (1U << below(8)));
    }
  }

  // The number at or after a place becomes another.
  void replace_number(std::string& text, std::size_t at) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto begin =
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), digit);
    const auto end = std::find_if_not(begin, text.end(), digit);
    text.replace(begin, end, of(kNumbers));
  }

  static constexpr std::array kWords = {
      "nan",  "inf",   "-inf", "1e400", "[[",       "]]",         "{}",       "\"\"", "null",
      "true", "case.", "=",    "\n",    "\t",       "9999999999", "-1",       "0x10", "[model]",
      "#",    ",",     "\\",   "\\u",   "\xe4\xc3", "'''",        "[source]", "e",    "-"};
  static constexpr std::array kNumbers = {"0",     "-1",     "2147483648", "9223372036854775808",
                                          "1e308", "1e-320", "1e400",      "0.5",
                                          "nan"};  // of the ends of what types hold
  std::mt19937_64 random_;
};

}  // namespace tessera::test

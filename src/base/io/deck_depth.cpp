// SPDX-License-Identifier: Apache-2.0
#include "base/io/deck_depth.hpp"

#include "base/support/error.hpp"

#include <algorithm>

namespace tessera::io {
namespace {

/// Walks TOML without building anything.
class Scan {
 public:
  Scan(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void whole() {
    while (at_ < text_.size()) step();
    end_key();
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return skip_string(c);
    if (c == '#') return skip_comment();
    ++at_;
    if (c == '.') ++dots_;
    if (c == '\n' || c == '=' || c == ',') end_key();
    if (c == '[' || c == '{') open();
    if (c == ']' || c == '}') close();
    if (c == '\n') ++line_;
  }

  void end_key() {
    require(dots_ < kMostParts, "{}:{}: a key of {} parts: {} are the most", name_, line_,
            dots_ + 1, kMostParts);
    dots_ = 0;
  }

  void open() {
    end_key();
    ++depth_;
    require(depth_ <= kMostParts, "{}:{}: values nested deeper than {} levels: no deck needs them",
            name_, line_, kMostParts);
  }

  void close() {
    end_key();
    depth_ -= std::min<std::size_t>(depth_, 1);
  }

  /// To the end of the line, which stays.
  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool long_one = text_.substr(at_, 3) == three;
    at_ += long_one ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !long_one) return;  // not closed: the parser says so
      if (c == '\n') ++line_;
      if (long_one ? text_.substr(at_, 3) == three : c == quote) break;
      at_ += c == '\\' && quote == '"' && text_.substr(at_ + 1, 1) != "\n" ? 2 : 1;
    }
    at_ = std::min(at_ + (long_one ? 3 : 1), text_.size());
    // A long string may end in two quotes of its own.
    for (int own = 0; long_one && own < 2 && text_.substr(at_, 1) == three.substr(0, 1); ++own) {
      ++at_;
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, line_ = 1;
  std::size_t dots_ = 0;   // of the key that is walked along
  std::size_t depth_ = 0;  // brackets that are open
};

}  // namespace

void require_shallow(std::string_view text, const std::string& name) { Scan(text, name).whole(); }

}  // namespace tessera::io

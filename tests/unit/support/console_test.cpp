// SPDX-License-Identifier: Apache-2.0
// What messages show of text that may hold anything.
#include <gtest/gtest.h>

#include "base/support/console.hpp"

namespace tessera {
namespace {

TEST(Shown, IsOneLineOfCharacters) {
  EXPECT_EQ(shown("a deck: 3 µm, 7 €, 𝄞"), "a deck: 3 µm, 7 €, 𝄞");
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("a\nb\tc\x1b[31m\r\x7f"), "a\\nb\\tc\\x1b[31m\\r\\x7f");
  EXPECT_EQ(shown("Pr\xe4zision"), "Pr\\xe4zision");
  EXPECT_EQ(shown("\xc3"), "\\xc3");           // cut short
  EXPECT_EQ(shown("\xc0\xaf"), "\\xc0\\xaf");  // too long a form of '/'
  EXPECT_EQ(shown("\x80"), "\\x80");
}

TEST(Shown, LeavesOutTheMiddleOfWhatIsLong) {
  const std::string out = shown("begin " + std::string(70000, 'x') + " end");
  EXPECT_LT(out.size(), 300U);
  EXPECT_TRUE(out.starts_with("begin xxx") && out.ends_with("x end"));
  // Never half a character.
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "€";
  for (int shift = 0; shift < 3; ++shift) {
    const std::string cut = shown(std::string(static_cast<std::size_t>(shift), 'a') + wide);
    EXPECT_EQ(shown(cut), cut);
    EXPECT_EQ(cut.find('\\'), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera

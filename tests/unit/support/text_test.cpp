// SPDX-License-Identifier: Apache-2.0
#include "base/support/text.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(FirstWords, AreCutAtABlank) {
  const std::string text = "one launch, of many words";
  EXPECT_EQ(first_words(text, text.size()), text);
  EXPECT_EQ(first_words(text, text.size() - 1), "one launch, of many ...");
  EXPECT_EQ(first_words(text, 15), "one launch, ...");
  EXPECT_EQ(first_words(text, 14), "one ...");
  EXPECT_EQ(first_words("name          9  text", 19), "name          9 ...");
  EXPECT_EQ(first_words(text, 2), "on") << "no room for a word";
  EXPECT_EQ(first_words("oneword", 6), "onewor");
}

TEST(Glob, MatchesLikeAShell) {
  for (const auto& [pattern, text] : {std::pair("*", ""),
                                      {"*", "acoustic/gmem"},
                                      {"acoustic/*", "acoustic/gmem"},
                                      {"*/st_*:32x16", "acoustic/st_reg_fixed:32x16"},
                                      {"g?em", "gmem"},
                                      {"*a*b*c", "xxaxxbxxbc"},
                                      {"", ""}}) {
    EXPECT_TRUE(glob_match(pattern, text)) << pattern;
  }
  for (const auto& [pattern, text] : {std::pair("*a*b*c", "xxaxxbxxbd"),
                                      {"gmem", "gmem2"},
                                      {"gmem", "gme"},
                                      {"g?em", "gem"},
                                      {"", "a"},
                                      {"[a-z]mem", "gmem"}}) {  // only '*' and '?' are special
    EXPECT_FALSE(glob_match(pattern, text)) << pattern;
  }
}

}  // namespace
}  // namespace tessera

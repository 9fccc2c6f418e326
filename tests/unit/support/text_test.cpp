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
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("*", "acoustic/gmem"));
  EXPECT_TRUE(glob_match("acoustic/*", "acoustic/gmem"));
  EXPECT_TRUE(glob_match("*/st_*:32x16", "acoustic/st_reg_fixed:32x16"));
  EXPECT_TRUE(glob_match("g?em", "gmem"));
  EXPECT_TRUE(glob_match("*a*b*c", "xxaxxbxxbc"));
  EXPECT_FALSE(glob_match("*a*b*c", "xxaxxbxxbd"));
  EXPECT_FALSE(glob_match("gmem", "gmem2"));
  EXPECT_FALSE(glob_match("gmem", "gme"));
  EXPECT_FALSE(glob_match("g?em", "gem"));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("[a-z]mem", "gmem")) << "only '*' and '?' are special";
}

}  // namespace
}  // namespace tessera

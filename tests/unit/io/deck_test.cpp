// SPDX-License-Identifier: Apache-2.0
#include "base/io/deck.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fixtures/scratch_directory.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

constexpr const char* kText = R"(
[case]
nx = 100
h = 20
cfl = 0.8
name = "shot"
fast = true
tops = [0, 400.5]
[select]
variants = ["acoustic/*", "!naive"]
[[source]]
x = 1
[[source]]
x = 2
)";

TEST(Deck, ReadsEveryType) {
  const Deck deck = Deck::from_string(kText);
  EXPECT_EQ(deck.get<int>("case.nx"), 100);
  EXPECT_EQ(deck.get<std::int64_t>("case.nx"), 100);
  EXPECT_EQ(deck.get<double>("case.h"), 20.0);  // an integer where a number is wanted
  EXPECT_EQ(deck.get<std::string>("case.name"), "shot");
  EXPECT_TRUE(deck.get<bool>("case.fast"));
  EXPECT_EQ(deck.get<std::vector<double>>("case.tops"), (std::vector<double>{0, 400.5}));
  EXPECT_EQ(deck.get<std::vector<double>>("case.cfl"), (std::vector<double>{0.8}));
  EXPECT_EQ(deck.get<std::vector<std::string>>("select.variants").size(), 2U);
  EXPECT_EQ(deck.get("case.ny", 7), 7);
  EXPECT_EQ(deck.get("case.label", "none"), "none");
  EXPECT_TRUE(Deck::from_string("").tables("receivers").empty());
  EXPECT_EQ(Deck::from_string("[source]\nx = 1\n").tables("source").size(), 1U);
}

TEST(Deck, IntegersThatNoDoubleEqualsAreTheNearest) {
  const Deck deck = Deck::from_string(
      "a = 9007199254740993\nb = [1, -9007199254740995]\nc = 9223372036854775807\n");
  EXPECT_EQ(deck.get<double>("a"), 9007199254740992.0);
  EXPECT_EQ(deck.get<std::vector<double>>("b"), (std::vector<double>{1, -9007199254740996.0}));
  EXPECT_EQ(deck.get("c", 1.0), 9223372036854775808.0);
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<int>("a"); }), "is not between"));
}

TEST(Deck, WrongTypeNamesPlaceAndBothTypes) {
  const Deck deck = Deck::from_string(kText, "my.toml");
  EXPECT_EQ(error_of([&] { (void)deck.get<int>("case.name"); }),
            "my.toml:6: case.name is a string (\"shot\"): expected an integer");
  EXPECT_TRUE(has(error_of([&] { (void)deck.get("case.cfl", 1); }), "a number (0.8)"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get("case.nx", false); }), "expected true or false"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<double>("case"); }), "case is a table"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<std::vector<double>>("select.variants"); }),
                  "expected a list of numbers"));
  EXPECT_EQ(error_of([&] { (void)deck.get<int>("case.nz"); }),
            "my.toml: case.nz is missing: expected an integer");
}

TEST(Deck, ListsOfTablesAreNoTables) {
  const Deck deck = Deck::from_string("[[case]]\nnx = 3\n[a.b]\nc = 1\n[[a.d]]\n", "d.toml");
  const std::string wanted = "case is a list of tables: expected one: write [case]";
  EXPECT_EQ(error_of([&] { (void)deck.get("case.nx", 1); }), "d.toml:1: " + wanted);
  EXPECT_TRUE(has(error_of([&] { (void)deck.contains("case.ny"); }), wanted));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<int>("a.d.x"); }), "write [a.d]"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get("a.b.c.d", 1); }), "a.b.c is an integer (1)"));
  EXPECT_EQ(deck.get("a.b.c", 2), 1);
}

TEST(Deck, SyntaxErrorsAndMissingFiles) {
  const test::ScratchDirectory folder;
  EXPECT_TRUE(has(error_of([] { (void)Deck::from_string("a = 1\nb = = 2\n", "d"); }), "d:2:"));
  EXPECT_TRUE(has(error_of([] { (void)Deck::from_string("a = 1\na = 2\n", "d"); }), "d:2:"));
  EXPECT_TRUE(has(error_of([&] { (void)Deck::from_file(folder / "no.toml"); }), "No such file"));
  EXPECT_TRUE(has(error_of([&] { (void)Deck::from_file(folder.path()); }), "is a directory"));
  EXPECT_TRUE(has(error_of([] { (void)Deck::from_string("source = 3\n").tables("source"); }),
                  "[[source]]"));
}

TEST(Deck, Overrides) {
  Deck deck = Deck::from_string(kText);
  deck.set("case.nx=200");
  deck.set("case.name = two words");
  deck.set("select.variants=acoustic/st_*:32x16");
  deck.set("output.csv=true");
  deck.set("source[1].x=50.5");
  deck.set("case.tops=[0, 1, 2]");
  EXPECT_EQ(deck.get<int>("case.nx"), 200);
  EXPECT_EQ(deck.get<std::string>("case.name"), "two words");
  EXPECT_EQ(deck.get<std::vector<std::string>>("select.variants"),
            (std::vector<std::string>{"acoustic/st_*:32x16"}));
  EXPECT_TRUE(deck.get<bool>("output.csv"));
  EXPECT_EQ(deck.tables("source").at(1).get<double>("x"), 50.5);
  EXPECT_EQ(deck.get<std::vector<double>>("case.tops").size(), 3U);
  EXPECT_EQ(deck.to_json()["case"]["nx"], 200);
  deck.set("case.nx=abc");
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<int>("case.nx"); }),
                  "--set case.nx is a string (\"abc\"): expected an integer"));
}

TEST(Deck, OverridesRemoveKeysAndReplaceTables) {
  Deck deck = Deck::from_string(kText);
  deck.set("case.nx=");
  EXPECT_FALSE(deck.contains("case.nx"));
  deck.set("case={nx = 3, name = \"whole\"}");
  EXPECT_EQ(deck.to_json()["case"], (nlohmann::json{{"nx", 3}, {"name", "whole"}}));
  EXPECT_TRUE(deck.is_overridden("case.nx"));
  deck.set("source={x = 7.0}");
  EXPECT_EQ(deck.tables("source").size(), 1U);
  EXPECT_EQ(deck.tables("source").front().get<double>("x"), 7.0);
}

TEST(Deck, KeepsOnlyWhatWasSaidAnew) {
  Deck deck = Deck::from_string("[model]\nkind = \"layered\"\ntops = [0]\nv = [2000]\n");
  deck.set("model.kind=uniform");
  deck.set("model.v=1500");
  deck.keep_overrides("model");
  deck.keep_overrides("nowhere");
  EXPECT_EQ(deck.to_json()["model"], (nlohmann::json{{"kind", "uniform"}, {"v", 1500}}));
}

TEST(Deck, RefusesInfinitiesAndNoNumbers) {
  const Deck texts = Deck::from_string("name = \"a\\u0000b.json\"\nlist = [\"x\", \"y\\u0000\"]\n");
  EXPECT_TRUE(has(error_of([&] { (void)texts.get<std::string>("name"); }), "name holds a NUL"));
  EXPECT_TRUE(has(error_of([&] { (void)texts.get<std::vector<std::string>>("list"); }), "list"));
  const Deck deck = Deck::from_string("a = nan\nb = [1.0, -inf]\nc = inf\nd = 1.5\n");
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<double>("a"); }), "deck:1: a"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<std::vector<double>>("b"); }), "deck:2: b"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<double>("c"); }), "deck:3: c"));
  EXPECT_EQ(deck.get<double>("d"), 1.5);
  EXPECT_TRUE(has(error_of([] { (void)Deck::from_string("a = 1e400"); }), "1e400"));
}

TEST(Deck, BadOverrides) {
  Deck deck = Deck::from_string(kText);
  for (const char* bad : {"case.nx", "=3", "case.none=", "case..nx=1", "case=1", "case.nx.a=1",
                          "source[5].x=1", "source[-1].x=1", "source[x].x=1", "source[].x=1",
                          "case.tops[0]=1", "case.nx=[1", "case.name=\"a", "]=1", "a[=1"})
    EXPECT_TRUE(has(error_of([&] { deck.set(bad); }), "--set")) << bad;
  EXPECT_EQ(deck.get<int>("case.nx"), 100);
}

TEST(Deck, PathsAreRelativeToTheDeck) {
  const test::ScratchDirectory folder;
  test::write_text(folder / "d.toml", "[model]\nfile = 'v.f32'\n");
  Deck deck = Deck::from_file(folder / "d.toml");
  EXPECT_TRUE(
      has(error_of([&] { (void)deck.get_path("model.file"); }),
          "d.toml:2: model.file: file v.f32: no such file; looked in " + folder.path().string()));
  test::write_text(folder / "v.f32", "");
  EXPECT_EQ(deck.get_path("model.file"), folder / "v.f32");
  // So is what --set and other options name, where the working directory does not have it.
  test::write_text(folder / "w.f32", "");
  deck.set("model.file=w.f32");
  EXPECT_EQ(deck.get_path("model.file"), folder / "w.f32");
  EXPECT_EQ(deck.find_beside(kInputFile, "v.f32"), folder / "v.f32");
}

TEST(Deck, DepthIsBounded) {
  std::string key = "a";
  for (int i = 1; i < 300000; ++i) key += ".a";
  const auto refusal = [](const std::string& text) {
    return error_of([&] { (void)Deck::from_string(text, "d.toml"); });
  };
  EXPECT_TRUE(has(refusal("x = 1\n" + key + " = 1\n"), "d.toml:2: a key of more than"));
  EXPECT_TRUE(has(refusal("# a comment\n\n[" + key + "]\n"), "d.toml:3: "));
  EXPECT_TRUE(has(refusal("x = {y = 1, " + key + " = 1}\n"), "d.toml:1: "));
  EXPECT_TRUE(
      has(refusal("x = " + std::string(100000, '[') + std::string(100000, ']')), "d.toml:1:"));
  std::string list = "[";
  for (int i = 0; i < 2000; ++i) list += "1.5, ";
  EXPECT_EQ(refusal("a = " + list + "2.5]\n"), "");
  Deck deck = Deck::from_string("x = 1\n");
  EXPECT_TRUE(has(error_of([&] { deck.set(key + "=1"); }), "a key of more than"));
  EXPECT_TRUE(has(error_of([&] { deck.set("b={" + key + "=1}"); }), "a key of more than"));
}

TEST(Deck, ErrorsOfOverridesNameTheOption) {
  Deck deck = Deck::from_string("[case]\nnx = 1\n[[source]]\nx = 1\n");
  deck.set("source=[{x = \"far\"}]");
  deck.set("case={nx = 1, inner = {y = \"z\"}}");
  deck.set("list . of=[{a = true}]");
  const std::vector<Deck> sources = deck.tables("source");
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_TRUE(has(error_of([&] { (void)sources[0].get<double>("x"); }), "--set source[0].x is"));
  EXPECT_EQ(deck.where("case.inner.y"), "--set case.inner.y");
  EXPECT_EQ(deck.where("list.of"), "--set list.of");
}

}  // namespace
}  // namespace tessera::io

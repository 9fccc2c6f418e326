// SPDX-License-Identifier: Apache-2.0
#include "base/io/deck.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/io/deck_keys.hpp"
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
}

TEST(Deck, IntegersThatNoDoubleEqualsAreTheNearest) {
  const Deck deck = Deck::from_string(
      "a = 9007199254740993\nb = [1, -9007199254740995]\nc = 9223372036854775807\n");
  EXPECT_EQ(deck.get<double>("a"), 9007199254740992.0);
  EXPECT_EQ(deck.get<std::vector<double>>("b"), (std::vector<double>{1, -9007199254740996.0}));
  EXPECT_EQ(deck.get("c", 1.0), 9223372036854775808.0);
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<int>("a"); }), "is not between"));
}

TEST(Deck, RefusesTextsWithANul) {
  const Deck deck = Deck::from_string("name = \"a\\u0000b.json\"\nlist = [\"x\", \"y\\u0000\"]\n");
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<std::string>("name"); }), "name holds a NUL"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<std::vector<std::string>>("list"); }), "list"));
}

TEST(Deck, WrongTypeNamesPlaceAndBothTypes) {
  const Deck deck = Deck::from_string(kText, "my.toml");
  EXPECT_EQ(error_of([&] { (void)deck.get<int>("case.name"); }),
            "my.toml:6: case.name is a string (\"shot\"), expected an integer");
  EXPECT_TRUE(has(error_of([&] { (void)deck.get("case.cfl", 1); }), "a number (0.8)"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get("case.nx", false); }), "expected true or false"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<double>("case"); }), "case is a table"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<std::vector<double>>("select.variants"); }),
                  "expected a list of numbers"));
  EXPECT_EQ(error_of([&] { (void)deck.get<int>("case.nz"); }),
            "my.toml: case.nz is missing, expected an integer");
}

TEST(Deck, RefusesNamesInQuotesThatReadAsPaths) {
  const auto refusal = [](const std::string& text, const std::string& set = "") {
    return error_of([&] {
      Deck deck = Deck::from_string(text, "d.toml");
      if (!set.empty()) deck.set(set);
      (void)deck.get("case.nx", 1);
      (void)deck.get("output.csv", true);
      for (const Deck& source : deck.tables("source")) (void)source.get("x", 0.0);
      deck.allow("measure");
      deck.reject_unknown();
    });
  };
  EXPECT_EQ(refusal("[case]\n\"nx\" = 3\n"), "");
  for (const char* text : {"\"case.nx\" = 3\n", "[\"output.csv\"]\n", "[\"source[0]\"]\nx = 30.0\n",
                           "\"source[0].x\" = 3.0\n", "\"measure.seconds\" = 3\n", "\"\" = 1\n"}) {
    EXPECT_TRUE(has(refusal(text), "is one name in quotes")) << text;
    EXPECT_TRUE(has(refusal(text), "d.toml:1: ")) << text;
  }
  EXPECT_TRUE(has(refusal("[[source]]\n\"x.y\" = 1\n"), "d.toml:2: \"x.y\""));
  EXPECT_TRUE(has(refusal("\"nul\\u0000here\" = 1\n"), "nul\\x00here"));
  EXPECT_TRUE(has(refusal("", "case={\"n.x\" = 3}"), "--set: \"n.x\""));
}

TEST(Deck, ListsOfTablesAreNoTables) {
  const Deck deck = Deck::from_string("[[case]]\nnx = 3\n[a.b]\nc = 1\n[[a.d]]\n", "d.toml");
  const std::string wanted = "case is a list of tables, expected one: write [case]";
  EXPECT_EQ(error_of([&] { (void)deck.get("case.nx", 1); }), "d.toml:1: " + wanted);
  EXPECT_TRUE(has(error_of([&] { (void)deck.contains("case.ny"); }), wanted));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<int>("a.d.x"); }), "write [a.d]"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get("a.b.c.d", 1); }), "a.b.c is an integer (1)"));
  EXPECT_EQ(deck.get("a.b.c", 2), 1);
}

TEST(Deck, Ranges) {
  const Deck deck = Deck::from_string("a = 5\nb = nan\nc = 3000000000\n", "d");
  EXPECT_EQ(deck.get_in("a", 1, 5), 5);
  EXPECT_EQ(deck.get_in("z", 2, 1, 5), 2);
  EXPECT_EQ(error_of([&] { (void)deck.get_in("a", 1, 4); }), "d:1: a = 5 is not between 1 and 4");
  EXPECT_TRUE(has(error_of([&] { (void)deck.get_in("b", 0.0, 1.0); }), "an infinity or no number"));
  EXPECT_TRUE(has(error_of([&] { (void)deck.get<int>("c"); }), "c = 3000000000 is not between"));
  EXPECT_EQ(deck.get<std::int64_t>("c"), 3000000000);
  EXPECT_TRUE(has(error_of([&] {
                    (void)Deck::from_string("k = 'x'").get_choice("k", "a", {"a", "b"});
                  }),
                  "k = \"x\" is not one of a, b"));
}

TEST(Deck, SyntaxErrorsAndMissingFiles) {
  const test::ScratchDirectory folder;
  EXPECT_TRUE(has(error_of([] { (void)Deck::from_string("a = 1\nb = = 2\n", "d"); }), "d:2:"));
  EXPECT_TRUE(has(error_of([] { (void)Deck::from_string("a = 1\na = 2\n", "d"); }), "d:2:"));
  EXPECT_TRUE(has(error_of([&] { (void)Deck::from_file(folder / "no.toml"); }), "No such file"));
  EXPECT_TRUE(has(error_of([&] { (void)Deck::from_file(folder.path()); }), "is a directory"));
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
                  "--set case.nx is a string (\"abc\"), expected an integer"));
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

TEST(Deck, UnknownKeys) {
  Deck deck = Deck::from_string("[case]\nnx = 1\nstesp = 5\n", "d.toml");
  (void)deck.get("case.nx", 0);
  (void)deck.get("case.steps", 0);
  EXPECT_EQ(error_of([&] { deck.reject_unknown(); }),
            "d.toml:3: unknown key case.stesp, did you mean case.steps?");
  (void)deck.get("case.stesp", 0);
  EXPECT_EQ(error_of([&] { deck.reject_unknown(); }), "");
  deck.set("caes.nx=5");
  EXPECT_EQ(error_of([&] { deck.reject_unknown(); }),
            "--set unknown table caes, did you mean case?");
  deck.allow("caes");
  EXPECT_EQ(error_of([&] { deck.reject_unknown(); }), "");
}

TEST(Deck, UnknownKeysElsewhere) {
  const Deck deck = Deck::from_string("cfl = 1\n[acoustic]\nh = 2\n", "d");
  (void)deck.get("acoustic.h", 0.0);
  (void)deck.get("acoustic.cfl", 0.0);
  EXPECT_EQ(error_of([&] { deck.reject_unknown(); }),
            "d:1: unknown key cfl, did you mean acoustic.cfl?");
  const Deck value = Deck::from_string("acoustic = 5\n", "d");
  EXPECT_EQ(error_of([&] { (void)value.get("acoustic.h", 0.0); }),
            "d:1: acoustic is an integer (5), expected a table");
  const Deck contains = Deck::from_string("[model]\nkind = 1\n", "d");
  EXPECT_TRUE(contains.contains("model"));  // must not make all its keys known
  EXPECT_TRUE(has(error_of([&] { contains.reject_unknown(); }), "d:2: unknown key model.kind"));
}

TEST(Deck, TablesShareTheRecordOfKeys) {
  const Deck deck = Deck::from_string("[[source]]\nx = 1\n[[source]]\nx = 2\ny = 3\n", "d");
  EXPECT_TRUE(has(error_of([&] { deck.reject_unknown(); }), "unknown list of tables source"));
  for (const Deck& source : deck.tables("source")) (void)source.get<double>("x");
  EXPECT_EQ(error_of([&] { deck.reject_unknown(); }),
            "d:5: unknown key source[1].y, did you mean source[].x?");
  EXPECT_TRUE(deck.tables("receivers").empty());
  EXPECT_EQ(Deck::from_string("[source]\nx = 1\n").tables("source").size(), 1U);
  EXPECT_TRUE(has(error_of([] { (void)Deck::from_string("source = 3\n").tables("source"); }),
                  "expected one or more [[source]]"));
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
  const auto parts = [](std::size_t count) {
    std::string key = "a";
    for (std::size_t i = 1; i < count; ++i) key += i % 2 == 0 ? ".a" : " . \"b\"";
    return key;
  };
  const auto refusal = [](const std::string& text) {
    return error_of([&] { (void)Deck::from_string(text, "d.toml"); });
  };
  EXPECT_EQ(refusal(parts(64) + " = 1\n"), "");
  EXPECT_EQ(refusal("x = 1\n" + parts(20000) + " = 1\n"),
            "d.toml:2: a key of 20000 parts: 64 are the most");
  EXPECT_EQ(refusal("# a comment\n\n[" + parts(20000) + "]\n"),
            "d.toml:3: a key of 20000 parts: 64 are the most");
  EXPECT_EQ(refusal("[[" + parts(65) + "]]\n"), "d.toml:1: a key of 65 parts: 64 are the most");
  EXPECT_EQ(refusal("x = {y = 1, " + parts(65) + " = 1}\n"),
            "d.toml:1: a key of 65 parts: 64 are the most");
  EXPECT_TRUE(has(refusal("x = " + std::string(100, '[') + std::string(100, ']')), "d.toml:1: "));
  // Dots of texts, comments and numbers are no parts.
  const std::string dots(100, '.');
  EXPECT_EQ(refusal("a = \"\\\"" + dots + "\"\nb = '" + dots + "' # " + dots + "\nc = \"\"\"\n'" +
                    dots + "\n" + dots + "\"\"\"\"\nd = '''" + dots + "'''\n"),
            "");
  std::string list = "[";
  for (int i = 0; i < 100; ++i) list += "1.5, ";
  EXPECT_EQ(refusal("a = " + list + "2.5]\n"), "");
}

TEST(Deck, DepthOfOverridesIsBounded) {
  std::string key = "a";
  for (int i = 1; i < 30000; ++i) key += ".a";
  Deck deck = Deck::from_string("x = 1\n");
  EXPECT_TRUE(
      has(error_of([&] { deck.set(key + "=1"); }), "a key of 30000 parts: 64 are the most"));
  EXPECT_TRUE(has(error_of([&] { deck.set("b={" + key + "=1}"); }),
                  "--set b:1: a key of 30000 parts: 64 are the most"));
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

TEST(DeckKeys, EditDistance) {
  EXPECT_EQ(edit_distance("steps", "steps"), 0);
  EXPECT_EQ(edit_distance("stesp", "steps"), 1);
  EXPECT_EQ(edit_distance("step", "steps"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(nearest_name("cfll", {"h", "cfl"}), "cfl");
  EXPECT_EQ(nearest_name("wavelength", {"h", "cfl"}), "");
}

}  // namespace
}  // namespace tessera::io

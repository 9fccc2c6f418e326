// SPDX-License-Identifier: Apache-2.0
// Tables of keys: what they read, refuse, tell apart and print.
#include "base/keys/table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <string>

#include "fixtures/scratch_directory.hpp"

namespace tessera::keys {
namespace {

using test::error_of;
using test::has;

enum class Storage { field, index };

struct Physics {
  double cfl = 0.8;
  int cells = 27;
  bool surface = false;
  std::array<double, 3> h = {20, 20, 20};
  Storage storage = Storage::field;
  std::vector<std::string> parts = {"seven"};
  std::optional<double> late;
};

const KeyTable<Physics>& physics() {
  static const KeyTable<Physics> table(
      {.name = "wave", .meaning = "Waves", .readers = "run"},
      {key("cells", &Physics::cells, between(0, 100), "", "Of a layer").in_details(Detail::always),
       key("surface", &Physics::surface, any(), "", "On top").in_details(),
       key("cfl", &Physics::cfl, above(0, 1), "", "Of the limit").in_details().read_by("run tune"),
       key("h", &Physics::h, above(0), "m", "Spacing").in_details(),
       choice("storage", &Physics::storage, {{"field", Storage::field}, {"index", Storage::index}},
              "How"),
       key("parts", &Physics::parts, one_of({"two", "seven"}), "", "Regions"),
       key("late", &Physics::late, any(), "s", "When").usually("never")});
  return table;
}

const Form& form() {
  static const Form all{
      "deck",
      "A deck",
      "For a test",
      {{.name = "case",
        .keys = {key_of<std::string>("family", one_of({"wave", "heat"}), "", "What"),
                 key_of<std::int64_t>("nx", between(1, 1000), "", "Cells")},
        .is_required = true},
       physics().table(),
       {.name = "heat",
        .keys = {key_of<double>("k", any(), "", "Of heat")},
        .selector = "case.family",
        .only = "heat"},
       {.name = "source", .keys = {key_of<double>("x", any(), "m", "Place")}, .is_list = true},
       passed_over("shot", "shot")}};
  return all;
}

Physics read(const std::string& text) {
  Physics made;
  physics().read(io::Deck::from_string("[wave]\n" + text, "d"), made);
  return made;
}

std::string refusal(const std::string& text, const std::string& set = "") {
  return error_of([&] {
    io::Deck deck = io::Deck::from_string(text, "d");
    if (!set.empty()) deck.set(set);
    check_deck(deck, form(), "run");
  });
}

TEST(Keys, ReadMembersOfEveryKind) {
  const Physics p = read(
      "cfl = 1\ncells = 3\nsurface = true\nh = [1, 2, 3.5]\nstorage = 'index'\n"
      "parts = ['two', 'seven']\nlate = 2\n");
  EXPECT_EQ(p.cfl, 1);
  EXPECT_EQ(p.cells, 3);
  EXPECT_TRUE(p.surface);
  EXPECT_EQ(p.h, (std::array<double, 3>{1, 2, 3.5}));
  EXPECT_EQ(p.storage, Storage::index);
  EXPECT_EQ(p.parts.size(), 2U);
  EXPECT_EQ(p.late, 2);
  EXPECT_EQ(read("h = 4\n").h, (std::array<double, 3>{4, 4, 4}));
  EXPECT_EQ(read("").cells, 27);
}

TEST(Keys, RefuseValuesWithKeyAndLimit) {
  for (const auto& [text, part] : {std::pair("cfl = 0", "d:2: wave.cfl = 0 is not above 0"),
                                   {"cfl = 1.5", "at most 1"},
                                   {"cells = 101", "is not between 0 and 100"},
                                   {"cells = 3.0", "wave.cells is a number"},
                                   {"cells = [3]", "wave.cells is a list"},
                                   {"h = [1, 2]", "has 2 values"},
                                   {"h = [1, 2, -3]", "wave.h = -3"},
                                   {"h = nan", "wave.h"},
                                   {"parts = []", "empty list"},
                                   {"parts = ['one']", "not one of two, seven"},
                                   {"storage = 'feld'", "not one of field, index"}}) {
    EXPECT_TRUE(has(error_of([&] { (void)read(text + std::string("\n")); }), part)) << text;
  }
}

TEST(Keys, DetailsNameWhatIsNotAsUsual) {
  EXPECT_EQ(physics().details({}), "cells=27");
  Physics p;
  p.surface = true;
  p.cfl = 0.7;
  EXPECT_EQ(physics().details(p), "cells=27 surface cfl=0.7");
  p.h = {20, 20, 10};
  EXPECT_EQ(physics().details(p), "cells=27 surface cfl=0.7 h=20x20x10");
}

TEST(Forms, UnknownKeysAndTablesHaveTheNearestName) {
  EXPECT_EQ(refusal("[case]\nnx = 3\n[wave]\ncfl = 0.5\n[shot]\nwhatever = 1\n"), "");
  EXPECT_EQ(refusal("[wave]\ncfll = 1\n"), "d:2: unknown key wave.cfll, did you mean wave.cfl?");
  EXPECT_EQ(refusal("[waev]\n"), "d:1: unknown table waev, did you mean wave?");
  EXPECT_EQ(refusal("cfl = 1\n"), "d:1: unknown key cfl, did you mean wave.cfl?");
  EXPECT_TRUE(has(refusal("", "waev.cfl=1"), "--set unknown table waev"));
  for (const auto& [text, part] :
       {std::pair("[wave]\nqqqqqqqq = 1\n", "known here: cells, cfl, h, late"),
        {"[[source]]\nx = 1\n[[source]]\ny = 1\n", "d:4: unknown key source[1].y"},
        {"[[source]]\nx = 'a'\n", "source[0].x is a string"},
        {"wave = 5\n", "d:1: wave is 5"},
        {"[[wave]]\n", "write [wave]"},
        {"\"wave.cfl\" = 1\n", "name in quotes"},
        {"[wave]\n\"a.b\" = 1\n", "name in quotes"},
        {"[case]\nnx = 0\n", "case.nx = 0 is not between 1 and 1000"},
        {"[case]\nfamily = 'wave'\n[heat]\nk = 1\n", "[heat]"}}) {
    EXPECT_TRUE(has(refusal(text), part)) << text;
  }
  EXPECT_EQ(refusal("[case]\nfamily = 'heat'\n[heat]\nk = 1\n"), "");
}

TEST(Forms, SayWhatACommandIgnores) {
  const auto said = [](const std::string& command, const std::string& set) {
    io::Deck deck = io::Deck::from_string("[case]\nnx = 3\n[wave]\ncfl = 0.5\n", "d");
    deck.set(set);
    testing::internal::CaptureStderr();
    check_deck(deck, form(), command);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said("run", "wave.cfl=0.6"), "");
  EXPECT_EQ(said("tune", "wave.cfl=0.6"), "");
  EXPECT_TRUE(has(said("tune", "wave.cells=3"), "tessera tune ignores --set wave.cells"));
  EXPECT_TRUE(has(said("run", "shot.variant=x"), "tessera run ignores --set shot.variant"));
}

TEST(Schemas, HaveTheKeysOfAForm) {
  const nlohmann::ordered_json schema = schema_of(form());
  const auto& cfl = schema["properties"]["wave"]["properties"]["cfl"];
  EXPECT_EQ(cfl["type"], "number");
  EXPECT_EQ(cfl["default"], 0.8);
  EXPECT_EQ(cfl["exclusiveMinimum"], 0);
  EXPECT_EQ(cfl["maximum"], 1);
  EXPECT_EQ(schema["properties"]["wave"]["properties"]["h"]["anyOf"][1]["minItems"], 3);
  EXPECT_EQ(schema["properties"]["wave"]["properties"]["late"]["usual"], "never");
  EXPECT_EQ(schema["required"][0], "case");
  EXPECT_TRUE(schema["definitions"].contains("source"));
  EXPECT_EQ(nlohmann::ordered_json::parse(schema_text(schema)), schema);
}

}  // namespace
}  // namespace tessera::keys

// SPDX-License-Identifier: Apache-2.0
// Where inputs are looked for, and in which order.
#include "base/support/data_directory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fixtures/paths.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// A working directory, a deck's folder and a folder of data, all empty.
class FindInput : public testing::Test {
 protected:
  FindInput() : old_(fs::current_path()) {
    for (const char* name : {"here", "deck", "data"}) fs::create_directories(folder_ / name);
    fs::current_path(folder_ / "here");
    ::setenv("TESSERA_DATA", (folder_ / "data").c_str(), 1);
  }
  ~FindInput() override {
    fs::current_path(old_);
    ::unsetenv("TESSERA_DATA");
  }

  fs::path make(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    test::write_text(folder_ / name, "");
    return folder_ / name;
  }
  [[nodiscard]] InputName named_by(bool deck) const {
    return {.deck_folder = folder_ / "deck", .in_deck = deck, .where = {}};
  }
  /// The file that is found, whatever its path looks like.
  static fs::path found(const InputKind& kind, const std::string& name, const InputName& by = {}) {
    return fs::canonical(find_input(kind, name, by));
  }

  test::ScratchDirectory folder_;

 private:
  fs::path old_;
};

TEST_F(FindInput, TheNearestComesFirst) {
  for (const char* nearer : {"data/inputs/machines/m.json", "data/machines/m.json",
                             "deck/machines/m.json", "here/inputs/machines/m.json", "here/m"}) {
    const fs::path path = make(nearer);
    EXPECT_EQ(found(kMachineFile, "m", named_by(false)), path);
  }
}

TEST_F(FindInput, WhatADeckNamesIsBesideItFirst) {
  const fs::path here = make("here/t.toml");
  EXPECT_EQ(found(kPublishedTable, "t.toml", named_by(true)), here);
  const fs::path beside = make("deck/t.toml");
  EXPECT_EQ(found(kPublishedTable, "t.toml", named_by(true)), beside);
  EXPECT_EQ(found(kPublishedTable, "t.toml", named_by(false)), here);
}

TEST_F(FindInput, APathIsTakenAsItIs) {
  make("here/d.toml");
  EXPECT_EQ(find_input(kDeckFile, "d.toml"), "d.toml");
  EXPECT_EQ(find_input(kDeckFile, folder_ / "here/d.toml"), folder_ / "here/d.toml");
  // Not looked for elsewhere under an absolute path; a folder of that name is passed over.
  make("data/inputs/e.toml");
  const std::string message =
      test::error_of([&] { (void)find_input(kDeckFile, folder_ / "here/e.toml"); });
  EXPECT_EQ(message, "deck " + (folder_ / "here/e.toml").string() + ": no such file");
  fs::create_directories(folder_ / "here/e.toml");
  EXPECT_EQ(found(kDeckFile, "e.toml"), folder_ / "data/inputs/e.toml");
  // By its name alone only what has an extension.
  make("here/a.json");
  EXPECT_EQ(find_input(kMachineFile, "a.json"), "a.json");
  EXPECT_NE(test::error_of([] { (void)find_input(kInputFile, "a"); }), "");
}

TEST_F(FindInput, TheSourceTreeIsTheLastPlace) {
  const fs::path source = fs::path(tessera::source_directory()) / "inputs/machines/K20.json";
  EXPECT_EQ(found(kMachineFile, "K20"), source);
  EXPECT_EQ(found(kDeckFile, "inputs/quick.toml"),
            fs::path(tessera::source_directory()) / "inputs/quick.toml");
  EXPECT_EQ(data_directories().back(), fs::path(tessera::source_directory()));
  EXPECT_EQ(data_directories().front(), folder_ / "data");
}

TEST_F(FindInput, SaysWhereItLooked) {
  InputName by = named_by(true);
  by.where = "d.toml:3: measure.machine";
  const std::string message = test::error_of([&] { (void)find_input(kMachineFile, "K21", by); });
  EXPECT_TRUE(
      test::has_all(message, {"d.toml:3: measure.machine", (folder_ / "deck").string(),
                              (folder_ / "data").string(), tessera::source_directory(), "K20"}));
  EXPECT_TRUE(test::has(test::error_of([] { (void)find_input(kDeckFile, "quik.toml"); }), "quick"));
}

}  // namespace
}  // namespace tessera

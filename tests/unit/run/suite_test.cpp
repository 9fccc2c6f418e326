// SPDX-License-Identifier: Apache-2.0
// Suite files and manifests.
#include "program/run/suite.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

constexpr const char* kTwo =
    "name = \"mine\"\n"
    "[[run]]\ndeck = \"quick.toml\"\n"
    "[[run]]\ndeck = \"quick.toml\"\nname = \"larger\"\nset = [\"case.nx=300\"]\non = \"gpu\"\n";

class SuiteFile : public testing::Test {
 protected:
  Suite read(const std::string& text) {
    const std::string path = folder_ / "suite.toml";
    test::write_text(path, text);
    return read_suite(path);
  }
  test::ScratchDirectory folder_;
};

TEST_F(SuiteFile, HoldsRuns) {
  const Suite suite = read(kTwo);
  EXPECT_EQ(suite.name, "mine");
  ASSERT_EQ(suite.runs.size(), 2u);
  EXPECT_EQ(suite.runs[0].name, "quick");
  EXPECT_EQ(suite.runs[1].name, "larger");
  EXPECT_EQ(suite.runs[1].set, std::vector<std::string>{"case.nx=300"});
  EXPECT_EQ(suite.runs[1].on, "gpu");
}

TEST_F(SuiteFile, WithAMistakeIsRefused) {
  const auto refused = [&](const std::string& text, const char* part) {
    const std::string message = test::error_of([&] { static_cast<void>(read(text)); });
    EXPECT_TRUE(test::has(message, part)) << text << ": " << message;
  };
  refused("", "no [[run]]");
  refused("[[run]]\nname = \"x\"\n", "deck");
  refused("[[run]]\ndeck = \"quick.toml\"\n[[run]]\ndeck = \"quick.toml\"\n", "two runs");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"../x\"\n", "../x");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"log.txt\"\n", "log.txt");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"..\"\n", "leaves no name");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"" + std::string(260, 'a') + "\"\n",
          "has 260 characters: at most 200");
}

TEST_F(SuiteFile, ManifestTellsOfEachRun) {
  const Suite suite = read(kTwo);
  const std::string path = folder_ / "manifest.json";
  Manifest manifest(suite, {{"platform", "here"}}, path);
  manifest.note(1, "failed", {{"reason", "too large"}});
  const auto file = nlohmann::json::parse(test::read_text(path));
  EXPECT_EQ(file.at("schema"), "tessera-study-1");
  EXPECT_EQ(file.at("platform"), "here");
  EXPECT_EQ(file.at("runs")[0].at("status"), "waiting");
  EXPECT_EQ(file.at("runs")[1].at("status"), "failed");
  EXPECT_EQ(file.at("runs")[1].at("reason"), "too large");
  // Going on keeps what is noted, but of a run that was changed.
  Manifest again(suite, {{"platform", "here"}}, path);
  EXPECT_EQ(again.status(1), "failed");
  again.note(1, "done");
  EXPECT_FALSE(again.json().at("runs")[1].contains("reason"));
  std::string edited = kTwo;
  edited.replace(edited.find("300"), 3, "400");
  EXPECT_EQ(Manifest(read(edited), nlohmann::json::object(), path).status(1), "waiting");
  test::write_text(path, "{\"schema\": 1}");
  const auto broken = [&] { const Manifest third(suite, nlohmann::json::object(), path); };
  EXPECT_TRUE(test::has(test::error_of(broken), path));
}

}  // namespace
}  // namespace tessera

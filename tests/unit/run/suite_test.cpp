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
  refused("[[run]]\ndeck = \"quick.toml\"\nsteps = 3\n", "steps");
  refused("[[run]]\ndeck = \"quick.toml\"\non = \"tpu\"\n", "is not one of gpu, cpu");
  refused("[[run]]\ndeck = \"quick.toml\"\n[[run]]\ndeck = \"quick.toml\"\n", "two runs");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"../x\"\n", "../x");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"manifest\"\n", "manifest");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"..\"\n", "leaves no name");
  refused("[[run]]\ndeck = \"quick.toml\"\nvariants = []\n", "variants: an empty list selects");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"a.part\"\n", "a.part");
  refused("[[run]]\ndeck = \"quick.toml\"\nname = \"" + std::string(260, 'a') + "\"\n",
          "has 260 characters: 200 are the most");
}

TEST_F(SuiteFile, ManifestTellsOfEachRun) {
  const Suite suite = read(kTwo);
  const std::string path = folder_ / "manifest.json";
  Manifest manifest(suite, {{"platform", "here"}}, path, false);
  manifest.note(1, "failed", {{"reason", "too large"}});
  const auto file = nlohmann::json::parse(test::read_text(path));
  EXPECT_EQ(file.at("schema"), "tessera-study-1");
  EXPECT_EQ(file.at("platform"), "here");
  EXPECT_EQ(file.at("runs")[0].at("status"), "waiting");
  EXPECT_EQ(file.at("runs")[1].at("status"), "failed");
  EXPECT_EQ(file.at("runs")[1].at("reason"), "too large");
  // Going on keeps what is noted; beginning again over it is refused.
  Manifest again(suite, {{"platform", "here"}}, path, true);
  EXPECT_EQ(again.status(1), "failed");
  again.note(1, "done");
  EXPECT_FALSE(again.json().at("runs")[1].contains("reason"));
  const auto anew = [&] { const Manifest third(suite, nlohmann::json::object(), path, false); };
  EXPECT_TRUE(test::has(test::error_of(anew), "--resume continues it"));
  test::write_text(path, "{\"schema\": 1}");
  const auto broken = [&] { const Manifest third(suite, nlohmann::json::object(), path, true); };
  EXPECT_TRUE(test::has(test::error_of(broken), "no manifest"));
}

TEST_F(SuiteFile, ManifestTellsWhatTheRowsBesideItAre) {
  const std::string path = folder_ / "manifest.json";
  const nlohmann::json head = {{"build", {{"git_revision", "abc"}}}};
  Manifest(read(kTwo), head, path, false).note(1, "done");
  const auto resumed = [&](const std::string& suite, const nlohmann::json& now) {
    return test::error_of([&] { const Manifest again(read(suite), now, path, true); });
  };
  std::string edited = kTwo;
  edited.replace(edited.find("300"), 3, "400");
  const std::string dropped = "name = \"mine\"\n[[run]]\ndeck = \"quick.toml\"\n";
  // Without rows of it a run may be changed and dropped.
  EXPECT_EQ(resumed(dropped, head), "");
  const Manifest changed(read(edited), head, path, true);
  EXPECT_EQ(changed.json().at("runs")[1].at("set")[0], "case.nx=400");
  EXPECT_EQ(changed.status(1), "waiting");

  test::write_text(folder_ / "larger.json", "{}");
  EXPECT_EQ(resumed(kTwo, head), "");
  const std::string other = resumed(edited, head);
  EXPECT_TRUE(test::has(other, "its larger.set is [\"case.nx=300\"], here it is [\"case.nx=400"))
      << other;
  EXPECT_TRUE(test::has(other, "-o keeps")) << other;
  EXPECT_TRUE(test::has(resumed(dropped, head), "has a run \"larger\" that the suite does not"));
  EXPECT_TRUE(test::has(resumed(kTwo, {{"build", {{"git_revision", "def"}}}}),
                        "is of another binary: its build.git_revision is \"abc\""));
}

}  // namespace
}  // namespace tessera

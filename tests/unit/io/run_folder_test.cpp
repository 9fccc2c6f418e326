// SPDX-License-Identifier: Apache-2.0
#include "base/io/run_folder.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fixtures/scratch_directory.hpp"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

using test::error_of;
using test::has;

class RunFolders : public testing::Test {
 protected:
  RunFolders() {
    home_ = fs::current_path();
    fs::current_path(folder_.path());
  }
  ~RunFolders() override { fs::current_path(home_); }

  static FolderRequest named(const std::string& folder, int nx = 24) {
    return {.folder = folder,
            .command = "run",
            .deck = "inputs/quick.toml",
            .platform = "AMD EPYC (zen4)",
            .command_line = "tessera run",
            .identity = {{"deck", {{"case", {{"nx", nx}}}}}}};
  }
  static FolderRequest resumed(const std::string& folder, int nx = 24) {
    FolderRequest request = named(folder, nx);
    request.resume = true;
    return request;
  }
  static std::string refusal(const FolderRequest& request) {
    const std::string dry = error_of([&] { require_possible_folder(request); });
    const std::string real = error_of([&] { const RunFolder opened(request); });
    EXPECT_EQ(dry, real) << "a dry run says the same";
    return real;
  }
  static std::string state_of(const std::string& folder) {
    return read_run_record(folder).at("state").get<std::string>();
  }

  fs::path home_;
  test::ScratchDirectory folder_;
};

TEST_F(RunFolders, ResumedLoseWhatAKilledProcessWasWriting) {
  {
    RunFolder folder(named("a"));
    test::write_text(folder.file("result.json"), "{}");
  }
  for (const char* name : {"a/.run.json.123.tmp", "a/.snapshots.part.xdmf.123.tmp", "a/mine.tmp"})
    test::write_text(name, "{");
  const RunFolder folder(resumed("a"));
  EXPECT_FALSE(fs::exists("a/.run.json.123.tmp") || fs::exists("a/.snapshots.part.xdmf.123.tmp"));
  EXPECT_TRUE(fs::exists("a/mine.tmp") && fs::exists("a/result.json"));
}

TEST_F(RunFolders, SayHowTheRunStands) {
  {
    RunFolder folder(named("a/b/"));
    EXPECT_EQ(state_of("a/b"), "running");
    test::write_text(folder.file("result.json"), "{}");
    folder.complete();
    EXPECT_EQ(state_of("a/b"), "complete");
  }
  EXPECT_EQ(state_of("a/b"), "complete");
  {
    RunFolder folder(resumed("a/b"));
    EXPECT_TRUE(folder.was_complete());
    folder.begin();
    EXPECT_EQ(state_of("a/b"), "running");
  }
  EXPECT_EQ(state_of("a/b"), "failed");
  { const RunFolder folder(named("c")); }
  EXPECT_FALSE(fs::exists("c")) << "without results it is removed";
}

TEST_F(RunFolders, AreMadeForOneRun) {
  { RunFolder(named("a")).complete(); }
  EXPECT_TRUE(has(refusal(named("a")), "--resume"));
  EXPECT_EQ(refusal(resumed("a")), "");
  EXPECT_EQ(refusal(resumed("new")), "") << "it begins";
  const std::string other = refusal(resumed("a", 25));
  EXPECT_TRUE(has(other, "its deck.case.nx is 24, here it is 25")) << other;
  fs::create_directory("empty");
  EXPECT_TRUE(has(refusal(named("empty")), "empty"));
  test::write_text("empty/x", "somebody else's");
  fs::create_directory("killed");
  test::write_text("killed/.run.json.4711.tmp", "{");
  EXPECT_EQ(refusal(resumed("killed")), "") << "killed before its record had its name";
  EXPECT_TRUE(has(refusal(resumed("empty")), "run.json"));
  test::write_text("file", "");
  EXPECT_TRUE(has(refusal(named("file")), "not a folder"));
  EXPECT_TRUE(has(refusal(named("x.json")), "result.json"));
  // That nothing can be made there is only seen by trying.
  EXPECT_TRUE(has(error_of([&] { const RunFolder opened(named("/proc/a")); }), "/proc"));
}

TEST_F(RunFolders, AreNamedByDeckPlatformAndDate) {
  EXPECT_EQ(folder_to_resume(resumed("")), "");
  std::string first, second;
  {
    RunFolder one(named(""));
    RunFolder two(named(""));
    first = one.path(), second = two.path();
    one.complete(), two.complete();
  }
  EXPECT_TRUE(first.starts_with("out/quick-amd-epyc-zen4-20")) << first;
  EXPECT_NE(first, second);
  EXPECT_EQ(folder_to_resume(resumed("")), second) << "the newest";
  FolderRequest tuning = resumed("");
  tuning.command = "tune";
  EXPECT_EQ(folder_to_resume(tuning), "");
  // A linked parent is fine.
  fs::create_directory_symlink("out", "linked");
  RunFolder(named("linked/x")).complete();
  EXPECT_TRUE(fs::exists("out/x/run.json"));
}

TEST(FileNames, OfWhichNothingIsLeftAreRefused) {
  EXPECT_EQ(file_name_of("AMD EPYC (zen4), 16t", "x"), "amd-epyc-zen4-16t");
  EXPECT_EQ(file_name_of("..a", "x"), "..a");
  for (const std::string name : {"", " ", ".", "..", "...", "-", "\u65e5\u672c"}) {
    const std::string message = error_of([&] { (void)file_name_of(name, "--platform"); });
    EXPECT_TRUE(has(message, "--platform = \"" + name + "\" leaves no name")) << message;
  }
  EXPECT_TRUE(
      has(error_of([] { (void)file_name_of(std::string(201, 'a'), "x"); }), "201 characters"));
}

}  // namespace
}  // namespace tessera::io

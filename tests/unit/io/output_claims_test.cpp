// SPDX-License-Identifier: Apache-2.0
// A command's outputs are looked at before anything long runs.
#include <gtest/gtest.h>

#include "base/io/output_claims.hpp"
#include "base/support/files.hpp"
#include "fixtures/scratch_directory.hpp"

#include <sys/stat.h>
#include <filesystem>
#include <string>

namespace tessera::io {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::has;

TEST(ClaimOutputs, TwoLinksToOneFileThatIsNotThereYet) {
  const test::ScratchDirectory folder;
  std::filesystem::create_symlink("target.json", folder / "a.json");
  std::filesystem::create_symlink("target.json", folder / "b.json");
  EXPECT_THROW((void)claim_outputs({folder / "a.json", folder / "b.json"}, {}), Error);
}

TEST(ClaimOutputs, RefusesOneNameForTwoThings) {
  const test::ScratchDirectory folder;
  const fs::path deck = folder / "deck.toml";
  test::write_text(deck, "a = 1");
  const auto message = [](const std::vector<fs::path>& outputs, const std::vector<fs::path>& in) {
    return error_of([&] { (void)claim_outputs(outputs, in); });
  };
  EXPECT_EQ(message({folder / "a.json", folder / "a.csv", ""}, {deck, ""}), "");
  EXPECT_TRUE(has(message({folder / "a.csv", folder / "a.csv"}, {}), "two outputs"));
  EXPECT_TRUE(has(message({folder / "a.csv", folder / "./a.csv"}, {}), "two outputs"));
  EXPECT_TRUE(has(message({"not-there.csv", "./not-there.csv"}, {}), "two outputs"));
  EXPECT_TRUE(has(message({deck}, {deck}), "is read and would be written over"));
  fs::create_symlink("deck.toml", folder / "other.toml");
  EXPECT_TRUE(has(message({folder / "other.toml"}, {deck}), "is read and would be"));
  EXPECT_EQ(test::read_text(deck), "a = 1");
  forget_inputs();
}

// Files that a shot or a survey renames in its directory.

TEST(PlainFiles, AreNothingElseAndOneEach) {
  const test::ScratchDirectory folder;
  const auto message = [](const std::vector<fs::path>& outputs) {
    return error_of([&] { require_plain_files(outputs); });
  };
  const fs::path a = folder / "a.csv", b = folder / "b.csv";
  EXPECT_EQ(message({a, b, folder / "none/c.csv"}), "");
  fs::create_symlink("a.csv", b);
  EXPECT_TRUE(has(message({a, b}), a.string() + " and " + b.string() + " are one file, "));
  fs::remove(b);
  fs::create_directory(b);
  EXPECT_EQ(message({a, b}), "cannot write " + b.string() + ": it is a directory");
  fs::remove(b);
  ASSERT_EQ(::mkfifo(b.c_str(), 0600), 0);
  EXPECT_EQ(message({a, b}), "cannot write " + b.string() + ": it is no plain file");
}

TEST(ClaimOutputs, RefusesWhatTheCommandHasRead) {
  const test::ScratchDirectory folder;
  const auto message = [](const fs::path& output) {
    return error_of([&] { (void)claim_outputs({output}, {}); });
  };
  test::write_text(folder / "in.json", "old");
  test::write_text(folder / "r.part.csv", "old");
  note_input(folder / "in.json");
  note_input(folder / "r.part.csv");
  fs::create_symlink("in.json", folder / "link.json");
  EXPECT_TRUE(has(message(folder / "in.json"), "is read and would be written over"));
  EXPECT_TRUE(has(message(folder / "link.json"), "is read and would be written over"));
  EXPECT_TRUE(has(message(folder / "r.csv"), "r.part.csv is read")) << "it grows there";
  EXPECT_TRUE(has(message(folder / "x.part.json"), "names with .part"));
  EXPECT_EQ(message(folder / "out.json"), "");
  forget_inputs();
  EXPECT_EQ(message(folder / "in.json"), "");
}

TEST(ClaimOutputs, OwnFoldersAreFreeForTheirHolder) {
  const test::ScratchDirectory folder;
  const OutputLock lock(folder.path());
  EXPECT_EQ(error_of([&] { (void)claim_outputs({folder / "r.json"}, {}); }), "");
}

TEST(ClaimOutputs, FindsOutWhatCannotBeWritten) {
  const test::ScratchDirectory folder;
  const auto message = [](const fs::path& output) {
    return error_of([&] { (void)claim_outputs({output}, {}); });
  };
  EXPECT_TRUE(has(message(folder / (std::string(245, 'x') + ".json")), "File name too long"));
  EXPECT_TRUE(has(message(folder.path()), "is a directory"));
  {
    const test::FileSizeLimit limit(4000);
    EXPECT_TRUE(has(message(folder / "a.json"), "File too large"));
  }
  EXPECT_EQ(message("/dev/null"), "");
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace tessera::io

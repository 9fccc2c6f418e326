// SPDX-License-Identifier: Apache-2.0
#include "base/io/atomic_file.hpp"

#include <gtest/gtest.h>

#include "fixtures/scratch_directory.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;
using test::read_text;

TEST(AtomicFile, ReplacesTheOldFile) {
  const test::ScratchDirectory folder;
  write_atomically(folder / "a.json", "old");
  write_atomically(folder / "a.json", "new content");
  EXPECT_EQ(read_text(folder / "a.json"), "new content");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, LinkToAFolderThatIsNotThereMakesIt) {
  const test::ScratchDirectory folder;
  std::filesystem::create_directory_symlink("made", folder / "link");
  require_writable_directory(folder / "link");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "made"));
  std::filesystem::create_directory_symlink("other", folder / "second");
  require_writable_directory(folder / "second/below/");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "other/below"));
}

TEST(AtomicFile, FullDiskLeavesTheOldFile) {
  const test::ScratchDirectory folder;
  write_atomically(folder / "a.json", "old");
  const std::string big(10000, 'x');
  std::string message;
  {
    const test::FileSizeLimit limit(1000);
    message = error_of([&] { write_atomically(folder / "a.json", big); });
  }
  EXPECT_TRUE(has(message, "cannot write " + (folder / "a.json").string() + ": "));
  EXPECT_EQ(read_text(folder / "a.json"), "old");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, FullDeviceIsNamed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  EXPECT_TRUE(has(error_of([] { write_atomically("/dev/full", "text"); }),
                  "cannot write /dev/full: No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, MissingDirectoryAndDirectoryAsFile) {
  const test::ScratchDirectory folder;
  EXPECT_TRUE(has(error_of([&] { write_atomically(folder / "no/a", "x"); }), "No such file"));
  EXPECT_TRUE(has(error_of([&] { write_atomically(folder.path(), "x"); }), "is a directory"));
}

TEST(AtomicFile, FollowsALink) {
  const test::ScratchDirectory folder;
  write_atomically(folder / "target", "old");
  std::filesystem::create_symlink(folder / "target", folder / "link");
  write_atomically(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "target"), "new");
}

TEST(AtomicFile, FollowsLinksToWhatIsNotThereYet) {
  const test::ScratchDirectory folder;
  std::filesystem::create_directory(folder / "other");
  std::filesystem::create_symlink("other/target", folder / "link");
  std::filesystem::create_symlink("link", folder / "second");
  write_atomically(folder / "second", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "second"));
  EXPECT_EQ(read_text(folder / "other/target"), "new");
  EXPECT_EQ(resolve_link(folder / "second").filename(), "target");
  {
    AtomicFile file(folder / "link");
    file.write("grown");
    file.commit();
  }
  EXPECT_EQ(read_text(folder / "other/target"), "grown");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_TRUE(has(error_of([&] { write_atomically(folder / "loop", "x"); }), "symbolic links"));
}

TEST(AtomicFile, InPlaceNoOtherFileIsUsed) {
  const test::ScratchDirectory folder;
  write_in_place(folder / "a.part.xdmf", "longer than the new one");
  std::filesystem::create_hard_link(folder / "a.part.xdmf", folder / "same");
  write_in_place(folder / "a.part.xdmf", "new");
  EXPECT_EQ(read_text(folder / "same"), "new");
  EXPECT_EQ(folder.entries(), 2);
  EXPECT_TRUE(has(error_of([&] { write_in_place(folder / "no/a", "x"); }), "No such file"));
}

TEST(AtomicFile, GrowsUnderAnotherName) {
  const test::ScratchDirectory folder;
  write_atomically(folder / "gather.csv", "old");
  {
    AtomicFile file(folder / "gather.csv");
    file.write("first line\n");
    file.flush();
    EXPECT_EQ(read_text(folder / "gather.part.csv"), "first line\n");
    EXPECT_EQ(read_text(folder / "gather.csv"), "old");
    file.write("second line\n");
    file.commit();
    EXPECT_TRUE(has(error_of([&] { file.write("third"); }), "finished"));
  }
  EXPECT_EQ(read_text(folder / "gather.csv"), "first line\nsecond line\n");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, WithoutCommitNothingIsLeft) {
  const test::ScratchDirectory folder;
  { AtomicFile(folder / "gather.csv").write("text"); }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(AtomicFile, WritableDirectory) {
  const test::ScratchDirectory folder;
  require_writable_directory(folder / "a/b");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b"));
  test::write_text(folder / "file", "x");
  EXPECT_TRUE(has(error_of([&] { require_writable_directory(folder / "file"); }), "file"));
  EXPECT_TRUE(has(error_of([&] { require_writable_directory(folder / "file/b"); }), "file/b"));
  EXPECT_EQ(folder.entries(), 2);
}

TEST(AtomicFile, PossibleFile) {
  const test::ScratchDirectory folder;
  require_possible_file(folder / "a/b/c.json");
  EXPECT_EQ(folder.entries(), 0) << "nothing is made";
  test::write_text(folder / "file", "x");
  EXPECT_TRUE(has(error_of([&] { require_possible_file(folder / "file/b.json"); }), "file"));
  std::filesystem::create_symlink("back", folder / "forth");
  std::filesystem::create_symlink("forth/on", folder / "back");
  EXPECT_FALSE(error_of([&] { require_possible_file(folder / "forth/x.json"); }).empty());
}

TEST(AtomicFile, FreeSpace) {
  const test::ScratchDirectory folder;
  EXPECT_EQ(error_of([&] { require_free_space(folder.path(), 1); }), "");
  EXPECT_TRUE(
      has(error_of([&] { require_free_space(folder.path(), 1ULL << 62); }), "the disk has"));
}

}  // namespace
}  // namespace tessera::io

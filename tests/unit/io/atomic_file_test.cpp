// SPDX-License-Identifier: Apache-2.0
#include "base/io/atomic_file.hpp"

#include <gtest/gtest.h>

#include "fixtures/scratch_directory.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;
using test::read_text;

TEST(AtomicFile, FullDiskLeavesTheOldFile) {
  const test::ScratchDirectory folder;
  write_atomically(folder / "a.json", "older");
  write_atomically(folder / "a.json", "old");
  EXPECT_EQ(read_text(folder / "a.json"), "old");
  EXPECT_EQ(folder.entries(), 1);
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
  { AtomicFile(folder / "other.csv").write("text"); }
  EXPECT_EQ(folder.entries(), 1) << "without commit nothing is left";
}

TEST(AtomicFile, WritableFile) {
  const test::ScratchDirectory folder;
  require_writable_file(folder / "a/b.json");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a/b.json"));
  test::write_text(folder / "file", "x");
  EXPECT_TRUE(has(error_of([&] { require_writable_file(folder / "file/b"); }), "file"));
  EXPECT_TRUE(has(error_of([&] { require_writable_file(folder.path()); }), "folder"));
  EXPECT_TRUE(has(error_of([&] { require_writable_file(folder / std::string(255, 'n')); }), "nnn"));
  EXPECT_TRUE(has(error_of([&] { write_atomically(folder / "no/a", "x"); }), "No such file"));
  EXPECT_TRUE(has(error_of([&] { write_atomically(folder.path(), "x"); }), "Is a directory"));
  EXPECT_EQ(error_of([&] { require_free_space(folder.path(), 1); }), "");
  EXPECT_TRUE(
      has(error_of([&] { require_free_space(folder.path(), 1ULL << 62); }), "the disk has"));
}

}  // namespace
}  // namespace tessera::io

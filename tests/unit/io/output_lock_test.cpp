// SPDX-License-Identifier: Apache-2.0
// Outputs belong to one run at a time.
#include <gtest/gtest.h>

#include "base/io/output_lock.hpp"
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

TEST(OutputLock, IsHeldByOneAtATime) {
  const test::ScratchDirectory folder;
  for (const fs::path& output : {folder.path(), fs::path(folder / "r.json")}) {
    {
      const OutputLock first(output);
      const std::string message = error_of([&] { const OutputLock second(output); });
      EXPECT_TRUE(has(message, output.string() + " is being written by process "));
      EXPECT_TRUE(has(message, "name another output"));
    }
    EXPECT_EQ(folder.entries(), 0) << "nothing is left";
    const OutputLock again(output);
  }
}

TEST(OutputLock, FollowsLinks) {
  const test::ScratchDirectory folder;
  test::write_text(folder / "target.json", "old");
  fs::create_symlink("target.json", folder / "link.json");
  const OutputLock first(folder / "target.json");
  EXPECT_TRUE(has(error_of([&] { const OutputLock second(folder / "link.json"); }), "is being"));
}

// The lock's name can be guessed: what lies there already is not written over.

TEST(OutputLock, WritesOverNothingElse) {
  const test::ScratchDirectory folder;
  const fs::path output = folder / "r.json", lock = folder / ".r.json.lock";
  test::write_text(folder / "precious", "precious");
  fs::create_symlink("precious", lock);
  EXPECT_TRUE(has(error_of([&] { const OutputLock held(output); }), "is a link"));
  fs::remove(lock);
  test::write_text(lock, "precious");
  EXPECT_TRUE(has(error_of([&] { const OutputLock held(output); }), "no lock of this program"));
  fs::remove(lock);
  ASSERT_EQ(::mkfifo(lock.c_str(), 0600), 0);
  EXPECT_TRUE(has(error_of([&] { const OutputLock held(output); }), "no lock of this program"));
  EXPECT_TRUE(fs::is_fifo(lock));
  fs::remove(lock);
  test::write_text(lock, "process 1");  // of a process that was killed
  { const OutputLock held(output); }
  EXPECT_EQ(test::read_text(folder / "precious"), "precious");
}

TEST(OutputLock, MovesWithItsHolder) {
  const test::ScratchDirectory folder;
  OutputLock outer;
  { outer = OutputLock(folder.path()); }
  EXPECT_TRUE(has(error_of([&] { const OutputLock second(folder.path()); }), "is being written"));
}

TEST(OutputLock, OfATreeReachesIntoItsFolders) {
  const test::ScratchDirectory folder;
  const fs::path inside = folder / "shot-0001", lock = folder / ".tessera.lock";
  fs::create_directory(inside);
  const OutputLock tree(folder.path(), Reach::tree);
  EXPECT_EQ(error_of([&] { static_cast<void>(lock_directory(inside, {})); }), "") << "our own";
  EXPECT_TRUE(has(test::read_text(lock), " with its folders"));
  test::write_text(lock, "process 1 with its folders");
  for (const fs::path& at : {inside, fs::path(inside / "not" / "there")}) {
    EXPECT_TRUE(has(error_of([&] { require_free_directory(at); }), "which process 1 writes"));
    EXPECT_TRUE(has(error_of([&] { require_free_folder(at / "r.json"); }), "with its folders"));
    EXPECT_TRUE(has(error_of([&] { require_free_file(at / "r.json"); }), "name another output"));
  }
  EXPECT_TRUE(has(error_of([&] { static_cast<void>(lock_directory(inside, {})); }), "lies in"));
  EXPECT_EQ(error_of([&] { static_cast<void>(lock_directory(inside, {}, Reach::part_of_tree)); }),
            "");
  EXPECT_TRUE(
      has(error_of([&] { require_free_folder(folder / "r.json"); }), "is being written by"));
  test::write_text(lock, "process 1");  // of a folder alone
  EXPECT_EQ(error_of([&] { require_free_directory(inside); }), "");
}

}  // namespace
}  // namespace tessera::io

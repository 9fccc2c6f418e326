// SPDX-License-Identifier: Apache-2.0
// What the tests of `tessera shot` share: a tiny shot, and an earlier one's files in its way.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "cli/cli_fixture.hpp"

namespace tessera::test {

inline constexpr const char* kOldShot = "of an earlier shot\n";

/// Every file that a shot may write.
inline constexpr const char* kShotFiles[] = {"gather.csv", "gather.sgy", "snapshots.h5",
                                             "snapshots.xdmf", "shot.json"};

/// A folder with a deck of a shot that takes a blink, and an earlier shot's files in shot/.
class CliShot : public testing::Test {
 protected:
  CliShot() {
    write_text(deck(),
               "[case]\nnx = 30\nny = 28\nnz = 26\nsteps = 120\n"
               "[acoustic]\nh = 10.0\npml_cells = 5\n"
               "[model]\nkind = \"uniform\"\nv = 2000.0\n"
               "[[source]]\nx = 100\ny = 80\nz = 40\nf_peak = 15.0\namplitude = 1e3\n"
               "[[receivers]]\nstart = [0, 80]\nend = [190, 80]\ndepth = 20\ncount = 6\n"
               "[snapshots]\nevery = " +
                   std::string(TESSERA_HAVE_HDF5 ? "40" : "0") + "\nstride = 3\n");
    std::filesystem::create_directory(output());
    for (const char* name : kShotFiles) write_text(output() / name, kOldShot);
  }

  [[nodiscard]] std::string deck() const { return (folder_ / "tiny.toml").string(); }
  [[nodiscard]] std::filesystem::path output() const { return folder_ / "shot"; }
  /// Replaces a part of the deck.
  void edit(const std::string& from, const std::string& to) const {
    std::string text = read_text(deck());
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_text(deck(), text.replace(at, from.size(), to));
  }
  [[nodiscard]] json report() const { return json::parse(read_text(output() / "shot.json")); }
  [[nodiscard]] Arguments arguments(const Arguments& assignments) const {
    Arguments all = overrides(assignments);
    all.insert(all.begin(), {"shot", deck(), "-o", output().string()});
    return all;
  }
  [[nodiscard]] Outcome shoot(const Arguments& assignments = {},
                              const ProcessOptions& options = {}) const {
    return run_program(arguments(assignments), options);
  }

  /// Lines of gather.csv that hold samples.
  [[nodiscard]] long sample_lines() const {
    const std::string text = read_text(output() / "gather.csv");
    long lines = std::count(text.begin(), text.end(), '\n');
    for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) --lines;
    return lines - 1;  // the header
  }

  void expect_old_files() const {
    for (const char* name : kShotFiles) EXPECT_EQ(read_text(output() / name), kOldShot) << name;
  }

  /// Nothing in the output directory but what is named in full.
  void expect_no_more_files() const {
    long files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(output()))
      ++files;
    EXPECT_EQ(files, static_cast<long>(std::size(kShotFiles)));
  }

  /// An error, the earlier files as they were and nothing else left.
  void expect_refused(const Outcome& outcome, const Arguments& parts) const {
    expect_error(outcome, parts, Warnings::allowed);
    expect_old_files();
    expect_no_more_files();
  }

  ScratchDirectory folder_;
};

}  // namespace tessera::test

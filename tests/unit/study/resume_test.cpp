// SPDX-License-Identifier: Apache-2.0
// What is kept of an interrupted run, where its file is found, and where results go by default.
#include "study/resume.hpp"
#include "study/output_files.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

results::Result row(const std::string& configuration, int samples, const std::string& reason) {
  results::Result r;
  r.variant = "acoustic/gmem";
  r.configuration = configuration;
  r.status = samples > 0 ? results::Status::valid : results::Status::unmeasured;
  r.samples_s.assign(static_cast<std::size_t>(samples), 1e-3);
  r.reason = reason;
  return r;
}

results::ResultFile file() {
  results::ResultFile f;
  f.date = "2026-01-31T23:59:59Z";
  f.machine = {{"name", "here"}, {"device", "a CPU"}, {"concurrency", 2}};
  f.build = {{"git_revision", "abc"}};
  f.deck = {{"case", {{"nx", 24}}}, {"select", {{"variants", "acoustic/*"}}}};
  f.results = {row("whole", 5, ""), row("part", 3, "interrupted: 3 of 5 repetitions"),
               row("none", 0, "interrupted")};
  f.results.push_back(row("cannot", 0, "a device tile"));
  f.results.back().status = results::Status::unsupported;
  return f;
}

Resuming all_selected(int repetitions = 5, int ranks = 1) {
  return {repetitions, ranks, [](const results::Result&) { return true; }};
}

TEST(Resume, KeepsWhatIsFinished) {
  const results::ResultFile earlier = file();
  results::ResultFile now = file();
  now.deck["select"]["variants"] = "acoustic/gmem";  // the selection may differ
  now.deck["output"] = {{"redact", true}};
  const Resumed kept = resume(earlier, now, "old.json", all_selected());
  ASSERT_EQ(kept.kept.size(), 2u);
  EXPECT_EQ(kept.kept[0].configuration, "whole");
  EXPECT_EQ(kept.kept[1].configuration, "cannot");
  EXPECT_EQ(kept.begun, earlier.date);
  EXPECT_TRUE(test::has(kept.remark, "2 of the 4 rows of old.json are kept")) << kept.remark;
  // More repetitions than it has: only what cannot run is the same.
  EXPECT_EQ(resume(earlier, now, "old.json", all_selected(9)).kept.size(), 1u);
}

TEST(Resume, KeepsNothingOfAnotherDeckBinaryOrMachine) {
  const results::ResultFile earlier = file();
  const auto change = [&](const auto& edit, const char* why) {
    results::ResultFile now = file();
    edit(now);
    const Resumed kept = resume(earlier, now, "old.json", all_selected());
    EXPECT_TRUE(kept.kept.empty()) << why;
    EXPECT_TRUE(kept.begun.empty());
    EXPECT_TRUE(test::has(kept.remark, why)) << kept.remark;
  };
  change([](auto& f) { f.deck["case"]["nx"] = 25; }, "deck");
  change([](auto& f) { f.build["git_revision"] = "def"; }, "binary");
  change([](auto& f) { f.machine["concurrency"] = 4; }, "machine");
  const Resumed ranks = resume(earlier, earlier, "old.json", all_selected(5, 2));
  EXPECT_TRUE(ranks.kept.empty() && ranks.others.empty());
  EXPECT_TRUE(test::has(ranks.remark, "it is of 1 ranks, not 2")) << ranks.remark;
  change([](auto& f) { f.machine["environment"] = {{"OMP_PLACES", "cores"}}; }, "threads");
}

TEST(Resume, LeavesWhatIsNotSelected) {
  const results::ResultFile earlier = file();
  const Resumed kept =
      resume(earlier, earlier, "old.json",
             {5, 1, [](const results::Result& row) { return row.configuration == "part"; }});
  EXPECT_TRUE(kept.kept.empty());
  ASSERT_EQ(kept.unfinished.size(), 1u);
  EXPECT_EQ(kept.unfinished[0].configuration, "part");
  ASSERT_EQ(kept.others.size(), 3u);
  EXPECT_EQ(kept.begun, earlier.date);
  EXPECT_TRUE(test::has(kept.remark, "0 of the 4 rows of old.json are kept; 3 that are not"))
      << kept.remark;
}

TEST(OutputFiles, NamesOfWhichNothingIsLeftAreRefused) {
  EXPECT_EQ(file_name_of("AMD EPYC (zen4), 16t", "x"), "amd-epyc-zen4-16t");
  EXPECT_EQ(file_name_of("..a", "x"), "..a");
  for (const std::string name : {"", " ", ".", "..", "...", "-", "\u65e5\u672c"}) {
    const std::string message = test::error_of([&] { (void)file_name_of(name, "--platform"); });
    EXPECT_TRUE(test::has(message, "--platform = \"" + name + "\" leaves no name")) << message;
  }
  EXPECT_TRUE(test::has(test::error_of([] { (void)file_name_of(std::string(201, 'a'), "x"); }),
                        "has 201 characters"));
  const io::Deck deck = io::Deck::from_string("[output]\n", "inputs/quick.toml");
  EXPECT_EQ(output_files(deck, "a/b.json", " ", "2026").json, "a/b.json") << "it is not asked";
  EXPECT_THROW((void)output_files(deck, "", " ", "2026"), Error);
}

TEST(OutputFiles, AreNamedByDeckPlatformAndDate) {
  const io::Deck deck = io::Deck::from_string("[output]\n", "inputs/quick.toml");
  const OutputFiles files = output_files(deck, "", "AMD EPYC (zen4), 16t", "2026-01-31T23:59:59Z");
  EXPECT_EQ(files.json, "out/quick-amd-epyc-zen4-16t-20260131-235959.json");
  EXPECT_EQ(files.csv, "out/quick-amd-epyc-zen4-16t-20260131-235959.csv");
  EXPECT_EQ(output_files(deck, "a/b.json", "x", "2026").csv, "a/b.csv");
  const io::Deck named = io::Deck::from_string("[output]\njson = \"x.json\"\ncsv = \"\"\n");
  EXPECT_EQ(output_files(named, "", "x", "2026").json, "x.json");
  EXPECT_EQ(output_files(named, "", "x", "2026").csv, "");
}

TEST(OutputFiles, OfAnEarlierRunAreFound) {
  const test::ScratchDirectory folder;
  const auto in = [&](const char* name) { return std::filesystem::path(folder / name); };
  const auto now = in("quick-here-20260202-000000.json");
  EXPECT_EQ(file_to_resume(now, false), "");
  for (const char* name :
       {"quick-here-20260101-000000.json", "quick-here-20260131-000000.part.json",
        "quick-there-20260201-000000.json", "quick-here-20260201-000000.csv"}) {
    test::write_text(in(name), "{}");
  }
  EXPECT_EQ(file_to_resume(now, false), in("quick-here-20260131-000000.part.json"));
  EXPECT_EQ(file_to_resume(now, true), "");
  test::write_text(in("quick-here-20260202-000000.json"), "{}");
  EXPECT_EQ(file_to_resume(now, true), now);
  test::write_text(in("quick-here-20260202-000000.part.json"), "{}");
  EXPECT_EQ(file_to_resume(now, true), in("quick-here-20260202-000000.part.json"));
}

}  // namespace
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// What is kept of an interrupted run, where its file is found, and where results go by default.
#include "program/run/resume.hpp"
#include "program/run/output_files.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fixtures/completed.hpp"
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
  f.machine = test::completed(results::machine_info_fields(),
                              {{"name", "here"}, {"device", "a CPU"}, {"concurrency", 2}});
  f.build = test::completed(results::build_fields(), {{"git_revision", "abc"}});
  f.deck = {{"case", {{"nx", 24}}}, {"select", {{"variants", "acoustic/*"}}}};
  f.results = {row("whole", 5, ""), row("part", 3, "interrupted: 3 of 5 repetitions"),
               row("none", 0, "interrupted")};
  f.results.push_back(row("cannot", 0, "a device tile"));
  f.results.back().status = results::Status::unsupported;
  return f;
}

Resuming all_selected(int repetitions = 5, int ranks = 1, const std::string& transport = "") {
  return {repetitions, ranks, transport, [](const results::Result&) { return true; }};
}

TEST(Resume, KeepsWhatIsFinished) {
  const Earlier earlier{file(), "old.json"};
  const Resumed kept = resume(earlier, all_selected());
  ASSERT_EQ(kept.kept.size(), 2u);
  EXPECT_EQ(kept.kept[0].configuration, "whole");
  EXPECT_EQ(kept.kept[1].configuration, "cannot");
  EXPECT_EQ(kept.begun, earlier.file.date);
  EXPECT_TRUE(test::has(kept.remark, "2 of the 4 rows of old.json are kept")) << kept.remark;
  // More repetitions than it has: only what cannot run is the same.
  EXPECT_EQ(resume(earlier, all_selected(9)).kept.size(), 1u);
}

TEST(Resume, SelectionOutputAndRepetitionsMayDiffer) {
  results::ResultFile now = file();
  now.deck["select"]["variants"] = "acoustic/gmem";
  now.deck["output"] = {{"redact", true}};
  now.deck["measure"] = {{"repetitions", 9}};
  EXPECT_EQ(difference(file(), now, all_selected()), "");
  EXPECT_EQ(difference(now, file(), all_selected()), "");
}

TEST(Resume, AnotherDeckBinaryMachineOrTransportIsTold) {
  const auto told = [](const auto& edit, const std::string& why) {
    results::ResultFile now = file();
    edit(now);
    EXPECT_EQ(difference(file(), now, all_selected()), why);
  };
  told([](auto& f) { f.deck["case"]["nx"] = 25; }, "its deck.case.nx is 24, here it is 25");
  told(
      [](auto& f) {
        f.deck["measure"] = {{"warmup_s", 1}};
      },
      "its deck.measure is not set, here it is {\"warmup_s\":1}");
  told([](auto& f) { f.build["git_revision"] = "def"; },
       "its build.git_revision is \"abc\", here it is \"def\"");
  told([](auto& f) { f.machine["concurrency"] = 4; }, "its machine.concurrency is 2, here it is 4");
  results::ResultFile bound = file();
  bound.machine["environment"] = {{"OMP_PLACES", "cores"}};
  results::ResultFile loose = bound;
  loose.machine["environment"]["OMP_PLACES"] = "";
  EXPECT_TRUE(test::has(difference(bound, loose, all_selected()), "environment.OMP_PLACES"));

  EXPECT_EQ(difference(file(), file(), all_selected(5, 2, "mpi")), "it is of 1 ranks, not 2");
  results::ResultFile two = file();
  for (results::Result& row : two.results) row.parallel = {{"ranks", 2}, {"transport", "mpi"}};
  EXPECT_EQ(difference(two, file(), all_selected(5, 2, "mpi")), "");
  EXPECT_EQ(difference(two, file(), all_selected(5, 2, "staged")),
            "its transport is mpi, here it is staged");
}

TEST(Resume, OtherCpusAreToldWhereBothFilesTellThem) {
  results::ResultFile all = file();
  all.machine["topology"] = {{"cpus", 2}, {"cpu_quota", nullptr}, {"binding", "none"}};
  results::ResultFile one = all;
  one.machine["topology"]["cpus"] = 1;
  EXPECT_EQ(difference(all, one, all_selected()), "its machine.topology.cpus is 2, here it is 1");
  results::ResultFile part = all;
  part.machine["topology"]["cpu_quota"] = 0.5;
  EXPECT_EQ(difference(all, part, all_selected()),
            "its machine.topology.cpu_quota is null, here it is 0.5");
  EXPECT_EQ(difference(file(), one, all_selected()), "") << "an older file tells nothing of them";
}

TEST(Resume, LeavesWhatIsNotSelected) {
  const Earlier earlier{file(), "old.json"};
  Resuming of_part = all_selected();
  of_part.is_selected = [](const results::Result& r) { return r.configuration == "part"; };
  const Resumed kept = resume(earlier, of_part);
  EXPECT_TRUE(kept.kept.empty());
  ASSERT_EQ(kept.unfinished.size(), 1u);
  EXPECT_EQ(kept.unfinished[0].configuration, "part");
  ASSERT_EQ(kept.others.size(), 3u);
  EXPECT_EQ(kept.begun, earlier.file.date);
  EXPECT_TRUE(test::has(kept.remark, "0 of the 4 rows of old.json are kept; 3 that are not"))
      << kept.remark;
}

/// A result file and what a killed run left beside it.
class ResumedFiles : public testing::Test {
 protected:
  results::ResultFile whole_ = file(), part_ = file();
  ResumedFiles() {
    for (results::ResultFile* each : {&whole_, &part_}) each->results.clear();
    part_.date = "2026-02-01T00:00:00Z";
  }
  void write(const results::ResultFile& what, const std::string& name) {
    results::write_json(what, folder_ / name);
  }
  [[nodiscard]] Earlier read() const {
    return read_earlier(std::filesystem::path(folder_ / "a.json"), file(), all_selected());
  }
  [[nodiscard]] std::string refusal() const {
    return test::error_of([&] { static_cast<void>(read()); });
  }
  test::ScratchDirectory folder_;
};

results::Result measured(const std::string& configuration, int samples) {
  results::Result r = row(configuration, samples, samples < 5 ? "interrupted" : "");
  r.precision = "float";
  r.nx = r.ny = r.nz = r.steps = 1;
  r.gcell_per_s = machine::Rate{1, 1, 1};
  return r;
}

TEST_F(ResumedFiles, GiveTheFinishedRowsOfBoth) {
  whole_.results = {measured("a", 5), measured("b", 5), measured("c", 2)};
  part_.results = {measured("b", 1), measured("c", 5), measured("d", 3)};
  write(whole_, "a.json");
  write(part_, "a.part.json");
  const Earlier both = read();
  ASSERT_EQ(both.file.results.size(), 4u);
  const std::vector<std::size_t> samples{5, 5, 5, 3};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(both.file.results[i].samples_s.size(), samples[i]) << i;
  }
  EXPECT_EQ(both.file.date, part_.date);
  EXPECT_EQ(both.file.begun, whole_.date);
  EXPECT_TRUE(test::has(both.source, "a.json and ")) << both.source;
  // A part that has nothing more leaves the file as it is.
  part_.results = {measured("b", 1)};
  write(part_, "a.part.json");
  EXPECT_EQ(read().file.date, whole_.date);
  EXPECT_EQ(read().file.results.size(), 3u);
}

TEST_F(ResumedFiles, OfAnotherRunAreRefused) {
  whole_.results = part_.results = {measured("a", 5)};
  part_.deck["case"]["nx"] = 25;
  write(whole_, "a.json");
  write(part_, "a.part.json");
  const std::string part = refusal();
  for (const char* word : {"a.part.json", "deck.case.nx is 25", "move it away", "-o"}) {
    EXPECT_TRUE(test::has(part, word)) << part;
  }
  write(part_, "a.json");
  std::filesystem::remove(folder_ / "a.part.json");
  const std::string whole = refusal();
  for (const char* word : {"a.json is of another run", "deck.case.nx is 25", "-o", "--resume"}) {
    EXPECT_TRUE(test::has(whole, word)) << whole;
  }
  // A killed run of this deck was to take the place of that file.
  write(whole_, "a.part.json");
  EXPECT_EQ(read().source, (folder_ / "a.part.json"));
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

TEST(OutputFiles, TablesAreCalledAfterTheWholeName) {
  const io::Deck deck = io::Deck::from_string("[output]\n", "inputs/quick.toml");
  const auto table = [&](const std::string& json) {
    return output_files(deck, json, "x", "2026").csv.string();
  };
  EXPECT_EQ(table("run.1"), "run.1.csv");
  EXPECT_EQ(table("run.2"), "run.2.csv");
  EXPECT_EQ(table("a.dat"), "a.dat.csv");
  EXPECT_EQ(table("a.json"), "a.csv");
  EXPECT_EQ(table("a.csv"), "a.csv") << "claiming both refuses it";
  const io::Deck none = io::Deck::from_string("[output]\ncsv = \"\"\n");
  EXPECT_EQ(output_files(none, "a.json", "x", "2026").csv, "");
}

TEST(OutputFiles, OfAnEarlierRunAreFound) {
  const test::ScratchDirectory folder;
  const auto in = [&](const char* name) { return std::filesystem::path(folder / name); };
  const auto now = in("quick-here-20260202-000000.json");
  EXPECT_EQ(output_to_resume(now, false), "");
  for (const char* name :
       {"quick-here-20260101-000000.json", "quick-here-20260131-000000.part.json",
        "quick-there-20260201-000000.json", "quick-here-20260201-000000.csv"}) {
    test::write_text(in(name), "{}");
  }
  EXPECT_EQ(output_to_resume(now, false), in("quick-here-20260131-000000.json"));
  EXPECT_EQ(output_to_resume(now, true), "");
  test::write_text(in("quick-here-20260202-000000.part.json"), "{}");
  EXPECT_EQ(output_to_resume(now, true), now);
}

}  // namespace
}  // namespace tessera

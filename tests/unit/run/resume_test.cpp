// SPDX-License-Identifier: Apache-2.0
// What is kept of an interrupted run.
#include "program/run/resume.hpp"

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

Resuming all_selected(int repetitions = 5) {
  return {repetitions, [](const results::Result&) { return true; }};
}

TEST(Resume, KeepsWhatIsFinished) {
  const results::ResultFile earlier = file();
  const Resumed kept = resume(earlier, "old.json", all_selected());
  ASSERT_EQ(kept.kept.size(), 2u);
  EXPECT_EQ(kept.kept[0].configuration, "whole");
  EXPECT_EQ(kept.kept[1].configuration, "cannot");
  EXPECT_EQ(kept.begun, earlier.date);
  EXPECT_TRUE(test::has(kept.remark, "2 of the 4 rows of old.json are kept")) << kept.remark;
  // More repetitions than it has: only what cannot run is the same.
  EXPECT_EQ(resume(earlier, "old.json", all_selected(9)).kept.size(), 1u);
}

TEST(Resume, IdentityLeavesSelectionOutputAndRepetitionsOut) {
  results::ResultFile now = file();
  now.deck["select"]["variants"] = "acoustic/gmem";
  now.deck["output"] = {{"redact", true}};
  now.deck["measure"] = {{"repetitions", 9}};
  EXPECT_EQ(run_identity(file(), 1, ""), run_identity(now, 1, ""));
}

TEST(Resume, AnotherDeckBinaryMachineOrTransportHasAnotherIdentity) {
  const nlohmann::json before = run_identity(file(), 1, "");
  const auto other = [&](const auto& edit) {
    results::ResultFile now = file();
    edit(now);
    EXPECT_NE(run_identity(now, 1, ""), before);
  };
  other([](auto& f) { f.deck["case"]["nx"] = 25; });
  other([](auto& f) { f.deck["measure"]["warmup_s"] = 1; });
  other([](auto& f) { f.build["git_revision"] = "def"; });
  other([](auto& f) { f.machine["concurrency"] = 4; });
  other([](auto& f) { f.machine["environment"]["OMP_PLACES"] = "cores"; });
  other([](auto& f) { f.machine["topology"]["cpus"] = 1; });
  EXPECT_NE(run_identity(file(), 2, ""), before);
  EXPECT_NE(run_identity(file(), 2, "mpi"), run_identity(file(), 2, "staged"));
}

TEST(Resume, LeavesWhatIsNotSelected) {
  const results::ResultFile earlier = file();
  Resuming of_part = all_selected();
  of_part.is_selected = [](const results::Result& r) { return r.configuration == "part"; };
  const Resumed kept = resume(earlier, "old.json", of_part);
  EXPECT_TRUE(kept.kept.empty());
  ASSERT_EQ(kept.unfinished.size(), 1u);
  EXPECT_EQ(kept.unfinished[0].configuration, "part");
  ASSERT_EQ(kept.others.size(), 3u);
  EXPECT_EQ(kept.begun, earlier.date);
  EXPECT_TRUE(test::has(kept.remark, "0 of the 4 rows of old.json are kept; 3 that are not"))
      << kept.remark;
}

}  // namespace
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// What is kept of an interrupted run.
#include "program/run/deck_run.hpp"

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

TEST(Resume, KeepsWhatIsFinished) {
  const results::ResultFile earlier = file();
  std::string kept;
  for (const results::Result& one : earlier.results) {
    if (is_finished(one, 5)) kept += one.configuration + " ";
  }
  EXPECT_EQ(kept, "whole cannot ");
  EXPECT_FALSE(is_finished(earlier.results[0], 9)) << "more repetitions than it has";
}

TEST(Resume, AnotherDeckBinaryMachineOrTransportHasAnotherIdentity) {
  const nlohmann::json before = run_identity(file(), 1, "");
  results::ResultFile alike = file();
  alike.deck["select"]["variants"] = "acoustic/gmem";
  alike.deck["output"] = {{"redact", true}};
  alike.deck["measure"] = {{"repetitions", 9}};
  EXPECT_EQ(run_identity(alike, 1, ""), before) << "selection, output and repetitions";
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

}  // namespace
}  // namespace tessera

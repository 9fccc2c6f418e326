// SPDX-License-Identifier: Apache-2.0
// Result files: figures by hand, round trip, no rate without validity, table and CSV.
#include "program/results/result.hpp"

#include "base/support/error.hpp"
#include "fixtures/completed.hpp"
#include "fixtures/scratch_directory.hpp"
#include "program/results/result_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace tessera::results {
namespace {

machine::StreamRates some_streams() {
  machine::StreamRates streams;
  streams.precision = "float";
  streams.array_bytes = 1 << 20;
  streams.copy = {15, 20, 25};
  streams.triad = {16, 21, 26};
  streams.update = {20, 32, 40};
  return streams;
}

Result some_result() {
  Result r;
  r.family = "acoustic";
  r.stencil = "acoustic/25pt";
  r.variant = "acoustic/st_reg_fixed";
  r.configuration = "32x16,nw=4";
  r.decomposition = "seven";
  r.precision = "float";
  r.nx = 100;
  r.ny = 200;
  r.nz = 50;
  r.steps = 10;
  r.u_min = -1.25;
  r.u_max = 0.1;
  r.resources = {{"scratch_bytes", 4096}};
  // 10^6 cells a step of 0.5 s: 2 MCell/s, 16 B a cell: 0.032 GB/s.
  set_valid(r, {0.5, 0.4, 0.5, 0.5, 1.0}, {1e6, 16e6, 61e6}, some_streams());
  return r;
}

ResultFile some_file() {
  ResultFile file;
  file.date = "2024-05-31T12:00:00Z";
  file.command_line = "tessera run inputs/quick.toml";
  file.machine = test::completed(machine_info_fields(), {{"name", "some-machine"}});
  file.build = test::completed(build_fields(), {{"version", "0.1.0"}, {"git_revision", "abc"}});
  file.deck = {{"case", {{"nx", 100}}}};
  file.streams = some_streams();
  file.roofline = Roofline{"float", 100, 32, 400};
  file.results = {some_result()};
  file.results.front().published = {{"source", "a paper"}};
  set_roofline(file.results.front(), *file.roofline);
  Result wrong = some_result();
  wrong.configuration = "8x8";
  set_failed(wrong, Status::invalid, "differs from the reference at (1, 2, 3)");
  Result impossible = some_result();
  impossible.configuration = "64x64";
  set_failed(impossible, Status::unsupported, "needs 99,999 bytes of scratch, has 40,960");
  file.results.push_back(wrong);
  file.results.push_back(impossible);
  return file;
}

TEST(Result, FiguresFollowFromTheMedianTime) {
  const Result r = some_result();
  EXPECT_EQ(r.status, Status::valid);
  const double found[] = {r.gcell_per_s->min,    r.gcell_per_s->median, r.gcell_per_s->max,
                          *r.effective_gb_per_s, *r.fraction_of_copy,   *r.fraction_of_update,
                          *r.gflop_per_s,        *r.flop_per_byte,      *r.iqr_s};
  const double wanted[] = {0.001, 0.002, 0.0025, 0.032, 0.0016, 0.001, 0.122, 61.0 / 16.0, 0};
  for (std::size_t i = 0; i < std::size(wanted); ++i) EXPECT_DOUBLE_EQ(found[i], wanted[i]) << i;
  EXPECT_FALSE(r.noisy);
  Result alone;
  set_valid(alone, {1, 1, 1, 1, 1}, {1e9, 16e9, 0}, std::nullopt);
  EXPECT_DOUBLE_EQ(alone.gcell_per_s->median, 1);
  EXPECT_FALSE(alone.fraction_of_copy.has_value()) << "without streams";
  EXPECT_TRUE(to_json(alone).at("fraction_of_update").is_null());
}

TEST(Result, RooflineIsTheLowerOfPeakAndIntensityTimesBandwidth) {
  Result r = some_result();  // 61 flop and 16 B a cell, 0.122 GFLOP/s
  r.counters = {{"dram_bytes_per_cell", 30.5}, {"l2_bytes_per_cell", 122.0}};
  const auto counted = [&r](const char* key) { return r.counters.at(key).get<double>(); };
  Roofline roofline{"float", 100, 16, std::nullopt};
  set_roofline(r, roofline);
  EXPECT_DOUBLE_EQ(*r.roofline_gflop_per_s, 61);  // 61/16 flop/B * 16 GB/s
  EXPECT_DOUBLE_EQ(*r.fraction_of_roofline, 0.002);
  EXPECT_DOUBLE_EQ(counted("dram_flop_per_byte"), 2);
  EXPECT_DOUBLE_EQ(counted("dram_roofline_gflop_per_s"), 32);
  EXPECT_DOUBLE_EQ(counted("l2_flop_per_byte"), 0.5);
  EXPECT_FALSE(r.counters.contains("l2_roofline_gflop_per_s")) << "no L2 bandwidth is known";
  roofline.peak_gflop_per_s = 24.4;
  roofline.l2_gb_per_s = 40;
  set_roofline(r, roofline);
  EXPECT_DOUBLE_EQ(*r.roofline_gflop_per_s, 24.4);
  EXPECT_DOUBLE_EQ(*r.fraction_of_roofline, 0.005);
  EXPECT_DOUBLE_EQ(counted("l2_roofline_gflop_per_s"), 20);
  EXPECT_DOUBLE_EQ(counted("l2_fraction_of_roofline"), 0.0061);
  EXPECT_TRUE(test::has_all(format_volumes({r}), {"30.5", "122.0", "2.00", "0.50"}));
  set_failed(r, Status::invalid, "wrong");
  set_roofline(r, roofline);
  EXPECT_FALSE(r.fraction_of_roofline.has_value());
  EXPECT_EQ(format_volumes({some_result()}), "") << "no counters, no table";
}

TEST(Result, SharesAreOfTheLeastTrafficAndOfWhatTheVariantMoves) {
  Result r = some_result();  // 61 flop and 16 B a cell, 0.122 GFLOP/s
  const Roofline roofline{"float", 100, 16, std::nullopt};
  set_roofline(r, roofline);
  EXPECT_FALSE(r.fraction_at_moved.has_value()) << "no plan says what is moved";
  r.resources = {{"minimal_elements_per_cell", 4.0}, {"moved_elements_per_cell", 3.0}};
  set_roofline(r, roofline);
  EXPECT_DOUBLE_EQ(*r.moved_bytes_per_cell, 12);
  EXPECT_DOUBLE_EQ(*r.fraction_of_roofline, 0.002);
  EXPECT_DOUBLE_EQ(*r.fraction_at_moved, 0.122 / (61.0 / 12 * 16));
  EXPECT_DOUBLE_EQ(share_of_moved(r)->share, *r.fraction_at_moved);
  // By less traffic arithmetic binds: the roof is the peak, not 61 / 2 * 16.
  r.resources["moved_elements_per_cell"] = 0.5;
  set_roofline(r, roofline);
  EXPECT_DOUBLE_EQ(*r.fraction_at_moved, 0.00122);
  const Result read = result_from_json(to_json(r), "row");
  EXPECT_EQ(read.fraction_at_moved, r.fraction_at_moved);
  EXPECT_EQ(read.moved_bytes_per_cell, r.moved_bytes_per_cell);
  set_failed(r, Status::invalid, "wrong");
  EXPECT_FALSE(r.fraction_at_moved.has_value());
  EXPECT_FALSE(r.moved_bytes_per_cell.has_value());
}

TEST(Result, NotValidMeansNoRateEvenWhereOneWasSet) {
  Result r = some_result();
  r.status = Status::invalid;  // the rates are still in the row
  r.reason = "wrong";
  const nlohmann::json row = to_json(r);
  for (const char* key :
       {"gcell_per_s", "effective_gb_per_s", "fraction_of_copy", "fraction_of_update",
        "gflop_per_s", "roofline_gflop_per_s", "fraction_of_roofline", "moved_bytes_per_cell",
        "fraction_at_moved", "iqr_s"}) {
    EXPECT_TRUE(row.at(key).is_null()) << key;
  }
  EXPECT_TRUE(row.at("samples_s").empty());
  EXPECT_THROW(set_failed(r, Status::valid, "no"), Error);
  EXPECT_THROW(set_failed(r, Status::invalid, ""), Error);
}

TEST(Result, RoundTrip) {
  const test::ScratchDirectory directory;
  const auto path = directory / "result.json";
  const ResultFile written = some_file();
  write_json(written, path);
  const ResultFile read = read_json(path);
  EXPECT_EQ(to_json(read), to_json(written));
  EXPECT_EQ(read.results.at(0).samples_s, written.results.at(0).samples_s);
  EXPECT_EQ(read.results.at(1).status, Status::invalid);
}

TEST(Result, ReadingErrorsNameTheFileAndTheField) {
  const test::ScratchDirectory directory;
  const auto path = directory / "result.json";
  const auto said_of = [&path](const std::string& content) {
    test::write_text(path, content);
    return test::error_of([&] { (void)read_json(path); });
  };
  EXPECT_TRUE(test::has(said_of("{"), "result.json"));
  EXPECT_TRUE(test::has(said_of("[]"), "schema"));
  EXPECT_TRUE(test::has(said_of(R"({"schema": "other"})"), "other"));
  nlohmann::json file = to_json(some_file());
  file["results"][1]["nx"] = "many";
  EXPECT_TRUE(test::has(said_of(file.dump()), "results[1].nx is \"many\""));
  file = to_json(some_file());
  file["results"][1]["gcell_per_s"] = file["results"][0]["gcell_per_s"];
  EXPECT_TRUE(test::has(said_of(file.dump()), "results[1]: has \"gcell_per_s\""));
}

TEST(ResultJson, RowsThatContradictThemselvesAreRefused) {
  const auto refused = [](const char* key, const nlohmann::json& value) {
    nlohmann::json row = to_json(some_result());
    row[key] = value;
    EXPECT_THROW((void)result_from_json(row, "row"), Error) << key << " " << value;
  };
  refused("gcell_per_s", nullptr);
  refused("samples_s", nlohmann::json::array());
  refused("status", "unsupported");
  refused("status", "fine");
  refused("precision", "half");
  refused("gcell_per_s", {{"min", 3}, {"median", 2}, {"max", 1}});
  refused("nx", 0);
  refused("nx", 1.5);
  refused("nx", (1 << 20) + 1);
  refused("iqr_s", -1);
  refused("predicted", {{"step_s", -1}});
  refused("resources", {{"tile", {1, 2}}});
  refused("colour", "red");
}

TEST(ResultJson, OldNamesAreReadAsTodays) {
  ResultFile file = some_file();
  const auto read_as = [&file](const char* variant, const char* kind, const char* date) {
    file.results[0].variant = variant;
    file.machine["kind"] = kind;
    file.date = date;
    return result_file_from_json(to_json(file), "a").results[0].variant;
  };
  EXPECT_EQ(read_as("jacobi/ebisu", "gpu", "2026-11-24T10:00:00Z"), "jacobi/warps");
  EXPECT_EQ(read_as("jacobi/ebisu", "cpu", "2026-11-24T10:00:00Z"), "jacobi/skewed");
  EXPECT_EQ(read_as("jacobi/ebisu", "gpu", "2026-11-26T10:00:00Z"), "jacobi/ebisu");
  EXPECT_EQ(read_as("jacobi/rst", "gpu", "2026-11-26T00:46:34Z"), "jacobi/partial_sums");
}

TEST(ResultTable, ShowsRatesAndReasons) {
  std::vector<Result> rows = some_file().results;
  EXPECT_EQ(format_table(rows).find("attainable"), std::string::npos);
  rows.front().predicted["fraction_of_attainable"] = 0.875;
  const std::string table = format_table(rows);
  EXPECT_TRUE(
      test::has_all(table, {"acoustic/st_reg_fixed:32x16,nw=4", "[0.001, 0.003]", "invalid", "87.5",
                            "unsupported", "differs from the reference at (1, 2, 3)"}));
  // One heading, one rule, three rows, two reasons.
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 7) << table;
  Result noisy;
  set_valid(noisy, {1, 1, 2, 2, 2}, {1e9, 0, 0}, std::nullopt);
  EXPECT_NE(format_table({noisy}).find("~0.500"), std::string::npos);
}

TEST(ResultTable, EnergyIsShownWhereTheMachineToldIt) {
  Result told = some_result();
  Result brief = told;
  brief.energy = {{"source", "nvml"}, {"period_s", 0.1}, {"error", 2.0}, {"reason", "too short"}};
  EXPECT_EQ(format_table({told}).find("MCell/J"), std::string::npos);
  EXPECT_EQ(format_table({brief}).find("MCell/J"), std::string::npos);
  told.energy = {{"source", "nvml"},
                 {"joules", 400},
                 {"watts", 312.5},
                 {"cells_per_joule", 25e6},
                 {"error", 0.031}};
  EXPECT_TRUE(test::has_all(format_table({told, brief}), {"MCell/J", "25", "312.5", "3.1 %"}));
  ResultFile file = some_file();
  file.results = {told, brief};
  EXPECT_TRUE(test::has(to_csv(file), ",400,312.5,25000000,0.031,"));
  EXPECT_EQ(result_file_from_json(to_json(file), "a").results[0].energy, told.energy);
  // Whoever is wrong has no efficiency either.
  set_failed(told, Status::invalid, "wrong");
  EXPECT_TRUE(told.energy.empty());
}

TEST(ResultTable, CsvHasEqualColumnsAndQuotes) {
  std::istringstream csv(to_csv(some_file()));
  std::set<int> columns;
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) {
    bool inside = false;
    columns.insert(static_cast<int>(std::count_if(line.begin(), line.end(), [&](char c) {
      inside = inside != (c == '"');
      return c == ',' && !inside;
    })));
    lines.push_back(line);
  }
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(columns.size(), 1U);
  EXPECT_EQ(lines[0].rfind("application,problem,platform,fom,", 0), 0U);
  EXPECT_EQ(lines[1].rfind(R"("acoustic/st_reg_fixed:32x16,nw=4",)", 0), 0U) << lines[1];
  EXPECT_TRUE(test::has(lines[1], ",some-machine,0.002,"));
  // Not valid: the figure of merit is empty.
  EXPECT_TRUE(test::has(lines[2], ",some-machine,0,"));
}

}  // namespace
}  // namespace tessera::results

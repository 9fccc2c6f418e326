// SPDX-License-Identifier: Apache-2.0
// Published tables: what is in the tree, conversions by hand, refusals.
#include "program/results/published.hpp"

#include "fixtures/catalogue.hpp"
#include "fixtures/paths.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tessera::results {
namespace {

using test::has, test::has_all;

std::filesystem::path in_tree(const char* name) {
  return std::filesystem::path(tessera::source_directory()) / "inputs" / "published" / name;
}

double value(const Published& p, const char* name, const char* region, std::size_t column) {
  const PublishedRow* row = find_row(p, name, region);
  return row == nullptr ? -1 : row->values.at(column);
}

TEST(Published, TableIIIsReadAsGCellPerSecond) {
  const Published p = read_published(in_tree("sai-table2.toml"));
  EXPECT_EQ(p.rows.size(), 25U);
  EXPECT_NEAR(value(p, "acoustic/gmem:8x8x8", "", 0), 1000.0 / 53.88, 1e-12);      // 1000^3
  EXPECT_NEAR(value(p, "acoustic/gmem:8x8x8", "", 1), 712.121957 / 117.74, 1e-9);  // 893^3
  EXPECT_NEAR(value(p, "acoustic/gmem:8x8x8", "", 2), 27.0 / 415.85, 1e-12);       // 300^3
  // The paper's gmem_32x32x1 has the contiguous axis last: a thin tile, and the slowest row.
  EXPECT_NEAR(value(p, "acoustic/gmem:1x32x32", "", 0), 1000.0 / 292.36, 1e-12);
  // What was run, and its least traffic.
  EXPECT_EQ(p.stencil, "acoustic/iso25");
  EXPECT_EQ(p.decomposition, "seven");
  EXPECT_EQ(p.precision, "float");
  for (const PublishedColumn& column : p.columns) {
    // 16 B and 41 flops an inner cell, 28 B and 64 in a layer 27 cells wide.
    const double inner = std::pow(1 - 54.0 / static_cast<double>(column.nx), 3);
    EXPECT_NEAR(column.bytes_per_cell, 28 - 12 * inner, 0.005) << column.title;
    EXPECT_NEAR(column.flop_per_byte, (64 - 23 * inner) / (28 - 12 * inner), 0.0005);
    EXPECT_EQ(column.steps, 1000);
  }
}

TEST(Published, TableIIIGoesByRegions) {
  const Published p = read_published(in_tree("sai-table3.toml"));
  EXPECT_EQ(p.rows.size(), 100U);
  const PublishedRow* row = find_row(p, "acoustic/st_smem:16x8", "top/bottom");
  ASSERT_NE(row, nullptr);
  // Threads, teams, registers, theoretical warps and their share.
  const double wanted[] = {128, 250, 72, 28, 0.437};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(row->values[i], wanted[i], 1e-12) << i;
  EXPECT_EQ(find_row(p, "acoustic/st_smem:16x8", "shell"), nullptr);
}

TEST(Published, TableIVFollowsFromItsOwnVolumes) {
  const Published p = read_published(in_tree("sai-table4.toml"));
  const auto column = [&](const std::string& quantity) {
    const auto at = std::find_if(p.columns.begin(), p.columns.end(),
                                 [&](const auto& c) { return c.quantity == quantity; });
    return static_cast<std::size_t>(at - p.columns.begin());
  };
  ASSERT_EQ(p.rows.size(), 25U);
  const Published seconds = read_published(in_tree("sai-table2.toml"));
  for (const PublishedRow& row : p.rows) {
    SCOPED_TRACE(row.name);
    const double flops = row.values[column("resources.flops_per_cell")];
    for (const std::string level : {"l2", "dram"}) {
      const auto of = [&](const char* what) {
        return row.values[column("counters." + level + what)];
      };
      // Printed with two digits: 0.10 is between 0.095 and 0.105.
      EXPECT_NEAR(flops / of("_bytes_per_cell"), of("_flop_per_byte"), 0.0111);
      EXPECT_NEAR(row.values[column("gflop_per_s")] / of("_roofline_gflop_per_s"),
                  of("_fraction_of_roofline"), 0.002);
    }
    // Rates of Table II times flops are the rates of Table IV, whose unit is 2^30.
    EXPECT_NEAR(flops * value(seconds, row.name.c_str(), "", 0) / row.values[column("gflop_per_s")],
                1.0, 0.005);
  }
}

Result measured(const char* configuration, const char* variant = "acoustic/gmem",
                double cells = 2e9) {
  Result r;
  r.variant = variant;
  r.configuration = configuration;
  set_valid(r, {1, 1, 1, 1, 1}, {cells, 32e9, 82e9}, std::nullopt);
  return r;
}

TEST(Published, StandsBesideWhatWasMeasured) {
  std::vector<Result> rows = {measured("8x8x8"), measured("64x4x2")};
  attach_published(rows, read_published(in_tree("sai-table2.toml")), "inner");
  EXPECT_TRUE(rows[1].published.empty()) << "not the paper's";
  const std::string table = format_published(rows);
  EXPECT_TRUE(has_all(table, {"Table II", "here GCell/s", "V100", "NVS510", "2.000", "18.560"}));
  EXPECT_EQ(table.find("64x4x2"), std::string::npos) << table;
  // By regions: the one that stands for the whole. Nothing measured, nothing shown.
  rows = {measured("8x8x8")};
  attach_published(rows, read_published(in_tree("sai-table3.toml")), "inner");
  EXPECT_EQ(rows[0].published.at("columns").at(1).at("value"), 1685159.0);
  EXPECT_EQ(format_published(rows), "");
  rows[0].counters["achieved_warps"] = 40.0;
  EXPECT_TRUE(has(format_published(rows), "achieved warps"));
}

TEST(Published, ARowMayStandBesideWhateverItsNameMatches) {
  const Published p = read_published(in_tree("ebisu-h100.toml"));
  EXPECT_EQ(p.rows.size(), 9U);
  const auto rate = [&](const char* name, const char* stencil, const char* precision) {
    const PublishedRow* row = find_row(p, name, "", stencil, precision);
    return row == nullptr ? -1 : row->values.at(0);
  };
  EXPECT_EQ(rate("jacobi/warps:64x32,t=4", "jacobi/j3d7pt", "double"), 348);
  EXPECT_EQ(rate("jacobi/step:default", "jacobi/j2d5pt", "double"), 915);
  EXPECT_EQ(rate("jacobi/step:default", "jacobi/j2d5pt", "float"), -1) << "the table is of double";
  EXPECT_EQ(rate("ete/naive:default", "jacobi/j2d5pt", "double"), -1);
  Published both = p;
  both.rows.push_back({"jacobi/step:default", "", "jacobi/j2d5pt", "", {7}});
  EXPECT_EQ(find_row(both, "jacobi/step:default", "", "jacobi/j2d5pt")->values[0], 7)
      << "its own row comes first";

  std::vector<Result> rows = {measured("64x32,t=4", "jacobi/warps", 435e9)};
  rows[0].stencil = "jacobi/j3d7pt";
  rows[0].precision = "double";
  attach_published(rows, p, "");
  EXPECT_TRUE(has_all(format_published(rows, "NVIDIA H100 80GB HBM3"),
                      {"authors' program", "x authors' program", "348.000", "1.25"}));
  EXPECT_FALSE(has(format_published(rows, "Some CPU"), "x authors'")) << "of two machines";
}

TEST(Published, NamesAreThoseOfTheRegistry) {
  for (const char* file : {"sai-table2.toml", "sai-table3.toml", "sai-table4.toml"}) {
    for (const PublishedRow& row : read_published(in_tree(file)).rows) {
      EXPECT_NO_THROW((void)all_variants().select({row.name}, {}, {}, Tiles::planned)) << row.name;
    }
  }
}

TEST(Published, RefusalsNameFileAndKey) {
  const test::ScratchDirectory directory;
  const auto path = directory / "table.toml";
  const std::string head = "schema = \"tessera-published-1\"\nsource = \"a paper\"\n";
  const std::string column =
      "[[column]]\ntitle = \"A\"\ndevice = \"B\"\nquantity = \"gcell_per_s\"\n";
  const auto message_for = [&path](const std::string& content) {
    test::write_text(path, content);
    return test::error_of([&] { (void)read_published(path); });
  };
  const auto row = [](const std::string& values) {
    return "row = [{ name = \"a/b:c\", values = [" + values + "] }]\n";
  };
  EXPECT_EQ(message_for(head + row("1.5") + column), "");
  const std::pair<std::string, const char*> cases[] = {
      {"source = \"x\"\n", "schema"},
      {head + row("1.5, 2") + column, "2 values for 1 columns"},
      {head + row("-1") + column, "values = -1"},
      {head + row("1") + column + "printed = \"hours\"\n", "hours"},
      {head + row("1") + column + "printed = \"seconds\"\ngrid = [1, 2]\nsteps = 1\n", "grid"},
      {head + row("1") + "[[column]]\ntitle = \"A\"\ndevice = \"B\"\nquantity = \"speed\"\n",
       "quantity = \"speed\""},
      {head + "row = [{ name = \"a\", values = [1] }, { name = \"a\", values = [1] }]\n" + column,
       "twice"},
      {head, "needs [[column]] and row"},
  };
  for (const auto& [content, part] : cases) {
    EXPECT_TRUE(has_all(message_for(content), {"table.toml", part}));
  }
}

}  // namespace
}  // namespace tessera::results

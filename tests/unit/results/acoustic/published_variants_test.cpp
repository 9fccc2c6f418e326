// SPDX-License-Identifier: Apache-2.0
// The published tables of the acoustic family name variants and configurations that exist.
#include "fixtures/catalogue.hpp"
#include "fixtures/paths.hpp"
#include "program/results/published.hpp"

#include "base/registry/registry.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace tessera::results {
namespace {

TEST(AcousticPublished, NamesAreThoseOfTheRegistry) {
  const std::filesystem::path tables =
      std::filesystem::path(tessera::source_directory()) / "inputs" / "published";
  std::set<std::string> ours;
  for (const Selected& s : all_variants().select({"*"})) ours.insert(s.full_name());
  for (const char* file : {"sai-table2.toml", "sai-table3.toml", "sai-table4.toml"}) {
    for (const PublishedRow& row : read_published(tables / file).rows) {
      const std::string variant = row.name.substr(0, row.name.find(':'));
      EXPECT_NO_THROW((void)all_variants().find(variant)) << file;
      if (!kFewConfigurations) {
        EXPECT_EQ(ours.count(row.name), 1U) << file << ": " << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::results

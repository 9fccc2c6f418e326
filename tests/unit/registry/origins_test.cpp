// SPDX-License-Identifier: Apache-2.0
// Configurations that say they are a paper's, against what the papers print
// (inputs/published/tiles.toml).
#include "base/io/deck.hpp"
#include "base/registry/registry.hpp"
#include "base/support/text.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {
namespace {

/// Tiles of a variant that a paper prints: texts, or a rule.
struct Printed {
  std::string variant;
  std::vector<std::string> tiles;
  long x_divisible = 0, most_threads = 0;

  [[nodiscard]] bool has(const std::string& text) const {
    if (x_divisible == 0) {
      return std::any_of(tiles.begin(), tiles.end(),
                         [&](const std::string& tile) { return glob_match(tile, text); });
    }
    // "32x4x1" or "32x4,chunk=16"
    const std::string extents = text.substr(0, text.find(','));
    const char* at = extents.c_str();
    char* end = nullptr;
    const long x = std::strtol(at, &end, 10);
    long threads = x;
    while (*end == 'x') {
      at = end + 1;
      threads *= std::strtol(at, &end, 10);
    }
    return x > 0 && x % x_divisible == 0 && threads > 0 && threads <= most_threads;
  }
};

std::vector<Printed> printed_tiles() {
  const io::Deck file = io::Deck::from_file(std::string(tessera::source_directory()) +
                                            "/inputs/published/tiles.toml");
  EXPECT_EQ(file.get<std::string>("schema"), "tessera-tiles-1");
  std::vector<Printed> all;
  for (const io::Deck& row : file.tables("row")) {
    EXPECT_FALSE(row.get<std::string>("where").empty());
    Printed printed{row.get<std::string>("variant"), row.get<std::vector<std::string>>("tiles", {}),
                    row.get("x_divisible", 0), row.get("most_threads", 0)};
    EXPECT_NE(printed.tiles.empty(), printed.x_divisible == 0) << printed.variant;
    all.push_back(std::move(printed));
  }
  return all;
}

TEST(Origins, OfPapersAreWhatPapersPrint) {
  const std::vector<Printed> printed = printed_tiles();
  int checked = 0;
  for (const auto& variant : catalogue().variants.variants()) {
    for (const Configuration& c : variant->configurations) {
      if (c.origin != Origin::paper) continue;
      ++checked;
      EXPECT_TRUE(std::any_of(printed.begin(), printed.end(),
                              [&](const Printed& p) {
                                return glob_match(p.variant, variant->full_name()) && p.has(c.text);
                              }))
          << variant->full_name() << ":" << c.text << " is in no paper";
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(Origins, WhatPapersPrintIsOffered) {
  const auto& variants = catalogue().variants.variants();
  for (const Printed& p : printed_tiles()) {
    if (p.variant.find('*') != std::string::npos) continue;
    const auto variant = std::find_if(variants.begin(), variants.end(),
                                      [&](const auto& v) { return v->full_name() == p.variant; });
    if (variant == variants.end()) continue;  // a family that this build is without
    const auto& offered = (*variant)->configurations;
    if (!kFewConfigurations) {
      for (const std::string& tile : p.tiles) {
        EXPECT_TRUE(std::any_of(offered.begin(), offered.end(),
                                [&](const Configuration& c) {
                                  return c.origin == Origin::paper && glob_match(tile, c.text);
                                }))
            << p.variant << ":" << tile;
      }
    }
    EXPECT_TRUE(std::any_of(offered.begin(), offered.end(), [&](const Configuration& c) {
      return c.origin == Origin::paper && p.has(c.text);
    })) << p.variant;
  }
}

// Of every deck in inputs/ what its tables [select] name, in builds of few tiles too.
TEST(Origins, WhatDecksNameIsThere) {
  int named = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(tessera::source_directory()) / "inputs")) {
    if (entry.path().extension() != ".toml") continue;
    std::vector<io::Deck> tables = {io::Deck::from_file(entry.path())};
    for (const io::Deck& run : tables.front().tables("run")) tables.push_back(run);
    for (const io::Deck& table : tables) {
      for (const char* key : {"select.variants", "select.exclude", "variants", "exclude"}) {
        for (const auto& pattern : table.get<std::vector<std::string>>(key, {})) {
          ++named;
          EXPECT_NO_THROW(
              static_cast<void>(catalogue().variants.select({pattern}, {}, {}, Tiles::planned)))
              << entry.path() << ": " << pattern;
        }
      }
    }
  }
  EXPECT_GT(named, 50);
  EXPECT_ANY_THROW(static_cast<void>(
      catalogue().variants.select({"acoustic/st_async:31x17"}, {}, {}, Tiles::planned)));
}

TEST(Origins, RulesAndPatternsRefuse) {
  const Printed rule{"low_order/baseline", {}, 32, 1024};
  EXPECT_TRUE(rule.has("32x4x1"));
  EXPECT_TRUE(rule.has("64x16,chunk=16"));
  EXPECT_FALSE(rule.has("16x4x1")) << "not divisible";
  EXPECT_FALSE(rule.has("64x32")) << "2048 threads";
  EXPECT_FALSE(rule.has("fullx16x16"));
  const Printed list{"directional/window", {"64x4,v=1,nw=*"}};
  EXPECT_TRUE(list.has("64x4,v=1,nw=5"));
  EXPECT_FALSE(list.has("64x4,v=2,nw=5"));
}

}  // namespace
}  // namespace tessera

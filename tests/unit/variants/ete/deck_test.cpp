// SPDX-License-Identifier: Apache-2.0
// A deck of the ete family beside a table of coefficients: what contradicts it is refused by key.
#include "variants/ete/case/case.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fixtures/scratch_directory.hpp"
#include "variants/ete/case/coefficients.hpp"

namespace tessera::ete {
namespace {

using test::error_of;
using test::has;

/// A table of 1500, 3000 and 4500 m/s, h_z = 1.5 h_x.
class EteDeck : public testing::Test {
 protected:
  EteDeck() {
    CoefficientTable table = random_table(37, 3, false, 4);
    table.alpha = {0.1, 0.2, 0.3};
    table.z_spacing = 1.5;
    save_table(table, folder_ / "table.json");
  }
  [[nodiscard]] FitDeck read(const std::string& keys) const {
    return read_fit(io::Deck::from_string(
        "[ete]\ntable = '" + (folder_ / "table.json").string() + "'\n" + keys, "deck"));
  }
  [[nodiscard]] std::string refused(const std::string& keys) const {
    return error_of([&] { static_cast<void>(read(keys)); });
  }

  test::ScratchDirectory folder_;
};

TEST_F(EteDeck, WhatTheTableSaysCounts) {
  const FitDeck few = read("h = [10, 15]\n");
  EXPECT_EQ(few.alpha, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_NEAR(few.dt, 0.3 * 10 / 4500, 1e-12);
  EXPECT_EQ(refused("h = [20, 30]\nvelocities = 3\nv_min = 1000\nv_max = 3000\nalpha_max = 0.3\n"),
            "");
}

TEST_F(EteDeck, TheTableIsReadOnce) {
  const FitDeck deck = read("h = [10, 15]\n");
  std::filesystem::remove(folder_ / "table.json");
  const JudgedTable made = make_table(deck);
  EXPECT_EQ(made.table.alpha, deck.alpha);
  EXPECT_EQ(made.table.values, random_table(37, 3, false, 4).values);
  EXPECT_EQ(made.quality.size(), 3U);
}

TEST_F(EteDeck, ContradictionsAreRefusedByKey) {
  const std::string h = "h = [10, 15]\n";
  for (const char* bad : {"velocities = 4", "alpha_max = 0.4", "v_min = 2000", "v_max = 4000"}) {
    const std::string message = refused(h + bad + "\n");
    const std::string key = std::string(bad).substr(0, std::string(bad).find(' '));
    EXPECT_TRUE(has(message, "ete." + key + " contradicts ete.table")) << bad << message;
    EXPECT_TRUE(has(message, "remove the key")) << message;
  }
  for (const char* bad : {"", "h = 10\n", "h = [10, 20]\n"}) {
    const std::string message = refused(bad);
    EXPECT_TRUE(has(message, "is for h_z / h_x = 1.5")) << bad << message;
    EXPECT_TRUE(has(message, "set ete.h = [10, 15]")) << message;
  }
}

}  // namespace
}  // namespace tessera::ete

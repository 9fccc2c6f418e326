// SPDX-License-Identifier: Apache-2.0
// Keys of models that reach no cell, or have no effect, are told.
#include "program/seismic/velocity_model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fixtures/scratch_directory.hpp"

namespace tessera::io::model_keys_test {
namespace {

using test::has;

/// What loading a model of 4 x 4 x 4 cells of 10 m warns of.
std::string warnings(const std::string& keys) {
  testing::internal::CaptureStderr();
  (void)load_model(Deck::from_string("[model]\n" + keys, "deck"), {4, 4, 4, 10.0, 10.0, 10.0, 0});
  return testing::internal::GetCapturedStderr();
}

TEST(ModelKeys, LayersWithoutACellAreTold) {
  const auto layers = [](const std::string& tops, const std::string& v) {
    return warnings("kind = 'layered'\ntops = " + tops + "\nv = " + v + "\n");
  };
  EXPECT_TRUE(test::has_all(layers("[0, 10, 20.5, 30]", "[1500, 1600, 1700, 1800]"),
                            {"deck:3: model.tops", "1 of 4 layers", "top 20.5 m"}));
  EXPECT_TRUE(has(layers("[0, 500]", "[1500, 1600]"), "top 500 m"));
  EXPECT_TRUE(has(layers("[0, 11, 12, 13]", "[1500, 1600, 1700, 1800]"), "2 of 4 layers"));
  EXPECT_EQ(layers("[0, 5, 11, 21]", "[1500, 1600, 1700, 1800]"), "");
}

TEST(ModelKeys, WaterAndSaltInNoCellAreTold) {
  const std::string structure = "kind = 'structure'\n";
  EXPECT_EQ(warnings(structure + "water_depth = 20\nsalt = [0.5, 0.5, 0.5]\n"), "");
  EXPECT_TRUE(has(warnings(structure + "water_depth = 0.05\n"), "model.water_depth = 0.05 m"));
  EXPECT_TRUE(has(warnings(structure + "salt = [500, 500, 300]\n"), "fractions of the model's"));
  EXPECT_EQ(warnings(structure + "v_salt = 0\nsalt = [500, 500, 300]\n"), "");
}

TEST(ModelKeys, KeysAlongYBesideExtrudeYAreTold) {
  const test::ScratchDirectory folder;
  const std::vector<float> values(16, 2000.0F);
  test::write_text(folder / "v", {reinterpret_cast<const char*>(values.data()), 64});
  const std::string keys =
      "kind = 'raw'\nnx = 4\nnz = 4\nextrude_y = true\nfile = '" + (folder / "v").string() + "'\n";
  EXPECT_EQ(warnings(keys), "");
  EXPECT_TRUE(has(warnings(keys + "y0 = 1e6\n"), "model.y0 has no effect beside"));
  EXPECT_TRUE(has(warnings(keys + "dy = 0.001\n"), "model.dy has no effect beside"));
}

}  // namespace
}  // namespace tessera::io::model_keys_test

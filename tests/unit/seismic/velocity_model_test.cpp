// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/velocity_model.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "fixtures/cells.hpp"
#include "fixtures/scratch_directory.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/model_keys.hpp"
#include "program/seismic/segy.hpp"
#include "program/seismic/snapshots.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

constexpr ModelGrid kGrid{13, 11, 17, 10.0, 10.0, 10.0, 2};

Deck model_deck(const std::string& keys) { return Deck::from_string("[model]\n" + keys, "deck"); }

VelocityModel load(const std::string& keys, const ModelGrid& grid = kGrid) {
  const Deck deck = model_deck(keys);
  VelocityModel model = load_model(deck, grid);
  tessera::keys::check_deck(deck, {"", "", "", {model_table()}}, "shot");
  EXPECT_EQ(static_cast<std::int64_t>(model.v.size()), grid.nx * grid.ny * grid.nz);
  return model;
}

std::string load_error(const std::string& keys, const ModelGrid& grid = kGrid) {
  return error_of([&] { (void)load(keys, grid); });
}

void write_floats(const std::filesystem::path& path, const std::vector<float>& values) {
  test::write_text(path, std::string(reinterpret_cast<const char*>(values.data()),
                                     values.size() * sizeof(float)));
}

// A file in which each value tells its place: 1000 + 100 z + 10 y + x.
std::vector<float> places(int nx, int ny, int nz) {
  std::vector<float> values;
  test::for_cells({0, nz, 0, ny, 0, nx}, [&](int z, int y, int x) {
    values.push_back(static_cast<float>(1000 + 100 * z + 10 * y + x));
  });
  return values;
}

// A part of a grid, also one that lies in a layer, has the whole one's velocities to the bit.
void expect_parts(const std::string& keys, const ModelGrid& grid) {
  const Deck deck = model_deck(keys);
  const VelocityModel model = load_model(deck, grid);
  const std::int64_t nx = grid.nx, ny = grid.ny, nz = grid.nz;
  for (const CellBox& part :
       {CellBox{0, 1, 0, ny, 0, nx}, CellBox{0, 2, 0, 2, 0, 2}, CellBox{1, 9, 3, 8, 4, nx},
        CellBox{5, 6, 0, ny, 6, 7}, CellBox{nz - 1, nz, ny - 1, ny, nx - 2, nx},
        CellBox{7, nz, 0, ny, 0, 5}}) {
    const VelocityModel own = load_model(deck, grid, part);
    ASSERT_EQ(static_cast<std::int64_t>(own.v.size()), part.cells());
    EXPECT_EQ(own.note, model.note);
    test::for_cells(part, [&](auto z, auto y, auto x) {
      ASSERT_EQ(own.at(z, y, x), model.at(z, y, x)) << keys << z << " " << y << " " << x;
    });
  }
}

TEST(VelocityModel, LayersBeginAtTheirTops) {
  const VelocityModel uniform = load("kind = 'uniform'\nv = 2000\n");
  EXPECT_EQ(velocity_range(uniform).minimum, 2000.0F);
  EXPECT_EQ(velocity_range(uniform).maximum, 2000.0F);
  const VelocityModel model = load("kind = 'layered'\ntops = [0, 50]\nv = [1500, 2500]\n");
  // Inner cell z = 4 lies 40 m deep, z = 5 at 50 m: the second layer's top.
  EXPECT_EQ(model.at(2 + 4, 5, 5), 1500.0F);
  EXPECT_EQ(model.at(2 + 5, 5, 5), 2500.0F);
}

TEST(VelocityModel, GradientAndPmlContinuation) {
  const VelocityModel model = load("kind = 'gradient'\nv0 = 1500\nk = 0.5\n");
  EXPECT_EQ(model.at(2, 5, 5), 1500.0F);
  EXPECT_EQ(model.at(2 + 6, 5, 5), 1530.0F);
  EXPECT_EQ(model.at(0, 5, 5), 1500.0F);   // top layer: the border's value
  EXPECT_EQ(model.at(16, 5, 5), 1560.0F);  // bottom layer: inner z = 12
  EXPECT_EQ(model.at(0, 0, 0), model.at(2, 2, 2));
  EXPECT_EQ(model.at(16, 10, 12), model.at(14, 8, 10));
}

TEST(VelocityModel, RandomIsSeededAndInRange) {
  const std::string keys = "kind = 'random'\nv_min = 1500\nv_max = 4500\n";
  const VelocityModel a = load(keys + "seed = 3\n");
  const VelocityModel b = load(keys + "seed = 3\n");
  const VelocityModel c = load(keys + "seed = 4\n");
  EXPECT_EQ(a.v, b.v);
  EXPECT_NE(a.v, c.v);
  EXPECT_GE(velocity_range(a).minimum, 1500.0F);
  EXPECT_LE(velocity_range(a).maximum, 4500.0F);
  EXPECT_GT(velocity_range(a).maximum - velocity_range(a).minimum, 2500.0F);
  EXPECT_EQ(a.at(7, 5, 0), a.at(7, 5, 2));  // PML continues the border
  EXPECT_NE(a.at(7, 5, 3), a.at(7, 5, 4));
}

TEST(VelocityModel, StructureHasLayersFaultAndSalt) {
  const ModelGrid grid{80, 20, 60, 20, 20, 20, 0};
  const std::string keys = "kind = 'structure'\nwater_depth = 100\n";
  const VelocityModel model = load(keys, grid);
  EXPECT_EQ(model.at(4, 10, 40), 1500.0F);
  EXPECT_EQ(model.at(33, 10, 51), 4500.0F);  // centre of the salt
  EXPECT_GT(std::count(model.v.begin(), model.v.end(), 4500.0F), 500);
  EXPECT_GE(std::set<float>(model.v.begin(), model.v.end()).size(), 8U);
  EXPECT_NE(load(keys + "fault_throw = 0\n", grid).v, model.v);
  EXPECT_LE(velocity_range(load(keys + "v_salt = 0\n", grid)).maximum, 4000.0F);
  EXPECT_EQ(load(keys, grid).v, model.v);
}

TEST(VelocityModel, BadGenerators) {
  for (const auto& [keys, part] :
       {std::pair("v = 1\n", "model.kind"),
        {"kind = 'layered'\ntops = [0, 5]\nv = [1]\n", "one velocity a layer"},
        {"kind = 'layered'\ntops = [0, 5, 5]\nv = [1, 2, 3]\n", "model.tops"},
        {"kind = 'layered'\ntops = [3]\nv = [1]\n", "depth 0"},
        {"kind = 'gradient'\nv0 = 100\nk = -50\n", "bottom"},
        {"kind = 'random'\nv_min = 9\nv_max = 5\n", "model.v_max = 5"}}) {
    EXPECT_TRUE(has(load_error(keys), part));
  }
  EXPECT_TRUE(has(load_error("kind = 'uniform'\nv = 5\n", {4, 4, 4, 1, 1, 1, 2}), "inner region"));
}

TEST(VelocityModel, RawFileResampled) {
  const test::ScratchDirectory folder;
  write_floats(folder / "v.f32", places(9, 7, 13));
  // Twice as fine a grid, beginning at x = 10 m.
  const std::string keys = "kind = 'raw'\nfile = '" + (folder / "v.f32").string() +
                           "'\nnx = 9\nny = 7\nnz = 13\ndx = 10\ndy = 10\ndz = 10\nx0 = 10\n";
  const ModelGrid grid{13, 11, 17, 5.0, 5.0, 5.0, 2};
  EXPECT_FLOAT_EQ(load(keys, grid).at(2 + 1, 2 + 2, 2 + 3), 1000.0F + 50 + 10 + 2.5F);
  EXPECT_EQ(load(keys + "interpolation = 'nearest'\n", grid).at(2 + 1, 2 + 2, 2 + 3),
            1000.0F + 100 + 10 + 3);
}

TEST(VelocityModel, UnitsOfFiles) {
  const test::ScratchDirectory folder;
  const ModelGrid grid{2, 1, 2, 10, 10, 10, 0};
  const std::string keys =
      "kind = 'raw'\nnx = 2\nnz = 2\nfile = '" + (folder / "v").string() + "'\n";
  write_floats(folder / "v", {1.5F, 2.0F, 2.5F, 3.0F});
  EXPECT_FLOAT_EQ(load(keys + "quantity = 'velocity_km_s'\n", grid).at(1, 0, 0), 2500.0F);
  EXPECT_TRUE(has(load_error(keys, grid), "set model.quantity = \"velocity_km_s\""));
  EXPECT_EQ(load(keys + "quantity = 'velocity_m_s'\n", grid).at(1, 0, 0), 2.5F) << "as it says";
  write_floats(folder / "v", {0.25F, 0.25F, 0.25F, 0.0625F});
  const auto model = load(keys + "quantity = 'squared_slowness_s2_km2'\n", grid);
  EXPECT_FLOAT_EQ(model.at(0, 0, 0), 2000.0F);
  EXPECT_FLOAT_EQ(model.at(1, 0, 1), 4000.0F);
  EXPECT_TRUE(has(load_error(keys, grid), "set model.quantity = \"squared_slowness_s2_km2\""));
}

TEST(VelocityModel, BadFiles) {
  const test::ScratchDirectory folder;
  const ModelGrid grid{3, 1, 2, 10, 10, 10, 0};
  const std::string keys =
      "kind = 'raw'\nnx = 3\nnz = 2\nfile = '" + (folder / "v").string() + "'\n";
  EXPECT_TRUE(has(load_error(keys, grid), "/v"));
  write_floats(folder / "v", {1, 2, 3, 4, 5});
  EXPECT_TRUE(has(load_error(keys, grid), "20 bytes"));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), 0.0F, -1500.0F,
                          std::numeric_limits<float>::infinity()}) {
    write_floats(folder / "v", {1, 2, 3, 4, bad, 6});
    EXPECT_TRUE(has(load_error(keys, grid), "the value at z = 1, y = 0, x = 1 is "));
  }
  write_floats(folder / "v", {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(has(load_error(keys, {3, 4, 2, 10, 10, 10, 0}), "model.extrude_y = true"));
  EXPECT_TRUE(has(load_error(keys, {4, 1, 2, 10, 10, 10, 0}), "the file covers 0 to 20 m along x"));
  EXPECT_TRUE(has(load_error(keys + "z0 = -20\n", grid), "along z"));
}

TEST(VelocityModel, SegyRoundTrip) {
  if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  const test::ScratchDirectory folder;
  const auto path = folder / "v.sgy";
  {
    SegyHeader header;
    header.receivers.resize(9 * 7);
    header.interval_us = 10000;  // mm: the grid's 10 m
    header.samples = 13;
    SegyWriter writer(path, header);
    std::vector<float> traces;
    test::for_cells({0, 7, 0, 9, 0, 13}, [&](int y, int x, int z) {
      traces.push_back(static_cast<float>(1000 + 100 * z + 10 * y + x));
    });
    writer.append(traces.data(), 13, 13);
    writer.commit();
  }
  const std::string keys = "kind = 'segy'\nfile = '" + path.string() + "'\n";
  EXPECT_TRUE(has(load_error(keys + "nx = 9\nny = 7\n"), "bytes 203 to 204"));  // pressures
  std::string bytes = test::read_text(path);
  for (std::size_t i = 3600; i < bytes.size(); i += 240 + 13 * 4) bytes[i + 203] = 6;  // m/s
  test::write_text(path, bytes);
  const VelocityModel model = load(keys + "nx = 9\nny = 7\n");
  EXPECT_EQ(model.at(2 + 5, 2 + 3, 2 + 8), 1538.0F);
  expect_parts(keys + "nx = 9\nny = 7\n", kGrid);
  EXPECT_TRUE(has(load_error(keys + "nx = 8\nny = 7\n"), "63 traces"));
  // The same as IBM floats: 118.625 is 0x4276a000 there, 1 is 0x41100000.
  bytes[3225] = 1;  // format, bytes 3225-3226 counted from 1
  bytes[3224] = 0;
  for (std::size_t i = 3600; i < bytes.size(); i += 240 + 13 * 4)
    for (std::size_t s = i + 240; s < i + 240 + 13 * 4; s += 4)
      bytes.replace(s, 4,
                    s == i + 240 + 4 ? std::string("\x41\x10\x00\x00", 4)
                                     : "\x42\x76\xa0" + std::string(1, '\0'));
  test::write_text(path, bytes);
  const VelocityModel ibm = load(keys + "nx = 9\nny = 7\n");
  EXPECT_EQ(ibm.at(2 + 5, 2 + 3, 2 + 8), 118.625F);
  EXPECT_EQ(ibm.at(2 + 1, 2 + 3, 2 + 8), 1.0F);
  test::write_text(path, bytes.substr(0, 100));
  EXPECT_TRUE(has(load_error(keys), "100 bytes"));
}

TEST(VelocityModel, SourcesTellTheirMemory) {
  const test::ScratchDirectory folder;
  test::write_text(folder / "v", std::string(4 * 9 * 13, 'a'));
  const std::string keys = "nx = 9\nnz = 13\nfile = '" + (folder / "v").string() + "'\n";
  const ModelSource raw = model_source(Deck::from_string("[model]\nkind = 'raw'\n" + keys));
  EXPECT_EQ(raw.file, (folder / "v").string());
  const ModelGrid grid{13, 5, 17, 10, 10, 10, 2};
  EXPECT_EQ(raw.bytes_of(grid, grid.whole()), 4 * 9 * 13);
  // Cells 5 and 6 along z, from the inner region's third on; a layer is made of its border.
  EXPECT_EQ(raw.bytes_of(grid, {5, 7, 0, 5, 0, 13}), 4 * 9 * 3);
  EXPECT_EQ(raw.bytes_of(grid, {0, 2, 0, 5, 0, 4}), 4 * 3 * 2);
  EXPECT_EQ(model_source(Deck::from_string("[model]\nkind = 'uniform'\nv = 2000\n"))
                .bytes_of(grid, grid.whole()),
            0);
}

TEST(VelocityModel, PartsAreThoseOfTheWhole) {
  const test::ScratchDirectory folder;
  ModelGrid surface = kGrid;
  surface.free_surface = true;
  for (const ModelGrid& grid : {kGrid, surface, ModelGrid{13, 11, 17, 7.0, 8.0, 6.0, 2}}) {
    expect_parts("kind = 'random'\nv_min = 1000\nv_max = 2000\n", grid);
    expect_parts("kind = 'structure'\n", grid);
  }
  std::vector<float> values = places(9, 7, 13);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.37F * static_cast<float>(i % 11);
  write_floats(folder / "v.f32", values);
  const std::string raw =
      "kind = 'raw'\nfile = '" + (folder / "v.f32").string() + "'\nnx = 9\nny = 7\nnz = 13\n";
  const ModelGrid fine{13, 11, 17, 5.0, 4.0, 7.0, 2};
  const std::string cut = "dx = 10\ndy = 10\ndz = 10\nx0 = 13\ny0 = 4.5\nz0 = 2\n";
  expect_parts(raw, kGrid);
  expect_parts(raw + cut, fine);
  expect_parts(raw + cut + "interpolation = 'nearest'\n", fine);
  // The same values along other axes: Seismic Unix has z fastest, arrays of Devito too.
  const VelocityModel plain = load(raw + cut, fine);
  for (const std::string order : {"yxz", "xyz"}) {
    const auto at = [&](char axis) { return order.find(axis); };
    std::vector<float> turned;
    const bool y_first = order[0] == 'y';
    test::for_cells({0, y_first ? 7 : 9, 0, y_first ? 9 : 7, 0, 13}, [&](int i, int j, int k) {
      const int place[] = {i, j, k};
      turned.push_back(values[static_cast<std::size_t>((place[at('z')] * 7 + place[at('y')]) * 9 +
                                                       place[at('x')])]);
    });
    write_floats(folder / "turned.f32", turned);
    const std::string keys =
        "kind = 'raw'\nnx = 9\nny = 7\nnz = 13\norder = '" + order + "'\nfile = '";
    EXPECT_EQ(load(keys + (folder / "turned.f32").string() + "'\n" + cut, fine).v, plain.v);
    expect_parts(keys + (folder / "turned.f32").string() + "'\n" + cut, fine);
  }
  EXPECT_TRUE(has(load_error(raw + "order = 'xz'\n"), "model.order"));
  const std::string flat = "kind = 'raw'\nnx = 9\nnz = 13\nextrude_y = true\nfile = '";
  write_floats(folder / "flat.f32", places(9, 1, 13));
  expect_parts(flat + (folder / "flat.f32").string() + "'\n", kGrid);
  if (!have_hdf5()) return;
  SnapshotOptions options;
  options.path = folder / "v.h5";
  options.x = {0, 1, 9};
  options.y = {0, 1, 7};
  options.z = {0, 1, 13};
  options.dx = options.dy = options.dz = 10;
  SnapshotWriter(options, values).finish();
  expect_parts(
      "kind = 'hdf5'\ndataset = '/velocity'\nfile = '" + (folder / "v.h5").string() + "'\n" + cut,
      fine);
  const CellBox box{2, 5, 1, 3, 4, 9};
  const ModelFile part = read_hdf5_model(folder / "v.h5", "/velocity", box);
  EXPECT_EQ(part.values, read_raw_model(folder / "v.f32", {9, 7, 13}, "zyx", box).values);
  EXPECT_EQ(part.shape.nz, 3);
}

// What no cell is made of is not read: a rank that does not need a bad value does not see it.
TEST(VelocityModel, OfAFileOnlyWhatIsNeededIsRead) {
  const test::ScratchDirectory folder;
  std::vector<float> values = places(9, 7, 13);
  values[12 * 63] = -1;  // z = 12
  write_floats(folder / "v.f32", values);
  const Deck deck = model_deck("kind = 'raw'\nfile = '" + (folder / "v.f32").string() +
                               "'\nnx = 9\nny = 7\nnz = 13\n");
  EXPECT_EQ(load_model(deck, kGrid, {0, 13, 0, 11, 0, 13}).at(2, 2, 2), 1000.0F);
  EXPECT_TRUE(has(error_of([&] {
                    (void)load_model(deck, kGrid, {14, 17, 0, 11, 0, 13});
                  }),
                  "the value at z = 12, y = 0, x = 0 is -1"));
}

TEST(VelocityModel, ShapesOfNonsenseAreRefused) {
  for (const ModelShape shape :
       {ModelShape{0, 1, 1}, ModelShape{-5, 1, 1}, ModelShape{1LL << 40, 1LL << 40, 1},
        ModelShape{1, 1, 1LL << 32}, ModelShape{1 << 30, 1 << 30, 1 << 30}}) {
    EXPECT_TRUE(has(error_of([&] { (void)allocate_model(shape, "file"); }), "are not a model"));
  }
}

TEST(VelocityModel, UnderAFreeSurfaceTheFirstPlaneIsTheInnerRegions) {
  ModelGrid grid = kGrid;
  grid.free_surface = true;
  const VelocityModel model = load("kind = 'gradient'\nv0 = 1500\nk = 1\n", grid);
  EXPECT_EQ(model.at(0, 5, 5), 1500.0F);
  EXPECT_EQ(model.at(14, 5, 5), 1500.0F + 140);  // the last of the inner region
  EXPECT_EQ(model.at(16, 5, 5), 1500.0F + 140);
}

}  // namespace
}  // namespace tessera::io

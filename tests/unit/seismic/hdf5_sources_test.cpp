// SPDX-License-Identifier: Apache-2.0
// HDF5 models whose values lie elsewhere: what is missing is named.
#include "program/seismic/hdf5_sources.hpp"

#include <gtest/gtest.h>

#if TESSERA_HAVE_HDF5

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/io/output_claims.hpp"
#include "base/support/files.hpp"
#include "fixtures/hdf5_model.hpp"

namespace tessera::io {
namespace {

using test::has;

class Hdf5Sources : public test::Hdf5Model {
 protected:
  /// A virtual model of a mapping from the dataset `dataset` of `file`, whose cells without a
  /// source are `fill`.
  void write_virtual(hid_t space, hid_t source, const char* file, const char* dataset) const {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const float fill = 1500;
    H5Pset_fill_value(creation, H5T_NATIVE_FLOAT, &fill);
    ASSERT_GE(H5Pset_virtual(creation, space, file, dataset, source), 0);
    create(space, creation, [](hid_t) {});
    H5Pclose(creation);
  }
  /// The same of one source for all.
  void write_virtual(const char* file, const char* dataset) const {
    const hid_t space = H5Screate_simple(3, kShape, nullptr);
    write_virtual(space, space, file, dataset);
    H5Sclose(space);
  }
  /// The same of a source for each two planes, by a pattern that counts them.
  void write_pattern(const char* file, const char* dataset) const {
    const hsize_t most[] = {H5S_UNLIMITED, kNy, kNx}, block[] = {2, kNy, kNx};
    const hsize_t start[] = {0, 0, 0}, count[] = {H5S_UNLIMITED, 1, 1}, stride[] = {2, 1, 1};
    const hid_t space = H5Screate_simple(3, kShape, most);
    const hid_t source = H5Screate_simple(3, block, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
    write_virtual(space, source, file, dataset);
    H5Sclose(source);
    H5Sclose(space);
  }
  /// A source of two planes of 2000 m/s.
  void write_part(const std::string& file, const char* dataset) const {
    const hsize_t shape[] = {2, kNy, kNx};
    const std::vector<float> values(2 * kNy * kNx, 2000.0F);
    const hid_t part = H5Fcreate((folder_ / file).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(H5LTmake_dataset_float(part, dataset, 3, shape, values.data()), 0);
    H5Fclose(part);
  }
  /// The model as a link to the dataset `dataset` of `file`.
  void write_link(const std::filesystem::path& from, const char* file, const char* dataset) const {
    const hid_t id = H5Fcreate(from.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(H5Lcreate_external(file, dataset, id, "m", H5P_DEFAULT, H5P_DEFAULT), 0);
    H5Fclose(id);
  }
  /// The model with its values in a file of plain numbers, named from the working directory.
  void write_raw(const std::filesystem::path& file) const {
    const hid_t space = H5Screate_simple(3, kShape, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    ASSERT_GE(H5Pset_external(creation, file.c_str(), 0, 4 * kNz * kNy * kNx), 0);
    create(space, creation, [](hid_t) {});
    H5Pclose(creation);
    H5Sclose(space);
  }
  /// The model is read, and then no output may take the place of any of these.
  void expect_noted(const std::vector<std::string>& files) const {
    forget_inputs();
    EXPECT_EQ(read({.headers = false}), "");
    for (const std::string& file : files) {
      EXPECT_TRUE(has(test::error_of([&] { require_unread(folder_ / file); }), "is read and would"))
          << file;
    }
    EXPECT_EQ(test::error_of([&] { require_unread(folder_ / "other.h5"); }), "");
    forget_inputs();
  }
  /// Refused with and without checks of headers.
  void expect_missing(const std::string& file, const std::string& dataset) const {
    const std::string words =
        "its source " + file + ", dataset \"" + dataset + "\", cannot be opened";
    for (const HeaderChecks& checks : {HeaderChecks{}, HeaderChecks{.headers = false}})
      EXPECT_TRUE(has(read(checks), words)) << read(checks);
  }
};

TEST_F(Hdf5Sources, SourcesOfVirtualDatasetsMustBeThere) {
  write_virtual("part.h5", "v");
  expect_missing("part.h5", "v");
  write_file(folder_ / "part.h5", "other");
  expect_missing("part.h5", "v");
  write_file(folder_ / "part.h5", "v");
  EXPECT_EQ(read(), "");
}

TEST_F(Hdf5Sources, FilesThatLinksLeadToAreRead) {
  std::filesystem::create_directory(folder_ / "far");
  write_file(folder_ / "far/end.h5", "v");
  write_link(path(), "far/end.h5", "/v");
  expect_noted({"far/end.h5"});
  // Over another file, from its folder.
  write_link(folder_ / "far/middle.h5", "end.h5", "/v");
  write_link(path(), "far/middle.h5", "/m");
  expect_noted({"far/middle.h5", "far/end.h5"});
  std::filesystem::remove(folder_ / "far/end.h5");
  EXPECT_TRUE(has(read(), "it is a link to end.h5, \"/v\", which cannot be opened")) << read();
}

TEST_F(Hdf5Sources, LinksThatLeadNowhereAreNamed) {
  const auto link = [&](const char* target) {
    const hid_t file = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft(target, file, "m", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
  };
  link("/none");
  EXPECT_TRUE(has(read(), "a link in it leads to nothing")) << read();
  link("/m");
  EXPECT_TRUE(has(read(), "a link in it leads back to itself")) << read();
}

TEST_F(Hdf5Sources, SourcesOfVirtualDatasetsAreRead) {
  write_file(folder_ / "end.h5", "v");
  write_virtual("end.h5", "v");
  expect_noted({"end.h5"});
  // Of a virtual one, and of a link.
  std::filesystem::rename(path(), folder_ / "middle.h5");
  write_virtual("middle.h5", "m");
  expect_noted({"middle.h5", "end.h5"});
  write_link(folder_ / "middle.h5", "end.h5", "/v");
  expect_noted({"middle.h5", "end.h5"});
  write_pattern("part-%b.h5", "v");
  write_part("part-0.h5", "v");
  write_part("part-1.h5", "v");
  expect_noted({"part-0.h5", "part-1.h5"});
}

TEST_F(Hdf5Sources, AVirtualDatasetIsNoSourceOfItself) {
  write_virtual(".", "m");
  EXPECT_TRUE(has(read(), "leads back to itself")) << read();
}

TEST_F(Hdf5Sources, FilesOfPlainNumbersAreRead) {
  write_raw(folder_ / "values.raw");
  EXPECT_TRUE(has(read(), "values.raw, which is not there: put it there")) << read();
  const std::vector<float> values(kNz * kNy * kNx, 2000.0F);
  test::write_text(folder_ / "values.raw",
                   {reinterpret_cast<const char*>(values.data()), 4 * values.size()});
  expect_noted({"values.raw"});
  std::filesystem::rename(path(), folder_ / "middle.h5");
  write_virtual("middle.h5", "m");
  expect_noted({"middle.h5", "values.raw"});
}

TEST_F(Hdf5Sources, TwoPercentSignsAreOneOfTheName) {
  write_virtual("p%%b.h5", "v%%");
  expect_missing("p%b.h5", "v%");
  write_file(folder_ / "p%b.h5", "v%");
  EXPECT_EQ(read(), "");
}

TEST_F(Hdf5Sources, EachBlockOfAPatternMustBeThere) {
  write_pattern("part-%b.h5", "v");
  expect_missing("part-0.h5", "v");
  write_part("part-0.h5", "v");
  write_part("part-1.h5", "v");
  EXPECT_EQ(read(), "");
  // HDF5 alone would end the model before the one that is missing, and read the rest of it.
  std::filesystem::remove(folder_ / "part-0.h5");
  expect_missing("part-0.h5", "v");
  write_part("part-0.h5", "v");
  write_part("part-3.h5", "v");
  expect_missing("part-2.h5", "v");
  write_part("part-2.h5", "other");
  expect_missing("part-2.h5", "v");
  write_part("part-2.h5", "v");
  EXPECT_EQ(hdf5_model_shape(path(), "m").nz, 8);
}

TEST_F(Hdf5Sources, APatternMayCountDatasets) {
  write_pattern("parts.h5", "v%b");
  write_part("parts.h5", "v1");
  expect_missing("parts.h5", "v0");
}

TEST_F(Hdf5Sources, AMissingFilterIsNamed) {
  constexpr H5Z_filter_t kFilter = 300;  // of the range for tests
  const H5Z_class2_t filter = {H5Z_CLASS_T_VERS,
                               kFilter,
                               1,
                               1,
                               "tessera-test",
                               nullptr,
                               nullptr,
                               [](unsigned, std::size_t, const unsigned*, std::size_t bytes,
                                  std::size_t*, void**) { return bytes; }};
  ASSERT_GE(H5Zregister(&filter), 0);
  const hid_t space = H5Screate_simple(3, kShape, nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 3, kShape);
  H5Pset_filter(creation, kFilter, H5Z_FLAG_MANDATORY, 0, nullptr);
  create(space, creation, [](hid_t data) {
    const std::vector<float> values(kNz * kNy * kNx, 2000.0F);
    EXPECT_GE(H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  });
  H5Pclose(creation);
  H5Sclose(space);
  EXPECT_EQ(read(), "");
  ASSERT_GE(H5Zunregister(kFilter), 0);
  EXPECT_TRUE(has(read(), "filter 300 (tessera-test), which this HDF5 has not")) << read();
}

TEST_F(Hdf5Sources, FilesThatAreOpenOrDamagedAreNamed) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t file = H5Fcreate((folder_ / "open.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const std::vector<float> values(kNz * kNy * kNx, 2000.0F);
  H5LTmake_dataset_float(file, "m", 3, kShape, values.data());
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  std::filesystem::copy_file(folder_ / "open.h5", path());
  H5Fclose(file);
  H5Pclose(access);
  EXPECT_TRUE(test::has(read(), "its writer did not close it")) << read();
  std::fstream bytes(folder_ / "open.h5", std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(44);  // the checksum of the superblock
  bytes.put('?');
  bytes.close();
  std::filesystem::rename(folder_ / "open.h5", path());
  EXPECT_TRUE(test::has(read(), "it is damaged: a checksum")) << read();
}

}  // namespace
}  // namespace tessera::io

#endif

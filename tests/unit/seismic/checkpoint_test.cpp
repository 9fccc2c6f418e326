// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/checkpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fixtures/scratch_directory.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

CheckpointHead head_of(int value_bytes) {
  CheckpointHead head;
  head.identity = "grid: 7 x 5 x 300 cells\nmodel: random\n";
  head.step = 12;
  head.shape = {7, 5, 300};
  head.value_bytes = value_bytes;
  head.receivers = 3;
  return head;
}

template <class Real>
Real value_at(std::int64_t i) {
  return static_cast<Real>(0.1) * static_cast<Real>(i) - 7;
}

template <class Real>
void round_trip() {
  const test::ScratchDirectory folder;
  const auto path = folder / "checkpoint.h5";
  const CheckpointHead head = head_of(sizeof(Real));
  std::vector<float> samples(36);
  std::iota(samples.begin(), samples.end(), 0.5F);
  const std::int64_t plane = head.shape.nx * head.shape.ny;
  const auto fill = [&](std::int64_t z, std::int64_t count, void* values) {
    for (std::int64_t i = 0; i < count * plane; ++i) {
      static_cast<Real*>(values)[i] = value_at<Real>(z * plane + i);
    }
  };
  write_checkpoint(path, head, {{whole_array("u", head), fill}, {whole_array("phi", head), fill}},
                   samples);
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint.part.h5"));
  const CheckpointHead found = read_checkpoint_head(path);
  EXPECT_EQ(found.identity, head.identity);
  EXPECT_EQ(found.step, 12);
  EXPECT_EQ(found.shape.nz, 300);
  EXPECT_EQ(found.value_bytes, static_cast<int>(sizeof(Real)));
  EXPECT_EQ(read_checkpoint_samples(path), samples);
  for (const char* name : {"u", "phi"}) {
    std::int64_t next = 0;
    const auto take = [&](std::int64_t z, std::int64_t count, const void* values) {
      EXPECT_EQ(z, next);
      next += count;
      for (std::int64_t i = 0; i < count * plane; ++i) {
        ASSERT_EQ(static_cast<const Real*>(values)[i], value_at<Real>(z * plane + i));
      }
    };
    read_checkpoint_field(path, whole_array(name, head), take);
    EXPECT_EQ(next, 300);
    // A part alone, its planes counted from its first.
    std::vector<Real> part;
    read_checkpoint_field(path, {name, head.shape, {11, 13, 1, 4, 2, 4}, head.value_bytes},
                          [&](std::int64_t z, std::int64_t count, const void* values) {
                            EXPECT_EQ(z, static_cast<std::int64_t>(part.size() / 6));
                            const auto* first = static_cast<const Real*>(values);
                            part.insert(part.end(), first, first + count * 6);
                          });
    ASSERT_EQ(part.size(), 12U);
    EXPECT_EQ(part[0], value_at<Real>(11 * plane + 1 * 7 + 2));
    EXPECT_EQ(part[3], value_at<Real>(11 * plane + 2 * 7 + 3));
    EXPECT_EQ(part[11], value_at<Real>(12 * plane + 3 * 7 + 3));
  }
}

TEST(Checkpoint, OneThatCannotBeWrittenLeavesTheOneBefore) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  const test::ScratchDirectory folder;
  const auto path = folder / "checkpoint.h5";
  CheckpointHead head = head_of(4);
  const auto zeros = [&](std::int64_t, std::int64_t count, void* values) {
    std::fill_n(static_cast<float*>(values), count * head.shape.nx * head.shape.ny, 0.0F);
  };
  write_checkpoint(path, head, {{whole_array("u", head), zeros}}, std::vector<float>(36));
  head.step = 24;
  const auto fails = [](std::int64_t, std::int64_t, void*) { fail("no more"); };
  EXPECT_THROW(
      write_checkpoint(path, head, {{whole_array("u", head), fails}}, std::vector<float>(72)),
      Error);
  EXPECT_EQ(read_checkpoint_head(path).step, 12);
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint.part.h5"));
}

TEST(Checkpoint, ComesBackToTheBit) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  round_trip<float>();
  round_trip<double>();
}

TEST(Checkpoint, DamagedValuesAreNamed) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  const test::ScratchDirectory folder;
  const auto path = folder / "checkpoint.h5";
  const CheckpointHead head = head_of(4);
  const auto constant = [](float value) {
    return [value](std::int64_t, std::int64_t count, void* values) {
      std::fill_n(static_cast<float*>(values), count * 35, value);
    };
  };
  write_checkpoint(
      path, head,
      {{whole_array("u", head), constant(1.5F)}, {whole_array("phi", head), constant(2.5F)}},
      std::vector<float>(36, 3.5F));
  const auto message = [&](const CellBox& box) {
    return error_of([&] {
      static_cast<void>(read_checkpoint_samples(path));
      require_undamaged(path, {{"u", head.shape, box, head.value_bytes},
                               {"phi", head.shape, box, head.value_bytes}});
    });
  };
  EXPECT_EQ(message(whole(head.shape)), "");
  const std::string stored = test::read_text(path);
  // One bit of one value, which HDF5 does not notice.
  for (const auto& [value, part] :
       {std::pair(1.5F, "its field u is damaged"), std::pair(2.5F, "its field phi is damaged"),
        std::pair(3.5F, "its samples are damaged")}) {
    std::string damaged = stored;
    const auto at = damaged.find(std::string(reinterpret_cast<const char*>(&value), 4));
    ASSERT_NE(at, std::string::npos);
    damaged[at + 8] = static_cast<char>(damaged[at + 8] ^ 1);
    test::write_text(path, damaged);
    EXPECT_TRUE(has(message(whole(head.shape)), part)) << message(whole(head.shape));
    EXPECT_TRUE(has(message(whole(head.shape)), "remove it, and the shot begins at step 0"));
  }
}

TEST(Checkpoint, ChecksumsOfPartsAddUp) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  const test::ScratchDirectory folder;
  const auto path = folder / "checkpoint.h5";
  const CheckpointHead head = head_of(8);
  const auto fill = [](std::int64_t z, std::int64_t count, void* values) {
    for (std::int64_t i = 0; i < count * 35; ++i)
      static_cast<double*>(values)[i] = value_at<double>(z * 35 + i);
  };
  write_checkpoint(path, head, {{whole_array("u", head), fill}}, std::vector<float>(36));
  // As if others had the cells behind a cut along each axis: their part of the sum comes from them.
  const auto sum = [&](const CellBox& box, const std::vector<std::uint64_t>& others) {
    std::vector<std::uint64_t> own;
    Writers writers;
    writers.sum = [&](const std::vector<std::uint64_t>& numbers) {
      own = numbers;
      return std::vector<std::uint64_t>{numbers[0] + (others.empty() ? 0 : others[0])};
    };
    const std::string said = error_of([&] {
      require_undamaged(path, {{"u", head.shape, box, head.value_bytes}}, writers);
    });
    EXPECT_EQ(said.empty(), !others.empty()) << said;
    return own;
  };
  for (const auto& [one, other] :
       {std::pair(CellBox{0, 7, 0, 5, 0, 7}, CellBox{7, 300, 0, 5, 0, 7}),
        std::pair(CellBox{0, 300, 0, 2, 0, 7}, CellBox{0, 300, 2, 5, 0, 7}),
        std::pair(CellBox{0, 300, 0, 5, 0, 3}, CellBox{0, 300, 0, 5, 3, 7})}) {
    sum(one, sum(other, {}));
  }
}

TEST(Checkpoint, OthersAreRefusedInALine) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  const test::ScratchDirectory folder;
  const auto path = folder / "checkpoint.h5";
  const auto message = [&] {
    return error_of([&] { static_cast<void>(read_checkpoint_head(path)); });
  };
  EXPECT_TRUE(has(message(), "cannot read the checkpoint"));
  test::write_text(path, "no checkpoint");
  EXPECT_TRUE(has(message(), "it is no HDF5 file; remove it, and the shot begins at step 0"));
  const auto zero = [](std::int64_t, std::int64_t count, void* values) {
    std::fill_n(static_cast<float*>(values), count * 35, 0.0F);
  };
  write_checkpoint(path, head_of(4), {{whole_array("u", head_of(4)), zero}},
                   std::vector<float>(36));
  EXPECT_TRUE(has(error_of([&] {
                    read_checkpoint_field(path, {"phi", {}, {}, sizeof(float)}, {});
                  }),
                  "cannot read"));
  // Each prefix of a whole file is refused, or is not noticed before a part is read.
  const std::string whole = test::read_text(path);
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 40) {
    test::write_text(path, whole.substr(0, size));
    EXPECT_FALSE(message().empty()) << size;
  }
  EXPECT_TRUE(has(message(), "it is cut off: a part of it is missing")) << message();
}

}  // namespace
}  // namespace tessera::io

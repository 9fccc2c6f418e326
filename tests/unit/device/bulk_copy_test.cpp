// SPDX-License-Identifier: Apache-2.0
// Boxes that the copy engine brings to scratch, zeros where they leave the field; a host brings
// them itself.
#include "base/device/bulk_copy.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "base/device/this_machine.hpp"
#include "base/support/error.hpp"

namespace tessera {
namespace {

TEST(BulkCopy, ABarrierIsAWordOfScratch) {
  EXPECT_EQ(sizeof(ScratchBarrier), sizeof(std::uint64_t));
  EXPECT_EQ(alignof(ScratchBarrier), alignof(std::uint64_t));
  EXPECT_TRUE(std::is_trivially_copyable_v<ScratchBarrier>);
}

TEST(BulkCopy, TheMachineSaysWhatKernelsAreBuiltFor) {
  const MachineLimits machine = this_machine();
  EXPECT_EQ(machine.bulk_copies, kHasBulkCopy);
  EXPECT_TRUE(kOnDevice || !kHasBulkCopy);
}

#if defined(TESSERA_COPY_AT_ONCE)

TEST(BulkCopy, AHostCopiesAtOnce) {
  constexpr int kPlanes = 4, kRows = 8, kColumns = 16, kX = 8, kY = 4;
  float field[kPlanes][kRows][kColumns];
  float number = 1;
  for (auto& plane : field)
    for (auto& row : plane)
      for (float& value : row) value = number++;
  const PlaneMap map(&field[0][0][0], kColumns, kRows * kColumns, {kPlanes, kRows, kColumns}, kX,
                     kY);
  ScratchBarrier barrier{};
  barrier.init(2);
  for (const int z : {1, -1, 3}) {
    float scratch[kY][kX] = {};
    const int parity = z == -1 ? 1 : 0, y = z == 3 ? 6 : -2, x = 12;
    barrier.arrive_and_expect(sizeof scratch);
    map.copy(&scratch[0][0], z, y, x, barrier);
    barrier.wait(parity ^ 1);  // the phase before has ended
    barrier.arrive();
    barrier.wait(parity);
    for (int i = 0; i < kY; ++i) {
      for (int j = 0; j < kX; ++j) {
        const bool there = z >= 0 && y + i >= 0 && y + i < kRows && x + j < kColumns;
        EXPECT_EQ(scratch[i][j], there ? field[z][y + i][x + j] : 0) << i << ' ' << j;
      }
    }
  }
}

#elif defined(TESSERA_BULK_COPY)

/// One team copies the box at (z, y, x) of a field and stores what has arrived.
template <class T>
struct CopyBox {
  static constexpr int kX = 16, kY = 4;
  PlaneMap map;
  int z, y, x;
  Kokkos::View<T*, ExecSpace::memory_space> got;

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    T* box = static_cast<T*>(team.team_scratch(0).get_shmem(kX * kY * sizeof(T) + 64));
    auto* barrier = reinterpret_cast<ScratchBarrier*>(box + kX * kY);
    if (team.team_rank() == 0) {
      barrier->init(1);
      fence_barriers();
    }
    team.team_barrier();
    if (team.team_rank() == 0) {
      barrier->arrive_and_expect(kX * kY * sizeof(T));
      map.copy(box, z, y, x, *barrier);
    }
    barrier->wait(0);
    for (int i = team.team_rank(); i < kX * kY; i += team.team_size()) got(i) = box[i];
  }
};

template <class T>
void expect_boxes() {
  constexpr int kZ = 3, kRows = 7, kRow = 48, kSeen = 40;
  const Kokkos::View<T*, ExecSpace::memory_space> field("field", kZ * kRows * kRow);
  const auto host = Kokkos::create_mirror_view(field);
  for (int i = 0; i < kZ * kRows * kRow; ++i) host(i) = static_cast<T>(i + 1);
  Kokkos::deep_copy(field, host);
  const PlaneMap map(field.data(), kRow, kRows * kRow, {kZ, kRows, kSeen}, CopyBox<T>::kX,
                     CopyBox<T>::kY);
  const ExecSpace exec;
  for (const int z : {-1, 0, 2, 3})
    for (const int y : {-2, 0, 3, 5})
      for (const int x : {-16, -8, 0, 24, 32}) {
        const Kokkos::View<T*, ExecSpace::memory_space> got("got", CopyBox<T>::kX * CopyBox<T>::kY);
        native_launch<32>(exec, "tessera::test::bulk_copy", 1,
                          CopyBox<T>::kX * CopyBox<T>::kY * sizeof(T) + 64,
                          CopyBox<T>{map, z, y, x, got});
        exec.fence();
        const auto seen = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
        for (int i = 0; i < CopyBox<T>::kX * CopyBox<T>::kY; ++i) {
          const int row = y + i / CopyBox<T>::kX, column = x + i % CopyBox<T>::kX;
          const bool in =
              z >= 0 && z < kZ && row >= 0 && row < kRows && column >= 0 && column < kSeen;
          ASSERT_EQ(seen(i), in ? host((z * kRows + row) * kRow + column) : T(0))
              << z << " " << row << " " << column;
        }
      }
}

TEST(BulkCopy, BoxesArriveWithZerosOutsideTheField) {
  expect_boxes<float>();
  expect_boxes<double>();
  expect_boxes<std::uint16_t>();
}

TEST(BulkCopy, RefusesWhatTheEngineCannotCopy) {
  const Kokkos::View<float*, ExecSpace::memory_space> field("field", 1024);
  EXPECT_THROW(PlaneMap(field.data() + 1, 32, 256, {4, 8, 32}, 16, 4), Error)
      << "corner on 4 bytes";
  EXPECT_THROW(PlaneMap(field.data(), 32, 256, {4, 8, 32}, 300, 4), Error)
      << "a box of 300 columns";
}

#endif

}  // namespace
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Entry point of every test program: GoogleTest inside a Kokkos session.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // CTest lists the tests where there may be no device; listing needs no Kokkos.
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return RUN_ALL_TESTS();
}

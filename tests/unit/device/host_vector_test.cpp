// SPDX-License-Identifier: Apache-2.0
#include "base/device/host_vector.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

/// Factors whose products need more digits than T has: two roundings would show.
template <class T>
void check_lanes_at_every_offset() {
  constexpr int kLanes = kHostLanes<T>;
  const T third = T(1) / T(3);
  std::vector<T> b(3 * kLanes), c(3 * kLanes);
  for (int i = 0; i < 3 * kLanes; ++i) b[i] = 1 + third * i, c[i] = -third - third * third * i;
  for (int offset = 0; offset <= kLanes; ++offset) {
    HostVector<T> factor = load_host_vector(b.data() + offset);
    keep_in_register<T>(factor);
    std::vector<T> out(3 * kLanes, T(-1));
    store_host_vector(
        out.data() + offset,
        multiply_add_lanes<T>(all_lanes(third), factor, load_host_vector(c.data() + offset)));
    std::vector<T> loaded(3 * kLanes, T(-1));
    store_host_vector(
        loaded.data() + offset,
        multiply_add_lanes<T>(load_all_lanes(third), factor, load_host_vector(c.data() + offset)));
    for (int i = 0; i < 3 * kLanes; ++i) {
      const bool inside = i >= offset && i < offset + kLanes;
      ASSERT_EQ(out[i], inside ? multiply_add(third, b[i], c[i]) : T(-1)) << offset << " " << i;
      ASSERT_EQ(loaded[i], out[i]) << offset << " " << i;
    }
  }
}

/// Lane j of vector i is 100 i + j.
template <class T>
void check_exchange_of_lanes() {
  constexpr int kLanes = kHostLanes<T>;
  std::vector<T> numbers(kLanes * kLanes);
  for (int i = 0; i < kLanes * kLanes; ++i) numbers[i] = T(100 * (i / kLanes) + i % kLanes);
  HostVector<T> vectors[kLanes];
  for (int i = 0; i < kLanes; ++i) vectors[i] = load_host_vector(numbers.data() + i * kLanes);
  std::vector<T> up(kLanes), column(kLanes);
  store_host_vector(up.data(), lanes_up<T>(vectors[0]));
  transpose_lanes<T>(vectors);
  for (int j = 0; j < kLanes; ++j) {
    ASSERT_EQ(up[(j + 1) % kLanes], T(j));
    store_host_vector(column.data(), vectors[j]);
    for (int i = 0; i < kLanes; ++i) ASSERT_EQ(column[i], T(100 * i + j)) << i << " " << j;
  }
}

TEST(HostVector, LanesAreTransposedAndRotated) {
  check_exchange_of_lanes<float>();
  check_exchange_of_lanes<double>();
}

TEST(HostVector, LanesRoundAsScalarsDoAtAnyAddress) {
  check_lanes_at_every_offset<float>();
  check_lanes_at_every_offset<double>();
}

}  // namespace
}  // namespace tessera

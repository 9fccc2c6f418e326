// SPDX-License-Identifier: Apache-2.0
#include "tile/host_vector.hpp"

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
    store_host_vector(out.data() + offset,
                      multiply_add_lanes<T>(third, factor, load_host_vector(c.data() + offset)));
    for (int i = 0; i < 3 * kLanes; ++i) {
      const bool inside = i >= offset && i < offset + kLanes;
      ASSERT_EQ(out[i], inside ? multiply_add(third, b[i], c[i]) : T(-1)) << offset << " " << i;
    }
  }
}

TEST(HostVector, LanesRoundAsScalarsDoAtAnyAddress) {
  check_lanes_at_every_offset<float>();
  check_lanes_at_every_offset<double>();
}

}  // namespace
}  // namespace tessera

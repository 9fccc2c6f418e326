// SPDX-License-Identifier: Apache-2.0
#include "base/device/streaming_row.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

template <class T>
void check_every_offset_and_length() {
  std::vector<T> from(80);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i + 1);
  for (int offset = 0; offset < 17; ++offset) {
    for (int n = 0; n <= 40; ++n) {
      std::vector<T> to(80, T(-1));
      store_row_streaming(to.data() + offset, from.data() + 3, n);
      streaming_fence();
      for (int i = 0; i < 80; ++i) {
        const bool inside = i >= offset && i < offset + n;
        ASSERT_EQ(to[i], inside ? from[i - offset + 3] : T(-1)) << offset << " " << n << " " << i;
      }
    }
  }
}

TEST(StoreRowStreaming, WritesEveryElementAndNoOther) {
  check_every_offset_and_length<float>();
  check_every_offset_and_length<double>();
}

}  // namespace
}  // namespace tessera

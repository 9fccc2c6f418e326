// SPDX-License-Identifier: Apache-2.0
// How far a result may be from the reference's.
#pragma once

#include <algorithm>
#include <limits>

namespace tessera {

/// What a sum of `terms` in one order may differ by from the same in another, as a share of the sum
/// of their magnitudes: 8 (eps / 2) for up to 25 terms, in proportion for more. See
/// docs/numerics.md.
template <class Real>
[[nodiscard]] constexpr double bound_of_sum(int terms) {
  return std::max(8.0, 8.0 * terms / 25) * (std::numeric_limits<Real>::epsilon() / 2.0);
}

}  // namespace tessera

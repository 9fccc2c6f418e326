// SPDX-License-Identifier: Apache-2.0
// How far a result may be from the reference's.
#pragma once

#include <limits>

namespace tessera {

/// Two orders of summation of the same terms may differ by kBound<Real> times the sum of the terms'
/// magnitudes: 8 (eps / 2). See docs/numerics.md.
template <class Real>
inline constexpr double kBound = 8 * (std::numeric_limits<Real>::epsilon() / 2.0);

}  // namespace tessera

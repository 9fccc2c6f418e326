// SPDX-License-Identifier: Apache-2.0
// A rank's part of a field beside the same cells of a field that one rank has made whole.
#pragma once

#include "base/case/case.hpp"
#include "base/grid/domain.hpp"
#include "base/grid/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera {

/// Whether a variant sums a point's terms in an order that depends on where its tiles lie.
[[nodiscard]] inline bool reorders(const Variant& variant) {
  return std::find(variant.tags.begin(), variant.tags.end(), "reorders") != variant.tags.end();
}

/// Compares to the bit. Variants that reorder sum a cell's terms by where it lies in its tile,
/// which other cuts move: their cells may differ by some roundings of the largest value that was
/// compared, those of a format in 16 bits too.
template <class Real>
class RanksEqual {
 public:
  explicit RanksEqual(const Domain& domain, const Selected& how, Storage storage = Storage::plain)
      : RanksEqual(domain, how, whole(domain.n())) {
    rounding_ += 8 * rounding_of(storage, 1);
  }
  /// Only the domain's cells in `own`, in its indices.
  RanksEqual(const Domain& domain, const Selected& how, const Box& own)
      : domain_(domain), own_(own), reorders_(reorders(*how.variant)) {}

  /// `part` has the domain's cells, `all` those of the grid.
  void compare(const char* what, int step, const Field<Real>& part, const Field<Real>& all) {
    const auto here = host_copy(part);
    const auto there = host_copy(all);
    const Box& box = domain_.box;
    double largest = 0;
    if (reorders_) {
      for_each([&](int z, int y, int x) {
        largest = std::max(largest, std::abs(static_cast<double>(here(part.index(z, y, x)))));
      });
    }
    for_each([&](int z, int y, int x) {
      const Real got = here(part.index(z, y, x));
      const Real wanted = there(all.index(z + box.z0, y + box.y0, x + box.x0));
      ++verdict_.cells;
      if (std::memcmp(&got, &wanted, sizeof got) == 0) return;
      const double bound = rounding_ * largest;
      const double difference = std::abs(static_cast<double>(got) - static_cast<double>(wanted));
      if (reorders_ && difference <= bound) return;
      if (!verdict_.ok) return;
      verdict_.ok = false;
      verdict_.worst = std::numeric_limits<double>::infinity();
      verdict_.reason = fmt::format(
          "{} differs from one rank's at x = {}, y = {}, z = {} after step {}: {:.9g}, one rank "
          "{:.9g}",
          what, x + box.x0, y + box.y0, z + box.z0, step, got, wanted);
    });
  }

  [[nodiscard]] const Verdict& verdict() const { return verdict_; }

 private:
  template <class Body>
  void for_each(const Body& body) const {
    for (int z = own_.z0; z < own_.z1; ++z) {
      for (int y = own_.y0; y < own_.y1; ++y) {
        for (int x = own_.x0; x < own_.x1; ++x) body(z, y, x);
      }
    }
  }

  Domain domain_;
  Box own_;
  bool reorders_;
  double rounding_ = 64.0 * std::numeric_limits<Real>::epsilon();
  Verdict verdict_;
};

}  // namespace tessera

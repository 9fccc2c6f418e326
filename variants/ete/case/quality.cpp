// SPDX-License-Identifier: Apache-2.0
// Misfit and stability of a table of coefficients.
#include "base/support/error.hpp"
#include "variants/ete/case/device_copy.hpp"
#include "variants/ete/case/fit.hpp"
#include "variants/ete/case/symbol.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::ete {
namespace {

using DoubleView = Kokkos::View<double*, ExecSpace::memory_space>;

constexpr int kBandPoints = 24;  // an axis, of the ball in which the misfit is taken
constexpr int kZonePoints = 33;  // an axis, of the zone in which growth is looked for

/// Quality of column v: misfit_max, misfit_rms, growth at out(3 v) ...
template <class ShapeType>
struct Judge {
  DoubleView columns, alpha, out;
  double band, z_spacing;  // band in radians a cell along x

  [[nodiscard]] KOKKOS_FUNCTION double size_at(const double* c, const double (&k)[3]) const {
    const double s = symbol<ShapeType>(c, Harmonics(k[0]), Harmonics(k[1]), Harmonics(k[2]));
    return s < 0 ? -s : s;
  }

  /// Climbs |S| from `k` by steps that halve; never leaves the zone.
  [[nodiscard]] KOKKOS_FUNCTION double climb(const double* c, double (&k)[3], double step) const {
    double best = size_at(c, k);
    while (step > 1e-6) {
      bool moved = false;
      for (int d = 0; d < 3; ++d) {
        for (int side = -1; side <= 1; side += 2) {
          const double before = k[d];
          const double to = before + side * step;
          k[d] = to < 0 ? 0 : to > std::numbers::pi ? std::numbers::pi : to;
          const double here = size_at(c, k);
          if (here > best) {
            best = here;
            moved = true;
          } else {
            k[d] = before;
          }
        }
      }
      if (!moved) step *= 0.5;
    }
    return best;
  }

  /// |misfit| where the ray through (i, j, l) leaves the ball: there it is largest, and few points
  /// of a cubic grid lie there.
  [[nodiscard]] KOKKOS_FUNCTION double miss_at_rim(const double* c, double column_alpha, int i,
                                                   int j, int l) const {
    const double unit = band / std::sqrt(static_cast<double>(i * i + j * j + l * l));
    const double s = symbol<ShapeType>(c, Harmonics(unit * i), Harmonics(unit * j),
                                       Harmonics(unit * l * z_spacing));
    const double exact = std::cos(column_alpha * band);
    return s > exact ? s - exact : exact - s;
  }

  KOKKOS_FUNCTION void operator()(int v) const {
    const double* c = columns.data() + static_cast<std::int64_t>(v) * ShapeType::kRows;
    // 1. Misfit over the ball |k| hx <= band. S is even, and the same with x and y exchanged.
    double worst = 0;
    double square = 0;
    double count = 0;
    for (int i = 0; i <= kBandPoints; ++i) {
      for (int j = 0; j <= i; ++j) {
        for (int l = 0; l <= kBandPoints; ++l) {
          const int radius = i * i + j * j + l * l;
          if (i == kBandPoints || l == kBandPoints) {
            const double miss = miss_at_rim(c, alpha(v), i, j, l);
            worst = miss > worst ? miss : worst;
          }
          if (radius > kBandPoints * kBandPoints) continue;
          const double unit = band / kBandPoints;
          const double s = symbol<ShapeType>(c, Harmonics(unit * i), Harmonics(unit * j),
                                             Harmonics(unit * l * z_spacing));
          const double exact = std::cos(alpha(v) * unit * std::sqrt(static_cast<double>(radius)));
          const double miss = s > exact ? s - exact : exact - s;
          worst = miss > worst ? miss : worst;
          // Points on the planes of symmetry represent fewer of the ball.
          const double weight =
              (i == j ? 1 : 2) * (i == 0 ? 1 : 2) * (j == 0 ? 1 : 2) * (l == 0 ? 1 : 2);
          square += weight * miss * miss;
          count += weight;
        }
      }
    }
    // 2. Growth: |S| on a grid of the zone, then uphill from the largest |S| away from k = 0, where
    // S is 1, and from points beside k = 0, where a fit of the wrong curvature rises above 1.
    constexpr double kUnit = std::numbers::pi / (kZonePoints - 1);
    double growth = 0;
    double top[3] = {std::numbers::pi, std::numbers::pi, std::numbers::pi};
    double best = 0;
    for (int i = 0; i < kZonePoints; ++i) {
      const Harmonics x(kUnit * i);
      for (int j = 0; j <= i; ++j) {
        const Harmonics y(kUnit * j);
        for (int l = 0; l < kZonePoints; ++l) {
          double s = symbol<ShapeType>(c, x, y, Harmonics(kUnit * l));
          s = s < 0 ? -s : s;
          growth = s > growth ? s : growth;
          if (i + j + l > 4 && s > best) {
            best = s;
            top[0] = kUnit * i, top[1] = kUnit * j, top[2] = kUnit * l;
          }
        }
      }
    }
    const double climbed = climb(c, top, 0.5 * kUnit);
    growth = climbed > growth ? climbed : growth;
    for (int corner = 1; corner < 8; ++corner) {
      double k[3] = {(corner & 1) * kUnit, (corner >> 1 & 1) * kUnit, (corner >> 2) * kUnit};
      const double near = climb(c, k, 0.25 * kUnit);
      growth = near > growth ? near : growth;
    }
    out(3 * v) = worst;
    out(3 * v + 1) = std::sqrt(square / count);
    out(3 * v + 2) = growth - 1;
  }
};

}  // namespace

std::vector<FitQuality> quality_of(const CoefficientTable& table, double band) {
  const int columns = table.columns();
  const DoubleView out("tessera::ete::fit::quality", 3 * static_cast<std::size_t>(columns));
  with_shape(table.points, [&](auto shape) {
    Kokkos::parallel_for(
        "tessera::ete::fit::judge",
        Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>(0, columns),
        Judge<decltype(shape)>{to_device(table.values, "tessera::ete::fit::values"),
                               to_device(table.alpha, "tessera::ete::fit::alpha"), out,
                               band * std::numbers::pi, table.z_spacing});
  });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  std::vector<FitQuality> quality(static_cast<std::size_t>(columns));
  for (int v = 0; v < columns; ++v) {
    FitQuality& q = quality[static_cast<std::size_t>(v)];
    q.alpha = table.alpha[static_cast<std::size_t>(v)];
    q.misfit_max = host(3 * v);
    q.misfit_rms = host(3 * v + 1);
    q.growth = host(3 * v + 2);
  }
  return quality;
}

void require_stable(const std::vector<FitQuality>& quality, const std::string& what) {
  for (const FitQuality& q : quality) {
    require(
        q.stable(),
        "{}: the stencil for v dt / h = {:.6g} is unstable: |S| reaches 1 + {:.3g} in the zone; "
        "lower ete.alpha_max",
        what, q.alpha, q.growth);
  }
}

}  // namespace tessera::ete

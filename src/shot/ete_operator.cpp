// SPDX-License-Identifier: Apache-2.0
#include "shot/ete_operator.hpp"

#include "cases/ete/case.hpp"
#include "grid/transfer.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::ete {

OperatorDeck read_operator(const io::Deck& deck, const Region& inner, int value_bytes) {
  OperatorDeck made;
  made.points = deck.get_choice("shot.ete_stencil", "73pt", {"37pt", "73pt"}) == "37pt" ? 37 : 73;
  made.velocities = deck.get_in<int>("shot.velocities", kSeedColumns, 1, kNarrowColumns);
  made.options = read_fit_options(deck);
  const std::string pattern =
      deck.get("shot.ete_variant",
               kOnDevice ? "ete/base_simd:32x8x1" : "ete/base_simd_blocked:fullx16xfull");
  const auto selection = all_variants().select({pattern});
  require(selection.size() == 1 && selection.front().variant->family == "ete",
          "shot.ete_variant = \"{}\" does not name one configuration of family ete, such as "
          "\"ete/base_simd_blocked:fullx16xfull\"",
          pattern);
  made.how = selection.front();
  const Plan plan = made.how.variant->plan(
      made.how.configuration, inner,
      {made.points == 37 ? "ete/37pt" : "ete/73pt", value_bytes, made.velocities, false});
  require(plan.supported(), "shot.ete_variant = \"{}\" cannot run here: {}", pattern,
          plan.unsupported);
  return made;
}

template <class Real>
ShotOperator<Real>::ShotOperator(const OperatorDeck& deck, const Medium& medium) : deck_(deck) {
  require(medium.h[0] == medium.h[1],
          "shot.operator = \"ete\" wants equal spacings along x and y; acoustic.h has {} and {} m",
          medium.h[0], medium.h[1]);
  deck_.options.z_spacing = medium.h[2] / medium.h[0];
  const int bins = medium.v_min == medium.v_max ? 1 : deck.velocities;
  const double width = bins == 1 ? 0 : (medium.v_max - medium.v_min) / (bins - 1);
  std::vector<double> alpha;
  alpha.reserve(bins);
  for (int i = 0; i < bins; ++i) {
    alpha.push_back((medium.v_min + i * width) * medium.dt / medium.h[0]);
  }
  std::vector<FitQuality> quality;
  const CoefficientTable table = fit(deck.points, alpha, deck_.options, &quality);
  require_stable(quality, "shot.operator = \"ete\", acoustic.cfl");
  tables_ = DeviceTables<Real>(table);
  index_ = Field<std::uint16_t>("index", medium.n, 0);
  double farthest = 0;
  from_host(index_, [&](int z, int y, int x) {
    const double v = medium.velocity(z, y, x);
    const int i = bins == 1 ? 0 : static_cast<int>(std::lround((v - medium.v_min) / width));
    const int bin = std::clamp(i, 0, bins - 1);
    farthest = std::max(farthest, std::abs(medium.v_min + bin * width - v));
    return static_cast<std::uint16_t>(bin);
  });
  remark_ =
      fmt::format("ete operator: {} points; {}; velocities off their bin by at most {:.3g} m/s",
                  deck.points, describe_quality(quality, deck_.options.band), farthest);
}

template <class Real>
void ShotOperator<Real>::update(const ExecSpace& exec, const Field<Real>& u,
                                const Field<Real>& next, const Region& region) const {
  Fields<Real> f;
  f.p = u.ref().origin;
  f.next = next.ref().origin;
  f.row = next.ref().row;
  f.plane = next.ref().plane;
  f.index = index_.ref().origin;
  f.index_row = index_.ref().row;
  f.index_plane = index_.ref().plane;
  f.tables = tables_.ref();
  static_cast<const EteVariant*>(deck_.how.variant)
      ->step<Real>(deck_.how.configuration, deck_.points, exec, f, region);
}

double mean_around(const std::function<double(double)>& f, double t, double dt) {
  // Simpson's rule on 16 intervals: a step is a small part of the wavelet's period.
  constexpr int kIntervals = 16;
  double sum = f(t - dt) + f(t + dt);
  for (int i = 1; i < kIntervals; ++i) {
    sum += (i % 2 == 1 ? 4 : 2) * f(t - dt + 2 * dt * i / kIntervals);
  }
  return sum / (3 * kIntervals);
}

template class ShotOperator<float>;
template class ShotOperator<double>;

}  // namespace tessera::ete

// SPDX-License-Identifier: Apache-2.0
// shot.operator = "ete": the inner region advanced by an ete stencil, velocities in bins, a column
// of coefficients for each.
#include "base/grid/transfer.hpp"
#include "base/support/error.hpp"
#include "program/shot/inner_operator.hpp"
#include "variants/ete/case/case.hpp"
#include "variants/ete/case/fit.hpp"
#include "variants/ete/case/solver.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::ete {
namespace {

/// What [shot] and [fit] of a deck say.
struct OperatorDeck {
  int points = 73;       ///< shot.ete_stencil
  int velocities = 902;  ///< shot.velocities: bins between the model's slowest and fastest
  int value_bytes = 4;
  Selected how;  ///< shot.ete_variant: it updates the inner region
  FitOptions options;
};

Plan plan_of(const OperatorDeck& deck, const Region& region) {
  return deck.how.variant->plan(
      deck.how.configuration, region,
      {deck.points == 37 ? "ete/37pt" : "ete/73pt", deck.value_bytes, deck.velocities, false});
}

/// The coefficients for a medium, and the bins of its velocities.
struct Fitted {
  int bins = 1;
  double width = 0;  ///< of a bin, m/s
  CoefficientTable table;
  std::vector<FitQuality> quality;
};

/// Throws Error for spacings that differ along x and y, and where a bin would be unstable.
Fitted fit_to(const OperatorDeck& deck, const Medium& medium) {
  require(
      medium.h[0] == medium.h[1],
      "shot.operator = \"ete\" requires equal spacings along x and y; acoustic.h has {} and {} m",
      medium.h[0], medium.h[1]);
  FitOptions options = deck.options;
  options.z_spacing = medium.h[2] / medium.h[0];
  Fitted made;
  made.bins = medium.v_min == medium.v_max ? 1 : deck.velocities;
  made.width = made.bins == 1 ? 0 : (medium.v_max - medium.v_min) / (made.bins - 1);
  std::vector<double> alpha;
  alpha.reserve(made.bins);
  for (int i = 0; i < made.bins; ++i) {
    alpha.push_back((medium.v_min + i * made.width) * medium.dt / medium.h[0]);
  }
  made.table = fit(deck.points, alpha, options, &made.quality);
  require_stable(made.quality, "shot.operator = \"ete\", acoustic.cfl");
  return made;
}

template <class Real>
class EteOperator : public InnerOperator<Real> {
 public:
  /// Fits the coefficients and bins the velocities. Throws Error as fit_to() does.
  EteOperator(const OperatorDeck& deck, const Medium& medium) : deck_(deck) {
    const Fitted fitted = fit_to(deck, medium);
    const int bins = fitted.bins;
    const double width = fitted.width;
    tables_ = DeviceTables<Real>(fitted.table);
    const Box& own = medium.domain.box;
    index_ = Field<std::uint16_t>("index", medium.domain.n(), 0);
    double farthest = 0;
    from_host(index_, [&](int z, int y, int x) {
      const double v = medium.velocity(z + own.z0, y + own.y0, x + own.x0);
      const int i = bins == 1 ? 0 : static_cast<int>(std::lround((v - medium.v_min) / width));
      const int bin = std::clamp(i, 0, bins - 1);
      farthest = std::max(farthest, std::abs(medium.v_min + bin * width - v));
      return static_cast<std::uint16_t>(bin);
    });
    remark_ = fmt::format(
        "ete operator: {} points; {}; velocities off their bin by at most {:.3g} m/s", deck.points,
        describe_quality(fitted.quality, deck_.options.band), medium.ranks.max(farthest));
  }

  void update(const ExecSpace& exec, const Field<Real>& u, const Field<Real>& next,
              const Region& region) const override {
    Fields<Real> f;
    f.p = u.ref().origin;
    f.next = next.ref().origin;
    f.row = next.ref().row;
    f.plane = next.ref().plane;
    f.index = index_.ref().origin;
    f.index_row = index_.ref().row;
    f.index_plane = index_.ref().plane;
    f.tables = tables_.ref();
    deck_.how.as<EteVariant>().step<Real>(deck_.how.configuration, deck_.points, exec, f, region);
  }

  /// Mean of f over [t - dt, t + dt]: what drives a scheme that is exact in time. A step of length
  /// dt integrates the source with the weight (dt - |s|) in the far field, whose transform differs
  /// from dt^2 f by sinc(omega dt), that of this mean.
  [[nodiscard]] double source(const std::function<double(double)>& f, double t,
                              double dt) const override {
    // Simpson's rule on 16 intervals: a step is a small part of the wavelet's period.
    constexpr int kIntervals = 16;
    double sum = f(t - dt) + f(t + dt);
    for (int i = 1; i < kIntervals; ++i) {
      sum += (i % 2 == 1 ? 4 : 2) * f(t - dt + 2 * dt * i / kIntervals);
    }
    return sum / (3 * kIntervals);
  }

  [[nodiscard]] std::string remark() const override { return remark_; }

 private:
  OperatorDeck deck_;
  DeviceTables<Real> tables_;
  Field<std::uint16_t> index_;
  std::string remark_;
};

class EteOperatorDeck : public InnerOperatorDeck {
 public:
  explicit EteOperatorDeck(OperatorDeck deck) : deck_(std::move(deck)) {}

  [[nodiscard]] std::string identity() const override {
    const FitOptions& o = deck_.options;
    return fmt::format("ete, {} points, {} velocities, fit {:g} {:g} {:g} {}", deck_.points,
                       deck_.velocities, o.band, o.power, o.outside, o.stabilise);
  }
  [[nodiscard]] std::string refused_on_ranks(const std::vector<Region>& regions) const override {
    std::string why = ete::refused_on_ranks(deck_.how);
    for (const Region& region : regions) {
      if (why.empty() && region.update == Update::inner) why = plan_of(deck_, region).unsupported;
    }
    return why.empty() ? ""
                       : fmt::format("shot.ete_variant = \"{}\" cannot run on these ranks: {}",
                                     deck_.how.full_name(), why);
  }
  [[nodiscard]] std::int64_t memory_bytes(const Extents& n) const override {
    return field_bytes(n, 0, 2);
  }
  void require_possible(const Medium& medium) const override {
    static_cast<void>(fit_to(deck_, medium));
  }
  void make(const Medium& medium, std::unique_ptr<InnerOperator<float>>& made) const override {
    made = std::make_unique<EteOperator<float>>(deck_, medium);
  }
  void make(const Medium& medium, std::unique_ptr<InnerOperator<double>>& made) const override {
    made = std::make_unique<EteOperator<double>>(deck_, medium);
  }

 private:
  OperatorDeck deck_;
};

std::string read_pattern(const io::Deck& deck) {
  return deck.get("shot.ete_variant",
                  kOnDevice ? "ete/base_simd:32x8x1" : "ete/base_simd_blocked:fullx16xfull");
}

/// The configuration that a pattern names. Throws Error where it names none of ete, or several.
Selected select_one(const Registry& registry, const std::string& pattern) {
  const auto selection = registry.select({pattern});
  require(selection.size() == 1 && selection.front().variant->family == "ete",
          "shot.ete_variant = \"{}\" does not name one configuration of family ete, such as "
          "\"ete/base_simd_blocked:fullx16xfull\"",
          pattern);
  return selection.front();
}

/// What a deck says except for the variant.
OperatorDeck read_operator_deck(const io::Deck& deck) {
  OperatorDeck made;
  made.points = deck.get("shot.ete_stencil", "73pt") == std::string("37pt") ? 37 : 73;
  made.velocities = deck.get<int>("shot.velocities", kPaperColumns);
  made.options = read_fit_options(deck);
  return made;
}

}  // namespace
}  // namespace tessera::ete

namespace tessera {

std::shared_ptr<const InnerOperatorDeck> read_ete_operator(const io::Deck& deck,
                                                           const Region& inner, int value_bytes,
                                                           const Registry& registry) {
  using namespace ete;
  OperatorDeck made = read_operator_deck(deck);
  const std::string pattern = read_pattern(deck);
  made.how = select_one(registry, pattern);
  made.value_bytes = value_bytes;
  const Plan plan = plan_of(made, inner);
  require(plan.supported(), "shot.ete_variant = \"{}\" cannot run here: {}", pattern,
          plan.unsupported);
  return std::make_shared<EteOperatorDeck>(std::move(made));
}

void check_ete_keys(const io::Deck& deck, const Registry& registry) {
  static_cast<void>(ete::read_operator_deck(deck));
  if (deck.contains("shot.ete_variant")) {
    static_cast<void>(ete::select_one(registry, ete::read_pattern(deck)));
  }
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "variants/ete/case/fit.hpp"

#include "base/support/error.hpp"
#include "variants/ete/case/device_copy.hpp"
#include "variants/ete/case/fit_problem.hpp"

#if TESSERA_HAVE_KOKKOSKERNELS
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trsv_Serial_Impl.hpp>
#endif

#include <cmath>

namespace tessera::ete {

void check(const FitOptions& o) {
  require(o.band > 0 && o.band * std::max(1.0, o.z_spacing) <= 1,
          "fit.band = {} must lie above 0 and, along every axis, at most at 1 (the shortest wave "
          "that the grid holds; hz / hx is {})",
          o.band, o.z_spacing);
  require(o.outside >= 0 && o.outside <= 1e6, "fit.outside = {} is not between 0 and 1e6",
          o.outside);
  require(o.power >= -4 && o.power <= 8, "fit.power = {} is not between -4 and 8", o.power);
  require(o.z_spacing > 0 && std::isfinite(o.z_spacing), "hz / hx = {} must be positive",
          o.z_spacing);
}

bool can_fit() { return TESSERA_HAVE_KOKKOSKERNELS != 0; }

#if TESSERA_HAVE_KOKKOSKERNELS

namespace {

constexpr int kRounds = 10;       // of raising the weight outside
constexpr double kFirst = 1e-10;  // weight outside that the first of them tries
constexpr const char* kValues = "tessera::ete::fit::values";

using DoubleView = Kokkos::View<double*, ExecSpace::memory_space>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace::memory_space>;
using Batch = Kokkos::View<double***, Kokkos::LayoutRight, ExecSpace::memory_space>;

/// One column: right side and matrix, then LU and three triangular solves of Kokkos Kernels.
struct SolveColumn {
  Matrix q, z, gram, r;  // gram = Z'Z
  DoubleView in_size, in_weight, out_size, out_weight;
  DoubleView alpha, outside;
  Batch a;   // [column][unknown][unknown]
  Matrix y;  // [column][unknown]

  KOKKOS_FUNCTION void operator()(int v) const {
    const int n = static_cast<int>(y.extent(1));
    const auto matrix = Kokkos::subview(a, v, Kokkos::ALL(), Kokkos::ALL());
    const auto x = Kokkos::subview(y, v, Kokkos::ALL());
    const double w = outside(v);
    for (int i = 0; i < n; ++i) {
      x(i) = 0;
      for (int j = 0; j < n; ++j) matrix(i, j) = (i == j ? 1 : 0) + w * gram(i, j);
    }
    const auto add = [&](const Matrix& basis, const DoubleView& size, const DoubleView& weight,
                         double factor) {
      for (int s = 0; s < static_cast<int>(size.extent(0)); ++s) {
        const double b = factor * weight(s) * (std::cos(alpha(v) * size(s)) - 1);
        for (int i = 0; i < n; ++i) x(i) += basis(s, i) * b;
      }
    };
    add(q, in_size, in_weight, 1);
    if (w > 0) add(z, out_size, out_weight, w);
    namespace kb = KokkosBatched;
    kb::SerialLU<kb::Algo::LU::Unblocked>::invoke(matrix);
    kb::SerialTrsv<kb::Uplo::Lower, kb::Trans::NoTranspose, kb::Diag::Unit,
                   kb::Algo::Trsv::Unblocked>::invoke(1.0, matrix, x);
    kb::SerialTrsv<kb::Uplo::Upper, kb::Trans::NoTranspose, kb::Diag::NonUnit,
                   kb::Algo::Trsv::Unblocked>::invoke(1.0, matrix, x);
    kb::SerialTrsv<kb::Uplo::Upper, kb::Trans::NoTranspose, kb::Diag::NonUnit,
                   kb::Algo::Trsv::Unblocked>::invoke(1.0, r, x);
  }
};

Matrix to_matrix(const std::vector<double>& values, std::size_t columns) {
  Matrix device("tessera::ete::fit::matrix", values.size() / columns, columns);
  const Kokkos::View<const double**, Kokkos::LayoutRight, Kokkos::HostSpace,
                     Kokkos::MemoryUnmanaged>
      host(values.data(), values.size() / columns, columns);
  Kokkos::deep_copy(device, host);
  return device;
}

std::vector<double> sizes(const std::vector<Wavenumber>& list) {
  std::vector<double> values;
  values.reserve(list.size());
  for (const Wavenumber& s : list) values.push_back(s.size);
  return values;
}

/// Everything that is on the device already when a batch is solved.
template <class FitShape, class TableShape>
class Fitter {
 public:
  explicit Fitter(const FitOptions& o) : problem_(fit_problem<FitShape>(o)) {
    const std::size_t n = problem_.rows.size();
    std::vector<double> gram(n * n, 0.0);
    for (std::size_t s = 0; s < problem_.out.size(); ++s) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          gram[i * n + j] += problem_.z[s * n + i] * problem_.z[s * n + j];
        }
      }
    }
    std::vector<double> out_weight;
    for (const Wavenumber& s : problem_.out) out_weight.push_back(std::sqrt(s.weight));
    solve_.q = to_matrix(problem_.q, n);
    solve_.z = to_matrix(problem_.z, n);
    solve_.gram = to_matrix(gram, n);
    solve_.r = to_matrix(problem_.r, n);
    solve_.in_size = to_device(sizes(problem_.in), kValues);
    solve_.in_weight = to_device(problem_.in_weight, kValues);
    solve_.out_size = to_device(sizes(problem_.out), kValues);
    solve_.out_weight = to_device(out_weight, kValues);
  }

  /// A column for each alpha with its weight outside the band.
  [[nodiscard]] CoefficientTable operator()(const std::vector<double>& alpha,
                                            const std::vector<double>& outside, double z_spacing) {
    const std::size_t n = problem_.rows.size();
    solve_.alpha = to_device(alpha, kValues);
    solve_.outside = to_device(outside, kValues);
    solve_.a = Batch("tessera::ete::fit::normal_equations", alpha.size(), n, n);
    solve_.y = Matrix("tessera::ete::fit::solutions", alpha.size(), n);
    Kokkos::parallel_for("tessera::ete::fit::solve",
                         Kokkos::RangePolicy<ExecSpace>(0, static_cast<int>(alpha.size())), solve_);
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), solve_.y);
    CoefficientTable table;
    table.points = TableShape::kPoints;
    table.z_spacing = z_spacing;
    table.alpha = alpha;
    table.values.assign(alpha.size() * TableShape::kRows, 0.0);
    for (int v = 0; v < table.columns(); ++v) {
      // Rows of the fit's symmetry to those of the table; the centre makes the sum 1.
      double others = 0;
      for (std::size_t i = 0; i < n; ++i) {
        for (int p = FitShape::kList.first[problem_.rows[i]];
             p < FitShape::kList.first[problem_.rows[i] + 1]; ++p) {
          table.at(v, TableShape::row_of(FitShape::kList.point[p])) = y(v, i);
        }
        others += FitShape::points_of(problem_.rows[i]) * y(v, i);
      }
      table.at(v, TableShape::kCentreRow) = 1 - others;
    }
    return table;
  }

 private:
  FitProblem problem_;
  SolveColumn solve_;
};

template <class FitShape, class TableShape>
CoefficientTable fit_shape(const std::vector<double>& alpha, const FitOptions& o,
                           std::vector<FitQuality>& quality) {
  Fitter<FitShape, TableShape> fitter(o);
  CoefficientTable table = fitter(alpha, std::vector<double>(alpha.size(), o.outside), o.z_spacing);
  quality = quality_of(table, o.band);
  for (FitQuality& q : quality) q.outside = o.outside;
  // Columns that are not stable are fitted again with more weight outside the band.
  double weight = std::max(kFirst, 10 * o.outside);
  for (int round = 0; o.stabilise && round < kRounds; ++round, weight *= 10) {
    std::vector<std::size_t> which;
    std::vector<double> again;
    for (std::size_t v = 0; v < alpha.size(); ++v) {
      if (quality[v].stable()) continue;
      which.push_back(v);
      again.push_back(alpha[v]);
    }
    if (which.empty()) break;
    const CoefficientTable part =
        fitter(again, std::vector<double>(again.size(), weight), o.z_spacing);
    const std::vector<FitQuality> judged = quality_of(part, o.band);
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!judged[i].stable()) continue;
      quality[which[i]] = judged[i];
      quality[which[i]].outside = weight;
      for (int row = 0; row < table.rows(); ++row) {
        table.at(static_cast<int>(which[i]), row) = part.at(static_cast<int>(i), row);
      }
    }
  }
  return table;
}

}  // namespace

CoefficientTable fit(int points, const std::vector<double>& alpha, const FitOptions& options,
                     std::vector<FitQuality>* quality) {
  check(options);
  for (const double a : alpha) {
    require(a > 0 && std::isfinite(a), "v dt / h = {} must be positive", a);
  }
  std::vector<FitQuality> judged;
  CoefficientTable table = with_shape(points, [&](auto shape) {
    using S = decltype(shape);
    if (options.z_spacing == 1) {
      return fit_shape<Shape<S::kPoints, Rows::isotropic>, S>(alpha, options, judged);
    }
    return fit_shape<S, S>(alpha, options, judged);
  });
  if (quality != nullptr) *quality = std::move(judged);
  return table;
}

double largest_stable_alpha(int points, const FitOptions& options) {
  double low = 0;
  double step = 0.02;
  for (int round = 0; round < 3; ++round, step /= 20) {
    std::vector<double> alpha;
    for (int i = 1; i <= (round == 0 ? 60 : 20); ++i) alpha.push_back(low + i * step);
    std::vector<FitQuality> quality;
    static_cast<void>(fit(points, alpha, options, &quality));
    for (const FitQuality& q : quality) {
      if (!q.stable()) break;
      low = q.alpha;
    }
  }
  return low;
}

#else

CoefficientTable fit(int, const std::vector<double>&, const FitOptions&, std::vector<FitQuality>*) {
  fail(
      "this build has no Kokkos Kernels (TESSERA_ENABLE_KOKKOSKERNELS), which the fit of ete's "
      "coefficients needs; load a table instead: ete.table = \"FILE\"");
}

double largest_stable_alpha(int, const FitOptions&) {
  fail("this build has no Kokkos Kernels (TESSERA_ENABLE_KOKKOSKERNELS), which the fit needs");
}

#endif

}  // namespace tessera::ete

// SPDX-License-Identifier: Apache-2.0
// ete/spmv: a sparse matrix and KokkosSparse: what a user does without a stencil code.
//
// Formula:  p+ = 2 A p - p-: a row a cell, an entry a point (variants/ete/formula.hpp).
// Idea:     a column index (4 B) and a value for each point of each cell: 296 B a cell for 37
//           points in float beside the fields, read once a step. The rows of halo cells are empty.
//           The first step on new columns builds the matrix; grids that need over 2 GiB are
//           refused.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/kernels/launcher.hpp"

#if TESSERA_HAVE_KOKKOSKERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#endif

#include <memory>

namespace tessera {
namespace {

using namespace ete;

constexpr std::int64_t kMostBytes = std::int64_t{2} << 30;

#if TESSERA_HAVE_KOKKOSKERNELS

/// The matrix of a grid. Its columns count from the first halo cell that a point can reach.
template <class Real, class ShapeType>
struct Matrix {
  using Crs = KokkosSparse::CrsMatrix<Real, int, ExecSpace::device_type, void, int>;
  using Vector = Kokkos::View<Real*, ExecSpace::device_type, Kokkos::MemoryUnmanaged>;
  using ConstVector = Kokkos::View<const Real*, ExecSpace::device_type, Kokkos::MemoryUnmanaged>;

  std::uint64_t stamp = 0;  ///< of the columns that it was made for
  Crs crs;
  int shift = 0;

  void build(const Fields<Real>& f, const Box& box) {
    shift = kR * (f.plane + f.row + 1);
    const auto rows = static_cast<int>(f.offset(box.nz() - 1, box.ny() - 1, box.nx() - 1) + 1);
    const auto cells = box.cells();
    const std::int64_t entries = cells * ShapeType::kPoints;
    const int stride = padded_rows<Real>(ShapeType::kRows);
    const auto index =
        host_of(f.index, f.index_offset(box.nz() - 1, box.ny() - 1, box.nx() - 1) + 1);
    const auto table = host_of(f.tables.by_velocity, std::int64_t{f.tables.columns} * stride);
    typename Crs::row_map_type::non_const_type row_map("tessera::ete::spmv::rows", rows + 1);
    typename Crs::index_type column("tessera::ete::spmv::columns", entries);
    typename Crs::values_type value("tessera::ete::spmv::values", entries);
    const auto h_rows = Kokkos::create_mirror_view(row_map);
    const auto h_column = Kokkos::create_mirror_view(column);
    const auto h_value = Kokkos::create_mirror_view(value);
    int next = 0;
    for (int i = 0; i < rows; ++i) {
      h_rows(i) = next;
      const int z = i / f.plane;
      const int y = i % f.plane / f.row;
      const int x = i % f.plane % f.row;
      if (y >= box.ny() || x >= box.nx()) continue;
      const int v = index(f.index_offset(z, y, x));
      // The cell's own entry comes last: it is the largest, and the sum rounds little then.
      for (const Point& p : ShapeType::kCanonical) {
        h_column(next) = i + shift + p.z * f.plane + p.y * f.row + p.x;
        h_value(next++) = table(v * stride + ShapeType::row_of(p));
      }
    }
    h_rows(rows) = next;
    Kokkos::deep_copy(row_map, h_rows);
    Kokkos::deep_copy(column, h_column);
    Kokkos::deep_copy(value, h_value);
    crs = Crs("tessera::ete::spmv", rows, rows + 2 * shift, next, value, row_map, column);
    stamp = f.stamp;
  }

 private:
  template <class T>
  static auto host_of(const T* data, std::int64_t count) {
    const Kokkos::View<const T*, ExecSpace::device_type, Kokkos::MemoryUnmanaged> view(
        data, static_cast<std::size_t>(count));
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }
};

template <class Real, class ShapeType>
void multiply(Matrix<Real, ShapeType>& matrix, const ExecSpace&, const Fields<Real>& f,
              const Box& box) {
  if (matrix.stamp == 0) {
    Kokkos::push_finalize_hook([&matrix] { matrix = {}; });  // which may outlive Kokkos
  }
  if (matrix.stamp != f.stamp) matrix.build(f, box);
  using M = Matrix<Real, ShapeType>;
  Kokkos::Profiling::pushRegion("tessera::ete::spmv::step");
  const typename M::ConstVector p(f.p - matrix.shift,
                                  static_cast<std::size_t>(matrix.crs.numCols()));
  const typename M::Vector next(f.next, static_cast<std::size_t>(matrix.crs.numRows()));
  KokkosSparse::spmv("N", Real(2), matrix.crs, p, Real(-1), next);
  Kokkos::Profiling::popRegion();
}

#else

template <class Real, class ShapeType>
struct Matrix {};

template <class Real, class ShapeType>
void multiply(Matrix<Real, ShapeType>&, const ExecSpace&, const Fields<Real>&, const Box&) {}

#endif

template <class Real, class ShapeType>
struct Spmv {
  std::shared_ptr<Matrix<Real, ShapeType>> matrix = std::make_shared<Matrix<Real, ShapeType>>();

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
#if !TESSERA_HAVE_KOKKOSKERNELS
    return unsupported("this build has no Kokkos Kernels (TESSERA_ENABLE_KOKKOSKERNELS)");
#endif
    if (std::string why = unfit_table(Rows::z_distinct, problem); !why.empty()) {
      return unsupported(std::move(why));
    }
    if (region.box.z0 != 0 || region.box.y0 != 0 || region.box.x0 != 0) {
      return unsupported("a region within a grid: its matrix is of the grid");
    }
    const std::int64_t bytes =
        region.box.cells() * ShapeType::kPoints * static_cast<std::int64_t>(4 + sizeof(Real));
    if (bytes > kMostBytes) {
      return unsupported(fmt::format("a matrix of {:.1f} GiB; this baseline takes up to {} GiB",
                                     static_cast<double>(bytes) / (1 << 30), kMostBytes >> 30));
    }
    Plan p;
    p.league = region.box.cells();
    p.launch = Launch::library;
    p.team = 1;
    p.loads = ShapeType::kPoints * (2 + 4.0 / sizeof(Real)) + 1;
    p.stores = 1;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    multiply(*matrix, exec, fields, region.box);
  }
};

}  // namespace

void register_ete_spmv(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "spmv",
      .summary = "a sparse matrix, multiplied by KokkosSparse",
      .formula = "p+ = 2 A p - p-, a row of A a cell, an entry a point",
      .source = "ours: the baseline of a user without a stencil code",
      .memory = "the matrix in compressed rows in device memory; p and p- beside it",
      .loses = "always: the matrix is read every step, 8 B a point in float",
      .launch = "KokkosSparse launches",
      .tags = {"baseline"},
  });
  v->offer({"default", Origin::ours, "small grids"},
           [](auto real, auto points) { return Spmv<decltype(real), Shape<points()>>{}; });
  registry.add(std::move(v));
}

}  // namespace tessera

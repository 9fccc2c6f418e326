// SPDX-License-Identifier: Apache-2.0
#include "variants/ete/case/solver.hpp"

#include "base/case/initial_data.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/error.hpp"

#include <atomic>
#include <limits>

namespace tessera::ete {
namespace {

constexpr int kLayers = 64;  // of ColumnPattern::layered

template <class Columns>
struct SpreadColumns {
  FieldRef<Columns> index;
  Domain domain;
  ColumnPattern spread;
  int columns;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(int local_x, int local_y, int local_z) const {
    const Extents& n = domain.grid;
    const int x = local_x + domain.box.x0;
    const int y = local_y + domain.box.y0;
    const int z = local_z + domain.box.z0;
    double fraction = 0;  // of the table, 0 to 1
    if (spread == ColumnPattern::random) {
      const auto position = (static_cast<std::uint64_t>(z) * n.ny + y) * n.nx + x;
      fraction = random_value(seed, position);
    } else if (spread == ColumnPattern::layered) {
      const int layer = z * kLayers / n.nz;
      fraction = static_cast<double>(layer) / (kLayers - 1);
    } else {
      // Two parabolic waves each way, 5 % of the depth high: no library call.
      const auto wave = [](double t) {
        const double s = 2 * t - 2 * static_cast<int>(t) - 1;
        return (static_cast<int>(t) % 2 == 0 ? 1 : -1) * (1 - s * s);
      };
      fraction = (z + 0.5) / n.nz + 0.05 * (wave(4.0 * x / n.nx) + wave(4.0 * y / n.ny));
    }
    const int column = static_cast<int>(fraction * columns);
    *index.at(local_z, local_y, local_x) = static_cast<Columns>(column < 0          ? 0
                                                                : column >= columns ? columns - 1
                                                                                    : column);
  }
};

/// A number that no other contents of index and tables have had.
std::uint64_t next_stamp() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

std::string refused_on_ranks(const Selected& how) {
  return how.variant->name == "spmv" ? "its matrix is of a whole grid without neighbours" : "";
}

template <class Real>
comm::RankGrid Solver<Real>::rank_grid(const Extents& n, const comm::Parallel& parallel) {
  return parallel.divide(n,
                         {.width = kR, .values = sizeof(Real), .cell_bytes = 3 * sizeof(Real) + 2});
}

template <class Real>
Solver<Real>::Solver(const Extents& grid, const CoefficientTable& table,
                     const comm::Parallel& parallel)
    : points_(table.points),
      tables_(table),
      columns_(table.columns()),
      parallel_(parallel),
      stamp_(next_stamp()) {
  const comm::RankGrid ranks = rank_grid(grid, parallel);
  domain_ = ranks.domain(parallel.ranks.rank());
  const Extents n = domain_.n();
  regions_ = split({whole_grid(n)}, ranks, parallel.ranks.rank(), n, kR, sizeof(Real));
  p_ = Field<Real>("tessera::ete::p", n, kR);
  next_ = Field<Real>("tessera::ete::next", n, kR);
  if (columns_ <= kNarrowColumns) {
    index_ = Field<std::uint16_t>("tessera::ete::index", n, 0);
  } else {
    wide_index_ = Field<std::uint32_t>("tessera::ete::wide_index", n, 0);
  }
  if (!parallel.ranks.alone()) {
    halo_ = std::make_unique<comm::HaloExchange<Real>>(
        parallel, ranks, whole(n), kR, comm::Reach::edges, std::vector<Field<Real>>{p_, next_});
  }
}

template <class Real>
std::int64_t Solver<Real>::memory_bytes(const Extents& n, int columns) {
  return 2 * field_bytes(n, kR, static_cast<int>(sizeof(Real))) +
         field_bytes(n, 0, columns <= kNarrowColumns ? 2 : 4);
}

template <class Real>
void Solver<Real>::set_columns(ColumnPattern spread, std::uint64_t seed) {
  stamp_ = next_stamp();
  const auto fill = [&](auto& field) {
    const auto index = field.ref();
    using Columns = std::remove_pointer_t<decltype(index.origin)>;
    Kokkos::parallel_for("tessera::ete::init::columns", cells_of(ExecSpace(), whole(extents())),
                         SpreadColumns<Columns>{index, domain_, spread, columns_, seed});
    Kokkos::fence();
  };
  if (columns_ <= kNarrowColumns) {
    fill(index_);
  } else {
    fill(wide_index_);
  }
}

template <class Real>
void Solver<Real>::set_columns(const std::function<int(int, int, int)>& column) {
  stamp_ = next_stamp();
  const auto checked = [&](int local_z, int local_y, int local_x) {
    const int z = local_z + domain_.box.z0;
    const int y = local_y + domain_.box.y0;
    const int x = local_x + domain_.box.x0;
    const int v = column(z, y, x);
    require(v >= 0 && v < columns_, "column {} at cell x = {}, y = {}, z = {}: the table has {}", v,
            x, y, z, columns_);
    return v;
  };
  if (columns_ <= kNarrowColumns) {
    from_host(index_,
              [&](int z, int y, int x) { return static_cast<std::uint16_t>(checked(z, y, x)); });
  } else {
    from_host(wide_index_,
              [&](int z, int y, int x) { return static_cast<std::uint32_t>(checked(z, y, x)); });
  }
}

template <class Real>
void Solver<Real>::set_zero() {
  p_.fill(0);
  next_.fill(0);
}

template <class Real>
void Solver<Real>::set_random(std::uint64_t seed) {
  const auto fill = [&](Field<Real>& field, std::uint64_t stream) {
    Kokkos::parallel_for("tessera::ete::init::random", cells_of(ExecSpace(), whole(extents())),
                         RandomCells<Real>{field.ref(), domain_, 2 * seed + stream});
  };
  fill(p_, 0);
  fill(next_, 1);
  Kokkos::fence();
}

template <class Real>
void Solver<Real>::update(const ExecSpace& exec, const Selected& how) const {
  const auto& variant = how.as<EteVariant>();
  step_beside_exchange(exec, halo_.get(), parallel_.options.overlap, p_, regions_,
                       [&](const ExecSpace& on, const Region& part) {
                         variant.step<Real>(how.configuration, points_, on, fields(), part);
                       });
}

template <class Real>
void Solver<Real>::inject(const ExecSpace& exec, int z, int y, int x, double amplitude) const {
  add_at_cell("tessera::ete::source::inject", exec, next_, domain_, z, y, x, amplitude);
}

template <class Real>
Fields<Real> Solver<Real>::fields() const {
  Fields<Real> f;
  const auto next = next_.ref();
  f.p = p_.ref().origin;
  f.next = next.origin;
  f.row = next.row;
  f.plane = next.plane;
  const auto set_index = [&](const auto& ref, auto& pointer) {
    pointer = ref.origin;
    f.index_row = ref.row;
    f.index_plane = ref.plane;
  };
  if (columns_ <= kNarrowColumns) {
    set_index(index_.ref(), f.index);
  } else {
    set_index(wide_index_.ref(), f.wide_index);
  }
  f.tables = tables_.ref();
  f.stamp = stamp_;
  return f;
}

template <class Real>
ValueRange Solver<Real>::range() const {
  return range_of("tessera::ete::range", p_, parallel_.ranks);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::ete

// SPDX-License-Identifier: Apache-2.0
// ete/unpacked: a stretch of cells at a time, their coefficients first: no gathers.
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (stencils/ete.hpp).
// Why:      ours. base_simd reads c_j(v) for neighbouring cells of any velocity: to a vector unit
//           that is a gather a row of the table, 11 for 37 points, each as long as eight loads. But
//           a velocity's coefficients lie beside each other, in one or two cache lines: copied cell
//           by cell into rows of a buffer they are loads and stores, and everything after that is
//           contiguous.
// Memory:   p, p-, index and table through the caches, blocks as in base_simd_blocked; rows of
//           coefficients of kStretch cells in L1.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
// Loses:    on a device, whose threads load a velocity's coefficients 16 bytes at a time anyway: it
//           is not offered there.
#include "stencils/ete_launcher.hpp"

namespace tessera {
namespace {

using namespace ete;

template <class Real, class ShapeType>
struct UnpackedKernel {
  static constexpr int kStretch = 64;
  static constexpr int kRows = ShapeType::kRows;

  Fields<Real> f;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    for (int z = 0; z < place.extent.nz; ++z) {
      for (int y = 0; y < place.extent.ny; ++y) {
        for (int x = 0; x < place.extent.nx; x += kStretch) {
          const int left = place.extent.nx - x;
          stretch(place.z0 + z, place.y0 + y, place.x0 + x, left < kStretch ? left : kStretch);
        }
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stretch(int z, int y, int x0, int cells) const {
    constexpr int kPadded = padded_rows<Real>(kRows);
    alignas(64) Real k[kRows][kStretch];
    // 1. A cell's column of the table into the rows.
    const std::uint16_t* columns = f.index + f.index_offset(z, y, x0);
    for (int x = 0; x < cells; ++x) {
      const Real* column = f.tables.by_velocity + columns[x] * kPadded;
      static_for<kRows>([&](auto r) { k[r][x] = column[r]; });
    }
    // 2. All points, a vector of cells at a time.
    const Real* const p = f.p + f.offset(z, y, x0);
    Real* const next = f.next + f.offset(z, y, x0);
#pragma omp simd
    for (int x = 0; x < cells; ++x) {
      const Real sum = convolve_rows<ShapeType, 0, kRows>(
          Real(0), [&](auto r) { return k[r][x]; },
          [&](auto dz, auto dy, auto dx) { return p[x + dz * f.plane + (dy * f.row + dx)]; });
      next[x] = advanced(sum, next[x]);
    }
  }
};

template <class Real, class ShapeType>
struct Unpacked {
  int ny, nz;  // of a block; 0 stands for the region's own

  [[nodiscard]] Tiling tiling(const Box& box) const {
    return {box, box.nx(), ny == 0 ? box.ny() : ny, nz == 0 ? box.nz() : nz};
  }

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    if (kOnDevice) return unsupported("a host's loops: a device loads 16 bytes of a column");
    if (std::string why = unfit_table(Rows::z_distinct, problem); !why.empty()) {
      return unsupported(std::move(why));
    }
    const Tiling tiles = tiling(region.box);
    Plan p;
    p.league = tiles.league();
    p.team = 1;
    p.tile[0] = tiles.nx, p.tile[1] = tiles.ny, p.tile[2] = tiles.nz;
    const std::int64_t x = tiles.nx, y = tiles.ny, z = tiles.nz;
    p.halo_cells = 2LL * kR * (x * y + y * z + x * z);
    p.loads = ShapeType::kPoints + 2 * ShapeType::kClasses + 1 + 2.0 / sizeof(Real);
    p.stores = 1;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (!kOnDevice) {
      const Tiling tiles = tiling(region.box);
      launch_teams<1>(exec, "tessera::ete::unpacked::step", static_cast<int>(tiles.league()), 0,
                      UnpackedKernel<Real, ShapeType>{fields, tiles});
    }
  }
};

void offer_block(EteVariant& variant, const char* text, int ny, int nz) {
  variant.offer({text, Origin::ours, "host"}, [ny, nz](auto real, auto points) {
    return Unpacked<decltype(real), Shape<points()>>{ny, nz};
  });
}

}  // namespace

void register_ete_unpacked(Registry& registry) {
  auto v = std::make_unique<EteVariant>("unpacked",
                                        "coefficients of a stretch of cells first: no gathers");
  v->source = "beyond the seed";
  v->memory = "p, p-, index and table through the caches; rows of coefficients in L1";
  v->loses = "on a device: not offered there";
  v->tags = {"ours", "host"};
  offer_block(*v, "fullx16x16", 16, 16);
  if constexpr (!kFewConfigurations) {
    offer_block(*v, "fullx8x64", 8, 64);
    offer_block(*v, "fullx16xfull", 16, 0);
    offer_block(*v, "fullx32x16", 32, 16);
  }
  registry.add(std::move(v));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Plan and launch of a low_order variant whose teams stream tiles along z through team scratch.
#pragma once

#include "error.hpp"
#include "grid/field.hpp"
#include "stencils/low_order_variant.hpp"
#include "tile/native_launch.hpp"
#include "tile/tiling.hpp"

#include <algorithm>
#include <string>

namespace tessera::low_order {

/// A tile of Nx x Ny cells of which a thread owns 16 bytes along x (on a host: a cell) in each of
/// `Rows` adjacent rows. `Ahead`: planes that a stream fetches before it needs them. MinTeams teams
/// shall be resident on a multiprocessor.
template <int Nx, int Ny, int Rows, int Ahead, int MinTeams>
struct Streamed {
  static constexpr int kNx = Nx, kNy = Ny, kRows = Rows, kAhead = Ahead, kMinTeams = MinTeams;

  template <class Real>
  static constexpr int kDeviceV = kVectorBytes / static_cast<int>(sizeof(Real));
  template <class Real>
  static constexpr int kV = kOnDevice ? kDeviceV<Real> : 1;
  template <class Real>
  using Threads = Tile<Nx / kV<Real>, Ny / Rows>;
};

/// Launches Kernel<Real, T, stencil>{fields, tiling}, a team a tile. The kernel says, as
/// static members, kLabel; kMinTeams, T's or fewer; scratch_bytes(); count(plan), which fills in
/// the halo cells of a plane and the traffic of scratch, with plan.loads left at what a stream that
/// never ends would load.
template <template <class, class, Stencil> class Kernel, class Real, class T>
struct StreamLauncher {
  int chunk;  ///< planes that a team streams; 0: what balances the device

  [[nodiscard]] Plan plan(const Region& region, Stencil stencil, int bytes) const {
    return bytes == 4 ? plan_of<float>(region.box, stencil) : plan_of<double>(region.box, stencil);
  }

  void step(const ExecSpace& exec, Stencil stencil, const Fields<Real>& fields,
            const Region& region) const {
    with_stencil(stencil, [&](auto chosen) {
      using Chosen = Kernel<Real, T, chosen()>;
      const Tiling tiles = cut<Chosen>(region.box);
      native_launch<Chosen::Threads::kCells, Chosen::kMinTeams>(
          exec, Chosen::kLabel, static_cast<int>(tiles.league()), Chosen::scratch_bytes(),
          Chosen{fields, tiles});
    });
  }

 private:
  /// Teams that are resident at a time, at least.
  template <class Chosen>
  [[nodiscard]] static int resident() {
    const int fit = max_native_scratch_bytes() / static_cast<int>(Chosen::scratch_bytes());
    return std::clamp(fit, 1, Chosen::kMinTeams) * multiprocessors();
  }

  template <class Chosen>
  [[nodiscard]] Tiling cut(const Box& box) const {
    const Tiling whole(box, T::kNx, T::kNy, box.nz());
    return {box, T::kNx, T::kNy,
            chunk > 0 ? chunk
                      : balanced_stream(box.nz(), whole.league(), resident<Chosen>(),
                                        2 * kR + T::kAhead)};
  }

  template <class Value>
  [[nodiscard]] Plan plan_of(const Box& box, Stencil stencil) const {
    Plan p;
    with_stencil(stencil, [&](auto chosen) {
      using Chosen = Kernel<Value, T, chosen()>;
      const Tiling tiles = cut<Chosen>(box);
      p.league = tiles.league();
      p.team = kOnDevice ? Chosen::Threads::kCells : 1;
      p.tile[0] = T::kNx, p.tile[1] = T::kNy, p.tile[2] = tiles.nz;
      p.planes_per_thread = tiles.nz;
      p.scratch_bytes = static_cast<std::int64_t>(Chosen::scratch_bytes());
      Chosen::count(p);
      const int inputs = Chosen::S::kKappa ? 2 : 1;
      p.loads += inputs * 2.0 * kR / std::min(tiles.nz, box.nz());
      p.stores = 1;
      p.device = {T::kNx / T::template kDeviceV<Value> * (T::kNy / T::kRows), p.loads, 0};
    });
    if (p.scratch_bytes > max_native_scratch_bytes()) {
      return unsupported(fmt::format("{} bytes of team scratch; the device has {}", p.scratch_bytes,
                                     max_native_scratch_bytes()));
    }
    return p;
  }
};

/// Offers StreamLauncher<Kernel, Real, T>{chunk} in every precision that is built, named like
/// "128x8,rows=2,ahead=2,chunk=64".
template <template <class, class, Stencil> class Kernel, class T>
void offer_stream(LowOrderVariant& variant, int chunk, const char* note = "") {
  std::string text = fmt::format("{}x{},rows={},ahead={}", T::kNx, T::kNy, T::kRows, T::kAhead);
  if (chunk > 0) text += fmt::format(",chunk={}", chunk);
  variant.offer({text, Origin::ours, note},
                [=](auto real) { return StreamLauncher<Kernel, decltype(real), T>{chunk}; });
}

}  // namespace tessera::low_order

// SPDX-License-Identifier: Apache-2.0
// vp of a solver: its values, or 16 bits in their place.
#include "base/case/initial_data.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/error.hpp"
#include "variants/acoustic/case/solver.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tessera::acoustic {

template <class Real>
void Solver<Real>::set_velocity(double v) {
  require(v > 0 && std::isfinite(v), "velocity {} m/s must be positive", v);
  check_velocity(setup_, v);
  const auto vp = static_cast<Real>(v * setup_.dt() * (v * setup_.dt()));
  Field<Real> values = room_for_vp();
  values.fill(0);
  Kokkos::parallel_for("tessera::acoustic::init::vp", cells_of(ExecSpace(), whole(domain_.n())),
                       OneValue<Real>{values.ref(), vp});
  Kokkos::fence();
  keep_vp(values);
}

template <class Real>
Field<Real> Solver<Real>::room_for_vp() {
  return waves_.any() ? Field<Real>("tessera::acoustic::vp", domain_.n(), kR) : vp_;
}

template <class Real>
void Solver<Real>::keep_vp(const Field<Real>& vp) {
  if (waves_.any()) return waves_.set_vp(vp, largest_vp(vp));
  make_vp_16();
}

template <class Real>
Real Solver<Real>::largest_vp(const Field<Real>& vp) const {
  return static_cast<Real>(parallel_.ranks.max(LinearVp<Real>::largest_of(vp)));
}

template <class Real>
void Solver<Real>::set_velocity(const std::function<double(int, int, int)>& velocity) {
  const double dt = setup_.dt();
  double largest = 0;
  const Field<Real> values = room_for_vp();
  from_host(values, [&](int z, int y, int x) {
    const int at[3] = {z + domain_.box.z0, y + domain_.box.y0, x + domain_.box.x0};
    const double v = velocity(at[0], at[1], at[2]);
    require(v > 0 && std::isfinite(v), "velocity {} m/s at cell x = {}, y = {}, z = {}", v, at[2],
            at[1], at[0]);
    largest = std::max(largest, v);
    return static_cast<Real>(v * dt * (v * dt));
  });
  check_velocity(setup_, parallel_.ranks.max(largest));
  keep_vp(values);
}

template <class Real>
void Solver<Real>::make_vp_16() {
  if (setup_.vp_storage == VpStorage::field) return;
  constexpr std::size_t kMost = 65536;
  // The layout of the other fields, so that they share their offsets; smaller elements need more of
  // them to align the first.
  FieldLayout layout = vp_.layout();
  layout.count += kLineBytes / static_cast<int>(sizeof(std::uint16_t));
  vp_16_.bits = Field<std::uint16_t>("tessera::acoustic::vp_index", layout);
  if (setup_.vp_storage == VpStorage::linear) {
    vp_16_.set(vp_, largest_vp(vp_));
    return vp_16_.decode(vp_);  // the same model for all that read it
  }
  std::vector<Real> values = {0};  // outside the grid
  {
    const auto vp = host_copy(vp_);
    std::unordered_map<Real, std::uint16_t> indices;
    Real last = 0;  // models come in runs of one value
    std::uint16_t last_index = 0;
    from_host(vp_16_.bits, [&](int z, int y, int x) {
      const Real value = vp(vp_.index(z, y, x));
      if (value == last) return last_index;
      last = value;
      const auto found = indices.find(value);
      if (found != indices.end()) return last_index = found->second;
      require(values.size() < kMost,
              "acoustic.vp_storage = \"index\": the model has more than {} different velocities; "
              "\"linear\" rounds to as many, \"field\" takes any",
              kMost - 1);
      last_index = static_cast<std::uint16_t>(values.size());
      indices.emplace(value, last_index);
      values.push_back(value);
      return last_index;
    });
  }
  vp_values_ = decltype(vp_values_)("vp_values", values.size());
  const auto host = Kokkos::create_mirror_view(vp_values_);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(vp_values_, host);
}

template Field<float> Solver<float>::room_for_vp();
template float Solver<float>::largest_vp(const Field<float>&) const;
template void Solver<float>::make_vp_16();
template void Solver<float>::keep_vp(const Field<float>&);
template void Solver<float>::set_velocity(double);
template void Solver<float>::set_velocity(const std::function<double(int, int, int)>&);
template Field<double> Solver<double>::room_for_vp();
template double Solver<double>::largest_vp(const Field<double>&) const;
template void Solver<double>::make_vp_16();
template void Solver<double>::keep_vp(const Field<double>&);
template void Solver<double>::set_velocity(double);
template void Solver<double>::set_velocity(const std::function<double(int, int, int)>&);

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/stored_waves.hpp"

#include "base/grid/cell_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::acoustic {
namespace {

/// to = from, minus where there is one: between floats and their 16 bits.
template <class Real, class From, class To>
struct Convert {
  From from, minus;
  To to;
  bool difference;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const Real value = static_cast<Real>(from.at(z, y, x)[0]);
    const Real less = difference ? static_cast<Real>(minus.at(z, y, x)[0]) : Real(0);
    put(to.at(z, y, x), 0, static_cast<Value>(value - less));
  }
  using Value = std::conditional_t<std::is_same_v<To, PackedRef>, float, Real>;
};

[[nodiscard]] Box with_halo(const Extents& n) {
  return {-kR, n.nz + kR, -kR, n.ny + kR, -kR, n.nx + kR};
}

template <class Real, class From, class To>
void convert(const Extents& n, const From& from, const To& to, const From* minus = nullptr) {
  Kokkos::parallel_for(
      "tessera::acoustic::stored::convert", cells_of(ExecSpace(), with_halo(n)),
      Convert<Real, From, To>{from, minus == nullptr ? from : *minus, to, minus != nullptr});
  Kokkos::fence();
}

struct LinearRef {
  Linear16 origin;
  int plane, row;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Linear16 at(int z, int y, int x) const {
    return origin + (static_cast<std::int64_t>(z) * plane + static_cast<std::int64_t>(y) * row + x);
  }
};

/// The nearest of the steps.
template <class Real>
struct NearestStep {
  FieldRef<const Real> vp;
  FieldRef<std::uint16_t> bits;
  float least, step;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const auto above = static_cast<float>(*vp.at(z, y, x)) - least;
    *bits.at(z, y, x) = static_cast<std::uint16_t>(step > 0 ? above / step + 0.5F : 0.0F);
  }
};

template <class Real>
struct SmallestAndLargest {
  FieldRef<const Real> vp;
  using Value = typename Kokkos::MinMax<Real>::value_type;
  KOKKOS_FUNCTION void operator()(int x, int y, int z, Value& all) const {
    const Real value = *vp.at(z, y, x);
    all.min_val = value < all.min_val ? value : all.min_val;
    all.max_val = value > all.max_val ? value : all.max_val;
  }
};

}  // namespace

double storage_scale(double peak, double given) {
  const double scale = given > 0 ? given : peak > 0 ? kTopOfScale / peak : 1;
  return std::exp2(std::floor(std::log2(scale)));
}

std::string overflow_remark(Storage storage, double scale) {
  if (storage == Storage::plain) return {};
  return fmt::format(
      ": acoustic.storage = \"{}\" holds values up to {:.4g} here; lower acoustic.storage_scale, "
      "which is {:.6g}",
      to_string(storage), largest_stored(storage) / scale, scale);
}

double expected_peak(double amplitude, double h, double vp) {
  constexpr double kGreen = 0.2527;  // of seven points; the sum of more is smaller
  return kGreen * amplitude * h * h / vp;
}

template <class Real>
StoredWaves<Real>::StoredWaves(Storage storage, const FieldLayout& layout) : storage_(storage) {
  // The layout of the other fields, so that they share their offsets; smaller elements need more of
  // them to align the first.
  FieldLayout own = layout;
  own.count += kLineBytes / static_cast<int>(sizeof(std::uint16_t));
  u_ = Bits("tessera::acoustic::u", own);
  next_ = Bits("tessera::acoustic::next", own);
  if (keeps_difference(storage)) difference_ = Bits("tessera::acoustic::difference", own);
  vp_.bits = Bits("tessera::acoustic::vp", own);
}

template <class Real>
std::int64_t StoredWaves<Real>::memory_bytes(Storage storage, const Extents& n) {
  const int fields = keeps_difference(storage) ? 4 : 3;
  return fields * field_bytes(n, kR, sizeof(float)) / 2;
}

template <class Real>
PackedRef StoredWaves<Real>::ref(const Bits& field, double unit) const {
  if (field.view().size() == 0) return {};
  const FieldRef<std::uint16_t> plain = field.ref();
  return {
      {plain.origin, storage_ == Storage::bhalf, static_cast<float>(unit)}, plain.plane, plain.row};
}

template <class Real>
void StoredWaves<Real>::set_waves(const Field<Real>& u, const Field<Real>& u_minus) {
  const Extents& n = u.extents();
  const FieldRef<const Real> from = u.ref(), behind = u_minus.ref();
  convert<Real>(n, from, u_ref());
  if (keeps_difference(storage_)) {
    convert<Real>(n, from, difference_ref(), &behind);
  } else {
    convert<Real>(n, behind, next_ref());
  }
}

template <class Real>
std::pair<Real, Real> LinearVp<Real>::range(const Field<Real>& vp) {
  const FieldRef<const Real> from = vp.ref();
  typename Kokkos::MinMax<Real>::value_type range;
  Kokkos::parallel_reduce("tessera::acoustic::stored::vp_range",
                          cells_of(ExecSpace(), whole(vp.extents())),
                          SmallestAndLargest<Real>{from}, Kokkos::MinMax<Real>(range));
  return {range.min_val, range.max_val};
}

template <class Real>
void LinearVp<Real>::set(const Field<Real>& vp, const std::pair<Real, Real>& range) {
  const FieldRef<const Real> from = vp.ref();
  least = static_cast<float>(range.first);
  step = static_cast<float>(range.second - range.first) / std::numeric_limits<std::uint16_t>::max();
  Kokkos::parallel_for("tessera::acoustic::stored::vp", cells_of(ExecSpace(), whole(vp.extents())),
                       NearestStep<Real>{from, bits.ref(), least, step});
  Kokkos::fence();
}

template <class Real>
void LinearVp<Real>::decode(const Field<Real>& to) const {
  const auto from = bits.ref();
  Kokkos::parallel_for(
      "tessera::acoustic::stored::convert", cells_of(ExecSpace(), whole(to.extents())),
      Convert<Real, LinearRef, FieldRef<Real>>{
          {{from.origin, least, step}, from.plane, from.row}, {}, to.ref(), false});
  Kokkos::fence();
}

template <class Real>
Field<Real> StoredWaves<Real>::u() const {
  Field<Real> values("tessera::acoustic::u", u_.extents(), kR);
  convert<Real>(u_.extents(), u_ref(), values.ref());
  return values;
}

template <class Real>
Field<Real> StoredWaves<Real>::u_minus() const {
  Field<Real> values("tessera::acoustic::u_minus", u_.extents(), kR);
  const PackedRef behind = difference_ref();
  if (keeps_difference(storage_)) {
    convert<Real>(u_.extents(), u_ref(), values.ref(), &behind);
  } else {
    convert<Real>(u_.extents(), next_ref(), values.ref());
  }
  return values;
}

template <class Real>
Field<Real> StoredWaves<Real>::vp() const {
  Field<Real> values("tessera::acoustic::vp", vp_.bits.extents(), kR);
  vp_.decode(values);
  return values;
}

template <class Real>
StoredFields StoredWaves<Real>::fields(const Fields<float>& rest) const {
  std::uint16_t* const next = next_.ref().origin;
  return {rest,
          u_.ref().origin,
          keeps_difference(storage_) ? difference_.ref().origin : next,
          next,
          {vp_.bits.ref().origin, vp_.least, vp_.step}};
}

template struct LinearVp<float>;
template struct LinearVp<double>;
template class StoredWaves<float>;
template class StoredWaves<double>;

}  // namespace tessera::acoustic

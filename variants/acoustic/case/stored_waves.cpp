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

/// from, minus where there is one.
template <class Real, class From>
struct Difference {
  From from, minus;
  bool difference;
  [[nodiscard]] KOKKOS_FUNCTION Real at(int z, int y, int x) const {
    const Real value = static_cast<Real>(from.at(z, y, x)[0]);
    return difference ? value - static_cast<Real>(minus.at(z, y, x)[0]) : value;
  }
  KOKKOS_FUNCTION float operator()(int z, int y, int x, float) const {
    return static_cast<float>(at(z, y, x));
  }
};
template <class Real, class From>
struct Convert {
  Difference<Real, From> from;
  FieldRef<Real> to;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const { *to.at(z, y, x) = from.at(z, y, x); }
};

const char* const kConvert = "tessera::acoustic::stored::convert";

[[nodiscard]] Box with_halo(const Extents& n, int beside) {
  return {-kR, n.nz + kR, -kR, n.ny + kR, -beside, n.nx + beside};
}

/// The halo along x of a format stays zero: it lies in blocks of other rows.
template <class Real, class From>
void convert(const Extents& n, const From& from, const PackedRef& to, const From* minus = nullptr) {
  put_in_blocks(kConvert, ExecSpace(), to, with_halo(n, 0),
                Difference<Real, From>{from, minus == nullptr ? from : *minus, minus != nullptr});
  Kokkos::fence();
}
template <class Real, class From>
void convert(const Extents& n, const From& from, const FieldRef<Real>& to,
             const From* minus = nullptr) {
  const Difference<Real, From> all{from, minus == nullptr ? from : *minus, minus != nullptr};
  Kokkos::parallel_for(kConvert, cells_of(ExecSpace(), with_halo(n, kR)),
                       Convert<Real, From>{all, to});
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
  float step;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    *bits.at(z, y, x) =
        static_cast<std::uint16_t>(static_cast<float>(*vp.at(z, y, x)) / step + 0.5F);
  }
};

template <class Real>
struct Largest {
  FieldRef<const Real> vp;
  KOKKOS_FUNCTION void operator()(int x, int y, int z, Real& all) const {
    const Real value = *vp.at(z, y, x);
    all = value > all ? value : all;
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

StoredField::StoredField(const std::string& label, Storage storage, const FieldLayout& layout) {
  // The layout of the other fields, so that they share their offsets; smaller elements need more of
  // them to align the first.
  FieldLayout own = layout;
  own.count += kLineBytes / static_cast<int>(sizeof(std::uint16_t));
  bits = Field<std::uint16_t>(label, own);
  if (bytes_beside(storage) == 0) return;
  const auto values = static_cast<std::int64_t>(1 / bytes_beside(storage));  // of a byte
  first = (layout.lead + layout.halo_z * layout.plane() +
           static_cast<std::int64_t>(layout.halo) * layout.pitch) /
          values;
  beside = decltype(beside)(label, static_cast<std::size_t>(layout.count / values + 1));
}

template <class Real>
StoredWaves<Real>::StoredWaves(Storage storage, const FieldLayout& layout) : storage_(storage) {
  u_ = StoredField("tessera::acoustic::u", storage, layout);
  next_ = StoredField("tessera::acoustic::next", storage, layout);
  if (keeps_difference(storage))
    difference_ = StoredField("tessera::acoustic::difference", storage, layout);
  vp_.bits = StoredField("tessera::acoustic::vp", Storage::half, layout).bits;
}

template <class Real>
std::int64_t StoredWaves<Real>::memory_bytes(Storage storage, const Extents& n) {
  const double waves = keeps_difference(storage) ? 3 : 2;
  const auto floats = static_cast<double>(field_bytes(n, kR, sizeof(float)));
  return static_cast<std::int64_t>(floats * (waves * stored_share(storage) + 0.5));
}

template <class Real>
PackedRef StoredWaves<Real>::ref(const StoredField& field) const {
  if (field.bits.view().size() == 0) return {};
  const FieldRef<std::uint16_t> plain = field.bits.ref();
  return {{field.address(), storage_}, plain.plane, plain.row};
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
Real LinearVp<Real>::largest_of(const Field<Real>& vp) {
  const FieldRef<const Real> from = vp.ref();
  Real largest = 0;
  Kokkos::parallel_reduce("tessera::acoustic::stored::largest_vp",
                          cells_of(ExecSpace(), whole(vp.extents())), Largest<Real>{from},
                          Kokkos::Max<Real>(largest));
  return largest;
}

template <class Real>
void LinearVp<Real>::set(const Field<Real>& vp, Real largest) {
  const FieldRef<const Real> from = vp.ref();
  step = static_cast<float>(largest) / std::numeric_limits<std::uint16_t>::max();
  Kokkos::parallel_for("tessera::acoustic::stored::vp", cells_of(ExecSpace(), whole(vp.extents())),
                       NearestStep<Real>{from, bits.ref(), step});
  Kokkos::fence();
}

template <class Real>
void LinearVp<Real>::decode(const Field<Real>& to) const {
  const auto from = bits.ref();
  const LinearRef steps{{from.origin, step}, from.plane, from.row};
  Kokkos::parallel_for(kConvert, cells_of(ExecSpace(), whole(to.extents())),
                       Convert<Real, LinearRef>{{steps, steps, false}, to.ref()});
  Kokkos::fence();
}

template <class Real>
Field<Real> StoredWaves<Real>::u() const {
  const Extents& n = u_.bits.extents();
  Field<Real> values("tessera::acoustic::u", n, kR);
  convert<Real>(n, u_ref(), values.ref());
  return values;
}

template <class Real>
Field<Real> StoredWaves<Real>::u_minus() const {
  const Extents& n = u_.bits.extents();
  Field<Real> values("tessera::acoustic::u_minus", n, kR);
  const PackedRef behind = difference_ref();
  if (keeps_difference(storage_)) {
    convert<Real>(n, u_ref(), values.ref(), &behind);
  } else {
    convert<Real>(n, next_ref(), values.ref());
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
  const StoredAddress next = next_.address();
  return {rest,
          u_.address(),
          keeps_difference(storage_) ? difference_.address() : next,
          next,
          {vp_.bits.ref().origin, vp_.step}};
}

template <class Real>
void StoredWaves<Real>::reserve_pass(const FieldLayout& layout) {
  if (middle_.bits.view().size() > 0) return;
  middle_ = StoredField("tessera::acoustic::middle", storage_, layout);
  after_ = StoredField("tessera::acoustic::after", storage_, layout);
}

template <class Real>
StoredPass StoredWaves<Real>::pass(const Fields<float>& rest) const {
  StoredPass pass{fields(rest), after_.address(), u_.bits.extents()};
  pass.first.next = middle_.address();
  return pass;
}

template struct LinearVp<float>;
template struct LinearVp<double>;
template class StoredWaves<float>;
template class StoredWaves<double>;

}  // namespace tessera::acoustic

// SPDX-License-Identifier: Apache-2.0
// The wavefields and vp of a solver in a format of fewer bits: allocation, conversion, and what is
// added to them or read from them between steps.
#pragma once

#include "base/grid/field.hpp"
#include "variants/acoustic/formula.hpp"
#include "variants/acoustic/kernels/any_packed.hpp"
#include "variants/acoustic/kernels/pass.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::acoustic {

/// A field in a format.
struct StoredField {
  Field<std::uint16_t> bits;
  Kokkos::View<std::uint8_t*, ExecSpace::memory_space> beside;
  std::int64_t first = 0;  // of cell (0, 0, 0) in it

  StoredField() = default;
  /// Zeros; `layout` is that of floats.
  StoredField(const std::string& label, Storage storage, const FieldLayout& layout);
  [[nodiscard]] StoredAddress address() const {
    return {bits.ref().origin, beside.data() == nullptr ? nullptr : beside.data() + first};
  }
};

/// What the scale brings an expected peak to, at most.
inline constexpr double kTopOfScale = 1024;

/// The factor by which stored values are larger, where u is expected to reach `peak`: the power of
/// two that brings it to between 512 and 1024; 1 for a peak of 0. Half then has room for 64 times
/// as much, and seven digits below it. `given`, if not 0, takes its place, rounded down.
[[nodiscard]] double storage_scale(double peak, double given = 0);

/// What follows in a message that u is not finite; empty in plain storage.
[[nodiscard]] std::string overflow_remark(Storage storage, double scale);

/// What u reaches at most near a source that adds up to `amplitude` to a cell each step, where it
/// lasts for ever: amplitude h^2 / vp times the Green's function of the discrete Laplacian, 0.2527,
/// h being the largest spacing.
[[nodiscard]] double expected_peak(double amplitude, double h, double vp);

/// Relative L2 difference.
template <class Real>
[[nodiscard]] double relative_difference(const std::vector<Real>& got,
                                         const std::vector<Real>& wanted) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += std::pow(static_cast<double>(got[i]) - wanted[i], 2);
    norm += std::pow(static_cast<double>(wanted[i]), 2);
  }
  return norm > 0 ? std::sqrt(difference / norm) : 0;
}

/// vp in 16 bits: step * bits, up to the largest value.
template <class Real>
struct LinearVp {
  Field<std::uint16_t> bits;
  float step = 0;

  [[nodiscard]] static Real largest_of(const Field<Real>& vp);
  /// Rounds a field whose values go up to `largest`; `bits` has its layout.
  void set(const Field<Real>& vp, Real largest);
  /// What kernels read.
  void decode(const Field<Real>& to) const;
};

/// Values are scale() times those of the solver; with linear equations that changes nothing else.
template <class Real>
class StoredWaves {
 public:
  using Bits = Field<std::uint16_t>;
  StoredWaves() = default;  ///< none
  /// Zeros.
  StoredWaves(Storage storage, const FieldLayout& layout);
  [[nodiscard]] static std::int64_t memory_bytes(Storage storage, const Extents& n);

  [[nodiscard]] bool any() const { return storage_ != Storage::plain; }
  [[nodiscard]] Storage storage() const { return storage_; }
  [[nodiscard]] double scale() const { return scale_; }
  void set_scale(double scale) { scale_ = scale; }

  /// Rounds fields, the first two times scale() already.
  void set_waves(const Field<Real>& u, const Field<Real>& u_minus);
  void set_vp(const Field<Real>& vp, Real largest) { vp_.set(vp, largest); }
  /// Copies of what kernels see: u and, from a difference too, u-, times scale(); vp.
  [[nodiscard]] Field<Real> u() const;
  [[nodiscard]] Field<Real> u_minus() const;
  [[nodiscard]] Field<Real> vp() const;

  /// u+ (after a step, before advance()), or u, as it is stored.
  [[nodiscard]] PackedRef next_ref() const { return ref(next_); }
  [[nodiscard]] PackedRef u_ref() const { return ref(u_); }
  /// The same without the scale: for reading.
  [[nodiscard]] PackedRef u_unscaled() const { return unscaled(u_ref()); }
  [[nodiscard]] PackedRef unscaled(PackedRef stored) const {
    stored.origin.unit = static_cast<float>(1 / scale_);
    return stored;
  }
  /// The bits of u and of u+, for exchange, and with what is kept of u-, for checkpoints.
  [[nodiscard]] const Bits& u_bits() const { return u_.bits; }
  [[nodiscard]] const Bits& next_bits() const { return next_.bits; }
  [[nodiscard]] const Bits& kept_bits() const {
    return keeps_difference(storage_) ? difference_.bits : next_.bits;
  }
  /// What a source adds to u+ goes to this, too; null where no difference is kept.
  [[nodiscard]] PackedRef difference_ref() const { return ref(difference_); }

  /// Makes u+ the current field.
  void advance() { std::swap(u_, next_); }
  /// What kernels take; `rest` has the other fields.
  [[nodiscard]] StoredFields fields(const Fields<float>& rest) const;

  /// Allocates what a pass out of place writes, once.
  void reserve_pass(const FieldLayout& layout);
  /// What it takes; and its results, as they are stored.
  [[nodiscard]] StoredPass pass(const Fields<float>& rest) const;
  [[nodiscard]] PackedRef middle_ref() const { return ref(middle_); }
  [[nodiscard]] PackedRef after_ref() const { return ref(after_); }
  void swap_pass() {
    std::swap(u_, after_);
    std::swap(next_, middle_);
  }

 private:
  [[nodiscard]] PackedRef ref(const StoredField& field) const;

  Storage storage_ = Storage::plain;
  double scale_ = 1;
  StoredField u_, next_, difference_;  // without a difference next_ is u- before a step
  StoredField middle_, after_;         // of a pass; empty without reserve_pass()
  LinearVp<Real> vp_;
};

extern template struct LinearVp<float>;
extern template struct LinearVp<double>;
extern template class StoredWaves<float>;
extern template class StoredWaves<double>;

}  // namespace tessera::acoustic

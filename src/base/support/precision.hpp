// SPDX-License-Identifier: Apache-2.0
// The precisions of this build, and what there is one of for each of them.
#pragma once

#include <type_traits>

namespace tessera {

/// True where this build has kernels for elements of `value_bytes` bytes (TESSERA_PRECISIONS).
constexpr bool precision_is_built(int value_bytes) {
  return value_bytes == 4 ? TESSERA_ENABLE_FLOAT : TESSERA_ENABLE_DOUBLE;
}

/// "float" or "double", as decks and reports write it.
template <class Real>
inline constexpr const char* kPrecisionName = std::is_same_v<Real, float> ? "float" : "double";

/// An Of<float> and an Of<double>, each as default-made where its precision is not built.
template <template <class Real> class Of>
class PerPrecision {
 public:
  PerPrecision() = default;

  /// Makes those of the precisions that are built: `make(Real{})` gives what an Of<Real> takes.
  template <class Make>
  explicit PerPrecision(const Make& make) {
#if TESSERA_ENABLE_FLOAT
    float_ = make(float{});
#endif
#if TESSERA_ENABLE_DOUBLE
    double_ = make(double{});
#endif
  }

  template <class Real>
  [[nodiscard]] const Of<Real>& in() const {
    if constexpr (std::is_same_v<Real, float>) {
      return float_;
    } else {
      return double_;
    }
  }

 private:
  Of<float> float_{};
  Of<double> double_{};
};

/// `launcher`'s member `step` as a function.
template <class Launcher>
[[nodiscard]] auto step_of(const Launcher& launcher) {
  return [launcher](const auto&... arguments) { return launcher.step(arguments...); };
}

}  // namespace tessera

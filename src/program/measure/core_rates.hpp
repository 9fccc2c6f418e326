// SPDX-License-Identifier: Apache-2.0
// What a core of a host does in a cycle with data in registers and L1: the ports of the host model.
#pragma once

#include "program/results/statistics.hpp"

#include <string>
#include <vector>

namespace tessera::measure {

/// One vector width in one precision: instructions that a core does in a second, all cores busy.
struct CoreRate {
  std::string precision;         ///< "float" or "double"
  int vector_bytes = 0;          ///< of one element: no vectors
  machine::Rate loads, stores;   ///< of whole vectors, from and to L1
  machine::Rate sums, products;  ///< each alone
  machine::Rate mixed;           ///< sums and products in turn, together
  machine::Rate gathers;  ///< elements of a table in L1, by 16-bit indices; of none but single
                          ///< elements and the widest vectors (count 0 elsewhere)
};

struct CoreRates {
  machine::Rate clock;  ///< cycles a second: of a chain of integer operations that take one each
  std::vector<CoreRate> rates;
};

struct CoreOptions {
  std::string precision;  ///< empty: both
  bool widest = false;    ///< single elements and the widest vectors alone
  double sample_s = 0.002;
  int repetitions = 7;
};

/// Measures the widths that this binary's instruction set has; nothing on a device, nor where the
/// compiler does not know GCC's vectors. Throws Error where a loop computed something else.
[[nodiscard]] CoreRates measure_core_rates(const CoreOptions& options = {});

}  // namespace tessera::measure

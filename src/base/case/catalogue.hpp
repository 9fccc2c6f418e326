// SPDX-License-Identifier: Apache-2.0
// What a binary contains: its variants and its families.
#pragma once

#include "base/case/case.hpp"
#include "base/registry/registry.hpp"

#include <vector>

namespace tessera {

struct Catalogue {
  Registry variants;
  std::vector<Family> families;
};

/// The catalogue of this build. The body is generated from the build's lists: a registration
/// function or a family's `Family tessera::<name>::family()` that is missing is a link error.
[[nodiscard]] Catalogue build_catalogue();

}  // namespace tessera

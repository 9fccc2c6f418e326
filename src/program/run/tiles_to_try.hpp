// SPDX-License-Identifier: Apache-2.0
// What `tune` tries of a selection: plans and models rule out the rest.
#pragma once

#include "base/case/case.hpp"
#include "base/registry/registry.hpp"
#include "program/results/machine_file.hpp"

#include <cstdint>
#include <cstdio>
#include <vector>

namespace tessera {

/// What of `all` can be tried on a case, of which it makes at most `steps`; prints the case, and
/// what the plans rule out, a line each. Throws Error where nothing is left.
[[nodiscard]] std::vector<Selected> tiles_to_try(Case& c, const std::vector<Selected>& all,
                                                 std::int64_t steps, std::FILE* talk);

/// Drops what the machine's model predicts to be slower than `factor` times the best, a line each.
/// What has no prediction is kept.
void prune_by_model(const Case& c, std::vector<Selected>& selection,
                    const machine::Machine& machine, double factor, std::FILE* talk);

}  // namespace tessera

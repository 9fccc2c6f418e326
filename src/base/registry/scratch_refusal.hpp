// SPDX-License-Identifier: Apache-2.0
// Plans of teams that need more scratch than there is.
#pragma once

#include "base/device/scratch_limit.hpp"
#include "base/registry/plan.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

/// Makes a plan unsupported, with scratch_shortage() as the reason, where a machine of that kind
/// grants a team less than its `scratch_bytes`: `most` bytes. `purpose` follows the number: " for
/// 40 velocities".
inline void refuse_scratch_beyond(Plan& plan, std::int64_t most, MachineKind kind,
                                  std::string_view purpose = "") {
  std::string why = scratch_shortage(plan.scratch_bytes, most, kind, purpose);
  if (!why.empty()) plan = unsupported(std::move(why));
}

}  // namespace tessera

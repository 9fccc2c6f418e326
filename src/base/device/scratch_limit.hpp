// SPDX-License-Identifier: Apache-2.0
// The message where a team requests more scratch than there is.
#pragma once

#include "base/support/error.hpp"
#include "base/support/machine_limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// Why a team cannot have `bytes` of scratch where a machine of that kind grants `most`; empty
/// where it can. `purpose` follows the number: " for 40 velocities".
[[nodiscard]] inline std::string scratch_shortage(std::int64_t bytes, std::int64_t most,
                                                  MachineKind kind, std::string_view purpose = "") {
  if (bytes <= most) return "";
  return fmt::format("{} bytes of team scratch{}; the {} has {}", bytes, purpose,
                     kind == MachineKind::device ? "device" : "host", most);
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Energy of a host's sockets, by RAPL through Linux' powercap files.
#pragma once

#include "program/measure/energy_counter.hpp"

#include <filesystem>
#include <memory>

namespace tessera::measure {

/// Opens the counters of every package, and of its memory where that has one of its own. Null where
/// `root` has none, or where one of them may not be read: a part of the sockets would mislead.
[[nodiscard]] std::unique_ptr<EnergyCounter> open_rapl(
    const std::filesystem::path& root = "/sys/class/powercap");

}  // namespace tessera::measure

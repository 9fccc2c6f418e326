// SPDX-License-Identifier: Apache-2.0
// The machine under this run, as it is recorded with every result.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tessera::measure {

/// Short name of the device in use, for file names and tables: the vendor's in lower case, with
/// dashes: "nvidia-h100-80gb-hbm3".
[[nodiscard]] std::string machine_name();

/// The vendor's name of the device in use: the GPU's, or the CPU's model.
[[nodiscard]] std::string device_name();

/// Everything that a result needs said about where it ran: host, threads, topology and binding,
/// caches, memory, execution space and concurrency, flush-to-zero, and for a device its limits,
/// clocks, driver and runtime. With `redact` the host's name and the device's bus address are left
/// out. Call after Kokkos starts. Sizes in bytes unless a key says otherwise.
[[nodiscard]] nlohmann::json machine_metadata(bool redact = false);

/// Build facts as JSON: version, revision, compiler, flags, Kokkos.
[[nodiscard]] nlohmann::json build_metadata();

}  // namespace tessera::measure

// SPDX-License-Identifier: Apache-2.0
// What tells two machines apart that a vendor calls alike.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tessera::compare {

/// The device that the `machine` of a result file names; "an unnamed machine" without.
[[nodiscard]] std::string device_of(const nlohmann::json& machine);

/// The `machine` of a result file as text that is equal for machines of one make: the device with,
/// of a host, its threads and cache sizes, of a GPU its compute units and memory.
[[nodiscard]] std::string machine_identity(const nlohmann::json& machine);

/// What of a machine's identity another's lacks, behind the device's name: "AMD EPYC, 2 threads";
/// the name alone where the devices' names differ.
[[nodiscard]] std::string told_apart(const nlohmann::json& machine, const nlohmann::json& other);

/// The first letters of the git revision that a result file's `build` names, a '+' behind where the
/// tree had changes of its own; empty where it names none.
[[nodiscard]] std::string short_revision(const nlohmann::json& build);

}  // namespace tessera::compare

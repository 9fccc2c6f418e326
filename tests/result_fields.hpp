// SPDX-License-Identifier: Apache-2.0
// The fields of a result file that readers rely on: names may be added, these stay.
#pragma once

namespace tessera::test {

/// Of the file.
inline constexpr const char* kFileFields[] = {
    "schema", "machine", "build", "deck", "date", "streams", "command_line", "roofline", "results"};

/// Of an entry of `results`.
inline constexpr const char* kRowFields[] = {"family",
                                             "stencil",
                                             "variant",
                                             "configuration",
                                             "decomposition",
                                             "precision",
                                             "nx",
                                             "ny",
                                             "nz",
                                             "steps",
                                             "status",
                                             "reason",
                                             "samples_s",
                                             "gcell_per_s",
                                             "effective_gb_per_s",
                                             "fraction_of_copy",
                                             "fraction_of_update",
                                             "gflop_per_s",
                                             "u_min",
                                             "u_max",
                                             "resources",
                                             "predicted",
                                             "counters",
                                             "roofline_gflop_per_s",
                                             "fraction_of_roofline",
                                             "published"};

}  // namespace tessera::test

// SPDX-License-Identifier: Apache-2.0
// What `tessera tune` tries of a selection, and the file in which it keeps winners and
// `tessera run --tuned` finds them.
#pragma once

#include "base/case/case.hpp"
#include "base/registry/registry.hpp"
#include "program/results/file_fields.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/result.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

using results::Winner;

/// A winner of a case on this machine by this build, of which no variant is known yet.
[[nodiscard]] Winner winner_of(const Case& c);

/// The fastest valid row of each variant, with the next tile as `rival` where the lead over it is
/// within the spread: where the quartiles of their samples cross.
[[nodiscard]] std::vector<Winner> winners(const Winner& of_case,
                                          const std::vector<results::Result>& rows,
                                          const std::string& date);

/// Reads a file of winners (JSON, one object a winner). Throws Error where it is not such a file, a
/// number is out of its range (results/file_fields.cpp), or a variant has two winners for one case.
[[nodiscard]] std::vector<Winner> read_tuned(const std::filesystem::path& path);

/// Writes `fresh` into the file: entries of the same machine, build, problem and variant are
/// replaced, others kept.
void write_tuned(const std::filesystem::path& path, const std::vector<Winner>& fresh);

/// Keeps of each variant its tuned configuration, where `entries` has one for the case `key` of the
/// same machine, build and revision of the code; other variants keep all of theirs. Returns one
/// line that says how many of which, and of which variants nothing is left, since the tuned
/// configuration is not selected.
[[nodiscard]] std::string apply_tuned(const std::vector<Winner>& entries, const Winner& key,
                                      std::vector<Selected>& selection);

/// What of `all` can be tried on a case, of which it makes at most `steps`; prints the case, and
/// what the plans rule out, a line each. Throws Error where nothing is left.
[[nodiscard]] std::vector<Selected> tiles_to_try(Case& c, const std::vector<Selected>& all,
                                                 std::int64_t steps, std::FILE* talk);

/// Drops what the machine's model predicts to be slower than `factor` times the best, a line each.
/// What has no prediction is kept.
void prune_by_model(const Case& c, std::vector<Selected>& selection,
                    const machine::Machine& machine, double factor, std::FILE* talk);

}  // namespace tessera

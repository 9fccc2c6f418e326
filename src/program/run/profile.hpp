// SPDX-License-Identifier: Apache-2.0
// Runs for a profiler: the steps of each configuration and nothing else between two marks.
#pragma once

#include "base/case/case.hpp"
#include "program/results/result.hpp"
#include "program/run/run.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Runs every configuration in every decomposition once, `case.steps` steps from the initial data:
/// no verification, no warm-up, no timing. An empty kernel named ProfileBegin precedes the steps of
/// each and one named ProfileEnd follows, so that whoever reads the profiler's list of kernels
/// finds the row that a kernel belongs to: the n-th pair encloses the n-th row whose status is
/// `unverified`. Throws Interrupted after the step under way.
[[nodiscard]] std::vector<results::Result> run_for_profiler(Case& profiled,
                                                            const std::vector<Selected>& selection,
                                                            const StudyProgress& progress);

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Reasons to doubt measurements, a sentence each.
#pragma once

#include "program/results/result.hpp"

#include <string>
#include <vector>

namespace tessera::results {

/// A rate may exceed its bound by this much before it is doubted: bounds are measured too.
inline constexpr double kBoundSlack = 0.05;

/// Copy bandwidths of two runs may differ by this much before the rows of both are doubted.
inline constexpr double kDriftSlack = 0.05;

/// What speaks against roofs measured by arrays of `array_bytes` where the last cache has
/// `cache_bytes`; empty where nothing does. A device's need only exceed it.
[[nodiscard]] std::string warning_of_streams(double array_bytes, double cache_bytes,
                                             bool on_device);

/// Why a build, as result files describe it (compiler flags, Kokkos' options), is not one to
/// measure with: less than -O2, assertions, bounds checks. Empty where it is, or where it is not
/// described.
[[nodiscard]] std::string warning_of_build(const nlohmann::json& build);

/// One line for each kind of warning about a run's rows: a build that is not for measuring, rows
/// that vary by more than 3 %, streams whose arrays may be served by the last cache, rates above
/// their bound, grids whose values fit the last-level cache, a machine on which others ran, threads
/// that are not bound on several NUMA nodes, more threads than CPUs, and rows of a resumed run that
/// were measured while the memory gave more or less.
[[nodiscard]] std::vector<std::string> measurement_warnings(const ResultFile& file);

}  // namespace tessera::results

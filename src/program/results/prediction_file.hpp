// SPDX-License-Identifier: Apache-2.0
// The layout of files of predictions: `tessera predict -o` writes them, tools/compare.py reads
// them.
#pragma once

namespace tessera::results {

/// Name and version of the layout (docs/results.md).
inline constexpr const char* kPredictionSchema = "tessera-prediction-1";

}  // namespace tessera::results

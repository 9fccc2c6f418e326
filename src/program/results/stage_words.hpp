// SPDX-License-Identifier: Apache-2.0
// The stages that the models name as what binds, in words.
#pragma once

#include <string>
#include <string_view>

namespace tessera::results {

/// "the L2 cache", "L1 and scratch", "the latency of a team's steps", ...: a stage as a sentence
/// names it. `stage` and `model` are `binding` and `model` of a row's `predicted`, of which the
/// device and the host model have stages of their own; `on_host`: those of the other models lie in
/// a host's caches. What is no such stage stays as it is.
[[nodiscard]] std::string stage_words(const std::string& stage, std::string_view model,
                                      bool on_host);

}  // namespace tessera::results

// SPDX-License-Identifier: Apache-2.0
// Binary units of memory.
#pragma once

namespace tessera {

inline constexpr double kBytesPerMiB = 1024.0 * 1024.0;
inline constexpr double kBytesPerGiB = 1024 * kBytesPerMiB;

}  // namespace tessera

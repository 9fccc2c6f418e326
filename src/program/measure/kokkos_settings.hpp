// SPDX-License-Identifier: Apache-2.0
// What users tell Kokkos by options and the environment, checked before Kokkos sees it: it answers
// nonsense with an abort.
#pragma once

namespace tessera::measure {

/// Threads that Kokkos' host execution spaces have room for.
inline constexpr int kMostThreads = 512;

/// Throws Error (one line) where a number among the `--kokkos-...` options, the KOKKOS_...
/// variables or of OMP_NUM_THREADS is none, or where more threads are asked for than kMostThreads.
/// `argv` has `argc` words.
void check_kokkos_settings(int argc, const char* const* argv);

}  // namespace tessera::measure

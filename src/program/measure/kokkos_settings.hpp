// SPDX-License-Identifier: Apache-2.0
// Options and environment variables of Kokkos, checked before Kokkos reads them: it answers
// nonsense with an abort.
#pragma once

namespace tessera::measure {

/// Threads that Kokkos' host execution spaces have room for.
inline constexpr int kMostThreads = 512;

/// Throws Error (one line) where a number among the `--kokkos-...` options, the KOKKOS_...
/// variables or of OMP_NUM_THREADS is not a number, or where more threads are requested than
/// kMostThreads. `argv` has `argc` words.
void check_kokkos_settings(int argc, const char* const* argv);

}  // namespace tessera::measure

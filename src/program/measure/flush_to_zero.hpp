// SPDX-License-Identifier: Apache-2.0
// Denormal numbers off: a wave that spreads into zeros is otherwise timed on them, three times
// slower on a host.
#pragma once

namespace tessera::measure {

/// Makes denormals zero, as results and as operands, on the calling thread and on every thread of
/// the host's execution space. Call once after Kokkos starts. On a device, and on processors
/// without such a mode, nothing changes there.
void set_flush_to_zero();

/// True where a product that would be denormal is zero on the calling thread and on all threads of
/// the host's execution space: found by trying, not by reading the mode back.
[[nodiscard]] bool flushes_to_zero();

}  // namespace tessera::measure

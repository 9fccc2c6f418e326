// SPDX-License-Identifier: Apache-2.0
// Included before all else where clang 16 or 17 compiles HIP: in the initialiser of a member, as
// in `std::shared_ptr<A> a{new A}`, they take the device's operator delete for host code too, and
// stop (clang 18 compares host and device there). Of several that fit, they take the one declared
// last: this one, which is the host's own under another signature.
#pragma once

__attribute__((host)) void operator delete(void* p) noexcept
    __attribute__((enable_if(true, ""))) __asm__("_ZdlPv");

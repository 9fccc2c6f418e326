// SPDX-License-Identifier: Apache-2.0
// A hint for loops over registers: unrolled on a device, where an index must be a constant.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_UNROLL
#endif

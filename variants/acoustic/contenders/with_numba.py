# SPDX-License-Identifier: Apache-2.0
"""Numba: loops over threads, the inner one for LLVM to vectorise (a loop over m is slower)."""

import numba
import numpy as np

from . import C, R, contender

C0, C1, C2, C3, C4 = (np.float32(value) for value in (3 * C[0], *C[1:]))


@numba.njit(parallel=True, fastmath=True)
def loops(u, b, vp):
    for z in numba.prange(R, u.shape[0] - R):
        for y in range(R, u.shape[1] - R):
            for x in range(R, u.shape[2] - R):
                total = C0 * u[z, y, x]
                total += C1 * (u[z+1, y, x] + u[z-1, y, x] + u[z, y+1, x] + u[z, y-1, x]
                               + u[z, y, x+1] + u[z, y, x-1])
                total += C2 * (u[z+2, y, x] + u[z-2, y, x] + u[z, y+2, x] + u[z, y-2, x]
                               + u[z, y, x+2] + u[z, y, x-2])
                total += C3 * (u[z+3, y, x] + u[z-3, y, x] + u[z, y+3, x] + u[z, y-3, x]
                               + u[z, y, x+3] + u[z, y, x-3])
                total += C4 * (u[z+4, y, x] + u[z-4, y, x] + u[z, y+4, x] + u[z, y-4, x]
                               + u[z, y, x+4] + u[z, y, x-4])
                b[z, y, x] = np.float32(2) * u[z, y, x] - b[z, y, x] + vp[z, y, x] * total


CONTENDERS = {"Numba, parallel loops": contender(loops)}

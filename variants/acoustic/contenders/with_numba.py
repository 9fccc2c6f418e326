# SPDX-License-Identifier: Apache-2.0
"""Numba: nested loops as one writes them first, which LLVM leaves scalar, and rows by functions of
one-dimensional arrays, a few rows each, which become vectors."""

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


@numba.njit(fastmath=True)
def along_x(total, u):
    for x in range(total.size):
        total[x] = (C0 * u[x+4] + C1 * (u[x+3] + u[x+5]) + C2 * (u[x+2] + u[x+6]) + C3 * (u[x+1] + u[x+7])
                    + C4 * (u[x] + u[x+8]))


@numba.njit(fastmath=True)
def add_four(total, c, a, b, d, e):
    for x in range(total.size):
        total[x] += c * (a[x] + b[x] + d[x] + e[x])


@numba.njit(fastmath=True)
def finish(b, u, vp, total):
    for x in range(total.size):
        b[x] = np.float32(2) * u[x] - b[x] + vp[x] * total[x]


@numba.njit(parallel=True, fastmath=True)
def rows(u, b, vp):
    for z in numba.prange(R, u.shape[0] - R):
        inside = slice(R, u.shape[2] - R)
        total = np.empty(u.shape[2] - 2 * R, np.float32)  # of a row, in L1
        for y in range(R, u.shape[1] - R):
            along_x(total, u[z, y])
            add_four(total, C1, u[z-1, y, inside], u[z+1, y, inside], u[z, y-1, inside], u[z, y+1, inside])
            add_four(total, C2, u[z-2, y, inside], u[z+2, y, inside], u[z, y-2, inside], u[z, y+2, inside])
            add_four(total, C3, u[z-3, y, inside], u[z+3, y, inside], u[z, y-3, inside], u[z, y+3, inside])
            add_four(total, C4, u[z-4, y, inside], u[z+4, y, inside], u[z, y-4, inside], u[z, y+4, inside])
            finish(b[z, y, inside], u[z, y, inside], vp[z, y, inside], total)


CONTENDERS = {"Numba, parallel loops": contender(loops), "Numba, rows by functions": contender(rows)}

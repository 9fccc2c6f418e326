# SPDX-License-Identifier: Apache-2.0
"""The 25-point acoustic update as users of other packages write it: u+ = 2 u - u- + vp L(u), h = 1.

A module a package, CONTENDERS its kernels. Arrays are [z, y, x] with four zeros around."""

R = 4
C = (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)
INSIDE = (slice(R, -R),) * 3


def shifted(u):
    """The cells at a distance (z, y, x) of each cell inside, as views of u."""
    n = [size - 2 * R for size in u.shape]
    return lambda *by: u[tuple(slice(R + d, R + d + m) for d, m in zip(by, n))]


def laplacian(at):
    """L(u); `at` has the cells at a distance."""
    return 3 * C[0] * at(0, 0, 0) + sum(
        C[m] * (at(m, 0, 0) + at(-m, 0, 0) + at(0, m, 0) + at(0, -m, 0)
                + at(0, 0, m) + at(0, 0, -m)) for m in range(1, R + 1))


def slices(u, before, vp):
    """The update in whole arrays, of any package with slices that are views."""
    before[INSIDE] = 2 * u[INSIDE] - before[INSIDE] + vp[INSIDE] * laplacian(shifted(u))


def contender(update, put=lambda array: array, wait=lambda array: None, get=lambda array: array):
    """`update` writes u+ over u-, or returns it. Makes of numpy arrays run(steps), which waits for
    the end, and field(), the cells inside."""
    def made(u, before, vp):
        state, vp = [put(u), put(before)], put(vp)

        def run(steps):
            for _ in range(steps):
                after = update(*state, vp)
                state[:] = (state[1] if after is None else after), state[0]
            wait(state[0])

        return run, lambda: get(state[0])[tuple(slice(R, size - R) for size in u.shape)]
    return made

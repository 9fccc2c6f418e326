# SPDX-License-Identifier: Apache-2.0
"""JAX: slices, jnp.roll, and a Pallas kernel of 3D blocks through its Triton backend."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas
from jax.experimental.pallas import triton as pallas_triton

from . import INSIDE, R, contender, laplacian, shifted

BLOCK = (4, 4, 64)  # powers of two; arrays are padded to whole ones, where vp = 0 keeps zeros


def slices(u, before, vp):
    after = 2 * u[INSIDE] - before[INSIDE] + vp[INSIDE] * laplacian(shifted(u))
    return before.at[INSIDE].set(after)


def roll(u, before, vp):  # vp = 0 takes away what comes round the ends
    return 2 * u - before + vp * laplacian(lambda *by: jnp.roll(u, [-d for d in by], (0, 1, 2)))


def blocks(u, before, vp):
    def kernel(u, before, vp, after):
        def at(*by):
            return tuple(pallas.ds(R + d + pallas.program_id(axis) * BLOCK[axis], BLOCK[axis])
                         for axis, d in enumerate(by))
        here = at(0, 0, 0)
        after[here] = 2 * u[here] - before[here] + vp[here] * laplacian(lambda *by: u[at(*by)])

    return pallas.pallas_call(
        kernel, out_shape=jax.ShapeDtypeStruct(u.shape, u.dtype), input_output_aliases={1: 0},
        grid=tuple((size - 2 * R) // n for size, n in zip(u.shape, BLOCK)),
        compiler_params=pallas_triton.CompilerParams(num_warps=4))(u, before, vp)


def put(array):
    more = [(0, -(size - 2 * R) % n) for size, n in zip(array.shape, BLOCK)]
    return jnp.asarray(np.pad(array, more))


CONTENDERS = {name: contender(jax.jit(update, donate_argnums=1), put, jax.block_until_ready,
                              np.asarray)
              for name, update in (("JAX, slices", slices), ("JAX, roll", roll),
                                   ("JAX, Pallas, 64 x 4 x 4", blocks))}

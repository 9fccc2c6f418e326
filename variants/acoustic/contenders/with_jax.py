# SPDX-License-Identifier: Apache-2.0
"""JAX: slices, jnp.roll, and a Pallas kernel of 3D blocks through its Triton backend."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas
from jax.experimental.pallas import triton as pallas_triton

from . import INSIDE, R, contender, laplacian, shifted

BLOCKS = ((4, 4, 64), (1, 4, 128), (2, 8, 32), (8, 4, 64))  # powers of two, along z, y and x
WHOLE = (8, 8, 128)  # arrays are padded to whole ones of all, where vp = 0 keeps zeros


def slices(u, before, vp):
    after = 2 * u[INSIDE] - before[INSIDE] + vp[INSIDE] * laplacian(shifted(u))
    return before.at[INSIDE].set(after)


def roll(u, before, vp):  # vp = 0 takes away what comes round the ends
    return 2 * u - before + vp * laplacian(lambda *by: jnp.roll(u, [-d for d in by], (0, 1, 2)))


def blocks(block):
    """By programs of four warps, a block each."""
    def update(u, before, vp):
        def kernel(u, before, vp, after):
            def at(*by):
                return tuple(pallas.ds(R + d + pallas.program_id(axis) * block[axis], block[axis])
                             for axis, d in enumerate(by))
            here = at(0, 0, 0)
            after[here] = 2 * u[here] - before[here] + vp[here] * laplacian(lambda *by: u[at(*by)])

        return pallas.pallas_call(
            kernel, out_shape=jax.ShapeDtypeStruct(u.shape, u.dtype), input_output_aliases={1: 0},
            grid=tuple((size - 2 * R) // n for size, n in zip(u.shape, block)),
            compiler_params=pallas_triton.CompilerParams(num_warps=4))(u, before, vp)
    return update


def put(array):
    more = [(0, -(size - 2 * R) % n) for size, n in zip(array.shape, WHOLE)]
    return jnp.asarray(np.pad(array, more))


CONTENDERS = {name: contender(jax.jit(update, donate_argnums=1), put, jax.block_until_ready,
                              np.asarray)
              for name, update in (("JAX, slices", slices), ("JAX, roll", roll), *(
                  (f"JAX, Pallas, {x} x {y} x {z}", blocks((z, y, x))) for z, y, x in BLOCKS))}

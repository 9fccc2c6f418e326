# SPDX-License-Identifier: Apache-2.0
"""Triton: 3D blocks, and planes streamed along z whose column is kept in registers (2.5D)."""

import torch
import triton
import triton.language as tl

from . import C, R, contender

C0, C1, C2, C3, C4 = (tl.constexpr(value) for value in (3 * C[0], *C[1:]))


@triton.jit
def around(u, at, step, mask, m: tl.constexpr):
    return tl.load(u + at - m * step, mask=mask) + tl.load(u + at + m * step, mask=mask)


@triton.jit
def in_plane(u, at, row, mask):
    """The eight neighbours along x and the eight along y."""
    return (C1 * (around(u, at, 1, mask, 1) + around(u, at, row, mask, 1))
            + C2 * (around(u, at, 1, mask, 2) + around(u, at, row, mask, 2))
            + C3 * (around(u, at, 1, mask, 3) + around(u, at, row, mask, 3))
            + C4 * (around(u, at, 1, mask, 4) + around(u, at, row, mask, 4)))


@triton.jit
def blocks(u, before, vp, nz, ny, nx, plane, row,
           BZ: tl.constexpr, BY: tl.constexpr, BX: tl.constexpr):
    x = tl.program_id(0) * BX + tl.arange(0, BX)[None, None, :]
    y = tl.program_id(1) * BY + tl.arange(0, BY)[None, :, None]
    z = tl.program_id(2) * BZ + tl.arange(0, BZ)[:, None, None]
    mask = (z < nz) & (y < ny) & (x < nx)
    at = (z + 4) * plane + (y + 4) * row + x + 4
    here = tl.load(u + at, mask=mask)
    total = C0 * here + in_plane(u, at, row, mask)
    total += C1 * around(u, at, plane, mask, 1) + C2 * around(u, at, plane, mask, 2)
    total += C3 * around(u, at, plane, mask, 3) + C4 * around(u, at, plane, mask, 4)
    after = 2 * here - tl.load(before + at, mask=mask) + tl.load(vp + at, mask=mask) * total
    tl.store(before + at, after, mask=mask)


@triton.jit
def stream(u, before, vp, nz, ny, nx, plane, row,
           CHUNK: tl.constexpr, BY: tl.constexpr, BX: tl.constexpr):
    x = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    mask = (y < ny) & (x < nx)
    first = tl.program_id(2) * CHUNK
    at = (first + 4) * plane + (y + 4) * row + x + 4
    b4, b3 = tl.load(u + at - 4 * plane, mask=mask), tl.load(u + at - 3 * plane, mask=mask)
    b2, b1 = tl.load(u + at - 2 * plane, mask=mask), tl.load(u + at - plane, mask=mask)
    here, a1 = tl.load(u + at, mask=mask), tl.load(u + at + plane, mask=mask)
    a2, a3 = tl.load(u + at + 2 * plane, mask=mask), tl.load(u + at + 3 * plane, mask=mask)
    for _ in range(first, min(first + CHUNK, nz)):
        a4 = tl.load(u + at + 4 * plane, mask=mask)
        total = C0 * here + in_plane(u, at, row, mask)
        total += C1 * (b1 + a1) + C2 * (b2 + a2) + C3 * (b3 + a3) + C4 * (b4 + a4)
        after = 2 * here - tl.load(before + at, mask=mask) + tl.load(vp + at, mask=mask) * total
        tl.store(before + at, after, mask=mask)
        b4, b3, b2, b1, here, a1, a2, a3 = b3, b2, b1, here, a1, a2, a3, a4
        at += plane


def launch(kernel, warps, *tile):
    """`tile`: planes, rows and cells of a row that a program of so many warps makes."""
    def update(u, before, vp):
        n = [size - 2 * R for size in u.shape]
        grid = tuple(triton.cdiv(size, of) for size, of in zip(reversed(n), reversed(tile)))
        kernel[grid](u, before, vp, *n, u.stride(0), u.stride(1), *tile, num_warps=warps)
    return update


TILES = {"Triton, 3D blocks": (blocks, (4, 4, 4, 64), (4, 1, 4, 128), (4, 2, 8, 32), (8, 4, 8, 64), (2, 1, 2, 128)),
         "Triton, 2.5D": (stream, (4, 128, 8, 64), (4, 128, 4, 128), (4, 128, 8, 32), (8, 128, 16, 64), (4, 64, 16, 32))}
CONTENDERS = {f"{name}, {x} x {y} x {z}, {warps} warps": contender(
    launch(kernel, warps, z, y, x), lambda array: torch.from_numpy(array).cuda(),
    lambda _: torch.cuda.synchronize(), lambda array: array.cpu().numpy())
    for name, (kernel, *tiles) in TILES.items() for warps, z, y, x in tiles}

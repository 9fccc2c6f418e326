# SPDX-License-Identifier: Apache-2.0
"""CuPy: slices, and plain CUDA as text: a thread a cell, all points through the cache."""

import cupy

from . import C, R, contender, slices

CUDA = f"""
__constant__ float c[] = {{{", ".join(f"{value!r}f" for value in C)}}};
extern "C" __global__ void advance(const float* u, float* b, const float* vp, int ny, int nx) {{
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = nx + 2 * {R}, plane = row * (ny + 2 * {R});
  if (x >= nx || y >= ny) return;
  const long long i = (long long)(blockIdx.z + {R}) * plane + (y + {R}) * row + x + {R};
  float sum = 3 * c[0] * u[i];
  for (int m = 1; m <= {R}; ++m)
    sum += c[m] * (u[i + m] + u[i - m] + u[i + m * row] + u[i - m * row]
                   + u[i + m * plane] + u[i - m * plane]);
  b[i] = 2 * u[i] - b[i] + vp[i] * sum;
}}"""


def cuda(tx, ty):
    """By blocks of tx x ty threads."""
    def update(u, before, vp):
        nz, ny, nx = (size - 2 * R for size in u.shape)
        kernel = cupy.RawKernel(CUDA, "advance")  # compiled once: CuPy keeps it
        grid = (-(-nx // tx), -(-ny // ty), nz)
        kernel(grid, (tx, ty, 1), (u, before, vp, cupy.int32(ny), cupy.int32(nx)))
    return update


def wait(_):
    cupy.cuda.Device().synchronize()


CONTENDERS = {name: contender(update, cupy.asarray, wait, cupy.asnumpy) for name, update in (
    ("CuPy, slices", slices),
    *((f"plain CUDA, {tx} x {ty} threads", cuda(tx, ty)) for tx, ty in ((32, 8), (64, 4), (128, 2), (32, 16))))}

# SPDX-License-Identifier: Apache-2.0
"""Small velocity models in each form that a shot reads, the same on every machine."""

import struct

import h5py
import numpy


def field():
    """[z][y][x] in m/s: rising with depth, with waves in it."""
    z, y, x = numpy.meshgrid(numpy.arange(22), numpy.arange(24), numpy.arange(28), indexing="ij")
    return (1700 + 45 * z + 8 * ((3 * x + 5 * y + 2 * z) % 7)).astype("<f4")


def write(folder):
    velocity = field()
    (folder / "model.f32").write_bytes(velocity.tobytes())
    with h5py.File(folder / "model.h5", "w") as file:
        file["m"] = velocity
        file["m"].attrs["units"] = "m/s"
        file["km"] = velocity[:, 12, :] / numpy.float32(1000)
        file["km"].attrs["units"] = "km/s"
        file["slowness"] = (1e6 / velocity.astype("f8") ** 2).astype("<f4")
    segy(folder / "model.sgy", velocity[:, 12, :])


def segy(path, plane):
    """A vertical section [z][x] as SEG-Y of revision 1, IEEE floats, big endian."""
    samples, traces = plane.shape
    head = bytearray(3600)
    for at, value in ((3220, samples), (3224, 5), (3500, 0x0100), (3502, 1)):
        struct.pack_into(">H", head, at, value)
    data = bytes(head)
    for t in range(traces):
        header = bytearray(240)
        struct.pack_into(">H", header, 114, samples)
        data += bytes(header) + plane[:, t].astype(">f4").tobytes()
    path.write_bytes(data)

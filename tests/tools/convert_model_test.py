# SPDX-License-Identifier: Apache-2.0
"""tools/convert_model.py: files of each kind, made by hand, against the values that they stand for."""

import importlib.util
import os
import subprocess

import h5py
import numpy as np
from common import ROOT, TESSERA, call, check, check_error, preload, run_tests

# isort: split
from decks import shot_deck, source_at

preload("h5py", "xarray", "scipy.ndimage", "segyio")
NZ, NY, NX = 4, 3, 5
MODEL = 1500 + 100.0 * np.arange(NZ)[:, None, None] + 10.0 * np.arange(NY)[:, None] + np.arange(NX)


def convert(folder, source, *options):
    """The values of what is made, its spacings along z, y, x, and the lines that were printed."""
    result = call(ROOT / "tools/convert_model.py", source, "-o", folder / "made.h5", *options)
    check(result.returncode == 0, f"{source.name} {options}: {result.stderr}")
    with h5py.File(folder / "made.h5") as file:
        check(file["m"].attrs["units"] == "m/s", "the unit")
        names = [dim.label for dim in file["m"].dims]
        steps = {name: float(np.diff(file[name][()])[0]) for name in names if file[name].size > 1}
        return file["m"][()], steps, result.stdout


def same(found, expected, text):
    good = found.shape == expected.shape and np.allclose(found, expected, rtol=1e-6)
    check(good, f"{text}: {found.shape}, {found.ravel()[:6]} for {expected.ravel()[:6]}")


def write_h5(path, values, attributes=None, **scales):
    """A field v with a scale for each name: (values, attributes)."""
    with h5py.File(path, "w") as file:
        file["v"] = values
        file["v"].attrs.update(attributes or {})
        for axis, (name, (places, said)) in enumerate(scales.items()):
            file[name] = np.asarray(places, float)
            file[name].attrs.update(said)
            file[name].make_scale(name)
            file["v"].dims[axis].attach_scale(file[name])


def test_axes(folder):
    """Transposed, flipped, heights, kilometres."""
    path = folder / "a.h5"
    places = {axis: (10.0 * np.arange(n), {}) for axis, n in zip("zyx", MODEL.shape)}
    write_h5(path, MODEL, **places)
    values, steps, said = convert(folder, path)
    same(values, MODEL, "as it is")
    check(steps == {"z": 10, "y": 10, "x": 10} and "dz = 10" in said, f"{steps} {said}")
    write_h5(path, MODEL.T, x=places["x"], y=places["y"], z=places["z"])
    values, _, said = convert(folder, path)
    same(values, MODEL, "transposed")
    check("transposed [x][y][z] to [z][y][x]" in said, said)
    kilometres = (0.01 * np.arange(NX)[::-1], {"units": "km"})
    write_h5(path, MODEL[::-1, :, ::-1], {}, elevation=(-10.0 * np.arange(NZ)[::-1], {"units": "m"}),
             northing=places["y"], easting=kilometres)
    values, steps, said = convert(folder, path)
    same(values, MODEL, "flipped")
    check(abs(steps["x"] - 10) < 1e-9 and steps["z"] == 10, f"{steps}")
    check("flipped easting" in said and "turned heights along elevation into depths" in said, said)
    write_h5(path, MODEL[::-1], depth=(10.0 * np.arange(NZ), {"positive": "up"}), y=places["y"],
             x=places["x"])
    same(convert(folder, path)[0], MODEL, "positive = up")
    write_h5(path, MODEL[:, 0], z=places["z"], x=places["x"])
    same(convert(folder, path)[0], MODEL[:, 0], "a section")


def test_values(folder):
    """Units, packed and missing values."""
    path = folder / "v.h5"
    places = {axis: (10.0 * np.arange(n), {}) for axis, n in zip("zyx", MODEL.shape)}
    for unit, stored in {"km/s": MODEL / 1000, "ft/s": MODEL / 0.3048, "s/m": 1 / MODEL,
                         "s km-1": 1000 / MODEL, "us/ft": 304800 / MODEL, "m s^-1": MODEL,
                         "s2/km2": (1000 / MODEL)**2, "s^2/m^2": MODEL**-2}.items():
        write_h5(path, stored, {"units": unit}, **places)
        same(convert(folder, path)[0], MODEL, unit)
        write_h5(path, stored, **places)
        same(convert(folder, path, "--units", unit)[0], MODEL, f"--units {unit}")
    packed = {"scale_factor": 0.5, "add_offset": 1000.0, "_FillValue": np.int16(-1)}
    stored = np.round(2 * (MODEL - 1000)).astype("i2")
    stored[2, 1, 3] = -1
    write_h5(path, stored, packed, **places)
    values, _, said = convert(folder, path, "--fill", "4000")
    expected = MODEL.copy()
    expected[2, 1, 3] = 4000
    same(values, expected, "packed, and filled")
    check("filled 1 of 60 cells: 4000" in said and "unpacked: times 0.5 plus 1000" in said, said)
    holes = MODEL.copy()
    holes[0] = np.nan
    holes[3, 2, 4] = 9999
    write_h5(path, holes, {"valid_max": 5000.0}, z=places["z"], y=(100.0 * np.arange(NY), {}),
             x=(100.0 * np.arange(NX), {}))
    values, _, said = convert(folder, path)
    expected = MODEL.copy()
    expected[0], expected[3, 2, 4] = MODEL[1], MODEL[2, 2, 4]
    same(values, expected, "the nearest")
    check("filled 16 of 60 cells: nearest" in said, said)


def test_grids(folder):
    """Uneven axes, other spacings, parts."""
    path = folder / "g.h5"
    places = {axis: (10.0 * np.arange(n), {}) for axis, n in zip("zyx", MODEL.shape)}
    write_h5(path, MODEL, **places)
    values, steps, _ = convert(folder, path, "--resample", "x=5,z=15")
    fine = 1500 + 150 * np.arange(3)[:, None, None] + 10.0 * np.arange(NY)[:, None] + \
        0.5 * np.arange(9)
    same(values, fine, "resampled")
    check((steps["z"], steps["x"]) == (15, 5), f"{steps}")
    values, _, said = convert(folder, path, "--crop", "x=10:30,z=20:30")
    same(values, MODEL[2:, :, 1:4], "cropped")
    check("cropped x to 10 to 30 m" in said, said)
    write_h5(path, MODEL[:, :, [0, 1, 2, 4]], z=places["z"], y=places["y"], x=([0, 10, 20, 40], {}))
    same(convert(folder, path)[0], MODEL, "uneven: the missing column lies on a line")


def test_other_kinds(folder):
    """Raw numbers, NetCDF 3, the layout of JUDI; and that the program reads what was made."""
    import xarray as xr
    raw = folder / "m.bin"
    MODEL[:, 1].T.astype(">f4").tofile(raw)
    values, steps, _ = convert(folder, raw, "--nx", NX, "--nz", NZ, "--dtype", ">f4", "--order", "xz",
                               "--dx", 25, "--dz", 12.5)
    same(values, MODEL[:, 1], "raw, [x][z]")
    check(steps == {"z": 12.5, "x": 25}, f"{steps}")
    xr.Dataset({"vp": (("depth", "y", "x"), MODEL / 1000, {"units": "km s-1"})},
               {"depth": ("depth", 10.0 * np.arange(NZ), {"units": "m", "positive": "down"}),
                "y": 10.0 * np.arange(NY), "x": 10.0 * np.arange(NX)}).to_netcdf(
                    folder / "m.nc", engine="scipy")
    same(convert(folder, folder / "m.nc")[0], MODEL, "NetCDF 3")
    with h5py.File(folder / "judi.h5", "w") as file:
        file["m"] = ((1000 / MODEL[:, 0])**2).astype("f4")
        file["m0"] = np.zeros((NZ, NX))
        file["n"], file["d"], file["o"] = [NX, NZ], [25.0, 12.5], [0.0, 0.0]
    values, steps, _ = convert(folder, folder / "judi.h5")
    same(values, MODEL[:, 0], "JUDI")
    check(steps == {"z": 12.5, "x": 25}, f"{steps}")
    deck = folder / "shot.toml"
    deck.write_text(shot_deck((25, 25, 14), 10, 5, source=[source_at(0, 0, 10, 5)], snapshots={"every": 5}, model={
        "kind": "hdf5", "extrude_y": True, "file": f"{folder}/made.h5"}), encoding="utf-8")
    (MODEL[:, 0].repeat(3, axis=1)[:, :15]).astype("f4").tofile(raw)
    convert(folder, raw, "--nx", 15, "--nz", NZ, "--dx", 10, "--dz", 10)
    run = subprocess.run([TESSERA, "shot", deck, "--dry-run"], check=False, capture_output=True,
                         text=True)
    check(run.returncode == 0, f"tessera reads it: {run.stderr}")


def write_segy(path, traces, places, numbers=None, feet=False, scalar=1):
    import segyio
    spec = segyio.spec()
    spec.format, spec.samples, spec.tracecount = 5, range(traces.shape[1]), len(traces)
    with segyio.create(str(path), spec) as file:
        file.bin.update(hns=traces.shape[1], hdt=12500, mfeet=2 if feet else 1)
        for i, trace in enumerate(traces):
            file.trace[i] = trace.astype("f4")
            file.header[i] = {181: int(round(places[i][0])), 185: int(round(places[i][1])), 71: scalar,
                              **({189: numbers[i][0], 193: numbers[i][1]} if numbers else {})}


def test_segy(folder):
    """Plain, mirrored and sheared grids, numbers out of order, traces that are missing, feet."""
    if importlib.util.find_spec("segyio") is None:
        check(os.environ.get("TESSERA_REQUIRE_SEGYIO") != "1", "python3-segyio is missing")
        return
    path = folder / "m.sgy"
    cells = [(y, x) for y in range(NY) for x in range(NX)]
    columns = np.array([MODEL[:, y, x] for y, x in cells])
    numbers = [(10 + 2 * y, 7 + x) for y, x in cells]

    def made(places, order=range(len(cells)), **options):
        write_segy(path, columns[list(order)], [places[i] for i in order],
                   [numbers[i] for i in order], **options)
        return convert(folder, path)

    plain = [(500 + 25 * x, 900 + 50 * y) for y, x in cells]
    values, steps, said = made(plain)
    same(values, MODEL, "SEG-Y")
    check(steps == {"z": 12.5, "y": 50, "x": 25} and "dz = 12.5 m" in said, f"{steps} {said}")
    write_segy(path, columns, plain)
    same(convert(folder, path, "--nx", NX)[0], MODEL, "without numbers")
    same(made(plain, list(np.random.default_rng(1).permutation(len(cells))))[0], MODEL, "any order")
    turned = [(20 * x - 30 * y, 15 * x + 40 * y) for y, x in cells]
    values, steps, _ = made(turned)
    same(values, MODEL, "turned")
    check(abs(steps["x"] - 25) < 1e-6 and abs(steps["y"] - 50) < 1e-6, f"{steps}")
    values, _, said = made([(25 * x, -50 * y) for y, x in cells])
    same(values, MODEL[:, ::-1], "mirrored")
    check("mirrored y" in said, said)
    values, steps, said = made([(25 * x + 25 * y, 50 * y) for y, x in cells])
    check("at 63.4 degrees" in said and "nearest" in said, said)
    check(values.shape == (NZ, NY, NX + 2) and steps == {"z": 12.5, "y": 50, "x": 25}, f"{steps}")
    for y in range(NY):
        same(values[:, y, y:y + NX], MODEL[:, y], f"sheared, row {y}")
    values, _, said = made(plain, [i for i in range(len(cells)) if i != 7])
    check("filled 4 of 60 cells" in said, said)
    same(np.delete(values.reshape(NZ, -1), 7, 1), np.delete(MODEL.reshape(NZ, -1), 7, 1), "one less")
    values, steps, _ = made([(250 * x, 500 * y) for y, x in cells], feet=True, scalar=-10)
    same(values, 0.3048 * MODEL, "feet")
    check(abs(steps["x"] - 7.62) < 1e-6 and abs(steps["z"] - 3.81) < 1e-6, f"{steps}")


def test_refusals(folder):
    """What a file leaves open is asked for by the option that says it; nothing is written then."""
    path, none = folder / "bad.h5", {}
    z, y, x = ((10.0 * np.arange(n), none) for n in MODEL.shape)

    def refused(part, *options, source=path):
        result = call(ROOT / "tools/convert_model.py", source, "-o", folder / "none.h5", *options)
        check_error(result, part, f"{part} {options}")
        check(not (folder / "none.h5").exists(), "nothing is left")

    for part, values, said, scales in (
            ("--order", MODEL, {}, {"a": z, "b": y, "c": x}), ("g/cm3", MODEL, {"units": "g/cm3"}, None),
            ("--units", MODEL / 1000, {}, None), ("no value", np.full(MODEL.shape, np.nan), {}, None),
            ("degrees_north", MODEL, {}, {"z": z, "y": (y[0], {"units": "degrees_north"}), "x": x})):
        write_h5(path, values, said, **(scales or {"z": z, "y": y, "x": x}))
        refused(part)
    write_h5(path, np.where(MODEL > 1600, MODEL, np.nan), z=z, y=y, x=x)
    for options in (("--crop", "x=0:99"), ("--resample", "w=3"), ("--resample", "x=0"), ("--dx", "25"),
                    ("--variable", "q"), ("--fill", "water")):
        refused(options[0], *options)
    (folder / "m.bin").write_bytes(b"1234")
    refused("4 bytes; --nx", "--nx", "2", "--nz", "2", source=folder / "m.bin")
    path.write_bytes(b"\x89HDF")
    refused("bad.h5")


run_tests(test_axes, test_values, test_grids, test_other_kinds, test_segy, test_refusals)

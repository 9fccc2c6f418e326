# SPDX-License-Identifier: Apache-2.0
"""HDF5 models: the documented form by its values, and a refusal for each way to leave it."""

import shutil

import h5py
import numpy as np

from trust_common import run_tests, set_all, shot_deck, source_at, spread, tessera

# isort: split
from checks import check, refused  # trust_common knows where

SHAPE = (4, 3, 5)
FULL = np.full(SHAPE, 2000, "f4")
DECK = shot_deck(SHAPE[::-1], 10, 0, source=[source_at(0, 0, 0, 5.0)], output={"segy": False},
                 receivers=[spread((0, 0, 0), (20, 10, 10), 2)])


def load(place, keys="", *more):
    """What a dry run makes of m.h5, whose dataset is m unless `keys` say another."""
    (place / "deck.toml").write_text(DECK, "utf-8")
    return tessera("shot", place / "deck.toml", "-o", place / "none", "--dry-run", *set_all(
        f'model={{kind="hdf5", file="{place}/m.h5"{", " * bool(keys)}{keys}}}'), *more)


def values(place, keys, h, n):
    """The velocities of a grid of n = (nx, ny, nz) cells of h metres."""
    done = load(place, keys, "--model", place / "out.h5",
                *set_all(f"acoustic.h={h}", *(f"case.n{axis}={of}" for axis, of in zip("xyz", n)),
                         "receivers={start=[0, 0, 0]}"))
    check(done.returncode == 0, f"{keys}: {done.stderr}")
    with h5py.File(place / "out.h5") as file:
        return file["velocity"][()]


def write(place, **attributes):
    """A model of 2000 m/s, open for more."""
    file = h5py.File(place / "m.h5", "w")
    file["m"] = FULL
    file["m"].attrs.update(attributes)
    return file


def scale(file, axis, name, places, **attributes):
    file[name] = np.asarray(places, float)
    file[name].attrs.update(attributes)
    file[name].make_scale(name)
    file["m"].dims[axis].attach_scale(file[name])


def scaled(place, axis, name, places, **attributes):
    """The model with a scale of one axis."""
    with write(place) as file:
        scale(file, axis, name, places, **attributes)


def expect_read(place, keys=""):
    done = load(place, keys)
    check(done.returncode == 0, f"{keys}: {done.stderr}")


def expect_refused(place, *parts, keys=""):
    """It is refused with these words, and read where headers are ignored."""
    refused(load(place, keys), *parts, 'm.h5, dataset "m"', "model.check_headers = false")
    expect_read(place, f"{keys}{', ' * bool(keys)}check_headers=false")


def test_documented_form(place):
    """x fastest, then y; two or three axes; whole numbers too."""
    whole = 1000 + np.arange(60, dtype="i4").reshape(SHAPE)
    with h5py.File(place / "m.h5", "w") as file:
        file["m"] = whole
        file["m"].attrs["units"] = np.bytes_("m/s")
        for axis, name in enumerate("zyx"):
            scale(file, axis, name, -50 + (20 if name == "x" else 10) * np.arange(SHAPE[axis]), units="m")
            file["m"].dims[axis].label = name
        file["flat"] = np.array([[0.25, 0.25, 0.0625], [1, 1, 0.25]], "f4")
        file["flat"].attrs["units"] = "s2/km2"
    check((values(place, "", [20, 10, 10], (5, 3, 4)) == whole).all(), "as it is")
    # From the file's second sample along x on, between the samples.
    part = values(place, "dx=20, x0=20, y0=10, z0=5", [10, 10, 10], (3, 2, 2))
    check(abs(part[0, 0, 1] - (1000 + 7.5 + 5 + 1.5)) < 1e-3, f"between the samples: {part[0, 0, 1]}")
    section = values(place, 'dataset="flat", quantity="squared_slowness_s2_km2", extrude_y=true',
                     [10, 10, 10], (3, 4, 2))
    check((section[0, 3, 2], section[1, 0, 2]) == (4000, 2000), f"a section: {section}")


def test_units(place):
    for unit, quantity in (("km/s", "velocity_km_s"), ("s2/km2", "squared_slowness_s2_km2")):
        with write(place, units=unit) as file:
            file["m"][...] = 2 if unit == "km/s" else 0.25
        expect_read(place, f'quantity="{quantity}"')
    write(place, units="km/s").close()
    expect_refused(place, "units is km/s, expected m/s", 'model.quantity = "velocity_m_s"')
    write(place, units="ft/s").close()
    expect_refused(place, "units is ft/s", "tools/convert_model.py")


def test_other_attributes(place):
    for name in ("_FillValue", "missing_value", "scale_factor", "valid_range", "positive", "coordinates"):
        write(place, **{name: "1"}).close()
        refused(load(place), "its attribute", name, "tools/convert_model.py")
    write(place, Units="1").close()
    expect_refused(place, "its attribute", "Units", "tools/convert_model.py")
    scaled(place, 0, "z", [0, 10, 20, 30], units="m", positive="down")
    expect_read(place)
    for name, value in (("positive", "up"), ("formula_terms", "down")):
        scaled(place, 0, "z", [0, 10, 20, 30], units="m", **{name: value})
        expect_refused(place, 'scale "z"', f"its attribute {name}", "tools/convert_model.py")


def test_axes(place):
    scaled(place, 0, "z", [500, 510, 520, 530])
    expect_read(place)
    expect_refused(place, "scale of z says 10 m", "the grid) 20 m", "set model.dz", keys="dz=20")
    for axis, name, places, unit, part in (
            (0, "x", [0, 10, 20, 30], "m", 'its axis 1 is called "x", expected z'),
            (0, "elevation", [0, 10, 20, 30], "m", 'its axis 1 is called "elevation"'),
            (1, "y", [0, 10, 20], "km", "units is km, expected m"),
            (1, "y", [0, 10, 25], "m", "scale of y does not rise evenly"),
            (1, "y", [20, 10, 0], "m", "scale of y does not rise evenly")):
        scaled(place, axis, name, places, units=unit)
        expect_refused(place, part, "tools/convert_model.py")
    with write(place) as file:
        file["m"].dims[2].label = "y"
    expect_refused(place, 'its axis 3 is called "y", expected x', "tools/convert_model.py")


def test_values_elsewhere_or_nowhere(place):
    def made(**how):
        with h5py.File(place / "m.h5", "w") as file:
            file.create_dataset("m", SHAPE, "f4", **how)

    made(fillvalue=1500)
    refused(load(place), "a fill value")
    with h5py.File(place / "part.h5", "w") as file:
        file["v"] = FULL
    layout = h5py.VirtualLayout(SHAPE, "f4")
    layout[...] = h5py.VirtualSource("part.h5", "v", SHAPE)
    for how in ("virtual", "external", "link"):
        with h5py.File(place / "m.h5", "w") as file:
            if how == "virtual":
                file.create_virtual_dataset("m", layout)
            elif how == "external":
                file.create_dataset("m", SHAPE, "f4", external=[(str(place / "values.raw"), 0, FULL.nbytes)])
            else:
                file["m"] = h5py.ExternalLink("part.h5", "/v")
        refused(load(place, "check_headers=false"), "its values lie in other files")


def test_missing_filter(place):
    """The number of a filter that is there becomes that of one for tests."""
    with h5py.File(place / "m.h5", "w") as file:
        file.create_dataset("m", data=FULL, compression="gzip")
    expect_read(place)
    data = (place / "m.h5").read_bytes()
    at = data.index(b"deflate") - 8
    check(data[at:at + 2] == b"\1\0", "the filter's number")
    (place / "m.h5").write_bytes(data[:at] + (300).to_bytes(2, "little") + data[at + 2:])
    refused(load(place), "which this HDF5 lacks")


def test_open_or_damaged(place):
    with h5py.File(place / "open.h5", "w", libver="latest") as file:
        file["m"] = FULL
        file.flush()
        shutil.copyfile(place / "open.h5", place / "m.h5")
    refused(load(place), "its writer did not close it")
    data = bytearray((place / "open.h5").read_bytes())
    data[44] ^= 1  # the checksum of the superblock
    (place / "m.h5").write_bytes(data)
    refused(load(place), "it is damaged: a checksum")


if __name__ == "__main__":
    run_tests(test_documented_form, test_units, test_other_attributes, test_axes,
              test_values_elsewhere_or_nowhere, test_missing_filter, test_open_or_damaged)

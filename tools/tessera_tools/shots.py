# SPDX-License-Identifier: Apache-2.0
"""What a shot leaves behind as xarray datasets: its gather, and the snapshots over the model.

    from tessera_tools import shots
    shots.gather("out/shot").pressure.sel(receiver=10).plot()
    shots.snapshots("out/shot", plane="y=1200").pressure.isel(time=-1).plot()

Lengths are m, times s. A run that is still going (files named *.part.*) can be read too. Needs the
module xarray, snapshots h5py, SEG-Y segyio.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from .errors import ToolError

AXES = ("z", "y", "x")  # of fields, slowest first
PLACE = ("x", "y", "z")  # of positions


def is_unfinished(path: Path) -> bool:
    """Whether a file is still growing, or of a run that was killed."""
    return path.stem.endswith(".part")


def find(directory: str | os.PathLike, name: str) -> Path | None:
    """The finished file, else that of a run in progress or one that was killed, else None."""
    path = Path(directory) / name
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    if path.exists():
        return path
    return part if part.exists() else None


def find_gather(directory: str | os.PathLike) -> Path | None:
    """gather.csv or gather.sgy, a finished one before one that is not."""
    found = filter(None, (find(directory, name) for name in ("gather.csv", "gather.sgy")))
    return min(found, key=is_unfinished, default=None)


def gather(directory: str | os.PathLike):
    """The gather of a shot's directory, from gather.csv, or gather.sgy where that is alone: `pressure`
    [time, receiver] with `time`, the receivers' `x`, `y`, `z`, and `sources` [source, place]. A
    ToolError where there is none, or no sample in it yet."""
    path = find_gather(directory)
    if path is None:
        raise ToolError(f"{directory} has no gather.csv or gather.sgy")
    return _read_csv(path) if path.suffix == ".csv" else _read_segy(path)


def gathers(directory: str | os.PathLike):
    """All gathers of a survey's directory, or the one of a shot's, as one array that says what it is:
    `pressure` [shot, receiver, time] in Pa, NaN where a shot has fewer receivers than others, with
    `receiver_x` ... [shot, receiver] and `source_x` ... [shot]. A ToolError where there is none, or
    their times differ."""
    import xarray
    folders = [path for path in sorted(Path(directory).glob("shot-*"), key=lambda path: int(path.name[5:]))
               if find_gather(path)] or [Path(directory)]
    parts = [gather(folder) for folder in folders]
    time = parts[0].time.values
    most = max(part.sizes["receiver"] for part in parts)
    pressure = np.full((len(parts), most, len(time)), np.nan, "f4")
    places = np.full((3, len(parts), most), np.nan)
    for at, (folder, part) in enumerate(zip(folders, parts)):
        if not np.array_equal(part.time.values, time):
            raise ToolError(f"{folder}: its times are not those of {folders[0]}")
        pressure[at, :part.sizes["receiver"]] = part.pressure.values.T
        for axis, name in enumerate(PLACE):
            places[axis, at, :part.sizes["receiver"]] = part[name] if name in part.coords else np.nan
    sources = np.array([part.sources.values[0] if part.sizes["source"] else [np.nan] * 3 for part in parts])
    about = {name: {"units": "m", "long_name": f"{'depth' if name == 'z' else name}, from the first inner cell",
                    **({"positive": "down"} if name == "z" else {})} for name in PLACE}
    numbers = [int(folder.name[5:]) if folder.name.startswith("shot-") else 1 for folder in folders]
    return xarray.Dataset(
        {"pressure": (("shot", "receiver", "time"), pressure, {"units": "Pa", "long_name": "pressure"})},
        coords={"shot": numbers, "receiver": np.arange(1, most + 1),
                "time": ("time", time, {"units": "s", "long_name": "time of the wavelet"}),
                **{f"receiver_{name}": (("shot", "receiver"), places[i], about[name])
                   for i, name in enumerate(PLACE)},
                **{f"source_{name}": ("shot", sources[:, i], about[name]) for i, name in enumerate(PLACE)}})


def _dataset(time, traces, receivers, sources):
    import xarray
    numbers = np.arange(1, traces.shape[1] + 1)
    places = {}
    if len(receivers) == len(numbers):
        places = {name: ("receiver", receivers[:, i]) for i, name in enumerate(PLACE)}
    return xarray.Dataset(
        {"pressure": (("time", "receiver"), traces),
         "sources": (("source", "place"), np.reshape(sources, (-1, 3)))},
        coords={"time": time, "receiver": numbers, "place": list(PLACE), **places})


def _read_csv(path: Path):
    """Comment lines with the positions, a header, then time and pressures."""
    try:
        text = path.read_text(encoding="utf-8")
        # The last line of a run in progress may be cut off.
        lines = text[:text.rfind("\n") + 1].splitlines()
        positions = {}
        for line in lines:
            if line.startswith("#"):
                name, *values = line[1:].strip().split(",")
                positions[name] = [float(value) for value in values]
        body = [line for line in lines if line and not line.startswith("#")]
        columns = body[0].count(",") + 1 if body else 0
        rows = body[1:]
        if columns < 2 or len(rows) < 2:
            raise ToolError(f"{path} holds no samples yet")
        table = np.loadtxt(rows, delimiter=",", ndmin=2)
        if table.shape[1] != columns:
            raise ToolError(f"{path}: {table.shape[1]} numbers in a line, {columns} in its header")
        if not (np.isfinite(table[:, 0]).all() and np.isfinite(sum(positions.values(), [0])).all()):
            raise ToolError(f"{path}: a time or a place is not a finite number")
        places = [[positions.get(f"{kind}_{axis}_m", []) for axis in PLACE] for kind in ("receiver", "source")]
        if any(len({len(axis) for axis in of}) > 1 for of in places):
            raise ToolError(f"{path}: x, y and z of places are not equally many")
        receivers, sources = (np.array(of, float).T for of in places)
    except ValueError as error:
        raise ToolError(f"{path}: {error}") from None
    if len(receivers) not in (0, table.shape[1] - 1):
        raise ToolError(f"{path}: {table.shape[1] - 1} traces, and places of {len(receivers)}")
    return _dataset(table[:, 0], table[:, 1:], receivers, sources)


def _read_segy(path: Path):
    import segyio
    try:
        with segyio.open(str(path), ignore_geometry=True) as file:
            traces = file.trace.raw[:].T.astype(float)
            interval = file.bin[segyio.BinField.Interval] * 1e-6
            header = segyio.TraceField

            def column(field, scalar_field):
                scalar = file.attributes(scalar_field)[:].astype(float)
                factor = np.where(scalar < 0, -1.0 / np.minimum(scalar, -1), np.maximum(scalar, 1))
                return file.attributes(field)[:] * factor

            xy, depth = header.SourceGroupScalar, header.ElevationScalar
            receivers = np.column_stack([column(header.GroupX, xy), column(header.GroupY, xy),
                                         -column(header.ReceiverGroupElevation, depth)])
            source = [column(header.SourceX, xy)[0], column(header.SourceY, xy)[0],
                      column(header.SourceDepth, depth)[0]]
    except (OSError, RuntimeError, ValueError) as error:
        raise ToolError(f"{path}: {error}") from None
    return _dataset(np.arange(len(traces)) * interval, traces, receivers, np.array([source]))


def offsets(shot):
    """The receivers' places along the page, and what they are: signed offset from the source, depth
    in a borehole, or their numbers where places are not known."""
    if "x" not in shot.coords or shot.sizes["source"] == 0:
        return shot.receiver.values.astype(float), "receiver"
    receivers = np.column_stack([shot[name].values for name in PLACE])
    delta = receivers - shot.sources.values[0]
    horizontal = np.ptp(receivers[:, :2], axis=0)
    if horizontal.max() == 0.0:  # a borehole: depth tells the receivers apart
        return receivers[:, 2], "receiver depth (m)"
    along = int(np.argmax(horizontal))
    distance = np.hypot(delta[:, 0], delta[:, 1])
    return np.where(delta[:, along] < 0, -distance, distance), "offset from the source (m)"


def line(shot, number: int | None = None):
    """One line of a gather's receivers, and what it is called: those one after another at equal steps, so
    that lines, rows of an areal grid and pieces of a well are told apart. Without a number, from 1 on, the
    one with the most; 0: all receivers. A ToolError where there is no such line."""
    count = shot.sizes["receiver"]
    if number == 0 or "x" not in shot.coords or count < 3:
        return shot, ""
    steps = np.diff(np.column_stack([shot[name].values for name in PLACE]), axis=0)
    turns = ~np.isclose(steps[1:], steps[:-1], rtol=1e-6, atol=1e-6 * np.abs(steps).max()).all(axis=1)
    lines, first = [], 0
    for at in [*(np.flatnonzero(turns) + 2), count]:
        if at - first > 1:  # the step to the next line belongs to none
            lines.append((first, int(at)))
            first = int(at)
    if len(lines) < 2 or number is None and max(b - a for a, b in lines) < 3:
        return shot, ""
    if number is not None and number > len(lines):
        raise ToolError(f"--line {number}: there are {len(lines)} lines of receivers")
    a, b = lines[number - 1] if number else max(lines, key=lambda ends: ends[1] - ends[0])
    name = f"receivers {a + 1} to {b} of {count} (line {lines.index((a, b)) + 1} of {len(lines)})"
    return shot.isel(receiver=slice(a, b)), name


def _nearest(values, place: float) -> int:
    return int(np.abs(values - place).argmin())


def _plane(text: str, coordinates: dict, spacing: dict) -> tuple[str, int]:
    """An axis and the index nearest to a place on it, of "y=1200"; a ToolError where the place lies
    in none of the cells."""
    name, _, value = text.partition("=")
    name = name.strip()
    try:
        place = float(value)
    except ValueError:
        name = ""
    if name not in AXES:
        raise ToolError(f"--slice {text}: an axis and a place in m are required, such as y=1200")
    values, half = coordinates[name], 0.5 * spacing[name]
    low, high = values[0] - half, values[-1] + half
    if not low <= place <= high:
        raise ToolError(f"--slice {text}: the snapshots lie from {name}={low:g} to {high:g} m")
    return name, _nearest(values, place)


def snapshots(directory: str | os.PathLike, plane: str | None = None, count: int | None = None):
    """The snapshots of a shot's directory: `velocity` [z, y, x], `pressure` [time, z, y, x] with
    `time` and `step`, `sources` and `receivers` [.., place]. `plane` ("y=1200") takes the one plane
    nearest to that place, "source" the xz plane through the first source; `count` that many
    snapshots, evenly from the first to the last. Only what is asked for is read. A ToolError where
    there is no snapshots.h5, it cannot be read, or a place lies outside of it."""
    path = find(directory, "snapshots.h5")
    if path is None:
        raise ToolError(f"{directory} has no snapshots.h5: the deck has no [snapshots]; plot_shot.py DECK --model "
                        "draws the model without")
    import h5py
    try:
        with h5py.File(path, "r") as file:
            return _read_snapshots(file, plane, count)
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ToolError(f"{path}: {error}") from None


def _step_of(name: str) -> tuple[int, str]:
    """What sorts the names of snapshots by their steps: of step_0000010 the 10."""
    digits = name.rpartition("_")[2]
    return int(digits) if digits.isdecimal() else -1, name


def _read_snapshots(file, plane: str | None, count: int | None):
    import xarray
    shape, origin, spacing = file["velocity"].shape, file.attrs["origin_m"], file.attrs["spacing_m"]
    if len(shape) != 3 or any(field.shape != shape for field in file["pressure"].values()):
        raise ValueError(f"velocity of shape {shape}: expected [z, y, x], and pressures alike")
    coordinates = {name: origin[i] + spacing[i] * np.arange(shape[i])
                   for i, name in enumerate(AXES)}
    places = {f"{name}s": np.column_stack([file[f"{name}_{axis}"] for axis in PLACE])
              if name in file else np.empty((0, 3)) for name in ("source", "receiver")}
    index, kept = [slice(None)] * 3, AXES
    if plane:
        y = coordinates["y"]
        if plane != "source":
            axis, at = _plane(plane, coordinates, dict(zip(AXES, spacing)))
        elif len(places["sources"]):  # which may lie outside of a window
            axis, at = "y", _nearest(y, places["sources"][0][1])
        else:
            axis, at = "y", (len(y) - 1) // 2
        index[AXES.index(axis)] = at
        kept = tuple(name for name in AXES if name != axis)
        coordinates[axis] = coordinates[axis][at]
    names = sorted(file["pressure"], key=_step_of)  # seven digits and more
    if "snapshots_written" in file:  # the others of a run in progress are not filled in yet
        names = names[: int(file["snapshots_written"][()])]
    if count is not None and names:
        chosen = np.linspace(0, len(names) - 1, min(count, len(names))).round().astype(int)
        names = [names[i] for i in chosen]
    fields = [file["pressure"][name] for name in names]
    extents = tuple(len(coordinates[name]) for name in kept)
    waves = np.array([field[tuple(index)] * np.float32(field.attrs.get("scale_factor", 1))
                      for field in fields], "f4").reshape(-1, *extents)
    return xarray.Dataset(
        {"velocity": (kept, file["velocity"][tuple(index)]),
         "pressure": (("time", *kept), waves),
         "sources": (("source", "place"), places["sources"]),
         "receivers": (("receiver", "place"), places["receivers"])},
        coords={**coordinates, "place": list(PLACE),
                "time": [float(field.attrs["time_s"]) for field in fields],
                "step": ("time", [int(field.attrs["step"]) for field in fields])})


def limit_of(values, percent: float) -> float:
    """Amplitude at which a display saturates: a percentile of the magnitudes; of mostly silent
    data the largest, 1 where everything is zero."""
    finite = np.abs(values[np.isfinite(values)])
    limit = np.percentile(finite, percent) if finite.size else 0.0
    return float(limit if limit > 0 else finite.max(initial=0.0) or 1.0)

# SPDX-License-Identifier: Apache-2.0
"""What a shot leaves behind: gathers (CSV, SEG-Y) and planes of the snapshots (HDF5)."""

from __future__ import annotations

import numpy as np

from .errors import ToolError


def find(directory, name):
    """The finished file, else that of a run in progress, else None."""
    path = directory / name
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    return path if path.exists() else part if part.exists() else None


def limit_of(values, percent):
    """Amplitude at which the display saturates; 1 where everything is zero."""
    finite = np.abs(values[np.isfinite(values)])
    limit = np.percentile(finite, percent) if finite.size else 0.0
    # Mostly silent data: the percentile falls on a zero.
    return float(limit if limit > 0 else finite.max(initial=0.0) or 1.0)


class Gather:
    """Traces [sample, receiver] with their times (s) and positions (m; x, y, z in columns)."""

    def __init__(self, time, traces, receivers, sources):
        self.time, self.traces, self.receivers, self.sources = time, traces, receivers, sources

    def axis(self):
        """Horizontal coordinate of the plot: signed offset, or the receiver number."""
        if len(self.sources) == 0 or len(self.receivers) != self.traces.shape[1]:
            return np.arange(1, self.traces.shape[1] + 1.0), "receiver"
        delta = self.receivers - self.sources[0]
        horizontal = np.ptp(self.receivers[:, :2], axis=0)
        if horizontal.max() == 0.0:  # a borehole: depth tells the receivers apart
            return self.receivers[:, 2], "receiver depth (m)"
        along = int(np.argmax(horizontal))
        distance = np.hypot(delta[:, 0], delta[:, 1])
        return np.where(delta[:, along] < 0, -distance, distance), "offset from the source (m)"


def read_csv(path):
    """A gather from CSV: comment lines with the positions, a header, then time and pressures."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        positions = {}
        for line in lines:
            if line.startswith("#"):
                name, *values = line[1:].strip().split(",")
                positions[name] = [float(value) for value in values]
        body = [line for line in lines if line and not line.startswith("#")]
        columns = body[0].count(",") + 1 if body else 0
        # The last line of a run in progress may be cut off.
        rows = [line for line in body[1:] if line.count(",") + 1 == columns]
        if columns < 2 or len(rows) < 2:
            raise ToolError(f"{path} holds no samples yet")
        table = np.loadtxt(rows, delimiter=",", ndmin=2)
    except ValueError as error:
        raise ToolError(f"{path}: {error}") from None

    def place(kind):
        return np.array([positions.get(f"{kind}_{axis}_m", []) for axis in "xyz"]).T

    return Gather(table[:, 0], table[:, 1:], place("receiver"), place("source"))


def read_segy(path):
    """A gather from SEG-Y, through segyio."""
    try:
        import segyio
    except ImportError:
        raise ToolError(f"{path}: reading SEG-Y needs the Python module segyio; gather.csv does "
                        "not") from None
    try:
        with segyio.open(str(path), ignore_geometry=True) as file:
            traces = file.trace.raw[:].T.astype(float)
            interval = file.bin[segyio.BinField.Interval] * 1e-6
            header = segyio.TraceField

            def column(field, scalar_field):
                scalar = file.attributes(scalar_field)[:].astype(float)
                factor = np.where(scalar < 0, -1.0 / np.minimum(scalar, -1), np.maximum(scalar, 1))
                return file.attributes(field)[:] * factor

            xy = header.SourceGroupScalar
            receivers = np.column_stack(
                [
                    column(header.GroupX, xy),
                    column(header.GroupY, xy),
                    -column(header.ReceiverGroupElevation, header.ElevationScalar),
                ]
            )
            source = np.array(
                [
                    column(header.SourceX, xy)[0],
                    column(header.SourceY, xy)[0],
                    column(header.SourceDepth, header.ElevationScalar)[0],
                ]
            )
    except (OSError, RuntimeError, ValueError) as error:
        raise ToolError(f"{path}: {error}") from None
    return Gather(np.arange(len(traces)) * interval, traces, receivers, source[None, :])


class Slice:
    """A plane of the snapshots: through the grid at one index of axis 0 (z), 1 (y) or 2 (x)."""

    NAMES = "zyx"

    def __init__(self, file, text):
        self.origin = np.asarray(file.attrs["origin_m"])
        self.spacing = np.asarray(file.attrs["spacing_m"])
        self.shape = file["velocity"].shape
        self.sources = file["sources_m"][:] if "sources_m" in file else np.empty((0, 3))
        self.receivers = file["receivers_m"][:] if "receivers_m" in file else np.empty((0, 3))
        if text:
            name, _, value = text.partition("=")
            try:
                self.axis, place = self.NAMES.index(name.strip()), float(value)
            except ValueError:
                raise ToolError(f"--slice {text}: an axis and a place in m are wanted, such as "
                                "y=1200") from None
        else:
            self.axis = 1  # the xz plane through the source
            middle = self.origin[1] + self.spacing[1] * (self.shape[1] - 1) / 2
            place = self.sources[0][1] if len(self.sources) else middle
        nearest = round((place - self.origin[self.axis]) / self.spacing[self.axis])
        self.index = int(np.clip(nearest, 0, self.shape[self.axis] - 1))
        self.place = self.origin[self.axis] + self.index * self.spacing[self.axis]
        # Down the page and across it: z or y, x or y.
        self.down, self.across = [i for i in range(3) if i != self.axis]

    def take(self, dataset):
        index = [slice(None)] * 3
        index[self.axis] = self.index
        return dataset[tuple(index)]

    def edges(self):
        """Borders of the picture in m: left, right, bottom, top; cells are centred on samples."""
        low = self.origin - 0.5 * self.spacing
        high = low + np.asarray(self.shape) * self.spacing
        return [low[self.across], high[self.across], high[self.down], low[self.down]]

    def mark(self, axes, legend):
        """Sources and receivers, projected onto the plane."""
        column = {0: 2, 1: 1, 2: 0}  # rows of positions are x, y, z
        a, d = column[self.across], column[self.down]
        many = len(self.receivers) > 60
        axes.plot(
            self.receivers[:, a], self.receivers[:, d], "v", color="#1b5e20", label="receivers",
            markersize=2.5 if many else 5, markeredgewidth=0, clip_on=False,
        )
        axes.plot(
            self.sources[:, a], self.sources[:, d], "*", color="#ffd600", markeredgecolor="black",
            markeredgewidth=0.7, markersize=12, label="source", clip_on=False,
        )
        if legend:
            axes.legend(loc="lower left", fontsize=8, framealpha=0.8)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the gather and the snapshots of a shot as PNG.

Reads what `tessera shot` left in its output directory: gather.csv or gather.sgy, snapshots.h5.
Writes gather.png and snapshots.png beside them (or into --output). A run that is still going
(files named *.part.*) can be drawn too.
"""

import argparse
import sys
from pathlib import Path

EXAMPLES = """examples:
  plot_shot.py out/shot
  plot_shot.py out/shot --style wiggle --clip 98
  plot_shot.py out/shot --only snapshots --count 6 --slice y=1200
"""


def stop(message):
    """One line for the user and a non-zero exit status."""
    sys.exit(f"plot_shot.py: error: {message}")


try:
    import matplotlib
    import matplotlib.colors

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
except ImportError as error:
    stop(f"{error}; on Debian: apt-get install python3-matplotlib python3-numpy")


def find(directory, name):
    """The finished file, else that of a run in progress, else None."""
    path = directory / name
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    return path if path.exists() else part if part.exists() else None


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
    positions = {}
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    comments = [line[1:].strip() for line in lines if line.startswith("#")]
    for comment in comments:
        name, *values = comment.split(",")
        positions[name] = [float(value) for value in values]
    body = [line for line in lines if line and not line.startswith("#")]
    columns = body[0].count(",") + 1 if body else 0
    # The last line of a run in progress may be cut off.
    rows = [line for line in body[1:] if line.count(",") + 1 == columns]
    if columns < 2 or len(rows) < 2:
        stop(f"{path} holds no samples yet")
    try:
        table = np.loadtxt(rows, delimiter=",", ndmin=2)
    except ValueError as error:
        stop(f"{path}: {error}")

    def place(kind):
        return np.array([positions.get(f"{kind}_{axis}_m", []) for axis in "xyz"]).T

    return Gather(table[:, 0], table[:, 1:], place("receiver"), place("source"))


def read_segy(path):
    """A gather from SEG-Y, through segyio."""
    try:
        import segyio
    except ImportError:
        stop(f"{path}: reading SEG-Y needs the Python module segyio; gather.csv does not")
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
        stop(f"{path}: {error}")
    return Gather(np.arange(len(traces)) * interval, traces, receivers, source[None, :])


def limit_of(values, percent):
    """Amplitude at which the display saturates; 1 where everything is zero."""
    finite = np.abs(values[np.isfinite(values)])
    limit = np.percentile(finite, percent) if finite.size else 0.0
    # Mostly silent data: the percentile falls on a zero.
    return float(limit if limit > 0 else finite.max(initial=0.0) or 1.0)


def draw_wiggles(axes, gather, x, limit, gain):
    """Traces as lines, positive half filled; every n-th when they would run into each other."""
    order = np.argsort(x)
    shown = order[:: max(1, len(order) // 80)]
    spacing = np.ptp(x[shown]) / max(1, len(shown) - 1) or 1.0
    for index in shown:
        trace = np.clip(gather.traces[:, index] / limit, -1, 1) * spacing * gain
        axes.plot(x[index] + trace, gather.time, color="black", linewidth=0.5)
        axes.fill_betweenx(
            gather.time, x[index], x[index] + trace, where=trace > 0, color="black", linewidth=0
        )
    axes.set_xlim(x.min() - spacing, x.max() + spacing)
    axes.set_ylim(gather.time[-1], gather.time[0])


def draw_image(figure, axes, gather, x, limit, label):
    """Traces as a grey-scale image. Traces that are not equidistant keep their true places."""
    order = np.argsort(x, kind="stable")
    mesh = axes.pcolormesh(
        x[order],
        gather.time,
        gather.traces[:, order],
        cmap="gray_r",
        vmin=-limit,
        vmax=limit,
        shading="nearest",
        rasterized=True,
    )
    axes.invert_yaxis()
    figure.colorbar(mesh, ax=axes, label=label, pad=0.02, fraction=0.05)


def plot_gather(directory, output, options):
    """Writes gather.png; returns its path, or None where there is no gather."""
    csv, segy = find(directory, "gather.csv"), find(directory, "gather.sgy")
    path = segy if options.segy and segy else csv or segy
    if path is None:
        return None
    gather = read_csv(path) if path.suffix == ".csv" else read_segy(path)
    # A power of time balances early and late arrivals; 0 shows true amplitudes.
    gather.traces = gather.traces * (gather.time[:, None] ** options.time_power)
    x, label = gather.axis()
    limit = limit_of(gather.traces, options.clip)
    figure, axes = plt.subplots(figsize=(8.5, 8), layout="constrained")
    if options.style == "wiggle" or len(x) < 2 or np.ptp(x) == 0:
        draw_wiggles(axes, gather, x, limit, options.gain)
    else:
        power = options.time_power
        unit = "pressure" if power == 0 else f"pressure x (t / 1 s)^{power:g}"
        draw_image(figure, axes, gather, x, limit, unit)
    axes.set_xlabel(label)
    axes.set_ylabel("time (s)")
    title = f"Shot gather: {len(x)} receivers, {len(gather.time)} samples"
    if len(gather.sources):
        title += "\nsource at x, y, z = " + ", ".join(f"{v:g}" for v in gather.sources[0]) + " m"
    axes.set_title(title)
    return save(figure, output / "gather.png", options.dpi)


def save(figure, path, dpi):
    """Writes the picture under another name first, so that an old one stays whole."""
    part = path.with_name(f"{path.stem}.part.png")
    try:
        figure.savefig(part, dpi=dpi)
        part.replace(path)
    except OSError as error:
        stop(f"cannot write {path}: {error.strerror}")
    plt.close(figure)
    return path


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
                stop(f"--slice {text}: an axis and a place in m are wanted, such as y=1200")
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


def plot_snapshots(directory, output, options):
    """Writes snapshots.png: the wave field over the velocity; None where there are none."""
    path = find(directory, "snapshots.h5")
    if path is None:
        return None
    try:
        import h5py
    except ImportError as error:
        stop(f"{error}; on Debian: apt-get install python3-h5py")
    try:
        with h5py.File(path, "r") as file:
            plane = Slice(file, options.slice)
            velocity = plane.take(file["velocity"])
            names = sorted(file["pressure"])
            chosen = np.unique(np.linspace(0, len(names) - 1, min(options.count, len(names))).round())
            waves = []
            for number in chosen.astype(int):
                dataset = file["pressure"][names[number]]
                waves.append((dataset.attrs["time_s"], dataset.attrs["step"], plane.take(dataset)))
    except (OSError, KeyError) as error:
        stop(f"{path}: {error}")
    return save(draw_panels(plane, velocity, waves, options), output / "snapshots.png", options.dpi)


def draw_panels(plane, velocity, waves, options):
    """One panel a snapshot, or the model alone before the first one."""
    left, right, bottom, top = plane.edges()
    columns = min(2, max(1, len(waves)))
    rows = -(-max(1, len(waves)) // columns)
    width = 6.2
    height = np.clip(width * abs(bottom - top) / (right - left), 1.5, 8.0)
    figure, grid = plt.subplots(
        rows, columns, figsize=(width * columns + 1, (height + 0.6) * rows + 0.6),
        squeeze=False, sharex=True, sharey=True, layout="compressed",
    )
    for axes in grid.flat[max(1, len(waves)) :]:
        axes.axis("off")
    low, high = float(velocity.min()), float(velocity.max())
    if high - low < 1e-3 * high:  # uniform: a neutral tone, not an end of the scale
        low, high = 0.9 * low, 1.1 * high
    # The pale part of the scale only, so that the wave stands out over fast rock too.
    pale = matplotlib.colors.ListedColormap(plt.get_cmap("Blues")(np.linspace(0.02, 0.62, 256)))
    image = None
    for number, axes in enumerate(grid.flat[: max(1, len(waves))]):
        image = axes.imshow(
            velocity, extent=plane.edges(), cmap=pale, vmin=low, vmax=high, aspect="equal"
        )
        if waves:
            draw_wave(axes, plane, waves[number], options.clip)
        plane.mark(axes, legend=number == 0)
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        axes.label_outer()
    names = Slice.NAMES
    for axes in grid[-1, :]:
        axes.set_xlabel(f"{names[plane.across]} (m)")
    for axes in grid[:, 0]:
        axes.set_ylabel(f"{names[plane.down]} (m)")
    figure.colorbar(image, ax=grid, label="velocity (m/s)", fraction=0.03, pad=0.01)
    figure.suptitle(f"Wave field in the plane {names[plane.axis]} = {plane.place:g} m")
    return figure


def draw_wave(axes, plane, wave, clip):
    """Red and black over the velocity; transparent where the field is quiet."""
    time, step, values = wave
    scaled = np.clip(values / limit_of(values, clip), -1, 1)
    colours = np.zeros(values.shape + (4,))
    colours[..., 0] = np.where(scaled > 0, 0.75, 0.05)
    colours[..., 1] = colours[..., 2] = 0.05
    colours[..., 3] = np.abs(scaled) ** 0.8
    axes.imshow(colours, extent=plane.edges(), aspect="equal", interpolation="bilinear")
    axes.set_title(f"t = {time:.3f} s (step {step})", fontsize=10)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path, help="output directory of the shot")
    parser.add_argument("--output", type=Path, help="where the PNGs go (default: the directory)")
    parser.add_argument("--only", choices=["gather", "snapshots"], help="draw one of the two")
    parser.add_argument("--style", choices=["image", "wiggle"], default="image", help="of the gather")
    parser.add_argument("--segy", action="store_true", help="prefer gather.sgy to gather.csv")
    parser.add_argument("--clip", type=float, default=97.0, help="percentile shown as full (97)")
    parser.add_argument("--time-power", type=float, default=1.0, help="gain t^p, 0 for none (1)")
    parser.add_argument("--gain", type=float, default=1.5, help="wiggle width in trace spacings")
    parser.add_argument("--count", type=int, default=4, help="number of snapshots (4)")
    parser.add_argument("--slice", help="plane of the snapshots, such as y=1200 (the source's y)")
    parser.add_argument("--dpi", type=int, default=130, help="resolution of the PNGs (130)")
    options = parser.parse_args()
    if not 0 < options.clip <= 100:
        stop(f"--clip {options.clip} is not between 0 and 100")
    if options.count < 1 or options.dpi < 10:
        stop("--count must be at least 1 and --dpi at least 10")
    return options


def main():
    options = parse_arguments()
    if not options.directory.is_dir():
        stop(f"{options.directory} is not a directory; run `tessera shot DECK` first")
    output = options.output or options.directory
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        stop(f"cannot create {output}: {error.strerror}")
    drawn = []
    if options.only != "snapshots":
        drawn.append(plot_gather(options.directory, output, options))
    if options.only != "gather":
        drawn.append(plot_snapshots(options.directory, output, options))
    if not any(drawn):
        names = {"gather": "gather.csv or gather.sgy", "snapshots": "snapshots.h5"}
        wanted = names.get(options.only, "gather.csv, gather.sgy or snapshots.h5")
        stop(f"{options.directory} has no {wanted}")
    for path in filter(None, drawn):
        print(path)


if __name__ == "__main__":
    main()

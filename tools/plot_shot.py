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


try:
    import matplotlib
    import matplotlib.colors

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    from shot_files import Slice, find, read_csv, read_segy, stop
except ImportError as error:
    needed = "on Debian: apt-get install python3-matplotlib python3-numpy"
    sys.exit(f"plot_shot.py: error: {error}; {needed}")


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
        unit = {0: "pressure", 1: "pressure × time"}.get(power, f"pressure × time^{power:g}")
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
        figure.savefig(part, dpi=dpi, bbox_inches="tight")
        part.replace(path)
    except OSError as error:
        stop(f"cannot write {path}: {error.strerror}")
    plt.close(figure)
    return path


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
            count = min(options.count, len(names))
            waves = []
            for number in np.linspace(0, len(names) - 1, count).round().astype(int):
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
    # A pale scale, so that the wave stands out over fast rock too.
    pale = matplotlib.colors.LinearSegmentedColormap.from_list("pale", ["#f7fbff", "#5a9fd4"])
    image = None
    for number, axes in enumerate(grid.flat[: max(1, len(waves))]):
        image = axes.imshow(
            velocity, extent=plane.edges(), cmap=pale, vmin=low, vmax=high, aspect="equal"
        )
        if waves:
            draw_wave(axes, plane, waves[number], options.wave_clip)
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
    add = parser.add_argument
    add("directory", type=Path, help="output directory of the shot")
    add("--output", type=Path, help="where the PNGs go (default: the directory)")
    add("--only", choices=["gather", "snapshots"], help="draw one of the two")
    add("--style", choices=["image", "wiggle"], default="image", help="of the gather")
    add("--segy", action="store_true", help="prefer gather.sgy to gather.csv")
    add("--clip", type=float, default=96.0, help="percentile that saturates in the gather (96)")
    add("--wave-clip", type=float, default=99.2, help="the same for snapshots (99.2)")
    add("--time-power", type=float, default=1.0, help="gain t^p of the gather, 0 for none (1)")
    add("--gain", type=float, default=1.5, help="wiggle width in trace spacings (1.5)")
    add("--count", type=int, default=4, help="number of snapshots (4)")
    add("--slice", help="plane of the snapshots, such as y=1200 (the source's y)")
    add("--dpi", type=int, default=130, help="resolution of the PNGs (130)")
    options = parser.parse_args()
    for name, value in (("--clip", options.clip), ("--wave-clip", options.wave_clip)):
        if not 0 < value <= 100:
            stop(f"{name} {value} is not between 0 and 100")
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

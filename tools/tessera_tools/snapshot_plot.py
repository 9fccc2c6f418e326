# SPDX-License-Identifier: Apache-2.0
"""The picture of a shot's snapshots: the wave field over the velocity, in one plane."""

from __future__ import annotations

import numpy as np

from . import plotting
from .errors import ToolError
from .shot_files import Slice, find, limit_of


def plot_snapshots(directory, output, options):
    """Writes snapshots.png: the wave field over the velocity; None where there are none."""
    path = find(directory, "snapshots.h5")
    if path is None:
        return None
    import h5py

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
        raise ToolError(f"{path}: {error}") from None
    figure = draw_panels(plane, velocity, waves, options)
    return plotting.save(figure, output / "snapshots.png", options.dpi, bbox_inches="tight")


def draw_panels(plane, velocity, waves, options):
    """One panel a snapshot, or the model alone before the first one."""
    from matplotlib.colors import LinearSegmentedColormap

    left, right, bottom, top = plane.edges()
    columns = min(2, max(1, len(waves)))
    rows = -(-max(1, len(waves)) // columns)
    width = 6.2
    height = np.clip(width * abs(bottom - top) / (right - left), 1.5, 8.0)
    figure, grid = plotting.pyplot().subplots(
        rows, columns, figsize=(width * columns + 1, (height + 0.6) * rows + 0.6),
        squeeze=False, sharex=True, sharey=True, layout="compressed",
    )
    for axes in grid.flat[max(1, len(waves)) :]:
        axes.axis("off")
    low, high = float(velocity.min()), float(velocity.max())
    if high - low < 1e-3 * high:  # uniform: a neutral tone, not an end of the scale
        low, high = 0.9 * low, 1.1 * high
    # A pale scale, so that the wave stands out over fast rock too.
    pale = LinearSegmentedColormap.from_list("pale", ["#f7fbff", "#5a9fd4"])
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

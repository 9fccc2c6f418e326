# SPDX-License-Identifier: Apache-2.0
"""The picture of a shot's gather: traces as grey-scale image or as wiggles."""

from __future__ import annotations

import numpy as np

from . import plotting
from .shot_files import find, limit_of, read_csv, read_segy


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
    figure, axes = plotting.pyplot().subplots(figsize=(8.5, 8), layout="constrained")
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
    return plotting.save(figure, output / "gather.png", options.dpi, bbox_inches="tight")

# SPDX-License-Identifier: Apache-2.0
"""The picture of a shot's gather: traces as grey-scale image or as wiggles."""

from __future__ import annotations

import numpy as np

from . import plotting
from .shots import limit_of, offsets


def draw_wiggles(axes, time, traces, x, limit, gain):
    """Traces as lines, positive half filled; every n-th when they would run into each other."""
    order = np.argsort(x)
    shown = order[:: max(1, len(order) // 80)]
    spacing = np.ptp(x[shown]) / max(1, len(shown) - 1) or 1.0
    for index in shown:
        trace = np.clip(traces[:, index] / limit, -1, 1) * spacing * gain
        axes.plot(x[index] + trace, time, color="black", linewidth=0.5)
        axes.fill_betweenx(time, x[index], x[index] + trace, where=trace > 0, color="black",
                           linewidth=0)
    axes.set_xlim(x.min() - spacing, x.max() + spacing)
    axes.set_ylim(time[-1], time[0])


def draw_image(axes, time, traces, x, limit, label):
    """Traces as a grey-scale image. Traces that are not equidistant keep their true places."""
    order = np.argsort(x, kind="stable")
    mesh = axes.pcolormesh(x[order], time, traces[:, order], cmap="gray_r", vmin=-limit,
                           vmax=limit, shading="nearest", rasterized=True)
    axes.invert_yaxis()
    axes.figure.colorbar(mesh, ax=axes, label=label, pad=0.02, fraction=0.05)


def balanced(traces, samples):
    """Traces over the root mean square of `samples` around each sample, so that reflections show beside
    the direct wave; what is below a thousandth of a usual trace's largest, or a millionth of the
    gather's, stays faint: no wave has come, or rounding alone."""
    peaks = np.abs(traces).max(axis=0)
    power = np.cumsum(np.vstack([np.zeros_like(traces[:1]), traces**2]), axis=0)
    at = np.arange(len(traces))
    first, last = np.maximum(at - samples // 2, 0), np.minimum(at + samples // 2 + 1, len(traces))
    rms = np.sqrt(np.maximum(power[last] - power[first], 0) / (last - first)[:, None])
    return traces / np.maximum(rms, np.maximum(1e-3 * np.minimum(peaks, np.median(peaks)),
                                         max(1e-6 * peaks.max(), 1e-300)))


def draw_gather(shot, style="image", clip=96.0, agc=0.4, gain=1.5, name=""):
    """A Matplotlib figure of shots.gather(), or one of its lines called `name`: style "image" or
    "wiggle"; `clip` is the percentile that saturates; `agc` the window of an automatic gain in s, 0 for
    true amplitudes; `gain` is a wiggle's width in trace spacings."""
    time, traces = shot.time.values, np.nan_to_num(shot.pressure.values)
    unit = "pressure (Pa)"
    if agc:
        step = (time[-1] - time[0]) / max(1, len(time) - 1)
        traces = balanced(traces, max(2, round(min(agc / step, len(time)))) if step > 0 else 2)
        unit = f"pressure over its mean within {agc:g} s"
    x, label = offsets(shot)
    limit = limit_of(traces, clip)
    figure, axes = plotting.pyplot().subplots(figsize=(8.5, 8), layout="constrained")
    if style == "wiggle" or len(x) < 2 or np.ptp(x) == 0:
        draw_wiggles(axes, time, traces, x, limit, gain)
    else:
        draw_image(axes, time, traces, x, limit, unit)
    axes.set_ylim(time[-1], min(0.0, time[0]))
    axes.set_xlabel(label)
    axes.set_ylabel("time (s)")
    title = f"Shot gather: {name or f'{len(x)} receivers'}, {len(time)} samples"
    if shot.sizes["source"]:
        title += "\nsource at x, y, z = " + ", ".join(
            f"{v:g}" for v in shot.sources.values[0]) + " m"
    axes.set_title(title)
    return figure

# SPDX-License-Identifier: Apache-2.0
"""Pictures of a shot's snapshots in one plane, the wave field over the velocity: panels, or a movie.

All snapshots of a shot share one scale of amplitudes, with a colour bar, so that the wave is seen to
spread and fade; the legend stands outside of the panels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import plotting
from .errors import ToolError, one_line
from .files import check_output, replacing
from .shots import AXES, PLACE, limit_of


class Plane:
    """A plane of shots.snapshots(..., plane=...): its axes on the page, and what is drawn on it."""

    def __init__(self, shot):
        self.shot = shot
        self.down, self.across = (name for name in AXES if name in shot.velocity.dims)
        self.axis = next(name for name in AXES if name not in shot.velocity.dims)
        self.place = float(shot[self.axis])

    def edges(self):
        """Borders of the picture in m: left, right, bottom, top; cells are centred on samples."""
        def ends(name):
            values = self.shot[name].values
            half = 0.5 * (values[1] - values[0]) if len(values) > 1 else 0.5
            return values[0] - half, values[-1] + half
        return [*ends(self.across), *reversed(ends(self.down))]

    def draw_velocity(self, axes):
        """The model; under a wave in pale colours, so that it stands out over fast rock too."""
        from matplotlib.colors import LinearSegmentedColormap
        velocity = self.shot.velocity.values
        low, high = float(velocity.min()), float(velocity.max())
        if high - low < 1e-3 * high:  # uniform: a neutral tone, not an end of the scale
            low, high = 0.9 * low, 1.1 * high
        pale = LinearSegmentedColormap.from_list("pale", ["#f7fbff", "#5a9fd4"])
        return axes.imshow(velocity, extent=self.edges(), cmap=pale if self.shot.sizes["time"] else "viridis", vmin=low, vmax=high,
                           aspect="equal")

    def draw_wave(self, axes, number, limit):
        """Snapshot `number`: red and black over the velocity, transparent where it is quiet."""
        return axes.imshow(wave_colours()(self.scaled(number, limit)), extent=self.edges(),
                           aspect="equal", interpolation="bilinear")

    def scaled(self, number, limit):
        """Snapshot `number` from -limit..limit to 0..1; what was not finite is quiet."""
        values = np.nan_to_num(self.shot.pressure.values[number], nan=0.0)
        return 0.5 + 0.5 * np.clip(values / limit, -1, 1)

    def title(self, number):
        time, step = self.shot.time.values[number], self.shot.step.values[number]
        return f"t = {time:.3f} s (step {step})"

    def mark(self, axes):
        """Sources and receivers, projected onto the plane."""
        a, d = PLACE.index(self.across), PLACE.index(self.down)
        receivers, sources = self.shot.receivers.values, self.shot.sources.values
        many = len(receivers) > 60
        axes.plot(receivers[:, a], receivers[:, d], "v", color="#1b5e20", label="receivers",
                  markersize=2.5 if many else 5, markeredgewidth=0, clip_on=False)
        axes.plot(sources[:, a], sources[:, d], "*", color="#ffd600", markeredgecolor="black",
                  markeredgewidth=0.7, markersize=12, label="source", clip_on=False)

    def frame(self, axes):
        left, right, bottom, top = self.edges()
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        axes.set_xlabel(f"{self.across} (m)")
        axes.set_ylabel(f"{self.down} (m)")


def wave_colours():
    """Black for low pressure, red for high, transparent between."""
    from matplotlib.colors import ListedColormap
    scale = np.linspace(-1, 1, 256)
    colours = np.full((256, 4), 0.05)
    colours[:, 0] = np.where(scale > 0, 0.75, 0.05)
    colours[:, 3] = np.abs(scale) ** 0.8
    return ListedColormap(colours, "wave")


def wave_limit(shot, clip):
    """The amplitude at which all snapshots of a shot saturate: of each the `clip`-th percentile,
    of these the largest but for those at the source, which outshine all others."""
    limits = [limit_of(wave, clip) for wave in shot.pressure.values if np.any(wave)]
    return float(np.median(limits)) if limits else 1.0


def _colour_bars(figure, places, image, limit, waves):
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    figure.colorbar(image, ax=places, label="velocity (m/s)", fraction=0.03, pad=0.01)
    if waves:
        figure.colorbar(ScalarMappable(Normalize(-limit, limit), wave_colours()), ax=places,
                        label="pressure (Pa), all snapshots", fraction=0.03, pad=0.02, extend="both")


def _legend_below(figure, axes):
    """A legend at the foot of the figure, in a band that the panels are kept out of."""
    band = 0.35 / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, band, 1, 1 - band))
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=2, fontsize=9, frameon=False,
                  borderaxespad=0.2)


def draw_snapshots(shot, clip=99.2):
    """A Matplotlib figure of shots.snapshots() in one plane: a panel a snapshot, or the model alone
    where there is none yet. `clip`: see wave_limit."""
    plane, waves = Plane(shot), shot.sizes["time"]
    left, right, bottom, top = plane.edges()
    columns = min(2, max(1, waves))
    rows = -(-max(1, waves) // columns)
    width = 6.2
    height = np.clip(width * abs(bottom - top) / (right - left), 1.5, 8.0)
    figure, grid = plotting.pyplot().subplots(
        rows, columns, figsize=(width * columns + 1.6, (height + 0.6) * rows + 0.9),
        squeeze=False, sharex=True, sharey=True, layout="compressed")
    limit = wave_limit(shot, clip)
    panels = grid.flat[: max(1, waves)]
    for axes in grid.flat[max(1, waves):]:
        axes.axis("off")
    for number, axes in enumerate(panels):
        image = plane.draw_velocity(axes)
        if waves:
            plane.draw_wave(axes, number, limit)
            axes.set_title(plane.title(number), fontsize=10)
        plane.mark(axes)
        plane.frame(axes)
        axes.label_outer()
    _colour_bars(figure, grid, image, limit, waves)
    _legend_below(figure, panels[0])
    figure.suptitle(f"{'Wave field' if waves else 'Velocity'} in the plane {plane.axis} = {plane.place:g} m")
    return figure


WRITERS = {".gif": "pillow", ".mp4": "ffmpeg"}


def check_movie(path: Path) -> None:
    """A ToolError where no movie can be written under that name: before anything is drawn."""
    from matplotlib import animation
    if path.suffix not in WRITERS:
        raise ToolError(f"{path}: a movie ends in .gif or .mp4")
    if not animation.writers.is_available(WRITERS[path.suffix]):
        raise ToolError(f"{path}: {WRITERS[path.suffix]} is not found; .gif needs Pillow, .mp4 "
                        "ffmpeg")
    check_output(path)


def write_movie(shot, path: Path, clip=99.2, frames_per_s=8, dpi=100) -> Path:
    """Writes a movie of shots.snapshots() in one plane: .gif by Pillow, .mp4 by ffmpeg where that
    is found. A ToolError where there are no snapshots, or of another kind of file."""
    from matplotlib import animation
    path = Path(path)
    check_movie(path)
    if shot.sizes["time"] == 0:
        raise ToolError(f"{path}: there are no snapshots to show yet")
    plane, limit = Plane(shot), wave_limit(shot, clip)
    left, right, bottom, top = plane.edges()
    height = float(np.clip(7 * abs(bottom - top) / (right - left), 2, 8))
    figure, axes = plotting.pyplot().subplots(figsize=(9, height + 1.2), layout="constrained")
    image = plane.draw_velocity(axes)
    wave = plane.draw_wave(axes, 0, limit)
    plane.mark(axes)
    plane.frame(axes)
    title = axes.set_title(plane.title(0), fontsize=10)
    _colour_bars(figure, axes, image, limit, True)
    _legend_below(figure, axes)
    colours = wave_colours()

    def show(number):
        wave.set_data(colours(plane.scaled(number, limit)))
        title.set_text(plane.title(number))

    movie = animation.FuncAnimation(figure, show, shot.sizes["time"])
    try:
        with replacing(path, path.suffix) as part:
            movie.save(part, writer=WRITERS[path.suffix], fps=frames_per_s, dpi=dpi)
    except plotting.DRAWING_ERRORS as error:
        raise ToolError(f"cannot draw {path}: {one_line(error)}") from None
    finally:
        plotting.pyplot().close(figure)
    return path

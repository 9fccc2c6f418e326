# SPDX-License-Identifier: Apache-2.0
"""The traffic model's study as tables and pictures: Su's Tables 3 and 4, Figures 2 and 5."""

from __future__ import annotations

import csv
import io
import sys
from collections import defaultdict
from pathlib import Path

from . import plotting
from .columns import figure
from .files import write_whole
from .traffic_cases import Record


def error(predicted: float | None, measured: float | None) -> float | None:
    """|predicted / measured - 1|, or nothing."""
    return abs(predicted / measured - 1) if predicted and measured else None


def mean(values) -> float | None:
    """Mean of those that are there."""
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def volume(record: Record, stage: str) -> float:
    return record.predicted["volume_bytes_per_cell"][stage]


def paper_volume(record: Record, stage: str) -> float:
    return record.predicted["paper"]["volume_bytes_per_cell"][stage]


# Columns of the table of errors; "paper" is the same by the paper's own formulas.
QUANTITIES = {
    "V_SMX": lambda r: error(volume(r, "smx"), r.counted.get("l1_bytes_per_cell")),
    "V_L2": lambda r: error(volume(r, "l2"), r.counted.get("l2_bytes_per_cell")),
    "V_GM": lambda r: error(r.predicted.get("counted_gm_bytes_per_cell"),
                            r.counted.get("dram_bytes_per_cell")),
    "time": lambda r: error(r.predicted["step_s"], r.seconds),
    "paper V_SMX": lambda r: error(paper_volume(r, "smx"), r.counted.get("l1_bytes_per_cell")),
    "paper V_L2": lambda r: error(paper_volume(r, "l2"), r.counted.get("l2_bytes_per_cell")),
    "paper V_GM": lambda r: error(paper_volume(r, "gm"), r.counted.get("dram_bytes_per_cell")),
    "paper (2)": lambda r: error(r.predicted["paper"]["step_s"], r.seconds),
    "paper (18)": lambda r: error(r.predicted["paper"]["adjusted_s"], r.seconds),
}
# Columns of the table of runs.
RUN = {
    "kind": lambda r: r.case.kind,
    "stencil": lambda r: r.case.stencil,
    "size": lambda r: r.case.size,
    "name": lambda r: r.name,
    "judges": lambda r: int(r.judges and r.large),
    "seconds": lambda r: r.seconds,
    "predicted_s": lambda r: r.predicted["step_s"],
    "dram_bytes_per_cell": lambda r: r.counted.get("dram_bytes_per_cell"),
    "predicted_gm": lambda r: r.predicted.get("counted_gm_bytes_per_cell"),
    "l2_bytes_per_cell": lambda r: r.counted.get("l2_bytes_per_cell"),
    "predicted_l2": lambda r: volume(r, "l2"),
    "l1_bytes_per_cell": lambda r: r.counted.get("l1_bytes_per_cell"),
    "predicted_smx": lambda r: volume(r, "smx"),
}


def _errors(records: list[Record]) -> list[str]:
    return [figure(mean(map(quantity, records)), 1, 100) for quantity in QUANTITIES.values()]


def write_errors(records: list[Record], sizes, out: Path) -> None:
    """Tables 3 and 4 as text and CSV: average errors in per cent, by stencil and size."""
    rows = []

    def add(kind, stencil, size, large, part):
        cells = _errors(part)
        print(f"{stencil:8} {size:>5} {large:>6} " + " ".join(f"{c:>11}" for c in cells))
        rows.append([kind, stencil, size, large, *cells])

    for kind in dict.fromkeys(r.case.kind for r in records):
        judges = [r for r in records if r.case.kind == kind and r.judges]
        print(f"\n{kind}: average error in %, of the cases that the constants were not fitted to")
        print(f"{'stencil':8} {'size':>5} {'large':>6} "
              + " ".join(f"{name:>11}" for name in QUANTITIES))
        for stencil in dict.fromkeys(r.case.stencil for r in records):
            for size in sizes:
                part = [r for r in judges if (r.case.stencil, r.case.size) == (stencil, size)]
                if part:
                    add(kind, stencil, size, "yes" if part[0].large else "no", part)
        add(kind, "all", "", "yes", [r for r in judges if r.large])
    _write_csv(out / "errors.csv", ["kind", "stencil", "size", "judged", *QUANTITIES], rows)


def write_runs(records: list[Record], out: Path) -> None:
    """A line a run: what was measured, counted (bytes a cell) and predicted."""
    rows = [[value(record) for value in RUN.values()] for record in records]
    _write_csv(out / "runs.csv", list(RUN),
               [[f"{v:g}" if isinstance(v, float) else v for v in row] for row in rows])


def _write_csv(path: Path, heads, rows) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    write_whole(path, text.getvalue())


def plot(records: list[Record], out: Path) -> None:
    """Figures 2 and 5: times by stage and as measured, a picture a kind and size."""
    try:
        pyplot = plotting.pyplot()
    except ModuleNotFoundError:
        print("no Matplotlib: no plots", file=sys.stderr)
        return
    pictures = defaultdict(lambda: defaultdict(list))
    for record in records:
        pictures[record.case.kind, record.case.size][record.case.stencil].append(record)
    for (kind, size), panels in pictures.items():
        picture, axes = pyplot.subplots(len(panels), 1, figsize=(11, 2.8 * len(panels)),
                                        squeeze=False)
        for axis, (stencil, rows) in zip(axes[:, 0], panels.items()):
            _draw_times(axis, rows)
            axis.set_title(f"{stencil}, {size}³, {kind}", fontsize=9)
        picture.tight_layout()
        plotting.save(picture, out / f"times-{kind}-{size}.png", dpi=110)


def _draw_times(axis, rows: list[Record]) -> None:
    """A point a configuration: measured, predicted, and the model's stages."""
    x = range(len(rows))

    def line(value, style, label, **more):
        axis.plot(x, [1e3 * value(r) for r in rows], style, label=label, **more)

    line(lambda r: r.seconds, "ko-", "measured")
    line(lambda r: r.predicted["step_s"], "r^-", "predicted")
    for stage, label in (("gm", "memory"), ("l2", "L2"), ("smx", "on chip")):
        line(lambda r, stage=stage: r.predicted["stage_s"][stage], ":", label)
    line(lambda r: r.predicted["paper"]["adjusted_s"], "--", "paper (18)", color="grey")
    axis.set_xticks(list(x), [r.name.split(":")[1] for r in rows], rotation=70, fontsize=6)
    axis.set_yscale("log")
    axis.set_ylabel("ms a step")
    axis.legend(fontsize=6, ncol=3)

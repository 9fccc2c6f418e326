# SPDX-License-Identifier: Apache-2.0
"""Predictions against the step times that a paper printed of its own kernels, and a fit of a machine's
constants to every second of its rows."""

from __future__ import annotations

import json
import math
import random
import tempfile
from pathlib import Path

import pandas

from . import published
from .errors import ToolError
from .files import ROOT, read_json, read_toml
from .model_errors import spearman
from .program import ask_json, run_options

# Where the search begins, and between what it looks.
FITTED = {"lookups_per_cycle": (1.0, 0.1, 4.0), "drift_planes": (2.0, 0.1, 8.0),
          "overlap": (4.0, 1.0, 16.0), "warp_us": (0.05, 0.001, 1.0), "plane_us": (4.0, 0.1, 10.0)}
SEARCHES, STEPS = 3, 400


class Column:
    """A machine's column of the published table, and the model's figures for its rows."""

    def __init__(self, tessera: str, deck: Path, name: str):
        self.tessera, self.deck, self.name = tessera, deck, name
        self.machine = read_json(ROOT / f"inputs/machines/{name}.json")
        table = published.read(deck.parent / read_toml(deck)["output"]["published"])
        at = next((at for at, column in enumerate(table.columns)
                   if column.get("machine", column["title"]) == name), None)
        if at is None:
            raise ToolError(f"{table.source} has no column of {name}")
        self.grid = table.columns[at]["grid"]
        self.printed = {row["name"]: table.value_of(row, at) for row in table.rows}

    def ratios(self, which: slice = slice(None)) -> pandas.DataFrame:
        """Of rows the rates, `predicted` and `printed`, and the `ratio` of their step times."""
        names = list(self.printed)[which]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{self.name}.json"
            path.write_text(json.dumps(self.machine), "utf-8")
            settings = [f"case.n{axis}={n}" for axis, n in zip("xyz", self.grid)]
            rows = ask_json([self.tessera, "predict", str(self.deck), "--machine", str(path), "--json",
                             *run_options(names, settings)], str(self.deck))
        rates = {row["name"]: row.get("gcell_per_s") for row in rows}
        missing = [name for name in names if not rates.get(name)]
        if missing:
            raise ToolError(f"no prediction for {', '.join(missing)}")
        table = pandas.DataFrame({"predicted": [rates[name] for name in names],
                                  "printed": [self.printed[name] for name in names]}, index=names)
        return table.assign(ratio=table.printed / table.predicted)


def mean_error(ratios) -> float:
    return float((pandas.Series(ratios) - 1).abs().mean())


def _search(column: Column, seed: int) -> tuple[float, dict]:
    """(mean error of every second row, constants) of a random walk that only ever gets better."""
    draw, given = random.Random(seed), column.machine.get("model", {})

    def loss(tried):
        column.machine["model"] = {**given, **tried}
        return mean_error(column.ratios(slice(None, None, 2)).ratio)

    constants = {key: start for key, (start, _, _) in FITTED.items()}
    best = loss(constants)
    for step in range(STEPS):
        tried = dict(constants)
        for key in draw.sample(list(FITTED), 2):
            _, least, most = FITTED[key]
            factor = math.exp(draw.gauss(0, 0.35 if step < 0.6 * STEPS else 0.1))
            tried[key] = min(max(tried[key] * factor, least), most)
        now = loss(tried)
        if now < best:
            best, constants = now, tried
    column.machine["model"] = given
    return best, {key: float(f"{value:.3g}") for key, value in constants.items()}


def fit(column: Column) -> dict:
    """The machine's constants with those that meet every second row best, and what the others say."""
    _, constants = min((_search(column, seed) for seed in range(SEARCHES)), key=lambda found: found[0])
    column.machine["model"] = {**column.machine.get("model", {}), **constants}
    column.machine["model"]["time_residual"] = float(
        f"{mean_error(column.ratios(slice(1, None, 2)).ratio):.3g}")
    column.machine["model"]["runs"] = len(column.printed)
    return column.machine["model"]


def table(tessera: str, deck: Path, machines: list[str], rows: bool, fitted: bool) -> str:
    """A line a machine, as docs/model.md has it; before it every row, and what was fitted."""
    said = []
    lines = ["| machine | rows | mean error, % | fitted rows | judging rows | largest | "
             "rank correlation |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for name in machines:
        column = Column(tessera, deck, name)
        if fitted:
            said.append(json.dumps(fit(column), indent=2))
        found = column.ratios()
        if rows:
            said.append(found.to_string(float_format="{:.3f}".format))
        shares = [f"{100 * mean_error(part):.0f}"
                  for part in (found.ratio, found.ratio[::2], found.ratio[1::2])]
        lines.append(f"| {name} | {len(found)} | {' | '.join(shares)} | "
                     f"{100 * (found.ratio - 1).abs().max():.0f} | "
                     f"{spearman(found.predicted, found.printed):.2f} |")
    return "\n".join([*said, *lines])

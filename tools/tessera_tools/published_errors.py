# SPDX-License-Identifier: Apache-2.0
"""Predictions against the step times that a paper printed of its own kernels."""

from __future__ import annotations

from pathlib import Path

import pandas

from . import published
from .errors import ToolError
from .files import read_toml
from .model_errors import spearman
from .program import ask_json, run_options


class Column:
    """A machine's column of the published table, and the model's figures for its rows."""

    def __init__(self, tessera: str, deck: Path, name: str):
        self.tessera, self.deck, self.name = tessera, deck, name
        table = published.read(deck.parent / read_toml(deck)["output"]["published"])
        at = next((at for at, column in enumerate(table.columns)
                   if column.get("machine", column["title"]) == name), None)
        if at is None:
            raise ToolError(f"{table.source} has no column of {name}")
        self.grid = table.columns[at]["grid"]
        self.printed = {row["name"]: table.value_of(row, at) for row in table.rows}

    def ratios(self) -> pandas.DataFrame:
        """Of the rows the rates, `predicted` and `printed`, and the `ratio` of their step times."""
        settings = [f"case.n{axis}={n}" for axis, n in zip("xyz", self.grid)]
        rows = ask_json([self.tessera, "predict", str(self.deck), "--machine", self.name, "--json",
                         *run_options(list(self.printed), settings)], str(self.deck))
        rates = {row["name"]: row.get("gcell_per_s") for row in rows}
        missing = [name for name in self.printed if not rates.get(name)]
        if missing:
            raise ToolError(f"no prediction for {', '.join(missing)}")
        table = pandas.DataFrame({"predicted": rates, "printed": self.printed}).loc[list(self.printed)]
        return table.assign(ratio=table.printed / table.predicted)


def mean_error(ratios) -> float:
    return float((pandas.Series(ratios) - 1).abs().mean())


def table(tessera: str, deck: Path, machines: list[str], rows: bool) -> str:
    """A line a machine, as docs/model.md has it; before it every row."""
    said = []
    lines = ["| machine | rows | mean error, % | fitted rows | judging rows | largest | "
             "rank correlation |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for name in machines:
        column = Column(tessera, deck, name)
        found = column.ratios()
        if rows:
            said.append(found.to_string(float_format="{:.3f}".format))
        shares = [f"{100 * mean_error(part):.0f}"
                  for part in (found.ratio, found.ratio[::2], found.ratio[1::2])]
        lines.append(f"| {name} | {len(found)} | {' | '.join(shares)} | "
                     f"{100 * (found.ratio - 1).abs().max():.0f} | "
                     f"{spearman(found.predicted, found.printed):.2f} |")
    return "\n".join([*said, *lines])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the traffic model is from what a paper printed of its own kernels.

Asks `tessera predict` for the rows of a deck's published table, on the grid that the table states, on
each machine that it has a column of, and sets the predicted step times beside the printed ones: the
mean of |predicted / published - 1|, the largest, and the rank correlation. No device is needed.

With --fit the constants of the model's times that a machine file holds are fitted first to every
second row; the others judge them. What is found is printed, not written.
"""

import json
import math
import random
import tempfile
from pathlib import Path

from tessera_tools import command_line, errors, published
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT, read_json, read_toml
from tessera_tools.program import ask_json, find_tessera, run_options

EXAMPLES = """
  model_error.py                                  # Sai's Table II on a V100 and a P100, as in docs/model.md
  model_error.py --rows V100
  model_error.py --fit P100"""

# Where the search begins, and between what it looks.
FITTED = {"lookups_per_cycle": (1.0, 0.1, 4.0), "drift_planes": (2.0, 0.1, 8.0),
          "overlap": (4.0, 1.0, 16.0), "warp_us": (0.05, 0.001, 1.0), "plane_us": (4.0, 0.1, 10.0)}
SEARCHES, STEPS = 3, 400


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    command_line.add_tessera(parser)
    parser.add_argument("--deck", type=Path, default=ROOT / "inputs/sai-table2.toml")
    parser.add_argument("machines", nargs="*", default=["V100", "P100"], metavar="MACHINE",
                        help="columns, each of a machine file in inputs/machines (default: V100 P100)")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--fit", action="store_true", help="fit the machines' constants first")
    arguments = parser.parse_args()
    command_line.refuse_twice("MACHINE", arguments.machines)
    return arguments


class Column:
    """A machine's column of the published table, and the model's figures for its rows."""

    def __init__(self, tessera, deck, name):
        self.tessera, self.deck, self.name = tessera, deck, name
        self.machine = read_json(ROOT / f"inputs/machines/{name}.json")
        table = published.read(deck.parent / read_toml(deck)["output"]["published"])
        columns = [i for i, column in enumerate(table.columns)
                   if column.get("machine", column["title"]) == name]
        if not columns:
            raise ToolError(f"{table.source} has no column of {name}")
        column = table.columns[columns[0]]
        self.grid = column["grid"]
        cells = math.prod(self.grid) * column["steps"]
        self.names = [row["name"] for row in table.rows]
        self.printed = [cells / row["values"][columns[0]] / 1e9 for row in table.rows]

    def predicted(self, which=slice(None)):
        """GCell/s of rows."""
        names = self.names[which]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{self.name}.json"
            path.write_text(json.dumps(self.machine), "utf-8")
            settings = [f"case.n{axis}={n}" for axis, n in zip("xyz", self.grid, strict=True)]
            rows = ask_json(
                [self.tessera, "predict", str(self.deck), "--machine", str(path), "--json",
                 *run_options(names, settings)], str(self.deck))
        rates = {row["name"]: row.get("gcell_per_s") for row in rows}
        missing = [name for name in names if not rates.get(name)]
        if missing:
            raise ToolError(f"no prediction for {', '.join(missing)}")
        return [rates[name] for name in names]

    def ratios(self, which=slice(None)):
        """Predicted over published step times."""
        return [printed / rate for printed, rate
                in zip(self.printed[which], self.predicted(which), strict=True)]


def mean_error(ratios):
    return sum(abs(ratio - 1) for ratio in ratios) / len(ratios)


def rank_correlation(first, second):
    """Spearman's, of values without ties."""
    def ranks(values):
        order = sorted(range(len(values)), key=values.__getitem__)
        return {index: rank for rank, index in enumerate(order)}
    a, b, n = ranks(first), ranks(second), len(first)
    return 1 - 6 * sum((a[i] - b[i]) ** 2 for i in range(n)) / (n * (n * n - 1))


def search(column, seed):
    """(mean error of every second row, constants) of a random walk that only ever gets better."""
    draw = random.Random(seed)
    given = column.machine.get("model", {})
    constants = {key: start for key, (start, _, _) in FITTED.items()}

    def loss(tried):
        column.machine["model"] = {**given, **tried}
        return mean_error(column.ratios(slice(None, None, 2)))

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


def fit(column):
    """Sets the machine's constants to those that meet every second row best."""
    _, constants = min((search(column, seed) for seed in range(SEARCHES)),
                       key=lambda found: found[0])
    column.machine["model"] = {**column.machine.get("model", {}), **constants}
    column.machine["model"]["time_residual"] = float(
        f"{mean_error(column.ratios(slice(1, None, 2))):.3g}")
    column.machine["model"]["runs"] = len(column.names)


def main():
    arguments = parse_arguments()
    tessera = find_tessera(arguments.tessera)
    lines = ["| machine | rows | mean error, % | fitted rows | judging rows | largest | "
             "rank correlation |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for name in arguments.machines:
        column = Column(tessera, arguments.deck.resolve(), name)
        if arguments.fit:
            fit(column)
            print(json.dumps(column.machine["model"], indent=2))
        predicted = column.predicted()
        ratios = [printed / rate for printed, rate in zip(column.printed, predicted, strict=True)]
        if arguments.rows:
            for row, printed, rate in zip(column.names, column.printed, predicted, strict=True):
                print(f"{row:30} {rate:8.3f} {printed:8.3f} {printed / rate:6.2f}")
        errors_of = [f"{100 * mean_error(part):.0f}"
                     for part in (ratios, ratios[::2], ratios[1::2])]
        largest = max(100 * abs(ratio - 1) for ratio in ratios)
        lines.append(f"| {name} | {len(ratios)} | {' | '.join(errors_of)} | {largest:.0f} | "
                     f"{rank_correlation(predicted, column.printed):.2f} |")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    errors.run(main)

# SPDX-License-Identifier: Apache-2.0
"""Predictions against stored rows: errors by family, the worst rows, and a search that runs only what
is predicted near the best."""

from __future__ import annotations

import numpy
import pandas

SCHEMA = "tessera-model-errors-1"


def spearman(one: pandas.Series, other: pandas.Series) -> float:
    """The rank correlation, of equals in the given order; 1 of fewer than two."""
    if len(one) < 2:
        return 1.0
    return float(one.rank(method="first").corr(other.rank(method="first")))


def frame(rows: list[dict]) -> pandas.DataFrame:
    """Rows of `tessera predict --study`, with their `ratio`, predicted over measured, and `error`."""
    table = pandas.DataFrame(rows)
    for key in ("counted_bytes", "predicted_bytes"):
        table[key] = table.get(key, numpy.nan)
    ratio = table.predicted_s / table.measured_s
    half = table.fitted.map({True: "fitted", False: "judged"}).where(table.vectorised, "scalar")
    return table.assign(ratio=ratio, error=(ratio - 1).abs(), half=half,
                        volume=(table.predicted_bytes / table.counted_bytes - 1).abs())


def worst(table: pandas.DataFrame, most: int) -> list[dict]:
    """The rows with the largest |log(predicted / measured)|, the worst first."""
    far = numpy.log(table.ratio).abs().sort_values(ascending=False, kind="stable").index[:most]
    return [{"name": " ".join(filter(None, (row.name_, row.stencil, row.decomposition,
                                            row.precision))),
             "file": row.file, "predicted_over_measured": row.ratio, "binding": row.binding}
            for row in table.loc[far].rename(columns={"name": "name_"}).itertuples()]


def by_family(table: pandas.DataFrame, most: int) -> list[dict]:
    """Mean errors of the half of a family's rows that may be fitted to, of the other, of a host's rows
    that are not vectorised, and of counted volumes; means of no rows are left out."""
    found = []
    for family, rows in table.groupby("family"):
        of = rows.groupby("half").error
        counts, means = of.count(), of.mean()
        entry = {"family": family, "measured_s": rows.measured_s.sum(), "worst": worst(rows, most),
                 "rank": spearman(rows.predicted_s / rows.cells, rows.measured_s / rows.cells),
                 "counted_rows": int(rows.volume.count())}
        for half in ("fitted", "judged", "scalar"):
            entry[f"{half}_rows"] = int(counts.get(half, 0))
            if half in means:
                entry[half] = float(means[half])
        if entry["counted_rows"]:
            entry["volume"] = float(rows.volume.mean())
        found.append(entry)
    return found


def pruned(table: pandas.DataFrame, factor: float) -> dict:
    """What a search within `factor` of the least predicted time would have run and lost: groups are a
    file's rows of one stencil, precision, decomposition and grid, of two rows or more."""
    key = ["file", "stencil", "decomposition", "precision", "cells"]
    rows = table[table.groupby(key).name.transform("size") > 1]
    near = rows.predicted_s <= factor * rows.groupby(key).predicted_s.transform("min")
    best = rows.groupby(key).measured_s.min()
    loss = rows[near].groupby(key).measured_s.min() / best - 1
    return {"factor": factor, "groups": len(best), "same_winner": int((loss == 0).sum()),
            "rows": len(rows), "kept": int(near.sum()), "worst_loss": float(loss.max()) if len(loss)
            else 0.0}


def report(asked: dict, most: int, factor: float) -> dict:
    """The errors of what `tessera predict --study` said."""
    table = frame(asked["rows"]) if asked["rows"] else None
    rest = {key: asked[key] for key in ("machine", "unpredicted", "unpredicted_rows", "unknown",
                                        "unknown_rows")}
    empty = {"factor": factor, "groups": 0, "same_winner": 0, "rows": 0, "kept": 0, "worst_loss": 0}
    return {"schema": SCHEMA, **rest,
            "families": [] if table is None else by_family(table, most),
            "prune": empty if table is None else pruned(table, factor)}


def text(found: dict) -> str:
    """A report for a terminal."""
    columns = {"fitted": "first half", "judged": "judged half", "scalar": "not vectorised",
               "volume": "volume"}
    lines = [{"family": of["family"],
              "rows": of["fitted_rows"] + of["judged_rows"] + of["scalar_rows"],
              **{name: f"{100 * of[key]:.1f}" if key in of else "-" for key, name in columns.items()},
              "rows counted": of["counted_rows"], "Spearman": f"{of['rank']:.2f}"}
             for of in found["families"]]
    said = (f"predictions for {found['machine']}, mean |predicted / measured - 1| in %: of time, of the "
            "half of a family's rows that calibration may use and of the other, and of counted memory "
            "volume\n\n")
    said += pandas.DataFrame(lines).to_string(index=False) + "\n" if lines else ""
    for of in found["families"]:
        if of["worst"]:
            said += f"\nworst of {of['family']}: predicted / measured, what binds\n"
        for row in of["worst"]:
            said += (f"  {row['predicted_over_measured']:5.2f}  {row['binding']:<12} {row['name']} "
                     f"({row['file']})\n")
    prune = found["prune"]
    said += (f"\na search that runs what is predicted within {prune['factor']:g} of the best: the same "
             f"winner in {prune['same_winner']} of {prune['groups']} groups, {prune['kept']} of "
             f"{prune['rows']} rows run, at worst {100 * prune['worst_loss']:.1f} % slower\n")
    for key, what in (("unpredicted", "without a prediction"),
                      ("unknown", "of tiles that there is no plan of")):
        names = f": {', '.join(found[key])}" if found[key] else ""
        said += f"{found[f'{key}_rows']} rows {what}{names}\n"
    return said

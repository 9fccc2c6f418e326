# SPDX-License-Identifier: Apache-2.0
"""Rows of result files, published tables and predictions as one pandas frame: what comparison.py
compares."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas

from . import published, results
from .errors import ToolError
from .files import ROOT, read_json, read_toml
from .results import ResultFile
from .schemas import check

if tuple(map(int, pandas.__version__.split(".")[:2])) < (1, 5):
    raise ToolError(f"pandas {pandas.__version__} is too old: 1.5 or newer is required; in a virtual "
                    "environment: pip install pandas")

# What a row computed, but for where and how; figures and texts of a row.
PROBLEM = ["family", "stencil", "decomposition", "precision", "model", "details"]
GRID = ["nx", "ny", "nz"]
FIGURES = ["gcell_per_s", "spread", "share_of_bound", "cells_per_joule", "bytes_per_cell", "flop_per_byte"]
TEXTS = ["origin", "platform", "device", "kind", "make", *PROBLEM, "variant", "configuration", "status",
         "reason", "revision", "date", "file"]


def split_input(given: str) -> tuple[str, Path]:
    """The platform's name of NAME=PATH (empty without one) and the path; what is there by the whole
    name has no name before it. Published tables are found in inputs/ too."""
    name, equals, rest = given.partition("=")
    if not equals or Path(given).exists():
        name, rest = "", given
    path = next((path for path in (Path(rest), ROOT / "inputs" / rest) if path.exists()), None)
    if path is None or (rest != given and not name.strip()):
        raise ToolError(f"{given}: no such file or folder, nor NAME=PATH of one")
    return name, path


def _measured(file: ResultFile) -> pandas.DataFrame:
    """Rows that ran for a profiler, or whose turn did not come, are none."""
    rows = [row for row in file.rows if row.status not in ("unverified", "unmeasured")]
    table = results.frame_of(rows)
    return table.assign(row=rows, origin="measured", tuning=file.tuning, make=", ".join(file.make),
                        platform=file.machine_name or file.device,
                        bytes_per_cell=table.effective_gb_per_s / table.gcell_per_s)


def _named(full: str) -> dict:
    variant, _, configuration = full.partition(":")
    return {"family": variant.split("/")[0], "variant": variant, "configuration": configuration}


def _predicted(content: dict, path: Path) -> pandas.DataFrame:
    """No prediction is not a machine that cannot."""
    check(content, "prediction", path)
    machine, build = content["machine"], content["build"]
    here = {"origin": "predicted", "platform": machine["name"], "device": machine["device"],
            "make": machine["device"], "kind": "gpu" if machine["kind"] == "gpu" else "host",
            "revision": build["git_revision"][:10] + ("+" if build["git_dirty"] else ""),
            "date": content["date"]}
    lines = []
    for case, row in ((case, row) for case in content["cases"] for row in case["rows"]):
        rate, least, step, most = (row.get(key) for key in ("gcell_per_s", "least_step_s", "step_s",
                                                            "attainable_gcell_per_s"))
        if rate:
            lines.append({**here, **{key: case.get(key, "") for key in (*PROBLEM, *GRID, "steps")},
                          **_named(row["name"]), "decomposition": row["decomposition"], "gcell_per_s": rate,
                          "share_of_bound": rate / most if most else least / step if least and step else None})
    return pandas.DataFrame(lines)


def _published(path: Path) -> pandas.DataFrame:
    """The columns that are rates, or bandwidths at a known traffic."""
    table, lines = published.read(path), []
    for place, column in enumerate(table.columns):
        traffic = column.get("bytes_per_cell")
        per_rate = {"gcell_per_s": 1, "effective_gb_per_s": traffic}.get(column["quantity"])
        # A paper's GPU need not have a machine file.
        file = ROOT / "inputs" / "machines" / f"{column.get('machine') or column['title']}.json"
        machine = read_json(file) if file.is_file() else {}
        for row in table.rows if per_rate else ():
            if row.get("region") or "*" in row["name"] or not row["values"][place] > 0:
                continue
            lines.append({
                "origin": "published", "platform": column["title"], "device": column["device"],
                "make": column["device"], "date": table.source,
                "kind": {"gpu": "gpu", "cpu": "host"}.get(machine.get("kind"), ""),
                **{key: table.content.get(key, "") for key in ("decomposition", "precision")},
                "stencil": row.get("stencil") or table.content.get("stencil", ""),
                **_named(row["name"]), **dict(zip(GRID, column.get("grid", (0, 0, 0)))),
                "steps": column.get("steps", 0), "gcell_per_s": table.value_of(row, place) / per_rate,
                "bytes_per_cell": traffic, "flop_per_byte": column.get("flop_per_byte"),
                "machine": machine})
    return pandas.DataFrame(lines)


def _table(path: Path, files: list) -> pandas.DataFrame | None:
    """A file's rows; None where it is of another kind."""
    if path.suffix == ".toml":
        return _published(path) if read_toml(path).get("schema") == published.SCHEMA else None
    content = read_json(path)
    schema = str(content.get("schema")) if isinstance(content, dict) else ""
    if schema.startswith("tessera-prediction-"):
        return _predicted(content, path)
    if not schema.startswith("tessera-result-"):
        return None
    files.append(results.read(path, content))
    return _measured(files[-1])


def collect(inputs: Iterable[str]) -> tuple[pandas.DataFrame, list[tuple[str, ResultFile]]]:
    """All rows, and the result files with their platforms' names; of a folder those in it and in its
    runs."""
    tables, files = [], []
    for given in map(str, inputs):
        name, path = split_input(given)
        members = [path]
        if path.is_dir():
            members = sorted([*path.glob("*.json"), *path.glob("*.toml"), *path.glob("*/result.json")])
        found, read = [], []
        for member in members:
            table = _table(member, read)
            if table is not None and len(table):
                named = {"platform": name} if name and member.suffix == ".json" else {}
                found.append(table.assign(file=str(member), **named))
        if not found and not read:
            raise ToolError(f"{path}: neither a result file, nor a prediction, nor a published table of rates, "
                            "nor a folder of these")
        tables += found
        files += [(name or file.machine_name, file) for file in read]
    if not tables:
        raise ToolError("there is nothing to compare: no row in " + ", ".join(map(str, inputs)))
    rows = pandas.concat(tables, ignore_index=True).reindex(columns=[
        *TEXTS, *GRID, "steps", *FIGURES, "noisy", "tuning", "row", "machine"])
    rows["status"] = rows.status.fillna("valid")
    rows[TEXTS] = rows[TEXTS].fillna("").astype(str)
    rows[FIGURES] = rows[FIGURES].astype(float)
    for flag in ("noisy", "tuning"):
        rows[flag] = rows[flag] == True  # noqa: E712 (absent is false)
    unnamed = rows[rows.platform.str.strip() == ""]
    if len(unnamed):
        raise ToolError(f"{unnamed.file.iloc[0]}: names no machine: give it a name, NAME=FILE")
    for (_, name), of in rows.groupby(["origin", "platform"]):
        first = of.drop_duplicates("make")
        if len(first) > 1:
            raise ToolError(f"{first.file.iloc[0]} and {first.file.iloc[1]} are of two machines that are "
                            f"both called {name}: give each a name, NAME=FILE")
    return rows, files


def unify_details(rows: pandas.DataFrame) -> None:
    """Older files and published tables do not tell a case's details. Where all that do agree, the
    others are taken for the same; where they differ those are a problem of their own."""
    for _, group in rows.groupby(PROBLEM[:-1]):
        known = set(group.details) - {""}
        if len(known) == 1:
            rows.loc[group.index, "details"] = known.pop()


def newest(rows: pandas.DataFrame, remarks: list[str]) -> pandas.DataFrame:
    """Of rows that a platform has more than once the newest, one of `tune` only where there is no
    other: its few steps are no figure of a platform."""
    key = ["origin", "platform", *PROBLEM, *GRID, "steps", "variant", "configuration"]
    kept = rows.assign(ran=~rows.tuning).sort_values(["ran", "date"], kind="stable") \
        .drop_duplicates(key, keep="last").index.sort_values()
    if len(kept) < len(rows):
        remarks.append(f"{len(rows) - len(kept)} rows were run again: of each the newest counts, "
                       "one of tune only where there is no other")
    return rows.loc[kept].reset_index(drop=True)


def set_published_shares(rows: pandas.DataFrame) -> None:
    """Published rates over the lower roof of their machine file, at the least traffic: of the column, or
    of measured rows alike, since it is the stencil's, not the machine's. Absent where that is not known,
    and where a pass makes several steps: its bound is another."""
    traffic, intensity = (rows[key].fillna(rows.groupby(PROBLEM)[key].transform("first"))
                          for key in ("bytes_per_cell", "flop_per_byte"))
    for at, row in rows[rows.origin == "published"].iterrows():
        memory, peaks = (row.machine.get(key) or {} for key in ("memory", "peak"))
        bandwidth = max([memory.get(f"{key}_gb_per_s") or 0 for key in ("copy", "triad", "update")]) \
            or memory.get("theoretical_gb_per_s") or 0
        peak, steps = (peaks.get(f"{row.precision}_gflop_per_s"),
                       row.configuration.partition(",t=")[2].split(",")[0] or "1")
        if bandwidth and steps == "1" and pandas.notna(traffic[at]):
            bounds = [bandwidth / traffic[at]]
            if peak and pandas.notna(intensity[at]):
                bounds.append(peak / (intensity[at] * traffic[at]))
            rows.loc[at, "share_of_bound"] = row.gcell_per_s / min(bounds)

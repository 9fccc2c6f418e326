# SPDX-License-Identifier: Apache-2.0
"""Rows of result files, published tables and predictions as one pandas frame, sorted by platform: a
machine with a build, as whoever ran it saw it. What tools/compare.py and tools/report.py stand on.

    from tessera_tools import points
    found = points.collect(["results/nvidia-h100", "inputs/published/sai-table2.toml"])
    print(found.points.groupby("platform").gcell_per_s.max())
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
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

# What a row computed, but for where and how.
PROBLEM = ["family", "stencil", "decomposition", "precision", "model", "details"]
GRID = ["nx", "ny", "nz"]
# A point's figures: GCell/s (the median), the share of what bounds the platform, and, to find that of
# published rates, the least traffic and the intensity.
FIGURES = ["gcell_per_s", "share_of_bound", "cells_per_joule", "bytes_per_cell", "flop_per_byte"]
COLUMNS = ["platform", *PROBLEM, *GRID, "steps", "variant", "configuration", "status", "reason",
           *FIGURES, "noisy", "tuning", "revision", "date", "file"]
TEXTS = [*PROBLEM[:5], "details", "variant", "configuration", "reason", "revision", "date"]


@dataclass(frozen=True)
class Collection:
    """`platforms` hold name, device, kind ("gpu", "cpu", ""), origin, files and revisions; a point's
    `platform` is the place of its own there."""

    platforms: list[dict]
    points: pandas.DataFrame  # COLUMNS
    remarks: list[str]
    files: list[ResultFile]

    def without_tunings(self) -> Collection:
        """Without the rows of `tessera tune`, and the platforms that have no others."""
        kept = self.points[~self.points.tuning]
        at = {old: new for new, old in enumerate(sorted(set(kept.platform)))}
        return Collection([self.platforms[old] for old in at],
                          kept.assign(platform=kept.platform.map(at)).reset_index(drop=True),
                          self.remarks, self.files)


def split_input(given: str) -> tuple[str, Path]:
    """The platform's name of NAME=PATH (empty without one) and the path; what is there by the whole
    name has no name before it. Published tables are found in inputs/ too."""
    name, equals, rest = given.partition("=")
    if not equals or Path(given).exists():
        name, rest = "", given
    elif not name.strip():
        raise ToolError(f"{given}: no name before the = ; NAME=PATH gives a platform a name")
    path = Path(rest)
    if not path.exists() and (ROOT / "inputs" / path).is_file():
        return name, ROOT / "inputs" / path
    if not path.exists():
        raise ToolError(f"{path}: no such file or folder"
                        + (f" ({given} is read as NAME=PATH)" if name else ""))
    return name, path


def members(path: Path) -> list[Path]:
    """The files of a folder that may hold rows; no part of a run that was killed."""
    return sorted(entry for entry in path.iterdir() if entry.suffix in (".json", ".toml")
                  and entry.is_file() and not entry.stem.endswith(".part"))


def _split_name(full: str) -> dict:
    variant, _, configuration = full.partition(":")
    return {"family": variant.split("/")[0], "variant": variant, "configuration": configuration}


def _machine_file(name: str) -> dict:
    """A machine file of inputs/machines; empty where there is none: a paper's GPU need not have one."""
    path = ROOT / "inputs" / "machines" / f"{name}.json"
    return read_json(path) if path.is_file() else {}


def _published_share(point: dict, machine: dict) -> float | None:
    """A published rate over the lower roof of its machine file, at the least traffic. None where that
    is not known, and where a pass makes several steps: its bound is another."""
    memory, peaks = machine.get("memory") or {}, machine.get("peak") or {}
    rates = [memory.get(f"{key}_gb_per_s") or 0 for key in ("copy", "triad", "update")]
    bandwidth = max(rates) or memory.get("theoretical_gb_per_s") or 0
    traffic, intensity = point["bytes_per_cell"], point["flop_per_byte"]
    steps_a_pass = point["configuration"].partition(",t=")[2].split(",")[0] or "1"
    if steps_a_pass != "1" or not bandwidth or pandas.isna(traffic):
        return None
    bound = bandwidth / traffic
    peak = peaks.get(f"{point['precision']}_gflop_per_s")
    if peak and not pandas.isna(intensity):
        bound = min(bound, peak / (intensity * traffic))
    return point["gcell_per_s"] / bound


class Reader:
    """Adds files one by one: their rows to `points`, a dict each."""

    def __init__(self):
        self.platforms, self.points, self.files, self.machines = [], [], [], {}

    def add(self, path: Path, name: str) -> bool:
        """Adds a file's rows; False where it is of another kind. A ToolError where it is broken."""
        if path.suffix == ".toml":
            known = read_toml(path).get("schema") == published.SCHEMA
            return known and self._add_published(path)
        content = read_json(path)
        schema = str(content.get("schema")) if isinstance(content, dict) else ""
        if schema.startswith("tessera-result-"):
            self._add_results(results.read(path), name)
        elif schema.startswith("tessera-prediction-"):
            self._add_predictions(path, content, name)
        else:
            return False
        return True

    def _platform(self, name, origin, device, kind, made, path, revision="") -> int:
        if not (name or "").strip():
            raise ToolError(f"{path}: names no machine: give it a name, NAME={path}")
        at = next((at for at, known in enumerate(self.platforms)
                   if (known["name"], known["origin"]) == (name, origin)), None)
        if at is None:
            at = len(self.platforms)
            self.platforms.append({"name": name, "device": device, "kind": kind, "origin": origin,
                                   "files": [], "revisions": [], "made": made})
        known = self.platforms[at]
        if known["made"] != made:
            raise ToolError(f"{known['files'][0]} and {path} are of two machines that are both called "
                            f"{name} ({', '.join(known['made'])}; {', '.join(made)}): give each a "
                            "name, NAME=FILE")
        for key, value in (("files", str(path)), ("revisions", revision)):
            if value and value not in known[key]:
                known[key].append(value)
        return at

    def _add_results(self, file: ResultFile, name: str) -> None:
        machine, path = file.machine, str(file.path)
        at = self._platform(name or machine.get("name") or machine.get("device"), "measured",
                            machine.get("device") or "", machine.get("kind") or "",
                            file.make, path, file.revision)
        self.files.append(file)
        for row in file.rows:
            if row.status in ("unverified", "unmeasured"):
                continue  # it ran for a profiler, or its turn did not come
            rate = row.rate if row.valid else None
            if row.valid and rate is None:
                raise ToolError(f"{path}: {row.name} is valid and has no gcell_per_s")
            nx, ny, nz = row.grid
            bandwidth = row.value("effective_gb_per_s")
            self.points.append({
                "platform": at, "family": row.family, "stencil": row.stencil, "model": row.model,
                "decomposition": row.decomposition, "precision": row.precision,
                "details": row.details, "nx": nx, "ny": ny, "nz": nz, "steps": row.steps,
                "variant": row.today_variant, "configuration": row.configuration,
                "status": row.status, "reason": row.record.get("reason", ""), "gcell_per_s": rate,
                "share_of_bound": row.share_of_bound if row.valid else None,
                "cells_per_joule": row.value("energy.cells_per_joule") if row.valid else None,
                "bytes_per_cell": bandwidth / rate if rate and bandwidth else None,
                "flop_per_byte": row.value("flop_per_byte") if row.valid else None,
                "noisy": bool(row.record.get("noisy")), "tuning": file.tuning,
                "revision": file.revision, "date": file.moment, "file": path})

    def _add_predictions(self, path: Path, content: dict, name: str) -> None:
        check(content, "prediction", path)
        machine, build = content["machine"], content["build"]
        revision = build["git_revision"][:10] + ("+" if build.get("git_dirty") else "")
        at = self._platform(name or machine["name"], "predicted", machine["device"],
                            machine["kind"], [machine["device"]], path, revision)
        for case in content["cases"]:
            for row in case["rows"]:
                rate = row.get("gcell_per_s")
                if not rate:
                    continue  # no prediction is not a machine that cannot
                least, step = row.get("least_step_s"), row.get("step_s")
                share = rate / row["attainable_gcell_per_s"] if row.get("attainable_gcell_per_s") \
                    else least / step if least and step else None
                self.points.append({
                    **{key: case.get(key, "") for key in (*PROBLEM, *GRID, "steps")},
                    **_split_name(row["name"]), "platform": at, "status": "valid",
                    "decomposition": row["decomposition"], "gcell_per_s": rate,
                    "share_of_bound": share, "revision": revision, "date": content["date"],
                    "file": str(path)})

    def _add_published(self, path: Path) -> bool:
        table = published.read(path)
        taken = [(at, column) for at, column in enumerate(table.columns)
                 if column["quantity"] in ("gcell_per_s", "effective_gb_per_s")]
        for place, column in taken:
            machine = _machine_file(column.get("machine") or column["title"])
            at = self._platform(column["title"], "published", column.get("device", ""),
                                machine.get("kind", ""), [column.get("device", "")], path)
            self.machines[at] = machine
            traffic = column.get("bytes_per_cell")
            for row in table.rows:
                if row.get("region") or "*" in row["name"] or not row["values"][place] > 0:
                    continue
                value = table.value_of(row, place)
                if column["quantity"] == "effective_gb_per_s":
                    if not traffic:
                        continue
                    value /= traffic
                self.points.append({
                    **_split_name(row["name"]), "platform": at, "status": "valid",
                    "stencil": row.get("stencil") or table.content.get("stencil", ""),
                    **{key: table.content.get(key, "") for key in ("decomposition", "precision")},
                    **dict(zip(GRID, column.get("grid", (0, 0, 0)))),
                    "steps": column.get("steps", 0), "gcell_per_s": value,
                    "bytes_per_cell": traffic, "flop_per_byte": column.get("flop_per_byte"),
                    "date": table.source, "file": str(path)})
        return bool(taken)


def _frame(points: list[dict]) -> pandas.DataFrame:
    frame = pandas.DataFrame(points, columns=COLUMNS)
    frame[TEXTS] = frame[TEXTS].fillna("").astype(str)
    frame[FIGURES] = frame[FIGURES].astype(float)
    for flag in ("noisy", "tuning"):
        frame[flag] = frame[flag] == True  # noqa: E712 (absent is false)
    return frame


def _unify_details(points: pandas.DataFrame) -> None:
    """Older files and published tables do not tell a case's details. Where all that do agree, the
    others are taken for the same; where they differ those are a problem of their own."""
    for _, group in points.groupby(PROBLEM[:-1]):
        known = set(group.details) - {""}
        if len(known) == 1:
            points.loc[group.index, "details"] = known.pop()


def _newest(points: pandas.DataFrame, remarks: list[str]) -> pandas.DataFrame:
    """Of rows that a platform has more than once the newest, one of `tune` only where there is no
    other: its few steps are no figure of a platform."""
    key = ["platform", *PROBLEM, *GRID, "steps", "variant", "configuration"]
    ran = ~points.groupby(key).tuning.transform("all").astype(bool)
    kept = points.assign(ran=~points.tuning).sort_values(["ran", "date"], kind="stable") \
        .drop_duplicates(key, keep="last").index.sort_values()
    dropped = points.index.difference(kept)
    if len(dropped):
        tuned = int((points.tuning & ran)[dropped].sum())
        remarks.append(f"{len(dropped)} rows are there more than once: of each the newest counts"
                       + (f"; {tuned} of tune give way to those of run" if tuned else ""))
    return points.loc[kept].reset_index(drop=True)


def _set_published_shares(points: pandas.DataFrame, machines: dict[int, dict]) -> None:
    """Published rates become shares of a bound by the least traffic of measured rows alike, on the
    published machine: that traffic is the stencil's, not the machine's."""
    both = points.dropna(subset=["bytes_per_cell", "flop_per_byte"]).drop_duplicates(PROBLEM)
    alike = {tuple(row[key] for key in PROBLEM): row for row in both.to_dict("records")}
    for at, point in zip(points.index, points.to_dict("records")):
        if point["platform"] not in machines:
            continue
        if pandas.isna(point["bytes_per_cell"]) or pandas.isna(point["flop_per_byte"]):
            other = alike.get(tuple(point[key] for key in PROBLEM), {})
            point.update({key: other[key] for key in ("bytes_per_cell", "flop_per_byte")
                          if key in other})
        points.loc[at, "share_of_bound"] = _published_share(point, machines[point["platform"]])


def collect(inputs: Iterable[str | os.PathLike]) -> Collection:
    """Reads result files, published tables, files of `tessera predict -o`, and folders of these,
    whose other files are passed over; NAME=PATH gives the platform of measured rows a name. A
    ToolError where an input is missing, broken or of another kind, a folder holds none, or two
    machines have one name."""
    reader = Reader()
    for given in map(str, inputs):
        name, path = split_input(given)
        if path.is_dir():
            taken = [reader.add(member, name) for member in members(path)]
            if not any(taken):
                folders = sorted(str(entry) for entry in path.iterdir() if entry.is_dir())
                raise ToolError(f"{path}: no result file, prediction or published table of rates in it"
                                + (f"; name its folders: {' '.join(folders)}" if folders else ""))
        elif not reader.add(path, name):
            hint = f"; of a deck compare the result: tessera run {path} -o FILE" \
                if path.suffix == ".toml" else ""
            raise ToolError(f"{path}: neither a result file, nor a prediction, nor a published table "
                            f"of rates{hint}")
    if not reader.points:
        raise ToolError("there is nothing to compare: no row in " + ", ".join(map(str, inputs)))
    points, remarks = _frame(reader.points), []
    _unify_details(points)
    points = _newest(points, remarks)
    _set_published_shares(points, reader.machines)
    for platform in reader.platforms:
        del platform["made"]
    return Collection(reader.platforms, points, remarks, reader.files)


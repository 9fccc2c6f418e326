# SPDX-License-Identifier: Apache-2.0
"""Result files of `tessera run` and `tune` (docs/results.md): read, checked, selected from.

    from tessera_tools import results
    table = results.frame(["results/nvidia-h100"])  # a pandas frame, a line a row
    rows = results.rows_of(results.read_all(["results/nvidia-h100"]))
    row = results.best(results.select(rows, stencil="j2d5pt", precision="double"))
    print(row.name, row.rate, row.share_of_bound, row.file.device, row.file.date)

A file that cannot be read, or does not keep to its schema, raises a ToolError that names it.
"""

from __future__ import annotations

import fnmatch
import math
import os
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ToolError
from .files import read_json
from .problems import Problem
from .schemas import check, is_number

SCHEMA = "tessera-result-1"


def _at(content, path: str):
    """What stands at a dotted path, or None."""
    for key in path.split("."):
        content = content.get(key) if isinstance(content, dict) else None
    return content


@dataclass(frozen=True)
class ResultFile:
    """A result file: `content` as it is on disk, and its rows."""

    path: Path
    content: dict
    rows: list[Row] = field(default_factory=list, repr=False)

    machine = property(lambda self: self.content["machine"])
    machine_name = property(lambda self: self.machine["name"], doc="Such as nvidia-h200.")
    device = property(lambda self: self.machine["device"], doc="Such as NVIDIA H200.")
    kind = property(lambda self: "gpu" if self.machine["kind"] == "gpu" else "host")
    date = property(lambda self: self.moment[:10], doc="Day of the run: 2026-11-24.")
    moment = property(lambda self: self.content["date"], doc="Date and time of the run.")
    streams = property(lambda self: self.content["streams"] or {})
    roofline = property(lambda self: self.content.get("roofline") or {})
    deck = property(lambda self: self.content["deck"], doc="The deck as it ran.")
    doubts = property(lambda self: [f"{self.path}: {reason}" for reason in self.content.get("doubtful", [])],
                      doc="What the run that wrote it found to doubt in it, a sentence each.")
    tuning = property(lambda self: not self.streams and not self.roofline,
                      doc="Whether it is of `tessera tune`: rows of few steps, without roofs.")

    @property
    def revision(self) -> str:
        """The program's revision, ten digits; + where its tree held more than that."""
        build = self.content["build"]
        return build["git_revision"][:10] + ("+" if build["git_dirty"] else "")

    @property
    def make(self) -> list[str]:
        """What is equal for machines of one make: the device with, of a host, its threads and caches,
        of a GPU its units and memory."""
        machine, of = self.machine, self.machine.get("device_properties")
        if of:
            return [self.device, f"{of['units']} units", f"{of.get('memory_bytes', '?')} B"]
        return [self.device, f"{machine['concurrency']} threads",
                *(f"{cache['level']} {cache['bytes']} B" for cache in machine["host"]["caches"])]


@dataclass(frozen=True)
class Row:
    """A configuration of a result file: `record` as it is on disk."""

    file: ResultFile = field(repr=False)
    record: dict

    # What ran, as recorded.
    family = property(lambda self: self.record["family"])
    stencil = property(lambda self: self.record["stencil"])
    variant = property(lambda self: self.record["variant"])
    configuration = property(lambda self: self.record["configuration"])
    decomposition = property(lambda self: self.record["decomposition"])
    precision = property(lambda self: self.record["precision"])
    status = property(lambda self: self.record["status"])
    valid = property(lambda self: self.status == "valid")
    grid = property(lambda self: (self.record["nx"], self.record["ny"], self.record["nz"]))
    cells = property(lambda self: math.prod(self.grid))
    steps = property(lambda self: self.record["steps"])
    temporal_depth = property(lambda self: self.record["temporal_depth"])
    samples = property(lambda self: self.record["samples_s"])
    resources = property(lambda self: self.record["resources"])
    counters = property(lambda self: self.record["counters"])
    published = property(lambda self: self.record.get("published") or {})
    details = property(lambda self: self.record.get("details", ""),
                       doc="What else tells problems of one size apart; empty in older files.")
    point = property(lambda self: self.stencil.split("/")[-1], doc="Such as j2d5pt.")
    name = property(lambda self: f"{self.variant}:{self.configuration}")
    predicted = property(lambda self: self.record["predicted"])
    rate = property(lambda self: self.value("gcell_per_s.median"), doc="Median GCell/s, or None.")

    @property
    def model(self) -> str:
        """Kind of model, of stencils that have several; of older files as their decks say."""
        if self.family != "ete":
            return self.record.get("model", "")
        return self.record.get("model") or str(_at(self.file.deck, "ete.model") or "random")

    @property
    def problem(self) -> Problem:
        """What was computed: only rows of one problem are compared."""
        return Problem(self.stencil, self.decomposition, self.precision, self.model, self.details,
                       self.grid, self.steps)

    @property
    def median_s(self) -> float | None:
        """Median seconds a step."""
        return statistics.median(self.samples) if self.samples else None

    @property
    def spread(self) -> float:
        """Inter-quartile range of the samples over their median."""
        return (self.record["iqr_s"] or 0) / self.median_s if self.samples else 0.0

    @property
    def prediction(self) -> float | None:
        """Predicted GCell/s; None where no model applies. Older files keep the bandwidth bound
        there, which is no prediction."""
        model = self.predicted.get("model") or ""
        return None if model.startswith("minimal traffic") else self.predicted.get("gcell_per_s")

    @property
    def bound(self) -> str:
        """What the row is held against: see share_of_bound."""
        if self.value("predicted.fraction_of_attainable") is not None:
            return "attainable"
        roofline = self.file.roofline
        intensity = self.value("flop_per_byte") or 0
        peak = roofline.get("peak_gflop_per_s") or float("inf")
        return "peak" if intensity * roofline.get("gb_per_s", 0) > peak else "memory"

    @property
    def share_of_bound(self) -> float | None:
        """Architectural efficiency: measured over what temporal blocking can attain, where the model
        tells (docs/model.md); else over the roofline of the same run, at the bytes that the variant's
        launches move where it takes several passes over memory, and at the least otherwise."""
        if self.bound == "attainable":
            return self.value("predicted.fraction_of_attainable")
        share = self.value("fraction_of_roofline")
        least, moved = (self.value(f"resources.{key}_elements_per_cell")
                        for key in ("minimal", "moved"))
        blocked = (self.value("resources.temporal_depth") or 1) > 1
        if blocked and share is not None and least and moved and abs(moved / least - 1) >= 1e-9:
            return self.value("fraction_at_moved") or share * moved / least
        return share

    def value(self, path: str):
        """What the record holds at a dotted path such as counters.dram_bytes_per_cell, or None."""
        return _at(self.record, path)

    def number(self, path: str) -> float:
        """A figure that must be there: a ToolError names what lacks it."""
        value = self.value(path)
        if not is_number(value):
            raise ToolError(f"{self.file.path}: {self.name} has no {path}")
        return value


def read(path: str | os.PathLike, content=None) -> ResultFile:
    """A result file, checked by its schema; `content` where it has been read."""
    content = read_json(path) if content is None else content
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ToolError(f"{path}: is not a result file ({SCHEMA})")
    check(content, "result", path)
    file = ResultFile(Path(path), content)
    file.rows.extend(Row(file, record) for record in content["results"])
    return file


def read_all(paths: Iterable[str | os.PathLike]) -> list[ResultFile]:
    """Result files: those named, and those of the folders named, of a run, a study or else (what
    else lies there is passed over). One that is named twice counts once."""
    found = {}
    for path in map(Path, paths):
        members = {path: None}
        if path.is_dir():
            members = {entry: read_json(entry) for entry in [*sorted(path.glob("*.json")),
                                                             *sorted(path.glob("*/result.json"))]}
            members = {entry: content for entry, content in members.items()
                       if str(_at(content, "schema")).startswith("tessera-result-")}
            if not members:
                raise ToolError(f"{path}: no result file in this folder")
        for member, content in members.items():
            found.setdefault(os.path.realpath(member), (member, content))
    return [read(*member) for member in found.values()]


def rows_of(files: Iterable[ResultFile]) -> list[Row]:
    """All rows, in the files' order."""
    return [row for file in files for row in file.rows]


def select(rows: Iterable[Row], **patterns: str | None) -> list[Row]:
    """Rows that match every pattern given: globs of family, stencil (without its family too),
    variant, configuration, decomposition, precision, status."""
    return [row for row in rows if all(
        pattern is None or any(fnmatch.fnmatchcase(getattr(row, name), pattern)
                               for name in ([key, "point"] if key == "stencil" else [key]))
        for key, pattern in patterns.items())]


def best(rows: Iterable[Row],
         by: Callable[[Row], float | None] = lambda row: row.rate) -> Row | None:
    """The valid row with the greatest `by`, the first of equals; None where none has one."""
    rated = [row for row in rows if row.valid and by(row) is not None]
    return max(rated, key=by, default=None)


def _same(*paths: str) -> dict:
    return {path.split(".")[-1]: lambda row, path=path: row.value(path) for path in paths}


# Columns of a frame, and what a row has there; of the first texts and counts, of FIGURES numbers.
COLUMNS = {
    "platform": lambda row: row.file.machine_name, "device": lambda row: row.file.device,
    "kind": lambda row: row.file.kind, **_same("family", "stencil"), "model": lambda row: row.model,
    "details": lambda row: row.details, **_same("decomposition", "precision", "nx", "ny", "nz", "steps"),
    **_same("variant", "configuration"),
    "baseline": lambda row: bool(row.value("baseline")), **_same("temporal_depth", "status", "reason"),
    "noisy": lambda row: row.record["noisy"], "bound": lambda row: row.bound,
    "binding": lambda row: row.predicted.get("binding", ""), "revision": lambda row: row.file.revision,
    "date": lambda row: row.file.moment, "file": lambda row: str(row.file.path)}
FIGURES = {
    "gcell_per_s": lambda row: row.rate, "step_s": lambda row: row.median_s,
    "spread": lambda row: row.spread if row.samples else None,
    "share_of_bound": lambda row: row.share_of_bound if row.valid else None,
    "predicted_gcell_per_s": lambda row: row.prediction,
    **_same("fraction_of_copy", "fraction_of_update", "effective_gb_per_s", "gflop_per_s",
            "flop_per_byte", "counters.dram_bytes_per_cell", "counters.l2_bytes_per_cell",
            "energy.joules", "energy.cells_per_joule")}


def frame_of(rows: Iterable[Row]):
    """A pandas frame of rows; numbers that a row lacks are NaN."""
    import pandas
    table = pandas.DataFrame([{name: value(row) for name, value in {**COLUMNS, **FIGURES}.items()}
                              for row in rows], columns=[*COLUMNS, *FIGURES])
    return table.astype(dict.fromkeys(FIGURES, float))


def frame(paths: Iterable[str | os.PathLike]):
    """A pandas frame of the result files named, and of those in the folders named: a line a row."""
    return frame_of(rows_of(read_all(paths)))

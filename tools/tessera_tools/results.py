# SPDX-License-Identifier: Apache-2.0
"""Result files of `tessera run` and `tune` (docs/results.md): read, checked, selected from.

    from tessera_tools import results
    rows = results.rows_of(results.read_all(["results/nvidia-h100"]))
    row = results.best(results.select(rows, stencil="j2d5pt", precision="double"))
    print(row.today_name, row.rate, row.share_of_bound, row.file.device, row.file.date)

Rows hold what the file recorded (`row.record`, `row.variant`); `today_*` are the present words for
it. A file that cannot be read, or is not what it says, raises a ToolError that names it.
"""

from __future__ import annotations

import fnmatch
import os
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ToolError
from .files import read_json
from .problems import Problem
from .schemas import check, is_number
from .words import today_prediction, today_variant

SCHEMA = "tessera-result-1"


@dataclass(frozen=True)
class ResultFile:
    """A result file: `content` as it is on disk, and its rows."""

    path: Path
    content: dict
    rows: list[Row] = field(default_factory=list, repr=False)

    @property
    def machine(self) -> dict:
        return self.content.get("machine") or {}

    @property
    def machine_name(self) -> str:
        """The machine's short name, such as nvidia-h200; the file's where it has none."""
        return self.machine.get("name") or self.path.stem

    @property
    def device(self) -> str:
        """The processor's own name, such as NVIDIA H200; the short one where it has none."""
        return self.machine.get("device") or self.machine_name

    @property
    def kind(self) -> str:
        """"gpu" or "host"."""
        return "gpu" if self.machine.get("kind") == "gpu" else "host"

    @property
    def date(self) -> str:
        """Day of the run: 2026-11-24."""
        return (self.content.get("date") or "")[:10]

    @property
    def revision(self) -> str:
        """The program's revision, ten digits; + where its tree held more than that."""
        build = self.content.get("build") or {}
        return (build.get("git_revision") or "")[:10] + ("+" if build.get("git_dirty") else "")

    @property
    def streams(self) -> dict:
        """The run's memory bandwidths; empty where it measured none."""
        return self.content.get("streams") or {}

    @property
    def roofline(self) -> dict:
        return self.content.get("roofline") or {}

    @property
    def deck(self) -> dict:
        """The deck as it ran."""
        return self.content.get("deck") or {}

    @property
    def moment(self) -> str:
        """Date and time of the run."""
        return self.content.get("date") or ""

    @property
    def tuning(self) -> bool:
        """Whether it is of `tessera tune`: rows of few steps, without streams and roofs."""
        return not self.streams and not self.roofline

    @property
    def make(self) -> list[str]:
        """What is equal for machines of one make: the device with, of a host, its threads and caches,
        of a GPU its units and memory."""
        device, machine = self.machine.get("device") or "an unnamed machine", self.machine
        if "device_properties" in machine:
            of = machine["device_properties"] or {}
            return [device, f"{of.get('units', '?')} units", f"{of.get('memory_bytes', '?')} B"]
        host = machine.get("host") if isinstance(machine.get("host"), dict) else {}
        return [device, f"{machine.get('concurrency', '?')} threads",
                *(f"{cache.get('level', '?')} {cache.get('bytes', '?')} B"
                  for cache in host.get("caches") or [] if isinstance(cache, dict))]


def _at(content, path: str):
    """What stands at a dotted path, or None."""
    for key in path.split("."):
        content = content.get(key) if isinstance(content, dict) else None
    return content


TABLE_KEYS = ("coeff=", "rows=", "layout=")


def table_of(configuration: str) -> str:
    """What a configuration of the ete family says of its coefficient table: "rows=iso"; empty where
    the table is the usual one. Only what uses equal tables is compared."""
    return ",".join(part for part in configuration.split(",")[1:] if part.startswith(TABLE_KEYS))


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
    decomposition = property(lambda self: self.record.get("decomposition", ""))
    precision = property(lambda self: self.record["precision"])
    status = property(lambda self: self.record["status"])
    grid = property(lambda self: (self.record["nx"], self.record["ny"], self.record["nz"]))
    steps = property(lambda self: self.record.get("steps", 0))
    temporal_depth = property(lambda self: self.record.get("temporal_depth", 1))
    samples = property(lambda self: self.record.get("samples_s") or [])
    resources = property(lambda self: self.record.get("resources") or {})
    counters = property(lambda self: self.record.get("counters") or {})
    published = property(lambda self: self.record.get("published") or {})
    predicted = property(lambda self: today_prediction(self.record.get("predicted") or {}))

    @property
    def model(self) -> str:
        """Kind of model, of stencils that have several; of older files as their decks say."""
        if self.family != "ete":
            return self.record.get("model", "")
        return self.record.get("model") or str(_at(self.file.deck, "ete.model") or "random")

    @property
    def details(self) -> str:
        """What else tells problems of one size apart; empty in older files."""
        return self.record.get("details", "")

    @property
    def problem(self) -> Problem:
        """What was computed: only rows of one problem are compared."""
        return Problem(self.stencil, self.decomposition, self.precision, self.model, self.details,
                       self.grid, self.steps)

    @property
    def valid(self) -> bool:
        return self.status == "valid"

    @property
    def name(self) -> str:
        """variant:configuration, as recorded."""
        return f"{self.variant}:{self.configuration}"

    @property
    def today_variant(self) -> str:
        """What the variant is called now."""
        return today_variant(self.variant, self.file.kind, self.file.date)

    @property
    def today_name(self) -> str:
        """variant:configuration by the variant's present name."""
        return f"{self.today_variant}:{self.configuration}"

    @property
    def point(self) -> str:
        """The stencil without its family: j2d5pt."""
        return self.stencil.split("/")[-1]

    @property
    def cells(self) -> int:
        nx, ny, nz = self.grid
        return nx * ny * nz

    @property
    def rate(self) -> float | None:
        """Median GCell/s; None where the row has none."""
        return (self.record.get("gcell_per_s") or {}).get("median")

    @property
    def median_s(self) -> float | None:
        """Median seconds a step."""
        return statistics.median(self.samples) if self.samples else None

    @property
    def spread(self) -> float:
        """Inter-quartile range of the samples over their median."""
        iqr = self.record.get("iqr_s")
        return iqr / self.median_s if iqr and self.median_s else 0.0

    @property
    def share_of_copy(self) -> float | None:
        """Effective bandwidth over that of the copy of the same run."""
        return self.record.get("fraction_of_copy")

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
        intensity = self.record.get("flop_per_byte") or 0
        peak = roofline.get("peak_gflop_per_s") or float("inf")
        return "peak" if intensity * (roofline.get("gb_per_s") or 0) > peak else "memory"

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


def read(path: str | os.PathLike) -> ResultFile:
    """A result file, checked by its schema."""
    content = read_json(path)
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
        members = [path]
        if path.is_dir():
            members = [entry for entry in [*sorted(path.glob("*.json")),
                                           *sorted(path.glob("*/result.json"))] if _is_result(entry)]
            if not members:
                raise ToolError(f"{path}: no result file in this folder")
        for member in members:
            found.setdefault(os.path.realpath(member), member)
    return [read(path) for path in found.values()]


def _is_result(path: Path) -> bool:
    content = read_json(path)
    return isinstance(content, dict) and str(content.get("schema")).startswith("tessera-result-")


def rows_of(files: Iterable[ResultFile]) -> list[Row]:
    """All rows, in the files' order."""
    return [row for file in files for row in file.rows]


def select(rows: Iterable[Row], *, family: str | None = None, stencil: str | None = None,
           variant: str | None = None, configuration: str | None = None,
           decomposition: str | None = None, precision: str | None = None,
           status: str | None = None) -> list[Row]:
    """Rows that match every pattern given (globs). A stencil's family may be left out, and a
    variant goes by its present name or the recorded one."""
    patterns = [
        (family, lambda row: [row.family]),
        (stencil, lambda row: [row.stencil, row.point]),
        (variant, lambda row: [row.today_variant, row.variant]),
        (configuration, lambda row: [row.configuration]),
        (decomposition, lambda row: [row.decomposition]),
        (precision, lambda row: [row.precision]),
        (status, lambda row: [row.status]),
    ]
    asked = [(pattern, names) for pattern, names in patterns if pattern is not None]
    return [row for row in rows if all(
        any(fnmatch.fnmatchcase(name, pattern) for name in names(row))
        for pattern, names in asked)]


def best(rows: Iterable[Row],
         by: Callable[[Row], float | None] = lambda row: row.rate) -> Row | None:
    """The valid row with the greatest `by`, the first of equals; None where none has one."""
    rated = [row for row in rows if row.valid and by(row) is not None]
    return max(rated, key=by, default=None)

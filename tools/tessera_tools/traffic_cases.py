# SPDX-License-Identifier: Apache-2.0
"""The traffic model's study: runs its cases, fits the model, sets predictions beside what ran."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import results
from .errors import ToolError
from .files import ROOT, read_json
from .program import ask_json, execute, run_options
from .results import Row
from .words import today_prediction

STENCILS = ["7pt-1", "7pt-2", "7pt-3", "19pt"]
DECKS = {"baseline": "su-baseline.toml", "zblock": "su-zblock.toml"}


@dataclass(frozen=True)
class Case:
    """One deck with one stencil and size."""

    kind: str
    stencil: str
    size: int
    result: Path

    @property
    def deck(self) -> Path:
        return ROOT / "inputs" / DECKS[self.kind]

    @property
    def settings(self) -> list[str]:
        return [f"case.stencil={self.stencil}",
                *(f"case.{axis}={self.size}" for axis in ("nx", "ny", "nz"))]


@dataclass(frozen=True)
class Record:
    """A configuration of a case: measured, counted, predicted, and whether it judges the model."""

    case: Case
    name: str
    large: bool
    judges: bool
    seconds: float
    counted: dict
    predicted: dict


@dataclass(frozen=True)
class Study:
    """What is studied, by which program, and where its files lie."""

    tessera: str
    out: Path
    machine: Path
    registers: Path | None
    kinds: Sequence[str]
    stencils: Sequence[str]
    sizes: Sequence[int]
    variants: Sequence[str]
    settings: Sequence[str]
    reuse: bool

    @property
    def log(self) -> Path:
        return self.out / "log.txt"

    def all_cases(self) -> Iterator[Case]:
        """The runs that the study wants."""
        for kind in self.kinds:
            for stencil in self.stencils:
                for size in self.sizes:
                    yield Case(kind, stencil, size, self.out / f"{kind}-{stencil}-{size}.json")

    def cases(self) -> Iterator[Case]:
        """The runs; where they are reused, those that an interrupted study has left."""
        return (case for case in self.all_cases() if not self.reuse or case.result.exists())

    def options(self, case: Case) -> list[str]:
        return run_options(self.variants, [*case.settings, *self.settings])

    def with_registers(self) -> list[str]:
        return ["--registers", str(self.registers)] if self.registers else []


def run_all(study: Study, count: bool) -> None:
    """Times, and counters, of every case."""
    for case in study.cases():
        print(f"running {case.result.stem}", file=sys.stderr, flush=True)
        options = study.options(case)
        execute([study.tessera, "run", str(case.deck), "-o", str(case.result), *options], study.log)
        if count:
            counters = str(ROOT / "tools" / "counters.py")
            execute([sys.executable, counters, str(case.deck), "--tessera", study.tessera,
                     "--result", str(case.result), "--set", "case.steps=1", *options], study.log)


def fitted_machine(study: Study) -> Path:
    """The machine file that calibrate() writes."""
    return study.out / "machine.json"


def calibrate(study: Study) -> Path:
    """Constants fitted to every second row of all files, in their order; the machine file."""
    fitted = fitted_machine(study)
    print(execute([study.tessera, "machine", "--input", str(study.machine), "--output", str(fitted),
                   "--calibrate", *(str(case.result) for case in study.cases()),
                   *study.with_registers()], study.log))
    return fitted


def predict(study: Study, machine: Path) -> dict[tuple[Case, str], dict]:
    """{(case, variant:configuration): prediction} with the fitted constants."""
    found = {}
    for case in study.cases():
        command = [study.tessera, "predict", str(case.deck), "--machine", str(machine), "--json",
                   *study.options(case), *study.with_registers()]
        for entry in ask_json(command, str(case.deck)):
            if not entry["unsupported"]:
                found[case, entry["name"]] = today_prediction(entry)
    return found


def shared_cache_bytes(machine: Path) -> float:
    """The greatest cache that all units share."""
    try:
        return max(cache["bytes"] * cache.get("instances", 1)
                   for cache in read_json(machine)["caches"] if cache["level"] in ("L2", "L3"))
    except (KeyError, TypeError, ValueError):
        raise ToolError(f"{machine}: no L2 or L3 among its caches") from None


def footprint(row: Row) -> float:
    """Bytes of the arrays."""
    size = 4 if row.precision == "float" else 8
    return row.number("resources.minimal_elements_per_cell") * size * row.cells


def collect(study: Study, predictions: dict, cache_bytes: float) -> list[Record]:
    """One record for each row that was measured and predicted."""
    records, index = [], 0
    for case in study.cases():
        for row in results.select(results.read(case.result).rows, status="valid"):
            prediction = predictions.get((case, row.name))
            if prediction is None or row.median_s is None:
                continue
            large = footprint(row) >= 4 * cache_bytes  # as the calibration has it
            counted = row.counters if row.counters.get("nx") == row.grid[0] else {}
            records.append(Record(case, row.name, large, not large or index % 2 == 1, row.median_s,
                                  counted, prediction))
            index += large
    if not records:
        raise ToolError("no row was measured and predicted")
    return records

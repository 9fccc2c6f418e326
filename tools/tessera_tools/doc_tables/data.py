# SPDX-License-Identifier: Apache-2.0
"""What tables are made of: rows of results/ and inputs/published, and the fastest that matches."""

from __future__ import annotations

import csv
import fnmatch
import re
from pathlib import Path

from .. import published, results
from ..errors import ToolError
from ..files import read_json, read_toml
from ..results import today_variant

NUMBERS = ("fraction_of_copy", "fraction_of_update", "effective_gb_per_s", "gflop_per_s",
           "copy_gb_per_s", "update_gb_per_s")


def lookup(row: dict, path: str):
    """The value at `a.b.c` of a row, or None."""
    for key in path.split("."):
        if not isinstance(row, dict) or row.get(key) is None:
            return None
        row = row[key]
    return row


def speed(row: dict) -> float:
    """Median GCell/s; of a CSV file of another kind nothing."""
    return (lookup(row, "gcell_per_s.median") or 0.0) if "header" in row else 0.0


class Data:
    """Files below a repository's root, each read once.

    A row is a dictionary: the record of a result file with the variant's present name, `header`
    (the rest of the file) and `file` (its name below results/); of other CSV files the columns.
    """

    def __init__(self, root: Path):
        self.root = Path(root)
        self.files = {}

    def rows(self, name: str) -> list[dict]:
        """Rows of a result file (JSON or its CSV view) or of any other CSV file in results/."""
        if name not in self.files:
            path = self.root / "results" / name
            self.files[name] = csv_rows(path) if path.suffix == ".csv" else result_rows(path)
            for row in self.files[name]:
                row["file"] = name
        return self.files[name]

    def has(self, name: str) -> bool:
        """Whether results/ has a file."""
        return (self.root / "results" / name).is_file()

    def published(self, name: str) -> published.Published:
        """A table of inputs/published."""
        return published.read(self.root / "inputs" / "published" / name)

    def document(self, name: str) -> dict:
        """A JSON or TOML file as it is; the path is from the root."""
        path = self.root / name
        return read_toml(path) if path.suffix == ".toml" else read_json(path)


def result_rows(path: Path) -> list[dict]:
    """The rows of a result file, each with the file's header beside it, and there the deck of a
    study's run by the manifest."""
    file = results.read(path)
    manifest = path.parent / "manifest.json"
    runs = read_json(manifest)["runs"] if manifest.exists() else ()
    deck = next((f"inputs/{run['deck']}" for run in runs if run["name"] == path.stem), "")
    header = {**{key: file.content[key] for key in file.content if key != "results"},
              "run deck": deck}
    return [{**row.record, "variant": row.today_variant, "header": header} for row in file.rows]


def csv_rows(path: Path) -> list[dict]:
    """The lines of a CSV file; those of a result file's view get the shape that JSON has."""
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror}") from None
    return [shaped(row) if "fom" in row else row for row in rows]


def shaped(row: dict) -> dict:
    """A line of a result file's CSV view in the shape of its JSON."""
    kind = "gpu" if row["platform"].startswith("nvidia") else "host"
    row = {**row, **{key: float(row[key]) if row[key] else None for key in NUMBERS}}
    row["variant"] = today_variant(row["variant"], kind, row["date"][:10])
    row["gcell_per_s"] = {"median": float(row["fom"])} if row["fom"] else None
    row["header"] = {
        "date": row["date"],
        "streams": {"copy": row["copy_gb_per_s"], "update": row["update_gb_per_s"]},
        "machine": {"device": " ".join(row["platform"].upper().split("-")), "kind": kind}}
    return row


class Pick:
    """`FILE VARIANT KEY=GLOB ...`: the fastest valid row of a file below results/ whose variant and
    fields match; {name} stands for a value of the line. Of a file without rates, the one line that
    matches. The key `table` is what results.table_of says; before the file a ? says that it, or
    the row, may be missing."""

    def __init__(self, text: str):
        self.may_lack, words = text.startswith("?"), text.removeprefix("?").split()
        where = [word.partition("=") for word in words[1:] if re.match(r"\w+=", word)]
        self.file, self.where = words[0], {key: value for key, _, value in where}
        self.variant = next((word for word in words[1:] if not re.match(r"\w+=", word)), "*")

    def matches(self, data: Data, values: dict) -> list[dict]:
        """Every row that matches, in the file's order."""
        pattern = self.variant.format_map(values)
        pattern = pattern if ":" in pattern else pattern + ":*"
        wanted = {key: value.format_map(values) for key, value in self.where.items()}

        def fits(row):
            if "header" in row and (row["status"] != "valid" or not fnmatch.fnmatchcase(
                    f"{row['variant']}:{row['configuration']}", pattern)):
                return False
            return all(fnmatch.fnmatchcase(
                results.table_of(row["configuration"]) if key == "table" else str(lookup(row, key)),
                glob) for key, glob in wanted.items())

        return [row for row in data.rows(self.file.format_map(values)) if fits(row)]

    def choose(self, data: Data, values: dict) -> dict | None:
        """The row, or None where none matches or the line names no file."""
        file = self.file.format_map({"file": "", "folder": "", **values})
        if not file or (self.may_lack and not data.has(file)):
            return None
        found = self.matches(data, values)
        if found and "header" in found[0]:
            return max(found, key=speed)
        if len(found) > 1:
            raise ToolError(f"results/{file}: {len(found)} lines match {values}")
        return found[0] if found else None

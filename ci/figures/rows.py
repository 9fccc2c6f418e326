# SPDX-License-Identifier: Apache-2.0
"""Rows of stored files, CSV too, and what the cells of checked tables are made of."""

import csv
import fnmatch
import functools
import math
import re
import statistics

import papers
from tessera_tools.doc_tables import cells, table
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT

NUMBERS = ("fraction_of_copy", "fraction_of_update", "effective_gb_per_s", "gflop_per_s")


class Row(cells.It):
    """A row; values of CSV files are numbers where they look like one."""

    def __getitem__(self, key):
        value = self._row.get(key)
        if value in ("", "-", None):
            raise cells.Missing
        if isinstance(value, dict):
            return Row(value)
        if isinstance(value, str):
            for kind in (int, float):
                try:
                    return kind(value)
                except ValueError:
                    pass
        return value

    __getattr__ = __getitem__


@functools.cache
def rows_of(root, name):
    """The rows of a file below results/."""
    if not name.endswith(".csv"):
        return table.rows_of(root, name)
    path = root / "results" / name
    if not path.is_file():
        raise ToolError(f"results/{name}: no such file")
    found = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    for row in found:
        if "fom" in row:  # the CSV view of a result file
            row.update({key: float(row[key]) if row[key] else None for key in NUMBERS})
            row["gcell_per_s"] = {"median": float(row["fom"])} if row["fom"] else None
    return found


def value_at(row, path):
    """The value at `a.b` of a row, or None."""
    for key in path.split("."):
        row = row.get(key) if isinstance(row, dict) else None
    return row


def coefficients(row):
    """What an ete configuration says of its coefficient table."""
    return ",".join(part for part in row["configuration"].split(",")[1:]
                    if part.startswith(("coeff=", "rows=", "layout=")))


def speed(row):
    """Median GCell/s, 0 where the file is of another kind."""
    rate = row.get("gcell_per_s")
    return rate["median"] if isinstance(rate, dict) else 0.0


class Pick(table.Pick):
    """As in table.py; of CSV files without rates the one line that matches; `table=`: coefficients()."""

    def __init__(self, text):
        self.may_lack, (self.file, *words) = text.startswith("?"), text.removeprefix("?").split()
        where = [word for word in words if "=" in word.split(":")[0]]
        self.where = dict(word.split("=", 1) for word in where)
        self.variant = next((word for word in words if word not in where), "*")

    def matches(self, root, values):
        """All rows that match, in the file's order."""
        pattern = self.variant.format_map(values)
        pattern = pattern if ":" in pattern else f"{pattern}:*"
        globs = {key: value.format_map(values) for key, value in self.where.items()}
        return [row for row in rows_of(root, self.file.format_map(values))
                if row.get("status", "valid") == "valid"
                and (pattern == "*:*" or fnmatch.fnmatchcase(
                    f"{row['variant']}:{row.get('configuration', '')}", pattern))
                and all(fnmatch.fnmatchcase(coefficients(row) if key == "table" else str(value_at(row, key)), glob)
                        for key, glob in globs.items())]

    def choose(self, root, values):
        """The fastest row, or the one; None where there is none."""
        file = self.file.format_map(values)
        if not file or self.may_lack and not (root / "results" / file).is_file():
            return None
        found = self.matches(root, values)
        if len(found) > 1 and not any(map(speed, found)):
            raise ToolError(f"results/{file}: {len(found)} lines match {values}")
        return max(found, key=speed, default=None)


def must_move(row):
    """Bytes a cell that the variant must move."""
    return row.resources.moved_elements_per_cell * (4 if row.precision == "float" else 8)


def in_unit(row, unit):
    """A rate, or a share of the update bandwidth."""
    return f"{cells.speed(row):.1f}" if unit == "GCell/s" else f"{100 * row.fraction_of_update:.0f}"


def of_copy(row):
    """A rate, and its share of what a copy of the row's own bytes allows."""
    return f"{cells.rate(row)} ({100 * cells.speed(row) * row.moved_bytes_per_cell / row.header.streams.copy:.0f} %)"


def same(here, there):
    """A value that two machines have to the bit."""
    if here != there:
        raise ToolError(f"one machine has {here}, the other {there}")
    return here


def printed(row, key):
    """A paper's figure that stands beside the row, by its quantity or title."""
    columns = (row._row.get("published") or {}).get("columns") or ()
    return next((c["value"] for c in columns if key in (c["quantity"], c["title"])), cells.Nothing())


def resident(row, units=132):
    """Threads a multiprocessor of a kernel that is launched once for all its teams."""
    return math.ceil(row.resources.league / units) * row.resources.team


def updates(row, steps=None):
    """Cells times steps of a launch."""
    return math.prod(map(int, row.cells.split("x"))) * (steps or row.steps)


def times(value):
    """Two digits of a factor."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def power(value):
    """A small number with its power of ten: 5.8·10⁻⁴."""
    digits, _, exponent = f"{value:.1e}".partition("e")
    return f"{digits}·10⁻{str(abs(int(exponent))).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def percent(value):
    """Per cent, in whole ones from one on."""
    return f"{value:.{0 if value >= 1 else 1}f}"


def lost(size, whole):
    """What a size costs against whole tiles, per cent."""
    return cells.Nothing() if size._row is whole._row else 100 * (1 - size / whole)


def ragged(size, whole, radius, axes):
    """What the cells beside the grid cost by themselves, with the best tiles of the whole size, per cent."""
    if size._row is whole._row:
        return cells.Nothing()
    extents, depth = whole.configuration.split(",t=")

    def stored(row):
        share = 1.0
        for axis, extent in list(zip(("nx", "ny"), extents.split("x")))[:axes]:
            kept = int(extent) - 2 * int(depth) * radius
            share *= row[axis] / (kept * math.ceil(row[axis] / kept))
        return share

    return round(100 * (1 - stored(size) / stored(whole)), 1) + 0.0


AUTHORS = {"2d5pt": "j2d5pt", "2ds9pt": "j2d9pt", "2d9pt": "j2d9pt-gol", "2d25pt": "j2d25pt", "poisson": "poisson",
           **{f"3d{points}pt": f"j3d{points}pt" for points in (7, 13, 17, 27)}}


def authors(row):
    """What EBISU's own program makes on a row's cells at its depth, by the raw output that is kept."""
    grid = "x".join(str(n) for n in (row.nx, row.ny, row.nz) if n > 1)
    for line in (ROOT / "results/nvidia-h100/ebisu/authors.txt").read_text("utf-8").splitlines():
        found = re.match(r"ebisu (\S+) T=(\d+) f64 (.*?): ([\d.]+) GCells", line)
        if found and f"jacobi/{AUTHORS[found[1]]}" == row.stencil and int(found[2]) == row.temporal_depth and (
                grid in found[3] or f" {row.nx} {row.ny} " in line):
            return float(found[4])
    raise cells.Missing


FUNCTIONS = {function.__name__: function for function in (
    must_move, in_unit, of_copy, same, printed, resident, updates, times, power, percent, lost, ragged, authors, int, max, min, map, len)} | {
    "v100": lambda row: printed(row, "V100"), "published": cells.paper,
    "mean": lambda values: statistics.geometric_mean(list(values))}


def picks_of(spec):
    """{name: picks} of a definition."""
    found = {}
    for names, texts in spec.get("picks", {}).items():
        for pick in names.split():
            put = table.put(texts, {**spec.get("with", {}), "pick": pick})
            found[pick] = [Pick(text) for text in (put if isinstance(put, list) else [put])]
    return found


def lines_of(spec, root):
    """A dictionary for each line; `row` in it where each row makes one."""
    constants = spec.get("with", {})
    if "each" in spec:
        found = Pick(table.put(spec["each"], constants)).matches(root, {})
        if spec.get("order") == "fastest":
            found = sorted(found, key=speed, reverse=True)
        if key := spec.get("first"):
            found = list({row[key]: row for row in reversed(found)}.values())[::-1]
            found = sorted(found, key=speed, reverse=True) if "order" in spec else found
        return [{**row, "row": row} for row in found]
    found = []
    for key, value in spec.items():
        if key == "made":
            function, *arguments = table.put(value, constants)
            found += getattr(papers, function)(root, *arguments)
        elif key == "lines":
            found += expanded(value)
    keys = dict.fromkeys(key for values in found for key in values)
    return [{**constants, **keys, **values} for values in found] or [dict(constants)]


def expanded(parts):
    """`lines` of a definition, each with each."""
    found = [{}]
    for part in parts:
        part = table.LISTS[part] if isinstance(part, str) else table.block(part)
        found = [{**one, **other} for one in found for other in part]
    return found


def wrapped(value):
    """A row by its values, None as what is missing."""
    return cells.Nothing() if value is None else Row(value) if isinstance(value, dict) else value


def chosen(spec, picks, root, values):
    """The rows of a line by their names, or None for a line that is left out."""
    found = {}
    for key, entries in picks.items():
        found[key] = max(filter(None, (pick.choose(root, {"file": "", "folder": "", **values}) for pick in entries)),
                         key=speed, default=None)
        if found[key] is None and spec.get("skip") == "any":
            return None
    lacking = list(found.values()).count(None)
    if spec.get("skip") and lacking == len(found):
        return None
    if lacking == len(found) and found and not ("made" in spec or spec.get("lenient")):
        raise ToolError(f"nothing matches {values}")
    return found


def drawn(spec, root):
    """The rows that a table or a sentence draws on."""
    picks = picks_of(spec)
    return [row for values in lines_of(spec, root)
            for row in (values.get("row"), *(chosen(spec, picks, root, values) or {}).values()) if isinstance(row, dict)]


def render(name, spec, root):
    """The lines of a table."""
    head, cells_of_row = (table.split(table.put(spec[key], spec.get("with", {}))) for key in ("head", "row"))
    picks, body, means = picks_of(spec), [], {title: [] for title in spec.get("means", ())}
    lines = lines_of(spec, root)
    every = [Row(values["row"]) for values in lines if "row" in values]
    for values in lines:
        found = chosen(spec, picks, root, values)
        if found is None:
            continue
        names = {key: wrapped(value) for key, value in {**values, **found}.items()}
        made = [cells.make(cell, {**FUNCTIONS, **names, "rows": every}) for cell in cells_of_row]
        for title, (_, value) in zip(head, made):
            if title in means and value is not None:
                means[title].append(value)
        body.append([text or spec.get("absent", "") for text, _ in made])
    if means:
        body.append(["geometric mean", *(f"{statistics.geometric_mean(means[title]):.2f}" if means.get(title) else ""
                                         for title in head[1:])])
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *body)]


def sentence(entry, root):
    """What a page must say; a ToolError where a pick finds no row."""
    names = {key: max(filter(None, (pick.choose(root, {}) for pick in picks)), key=speed, default=None)
             for key, picks in picks_of(entry).items()}
    if None in names.values():
        raise ToolError(f"no row for {[key for key, row in names.items() if row is None]}")
    return cells.make(entry["says"], {**FUNCTIONS, **{key: wrapped(row) for key, row in names.items()}})[0]

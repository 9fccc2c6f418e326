# SPDX-License-Identifier: Apache-2.0
"""What stands in a cell: functions of the rows that a line picked, giving a text and its number."""

from .data import lookup, speed

NOTHING = ("", None)


def digits(value):
    """A rate with three or four digits."""
    places = 0 if value >= 1000 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{places}f}"


def text(template):
    """Words and {values} of the line."""
    return lambda rows, values: (template.format_map(values), None)


def number(pick, path, shape="{:.0f}", scale=1.0):
    """A field of a row, of any file."""

    def cell(rows, values):
        value = lookup(rows[pick], path) if rows.get(pick) else None
        if value in (None, "", "-"):
            return NOTHING
        return shape.format(scale * float(value)), scale * float(value)

    return cell


def word(pick, path):
    """A field that is a word."""
    return lambda rows, values: (str(lookup(rows[pick], path) or ""), None) if rows.get(pick) else NOTHING


def rate(pick):
    """Median GCell/s."""
    return lambda rows, values: (
        (digits(speed(rows[pick])), speed(rows[pick])) if rows.get(pick) else NOTHING)


def percent(pick, path, places=0):
    """A share as per cent."""
    return number(pick, path, f"{{:.{places}f}}", 100.0)


def ratio(of, over, places=2):
    """How many times as fast."""

    def cell(rows, values):
        if not rows.get(of) or not rows.get(over):
            return NOTHING
        value = speed(rows[of]) / speed(rows[over])
        return f"{value:.{places}f}", value

    return cell


def configuration(pick):
    """What follows the colon."""
    return lambda rows, values: (f"`{rows[pick]['configuration']}`", None) if rows.get(pick) else NOTHING


def name(pick):
    """variant:configuration, without the family."""

    def cell(rows, values):
        if not rows.get(pick):
            return NOTHING
        return f"`{rows[pick]['variant'].split('/')[1]}:{rows[pick]['configuration']}`", None

    return cell


def full_name(pick):
    """family/variant:configuration."""

    def cell(rows, values):
        if not rows.get(pick):
            return NOTHING
        return f"`{rows[pick]['variant']}:{rows[pick]['configuration']}`", None

    return cell


def peak_share(pick):
    """GFLOP/s over the multiply-add peak of the same run, per cent."""

    def cell(rows, values):
        if not rows.get(pick):
            return NOTHING
        peak = lookup(rows[pick], "header.roofline.peak_gflop_per_s")
        value = 100 * rows[pick]["gflop_per_s"] / peak
        return f"{value:.0f}", value

    return cell


def deck_of(row):
    """The deck named on a file's command line."""
    words = (row["header"].get("command_line") or "").split()
    decks = [entry for entry in words if entry.endswith(".toml") and "=" not in entry]
    return decks[0] if decks else ""


def grid_of(row):
    """Extents as a text."""
    extents = [int(row[key]) for key in ("nx", "ny", "nz")]
    if len(set(extents)) == 1:
        return f"{extents[0]}³"
    return " x ".join(str(n) for n in extents if n > 1)


def deck(pick):
    """The deck's path."""
    return lambda rows, values: (f"`{deck_of(rows[pick])}`", None) if rows.get(pick) else NOTHING


def file(pick):
    """The result file's path."""
    return lambda rows, values: (f"`results/{rows[pick]['file']}`", None) if rows.get(pick) else NOTHING


def date(pick):
    """The day of the run."""
    return lambda rows, values: (rows[pick]["header"]["date"][:10], None) if rows.get(pick) else NOTHING


def grid(pick):
    """Extents of the case."""
    return lambda rows, values: (grid_of(rows[pick]), None) if rows.get(pick) else NOTHING

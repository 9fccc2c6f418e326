# SPDX-License-Identifier: Apache-2.0
"""tools/docs_tables.py and docs_pictures.py: pass on the tree, and fail on a copy of it where a
table, a result or a picture is changed. Arguments: the repository's root and the program."""

import json
import re
import shutil
import sys
from pathlib import Path

ROOT, TESSERA = Path(sys.argv[1]), sys.argv[2]
sys.path[:0] = [str(ROOT / "tests" / "fixtures"), str(ROOT / "tools")]
from checks import check, run_tests  # noqa: E402
from tool_calls import call  # noqa: E402


def run(tool, *arguments):
    return call(ROOT / "tools" / tool, *map(str, arguments))


def tree(folder):
    """The parts of the tree that tables are made of and written into."""
    for part in ("docs/performance", "docs/images", "results", "inputs/published",
                 "inputs/machines"):
        shutil.copytree(ROOT / part, folder / part)
    (folder / "README.md").write_text("<!-- table: glance -->\n<!-- end table -->\n", "utf-8")
    return folder


def changed(copy, tool, name, old, new, *words):
    """Where a text of a file is another, --check fails with one line that holds the words; the file
    is put back."""
    path = copy / name
    whole = path.read_bytes()
    check(old.encode() in whole, f"{name} holds {old!r}")
    path.write_bytes(whole.replace(old.encode(), new.encode(), 1))
    result = run(tool, "--check", "--root", copy)
    lines = result.stderr.splitlines()
    check(result.returncode == 1 and len(lines) == 1 and all(word in lines[0] for word in words),
          f"{name}, {old!r}: status {result.returncode}, {result.stderr.strip()!r}")
    path.write_bytes(whole)


def test_tree(_folder):
    for tool in (("docs_tables.py", "--tessera", TESSERA), ("docs_pictures.py",)):
        here = run(*tool, "--check")
        check(here.returncode == 0 and not here.stderr, f"{tool[0]}: {here.stderr.strip()}")
    defined = set(run("docs_tables.py", "--list").stdout.split())
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "variants").rglob("*.md"), ROOT / "README.md"]
    used = set(re.findall(r"<!-- table: (\S+) -->", "".join(p.read_text("utf-8") for p in pages)))
    check(defined == used, f"tables that no page shows, or none is: {defined ^ used}")


def test_changes(folder):
    """A file of each kind that tables and pictures read; and pages."""
    copy = tree(folder)
    check(run("docs_tables.py", "--root", copy).returncode == 0, "tables are written")
    check(run("docs_tables.py", "--check", "--root", copy).returncode == 0, "and are right")
    low_order = (copy / "docs/performance/low_order.md").read_text("utf-8")
    check(low_order == (ROOT / "docs/performance/low_order.md").read_text("utf-8"), "unchanged")
    row = next(line for line in low_order.splitlines() if line.startswith("| 7pt-1 "))
    for tool, *change in (
            ("docs_tables.py", "docs/performance/low_order.md", row, row[:-3] + "9 |",
             "low_order.md:", row[:-3]),
            ("docs_tables.py", "docs/performance/low_order.md", row + "\n", "", "low_order.md:"),
            ("docs_tables.py", "inputs/published/ebisu-h100.toml", "915", "916", "jacobi-devices.md"),
            ("docs_tables.py", "results/nvidia-h100/ebisu-sizes.csv", "1073.46", "1173.46",
             "jacobi-devices.md"),
            ("docs_tables.py", "inputs/published/fang.toml", "value = 1.41", "value = 1.42", "ete.md"),
            ("docs_tables.py", "docs/performance/ete.md", "table: ete-models", "table: none-such",
             "none-such"),
            ("docs_tables.py", "docs/performance/ete.md", "<!-- end table -->", "", "ete.md"),
            ("docs_pictures.py", "inputs/published/sai-table4.toml", "533,", "534,",
             "sai-figure3.svg")):
        changed(copy, tool, *change)
    path = copy / "results/nvidia-h100/low-order-gpu.json"
    content = json.loads(path.read_text("utf-8"))
    for row in content["results"]:
        if row["variant"] == "low_order/baseline" and row["gcell_per_s"]:
            row["gcell_per_s"] = {key: 0.9 * rate for key, rate in row["gcell_per_s"].items()}
    path.write_text(json.dumps(content), "utf-8")
    for tool, word in (("docs_tables.py", "README.md"), ("docs_pictures.py", "headline.svg")):
        stale = run(tool, "--check", "--root", copy)
        check(stale.returncode == 1 and word in stale.stderr, f"other rates: {stale.stderr}")
    (copy / "results/nvidia-h100/ebisu-sizes.csv").unlink()
    gone = run("docs_tables.py", "--check", "--root", copy,
               copy / "docs/performance/jacobi-devices.md")
    check(gone.returncode == 1 and "ebisu-sizes.csv" in gone.stderr, f"a missing file: {gone.stderr}")


def test_drawing(folder):
    """A picture that is drawn again has the same bytes."""
    copy = tree(folder)
    for name in ("headline", "ebisu-ladder"):
        image = copy / "docs" / "images" / f"{name}.svg"
        before = image.read_bytes()
        check(b"tessera-picture: " + name.encode() in before and len(before) < 150000, f"{name}: mark")
        check(run("docs_pictures.py", "--root", copy, name).returncode == 0, f"{name} is drawn")
        first = image.read_bytes()
        run("docs_pictures.py", "--root", copy, name)
        check(image.read_bytes() == first, f"{name} drawn twice has the same bytes")
    unknown = run("docs_pictures.py", "--root", copy, "su-figure9")
    check(unknown.returncode == 1 and "su-figure9" in unknown.stderr, "no such figure")


def test_means(_folder):
    """A cell of values by hand: a share, a ratio, a missing value and what stands for it."""
    from tessera_tools.doc_tables.cells import It, Nothing, make
    row = It({"gcell_per_s": {"median": 12.0}, "fraction_of_copy": 0.5, "nothing": None})
    names = {"a": row, "b": It({"gcell_per_s": {"median": 8.0}}), "none": Nothing(), "v": "x"}
    for cell, expected in (("{100*a.fraction_of_copy:.0f} %", ("50 %", 50.0)),
                           ("{a/b:.2f}", ("1.50", 1.5)), ("{rate(a)}", ("12.0", None)),
                           ("{a.nothing:.1f}", ("", None)), ("{none.x:.1f} // {v}", ("x", None)),
                           ("{a/none:.1f}", ("", None))):
        check(make(cell, names, None) == expected, f"{cell}: {make(cell, names, None)}")


run_tests(test_tree, test_changes, test_drawing, test_means)

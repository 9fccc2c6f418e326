# SPDX-License-Identifier: Apache-2.0
"""tools/docs_tables.py: the tree is as it is generated, and a copy where a page, a result or the
picture is another is not."""

import json
import re
import shutil

from common import ROOT, TESSERA, call, check, equal, preload, run_tests

preload("jsonschema", "pandas", "matplotlib.pyplot")


def run(*arguments):
    """As in a process of its own: it reads each file once."""
    from tessera_tools.doc_tables import table
    table.stored.cache_clear()
    table.rows_of.cache_clear()
    return call(ROOT / "tools/docs_tables.py", *arguments)


def tree(folder):
    """The parts of the tree that pages are made of: those that are changed copied, others linked."""
    for name in ("README.md", "docs/performance/low_order.md", "docs/images/headline.svg",
                 *(path.relative_to(ROOT) for path in (ROOT / "variants").glob("*/README.md"))):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    (folder / "results").mkdir()
    for path in (ROOT / "results").iterdir():
        if path.name != "nvidia-h100":
            (folder / "results" / path.name).symlink_to(path)
    shutil.copytree(ROOT / "results/nvidia-h100", folder / "results/nvidia-h100")
    (folder / "inputs").symlink_to(ROOT / "inputs")
    return folder


def test_tree(_folder):
    from tessera_tools.doc_tables.table import definitions
    here = run("--check", "--tessera", TESSERA)
    check(here.returncode == 0 and not here.stderr, f"docs_tables.py --check: {here.stderr.strip()}")
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "variants").rglob("*.md"), ROOT / "README.md"]
    used = set(re.findall(r"<!-- table: (\S+) -->", "".join(p.read_text("utf-8") for p in pages)))
    equal(set(definitions()), used, "tables that no page shows, or none is")


def test_changes(folder):
    """Where a file is another, --check fails with one line that names the page."""
    copy = tree(folder)
    low_order = copy / "docs/performance/low_order.md"

    def stale(word, pages=(), program=()):
        done = run("--check", "--root", copy, *pages, *program)
        lines = done.stderr.splitlines()
        check(done.returncode == 1 and len(lines) == 1 and word in lines[0],
              f"{word}: status {done.returncode}, {done.stderr.strip()!r}")

    def changed(name, old, new, word, program=()):
        path = copy / name
        whole = path.read_text("utf-8")
        check(old in whole, f"{name} holds {old!r}")
        path.write_text(whole.replace(old, new, 1), "utf-8")
        stale(word, [path], program)
        path.write_text(whole, "utf-8")

    row = next(line for line in low_order.read_text("utf-8").splitlines() if "| 7pt-1 |" in line)
    for old, new, word in ((row, row[:-3] + "9 |", row[:-3]), (row + "\n", "", "low_order.md:"),
                           ("table: low-order", "table: none-such", "none-such"),
                           ("<!-- end table -->", "", "low_order.md")):
        changed("docs/performance/low_order.md", old, new, word)
    for name, old, new, word in (
            ("README.md", " variants. It", "0 variants. It", "README.md"),
            ("variants/acoustic/README.md", "<!-- end -->", "x\n<!-- end -->", "acoustic/README.md:"),
            ("variants/jacobi/README.md", "<!-- end -->", "", "variants/jacobi/README.md")):
        changed(name, old, new, word, ("--tessera", TESSERA))
    path = copy / "results/nvidia-h100/low-order-gpu.json"
    content = json.loads(path.read_text("utf-8"))
    for record in content["results"]:
        if record["variant"] == "low_order/baseline" and record["gcell_per_s"]:
            record["gcell_per_s"] = {key: 0.9 * rate for key, rate in record["gcell_per_s"].items()}
    path.write_text(json.dumps(content), "utf-8")
    stale("README.md")
    done = run("--root", copy)
    check(done.returncode == 0 and "headline.svg" in done.stdout, f"written: {done.stderr}")
    first = (copy / "docs/images/headline.svg").read_bytes()
    equal((run("--check", "--root", copy).returncode, len(first) < 150000), (0, True), "and right")
    (copy / "docs/images/headline.svg").write_text("none", "utf-8")
    stale("headline.svg")
    run("--root", copy)
    equal((copy / "docs/images/headline.svg").read_bytes(), first, "drawn twice")
    path.unlink()
    stale("low-order-gpu.json", [low_order])


def test_cells(_folder):
    """A cell of values by hand: a share, a ratio, a missing value and what stands for it."""
    from tessera_tools.doc_tables.cells import It, Nothing, make
    row = It({"gcell_per_s": {"median": 12.0}, "fraction_of_copy": 0.5, "nothing": None})
    names = {"a": row, "b": It({"gcell_per_s": {"median": 8.0}}), "none": Nothing(), "v": "x"}
    for cell, expected in (("{100*a.fraction_of_copy:.0f} %", ("50 %", 50.0)),
                           ("{a/b:.2f}", ("1.50", 1.5)), ("{rate(a)}", ("12.0", None)),
                           ("{a.nothing:.1f}", ("", None)), ("{none.x:.1f} // {v}", ("x", None)),
                           ("{a/none:.1f}", ("", None))):
        equal(make(cell, names), expected, cell)


run_tests(test_tree, test_changes, test_cells)

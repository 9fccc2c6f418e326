# SPDX-License-Identifier: Apache-2.0
"""ci/figures.py: finds nothing off in the tree, and a planted figure on a page, a changed file, a sentence."""

import json
import re
import shutil
import sys
from pathlib import Path

from common import ROOT, call, check, equal, preload, run_tests

# isort: split
sys.path[:0] = [str(ROOT / "ci"), str(ROOT / "ci/figures")]
import rows  # noqa: E402

preload("jsonschema")
PAGE, FILE = "docs/performance/storage.md", "results/nvidia-h100/storage/inner-half.json"


def run(*arguments):
    """As in a process of its own: it reads each file once."""
    from tessera_tools.doc_tables import table
    for cached in (table.stored, table.rows_of, rows.rows_of):
        cached.cache_clear()
    return call(ROOT / "ci/figures.py", *arguments)


def test_tree(_folder):
    done = run()
    check(done.returncode == 0 and done.stdout.strip().endswith(" 0 off"), f"{done.stdout} {done.stderr}")


def test_planted(folder):
    """One page and its files: right, then with a figure, a line or a file that is another."""
    (folder / PAGE).parent.mkdir(parents=True)
    for machine in ("host", "nvidia-h100", "nvidia-h200"):
        shutil.copytree(ROOT / "results" / machine / "storage", folder / "results" / machine / "storage")
    for part in ("nvidia-h200/two-step", "predicted"):
        shutil.copytree(ROOT / "results" / part, folder / "results" / part)
    text = (ROOT / PAGE).read_text("utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| H100 | `half` |"))

    def off(page):
        (folder / PAGE).write_text(page, "utf-8")
        done = run("--root", folder)
        return done.returncode, [line for line in done.stdout.splitlines() if line.startswith(PAGE)]

    equal(off(text), (0, []), "as it is")
    for old, new, word in (("324.4", "324.5", "324.4"), (row + "\n", "", "half"), ("figures: storage", "figures: none", "none")):
        status, lines = off(text.replace(old, new, 1))
        check(status == 1 and word in "".join(lines), f"{old} for {new}: {lines}")
    below = "The bound is the copy bandwidth over the bytes."
    status, lines = off(text.replace(below, f"From `results/nvidia-h100/none.json`.\n\n{below}", 1))
    check(status == 1 and "none.json" in "".join(lines), f"a caption of another file: {lines}")
    content = json.loads((folder / FILE).read_text("utf-8"))
    few = {**content, "results": [{**row, "samples_s": row["samples_s"][:3]} for row in content["results"]]}
    (folder / FILE).write_text(json.dumps(few), "utf-8")
    status, lines = off(text)
    check(status == 1 and len(lines) > 1 and all("three samples" in line for line in lines), f"few samples: {lines}")
    for key in content["results"][0]["gcell_per_s"]:
        content["results"][0]["gcell_per_s"][key] *= 1.01
    content["results"][0]["fraction_of_copy"] *= 1.1
    (folder / FILE).write_text(json.dumps(content), "utf-8")
    status, lines = off(text)
    check(status == 1 and len(lines) == 4 and "327.6" in lines[0] and "storage-aims" in lines[1]
          and "storage-predicted" in lines[2] and "in half" in lines[3], f"another file: {lines}")
    (folder / Path(FILE).parent / "inner-vp-field.json").unlink()
    status, lines = off(text)
    check(status == 1 and sum("inner-vp-field.json" in line for line in lines) == 2, f"no file: {lines}")


def test_authors(_folder):
    """EBISU's nine figures are the best of the raw output beside them."""
    from tessera_tools import published
    raw = (ROOT / "results/nvidia-h100/ebisu/authors.txt").read_text("utf-8")
    best = {}
    for name, rate in re.findall(r"^ebisu (\S+) .*?: ([\d.]+) GCells", raw, re.MULTILINE):
        best[f"jacobi/{rows.AUTHORS[name]}"] = max(best.get(f"jacobi/{rows.AUTHORS[name]}", 0), round(float(rate)))
    table = published.read(ROOT / "inputs/published/ebisu-h100.toml")
    equal({row["stencil"]: row["values"][0] for row in table.rows}, best, "authors' program")


run_tests(test_tree, test_planted, test_authors)

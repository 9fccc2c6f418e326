# SPDX-License-Identifier: Apache-2.0
"""tools/docs_tables.py, docs_pictures.py and plot_headline.py: pass on the tree, and fail on a copy
of it where a table, a result or a picture is changed."""

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, finish  # noqa: E402
from tool_calls import call  # noqa: E402
PAGES = ROOT / "docs" / "performance"


def run(tool, *arguments):
    return call(ROOT / "tools" / tool, *map(str, arguments))


def tree(folder):
    """The parts of the tree that tables are made of and written into."""
    copy = Path(folder) / "tree"
    for part in ("docs/performance", "docs/images", "results", "inputs/published",
                 "inputs/machines"):
        shutil.copytree(ROOT / part, copy / part)
    (copy / "README.md").write_text("# Tessera\n", "utf-8")
    return copy


def refused(copy, words, text):
    """The check fails with one line that holds all of the words."""
    result = run("docs_tables.py", "--check", "--root", copy)
    lines = result.stderr.splitlines()
    held = len(lines) == 1 and all(word in lines[0] for word in words)
    check(result.returncode == 1 and held and not result.stdout,
          f"{text}: exit status {result.returncode}, {result.stderr.strip()!r}")


def change(path, old, new, count=1):
    """Replaces a text that must be there."""
    text = path.read_text("utf-8")
    check(old in text, f"{path.name} holds {old!r}")
    path.write_text(text.replace(old, new, count), "utf-8")


def change_rates(path, variant, factor):
    """Multiplies the rates of a variant in a result file."""
    content = json.loads(path.read_text("utf-8"))
    changed = [row for row in content["results"]
               if row["variant"] == variant and row["gcell_per_s"]]
    check(changed, f"{path.name} has rates of {variant}")
    for row in changed:
        row["gcell_per_s"] = {key: factor * rate for key, rate in row["gcell_per_s"].items()}
    path.write_text(json.dumps(content), "utf-8")


def first_cell_line(page, table):
    """(line number, text) of the first line of figures of a table."""
    lines = page.read_text("utf-8").splitlines()
    begin = lines.index(f"<!-- table: {table} -->")
    rule = next(i for i in range(begin, len(lines)) if lines[i].startswith("| ---"))
    return rule + 2, lines[rule + 1]


def tables_of_the_tree():
    here = run("docs_tables.py", "--check")
    check(here.returncode == 0 and not here.stderr, f"the tree's tables: {here.stderr.strip()}")
    picture = run("plot_headline.py", "--check")
    check(picture.returncode == 0, f"the tree's picture: {picture.stderr.strip()}")
    figures = run("docs_pictures.py", "--check")
    check(figures.returncode == 0, f"the papers' figures: {figures.stderr.strip()}")
    defined = set(run("docs_tables.py", "--list").stdout.split())
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    used = set(re.findall(r"<!-- table: (\S+) -->", "".join(p.read_text("utf-8") for p in pages)))
    check(defined - used <= {"glance"}, f"tables that no page shows: {defined - used}")


def changed_table():
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        check(run("docs_tables.py", "--check", "--root", copy).returncode == 0, "the copy passes")
        page = copy / "docs" / "performance" / "low_order.md"
        number, line = first_cell_line(page, "low-order-h100")
        change(page, line, re.sub(r"\d\.\d \|", "9.9 |", line, count=1))
        refused(copy, [f"low_order.md:{number}", "low-order-h100"], "a number in a table")
        check(run("docs_tables.py", "--root", copy).returncode == 0, "tables are written")
        check(page.read_text("utf-8") == (PAGES / "low_order.md").read_text("utf-8"),
              "writing brings the page back")
        change(page, line + "\n", "")
        refused(copy, ["low_order.md", "low-order-h100"], "a line missing from a table")


def changed_results():
    """One file of each kind that tables read."""
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        results = copy / "results"
        change_rates(results / "nvidia-h100" / "jacobi-3d-gpu.json", "jacobi/warps", 1.1)
        refused(copy, ["jacobi-devices.md", "jacobi-h100"], "a rate in a JSON file")
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        change(copy / "inputs" / "published" / "ebisu-h100.toml", "915", "916")
        refused(copy, ["jacobi-devices.md", "jacobi-h100"], "a rate in a published table")
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        change(copy / "results" / "nvidia-h100" / "ebisu-sizes.csv", "1073.46", "1173.46", 2)
        refused(copy, ["jacobi-devices.md", "jacobi-sizes"], "a figure in a CSV file")
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        change(copy / "inputs" / "published" / "fang.toml", "value = 1.41", "value = 1.42")
        refused(copy, ["ete.md", "ete-paper-gpus"], "a published figure")
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        (copy / "results" / "nvidia-h100" / "ebisu-sizes.csv").unlink()
        refused(copy, ["ebisu-sizes.csv"], "a result file that is gone")


def changed_picture():
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        check(run("plot_headline.py", "--check", "--root", copy).returncode == 0, "its picture")
        change_rates(copy / "results" / "nvidia-h100" / "low-order-gpu.json",
                     "low_order/baseline", 0.9)
        stale = run("plot_headline.py", "--check", "--root", copy)
        check(stale.returncode == 1 and "headline.svg" in stale.stderr, "a picture of old results")
        drawn = run("plot_headline.py", "--root", copy)
        check(drawn.returncode == 0, f"the picture is drawn: {drawn.stderr.strip()}")
        check(run("plot_headline.py", "--check", "--root", copy).returncode == 0, "drawn anew")
        size = (copy / "docs" / "images" / "headline.svg").stat().st_size
        check(0 < size < 150000, f"its size: {size}")


def changed_figures():
    """The papers' figures: stale where their data changed, the same bytes when drawn again."""
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        image = copy / "docs" / "images" / "su-figure3.svg"
        first = image.read_bytes()
        check(run("docs_pictures.py", "--root", copy, "su-figure3").returncode == 0, "a figure")
        drawn = image.read_bytes()
        check(run("docs_pictures.py", "--root", copy, "su-figure3").returncode == 0, "again")
        check(image.read_bytes() == drawn, "a figure drawn twice has the same bytes")
        check(b"tessera-picture: su-figure3" in first, "the tree's has a mark")
        change(copy / "results" / "nvidia-h100" / "traffic-model" / "volumes.csv",
               '"low_order/zblock:32x1,chunk=1",', '"low_order/zblock:32x1,chunk=1",9')
        stale = run("docs_pictures.py", "--check", "--root", copy)
        check(stale.returncode == 1 and "su-figure3.svg" in stale.stderr,
              f"a figure of old data: {stale.stderr}")
        change(copy / "inputs" / "published" / "sai-table4.toml", "533,", "534,", 1)
        stale = run("docs_pictures.py", "--check", "--root", copy, "sai-figure3")
        check(stale.returncode == 1 and "sai-figure3.svg" in stale.stderr,
              f"a published figure: {stale.stderr}")
        unknown = run("docs_pictures.py", "--root", copy, "su-figure9")
        check(unknown.returncode == 1 and "su-figure9" in unknown.stderr, "no such figure")


def wrong_pages():
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        for text, words in (
            ("<!-- table: none-such -->\n<!-- end table -->\n", ["none-such"]),
            ("<!-- table: machines -->\n", ["no end"]),
            ("<!-- table: machines -->\n<!-- table: glance -->\n", ["has not ended"]),
            ("<!-- table: machines -->\n<!-- end table -->\n<!-- end table -->\n", ["no table"]),
        ):
            (copy / "docs" / "performance" / "A.md").write_text(text, "utf-8")
            refused(copy, ["A.md", *words], f"a page with {text!r}")


def readme_table():
    """The README's table, wherever it stands: each family, each share by its bound's name."""
    with tempfile.TemporaryDirectory() as folder:
        copy = tree(folder)
        page = copy / "README.md"
        page.write_text("<!-- table: glance -->\n<!-- end table -->\n", "utf-8")
        check(run("docs_tables.py", "--root", copy).returncode == 0, "the glance is written")
        lines = [line for line in page.read_text("utf-8").splitlines() if "`results/" in line]
        for family in ("acoustic", "directional", "low_order", "ete", "jacobi"):
            check(any(f"`{family}/" in line for line in lines), f"{family} at a glance")
        check(all(" % of " in line for line in lines), "shares name their bound")
        check(all((ROOT / name).exists() for line in lines
                  for name in re.findall(r"`(results/\S+\.json)`", line)), "its files are there")
        check(not any("ebisu:" in line for line in lines), "present names")


tables_of_the_tree()
changed_table()
changed_results()
changed_picture()
changed_figures()
wrong_pages()
readme_table()
finish()

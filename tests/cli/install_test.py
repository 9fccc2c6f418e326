# SPDX-License-Identifier: Apache-2.0
"""cmake --install: what lies where, that program and tools find their data from any directory, also
after the installed tree was moved, and that links of installed pages lead to installed files.
$TESSERA_CMAKE: the cmake to use."""

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from trust_common import ROOT, TESSERA, check, finish

BUILD = Path(TESSERA).parent


def run(folder, *command):
    """Runs a command in a folder, without a variable that would lead to data."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("TESSERA_DATA", None)
    return subprocess.run([str(word) for word in command], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False)


def works(part, folder, *command):
    """The command succeeds and prints `part`."""
    result = run(folder, *command)
    check(result.returncode == 0 and part in result.stdout,
          f"{' '.join(map(str, command))}: status {result.returncode}, {result.stderr.strip()}")
    return result.stdout


def install(folder):
    """An installed tree that is not where it was installed."""
    first, prefix = folder / "first", folder / "moved"
    result = run(folder, os.environ["TESSERA_CMAKE"], "--install", BUILD, "--prefix", first)
    if result.returncode != 0:
        sys.exit(f"FAILED: cmake --install: {result.stderr.strip()}")
    first.rename(prefix)
    return prefix


def test_layout(prefix):
    there = {path.name for path in prefix.iterdir()}
    check(there == {"bin", "share"}, f"nothing but the project's own is installed, not {there}")
    for path in ("bin/tessera", "share/doc/tessera/README.md", "share/doc/tessera/docs/build.md",
                 "share/doc/tessera/LICENSE",
                 "share/tessera/inputs/quick.toml", "share/tessera/inputs/machines/H100.json",
                 "share/tessera/inputs/published/sai-table3.toml"):
        check((prefix / path).is_file(), f"{path} is installed")
    check(not list(prefix.rglob("__pycache__")), "no __pycache__ is installed")


def check_links(docs):
    """Status and words of the docs' own check of links, on installed pages."""
    return run(docs, sys.executable, ROOT / "tests/docs/docs_test.py", docs, BUILD / "tessera",
               "links")


def test_pages(prefix):
    """Every link of every page leads to an installed file, and one that does not is found."""
    docs = prefix / "share/doc/tessera"
    folders = ("docs", "inputs", "packaging", "results", "variants")
    checked = {*docs.glob("*.md")}.union(*((docs / folder).rglob("*.md") for folder in folders))
    check(set(prefix.rglob("*.md")) == checked, f"pages whose links nobody checks: "
          f"{set(prefix.rglob('*.md')) - checked}")
    for page in [*ROOT.glob("inputs/**/*.md"), *ROOT.glob("results/**/*.md")]:
        check((docs / page.relative_to(ROOT)).is_file(), f"{page.relative_to(ROOT)} is installed")
    whole = check_links(docs)
    check(whole.returncode == 0, f"links: {whole.stdout}{whole.stderr}")
    for gone, page in (("variants/acoustic/gmem.cpp", "docs/course.md"),
                       ("inputs/machines/README.md", "README.md")):
        (docs / gone).rename(docs / "away")
        check(f"there is no {gone}" in check_links(docs).stdout, f"{page} without {gone}")
        (docs / "away").rename(docs / gone)


def test_program(prefix, elsewhere):
    tessera = prefix / "bin/tessera"
    inputs = prefix / "share/tessera/inputs"
    works("acoustic/", elsewhere, tessera, "predict", "inputs/quick.toml", "--machine", "H100")
    works("plan: ", elsewhere, tessera, "plan", "j2d5pt", "-m", "A100")
    works("V100", elsewhere, tessera, "list", "--resources", "--deck", "sai-table3.toml",
          "acoustic/gmem:8x8x8")
    # A relative path of a deck, to a table that is installed beside inputs/.
    works("ran for a profiler", elsewhere, tessera, "run", "su-zblock.toml", "--profile", "-v",
          "low_order/baseline:32x4*", *(word for axis in ("nx", "ny", "nz")
                                        for word in ("--set", f"case.{axis}=32")))
    # Its own data, not that of the source tree.
    (inputs / "machines/H100.json").rename(inputs / "machines/own.json")
    (inputs / "quick.toml").rename(inputs / "own.toml")
    works("acoustic/", elsewhere, tessera, "predict", "own.toml", "--machine", "own")
    refused = run(elsewhere, tessera, "predict", "own.toml", "--machine", "nothing")
    check(refused.returncode == 1 and str(prefix / "share/tessera") in refused.stderr,
          f"the installed folder is among the places: {refused.stderr}")


def test_tools(prefix, elsewhere):
    tools = sorted((prefix / "share/tessera/tools").glob("*.py"))
    check(len(tools) > 5, f"tools are installed: {[tool.name for tool in tools]}")
    check(all(os.access(tool, os.X_OK) for tool in tools), "tools can be run")
    works("usage: ", elsewhere, sys.executable, prefix / "share/tessera/tools/report.py", "--help")
    # No module lies there that nothing reads, but for those that notebooks import.
    modules = {path.stem: path for path in sorted((prefix / "share/tessera/tools").rglob("*.py"))
               if path.parent.name != "tools" and path.stem != "__init__"}
    read = set()
    for path in (prefix / "share/tessera/tools").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                read |= {(node.module or "").split(".")[-1], *(name.name for name in node.names)}
    notebooks = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    unread = [name for name in modules if name not in read and f"tessera_tools.{name}" not in notebooks
              and f"import {name}" not in notebooks]
    check(not unread, f"modules that no installed program imports: {unread}")
    # Those that run the program find the one they were installed with.
    find = "from tessera_tools.program import find_tessera; print(find_tessera(None))"
    works(str(prefix / "bin/tessera"), prefix / "share/tessera/tools", sys.executable, "-c", find)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        prefix, elsewhere = install(folder), folder / "elsewhere"
        elsewhere.mkdir()
        test_layout(prefix)
        test_pages(prefix)
        test_tools(prefix, elsewhere)
        test_program(prefix, elsewhere)
        check(not list(elsewhere.iterdir()), "nothing is written where a command runs")
    finish()


if __name__ == "__main__":
    main()

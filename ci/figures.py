#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recompute the figures of tables in README.md, docs/performance/*.md and a few other pages from their files.

    ci/figures.py [--root DIR] [--list]

Tables between `<!-- table: NAME -->` marks are generated (tools/docs_tables.py) and made again here. One of a
finished trial stands as text below `<!-- figures: NAME -->`: ci/figures/*.toml define it in the form of
tools/tessera_tools/doc_tables/table.py, with more keys. `each`: a pick whose every row makes a line, called `row`
(`order = "fastest"`; `first`: the first of each value of a key); `skip = "any"`: lines that lack a row are left out.
A cell `*` is not checked. `[[sentence]]` of sentences.toml: what a page must say, with picks of its own.
Where a row that a table or a sentence draws on has fewer than five samples, the page says so beside it ("one sample").
A caption `From ...` names no result file but those of the table's rows. Pages of the course, docs/model.md's tables by hand and
docs/surprises.md are not looked at.

Ends with how many figures are recomputed, of how many in tables, those of trials under "what did not help" apart; the
exit status is 1 where one is off.
--list names the tables that no definition covers.
"""

import argparse
import fnmatch
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tools"), str(HERE / "figures")]
import rows  # noqa: E402
from tessera_tools.doc_tables import table as generated  # noqa: E402
from tessera_tools.errors import ToolError  # noqa: E402

MARK = re.compile(r"<!-- (table|figures): (\S+) -->")
ENOUGH = 5  # samples of a row
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def definitions():
    """The checked tables by name, and the sentences."""
    found, sentences = {}, []
    for path in sorted((HERE / "figures").glob("*.toml")):
        content = tomllib.loads(path.read_text("utf-8"))
        sentences += content.pop("sentence", [])
        found |= content

    def whole(spec):
        base = whole(found[spec["like"]]) if "like" in spec else {}
        return {**base, **spec, "with": {**base.get("with", {}), **spec.get("with", {})}}

    return {name: whole(spec) for name, spec in found.items()}, sentences


def cells_of(line):
    """The cells of a table's line."""
    return [cell.strip() for cell in line.strip().strip("|").split(" |")]


def tables_of(page):
    """(line number, mark before it or None, lines) of each table of a page."""
    found, mark, fenced, lines = [], None, False, page.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith("```")
        if match := MARK.match(line):
            mark = match.groups()
        elif line.startswith("|") and not fenced:
            if not lines[number - 2].startswith("|"):
                found.append((number, mark, []))
                mark = None
            found[-1][2].append(line)
        elif line and not line.startswith("<!--"):
            mark = None
    return found


def count(lines):
    """Numbers in the body of a table, but for names of configurations and first columns."""
    return sum(len(NUMBER.findall(re.sub(r"`[^`]*`", "", cell)))
               for line in lines[2:] for cell in cells_of(line)[1:])


def blank(line, made):
    """A line without the cells that are not checked."""
    return " | ".join("" if there == "*" else here for here, there in zip(cells_of(line), cells_of(made)))


def made_by(kind, name, root, checked):
    """What a table's lines should be: head, rule and body."""
    if kind == "table":
        tables = generated.definitions()
        if name not in tables:
            raise ToolError(f"no table is called {name}")
        return [line for line in generated.render(tables[name], root) if line.startswith("|")]
    if name not in checked:
        raise ToolError(f"ci/figures defines no {name}")
    return rows.render(name, checked[name], root)


def differences(held, made):
    """(line, what is there, what the files say) where they are not the same."""
    for at in range(max(len(held), len(made))):
        here, there = (cells_of(lines[at]) if at < len(lines) else ["nothing"] for lines in (held, made))
        for i in range(max(len(here), len(there))):
            cells = [row[i] if i < len(row) else "nothing" for row in (here, there)]
            if at != 1 and cells[1] not in (cells[0], "*"):
                yield (at, *cells)


def few_samples(page, what, drawn):
    """What a page should say, and does not, beside a table or a sentence that draws on rows of few samples."""
    fewest = min((len(row["samples_s"]) for row in drawn if "samples_s" in row), default=ENOUGH)
    if fewest >= ENOUGH:
        return None
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n|<!--.*?-->", page.read_text("utf-8"))]
    parts = [part for part in parts if part]
    at = next((i for i, part in enumerate(parts) if " ".join(what.split()) in part), 0)
    word = ("no", "one", "two", "three", "four")[fewest]
    said = any("sample" in part and re.search(rf"\b({word}|{fewest})\b", part)
               for part in re.split(r"[.;|] ", " ".join(parts[max(at - 1, 0):at + 2])))
    return None if said else f"that a row has {word} sample{'s' * (fewest > 1)}"


def misnamed(page, what, drawn):
    """Result files that the caption below a table names (`From ...`), of which nothing in it is."""
    below = page.read_text("utf-8").split(what, 1)[-1].lstrip().split("\n\n", 1)[0]
    named = re.findall(r"`results/([^`]+\.json)`", below) if below.startswith("From ") else []
    files = {row["file"] for row in drawn if "file" in row}
    return [name for name in named if files and not fnmatch.filter(files, name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=HERE.parent)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    root, off, covered, total, tried = arguments.root.resolve(), 0, 0, 0, 0
    checked, sentences = definitions()
    pages = [root / "README.md", *sorted((root / "docs/performance").glob("*.md")),
             root / "docs/kokkos.md", root / "docs/scaling.md", root / "docs/studies.md", root / "variants/jacobi/README.md"]
    for page in filter(Path.exists, pages):
        shown = page.relative_to(root)
        for number, mark, lines in tables_of(page):
            if lines[0].startswith("| idea |"):  # what did not help: trials, as the page says
                tried += count(lines)
                continue
            total += count(lines) * (bool(mark) or page in pages[:-3])
            if not mark:
                if arguments.list and page in pages[:-3] and count(lines):
                    print(f"{shown}:{number}: {count(lines)} figures of no definition: {lines[0][:80]}")
                continue
            try:
                made = made_by(*mark, root, checked)
                drawn = rows.drawn(checked[mark[1]], root) if mark[0] == "figures" else []
                few = few_samples(page, "\n".join(lines), drawn)
                for name in misnamed(page, "\n".join(lines), drawn):
                    print(f"{shown}:{number}: {mark[1]}: results/{name} below it is no file of its rows")
                    off += 1
                covered += count([line if not at or "*" not in cells_of(made[at]) else blank(line, made[at])
                                  for at, line in enumerate(lines[:len(made)])])
            except ToolError as error:
                print(f"{shown}:{number}: {mark[1]}: {error}")
                off += 1
                continue
            if few:
                print(f"{shown}:{number}: {mark[1]}: expected near it {few}")
                off += 1
            for at, here, there in differences(lines, made):
                print(f"{shown}:{number + at}: {mark[1]}: has `{here}`, its file says `{there}`")
                off += 1
    for entry in sentences:
        page = root / entry["page"]
        if not page.exists():
            continue
        few = None
        try:
            said = rows.sentence(entry, root)
            few = few_samples(page, said, rows.drawn(entry, root))
        except ToolError as error:
            said = f"{entry['says']}: {error}"
        if said not in " ".join(page.read_text("utf-8").split()):
            few = f"`{said}`"
        if few:
            print(f"{entry['page']}: expected {few}")
            off += 1
    print(f"{covered} of {total} figures in tables recomputed, {tried} more are of trials, {len(sentences)} sentences, "
          f"{off} off")
    return off != 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""tools/tessera_tools: result files read, refused and selected from; names of older files."""

import json
import tempfile
from functools import partial
from pathlib import Path

from common import ROOT, check, equal, finish, made, raises, write

from tessera_tools import results
from tessera_tools.errors import ToolError
from tessera_tools.files import read_json

refused = partial(raises, ToolError)


def row(variant, configuration, rate=None, **more):
    """A row of j2d5pt; unsupported without a rate."""
    return made.row(f"{variant}:{configuration}", rate, **{
        "stencil": "jacobi/j2d5pt", "precision": "double", "ny": 50, "nz": 1, "steps": 8,
        "temporal_depth": 4, "samples_s": [2.0, 1.0, 3.0] if rate else [], "iqr_s": 0.5, **more})


def content(rows, kind="gpu", date="2026-11-24T10:00:00Z", **more):
    return made.content(rows, machine={"kind": kind}, build={"git_dirty": True}, date=date, **more)


def test_reader(folder):
    rows = [
        row("jacobi/step", "default", 5.0, temporal_depth=1, flop_per_byte=1.0,
            fraction_of_copy=0.8, fraction_of_roofline=0.7),
        row("jacobi/step", "other", 5.5, temporal_depth=1, flop_per_byte=5.0,
            fraction_of_copy=0.8, fraction_of_roofline=0.7),
        row("jacobi/ebisu", "t=4", 50.0, predicted={"fraction_of_attainable": 0.6}),
        row("jacobi/ebisu", "t=8"),
        row("jacobi/base", "t=4", 20.0, precision="float"),
    ]
    path = write(folder / "one.json", content(rows))
    file = results.read(path)
    equal((file.machine_name, file.device, file.kind, file.date, file.revision),
          ("made-up", "Made Up 1", "gpu", "2026-11-24", "0123456789+"), "what a file says")
    first, peak, fused, unsupported, _ = file.rows
    equal((first.name, first.point, first.rate, first.median_s, first.spread, first.cells),
          ("jacobi/step:default", "j2d5pt", 5.0, 2.0, 0.25, 5000), "what a row says")
    equal([(r.bound, r.share_of_bound) for r in (first, peak, fused)],
          [("memory", 0.7), ("peak", 0.7), ("attainable", 0.6)], "bounds")
    equal((unsupported.rate, unsupported.median_s, unsupported.share_of_bound),
          (None, None, None), "a row without a rate")
    equal(fused.number("predicted.fraction_of_attainable"), 0.6, "a figure by its path")
    refused(lambda: fused.number("counters.dram_bytes_per_cell"), "t=4 has no counters.dram",
            "a figure that is not there")

    def names(**patterns):
        return [r.configuration for r in results.select(file.rows, **patterns)]

    equal(names(family="jacobi", stencil="j2d5pt"), [r["configuration"] for r in rows], "family")
    equal(names(stencil="j3d*"), [], "another stencil")
    equal(names(variant="jacobi/ebisu"), ["t=4", "t=8"], "a variant")
    equal(names(variant="jacobi/ebisu", status="valid"), ["t=4"], "a status")
    equal(names(precision="float", decomposition=""), ["t=4"], "precision")
    equal(names(configuration="t=*", variant="jacobi/[!b]*"), ["t=4", "t=8"], "globs")
    equal(results.best(file.rows).configuration, "t=4", "the fastest")
    equal(results.best(file.rows, lambda r: r.value("fraction_of_copy")).configuration, "default",
          "the best of another figure")
    equal(results.best([unsupported]), None, "the fastest of none")


def test_folders(folder):
    mixed = folder / "mixed"
    (mixed / "run").mkdir(parents=True)
    write(mixed / "b.json", content([row("jacobi/step", "b", 2.0)]))
    write(mixed / "a.json", content([row("jacobi/step", "a", 1.0)]))
    write(mixed / "run/result.json", content([row("jacobi/step", "c", 1.0)]))
    write(mixed / "machine.json", {"schema": "tessera-machine-1"})
    files = results.read_all([mixed, mixed / "b.json"])
    equal([r.configuration for r in results.rows_of(files)], ["a", "b", "c"], "folder, its runs, and file")
    (folder / "empty").mkdir()
    refused(lambda: results.read_all([folder / "empty"]), "empty: no result file", "empty folder")
    write(mixed / "c.json", '{"schema": ')
    refused(lambda: results.read_all([mixed]), "c.json: cannot be read", "a broken file in it")


def test_bad_files(folder):
    path = folder / "bad.json"
    refused(lambda: results.read(folder / "none.json"), "none.json: No such file", "no file")
    refused(lambda: results.read(folder), "Is a directory", "a folder")
    whole = json.dumps(content([row("jacobi/step", "default", 5.0)]))
    for text in ("", whole[: len(whole) // 2], "[" * 100000, whole.replace("5.0", "NaN", 1)):
        write(path, text)
        refused(lambda: results.read(path), "bad.json: cannot be read as JSON", text[:20])
    path.write_bytes(b"\xff\xfe{}")
    refused(lambda: results.read(path), "bad.json: cannot be read as JSON", "not UTF-8")
    for what in (content([], schema="tessera-result-2"), content([], schema=["tessera-result-1"]), [], 3):
        write(path, json.dumps(what))
        refused(lambda: results.read(path), "tessera-result-1", f"{str(what)[:40]}")
    good = row("jacobi/step", "default", 5.0)
    without = {key: value for key, value in good.items() if key != "stencil"}
    # What the schema says, at the place where it is broken.
    for place, what in {
            "results: ": {"results": {}}, "streams.copy: ": {
                "streams": {**made.streams(1.0), "copy": "fast"}},
            "roofline.gb_per_s: 5e-324": {"roofline": {**content([])["roofline"], "gb_per_s": 5e-324}},
            "results[0]: 'stencil' is a required": {"results": [without]},
            "results[0].nx: 8.0 is not of type 'integer'": {"results": [{**good, "nx": 8.0}]}}.items():
        write(path, {**content([]), **what})
        refused(lambda: results.read(path), f"bad.json: {place}", place)


def test_stored():
    """Every result file of the tree: a line a row, figures as the rows have them."""
    folders = {path.parent for path in (ROOT / "results").rglob("*.json")
               if str(read_json(path).get("schema")).startswith("tessera-result-")}
    rows = results.rows_of(results.read_all(sorted(folders)))
    table = results.frame_of(rows)
    check(len(table) == len(rows) > 1000, f"{len(table)} lines of {len(rows)} rows")
    valid = table[table.status == "valid"]
    check((valid.gcell_per_s > 0).all() and table[table.status != "valid"].gcell_per_s.isna().all(), "rates")
    off = (valid.gcell_per_s * valid.step_s * 1e9 / (valid.nx * valid.ny * valid.nz) - 1).abs()
    check((off < 1e-2).all(), "the median rate is cells over the median time")
    check(set(table.model[table.family == "ete"]) >= {"random", "layered", "smooth"},
          "kinds of model, of files that lack them too")
    equal(valid[valid.variant == "acoustic/st_async"].gcell_per_s.max(),
          results.best(results.select(rows, variant="acoustic/st_async")).rate, "the best")
    renamed = {"jacobi/warps", "jacobi/skewed", "jacobi/partial_sums"}
    present = set(table.variant)
    check(renamed <= present and "jacobi/rst" not in present and
          "jacobi/ebisu" not in set(table.variant[table.date < "2026-11-26"]), f"names: {present}")
    gone = [name for name in present - renamed if not (ROOT / f"variants/{name}.cpp").is_file()]
    equal(gone, [], "variants without a source")
    equal(len(results.frame_of([])), 0, "no rows")


with tempfile.TemporaryDirectory() as scratch:
    here = Path(scratch)
    test_reader(here)
    test_folders(here)
    test_bad_files(here)
test_stored()
finish()

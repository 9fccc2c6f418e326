# SPDX-License-Identifier: Apache-2.0
"""The ranges of results and winners: the schemas have the readers', of every number.

The readers know them (src/program/results/result_ranges.hpp) and say them, by file, place and key.
Arguments: the repository's root, the tessera binary.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
TESSERA = sys.argv[2]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, equal, run_tests  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
from tessera_tools import schemas  # noqa: E402
from tessera_tools.files import read_json  # noqa: E402

RATE = {"min": 1.0, "median": 2.0, "max": 3.0}
BUILD = {"version": "0", "git_revision": "a", "compiler": "c", "flags": "", "build_type": "",
         "kokkos_version": "", "kokkos_devices": "", "kokkos_arch": "", "kokkos_options": "",
         "git_dirty": False}
CASE = {"family": "low_order", "stencil": "low_order/7pt-1", "precision": "double", "nx": 64,
        "ny": 64, "nz": 64, "steps": 5}
ROW = {**CASE, "variant": "low_order/baseline", "configuration": "64x4x4", "decomposition": "",
       "status": "valid", "reason": "", "samples_s": [1e-3], "steps_per_sample": 5,
       "temporal_depth": 1, "iqr_s": 0.0, "noisy": False, "gcell_per_s": RATE, "resources": {},
       "predicted": {}, "counters": {}, "energy": {}, "parallel": {}}
RESULT = {"schema": "tessera-result-1", "date": "2026-11-27T00:00:00Z", "command_line": "",
          "machine": {"name": "n", "kind": "cpu", "device": "d", "hostname": "h",
                      "execution_space": "OpenMP", "concurrency": 1,
                      "host": {"hostname": "h", "cpu": "d", "cores": 1, "caches": []}},
          "build": BUILD, "deck": {},
          "streams": {"unit": "GB/s", "precision": "double", "array_bytes": 1000, "copy": 2.0,
                      "triad": 2.0, "update": 2.0,
                      "range": {"copy": RATE, "triad": RATE, "update": RATE}},
          "roofline": {"precision": "double", "peak_gflop_per_s": 10.0, "gb_per_s": 2.0,
                       "l2_gb_per_s": None},
          "results": [ROW]}
TUNED = {"schema": "tessera-tuned-1",
         "winners": [{"device": "d", "stencil": "low_order/7pt-1", "precision": "double",
                      "nx": 64, "ny": 64, "nz": 64, "variant": "low_order/baseline",
                      "configuration": "64x4x4", "decomposition": "", "gcell_per_s": 1.0,
                      "date": "2026-11-27T00:00:00Z"}]}
FILES = {"result": RESULT, "tuned": TUNED}
# What no program reads, or only as text, and the parts that are counted elsewhere.
NOT_READ = {"machine", "build", "deck", "published", "paper", "seed", "kernels", "stage_s",
            "volume_bytes_per_cell"}


def resolved(rules, documents):
    """Rules without their reference; of a choice with null the other branch."""
    while "$ref" in rules or "anyOf" in rules:
        if "anyOf" in rules:
            rules = next(r for r in rules["anyOf"] if r.get("type") != "null")
            continue
        name, _, path = rules["$ref"].partition("#/definitions/")
        rules = documents[name or "result.schema.json"]["definitions"][path]
    return rules


def numbers(rules, documents, path=()):
    """The numbers of a schema that have a least value, by path: an item stands for all."""
    rules = resolved(rules, documents)
    if "minimum" in rules:
        return {path: rules}
    found = {}
    for key, inner in rules.get("properties", {}).items():
        if key not in NOT_READ:
            found |= numbers(inner, documents, (*path, key))
    if isinstance(rules.get("items"), dict):
        found |= numbers(rules["items"], documents, (*path, 0))
    return found


def with_value(content, path, value):
    """A copy with a value at a path; objects and lists are made where there are none."""
    changed = json.loads(json.dumps(content))  # whose parts are not shared
    at = changed
    for key, following in zip(path[:-1], path[1:]):
        if isinstance(at, list):
            if not at:
                at.append({})
            at = at[key]
        else:
            if at.get(key) is None:
                at[key] = [] if following == 0 else dict(RATE) if following in RATE else {}
            at = at[key]
    if isinstance(at, list):
        at[:] = [value] * (3 if path[-2] == "rank_grid" else 1)
    else:
        at[path[-1]] = value
    return changed


def answer(kind, content, folder):
    """Status and error of the reader of a kind of file."""
    path = folder / "file.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    command = ["predict", "--study", folder, "--machine", "Zen4-AVX2"] if kind != "tuned" else [
        "run", ROOT / "inputs/low-order.toml", "--dry-run", "-v", "low_order/baseline", "--tuned",
        path]
    result = subprocess.run([TESSERA, *map(str, command)], capture_output=True, text=True,
                            check=False)
    return result.returncode, result.stderr


def refused(kind, content, path, folder):
    """Whether the reader refuses the value at a path, in one line with the file's name."""
    status, said = answer(kind, content, folder)
    key = path[-1] or path[-2]  # of a list its own
    pattern = rf'{key}(\[0\]|") is '
    if status == 0 or not re.search(pattern, said):
        return False
    check(status == 1 and said.count("\n") == 1 and "file.json: " in said, f"{key}: {said}")
    return True


def test_every_number(folder):
    """The ends of each range are taken, by schema and reader alike, and what lies beyond is not."""
    documents = {path.name: read_json(path) for path in schemas.FOLDER.glob("*.schema.json")}
    least_found = {"result": 80, "tuned": 5}
    for kind, content in FILES.items():
        check(not schemas.violations(content, kind), f"{kind}: {schemas.violations(content, kind)}")
        equal(answer(kind, content, folder)[0], 0, kind)
        found = numbers(documents[f"{kind}.schema.json"], documents)
        check(len(found) >= least_found[kind], f"{kind}: {len(found)} numbers")
        for path, rules in found.items():
            whole = rules["type"] == "integer"
            least, most = rules["minimum"], rules.get("maximum")
            step = 1 if whole or least <= 0 else least / 2
            values = [(least, True), (least - step, False)]
            if most is not None:
                values += [(most, True), (most + (1 if whole else most), False)]
                values += [(least + 0.5, False)] if whole else []
            for value, fine in values:
                changed = with_value(content, path, value)
                place = f"{kind}: {path} = {value}"
                equal(not schemas.violations(changed, kind), fine, f"schema: {place}")
                equal(not refused(kind, changed, path, folder), fine, f"reader: {place}")


def test_contradictions(folder):
    """What each value allows and all together do not."""
    for change, part in (({"gcell_per_s": None}, 'valid has no "gcell_per_s"'),
                         ({"samples_s": []}, "valid has no samples"),
                         ({"status": "unsupported"}, "unsupported has a rate"),
                         ({"status": "unmeasured", "gcell_per_s": None}, "has samples"),
                         ({"precision": "half"}, '"precision" is "half"'),
                         ({"gcell_per_s": {"min": 3, "median": 2, "max": 1}}, "order")):
        status, said = answer("result", {**RESULT, "results": [{**ROW, **change}]}, folder)
        check(status == 1 and part in said and "file.json: results[0]" in said, f"{change}: {said}")
    content = with_value(RESULT, ("machine", "kind"), "tpu")
    status, said = answer("result", content, folder)
    check(status == 1 and '"kind" is "tpu"' in said, said)
    twice = {**TUNED, "winners": TUNED["winners"] * 2}
    status, said = answer("tuned", twice, folder)
    check(status == 1 and "winners[1]: low_order/baseline has a winner" in said, said)


def test_dates(folder):
    """What orders files: the program's own form and no other, by schema and reader alike."""
    wrong = ("", "yesterday", "2026", "2026-11-27", "2026-11-27T00:00:00", "2026-11-27 00:00:00Z",
             "2026-13-27T00:00:00Z", "2026-11-32T00:00:00Z", "2026-11-27T24:00:00Z",
             "2026-11-27T00:60:00Z", "2026-11-27T00:00:00+01:00", "9026-11-27T00:00:00Zz")
    places = (("result", ("date",)), ("result", ("begun",)),
              ("tuned", ("winners", 0, "date")))
    for kind, path in places:
        for date in (*wrong, "2024-02-29T23:59:59Z"):
            changed = with_value(FILES[kind], path, date)
            fine = date not in wrong
            equal(not schemas.violations(changed, kind), fine, f"schema: {kind} {path} {date}")
            equal(not refused(kind, changed, path, folder), fine, f"reader: {kind} {path} {date}")


run_tests(test_every_number, test_contradictions, test_dates)

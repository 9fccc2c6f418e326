# SPDX-License-Identifier: Apache-2.0
"""schemas/ and tools/validate.py: the files are what the program prints; our files keep to them, and
so does what the program writes."""

import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, TESSERA, check, finish

# isort: split
from built import HAVE_SEGY

from tessera_tools import schemas
from tessera_tools.files import read_json, read_toml

# Schemas of their own, which one tool reads: inputs/published/README.md, results/predicted/README.md.
OF_ONE_TOOL = {"ebisu-table3.toml", "elsewhere-1.json", "elsewhere-2.json", "elsewhere-3.json", "fang.toml",
               "predicted-errors.json", "su-errors.toml", "tiles.toml"}


def tessera(*arguments, ok=True):
    result = subprocess.run([TESSERA, *map(str, arguments)], capture_output=True, text=True,
                            check=False)
    if ok:
        check(result.returncode == 0, f"tessera {arguments[0]}: {result.stderr.strip()}")
    return result


def test_our_files():
    """Every deck, suite, table and machine file of the tree; results_test.py reads all results."""
    paths = [path for folder in ("inputs", "results") for end in ("toml", "json")
             for path in sorted((ROOT / folder).rglob(f"*.{end}"))]
    paths = [path for path in paths if path.name not in OF_ONE_TOOL]
    kinds = {}
    for path in paths:
        content = schemas.read(path)
        kind = schemas.kind_of(content)
        check(kind is not None, f"{path}: no kind")
        if kind:
            kinds[kind] = kinds.get(kind, 0) + 1
            for line in [] if kind == "result" else schemas.violations(content, kind)[:3]:
                check(False, f"{path}: {line}")
    check({"deck", "shot", "suite", "published", "machine", "network", "result"} <= set(kinds),
          f"kinds of our files: {kinds}")


def test_printed():
    """Those that `tessera schema` makes are those of the tree."""
    names = tessera("schema").stdout.split()
    check({"deck", "shot", "suite"} <= set(names), f"schemas: {names}")
    for name in names:
        alone = set(re.findall(r'"\$ref":"([^"]*)"', tessera("schema", name).stdout))
        check(all(ref.startswith("#/definitions/") for ref in alone), f"{name} is valid by itself: {alone}")
        path = schemas.FOLDER / f"{name}.schema.json"
        check(tessera("schema", name).stdout == path.read_text(encoding="utf-8"),
              f"{path.name} is old: tessera schema {name} > schemas/{path.name}")


def test_fresh_files(folder):
    """What the program writes today, of each kind."""
    (folder / "deck.toml").write_text(
        '[case]\nfamily = "acoustic"\nnx = 24\nny = 22\nnz = 20\nsteps = 2\n[acoustic]\n'
        'pml_cells = 3\n[select]\nvariants = ["acoustic/naive:default", "acoustic/jam"]\n'
        '[measure]\nwarmup_s = 0.0\n', encoding="utf-8")
    (folder / "suite.toml").write_text('[[run]]\ndeck = "deck.toml"\n'
                                       '[[run]]\nname = "gpu"\ndeck = "deck.toml"\non = "gpu"\n',
                                       encoding="utf-8")
    tessera("study", folder / "suite.toml", "-o", folder / "study")
    manifest = (folder / "study/manifest.json").read_text(encoding="utf-8")
    check('"reason": "for a gpu"' in manifest, f"the manifest: {manifest}")
    tessera("tune", folder / "deck.toml", "-o", folder / "tune", "-w", folder / "tuned.json")
    tessera("predict", folder / "deck.toml", "--machine", "V100", "-o", folder / "predicted.json")
    tessera("shot", ROOT / "inputs/shot.toml", "--set", "case.nx=40", "--set", "case.ny=40", "--set",
            "case.nz=40", "--set", "case.duration_s=", "--set", "case.steps=4", "--set", "acoustic.pml_cells=4", "--set",
            'model={kind="uniform", v=2000}', "--set", 'source={x=400, y=400, z=400, f_peak=10}',
            "--set", "receivers={start=[400, 400, 200]}", "--set", "snapshots.every=0",
            *(() if HAVE_SEGY else ("--set", "output.segy=false")), "-o", folder / "shot")
    tessera("survey", ROOT / "inputs/survey.toml", "--set", "case.nx=44", "--set", "case.ny=40", "--set",
            "case.nz=36", "--set", "case.duration_s=", "--set", "case.steps=4", "--set",
            "acoustic.pml_cells=4", "--set", 'model={kind="uniform", v=2000}', "--set",
            "survey={start=[100, 100, 50], end=[300, 100, 50], count=2}", "--set",
            "receivers={start=[400, 400, 200]}", "--set", "output.segy=false", "--set",
            "snapshots.every=4", "-o", folder / "survey")
    wanted = {"deck", "suite", "result", "machine", "study", "tuned", "prediction", "shot-result",
              "survey", "run"}
    files = [path for end in ("json", "toml") for path in folder.rglob(f"*.{end}")
             if path.parent.name != "models"]
    for path in files:
        for line in schemas.errors(path):
            check(False, f"{path.name}: {line}")
    kinds = {schemas.kind_of(schemas.read(path)) for path in files}
    check(kinds >= wanted, f"kinds that the program wrote: {sorted(filter(None, kinds))}")
    return folder / "study/deck/result.json"


def set_at(content, path, value):
    """A copy with a value at a path; None takes the key away."""
    changed = copy.deepcopy(content)
    at = changed
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return changed


def test_refused(result):
    """A schema that takes everything would pass all of the above."""
    result, deck = read_json(result), read_toml(ROOT / "inputs/quick.toml")
    shot, machine = (read_toml(ROOT / "inputs/shot.toml"),
                     read_json(ROOT / "inputs/machines/V100.json"))
    cases = [
        ("deck", deck, ("case", "nx"), "many"), ("deck", deck, ("case", "nx"), 0),
        ("deck", deck, ("case", "nxx"), 100), ("deck", deck, ("case", "ny"), None),
        ("deck", deck, ("jacobi",), {"inside": 1.0}), ("deck", deck, ("measure",), {"repetitions": 3}),
        ("deck", deck, ("case", "stencil"), ["iso25", "iso24"]),
        ("deck", deck, ("acoustic", "cfl"), 1.5), ("deck", deck, ("acoustic", "h"), [1.0, 2.0]),
        ("shot", shot, ("model",), {"kind": "gradient", "v0": 1500.0}),
        ("shot", shot, ("model", "kind"), "round"), ("shot", shot, ("case", "nz"), 0),
        ("shot", shot, ("output", "segy"), "yes"), ("shot", shot, ("shot", "operater"), "fd"),
        ("suite", {"run": [{"deck": "a.toml"}]}, ("run", 0, "deck"), None),
        ("suite", {"run": [{"deck": "a.toml"}]}, ("run", 0, "on"), "tpu"),
        ("machine", machine, ("memory",), {"bytes": 1}), ("machine", machine, ("kind",), "fpga"),
        ("machine", machine, ("latency",), {"barrier_us": 0}),
        ("result", result, ("schema",), "tessera-result-2"), ("result", result, ("build",), {}),
        ("result", result, ("results", 0, "status"), "fine"),
        ("result", result, ("results", 0, "gcell_per_s"), 1.0),
        ("result", result, ("results", 0, "samples_s"), []),
        ("result", result, ("results", 0, "colour"), "red"),
    ]
    for kind, content, path, value in cases:
        check(not schemas.violations(content, kind), f"{kind}: the file that is changed is wrong")
        changed = set_at(content, path, value)
        check(schemas.violations(changed, kind), f"{kind}: {path} = {value} is taken")


def test_program(folder):
    """tools/validate.py, as it is called."""
    def validate(*arguments):
        return subprocess.run([sys.executable, ROOT / "tools/validate.py", *arguments],
                              capture_output=True, text=True, check=False)
    fine = validate(ROOT / "inputs/quick.toml", ROOT / "inputs/machines/V100.json")
    check(fine.returncode == 0 and fine.stdout.count(", fine") == 2, f"fine: {fine.stdout}")
    wrong = folder / "wrong.json"
    machine = read_json(ROOT / "inputs/machines/V100.json")
    wrong.write_text(json.dumps({**machine, "clock_ghz": "fast"}), encoding="utf-8")
    broken = validate("-q", ROOT / "inputs/quick.toml", wrong)
    check(broken.returncode == 1 and
          broken.stdout == f"{wrong}: clock_ghz: 'fast' is not of type 'number'\n",
          f"broken: {broken.stdout}{broken.stderr}")
    other = folder / "other.json"
    other.write_text('{"a": 1}', encoding="utf-8")
    result = validate(other, ROOT / "inputs/quick.toml", wrong)
    check(result.returncode == 2 and "quick.toml: deck, fine" in result.stdout and "wrong.json: clock" in
          result.stdout, f"it continues after a file that it does not know: {result.stdout}")
    for path, said in ((other, "no kind of file"), (folder / "none.json", "No such file")):
        result = validate(path)
        check(result.returncode == 2 and said in result.stderr and
              len(result.stderr.splitlines()) == 1, f"{path.name}: {result.stderr}")


with tempfile.TemporaryDirectory() as scratch:
    place = Path(scratch)
    test_printed()
    test_our_files()
    test_refused(test_fresh_files(place))
    test_program(place)
finish()

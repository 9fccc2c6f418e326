# SPDX-License-Identifier: Apache-2.0
"""tools/model_error.py on stored results: the errors on stored rows stay near the aims, whatever is stored.

Rows that are measured anew change the errors: each family has a ceiling, a step above what the models
reach. On the rows that the stored report was made of it must not get worse by a point either. A
machine file with a wrong constant shows that both can fail."""

import csv
import json
import tempfile
from pathlib import Path

from trust_common import ROOT, TESSERA, check, finish, tessera

# isort: split
from drawn import drawn
from tool_calls import call

REPORT = ROOT / "results/predicted/predicted-errors.json"
FAMILIES = {"acoustic", "directional", "ete", "jacobi", "low_order"}
# Mean |error| of time and of volume, the rank's floor. A family of few rows may be far off.
CEILINGS = {"gpu": {"judged": 0.22, "volume": 0.08, "rank": 0.85},
            "cpu": {"judged": 0.35, "volume": 0.08, "rank": 0.6}}
# Of directional on GPUs: its stored rows went through launches that its plans no longer have
# (docs/kokkos.md).
OTHER_LAUNCHES = {("gpu", "directional"): {"rank": 0.8}}
FEW_ROWS = 8


def report(folder, machine):
    """What is said of a stored study by a machine file today."""
    done = call(ROOT / "tools/model_error.py", ROOT / "results" / folder, "--machine", machine,
                "--json", "--tessera", TESSERA)
    check(done.returncode == 0, f"{folder}: {done.stderr}")
    return json.loads(done.stdout)[0] if done.stdout else {}


def beyond(family, kind):
    """The aims that a family misses by more than a step."""
    if family["judged_rows"] < FEW_ROWS:
        return []
    limit = {**CEILINGS[kind], **OTHER_LAUNCHES.get((kind, family["family"]), {})}
    missed = [key for key in ("judged", "volume") if (family.get(key) or 0) > limit[key]]
    return missed + (["rank"] if family["rank"] < limit["rank"] else [])


def worse(stored, now):
    """What has got worse by a point on the very rows that the stored report was made of."""
    same = all(stored.get(key) == now[key] for key in ("fitted_rows", "judged_rows", "measured_s"))
    if not same:
        return []
    return [key for key in ("fitted", "judged", "volume")
            if stored.get(key) is not None and (now.get(key) is None or now[key] > stored[key] + 0.01)]


def judged_again(stored):
    """A machine of the stored report."""
    name = stored["machine"]
    folder = stored["folder"]
    today = report(folder, name)
    families = {family["family"]: family for family in today.get("families", [])}
    if (ROOT / "results" / folder / "counted").is_dir():
        for family in report(f"{folder}/counted", name).get("families", []):
            families[family["family"]]["volume"] = family.get("volume")
    # Tiles of older names have no plan; a build's own never fail to.
    rows = sum(f["fitted_rows"] + f["judged_rows"] + f["scalar_rows"] for f in families.values())
    check(today["unknown_rows"] < 0.05 * rows, f"{name}: no plan of {today['unknown']}")
    check(set(families) == FAMILIES, f"{name}: families {sorted(families)}")
    kind = json.loads((ROOT / f"inputs/machines/{name}.json").read_text("utf-8"))["kind"]
    for family in families.values():
        missed = beyond(family, kind)
        check(not missed, f"{name}, {family['family']}: beyond the ceilings: {missed}")
    for family in stored["families"]:
        if family["family"] in families:
            bad = worse(family, families[family["family"]])
            check(not bad, f"{name}, {family['family']}: worse than docs/model.md prints: {bad}")


def wrong_constants_are_told():
    """Trips to memory three times as long: no family that waits is still near its aim."""
    machine = json.loads((ROOT / "inputs/machines/H100.json").read_text("utf-8"))
    machine["model"]["trip_cycles"] *= 3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wrong.json"
        path.write_text(json.dumps(machine), "utf-8")
        today = report("nvidia-h100", path)
    missed = [f["family"] for f in today.get("families", []) if beyond(f, "gpu")]
    check(len(missed) >= 2, f"a wrong constant is told: {missed}")


def formats_as_stored():
    """Lines that docs/performance/storage.md prints come out of this binary again."""
    with (ROOT / "results/predicted/acoustic-storage.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    for line in drawn(lines, "formats"):
        keys = (f"--set=acoustic.{key}={line[key]}" for key in ("storage", "decomposition", "pml_cells"))
        done = tessera("predict", ROOT / "inputs/sai-table2.toml", "-m", line["machine"], "-v", line["name"], "--json", *keys)
        found = json.loads(done.stdout)[0]
        check(abs(found["gcell_per_s"] / float(line["predicted"]) - 1) < 1e-3 and found["binding"] == line["binding"],
              f"{line}: {found['gcell_per_s']}, {found['binding']}")


for stored_machine in drawn(json.loads(REPORT.read_text("utf-8"))["machines"], "machines"):
    judged_again(stored_machine)
wrong_constants_are_told()
formats_as_stored()
row = {"fitted_rows": 9, "judged_rows": 9, "measured_s": 1.5, "judged": 0.1, "fitted": 0.1,
       "volume": None}
check(worse(row, {**row, "judged": 0.12}) == ["judged"], "a worse one is told")
check(worse(row, {**row, "judged": 0.12, "measured_s": 1.6}) == [], "other rows are no regression")
finish()

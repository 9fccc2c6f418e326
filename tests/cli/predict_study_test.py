# SPDX-License-Identifier: Apache-2.0
"""`tessera predict --study`: the errors on stored rows stay what docs/model.md prints.

Arguments: the repository's root, the tessera binary. Where the build knows other rows than the
stored report (all tiles in place of few), a family may be five points worse.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT, TESSERA = Path(sys.argv[1]), sys.argv[2]
ERRORS = ROOT / "results/predicted/predicted-errors.json"
STORED = json.loads(ERRORS.read_text("utf-8"))["machines"]
FOLDERS = {"H100": "nvidia-h100", "H200": "nvidia-h200", "Zen4-AVX512": "amd-epyc-zen4-avx512-2t",
           "Zen4-AVX2": "amd-epyc-zen4-avx2-2t"}
failures = []


def check(right, what):
    if not right:
        failures.append(what)
        print(f"FAILED: {what}")


def report(machine):
    """What the program says of a machine's stored study today."""
    words = ["predict", "--study", f"results/{FOLDERS[machine]}", "--machine", machine, "--json"]
    done = subprocess.run([TESSERA, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{machine}: {done.stderr}")
    families = json.loads(done.stdout or "{}").get("families", [])
    return {family["family"]: family for family in families}


def worse(stored, now):
    """What has got worse in a family: half of the last printed digit counts as equal."""
    same_rows = all(stored[key] == now[key] for key in ("fitted_rows", "judged_rows"))
    allowed = 0.0006 if same_rows else 0.05
    return [key for key in ("fitted", "judged", "volume")
            if stored.get(key) is not None and now[key] > stored[key] + allowed]


for machine in STORED:
    today = report(machine["machine"])
    check(len(machine["families"]) == 5, f"{machine['machine']}: families in the report")
    for family in machine["families"]:
        name = f"{machine['machine']}, {family['family']}"
        check(family["family"] in today, f"{name}: is not predicted")
        if family["family"] in today:
            bad = worse(family, today[family["family"]])
            check(not bad, f"{name}: worse than docs/model.md prints: {', '.join(bad)}")
# The comparison can fail.
family = STORED[0]["families"][0]
worsened = {**family, "judged": family["judged"] + 0.01}
check(worse(family, worsened) == ["judged"], "a worse one is told")
sys.exit(1 if failures else 0)

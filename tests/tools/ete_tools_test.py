# SPDX-License-Identifier: Apache-2.0
"""The tools of the ete family: heat map of `tune`, ratios beside the paper's, accuracy of a shot.

Arguments: the repository's root, the tessera binary. Exits non-zero on failure.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
TESSERA = sys.argv[2]
DECK = """[case]
family = "ete"
stencil = "37pt"
nx = 40
ny = 36
nz = 24
steps = 2
[ete]
velocities = 11
[select]
variants = ["ete/*"]
exclude = ["ete/spmv"]
[measure]
warmup_s = 0.0
"""


def run(*command, status=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        deck = folder / "deck.toml"
        deck.write_text(DECK)
        families = run(TESSERA, "list", "--json")
        if '"ete/' not in families:
            print("no ete family in this build: nothing to test")
            return
        fit = subprocess.run([TESSERA, "fit", deck], capture_output=True, text=True, check=False)
        if "Kokkos Kernels" in fit.stderr:
            print("built without Kokkos Kernels, so without a fit: nothing to test")
            return
        result = folder / "tune.json"
        run(TESSERA, "tune", deck, "-w", folder / "tuned.json", "-o", result, "--steps", 1)
        run(sys.executable, ROOT / "tools/plot_tune.py", result)
        assert (folder / "tune.png").stat().st_size > 1000
        out = run(sys.executable, ROOT / "tools/plot_tune.py", folder / "none.json", status=1)
        assert "none.json" in out and "Traceback" not in out, out
        out = run(sys.executable, ROOT / "tools/ete_ratios.py", result, "--table2")
        # A host's run beside the Xeon Phi's, a GPU's beside the GPUs'; both rows with one table.
        gpu = json.loads(result.read_text(encoding="utf-8"))["machine"]["kind"] == "gpu"
        here, other = ("Tesla", "MIC") if gpu else ("MIC", "Tesla")
        line = next(row for row in out.splitlines() if here in row and "37pt" in row)
        assert "GCell/s" in line, "scatter over the traditional scheme, measured: " + line
        assert "rows=iso" not in line, "another table than scatter's: " + line
        assert not any("GCell/s" in row for row in out.splitlines() if other in row), out
        assert "none: no file given has counters" in out, out
        assert "12.831" in out, "Table II: L1 misses a cell and step of 73 points in double"
        if "acoustic/" in families:
            out = run(sys.executable, ROOT / "tools/ete_accuracy.py", "--tessera", TESSERA,
                      "--reach", 26, "--peak", 16, "--most", 2)
            assert "ete, 73pt, dt: error" in out and "dt/2: error" in out, out


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""results/scaling holds what the program predicts today: the tables of docs/scaling.md are made of it."""

import json
import subprocess

from common import ROOT, TESSERA, check, finish

CLOSE = 1e-6
NETWORK = "dgx-h100"


def predicted_again(content):
    """The rows by a command with the file's deck, variant, decomposition, grid and ranks."""
    rows = content["rows"]
    deck_grid = next(row for row in rows if row["scaling"] == "strong")
    command = [TESSERA, "predict", content["deck"], "--machine", content["machine"], "--network", NETWORK,
               "--json", "-v", rows[0]["name"]]
    for key in ("nx", "ny", "nz"):
        command += ["--set", f"case.{key}={deck_grid[key]}"]
    if rows[0]["decomposition"]:
        command += ["--set", f"acoustic.decomposition=[\"{rows[0]['decomposition']}\"]"]
    for grid in dict.fromkeys("x".join(map(str, row["rank_grid"])) for row in rows):
        command += ["--ranks", grid]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{content['deck']}: {done.stderr}")
    return json.loads(done.stdout) if done.returncode == 0 else []


def alike(one, other):
    """Two rows, numbers within rounding."""
    if one.keys() != other.keys():
        return False
    return all(abs(value - other[key]) <= CLOSE * max(abs(value), 1e-9) if isinstance(value, float)
               else value == other[key] for key, value in one.items())


def main():
    paths = sorted((ROOT / "results" / "scaling").glob("predicted-*.json"))
    check(len(paths) >= 3, f"{len(paths)} files of predictions")
    for path in paths:
        content = json.loads(path.read_text("utf-8"))
        again = predicted_again(content)
        check(len(again) == len(content["rows"]), f"{path.name}: {len(again)} rows")
        for stored, now in zip(content["rows"], again):
            check(alike(stored, now), f"{path.name}: {stored['name']} on {stored['ranks']} ranks, "
                                      f"{stored['scaling']}: efficiency {stored['efficiency']:.4f} "
                                      f"is {now['efficiency']:.4f} today: write it anew")
    finish()


if __name__ == "__main__":
    main()

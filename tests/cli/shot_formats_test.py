# SPDX-License-Identifier: Apache-2.0
"""What a shot leaves in 16 bits: snapshots, read as docs/shot.md shows, and a survey's accuracy."""

import json
import re
import tempfile
from pathlib import Path

import h5py
import numpy as np

from trust_common import ROOT, SHOT, SHOT_TABLES, into, shot_deck, tessera

# isort: split
from checks import check, finish, refused  # trust_common knows where

SURVEY = shot_deck((41, 41, 41), 60, 10, source=[{"f_peak": 15.0}],
                   survey={"x": [60, 140], "y": 100, "z": 90}, **SHOT_TABLES)


def half_snapshots(deck, place):
    """Half of the bytes, 2⁻¹² of a value, and read by the page's lines; resumed as any."""
    for kind in ("float", "half"):
        done = tessera(*into("shot", deck, place / kind, f"snapshots.format={kind}"))
        check(done.returncode == 0, f"{kind}: {done.stderr}")
    check((place / "float" / "snapshots.xdmf").exists() and not (place / "half" / "snapshots.xdmf").exists(),
          "XDMF of floats alone")
    text = (ROOT / "docs/shot.md").read_text(encoding="utf-8")
    lines = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "scale_factor" in block]
    check(len(lines) == 1 and lines[0].count("\n") == 5, f"five lines of the page: {lines}")
    fields = {}
    for kind in ("float", "half"):
        said = {}
        exec(lines[0].replace("out/shot", str(place / kind)).replace("0000120", "0000040"), said)
        fields[kind] = said["field"]
        with h5py.File(place / kind / "snapshots.h5") as file:
            data = file["pressure/step_0000040"]
            check(data.dtype == {"float": "f4", "half": "f2"}[kind], f"{kind}: {data.dtype}")
            check(data.id.get_storage_size() == data.size * data.dtype.itemsize, f"bytes of {kind}")
    error = np.linalg.norm(fields["half"] - fields["float"]) / np.linalg.norm(fields["float"])
    check(1e-5 < error < 2.0 ** -11, f"error of half: {error}")
    refused(tessera(*into("shot", deck, place / "large", "snapshots.format=half",
                          "acoustic.storage_scale=1e12")), "snapshots.format", "acoustic.storage_scale")


def survey(deck, place):
    """Its first shot is compared."""
    deck.write_text(SURVEY, encoding="utf-8")
    line = into("survey", deck, place / "survey", "acoustic.storage=half", "snapshots.every=0")
    done = tessera(*line, "--accuracy", text=True)
    check(done.returncode == 0 and done.stdout.count("accuracy: the worst of 5 receivers") == 1,
          f"survey: {done.stdout} {done.stderr}")
    found = json.loads((place / "survey" / "survey.json").read_text("utf-8"))["accuracy"]
    check(found["steps"] == 60 and 1e-5 < found["raw"] < 0.02, f"survey: {found}")
    second = json.loads((place / "survey/shot-0002/shot.json").read_text("utf-8"))
    check(second["storage"] == "half" and "accuracy" not in second, f"shot.json of a survey: {second}")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        deck = place / "shot.toml"
        deck.write_text(SHOT, encoding="utf-8")
        half_snapshots(deck, place)
        survey(deck, place)
    finish()


if __name__ == "__main__":
    main()

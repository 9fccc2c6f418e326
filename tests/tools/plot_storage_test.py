# SPDX-License-Identifier: Apache-2.0
"""tools/plot_storage.py: the fastest row of a format, the formats that no other beats, a picture."""

from common import ROOT, call, check_error, equal, run_tests

import plot_storage

STORED = ROOT / "results" / "nvidia-h100" / "storage"
OTHER = ROOT / "results" / "nvidia-h200" / "storage"


def points(folder):
    del folder
    files = [STORED / f"inner-{name}.json" for name in ("plain", "half", "half_difference", "bhalf")]
    (of,) = plot_storage.fastest(files).values()
    equal({name: variant for name, (_, _, variant) in of.items()},
          dict.fromkeys(("plain", "half", "half_difference", "bhalf"), "acoustic/st_bulk"), "fastest")
    kept = [rate for _, rate in plot_storage.unbeaten(of)]
    equal(kept, [of[name][0] for name in ("plain", "half_difference", "half")], "bhalf is beaten")
    both = plot_storage.fastest(files + [OTHER / "inner-plain.json", OTHER / "inner-half.json"])
    equal({device: len(of) for (device, _), of in both.items()}, {"NVIDIA H100 80GB HBM3": 4, "NVIDIA H200": 2},
          "formats by machine")


def pictures(folder):
    done = call(ROOT / "tools" / "plot_storage.py", STORED / "layers-plain.json",
                STORED / "layers-half.json", OTHER / "layers-plain.json", "-o", folder / "storage.svg")
    equal(done.returncode, 0, done.stderr)
    equal((folder / "storage.svg").stat().st_size > 0, True, "the picture")
    check_error(call(ROOT / "tools" / "plot_storage.py", STORED / "layers-plain.json", "-o",
                     folder / "none.svg"), "storage_error", "nothing in 16 bits")
    check_error(call(ROOT / "tools" / "plot_storage.py", STORED / "layers-half.json", "-o",
                     folder / "none.svg"), "plain fields", "nothing to compare with")


run_tests(points, pictures)

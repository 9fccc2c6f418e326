# SPDX-License-Identifier: Apache-2.0
"""What a shot says of its deck before it begins: values are checked where they have no effect too,
keys without effect are named, and a dry run refuses what the shot would.

Arguments: the repository's root, the tessera binary.
"""

import numpy as np
from trust_common import run_tests, set_all, tessera

# isort: split
from built import HAVE_FITS  # trust_common knows where
from checks import check, refused

SURFACE = "acoustic.free_surface=true"


def dry(place, *assignments):
    return tessera("shot", place / "shot.toml", "-o", place / "none", "--dry-run",
                   *set_all(*assignments))


def test_refused(place):
    """In a dry run, by key or file."""
    for change, parts in (
            ("shot.ete_stencil=nonsense", ("shot.ete_stencil", "37pt, 73pt")),
            ("shot.velocities=-7", ("shot.velocities", "is not between")),
            ("shot.ete_variant=foo", ("foo",)),
            ("fit.banana=3", ("fit.banana",)),
            ("source[0].f_peak=1e-9", ("source[0].f_peak", "is not between")),
            ("acoustic.decomposition=Seven", ("acoustic.decomposition", "seven")),
            ("case.nx=8", ("--set case.nx = 8", "no inner region"))):
        if HAVE_FITS or "case" in change or "acoustic" in change or "source" in change:
            refused(dry(place, change), *parts)
    deck = (place / "shot.toml").read_text("utf-8")
    (place / "line.toml").write_text(deck.replace("h = 10.0", "h = 10.0\ncfl = 2"), "utf-8")
    refused(tessera("shot", place / "line.toml", "--dry-run"), "line.toml:8: acoustic.cfl = 2")
    for z in ("0", "1e-9", "1e-7"):
        refused(dry(place, SURFACE, f"source[0].z={z}"), "source[0].z", "on the free surface")
    check(dry(place, SURFACE, "source[0].z=0.001").returncode == 0, "a source below the surface")
    if HAVE_FITS:
        refused(dry(place, "shot.operator=ete", "acoustic.h=[10, 12, 10]"), "equal spacings")
    # More snapshots than a list of them has room for, whatever the disk: before the list is made.
    many = ("case.steps=1000000000000", "snapshots.every=1", "output.segy=false")
    for more in (("--dry-run",), ()):
        refused(tessera("shot", place / "shot.toml", "-o", place / "none", *set_all(*many), *more),
                "snapshots.every")
    np.full((21, 21, 21), 2e9, "<f4").tofile(place / "fast.f32")
    model = f"model={{kind='raw', file='{place}/fast.f32', nx=21, ny=21, nz=21}}"
    refused(dry(place, model, "output.segy=false"), "fast.f32", "fastest velocity")
    check(not (place / "none").exists(), "a refused shot leaves a folder")


def test_without_effect(place):
    """A warning each, and no more."""
    for changes, what in (
            (("shot.velocities=9",), "shot.velocities has no effect"),
            (("fit.band=0.4",), "fit has no effect"),
            (("output.segy=false", "output.segy_interval_ms=1"), "output.segy_interval_ms has no"),
            (("output.segy=false", "output.csv=false"), "[[receivers]] has no effect"),
            (("snapshots.every=61",), "more than the 60 steps"),
            ((SURFACE, "receivers={start=[10, 80, 1e-9], end=[90, 80, 1e-9], count=3}"),
             "3 receivers lie on the free surface")):
        result = dry(place, *changes)
        check(result.returncode == 0 and result.stderr.count(what) == 1,
              f"{changes}: {result.stderr}")
    check("effect" not in dry(place).stderr, "a shot without such keys")


if __name__ == "__main__":
    run_tests(test_refused, test_without_effect)

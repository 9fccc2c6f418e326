# SPDX-License-Identifier: Apache-2.0
"""Lines of tables that no pick makes: what a definition's `made` names."""

from __future__ import annotations

from pathlib import Path

from ..files import read_json, read_toml
from .table import MACHINES, span, stored


def model_constants(root: Path) -> list[dict]:
    """A line for each machine file: the constants of its model table."""
    return [{"gpu": gpu, "model": read_json(root / f"inputs/machines/{gpu}.json")["model"]}
            for gpu in ("H100", "H200")]


def machines(root: Path) -> list[dict]:
    """A line for each machine: what its runs say of it."""
    def size(count):
        return f"{count / 2**20:.0f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"

    found = []
    for entry in MACHINES:
        paths = sorted((root / "results" / entry["folder"]).glob("*.json"))
        files = [stored(path) for path in paths if path.stem not in ("machine", "manifest")]
        machine, measured = files[0].machine, [file for file in files if file.streams]
        device = machine.get("device_properties") or {}
        caches = {"L2": device["l2_bytes"]} if device else {
            cache["level"]: cache["bytes"] for cache in reversed(machine["host"]["caches"])}
        found.append({
            **entry, "runs": len(files), "revision": files[0].revision[:7],
            "units": f"{device['units']} units" if device else f"{machine['concurrency']} threads",
            **{level: size(caches[level]) if level in caches else "" for level in ("L1", "L2", "L3")},
            "copy": span([file.streams.get("copy") for file in measured], ""),
            **{precision: span([file.roofline.get("peak_gflop_per_s") for file in measured
                                if file.roofline.get("precision") == precision], "")
               for precision in ("float", "double")}})
    return found


def model_errors(root: Path, part: str) -> list[dict]:
    """What the stored report of predictions says: a line a family, its five worst rows of each
    machine, or what the pruned search keeps."""
    found = []
    for machine in read_json(root / "results/predicted/predicted-errors.json")["machines"]:
        lines = machine["families"]
        if part == "worst":
            lines = [{**row, "label": row["name"]} for family in lines for row in family["worst"]]
            lines = sorted(lines, key=lambda row: -max(row["predicted_over_measured"],
                                                       1 / row["predicted_over_measured"]))[:5]
        if part == "prune":
            lines = [{**machine["prune"], "rows_of": machine["prune"]["rows"]}]
        found += [{**line, "machine": machine["machine"]} for line in lines]
    return found


def predicted_scaling(root: Path, name: str) -> list[dict]:
    """The predicted rows of a file, of the scaling that it is named after, by ranks."""
    rows = [row for row in read_json(root / f"results/scaling/predicted-{name}.json")["rows"]
            if not row["unsupported"] and name.endswith(row["scaling"])]
    return [{**row, "label": row["name"], "grid": "x".join(map(str, row["rank_grid"]))}
            for row in sorted(rows, key=lambda row: (row["name"], row["ranks"]))]


def kinds_of_faults(root: Path, part: str) -> list[dict]:
    """A line for each kind of a part of tests/trust.toml, its tests without folders."""
    def shown(test):
        name = test.split("/")[-1].replace("_test.py", "").replace("_test.cpp", "")
        return f"`{name.replace(':', '.')}`"

    return [{**kind, "names": ", ".join(map(shown, kind["tests"]))}
            for kind in read_toml(root / "tests/trust.toml")["kind"] if kind["part"] == part]

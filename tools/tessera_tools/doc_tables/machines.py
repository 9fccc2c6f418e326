# SPDX-License-Identifier: Apache-2.0
"""The table of machines in docs/performance/README.md."""

from .. import results
from .cells import text
from .data import HOSTS
from .table import Table, span

# Titles and folders below results/.
KINDS = (("NVIDIA H100", "nvidia-h100"), ("NVIDIA H200", "nvidia-h200"), *HOSTS)


def size(count):
    """Bytes in KiB or MiB."""
    return f"{count / 2**20:.0f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"


def cache(machine, level):
    """The size of one cache of a level; of a device its L2."""
    device = machine.get("device_properties")
    if device:
        return size(device["l2_bytes"]) if level == "L2" else ""
    found = [entry["bytes"] for entry in machine["host"]["caches"] if entry["level"] == level]
    return size(found[0]) if found else ""


def machines(data):
    """A line for each kind of machine: what its runs say of it."""
    lines = []
    for title, folder in KINDS:
        paths = [path for path in sorted((data.root / "results" / folder).glob("*.json"))
                 if path.stem not in ("machine", "manifest")]
        files = [results.read(path) for path in paths]
        measured = [file for file in files if file.streams]
        machine = files[0].machine
        units = (machine.get("device_properties") or {}).get("units")
        peaks = {precision: span([file.roofline.get("peak_gflop_per_s") for file in measured
                                  if file.roofline.get("precision") == precision], "")
                 for precision in ("float", "double")}
        lines.append({
            "title": title, "runs": len(files),
            "files": f"`results/{folder}/`",
            "units": f"{units} units" if units else f"{machine['concurrency']} threads",
            "l1": cache(machine, "L1"), "l2": cache(machine, "L2"), "l3": cache(machine, "L3"),
            "copy": span([file.streams.get("copy") for file in measured], ""),
            "float": peaks["float"], "double": peaks["double"],
        })
    return lines


TABLES = (
    Table(
        name="machines",
        lines=machines,
        picks={},
        keep=lambda rows: True,
        columns=(("machine", text("{title}")), ("files", text("{files}")),
                 ("runs", text("{runs}")), ("", text("{units}")), ("L1", text("{l1}")),
                 ("L2", text("{l2}")), ("L3", text("{l3}")), ("copy, GB/s", text("{copy}")),
                 ("peak, GFLOP/s: float", text("{float}")), ("double", text("{double}"))),
    ),
)

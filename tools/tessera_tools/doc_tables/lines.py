# SPDX-License-Identifier: Apache-2.0
"""Lines of tables that no pick makes: what a definition's `made` names."""

from __future__ import annotations

from pathlib import Path

from .. import results
from ..files import read_toml
from .data import Data

SU = "inputs/published/su-errors.toml"
VOLUMES = ("V_L2", "V_GM")


def su_as_printed(data: Data) -> list[dict]:
    """Su's own errors over all stencils and sizes."""
    paper, found = data.document(SU), []
    for row in paper["row"]:
        ranges = {key: [value for entry in paper["volume"] if entry["kind"] == row["kind"]
                        for value in entry[key]] for key in VOLUMES}
        found.append({"folder": "", "title": "Su's K20, as printed", "kind": row["kind"],
                      "V_SMX": f"{row['V_SMX']:g}", "time": f"{row['time']:g}",
                      **{key: f"{min(range):.1f} to {max(range):.1f}"
                         for key, range in ranges.items()}})
    return found


def su_by_stencil(data: Data) -> list[dict]:
    """A line a kind, stencil and size that the model is judged by: the paper's errors."""
    paper = data.document(SU)
    return [{"kind": entry["kind"], "stencil": entry["stencil"], "size": str(size),
             **{key: f"{entry[key][i]:.1f}" for key in VOLUMES}}
            for entry in paper["volume"] for i, size in enumerate(paper["size"]) if size >= 256]


def model_constants(data: Data) -> list[dict]:
    """A line for each machine file: the constants of its model table."""
    return [{"gpu": gpu, "model": data.document(f"inputs/machines/{gpu}.json")["model"]}
            for gpu in ("H100", "H200")]


def paper_points(data: Data) -> list[dict]:
    """The lines of the ladder that EBISU's text gives figures for."""
    return [{"stencil": row["stencil"].split("/")[1], "name": row["name"].split("/")[1],
             "dims": row["stencil"].split("/j")[1][:2], "printed": value}
            for row, value in data.published("ebisu-a100.toml").values_of("gcell_per_s")]


def paper_depths(data: Data) -> list[dict]:
    """EBISU's Table 3: a line a stencil, a value a library."""
    table = data.document("inputs/published/ebisu-table3.toml")
    return [{"stencil": row["stencil"], **{library: depth or "-" for library, depth in
                                           zip(table["libraries"], row["depth"])}}
            for row in table["row"]]


def fusion_gains(data: Data) -> list[dict]:
    """What the paper's bandwidths, each kernel's own best, say of fusing: a line without a file."""
    best = {}
    for row, value in data.published("amd-bandwidth.toml").values_of("effective_gb_per_s"):
        stencil = row["stencil"].split("/")[1].split("-")[0]
        best[stencil] = max(best.get(stencil, 0), value)
    return [{"machine": "MI250X GCD, 512³, of the printed bandwidths", "file": "", "windows": "",
             **{key: sum(best["xyz"] / best[part] for part in parts)
                for key, parts in (("three", ("x", "y", "z")), ("two", ("xy", "z")))}}]


def published_kernels(data: Data, file: str) -> list[dict]:
    """The kernels that a paper prints what its compiler said of."""
    table, found = data.published(file), []
    for row in table.rows:
        variant, tile = row["name"].split(":")
        found.append({**row, "variant": variant, "tile": tile,
                      **dict(zip((column["quantity"] for column in table.columns),
                                 row["values"]))})
    return found


def printed_ratios(data: Data, *devices: str) -> list[dict]:
    """A line for each pair of variants whose speed-up Fang prints on one of the devices. Both of a
    pair use the same coefficient table, or the one that the paper names."""
    found = {}
    for entry in data.document("inputs/published/fang.toml")["ratio"]:
        if entry["device"] not in devices:
            continue
        key = (entry["stencil"], entry["precision"], entry["of"], entry["over"])
        of, over = entry["of"].split("/")[1], entry["over"].split("/")[1]
        values = found.setdefault(key, {
            "case": f"{entry['stencil']} {entry['precision']}", "of": of, "over": over,
            "points": entry["stencil"][:2], "precision": entry["precision"],
            "pattern": over.partition(":")[0], "table": over.partition(":")[2],
            "suffix": "-double" if entry["precision"] == "double" else "",
            "first": "", "second": ""})
        values["first" if entry["device"] == devices[0] else "second"] = f"{entry['value']:.2f}"
    # Beside the traditional scheme the one that has all its planes in scratch.
    ours = {"over": "gather_scratch", "pattern": "gather_scratch", "first": "", "second": ""}
    return [*found.values(),
            *({**values, **ours} for values in found.values() if values["over"] == "gather_queue")]


def blocks_on_host(data: Data) -> list[dict]:
    """Fang's host scheme by its blocks, and what it is compared with: rates of both stencils, and
    how often the best of base_simd_blocked with an equal table they are."""
    rates, sets = {}, {}
    for row in data.rows("host/ete-emerald-rapids.csv"):
        key = (row["variant"].split("/")[1], row["configuration"])
        rates.setdefault(key, {})[row["stencil"].split("/")[1][:2]] = float(row["gcell_per_s"])
        sets[key] = int(row["working_set_bytes"] or 0)
    equal = {key: rate for key, rate in rates.items()
             if key[0] == "base_simd_blocked" and not results.table_of(key[1])}
    best = {points: max(rate[points] for rate in equal.values()) for points in ("37", "73")}
    first = [next(key for key in equal if equal[key][points] == best[points]) for points in best]
    scatter = sorted((key for key in rates if key[0] == "scatter"), key=lambda key: sets[key])
    other = max((key for key in rates if key[0] == "split2_xy_xz"), key=lambda k: rates[k]["37"])
    return [{"variant": key[0], "block": key[1], "kept": sets[key] / 1024 or None,
             **{f"p{points}": rates[key].get(points) for points in best},
             **{f"x{points}": rates[key][points] / best[points] if points in rates[key] else None
                for points in best}} for key in (*dict.fromkeys(first), *scatter, other)]


def machines(data: Data) -> list[dict]:
    """A line for each machine: what its runs say of it."""
    from .table import MACHINES, span  # they are read there

    def size(count):
        return f"{count / 2**20:.0f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"

    found = []
    for entry in MACHINES:
        paths = sorted((data.root / "results" / entry["folder"]).glob("*.json"))
        files = [results.read(path) for path in paths if path.stem not in ("machine", "manifest")]
        machine, measured = files[0].machine, [file for file in files if file.streams]
        device = machine.get("device_properties") or {}
        caches = {"L2": device["l2_bytes"]} if device else {
            cache["level"]: cache["bytes"] for cache in reversed(machine["host"]["caches"])}
        found.append({
            **entry, "runs": len(files),
            "units": f"{device['units']} units" if device else f"{machine['concurrency']} threads",
            **{level: size(caches[level]) if level in caches else "" for level in ("L1", "L2", "L3")},
            "copy": span([file.streams.get("copy") for file in measured], ""),
            **{precision: span([file.roofline.get("peak_gflop_per_s") for file in measured
                                if file.roofline.get("precision") == precision], "")
               for precision in ("float", "double")}})
    return found


def model_errors(data: Data, part: str) -> list[dict]:
    """What the stored report of predictions says: a line a family, its five worst rows of each
    machine, or what the pruned search keeps."""
    found = []
    for machine in data.document("results/predicted/predicted-errors.json")["machines"]:
        lines = machine["families"]
        if part == "worst":
            lines = [{**row, "label": row["name"]} for family in lines for row in family["worst"]]
            lines.sort(key=lambda row: -max(row["predicted_over_measured"],
                                            1 / row["predicted_over_measured"]))
            lines = lines[:5]
        if part == "prune":
            lines = [{**machine["prune"], "rows_of": machine["prune"]["rows"]}]
        found += [{**line, "machine": machine["machine"]} for line in lines]
    return found


def predicted_scaling(data: Data, name: str) -> list[dict]:
    """The predicted rows of a file, of the scaling that it is named after, by ranks."""
    rows = [row for row in data.document(f"results/scaling/predicted-{name}.json")["rows"]
            if not row["unsupported"] and name.endswith(row["scaling"])]
    return [{**row, "label": row["name"], "grid": "x".join(map(str, row["rank_grid"]))}
            for row in sorted(rows, key=lambda row: (row["name"], row["ranks"]))]


# Measured: the files' prefix, the scaling, where the prediction of so few GPUs stands.
MEASURED = (("acoustic", "weak", "acoustic-weak"), ("acoustic", "strong", "acoustic-1000-strong"),
            ("jacobi", "weak", "jacobi-weak"))


def valid_rows(data: Data, file: str) -> dict:
    """The rows of a result file by variant:configuration."""
    return {f"{row['variant']}:{row['configuration']}": row
            for row in data.document(file)["results"] if row["status"] == "valid"}


def measured_scaling(data: Data) -> list[dict]:
    """A line for each configuration, number of GPUs, transport and way of exchange."""
    found, folder = [], Path("results/nvidia-h100-x2")
    for case, scaling, name in MEASURED:
        alone = valid_rows(data, folder / f"{case}-1.json")
        for how in ("nccl", "nccl-serial", "staged"):
            file = folder / f"{case}-{scaling}-2-{how}.json"
            if not (data.root / file).exists():
                continue
            for label, row in valid_rows(data, file).items():
                parallel = row["parallel"]
                # As devices run where nothing else is set: by NCCL, beside the core, but before
                # passes of several steps.
                usual = parallel["transport"] == "nccl" and parallel["overlap"] == (
                    row["temporal_depth"] == 1)
                found.append({
                    "label": label, "scaling": scaling, "transport": parallel["transport"],
                    "overlap": "yes" if parallel["overlap"] else "no",
                    "rate_here": row["gcell_per_s"]["median"],
                    "exposed": parallel["exchange_exposed_s"],
                    "efficiency": row["effective_gb_per_s"] / alone[label]["effective_gb_per_s"]
                    / parallel["ranks"],
                    "predicted": next((entry["efficiency"] for entry in
                                       predicted_scaling(data, name) if usual and
                                       entry["name"] == label and
                                       entry["ranks"] == parallel["ranks"]), None)})
    return found


def large_grid(data: Data) -> list[dict]:
    """A line for each configuration and number of GPUs: the same grid on one, two and four."""
    files = {count: valid_rows(data, f"results/nvidia-h200-x4/acoustic-2g-{count}.json")
             for count in (1, 2, 4)}
    return [{**row, "label": label, "ranks": count, "rate_here": row["gcell_per_s"]["median"],
             "exposed": (row.get("parallel") or {}).get("exchange_exposed_s"),
             "efficiency": row["gcell_per_s"]["median"] / count
             / files[1][label]["gcell_per_s"]["median"]}
            for label in files[1] for count, rows in files.items() for row in [rows[label]]]


def kinds_of_faults(data: Data, part: str) -> list[dict]:
    """A line for each kind of a part of tests/trust.toml, its tests without folders."""
    def shown(test):
        name = test.split("/")[-1].replace("_test.py", "").replace("_test.cpp", "")
        return f"`{name.replace(':', '.')}`"

    return [{**kind, "names": ", ".join(map(shown, kind["tests"]))}
            for kind in read_toml(data.root / "tests/trust.toml")["kind"] if kind["part"] == part]

# SPDX-License-Identifier: Apache-2.0
"""Lines of checked tables that papers' figures make: what a definition's `made` names."""

import csv
import re
import statistics

from tessera_tools import published
from tessera_tools.doc_tables.lines import predicted_scaling
from tessera_tools.files import read_json
from tessera_tools.files import read_toml as document

SU = "inputs/published/su-errors.toml"
VOLUMES = ("V_L2", "V_GM")


# Titles of the page and what tools/elsewhere.py calls them.
ELSEWHERE = (("Tessera, `jam`, `fullx32xfull,nz=4` and `nz=1`", "acoustic/jam"),
             ("Tessera, `gmem:fullx16xfull`", "acoustic/gmem"), ("Tessera, `naive_simd:default`", "acoustic/naive_simd"),
             ("Numba, rows by functions",) * 2, ("Numba, parallel loops",) * 2,
             ("Tessera, `naive`, an MDRange", "acoustic/naive"), ("numpy, slices",) * 2)


def elsewhere_on_host(root):
    """A line a way to write the update: medians on two grids."""
    rates = [{row["what"].split(":")[0]: statistics.median(row["gcell_per_s"]) for row in
              read_json(root / f"results/host/elsewhere-{run}.json")["rows"] if "gcell_per_s" in row} for run in (1, 2)]
    return [{"title": title, "first": rates[0][what], "second": rates[1][what]} for title, what in ELSEWHERE]


def elsewhere_on_gpu(root):
    """A line a way to write the update, in its fastest tile, the fastest first: median, and its share of copy over 16 B."""
    folder = root / "results/nvidia-h200/elsewhere"
    copy = read_json(folder / "elsewhere-3.tessera.json")["streams"]["copy"]
    found = {}
    for row in read_json(folder / "elsewhere-3.json")["rows"]:
        ours, (package, *version) = row["what"].startswith("acoustic/"), row["version"].split()
        rate = statistics.median(row["gcell_per_s"])
        title = f"Tessera, `{row['what'].removeprefix('acoustic/')}`" if ours else row["what"]
        line = {"title": title, "version": "" if ours else f"{package} {version[0].split('+')[0]}", "rate": rate,
                "share": 1600 * rate / copy}
        way = re.sub(r", \d+ x .*", "", row["what"])  # without its tile
        found[way] = max(line, found.get(way, line), key=lambda one: one["rate"])
    return sorted(found.values(), key=lambda line: -line["rate"])


def rows(root):
    """The blocks that were tried on a host."""
    return csv.DictReader((root / "results/host/ete-emerald-rapids.csv").read_text("utf-8").splitlines())


def su_as_printed(root):
    """Su's own errors over all stencils and sizes."""
    paper, found = document(root / SU), []
    for row in paper["row"]:
        ranges = {key: [value for entry in paper["volume"] if entry["kind"] == row["kind"]
                        for value in entry[key]] for key in VOLUMES}
        found.append({"folder": "", "title": "Su's K20, as printed", "kind": row["kind"],
                      "V_SMX": f"{row['V_SMX']:g}", "time": f"{row['time']:g}",
                      **{key: f"{min(range):.1f} to {max(range):.1f}"
                         for key, range in ranges.items()}})
    return found


def su_by_stencil(root):
    """A line a kind, stencil and size that the model is judged by: the paper's errors."""
    paper = document(root / SU)
    return [{"kind": entry["kind"], "stencil": entry["stencil"], "size": str(size),
             **{key: f"{entry[key][i]:.1f}" for key in VOLUMES}}
            for entry in paper["volume"] for i, size in enumerate(paper["size"]) if size >= 256]


def paper_points(root):
    """The lines of the ladder that EBISU's text gives figures for."""
    return [{"stencil": row["stencil"].split("/")[1], "name": row["name"].split("/")[1],
             "dims": row["stencil"].split("/j")[1][:2], "printed": value}
            for row, value in published.read(root / "inputs/published" / "ebisu-a100.toml").values_of("gcell_per_s")]


def paper_depths(root):
    """EBISU's Table 3: a line a stencil, a value a library."""
    table = document(root / "inputs/published/ebisu-table3.toml")
    return [{"stencil": row["stencil"], **{library: depth or "-" for library, depth in
                                           zip(table["libraries"], row["depth"])}}
            for row in table["row"]]


def fusion_gains(root):
    """What the paper's bandwidths, each kernel's own best, say of fusing: a line without a file."""
    best = {}
    for row, value in published.read(root / "inputs/published" / "amd-bandwidth.toml").values_of("effective_gb_per_s"):
        stencil = row["stencil"].split("/")[1].split("-")[0]
        best[stencil] = max(best.get(stencil, 0), value)
    return [{"machine": "MI250X GCD, 512³, of the printed bandwidths", "file": "", "windows": "",
             **{key: sum(best["xyz"] / best[part] for part in parts)
                for key, parts in (("three", ("x", "y", "z")), ("two", ("xy", "z")))}}]


def published_kernels(root, file):
    """The kernels that a paper prints what its compiler said of."""
    table, found = published.read(root / "inputs/published" / file), []
    for row in table.rows:
        variant, tile = row["name"].split(":")
        found.append({**row, "variant": variant, "tile": tile,
                      **dict(zip((column["quantity"] for column in table.columns),
                                 row["values"]))})
    return found


def printed_ratios(root, *devices):
    """A line for each pair of variants whose speed-up Fang prints on one of the devices. Both of a
    pair use the same coefficient table, or the one that the paper names."""
    found = {}
    for entry in document(root / "inputs/published/fang.toml")["ratio"]:
        if entry["device"] not in devices:
            continue
        key = (entry["stencil"], entry["precision"], entry["of"], entry["over"])
        of, over = entry["of"].split("/")[1], entry["over"].split("/")[1]
        values = found.setdefault(key, {
            "case": f"{entry['stencil']} {entry['precision']}", "of": of, "over": over,
            "points": entry["stencil"][:2], "precision": entry["precision"],
            "pattern": over.partition(":")[0], "table": over.partition(":")[2],
            "suffix": "-double" if entry["precision"] == "double" else "",
            "whole": over if ":" not in over else "none", "first": "", "second": ""})
        values["first" if entry["device"] == devices[0] else "second"] = f"{entry['value']:.2f}"
    # Beside the traditional scheme the one that has all its planes in scratch.
    ours = {"over": "gather_scratch", "pattern": "gather_scratch",
            "whole": "gather_scratch", "first": "", "second": ""}
    return [*found.values(),
            *({**values, **ours} for values in found.values() if values["over"] == "gather_queue")]


def printed_misses(root):
    """A line for each variant of Fang's Table II: misses a cell and step."""
    updates = 800 * 328 * 328 * 936
    return [{**entry, "case": f"{entry['stencil']} {entry['precision']}", "variant": entry["method"].split("/")[1],
             "block": "fullx{}x{}".format(*entry["block"]), "l1": entry["l1_miss"] / updates,
             "l2": sum(value for key, value in entry.items() if key.startswith("l2_")) / updates}
            for entry in document(root / "inputs/published/fang.toml")["cache_events"]]


def blocks_on_host(root):
    """Fang's host scheme by its blocks, and what it is compared with: rates of both stencils, and
    how often the best of base_simd_blocked with an equal table they are."""
    rates, sets = {}, {}
    for row in rows(root):
        key = (row["variant"].split("/")[1], row["configuration"])
        rates.setdefault(key, {})[row["stencil"].split("/")[1][:2]] = float(row["gcell_per_s"])
        sets[key] = int(row["working_set_bytes"] or 0)
    equal = {key: rate for key, rate in rates.items()
             if key[0] == "base_simd_blocked" and not "=" in key[1]}
    best = {points: max(rate[points] for rate in equal.values()) for points in ("37", "73")}
    first = [next(key for key in equal if equal[key][points] == best[points]) for points in best]
    scatter = sorted((key for key in rates if key[0] == "scatter"), key=lambda key: sets[key])
    other = max((key for key in rates if key[0] == "split2_xy_xz"), key=lambda k: rates[k]["37"])
    return [{"variant": key[0], "block": key[1], "kept": sets[key] / 1024 or None,
             **{f"p{points}": rates[key].get(points) for points in best},
             **{f"x{points}": rates[key][points] / best[points] if points in rates[key] else None
                for points in best}} for key in (*dict.fromkeys(first), *scatter, other)]


# Measured: the files' prefix, the scaling, where the prediction of so few GPUs stands.
MEASURED = (("acoustic", "weak", "acoustic-weak"), ("acoustic", "strong", "acoustic-1000-strong"),
            ("jacobi", "weak", "jacobi-weak"))


def valid_rows(file):
    """The rows of a result file by variant:configuration."""
    return {f"{row['variant']}:{row['configuration']}": row
            for row in read_json(file)["results"] if row["status"] == "valid"}


def measured_scaling(root):
    """A line for each configuration, number of GPUs, transport and way of exchange."""
    found, folder = [], root / "results/nvidia-h100-x2"
    for case, scaling, name in MEASURED:
        alone = valid_rows(folder / f"{case}-1.json")
        for how in ("nccl", "nccl-serial", "staged"):
            file = folder / f"{case}-{scaling}-2-{how}.json"
            if not file.exists():
                continue
            for label, row in valid_rows(file).items():
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
                                       predicted_scaling(root, name) if usual and
                                       entry["name"] == label and
                                       entry["ranks"] == parallel["ranks"]), None)})
    return found


def large_grid(root):
    """A line for each configuration and number of GPUs: the same grid on one, two and four."""
    files = {count: valid_rows(root / f"results/nvidia-h200-x4/acoustic-2g-{count}.json")
             for count in (1, 2, 4)}
    return [{**row, "label": label, "ranks": count, "rate_here": row["gcell_per_s"]["median"],
             "exposed": (row.get("parallel") or {}).get("exchange_exposed_s"),
             "efficiency": row["gcell_per_s"]["median"] / count
             / files[1][label]["gcell_per_s"]["median"]}
            for label in files[1] for count, rows in files.items() for row in [rows[label]]]


# Latencies of an A100 in cycles: Abdelkhalik et al. 2022, arXiv 2208.11174. That of a DFMA is not needed.
LATENCIES = (("load from device memory, double", 290, "memory"), ("load from shared memory, double", 23, "shared"),
             ("DFMA", None, "dfma"))


def a100_parallelism(root):
    """EBISU's (13) to (16) for an A100: what a multiprocessor has in flight, against 256 threads x ILP 4."""
    machine = read_json(root / "inputs/machines/A100.json")
    cycles = machine["units"] * machine["clock_ghz"]  # 10^9 a second, of all multiprocessors
    rates = {"memory": machine["memory"]["copy_gb_per_s"] / 8 / cycles,
             "shared": machine["caches"][0]["gb_per_s"] / 8 / cycles,
             "dfma": machine["peak"]["double_gflop_per_s"] / 2 / cycles}
    return [{"operation": name, "latency": latency, "rate": rates[key],
             "needed": latency and latency * rates[key], "threads": latency and latency * rates[key] / 4,
             "most": 1024 / rates[key]} for name, latency, key in LATENCIES]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The study of the traffic model: predicted against counted volumes and measured times.

Runs inputs/su-baseline.toml and inputs/su-zblock.toml for each stencil and size, with hardware
counters where asked, fits the machine file's model constants to every second case whose arrays take
at least four times the shared cache, and judges the prediction by the others, in the layout of the
seed's Tables 3 and 4 and Figures 2 and 5. Smaller cases are reported too.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STENCILS = ["7pt-1", "7pt-2", "7pt-3", "19pt"]
DECKS = {"baseline": "su-baseline.toml", "zblock": "su-zblock.toml"}
EXAMPLES = """examples:
  traffic_study.py --tessera build/cuda-hopper90/tessera --machine my-machine.json --counters
  traffic_study.py --tessera build/openmp/tessera --machine my-cpu.json --sizes 64 128 256 \\
    --variants 'low_order/*:full*'
  traffic_study.py --machine my-machine.json --reuse      # tables and plots of what lies in --out
"""


class StudyError(Exception):
    """Nothing can be studied; the message is one line."""


def find_tessera(option):
    """The program to run."""
    found = [Path(option)] if option else sorted(ROOT.glob("build/*/tessera"))
    found = [path for path in found if os.access(path, os.X_OK) and path.is_file()]
    if len(found) != 1:
        raise StudyError(f"--tessera: {option} cannot be run" if option else
                         f"{len(found)} builds in {ROOT / 'build'}: name one with --tessera")
    return str(found[0].resolve())


def execute(command, log):
    """Runs a command, its words in a file; what it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(command)}\n{done.stdout}\n")
    if done.returncode != 0:
        last = done.stdout.strip().splitlines()[-1:] or ["no output"]
        raise StudyError(f"{command[0]} {command[1]} failed: {last[0]} (all of it in {log})")
    return done.stdout


def settings(arguments, stencil, size):
    """--set options of one case."""
    options = [f"case.stencil={stencil}", f"case.nx={size}", f"case.ny={size}", f"case.nz={size}",
               *arguments.set]
    return [word for option in options for word in ("--set", option)]


def selection(arguments):
    """-v options, where the decks' samples are not wanted."""
    return [word for pattern in arguments.variants for word in ("-v", pattern)]


def cases(arguments):
    """(kind, deck, stencil, size, result file) of each run."""
    for kind in arguments.kinds:
        for stencil in arguments.stencils:
            for size in arguments.sizes:
                result = arguments.out / f"{kind}-{stencil}-{size}.json"
                # What an interrupted study has left can be looked at too.
                if not arguments.reuse or result.exists():
                    yield kind, ROOT / "inputs" / DECKS[kind], stencil, size, result


def run_all(arguments, tessera):
    """Times, and counters, of every case."""
    for _, deck, stencil, size, result in cases(arguments):
        print(f"running {result.stem}", file=sys.stderr, flush=True)
        where = [*settings(arguments, stencil, size), *selection(arguments)]
        log = arguments.out / "log.txt"
        execute([tessera, "run", str(deck), "-o", str(result), *where], log)
        if arguments.counters:
            counted = [sys.executable, str(ROOT / "tools" / "counters.py"), str(deck), "--tessera",
                       tessera, "--result", str(result), "--set", "case.steps=1", *where]
            execute(counted, log)


def load(path):
    """A result file's rows."""
    try:
        file = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StudyError(f"{path}: {error}") from None
    return [row for row in file["results"] if row["status"] == "valid"]


def calibrate(arguments, tessera):
    """Constants fitted to every second row of all files, in their order; the machine file."""
    fitted = arguments.out / "machine.json"
    results = [str(result) for *_, result in cases(arguments)]
    command = [tessera, "machine", "--input", str(arguments.machine), "--output", str(fitted),
               "--calibrate", *results]
    if arguments.registers:
        command += ["--registers", str(arguments.registers)]
    print(execute(command, arguments.out / "log.txt"))
    return fitted


def predict(arguments, tessera, machine):
    """{(result file, variant:configuration): prediction} with the fitted constants."""
    found = {}
    for _, deck, stencil, size, result in cases(arguments):
        command = [tessera, "predict", str(deck), "--machine", str(machine), "--json",
                   *settings(arguments, stencil, size), *selection(arguments)]
        if arguments.registers:
            command += ["--registers", str(arguments.registers)]
        for entry in json.loads(execute(command, arguments.out / "log.txt")):
            if not entry["unsupported"]:
                found[result, entry["name"]] = entry
    return found


def median(samples):
    """Middle of the samples."""
    ordered = sorted(samples)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else 0.5 * (ordered[half - 1] + ordered[half])


def footprint(row):
    """Bytes of the arrays."""
    size = 4 if row["precision"] == "float" else 8
    return row["resources"]["minimal_elements_per_cell"] * size * row["nx"] * row["ny"] * row["nz"]


def collect(arguments, predictions, l2_bytes):
    """One record a row: identity, measured, predicted, whether it judges."""
    records, index = [], 0
    for kind, _, stencil, size, result in cases(arguments):
        for row in load(result):
            name = f"{row['variant']}:{row['configuration']}"
            entry = predictions.get((result, name))
            if entry is None:
                continue
            large = footprint(row) >= 4 * l2_bytes  # as the calibration has it
            counted = row["counters"] if row["counters"].get("nx") == row["nx"] else {}
            records.append({
                "kind": kind, "stencil": stencil, "size": size, "name": name,
                "judges": not large or index % 2 == 1, "large": large,
                "seconds": median(row["samples_s"]), "predicted": entry, "counted": counted})
            index += large
    return records


def error(predicted, measured):
    """|predicted / measured - 1|, or nothing."""
    return abs(predicted / measured - 1) if predicted and measured else None


def mean(values):
    """Mean of those that are there."""
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


QUANTITIES = {
    "V_SMX": lambda r: error(r["predicted"]["volume_bytes_per_cell"]["smx"],
                             r["counted"].get("l1_bytes_per_cell")),
    "V_L2": lambda r: error(r["predicted"]["volume_bytes_per_cell"]["l2"],
                            r["counted"].get("l2_bytes_per_cell")),
    "V_GM": lambda r: error(r["predicted"].get("counted_gm_bytes_per_cell"),
                            r["counted"].get("dram_bytes_per_cell")),
    "time": lambda r: error(r["predicted"]["step_s"], r["seconds"]),
    "seed V_SMX": lambda r: error(r["predicted"]["seed"]["volume_bytes_per_cell"]["smx"],
                                  r["counted"].get("l1_bytes_per_cell")),
    "seed V_L2": lambda r: error(r["predicted"]["seed"]["volume_bytes_per_cell"]["l2"],
                                 r["counted"].get("l2_bytes_per_cell")),
    "seed V_GM": lambda r: error(r["predicted"]["seed"]["volume_bytes_per_cell"]["gm"],
                                 r["counted"].get("dram_bytes_per_cell")),
    "seed (2)": lambda r: error(r["predicted"]["seed"]["step_s"], r["seconds"]),
    "seed (18)": lambda r: error(r["predicted"]["seed"]["adjusted_s"], r["seconds"]),
}


def percent(value):
    """A figure, or a dash."""
    return "-" if value is None else f"{100 * value:.1f}"


def tables(records, sizes, out):
    """Tables 3 and 4 as text and CSV: average errors in per cent, by stencil and size."""
    lines = ["kind,stencil,size,judged," + ",".join(QUANTITIES)]
    for kind in dict.fromkeys(r["kind"] for r in records):
        print(f"\n{kind}: average error in %, of the cases that the constants were not fitted to")
        print(f"{'stencil':8} {'size':>5} {'large':>6} " +
              " ".join(f"{name:>10}" for name in QUANTITIES))
        for stencil in dict.fromkeys(r["stencil"] for r in records):
            for size in sizes:
                part = [r for r in records if (r["kind"], r["stencil"], r["size"]) ==
                        (kind, stencil, size) and r["judges"]]
                if not part:
                    continue
                cells = [percent(mean(f(r) for r in part)) for f in QUANTITIES.values()]
                large = "yes" if part[0]["large"] else "no"
                print(f"{stencil:8} {size:>5} {large:>6} " + " ".join(f"{c:>10}" for c in cells))
                lines.append(f"{kind},{stencil},{size},{large}," + ",".join(cells))
        judged = [r for r in records if r["kind"] == kind and r["judges"] and r["large"]]
        cells = [percent(mean(f(r) for r in judged)) for f in QUANTITIES.values()]
        print(f"{'all':8} {'':>5} {'yes':>6} " + " ".join(f"{c:>10}" for c in cells))
        lines.append(f"{kind},all,,yes," + ",".join(cells))
    (out / "errors.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def table_of_runs(records, out):
    """A line a run: what was measured, counted (bytes a cell) and predicted."""
    columns = {
        "kind": lambda r: r["kind"],
        "stencil": lambda r: r["stencil"],
        "size": lambda r: r["size"],
        "name": lambda r: r["name"],
        "judges": lambda r: int(r["judges"] and r["large"]),
        "seconds": lambda r: r["seconds"],
        "predicted_s": lambda r: r["predicted"]["step_s"],
        "dram_bytes_per_cell": lambda r: r["counted"].get("dram_bytes_per_cell"),
        "predicted_gm": lambda r: r["predicted"].get("counted_gm_bytes_per_cell"),
        "l2_bytes_per_cell": lambda r: r["counted"].get("l2_bytes_per_cell"),
        "predicted_l2": lambda r: r["predicted"]["volume_bytes_per_cell"]["l2"],
        "l1_bytes_per_cell": lambda r: r["counted"].get("l1_bytes_per_cell"),
        "predicted_smx": lambda r: r["predicted"]["volume_bytes_per_cell"]["smx"],
    }
    with open(out / "runs.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for record in records:
            values = [value(record) for value in columns.values()]
            writer.writerow(f"{v:g}" if isinstance(v, float) else v for v in values)


def plot(records, out):
    """Figures 2 and 5: times by stage and as measured, a panel a stencil and size."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no Matplotlib: no plots", file=sys.stderr)
        return
    panels = defaultdict(list)
    for record in records:
        panels[record["kind"], record["size"]].append(record)
    for (kind, size), part in panels.items():
        stencils = list(dict.fromkeys(r["stencil"] for r in part))
        figure, axes = pyplot.subplots(len(stencils), 1, figsize=(11, 2.8 * len(stencils)),
                                       squeeze=False)
        for axis, stencil in zip(axes[:, 0], stencils):
            rows = [r for r in part if r["stencil"] == stencil]
            x = range(len(rows))
            axis.plot(x, [1e3 * r["seconds"] for r in rows], "ko-", label="measured")
            axis.plot(x, [1e3 * r["predicted"]["step_s"] for r in rows], "r^-", label="predicted")
            for stage, label in (("gm", "memory"), ("l2", "L2"), ("smx", "on chip")):
                axis.plot(x, [1e3 * r["predicted"]["stage_s"][stage] for r in rows], ":",
                          label=label)
            axis.plot(x, [1e3 * r["predicted"]["seed"]["adjusted_s"] for r in rows], "--",
                      color="grey", label="seed (18)")
            axis.set_xticks(list(x), [r["name"].split(":")[1] for r in rows], rotation=70,
                            fontsize=6)
            axis.set_yscale("log")
            axis.set_ylabel("ms a step")
            axis.set_title(f"{stencil}, {size}³, {kind}", fontsize=9)
            axis.legend(fontsize=6, ncol=3)
        figure.tight_layout()
        figure.savefig(out / f"times-{kind}-{size}.png", dpi=110)
        pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", help="the program (default: the only build/*/tessera)")
    parser.add_argument("--machine", type=Path, required=True,
                        help="machine file of this machine (tessera machine -o)")
    parser.add_argument("--registers", type=Path, help="the compiler's table (ci/resources.sh)")
    parser.add_argument("--out", type=Path, default=Path("out/traffic-study"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 128, 256, 512, 768])
    parser.add_argument("--stencils", nargs="+", choices=STENCILS, default=STENCILS)
    parser.add_argument("--kinds", nargs="+", choices=list(DECKS), default=list(DECKS))
    parser.add_argument("-v", "--variants", action="append", default=[],
                        help="globs in place of the decks' samples")
    parser.add_argument("--set", action="append", default=[], help="override a deck key")
    parser.add_argument("--counters", action="store_true", help="count volumes (ncu, rocprofv3)")
    parser.add_argument("--reuse", action="store_true", help="run nothing: what lies in --out")
    arguments = parser.parse_args()
    tessera = find_tessera(arguments.tessera)
    if not arguments.machine.is_file():
        raise StudyError(f"{arguments.machine}: no such machine file")
    arguments.out.mkdir(parents=True, exist_ok=True)
    if not arguments.reuse:
        run_all(arguments, tessera)
    machine = calibrate(arguments, tessera)
    caches = json.loads(machine.read_text(encoding="utf-8"))["caches"]
    l2_bytes = max(cache["bytes"] * cache.get("instances", 1) for cache in caches
                   if cache["level"] in ("L2", "L3"))
    records = collect(arguments, predict(arguments, tessera, machine), l2_bytes)
    if not records:
        raise StudyError("no row was measured and predicted")
    tables(records, arguments.sizes, arguments.out)
    plot(records, arguments.out)
    table_of_runs(records, arguments.out)
    print(f"\ntables, plots and {len(records)} runs: {arguments.out}")


if __name__ == "__main__":
    try:
        main()
    except (StudyError, OSError) as problem:
        sys.exit(f"{Path(sys.argv[0]).name}: error: {problem}")

# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/ete.md."""

from .. import results
from .cells import configuration, name, number, percent, rate, ratio, text
from .data import HOSTS, Pick
from .table import Each, Table

CASES = [(points, precision) for points in ("37", "73") for precision in ("float", "double")]
VARIANTS = ("class_sums", "gather_scratch", "gather_columns", "gather_queue", "scatter",
            "split2_scratch_scratch", "base_simd", "split2_xy_xz", "split2_ro_scratch",
            "gather_ro", "base_simd_blocked", "gather_gmem")
MODELS = ("random", "smooth", "layered")
SUFFIX = {"float": "", "double": "-double"}  # of a run's name


def variants_of(*files):
    """A line for each of VARIANTS that one of the runs has."""

    def lines(data):
        there = {row["variant"] for file in files for row in data.rows(file)
                 if row["status"] == "valid"}
        return [{"variant": v} for v in VARIANTS if f"ete/{v}" in there]

    return lines


def rates():
    """The best configuration of each variant: both stencils, precisions and devices."""
    gpus = (("h100", "H100"), ("h200", "H200"))
    picks = {f"{title}: {points}pt {precision}": Pick(
        f"nvidia-{gpu}/ete-{points}-random{SUFFIX[precision]}-gpu.json", "ete/{variant}")
        for gpu, title in gpus for points, precision in CASES}
    return Table(
        name="ete-devices",
        lines=variants_of(*(f"nvidia-{gpu}/ete-37-random-gpu.json" for gpu, _ in gpus)),
        picks=picks,
        columns=(("best of each, GCell/s", text("`{variant}`")),
                 *((key, rate(key)) for key in picks),
                 *((f"{title}: 37pt float, % of copy",
                    percent(f"{title}: 37pt float", "fraction_of_copy")) for _, title in gpus)),
    )


def all_variants():
    """The best of every variant on an H200."""
    files = {f"{points}pt {precision}": f"nvidia-h200/ete-{points}-random{SUFFIX[precision]}-gpu.json"
             for points, precision in CASES}
    picks = {case: Pick(file, "ete/{variant}") for case, file in files.items()}
    return Table(
        name="ete-later",
        lines=variants_of(*files.values()),
        picks=picks,
        columns=(("best of each on an H200, GCell/s", text("`{variant}`")),
                 *((key, rate(key)) for key in picks),
                 ("best with 37 points in float", configuration("37pt float"))),
    )


def printed_ratios(data, devices):
    """A line for each pair of variants whose speed-up the paper prints on one of the devices. Both
    of a pair use the same coefficient table, or the one that the paper names."""
    lines = {}
    for entry in data.document("inputs/published/fang.toml")["ratio"]:
        if entry["device"] not in devices:
            continue
        key = (entry["stencil"], entry["precision"], entry["of"], entry["over"])
        of, over = entry["of"].split("/")[1], entry["over"].split("/")[1]
        values = lines.setdefault(key, {
            "case": f"{entry['stencil']} {entry['precision']}", "of": of, "over": over,
            "points": entry["stencil"][:2], "precision": entry["precision"],
            "pattern": over.partition(":")[0], "table": over.partition(":")[2],
            "suffix": SUFFIX[entry["precision"]], **dict.fromkeys(devices, "")})
        values[entry["device"]] = f"{entry['value']:.2f}"
    # Beside the traditional scheme the one that has all its planes in scratch.
    for key, values in list(lines.items()):
        if values["over"] == "gather_queue":
            lines[(*key, "ours")] = {**values, "over": "gather_scratch",
                                     "pattern": "gather_scratch",
                                     **dict.fromkeys(devices, "")}
    for values in lines.values():
        for gpu in ("h100", "h200"):
            values[f"{gpu.upper()} file"] = (
                f"nvidia-{gpu}/ete-{values['points']}-random{values['suffix']}-gpu.json")
    return list(lines.values())


def paper_table(name_of_table, devices, files):
    """Printed speed-ups beside ours. `files`: {title: (file, what its rows must be)}; of a case
    whose file is not there the cell is empty."""
    picks, columns = {}, []
    for title, (file, cases) in files.items():
        picks[f"{title} of"] = Pick(file, "ete/{of}", cases, table="", may_lack=True)
        picks[f"{title} over"] = Pick(file, "ete/{pattern}", cases, table="{table}", may_lack=True)
        columns.append((title, ratio(f"{title} of", f"{title} over")))
    return Table(
        name=name_of_table,
        lines=lambda data: printed_ratios(data, devices),
        picks=picks,
        captions=tuple(key for key in picks if key.endswith(" of")),
        keep=lambda rows: True,
        columns=(("case", text("{case}")), ("of", text("`{of}`")), ("over", text("`{over}`")),
                 *((f"printed: {device}", text(f"{{{device}}}")) for device in devices), *columns),
    )


ACCURACY = "host/ete-accuracy.csv"


def error_times(stencil):
    """The line's error over that of one step of a stencil."""

    def cell(rows, values):
        value = float(rows["here"]["error"]) / float(rows[stencil]["error"])
        return f"{value:.2g}" if value < 10 else f"{value:.0f}", value

    return cell


XEON = "host/ete-emerald-rapids.csv"


def blocks_on_host(data):
    """The paper's host scheme by its blocks, and what it is compared with: rates of both stencils,
    and how often the best of base_simd_blocked with an equal table they are."""
    rates, sets = {}, {}
    for row in data.rows(XEON):
        key = (row["variant"].split("/")[1], row["configuration"])
        rates.setdefault(key, {})[row["stencil"].split("/")[1]] = float(row["gcell_per_s"])
        sets[key] = row["working_set_bytes"]
    equal = {key: rate for key, rate in rates.items()
             if key[0] == "base_simd_blocked" and not results.table_of(key[1])}
    best = {points: max(rate[points] for rate in equal.values()) for points in ("37pt", "73pt")}

    def line(key):
        kept = int(sets[key] or 0)
        values = {"variant": key[0], "block": key[1], "set": f"{kept / 1024:.0f}" if kept else ""}
        for points in best:
            rate = rates[key].get(points)
            values[points] = f"{rate:.2f}" if rate else ""
            values[f"x {points}"] = f"{rate / best[points]:.2f}" if rate else ""
        return values

    first = [next(key for key in equal if equal[key][points] == best[points]) for points in best]
    scatter = sorted((key for key in rates if key[0] == "scatter"), key=lambda k: int(sets[k]))
    other = max((key for key in rates if key[0] == "split2_xy_xz"),
                key=lambda key: rates[key]["37pt"])
    return [line(key) for key in (*dict.fromkeys(first), *scatter, other)]


def scatter_on_host():
    """Fang V.B, block by block, with what each thread works on."""
    return Table(
        name="ete-scatter-blocks",
        lines=blocks_on_host,
        picks={},
        keep=lambda rows: True,
        captions=None,
        columns=(("variant", text("`{variant}`")), ("block", text("`{block}`")),
                 ("working set a thread, KiB", text("{set}")),
                 *(column for points in ("37pt", "73pt") for column in (
                     (f"{points}, GCell/s", text(f"{{{points}}}")),
                     ("x best `base_simd_blocked`", text(f"{{x {points}}}"))))),
        extra=f"From `results/{XEON}`: 24 threads of a Xeon (Emerald Rapids, AVX-512), "
              "328 x 328 x 936 cells, float, random velocities, equal tables.",
    )


SPILLS = "fang-table3.toml"


def spill_lines(data):
    """Fang's Table III: a kernel a line, bytes of spill stores and loads."""
    lines = []
    for row in data.published(SPILLS).rows:
        variant, tile = row["name"].split(":")
        stores, loads = row["values"]
        lines.append({"variant": variant, "tile": tile, "stencil": row["stencil"],
                      "case": f"{row['stencil'].split('/')[1]} {row['precision']}",
                      "precision": row["precision"], "printed": f"{stores} / {loads}"})
    return lines


def spills():
    """What compilers say of the same kernels today."""
    kernel = {"variant": "{variant}", "tile": "{tile}", "precision": "{precision}",
              "stencil": "{stencil}", "other": "*scratch*"}
    files = {"nvcc": "nvidia-h100/resources.csv", "clang": "hip-mi250x/resources.csv"}
    return Table(
        name="ete-spills",
        lines=spill_lines,
        picks={key: Pick(file, where=kernel, may_lack=True) for key, file in files.items()},
        keep=lambda rows: True,
        captions=None,
        absent="-",
        columns=(("kernel", text("`{variant}:{tile}`")), ("case", text("{case}")),
                 ("printed: C2070, spill stores / loads, B", text("{printed}")),
                 ("nvcc, sm_90: registers", number("nvcc", "registers")),
                 ("spill stores B", number("nvcc", "spill_store_bytes")),
                 ("spill loads B", number("nvcc", "spill_load_bytes")),
                 ("clang, gfx90a: VGPRs", number("clang", "vgprs")),
                 ("VGPRs spilled", number("clang", "vgpr_spills")),
                 ("scratch B a lane", number("clang", "scratch_bytes_per_lane"))),
        extra=f"From `inputs/published/{SPILLS}`, `results/nvidia-h100/resources.csv` and "
              "`results/hip-mi250x/resources.csv`.",
    )


HOST_CASE = {"stencil": "ete/{points}pt", "precision": "{precision}"}

TABLES = (
    rates(),
    all_variants(),
    spills(),
    scatter_on_host(),
    Table(
        name="ete-counters",
        lines=Each(Pick("nvidia-h200/counted/ete-37-random-gpu.json", "ete/*")),
        picks={"best": Pick("nvidia-h200/counted/ete-37-random-gpu.json", "{variant}")},
        columns=(("best of each variant", name("best")), ("GCell/s", rate("best")),
                 ("memory B/cell", number("best", "counters.dram_bytes_per_cell", "{:.1f}")),
                 ("registers", number("best", "counters.registers")),
                 *((f"{title} busy, %", percent("best", f"counters.{key}_busy"))
                   for key, title in (("l1", "L1 and scratch"), ("issue", "schedulers"),
                                      ("l2", "L2"), ("dram", "memory")))),
    ),
    Table(
        name="ete-models",
        lines=variants_of("nvidia-h100/ete-37-random-gpu.json"),
        picks={model: Pick(f"nvidia-h100/ete-37-{model}-gpu.json", "ete/{variant}")
               for model in MODELS},
        columns=(("variant", text("`{variant}`")),
                 *((f"{model}, GCell/s", rate(model)) for model in MODELS),
                 ("smooth / random", ratio("smooth", "random")),
                 ("layered / random", ratio("layered", "random"))),
    ),
    paper_table("ete-paper-gpus", ("Tesla C2070", "Tesla K40c"),
                {"H100": ("{H100 file}", {}),
                 "H200": ("{H200 file}", {})}),
    paper_table("ete-paper-hosts", ("MIC 5110P", "MIC 7120P"),
                {title: (f"{folder}/ete-{{points}}-random{{suffix}}-cpu.json", HOST_CASE)
                 for title, folder in HOSTS}),
    Table(
        name="ete-accuracy",
        lines=lambda data: [{"operator": row["operator"], "steps": row["steps"]}
                            for row in data.rows(ACCURACY)],
        picks={"here": Pick(ACCURACY, where={"operator": "{operator}", "steps": "{steps}"}),
               **{key: Pick(ACCURACY, where={"operator": key}) for key in ("37pt", "73pt")}},
        columns=(("operator", text("{operator}")), ("steps in the time of one", text("{steps}")),
                 ("error", number("here", "error", "{:.1e}")),
                 ("times that of 37pt", error_times("37pt")),
                 ("of 73pt", error_times("73pt"))),
        extra="`results/host/ete-accuracy.csv`: `tools/ete_accuracy.py`, 12 Hz, double",
    ),
    Table(
        name="ete-hosts",
        lines=[{"machine": machine, "folder": folder, "variant": variant}
               for machine, folder in HOSTS
               for variant in ("base_simd_blocked", "base_simd", "gather_scratch", "class_sums",
                               "scatter")],
        picks={**{model: Pick(f"{{folder}}/ete-37-{model}-cpu.json", "ete/{variant}")
                  for model in ("random", "smooth")},
               "base": Pick("{folder}/ete-37-random-cpu.json", "ete/base_simd")},
        captions=("random", "smooth"),
        columns=(("machine", text("{machine}")), ("best", name("random")),
                 ("x `base_simd`", ratio("random", "base")), ("GCell/s", rate("random")),
                 ("smooth / random", ratio("smooth", "random"))),
    ),
)

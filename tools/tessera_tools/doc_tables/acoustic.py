# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/acoustic.md."""

from ..errors import ToolError
from .cells import device, figures, full_name, name, number, percent, rate, ratio, text, words
from .data import HOSTS, Pick, lookup, speed
from .table import Each, Table

SEVEN = {"decomposition": "seven"}
H100 = "nvidia-h100/acoustic-gpu.json"
H200 = "nvidia-h200/acoustic-gpu.json"


def moved(rows, values):
    """Counted bytes of device memory at the row's own rate, GB/s."""
    count = lookup(rows["counted"], "counters.dram_bytes_per_cell")
    value = count * speed(rows["counted"]) if count else None
    return (f"{value:.0f}", value) if value else ("", None)


# The line's values: the machine's folder, the file and the decomposition.
ROOFLINE = [
    {"folder": f"nvidia-{gpu}", "file": f"{file}-gpu.json", "decomposition": how}
    for gpu in ("h100", "h200")
    for file, how in (("acoustic-regions", "single"), ("acoustic-regions", "seven_concurrent"),
                      ("acoustic", "seven"))
]

ON_HOSTS = [
    {"machine": machine, "file": f"{folder}/acoustic-cpu.json", "variant": f"acoustic/{variant}"}
    for machine, folder in HOSTS
    for variant in ("jam", "gmem", "st_reg_fixed", "naive_simd", "naive")
]

PAST = "{folder}/past-the-bound/acoustic{suffix}.json"
GPUS = (("H100", "nvidia-h100"), ("H200", "nvidia-h200"))


def must_move(row):
    """Bytes a cell that the variant must move."""
    elements = lookup(row, "resources.moved_elements_per_cell")
    return elements and elements * (4 if row["precision"] == "float" else 8)


def share_at_moved(row):
    """What the variant must move over the update's bandwidth, per cent."""
    moves = must_move(row)
    return moves and 100 * moves * speed(row) / row["header"]["streams"]["update"]


def two_steps():
    """Two steps a pass beside one: regions, the file's suffix, storage of vp, variants."""
    one, passes = "st_async:128x8*", ("two_step:56x24,copies=bulk", "two_step:56x*,copies=threads")
    runs = (("single", "", "field", (one,)), ("seven", "", "field", (*passes, one)),
            ("seven_concurrent", "", "field", (*passes, one)),
            ("inner cells alone", "-inner", "field", (*passes, "st_async")),
            ("single", "-vp-index", "index", (one,)),
            ("seven_concurrent", "-vp-index", "index", (passes[0],)))
    return Table(
        name="acoustic-two-steps",
        lines=lambda data: [
            {"GPU": gpu, "folder": folder, "suffix": suffix, "vp": vp, "variant": variant,
             "regions": regions, "decomposition": regions if " " not in regions else "*"}
            for gpu, folder in GPUS for regions, suffix, vp, variants in runs
            for variant in variants if counted(data, folder, suffix, regions)],
        picks={"best": Pick(PAST, "acoustic/{variant}", {"decomposition": "{decomposition}"})},
        columns=(
            ("GPU", text("{GPU}")),
            ("regions", text("{regions}")),
            ("vp", text("{vp}")),
            ("variant", name("best")),
            ("GCell/s", rate("best")),
            ("must move B/cell", figures(("best",), must_move, "{:.1f}".format)),
            ("% of update at that", figures(("best",), share_at_moved, "{:.0f}".format)),
            ("% of update at 16/28 B", percent("best", "fraction_of_update")),
        ),
    )


def counted(data, folder, suffix, regions):
    """Whether a GPU has that run, in those regions."""
    file = PAST.format(folder=folder, suffix=suffix)
    return data.has(file) and (" " in regions or any(
        row["decomposition"] == regions for row in data.rows(file)))


def on_both(key):
    """A value of the final field, which both GPUs have to the bit."""
    shown = number("H200", key, "{:.4f}")

    def cell(rows, values):
        if rows["H100"] is None or rows["H100"][key] != rows["H200"][key]:
            raise ToolError(f"{key} of {values['name']}: the H100 has another one than the H200")
        return shown(rows, values)

    return cell


def final_field():
    """What 100 steps leave, each variant's least and greatest value."""
    files = {gpu: f"{folder}/past-the-bound/acoustic-100-steps.json" for gpu, folder in GPUS}
    return Table(
        name="acoustic-final-field",
        lines=lambda data: [{"name": f"{row['variant']}:{row['configuration']}"}
                            for row in data.rows(files["H200"]) if row["status"] == "valid"],
        picks={gpu: Pick(file, "{name}", SEVEN) for gpu, file in files.items()},
        columns=(("variant", name("H200")), ("least", on_both("u_min")),
                 ("greatest", on_both("u_max"))),
    )


SAI = "nvidia-h100/sai/sai-25-rows.json"


def seconds(row):
    """Of 1000 steps."""
    return row["nx"] * row["ny"] * row["nz"] / 1e6 / speed(row)


def printed(title):
    """What the paper has beside the row, GCell/s."""
    return lambda row: next(column["value"] for column in row["published"]["columns"]
                            if column["title"] == title)


def of_fastest(value, places=2):
    """A rate over the greatest of all rows that were measured."""

    def cell(rows, values):
        share = value(rows["row"]) / max(value(row) for row in values["all"])
        return f"{share:.{places}f}", share

    return cell


def table_two():
    """Sai's Table II as it was measured, beside the paper's V100."""

    def lines(data):
        rows = [row for row in data.rows(SAI) if row["status"] == "valid"]
        return [{"name": f"{row['variant']}:{row['configuration']}", "all": rows} for row in rows]

    return Table(
        name="acoustic-table-two",
        lines=lines,
        picks={"row": Pick(SAI, "{name}")},
        columns=(
            ("variant", name("row")),
            ("H100: s for 1000 steps", figures(("row",), seconds, "{:.2f}".format)),
            ("GCell/s", rate("row")), ("of the fastest", of_fastest(speed)),
            ("V100, the paper: GCell/s", figures(("row",), printed("V100"), "{:.1f}".format)),
            ("of the fastest", of_fastest(printed("V100"))),
            ("H100 over V100", figures(("row",), lambda row: speed(row) / printed("V100")(row),
                                       "{:.2f}".format)),
        ),
        extra="decomposition `seven`, five samples of 1000 steps; "
              "`inputs/published/sai-table2.toml`",
    )


REGIONS = "nvidia-h100/sai/acoustic-decompositions.json"
WAYS = ("single", "two", "two_concurrent", "seven", "seven_concurrent")


def decompositions():
    """Sai's ways to launch inner region and layers, variant by variant."""
    return Table(
        name="acoustic-decompositions",
        lines=lambda data: [{"name": f"{row['variant']}:{row['configuration']}"}
                            for row in data.rows(REGIONS) if row["decomposition"] == WAYS[0]],
        picks={way: Pick(REGIONS, "{name}", {"decomposition": way}) for way in WAYS},
        columns=(("variant", name("single")), *((f"`{way}`", rate(way)) for way in WAYS)),
    )


XEON = "host/acoustic-emerald-rapids.csv"


def many_threads():
    """The best tile of each variant on a host of 24 threads."""
    return Table(
        name="acoustic-many-threads",
        lines=lambda data: [{"variant": v} for v in
                            dict.fromkeys(row["variant"] for row in data.rows(XEON))],
        picks={regions: Pick(XEON, where={"variant": "{variant}", "regions": regions})
               for regions in ("single", "seven")},
        captions=None,
        columns=(("variant", text("`{variant}`")),
                 *(column for regions in ("single", "seven") for column in (
                     (f"best in `{regions}`", words(
                         regions, lambda row: f"`{row['configuration']}`")),
                     ("GCell/s", number(regions, "gcell_per_s", "{:.2f}")),
                     ("% of update", percent(regions, "share_of_update"))))),
        extra=f"From `results/{XEON}`: a Xeon (Emerald Rapids, AVX-512), 24 threads, 448³ cells, "
              "float, update 158 GB/s.",
    )


def samples(row):
    """The range of the rates."""
    rates = row["gcell_per_s"]
    return f"{rates['min']:.2f} to {rates['max']:.2f}"


def skewed_on_a_host(machine):
    """Several steps a pass on a host, beside one step, the fastest first."""
    file = f"host/acoustic-skewed-{machine}.json"
    return Table(
        name=f"acoustic-skewed-{machine}",
        lines=lambda data: [
            {"name": f"{row['variant']}:{row['configuration']}"}
            for row in sorted(data.rows(file), key=speed, reverse=True)],
        picks={"row": Pick(file, "{name}"), "plain": Pick(file, "acoustic/naive_simd"),
               "jam": Pick(file, "acoustic/jam")},
        captions=("row",),
        columns=(
            ("variant", name("row")), ("GCell/s", rate("row")), ("samples", words("row", samples)),
            ("x `naive_simd`", ratio("row", "plain")), ("x `jam`", ratio("row", "jam")),
            ("must move B/cell", figures(("row",), must_move, "{:.1f}".format)),
        ),
        extra="`single`",
    )


# What, file, variant, decomposition, and the aim: GCell/s on a GPU, per cent of update on a host.
AIMS = (
    *((f"{what}, H100", f"{GPUS[0][1]}/past-the-bound/acoustic{suffix}.json", variant, how, aim)
      for what, suffix, variant, how, aim in (
          ("`single`", "", "st_async", "single", 158),
          ("the same, vp by its index", "-vp-index", "st_async", "single", 166),
          ("two steps a pass, inner cells alone", "-inner", "two_step", "*", 235))),
    *((f"`single`, {machine}", f"{folder}/acoustic-cpu.json", "*", "single", 65)
      for machine, folder in HOSTS),
)


def measured(rows, values):
    """What there is, in the aim's unit."""
    row = rows["best"]
    if values["host"]:
        share = 100 * lookup(row, "fraction_of_update")
        return f"{share:.0f} % of update", share
    return f"{speed(row):.1f} GCell/s", speed(row)


def aims():
    """What was aimed at beside what is measured."""
    return Table(
        name="acoustic-aims",
        lines=[{"what": what, "file": file, "variant": variant, "decomposition": how, "aim": aim,
                "host": not file.startswith("nvidia"),
                "unit": "GCell/s" if file.startswith("nvidia") else "% of update"}
               for what, file, variant, how, aim in AIMS],
        picks={"best": Pick("{file}", "acoustic/{variant}",
                            {"decomposition": "{decomposition}"})},
        columns=(("what", text("{what}")), ("best", name("best")), ("measured", measured),
                 ("aim", text("{aim} {unit}"))),
    )


TABLES = (
    two_steps(),
    many_threads(),
    skewed_on_a_host("zen3"), skewed_on_a_host("emerald-rapids"),
    aims(),
    final_field(),
    table_two(),
    decompositions(),
    Table(
        name="acoustic-variants",
        lines=lambda data: [line for line in Each(Pick(H200, "acoustic/*", SEVEN)).lines(data)
                            if line["variant"] != "acoustic/two_step"],
        picks={"H200": Pick(H200, "{variant}:{configuration}", SEVEN),
               "H100": Pick(H100, "{variant}:{configuration}", SEVEN),
               "counted": Pick("nvidia-h200/counted/acoustic-gpu.json",
                               "{variant}:{configuration}", SEVEN),
               "H200 naive": Pick(H200, "acoustic/naive", SEVEN),
               "H100 naive": Pick(H100, "acoustic/naive", SEVEN)},
        columns=(
            ("best of each variant on an H200", name("H200")),
            *(column for gpu in ("H100", "H200") for column in (
                (f"{gpu}: GCell/s", rate(gpu)),
                ("% of copy", percent(gpu, "fraction_of_copy")),
                ("x `naive`", ratio(gpu, f"{gpu} naive")))),
            ("memory B/cell", number("counted", "counters.dram_bytes_per_cell", "{:.1f}")),
            ("L2 B/cell", number("counted", "counters.l2_bytes_per_cell", "{:.1f}")),
            ("registers", number("counted", "counters.registers")),
            ("warps resident, %", percent("counted", "counters.achieved_occupancy")),
        ),
        extra="decomposition `seven`",
    ),
    Table(
        name="acoustic-roofline",
        lines=ROOFLINE,
        picks={"best": Pick("{folder}/{file}", "acoustic/st_async",
                            {"decomposition": "{decomposition}"}),
               "counted": Pick("{folder}/counted/{file}", "acoustic/st_async",
                               {"decomposition": "{decomposition}"}, may_lack=True)},
        columns=(
            ("device", device("best")),
            ("configuration", name("best")),
            ("regions", text("`{decomposition}`")),
            ("GCell/s", rate("best")),
            ("% of copy", percent("best", "fraction_of_copy")),
            ("% of update", percent("best", "fraction_of_update")),
            ("least B/cell", number("best", "predicted.bytes_per_cell", "{:.1f}")),
            ("memory B/cell", number("counted", "counters.dram_bytes_per_cell", "{:.1f}")),
            ("GB/s moved when counted", moved),
        ),
        absent="not counted",
    ),
    Table(
        name="acoustic-hosts",
        lines=ON_HOSTS,
        picks={"best": Pick("{file}", "{variant}", SEVEN),
               "plain": Pick("{file}", "acoustic/naive_simd", SEVEN)},
        columns=(
            ("machine", text("{machine}")),
            ("variant", full_name("best")),
            ("x `naive_simd`", ratio("best", "plain")),
            ("GCell/s", rate("best")),
            ("% of update", percent("best", "fraction_of_update")),
            ("% of copy", percent("best", "fraction_of_copy")),
        ),
    ),
)

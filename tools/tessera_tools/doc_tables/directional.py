# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/performance/directional.md."""

from dataclasses import dataclass

from .cells import name, number, percent, rate, ratio, text
from .data import HOSTS, Pick, speed
from .table import Table

# Title, file, and the file that has `window`. The H100's kernels as they are launched today have a
# file of their own, which lacks `window`, whose launch is what it was in the study.
STUDY = "nvidia-h100/directional-gpu.json"
NATIVE = "nvidia-h100/past-the-bound/directional-native.json"
H200 = "nvidia-h200/directional-gpu.json"
FILES = ({"title": "H100", "file": NATIVE, "windows": STUDY},
         {"title": "H200", "file": H200, "windows": H200})
OF_TWO_FILES = "on the H100 `window` is of the study, all else launched natively"


@dataclass(frozen=True)
class Fastest:
    """The fastest row of a line's two files, of kernels whose names match."""

    stencil: str
    variant: str = "*"
    file: str = "*"  # captions name the files of the rows
    may_lack: bool = False

    def choose(self, data, values):
        """The row, or None where the line names no file."""
        where = {"stencil": self.stencil, "decomposition": "aligned"}
        found = [Pick(file, variant, where).choose(data, values) for file, variant in (
            ("{file}", f"directional/{self.variant}"), ("{windows}", "directional/window"))]
        return max(filter(None, found), key=speed, default=None)


def published(quantity, title):
    """The figure that the paper prints for the line's row of its table."""

    def cell(rows, values):
        if not rows.get("paper"):
            return "", None
        for column in (rows["paper"].get("published") or {}).get("columns", ()):
            if column["quantity"] == quantity:
                return f"{column['value']:.0f}", column["value"]
        return "", None

    return title, cell


def gain(parts, whole):
    """How many times faster one fused pass is than its parts one after the other."""

    def cell(rows, values):
        if not rows[whole]:
            return values[whole + parts[0]], None
        value = sum(1 / speed(rows[part]) for part in parts) * speed(rows[whole])
        return f"{value:.2f}", value

    return cell


def printed_gain(parts, whole):
    """The same of the paper's bandwidths: each kernel's own best."""

    def made(data):
        best = {}
        table = data.published("amd-bandwidth.toml")
        for row, value in table.values_of("effective_gb_per_s"):
            stencil = row["stencil"].split("/")[1].split("-")[0]
            best[stencil] = max(best.get(stencil, 0), value)
        return f"{sum(best[whole] / best[part] for part in parts):.2f}"

    return made


THREE, TWO = (("x", "y", "z"), "xyz"), (("xy", "z"), "xyz")

RESOURCES = (("vgprs", "VGPRs"), ("sgprs", "SGPRs"), ("static_lds_bytes", "static LDS B"),
             ("waves_per_simd", "waves a SIMD unit"))


def gfx90a_kernels(data):
    """The kernels whose registers the paper prints, with its figures."""
    table = data.published("amd-resources.toml")
    quantities = [column["quantity"] for column in table.columns]
    lines = []
    for row in table.rows:
        variant, tile = row["name"].split(":")
        lines.append({"variant": variant, "tile": tile, **dict(zip(quantities, row["values"]))})
    return lines


def fusion_lines(data):
    """Our files, and the paper's figures as a line without one."""
    printed = {"file": "", "windows": "", "title": "MI250X GCD, 512³, of the printed bandwidths"}
    for parts, whole in (THREE, TWO):
        printed[whole + parts[0]] = printed_gain(parts, whole)(data)
    return [printed, *FILES]


def radii_of(file):
    """A line for each radius of a run along all three axes."""

    def lines(data):
        there = {row["stencil"] for row in data.rows(file)}
        return [{"radius": r} for r in range(1, 9) if f"directional/xyz-r{r}" in there]

    return lines


RATES = "nvidia-h100/past-the-bound/directional-{n}.json"
FUSED = "fused_async:128x32,v=4,rows=2,ahead="

SCRATCH = "nvidia-h100/scratch-instructions.csv"


def a_warp(key):
    """Instructions of a warp, and of 32 cells."""

    def cell(rows, values):
        launch = rows["launch"]
        cells = 1
        for extent in launch["cells"].split("x"):
            cells *= int(extent)
        count = float(launch[key])
        return f"{count / float(launch['warps']):.0f}", 32 * count / cells

    return cell


def for_a_row(key):
    """Instructions for 32 cells, whatever a warp has of them."""

    def cell(rows, values):
        found = a_warp(key)(rows, values)[1]
        return f"{found:.2f}", found

    return cell


TABLES = (
    Table(
        name="directional-scratch",
        lines=lambda data: [{key: row[key] for key in ("stencil", "variant")}
                            | {"short": row["stencil"].split("/")[1],
                               "name": row["variant"].split("/")[1]}
                            for row in data.rows(SCRATCH)],
        picks={"launch": Pick(SCRATCH, where={"stencil": "{stencil}", "variant": "{variant}"})},
        captions=None,
        columns=(("stencil", text("{short}")), ("kernel", text("`{name}`")),
                 ("loads a warp", a_warp("scratch_loads")),
                 ("stores a warp", a_warp("scratch_stores")),
                 ("loads for 32 cells", for_a_row("scratch_loads")),
                 ("stores for 32 cells", for_a_row("scratch_stores"))),
        extra=f"From `results/{SCRATCH}`: an H100, 512³ cells, float, a launch each under ncu.",
    ),
    Table(
        name="directional-fused",
        lines=[{"n": n, "cube": f"{n}³", "variant": variant} for n in (512, 1000) for variant in
               (f"{FUSED}2", f"{FUSED}2,nw=128", f"{FUSED}2,paced",
                f"{FUSED}3,copies=bulk,paced")],
        picks={"row": Pick(RATES, "directional/{variant}", {"stencil": "directional/xyz-r4"})},
        columns=(("cells", text("{cube}")), ("kernel", name("row")), ("GCell/s", rate("row")),
                 ("GB/s", number("row", "effective_gb_per_s")),
                 ("% of copy", percent("row", "fraction_of_copy"))),
    ),
    Table(
        name="directional-best",
        lines=[{"stencil": stencil, **files}
               for files in FILES for stencil in ("x", "y", "z", "xy", "xyz")],
        picks={"best": Fastest("directional/{stencil}-r4"),
               "baseline": Pick("{file}", "directional/baseline",
                                {"stencil": "directional/{stencil}-r4"})},
        captions=("best",),
        extra=OF_TWO_FILES,
        columns=(("", text("{title}")), ("stencil", text("{stencil}")), ("best", name("best")),
                 ("GB/s", number("best", "effective_gb_per_s")),
                 ("% of copy", percent("best", "fraction_of_copy", 1)),
                 ("x `baseline`", ratio("best", "baseline"))),
    ),
    Table(
        name="directional-paper",
        lines=[{"stencil": s, "variant": v,
                "file": STUDY if v.startswith("window") else NATIVE} for s, v in (
            ("x", "baseline:256x1"), ("x", "vec:256x4,v=4"), ("y", "baseline:256x1"),
            ("y", "vec:256x4,v=4"), ("y", "lds:256x4,v=4"), ("xy", "fused_xy:256x4,v=4"),
            ("z", "window:256x4,v=4,nw=100"), ("xyz", "fused_xyz:256x4,v=4,nw=100"))],
        picks={"paper": Pick("{file}", "directional/{variant}",
                             {"stencil": "directional/{stencil}-r4"})},
        extra=OF_TWO_FILES,
        columns=(("stencil", text("{stencil}")), ("kernel of the paper", name("paper")),
                 published("effective_gb_per_s", "MI250X GCD, as printed: GB/s"),
                 ("H100 GB/s", number("paper", "effective_gb_per_s")),
                 ("% of copy", percent("paper", "fraction_of_copy"))),
    ),
    Table(
        name="directional-fusion",
        lines=fusion_lines,
        keep=lambda rows: True,
        picks={key: Fastest(f"directional/{key}-r4") for key in ("x", "y", "z", "xy", "xyz")},
        captions=("y", "xyz"),
        extra=OF_TWO_FILES,
        columns=(("", text("{title}")),
                 ("(T_x + T_y + T_z) / T_xyz", gain(*THREE)),
                 ("(T_xy + T_z) / T_xyz", gain(*TWO))),
    ),
    Table(
        name="directional-radii",
        lines=radii_of("nvidia-h200/directional-radii-gpu.json"),
        picks={key: Pick("nvidia-h200/directional-radii-gpu.json", f"directional/{key}",
                         {"stencil": "directional/xyz-r{radius}"})
               for key in ("fused_async", "fused_xyz", "baseline")},
        columns=(("R", text("{radius}")),
                 *((f"`{key}` % of copy", percent(key, "fraction_of_copy", 1))
                   for key in ("fused_async", "fused_xyz", "baseline"))),
    ),
    Table(
        name="directional-counters",
        lines=[{"stencil": s, "variant": v} for s, v in (
            ("x", "vec"), ("y", "vec"), ("y", "window"), ("z", "window"), ("xyz", "baseline"),
            ("xyz", "fused_xyz"), ("xyz", "fused_async"))],
        picks={"best": Pick("nvidia-h200/counted/directional-gpu.json",
                            "directional/{variant}", {"stencil": "directional/{stencil}-r4"})},
        columns=(("stencil", text("{stencil}")), ("best of", name("best")),
                 ("% of copy", percent("best", "fraction_of_copy")),
                 ("memory B/cell", number("best", "counters.dram_bytes_per_cell", "{:.1f}")),
                 ("read / written", number("best", "counters.read_write_ratio", "{:.2f}")),
                 ("registers", number("best", "counters.registers")),
                 ("warps resident, %", percent("best", "counters.achieved_occupancy")),
                 *((f"{title} busy, %", percent("best", f"counters.{key}_busy"))
                   for key, title in (("dram", "memory"), ("l2", "L2"), ("l1", "L1 and scratch"),
                                      ("issue", "schedulers")))),
    ),
    Table(
        name="directional-gfx90a",
        lines=gfx90a_kernels,
        picks={"ours": Pick("hip-mi250x/resources.csv", where={
            "variant": "{variant}", "tile": "{tile}", "precision": "float",
            "stencil": "directional/y-r4"})},
        columns=(("kernel", text("`{variant}:{tile}`")),
                 *(column for key, title in RESOURCES for column in (
                     (title, number("ours", key)), ("paper", text(f"{{{key}}}")))),
                 ("VGPR spills", number("ours", "vgpr_spills"))),
        extra="`results/hip-mi250x/resources.csv`: what clang 16 says of gfx90a, beside "
              "`inputs/published/amd-resources.toml`",
    ),
    Table(
        name="directional-hosts",
        lines=[{"machine": machine, "folder": folder, "stencil": stencil}
               for machine, folder in HOSTS for stencil in ("x", "y", "z", "xy", "xyz")],
        picks={"best": Pick("{folder}/directional-cpu.json", "directional/baseline",
                            {"stencil": "directional/{stencil}-r4"})},
        columns=(("machine", text("{machine}")), ("stencil", text("{stencil}")),
                 ("best", name("best")),
                 ("% of copy", percent("best", "fraction_of_copy")),
                 ("% of update", percent("best", "fraction_of_update")),
                 ("GB/s", number("best", "effective_gb_per_s", "{:.1f}"))),
    ),
)

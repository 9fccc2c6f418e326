# SPDX-License-Identifier: Apache-2.0
"""tools/counters.py: formats of three profilers, and the way from a deck to a result file with a
stand-in for ncu. Figures are made up so that sums can be done in the head."""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from common import ROOT, TESSERA, call, check, check_error, equal, finish, preload, raises

from tessera_tools import counter_formats as formats
from tessera_tools import counter_rows as rows_of
from tessera_tools import likwid
from tessera_tools.errors import ToolError
from tessera_tools.kernel_names import functor

refused = partial(raises, ToolError)
preload("jsonschema")


def close(found, expected, text):
    """The same as equal() for figures."""
    if found is None or abs(found - expected) > 1e-9 * abs(expected):
        equal(found, expected, text)


def rounded(kernel):
    """Figures as they are read, not as factors leave them."""
    return {key: value if isinstance(value, str) else round(value, 12)
            for key, value in kernel.items()}


BEGIN = "void launch<ParallelFor<tessera::ProfileBegin, RangePolicy<Cuda>>>(T1)"
END = "void launch<ParallelFor<tessera::ProfileEnd, RangePolicy<Cuda>>>(T1)"
INNER = ("void launch<ParallelFor<tessera::<unnamed>::BlockKernel<float, "
         "tessera::Tile<(int)8, (int)8, (int)8>, (tessera::Update)0>, TeamPolicy<Cuda>>>(T1)")
NATIVE = ("void tessera::native::kernel<(int)256, (int)2, tessera::<unnamed>::DeepKernel<float>>"
          "(const T3, int)")
# What older files lack, how busy units were and instructions, is left out here as well.
LATER = (*formats.BUSY, *formats.INSTRUCTIONS)
METRICS = [metric for metric, (word, _) in formats.NCU_METRICS.items() if word not in LATER]
UNITS = ["byte", "byte", "sector", "sector", "ns", "register/thread", "warp", "%", "sector",
         "sector"]


def ncu_raw(kernels):
    """--page raw: a kernel a line below names and units; chatter of the program before."""
    heads = ["ID", "Process ID", "Kernel Name", "Block Size", *METRICS]
    lines = ["streams: copy 1 GB/s", "==PROF== Connected", heads, ["", "", "", "", *UNITS]]
    for i, (name, values) in enumerate(kernels):
        lines.append([str(i), "7", name, "(256, 1, 1)", *[f"{v:,}" for v in values]])
    return "\n".join(line if isinstance(line, str) else
                     ",".join('"' + cell + '"' for cell in line) for line in lines) + "\n"


NOTHING = [0, 0, 0, 0, 100, 16, 1, 1, 0, 0]
# Per kernel: DRAM read, write; L2 sectors read, written; ns; registers; warps; per cent; L1 sectors
# read, written.
KERNELS = [(INNER, [9, 9, 9, 9, 9, 9, 9, 9, 9, 9]),  # before the marks: not counted
           (BEGIN, NOTHING), (INNER, [6000, 2000, 1000, 100, 4000, 40, 44.5, 69.5, 3000, 100]),
           (NATIVE, [1000, 500, 200, 50, 1000, 96, 16, 25, 600, 50]), (END, NOTHING),
           (INNER, [9, 9, 9, 9, 9, 9, 9, 9, 9, 9]),
           (BEGIN, NOTHING), (NATIVE, [3000, 1500, 20, 5, 1000, 96, 16, 25, 60, 5]),
           (END, NOTHING)]

with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    raw = folder / "raw.csv"

    # 1. ncu's table of kernels.
    raw.write_text(ncu_raw(KERNELS), encoding="utf-8")
    kernels = formats.read_kernels(raw)
    equal(len(kernels), len(KERNELS), "ncu, a kernel a line")
    equal(rounded(kernels[2]),
          {"name": INNER, "dram_read_bytes": 6000.0, "dram_write_bytes": 2000.0,
           "l2_read_bytes": 32000.0, "l2_write_bytes": 3200.0, "l1_read_bytes": 96000.0,
           "l1_write_bytes": 3200.0, "seconds": 4e-6, "registers": 40.0, "achieved_warps": 44.5,
           "achieved_occupancy": 0.695}, "ncu: words and units")
    for text, part in (('"ID","Kernel Name","Metric Name"\n', "--page raw"),
                       (ncu_raw(KERNELS).replace('"byte"', '"Mbyte"'), "--print-units base"),
                       (ncu_raw(KERNELS).replace('"6,000"', '"many"'), "many"),
                       ("==ERROR== no permission\n", "neither")):
        raw.write_text(text, encoding="utf-8")
        refused(lambda: formats.read_kernels(raw), part, part)

    # 2. Kernels of the rows, by marks.
    equal(functor(INNER), "BlockKernel<float, Tile<(int)8, (int)8, (int)8>, (Update)0>",
          "a kernel's functor")
    equal(functor(NATIVE), "DeepKernel<float>", "a native kernel's functor")
    equal(functor("void launch<Kokkos::Fill<float>>(T1)"),
          "void launch<Kokkos::Fill<float>>(T1)", "another's kernel")
    parts = rows_of.split_by_marks(kernels, [{}, {}])
    equal([len(part) for part in parts], [2, 1], "kernels between marks")
    refused(lambda: rows_of.split_by_marks(kernels, [{}]), "2 pairs of marks for 1", "other rows")
    totals, by_name = rows_of.sum_kernels(parts[0])
    equal(totals["dram_read_bytes"], 7000.0, "sum over the kernels of a row")
    row = {"nx": 10, "ny": 5, "nz": 2, "steps": 10}
    counters = rows_of.counters_of(row, totals, by_name, "ncu")
    close(counters["dram_bytes_per_cell"], 9.5, "DRAM bytes a cell")
    close(counters["l2_bytes_per_cell"], 32 * 1.35, "L2 bytes a cell")
    close(counters["l1_bytes_per_cell"], 32 * 3.75, "L1 bytes a cell")
    close(counters["step_s"], 5e-7, "seconds a step")
    equal(counters["achieved_warps"], 44.5, "of the longest kernel")
    equal([k["launches"] for k in counters["kernels"]], [1, 1], "launches by functor")

    # 3. rocprofv3 and its predecessor; two passes.
    head = ('"Correlation_Id","Dispatch_Id","Kernel_Name","VGPR_Count","Accum_VGPR_Count",'
            '"Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n')
    raw.write_text(head + f'1,1,"{INNER}",60,4,"FETCH_SIZE",10,1000,3000\n'
                   f'2,2,"{NATIVE}",32,0,"FETCH_SIZE",5,4000,4500\n', encoding="utf-8")
    first = formats.read_kernels(raw)
    equal(rounded(first[0]), {"name": INNER, "dram_read_bytes": 10240.0, "seconds": 2e-6,
                     "registers": 64.0}, "rocprofv3")
    raw.write_text(head + f'1,1,"{INNER}",60,4,"WRITE_SIZE",1,1000,3000\n'
                   f'2,2,"{NATIVE}",32,0,"WRITE_SIZE",2,4000,4500\n', encoding="utf-8")
    both = formats.join_passes(first, formats.read_kernels(raw))
    equal((both[1]["dram_read_bytes"], both[1]["dram_write_bytes"]), (5120.0, 2048.0), "passes")
    refused(lambda: formats.join_passes(first, first[:1]), "different kernels", "other launches")
    # Instructions on scratch: LDS and waves of one, loads, stores and warps of the other.
    raw.write_text(head + "".join(
        f'{i},{i},"{name}",60,4,"{counter}",{value},1000,3000\n'
        for i, (name, lds, waves) in enumerate(((INNER, 90, 10), (NATIVE, 30, 2)))
        for counter, value in (("SQ_INSTS_LDS", lds), ("SQ_WAVES", waves))), encoding="utf-8")
    totals, by_name = rows_of.sum_kernels(formats.read_kernels(raw))
    close(rows_of.counters_of(row, totals, by_name, "rocprofv3")["scratch_instructions_per_wave"],
          10.0, "LDS instructions a wave")
    raw.write_text('"ID","Kernel Name",' + ",".join(f'"smsp__{metric}.sum"' for metric in (
        "inst_executed_op_shared_ld", "inst_executed_op_shared_st", "warps_launched"))
        + f'\n"0","{INNER}","900","300","100"\n', encoding="utf-8")
    totals, by_name = rows_of.sum_kernels(formats.read_kernels(raw))
    close(rows_of.counters_of(row, totals, by_name, "ncu")["scratch_instructions_per_wave"], 12.0,
          "shared-memory instructions a warp")
    check("scratch_instructions_per_wave" not in counters, "not counted: absent")
    raw.write_text(f'Index,KernelName,FETCH_SIZE,WRITE_SIZE,BeginNs,EndNs\n0,"{INNER}",2,1,10,30\n',
                   encoding="utf-8")
    equal(rounded(formats.read_kernels(raw)[0]), {"name": INNER, "dram_read_bytes": 2048.0,
                                                  "dram_write_bytes": 1024.0, "seconds": 2e-8},
          "rocprof")

    # 4. LIKWID: the sum column where there are several cores, else the cores' sum.
    several = ("TABLE,Group 1 Metric,MEM,2,\nMetric,HWThread 0,HWThread 1\n"
               "Memory read data volume [GBytes],3.5,0\nMemory write data volume [GBytes],1,0\n"
               "TABLE,Group 1 Metric STAT,MEM,2,,\nMetric,Sum,Min,Max,Avg\n"
               "Memory read data volume [GBytes] STAT,3.5,0,3.5,1.75\n")
    raw.write_text(several, encoding="utf-8")
    more = likwid.read(raw)
    equal(more, {"dram_read_bytes": 3.5e9, "dram_write_bytes": 1e9}, "LIKWID")
    equal(likwid.difference(more, {"dram_read_bytes": 1e9, "dram_write_bytes": 0.5e9}),
          {"dram_read_bytes": 2.5e9, "dram_write_bytes": 0.5e9}, "the steps alone")
    refused(lambda: likwid.difference({"dram_read_bytes": 1.0}, more), "moved less", "fewer steps")

    # 5. From a deck to a result file: a stand-in for ncu runs the program and writes a table with
    #    two kernels a step for each row that it finds in the program's own file.
    deck = folder / "deck.toml"
    deck.write_text(
        '[case]\nfamily = "acoustic"\nnx = 24\nny = 22\nnz = 20\nsteps = 2\n'
        '[acoustic]\npml_cells = 3\ndecomposition = ["two", "seven"]\n'
        '[select]\nvariants = ["acoustic/gmem:8x8x8", "acoustic/naive:default"]\n'
        '[measure]\nwarmup_s = 0.0\n'
        f'[output]\ndirectory = "{folder}/run"\n'
        f'published = "{ROOT}/inputs/published/sai-table4.toml"\n', encoding="utf-8")
    subprocess.run([TESSERA, "run", str(deck)], check=True, stdout=subprocess.DEVNULL)
    updates = 24 * 22 * 20 * 2
    step = [[(INNER, [10 * updates, 2 * updates, updates, updates // 8, 4000, 40, 44.5, 69.5]),
             (NATIVE, [4 * updates, 2 * updates, 0, 0, 1000, 96, 16, 25])]]
    stand_in = folder / "bin" / "ncu"
    stand_in.parent.mkdir()
    table = ncu_raw([(BEGIN, NOTHING), *step[0], (END, NOTHING)] * 4)
    (folder / "table.csv").write_text(table, encoding="utf-8")
    stand_in.write_text(
        f"#!{sys.executable}\nimport shutil, subprocess, sys\n"
        f"shutil.copy('{folder}/table.csv', sys.argv[sys.argv.index('--log-file') + 1])\n"
        f"sys.exit(subprocess.run(sys.argv[sys.argv.index('{TESSERA}'):]).returncode)\n",
        encoding="utf-8")
    stand_in.chmod(0o755)
    os.environ["PATH"] = f"{stand_in.parent}:{os.environ['PATH']}"

    def tool(*arguments):
        return call(ROOT / "tools/counters.py", *arguments)

    result = folder / "run" / "result.json"
    done = tool(str(deck), "--tessera", TESSERA, "--result", str(result), "--profiler", "ncu",
                "--keep", str(folder / "kept"))
    equal((done.returncode, done.stderr), (0, ""), "the tool's status")
    for part in ("acoustic/gmem:8x8x8 seven", "18.0", "36.0", "beside Sai et al., Table IV",
                 "DRAM flop/B"):
        check(part in done.stdout, f"{part} is printed in {done.stdout}")
    for row in json.loads(result.read_text(encoding="utf-8"))["results"]:
        close(row["counters"].get("dram_bytes_per_cell"), 18.0, "merged DRAM volume")
        close(row["counters"].get("l2_bytes_per_cell"), 36.0, "merged L2 volume")
        flops = row["gflop_per_s"] / row["gcell_per_s"]["median"]
        close(row["counters"].get("dram_flop_per_byte"), flops / 18.0, "intensity by counters")
        check("dram_fraction_of_roofline" in row["counters"], "fraction of the roofline")

    # What was kept can be read again; the program accepts the file with counters.
    again = tool("--import", str(folder / "kept" / "counters.csv"), "--profile",
                 str(folder / "kept" / "profile.json"))
    equal(again.returncode, 0, again.stderr)
    equal(again.stdout.splitlines(), done.stdout.split("\nbeside")[0].splitlines(), "import")
    taken = subprocess.run([TESSERA, "run", str(deck), "--counters", str(result), "--set",
                            f"output.directory={folder}/again"], capture_output=True, text=True,
                           check=False)
    equal(taken.returncode, 0, taken.stderr)
    check("by hardware counters" in taken.stdout, "run takes counters over")

    # 6. Bad input: one line, status 1, the result file as it was.
    before = result.read_text(encoding="utf-8")
    (folder / "table.csv").write_text(ncu_raw([(BEGIN, NOTHING), (END, NOTHING)]), encoding="utf-8")
    other = folder / "other.json"
    other.write_text(before.replace('"acoustic/', '"elastic/'), encoding="utf-8")
    for part, *arguments in (
            ("a deck is required",), ("pairs of marks", deck, "--tessera", TESSERA, "--result", result),
            ("nothing ran for a profiler", "--import", raw, "--profile", result),
            ("none of the configurations", "--import", folder / "kept/counters.csv", "--profile",
             folder / "kept/profile.json", "--result", other),
            ("is not on PATH", deck, "--profiler", "rocprofv3", "--tessera", TESSERA)):
        check_error(tool(*arguments), part, part)
    equal(result.read_text(encoding="utf-8"), before, "the result file after failures")

finish()

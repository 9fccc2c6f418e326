# SPDX-License-Identifier: Apache-2.0
"""What profilers write, in one vocabulary: a list of kernels in launch order, each a dictionary of

name, seconds, dram_read_bytes, dram_write_bytes, l2_read_bytes, l2_write_bytes, l1_read_bytes,
l1_write_bytes, registers, achieved_warps, achieved_occupancy, and how busy the device was:
dram_busy, l2_busy, l1_busy, issue_busy; what a profiler does not count is absent.
"""

import csv
import re
from pathlib import Path

VOLUMES = ("dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "l2_write_bytes",
           "l1_read_bytes", "l1_write_bytes")
BUSY = ("dram_busy", "l2_busy", "l1_busy", "issue_busy")
STATES = ("registers", "achieved_warps", "achieved_occupancy", *BUSY)


class CounterError(Exception):
    """Nothing can be counted; the message is one line."""


# A profiler's counter -> our word, and what makes it bytes, seconds or a fraction. L2 is what the
# multiprocessors' own caches ask of it, L1 what global loads and stores ask of them, both in sectors
# of 32 bytes. Busy: the share of its peak rate that a unit sustained; L1 is the data path that
# shared memory and cache have in common, issue the share of cycles in which a scheduler issued an
# instruction.
NCU_METRICS = {
    "dram__bytes_read.sum": ("dram_read_bytes", 1),
    "dram__bytes_write.sum": ("dram_write_bytes", 1),
    "lts__t_sectors_srcunit_tex_op_read.sum": ("l2_read_bytes", 32),
    "lts__t_sectors_srcunit_tex_op_write.sum": ("l2_write_bytes", 32),
    "gpu__time_duration.sum": ("seconds", 1e-9),
    "launch__registers_per_thread": ("registers", 1),
    "sm__warps_active.avg.per_cycle_active": ("achieved_warps", 1),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("achieved_occupancy", 0.01),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("dram_busy", 0.01),
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": ("l2_busy", 0.01),
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": ("l1_busy", 0.01),
    "sm__inst_issued.avg.pct_of_peak_sustained_active": ("issue_busy", 0.01),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ("l1_read_bytes", 32),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": ("l1_write_bytes", 32),
}
# What limits occupancy, for those who keep the profiler's file.
NCU_EXTRA = ["launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem",
             "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks"]
# FETCH_SIZE and WRITE_SIZE count KiB of device memory; a request of a compute unit's cache to the
# L2 (TCC) carries 64 bytes.
ROCPROF_METRICS = {
    "FETCH_SIZE": ("dram_read_bytes", 1024),
    "WRITE_SIZE": ("dram_write_bytes", 1024),
    "TCP_TCC_READ_REQ_sum": ("l2_read_bytes", 64),
    "TCP_TCC_WRITE_REQ_sum": ("l2_write_bytes", 64),
}
ROCPROF_GROUPS = [["FETCH_SIZE"], ["WRITE_SIZE"],
                  ["TCP_TCC_READ_REQ_sum", "TCP_TCC_WRITE_REQ_sum"]]
# A LIKWID metric's name begins so, in its groups MEM (or MEM_SP, MEM_DP) and L2.
LIKWID_METRICS = {
    "Memory read data volume": "dram_read_bytes",
    "Memory load data volume": "dram_read_bytes",
    "Memory write data volume": "dram_write_bytes",
    "Memory evict data volume": "dram_write_bytes",
    "L2D load data volume": "l2_read_bytes",
    "L2D evict data volume": "l2_write_bytes",
}
NS = re.compile(r"tessera::(?:\(anonymous namespace\)::|<unnamed>::|(?!native::)\w+::)*(\w+)")


def functor(kernel):
    """A kernel's functor, of ours with its template arguments: GmemKernel<float, Tile<8, 8, 8>>."""
    found = next((match for match in NS.finditer(kernel) if match[1] != "native"), None)
    if not found:
        return kernel
    depth, end = 0, found.end()
    for end in range(found.end(), len(kernel)):
        depth += (kernel[end] == "<") - (kernel[end] == ">" and kernel[end - 1] != "-")
        if depth <= 0:
            break
    arguments = kernel[found.end():end + 1] if kernel[found.end():found.end() + 1] == "<" else ""
    return found[1] + arguments.replace("tessera::", "")


def ncu_command(raw, inner):
    """Counts our kernels; --kernel-name otherwise looks at the name of Kokkos' launcher only."""
    return ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(raw),
            "--kernel-name-base", "demangled", "--kernel-name", "regex:tessera",
            "--metrics", ",".join([*NCU_METRICS, *NCU_EXTRA]), *inner]


def rocprof_command(folder, counters, inner):
    """One pass; writes counters_counter_collection.csv."""
    return ["rocprofv3", "--pmc", *counters, "--output-format", "csv",
            "--output-directory", str(folder), "--output-file", "counters", "--", *inner]


def rocprof_file(folder):
    """Where rocprofv3 put its table: some versions add a folder for the host's name."""
    found = sorted(Path(folder).rglob("counters_counter_collection.csv"))
    if not found:
        raise CounterError(f"rocprofv3 left no counters_counter_collection.csv in {folder}")
    return found[0]


def likwid_command(raw, inner):
    """Whole process, all the cores that it may use."""
    return ["likwid-perfctr", "-f", "-g", "MEM", "-O", "-o", str(raw), *inner]


def number(text, where):
    """A number, digits grouped or not."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise CounterError(f"{where}: \"{text}\" is not a number") from None


def read_lines(path):
    """The file without what the program under the profiler printed before the table."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise CounterError(f"{path}: {error.strerror}") from None


def read_kernels(path):
    """The kernels in a file of ncu or rocprof, whichever layout it has."""
    lines = read_lines(path)
    heads = {"\"ID\"": ncu_kernels, "ID,": ncu_kernels, "\"Correlation_Id\"": rocprof_kernels,
             "Correlation_Id,": rocprof_kernels, "Index,": rocprof_v1_kernels,
             "\"Index\"": rocprof_v1_kernels}
    for i, line in enumerate(lines):
        for head, read in heads.items():
            if line.startswith(head):
                kernels = read(csv.DictReader(lines[i:]), path)
                if not kernels:
                    raise CounterError(f"{path}: a table without kernels")
                return kernels
    raise CounterError(f"{path}: neither ncu's nor rocprof's table of kernels")


def store(kernel, metric, value, where, words):
    """Adds a counter in our words and units; counters that nobody asked for are passed over."""
    if metric in words and value not in ("", None, "n/a"):
        word, factor = words[metric]
        kernel[word] = number(value, f"{where}: {metric}") * factor


def ncu_kernels(table, path):
    """ncu --csv: one line a metric, or (--page raw) one a kernel below a line of units."""
    kernels = {}
    for row in table:
        if not (row.get("ID") or "").strip().isdigit():
            check_units(row, path)
            continue
        kernel = kernels.setdefault(int(row["ID"]), {"name": row.get("Kernel Name") or ""})
        if "Metric Name" in row:
            check_unit(row["Metric Name"], row["Metric Unit"], path)
            store(kernel, row["Metric Name"], row["Metric Value"], path, NCU_METRICS)
        else:
            for metric in NCU_METRICS:
                store(kernel, metric, row.get(metric), path, NCU_METRICS)
    return [kernels[key] for key in sorted(kernels)]


def check_unit(metric, unit, path):
    """ncu scales units unless told not to: a volume in Mbyte would be taken for bytes."""
    wanted = {"dram_read_bytes": "byte", "dram_write_bytes": "byte", "seconds": "ns",
              "l2_read_bytes": "sector", "l2_write_bytes": "sector",
              "l1_read_bytes": "sector", "l1_write_bytes": "sector"}
    word = NCU_METRICS.get(metric, ("",))[0]
    # Newer versions write nsecond, and sectors without a unit.
    allowed = {wanted.get(word), "nsecond" if word == "seconds" else None, ""}
    if word in wanted and unit not in allowed:
        raise CounterError(f"{path}: {metric} in {unit}, not {wanted[word]}: run ncu with "
                           "--print-units base")


def check_units(row, path):
    """The line of units below the heading of --page raw."""
    for metric in NCU_METRICS:
        if row.get(metric) is not None:
            check_unit(metric, row[metric], path)


def rocprof_kernels(table, path):
    """rocprofv3's counter_collection.csv: one line a dispatch and counter."""
    kernels = {}
    for row in table:
        if not row.get("Dispatch_Id") or row.get("Counter_Name") is None:
            raise CounterError(f"{path}: no columns Dispatch_Id, Counter_Name, Counter_Value")
        kernel = kernels.setdefault(int(row["Dispatch_Id"]), {"name": row["Kernel_Name"]})
        store(kernel, row["Counter_Name"], row["Counter_Value"], path, ROCPROF_METRICS)
        if row.get("End_Timestamp") and row.get("Start_Timestamp"):
            kernel["seconds"] = 1e-9 * (int(row["End_Timestamp"]) - int(row["Start_Timestamp"]))
        if row.get("VGPR_Count"):
            kernel["registers"] = (number(row["VGPR_Count"], path) +
                                   number(row.get("Accum_VGPR_Count") or "0", path))
    return [kernels[key] for key in sorted(kernels)]


def rocprof_v1_kernels(table, path):
    """rocprof's (version 1 and 2) results.csv: one line a dispatch, a column a counter."""
    kernels = []
    for row in table:
        kernel = {"name": row.get("KernelName") or ""}
        for metric in ROCPROF_METRICS:
            store(kernel, metric, row.get(metric), path, ROCPROF_METRICS)
        if row.get("BeginNs") and row.get("EndNs"):
            kernel["seconds"] = 1e-9 * (int(row["EndNs"]) - int(row["BeginNs"]))
        kernels.append(kernel)
    return kernels


def join_passes(before, now):
    """The same launches counted again, other counters: one list."""
    if not before:
        return now
    if [kernel["name"] for kernel in before] != [kernel["name"] for kernel in now]:
        raise CounterError("two passes of the profiler launched different kernels")
    return [{**old, **new} for old, new in zip(before, now)]


def read_likwid(path):
    """Volumes of the whole process in bytes, from likwid-perfctr -O: metrics a line, a column a
    core; with more than one core there is a table of statistics whose first column is the sum."""
    found, inside = {}, ""
    for cells in csv.reader(read_lines(path)):
        if cells and cells[0] == "TABLE":
            inside = cells[1] if len(cells) > 1 else ""
            continue
        for words, word in LIKWID_METRICS.items():
            if not cells or not cells[0].startswith(words) or "[GBytes]" not in cells[0]:
                continue
            values = [number(cell, f"{path}: {cells[0]}") for cell in cells[1:] if cell]
            total = cells[0].rstrip().endswith("STAT") or "STAT" in inside
            if values and (total or word not in found):
                # Memory controllers are a socket's: only one core of it shows other than 0.
                found[word] = 1e9 * (values[0] if total else sum(values))
    if not found:
        raise CounterError(f"{path}: no data volumes of likwid-perfctr -g MEM -O")
    return found


def difference(more, less):
    """Volumes of the steps that one run has above the other."""
    out = {word: value - less.get(word, 0.0) for word, value in more.items()}
    if min(out.values()) < 0:
        raise CounterError("the run with more steps moved less: other load, or too few steps")
    return out


def read_imported(path, minus, rows, split, total):
    """(profiler, totals and kernels of each row) of a file that was written before."""
    if any(line.startswith("TABLE,") for line in read_lines(path)):
        if len(rows) != 1:
            raise CounterError(f"{path}: LIKWID counts whole processes, but {len(rows)} rows ran")
        volumes = read_likwid(path)
        if minus is None:
            raise CounterError(f"{path}: counts set-up too: --minus names that of half the steps")
        volumes = difference(volumes, read_likwid(minus))
        rows[0]["steps"] //= 2  # the difference is half of them
        return "likwid-perfctr", [(volumes, {})]
    kernels = read_kernels(path)
    source = "ncu" if any(line.startswith(("\"ID\"", "ID,")) for line in read_lines(path)) else \
        "rocprof"
    return source, [total(part) for part in split(kernels, rows)]

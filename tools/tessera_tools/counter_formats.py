# SPDX-License-Identifier: Apache-2.0
"""What profilers write, in one vocabulary: a list of kernels in launch order, each a dictionary of

name, seconds, dram_read_bytes, dram_write_bytes, l2_read_bytes, l2_write_bytes, l1_read_bytes,
l1_write_bytes, scratch_loads, scratch_stores or scratch_instructions (executed by warps, on shared
memory or LDS) and waves (warps launched), registers, achieved_warps, achieved_occupancy, and how busy the device was:
dram_busy, l2_busy, l1_busy, issue_busy; what a profiler does not count is absent.
"""

from __future__ import annotations

import csv
from pathlib import Path

from .errors import ToolError

VOLUMES = ("dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "l2_write_bytes",
           "l1_read_bytes", "l1_write_bytes")
INSTRUCTIONS = ("scratch_loads", "scratch_stores", "scratch_instructions", "waves")
BUSY = ("dram_busy", "l2_busy", "l1_busy", "issue_busy")
STATES = ("registers", "achieved_warps", "achieved_occupancy", *BUSY)

# A profiler's counter -> our word, and what makes it bytes, seconds or a fraction. L2 is what the
# multiprocessors' own caches ask of it, L1 what global loads and stores ask of them, both in
# sectors of 32 bytes. Busy: the share of its peak rate that a unit sustained; L1 is the data path
# that shared memory and cache have in common, issue the share of cycles in which a scheduler issued
# an instruction.
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
    "smsp__inst_executed_op_shared_ld.sum": ("scratch_loads", 1),
    "smsp__inst_executed_op_shared_st.sum": ("scratch_stores", 1),
    "smsp__warps_launched.sum": ("waves", 1),
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
    "SQ_INSTS_LDS": ("scratch_instructions", 1),
    "SQ_WAVES": ("waves", 1),
}
ROCPROF_GROUPS = [["FETCH_SIZE"], ["WRITE_SIZE"],
                  ["TCP_TCC_READ_REQ_sum", "TCP_TCC_WRITE_REQ_sum"],
                  ["SQ_INSTS_LDS", "SQ_WAVES"]]


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
        raise ToolError(f"rocprofv3 left no counters_counter_collection.csv in {folder}")
    return found[0]


def number(text, where):
    """A number, digits grouped or not."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise ToolError(f"{where}: \"{text}\" is not a number") from None


def elapsed(begin, end, path):
    """Seconds between two times in ns."""
    try:
        return 1e-9 * (int(end) - int(begin))  # in float they would lose their last digits
    except ValueError:
        raise ToolError(f"{path}: \"{begin}\" and \"{end}\" are not times in ns") from None


def read_lines(path):
    """The file without what the program under the profiler printed before the table."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror}") from None


def read_kernels(path):
    """The kernels in a file of ncu or rocprof, whichever layout it has."""
    lines = read_lines(path)
    heads = {"ID,": ncu_kernels, "Correlation_Id,": rocprof_kernels, "Index,": rocprof_v1_kernels}
    for i, line in enumerate(lines):
        for head, read in heads.items():
            if line.replace('"', "").startswith(head):
                kernels = read(csv.DictReader(lines[i:]), path)
                if not kernels:
                    raise ToolError(f"{path}: a table without kernels")
                return kernels
    raise ToolError(f"{path}: neither ncu's nor rocprof's table of kernels")


def store(kernel, metric, value, where, words):
    """Adds a counter in our words and units; unknown counters are passed over."""
    if metric in words and value not in ("", None, "n/a", "nan"):
        word, factor = words[metric]
        kernel[word] = number(value, f"{where}: {metric}") * factor


def ncu_kernels(table, path):
    """ncu --csv --page raw: a line a kernel below a line of units."""
    if "Metric Name" in (table.fieldnames or ()):
        raise ToolError(f"{path}: a metric a line: run ncu with --page raw")
    kernels = []
    for row in table:
        if not (row.get("ID") or "").strip().isdigit():
            for metric in NCU_METRICS:  # the line of units
                if row.get(metric) is not None:
                    check_unit(metric, row[metric], path)
            continue
        kernels.append({"name": row.get("Kernel Name") or ""})
        for metric in NCU_METRICS:
            store(kernels[-1], metric, row.get(metric), path, NCU_METRICS)
    return kernels


def check_unit(metric, unit, path):
    """ncu scales units unless told not to: a volume in Mbyte would be taken for bytes."""
    expected = next((name for part, name in (("__bytes", "byte"), ("__t_bytes", "byte"),
                                             ("__t_sectors_", "sector"), ("time_duration", "ns"))
                     if part in metric), None)
    # Newer versions write nsecond, and sectors without a unit.
    if expected and unit not in (expected, "", "nsecond" if expected == "ns" else None):
        raise ToolError(f"{path}: {metric} in {unit}, not {expected}: run ncu with "
                        "--print-units base")


def rocprof_kernels(table, path):
    """rocprofv3's counter_collection.csv: one line a dispatch and counter."""
    kernels = {}
    columns = ("Dispatch_Id", "Kernel_Name", "Counter_Name", "Counter_Value")
    for row in table:
        if any(row.get(column) is None for column in columns):
            raise ToolError(f"{path}: not all of the columns {', '.join(columns)}")
        dispatch = number(row["Dispatch_Id"], f"{path}: Dispatch_Id")
        kernel = kernels.setdefault(dispatch, {"name": row["Kernel_Name"]})
        store(kernel, row["Counter_Name"], row["Counter_Value"], path, ROCPROF_METRICS)
        if row.get("End_Timestamp") and row.get("Start_Timestamp"):
            kernel["seconds"] = elapsed(row["Start_Timestamp"], row["End_Timestamp"], path)
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
            kernel["seconds"] = elapsed(row["BeginNs"], row["EndNs"], path)
        kernels.append(kernel)
    return kernels


def join_passes(before, now):
    """The same launches counted again, other counters: one list."""
    if not before:
        return now
    if [kernel["name"] for kernel in before] != [kernel["name"] for kernel in now]:
        raise ToolError("two passes of the profiler launched different kernels")
    return [{**old, **new} for old, new in zip(before, now)]

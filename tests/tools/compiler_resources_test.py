# SPDX-License-Identifier: Apache-2.0
"""tools/compiler_resources.py on short made-up reports of both compilers."""

import contextlib
import io
from pathlib import Path

from common import ROOT, check, equal, finish

from tessera_tools import device_compile, published
from tessera_tools import resource_reports as reports
from tessera_tools import resource_rows as resources

KERNEL_A = "_Z1aIN7tessera12_GLOBAL__N_16KernelIfNS0_4TileILi32ELi8ELi1EEELNS0_6UpdateE1EEEEvv"
KERNEL_B = "_Z1aIN7tessera12_GLOBAL__N_16KernelIdNS0_4TileILi8ELi8ELi4EEELNS0_6UpdateE0EEEEvv"
OTHER = "_Z1aIN6Kokkos4FillEEvv"

REMARK = "[-Rpass-analysis=kernel-resource-usage]"
HIP = "\n".join(
    f"launch.hpp:7:1: remark: {text} {REMARK}\n  const Driver driver) {{\n  ^"
    for text in [
        f"Function Name: {KERNEL_A}", "    SGPRs: 40", "    VGPRs: 66", "    AGPRs: 2",
        "    ScratchSize [bytes/lane]: 24", "    Dynamic Stack: False",
        "    Occupancy [waves/SIMD]: 7", "    SGPRs Spill: 5", "    VGPRs Spill: 6",
        "    LDS Size [bytes/block]: 16",
        f"Function Name: {OTHER}", "    TotalSGPRs: 11", "    VGPRs: 3",
    ])
CUDA = f"""ptxas info    : 0 bytes gmem, 72 bytes cmem[4]
ptxas info    : Compiling entry function '{KERNEL_B}' for 'sm_90'
ptxas info    : Function properties for {KERNEL_B}
    48 bytes stack frame, 36 bytes spill stores, 324 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 48 bytes cumulative stack size, 16 bytes smem
ptxas info    : Compiling entry function '{OTHER}' for 'sm_90'
ptxas info    : Function properties for {OTHER}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
"""

BUILD = Path("/build")
equal([device_compile.variant_of(file, BUILD) for file in (
    ROOT / "variants/jacobi/step.cpp", BUILD / "generated/jacobi/ebisu/together.cpp",
    BUILD / "generated/jacobi/ebisu/J2d5pt_float.cpp", BUILD / "generated/build_catalogue.cpp",
    ROOT / "src/base/grid/field.cpp")],
      ["jacobi/step", "jacobi/ebisu", "jacobi/ebisu", "build_catalogue", ""], "variants of sources")

hip = reports.parse_hip(HIP)
equal(list(hip), [KERNEL_A, OTHER], "HIP: the kernels")
equal(hip[KERNEL_A],
      {"sgprs": 40, "vgprs": 66, "agprs": 2, "scratch_bytes_per_lane": 24, "waves_per_simd": 7,
       "sgpr_spills": 5, "vgpr_spills": 6, "static_lds_bytes": 16}, "HIP: the numbers")
equal(hip[OTHER], {"sgprs": 11, "vgprs": 3}, "HIP: a newer clang's word for SGPRs")

cuda = reports.parse_cuda(CUDA)
equal(cuda[KERNEL_B],
      {"stack_bytes": 48, "spill_store_bytes": 36, "spill_load_bytes": 324, "registers": 64,
       "static_shared_bytes": 16}, "CUDA: the numbers")
equal(cuda[OTHER]["static_shared_bytes"], 0, "CUDA: no shared memory is 0")

UPDATES = {"Update": ["inner", "pml"], "Order": ["up"]}
row = reports.describe(
    "void launch<ParallelFor<tessera::(anonymous namespace)::Kernel<float, tessera::Tile<32, 8, 1>,"
    " (tessera::Update)1, (tessera::acoustic::Order)0, 4>, Kokkos::TeamPolicy<Kokkos::HIP,"
    " Kokkos::LaunchBounds<256u, 4u> > >(Kernel)", UPDATES)
equal(row, {"variant": "", "tile": "32x8x1", "precision": "float", "stencil": "", "update": "pml",
            "kernel": "Kernel", "threads": "256", "min_resident": "4", "other": "up; 4"},
      "names of a team kernel")
row = reports.describe(
    "void tessera::native::kernel<512, tessera::(anonymous namespace)::Deep<double> >(int)", {})
equal((row["kernel"], row["threads"], row["precision"]), ("Deep", "512", "double"),
      "names of a native kernel")
DIRECTIONS = {"Directions": {1: "x", 7: "xyz"}}
TEAM = "tessera::directional::TeamShape"
for shape in ("{4, 32, 8, 2, 2, 1, false}", "{4, 32, 8, 2, 2, 1}"):
    row = reports.describe(
        "void tessera::native::kernel<256, 2, tessera::(anonymous namespace)::AsyncKernel<float, 4, "
        f"(tessera::directional::Directions)7, tessera::directional::Shape<{TEAM}{shape}> > >(int)",
        DIRECTIONS)
    equal(tuple(row[key] for key in
                ("kernel", "tile", "stencil", "threads", "min_resident", "other")),
          ("AsyncKernel", "128x16,v=4,rows=2,ahead=2", "directional/xyz-r4", "256", "2", ""),
          f"names of a directional kernel, {shape}")
row = reports.describe(
    "void tessera::native::kernel<512, 2, tessera::(anonymous namespace)::GatherQueueKernel<double, "
    "tessera::ete::Shape<37, (tessera::ete::Rows)1>, tessera::Tile<32, 16, 1>, "
    "(tessera::ete::Home)2> >(int)", {"Home": ["gmem", "ro", "scratch"]})
equal(tuple(row[key] for key in ("kernel", "tile", "precision", "stencil", "other")),
      ("GatherQueueKernel", "32x16x1", "double", "ete/37pt", "rows=iso; scratch"),
      "names of an ete kernel")
equal(reports.shape_name(1, 64, 4, 1, 0), "64x4,v=1", "a shape without rows and planes ahead")
equal(reports.describe("void launch<Kokkos::Fill<float> >()", {}), None, "another's kernel")

# Through the demangler: only our kernels, and the tile's name as configurations have it.
rows = reports.report_rows("hip", "acoustic/some", HIP, UPDATES)
equal(len(rows), 1, "rows of our kernels only")
equal(resources.row_name(rows[0]), "acoustic/some:32x8 float pml", "a row's name")
equal(resources.in_memory("hip", rows[0]), {"scratch_bytes_per_lane": 24, "vgpr_spills": 6},
      "HIP: what spills")
rows = reports.report_rows("cuda", "acoustic/some", CUDA, UPDATES)
equal(resources.row_name(rows[0]), "acoustic/some:8x8x4 double inner", "a 3D tile's name")
equal(len(resources.in_memory("cuda", rows[0])), 3, "CUDA: what spills")
equal(resources.summarise("cuda", rows), 1, "spills make the status 1")
clean = dict(rows[0], stack_bytes=0, spill_store_bytes=0, spill_load_bytes=0)
equal(resources.summarise("cuda", [clean]), 0, "no spills, no failure")

# Beside Fang's Table III: by name, stencil and precision.
fang = published.read(ROOT / "inputs" / "published" / "fang-table3.toml")
made = [dict(clean, variant="ete/scatter", tile="32x16", stencil=f"ete/{points}pt",
             precision=precision, other="scratch", spill_store_bytes=points)
        for points in (37, 73) for precision in ("float", "double")]
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    resources.print_published(made, fang)
lines = [line.split() for line in shown.getvalue().splitlines()]
check(["ete/scatter:32x16", "73pt", "double", "scratch", "73", "532", "0", "432"] in lines,
      "Table III beside a report: " + shown.getvalue())
equal(sum(line[0] == "ete/scatter:32x16" for line in lines), 4, "a line a stencil and precision")

enumerators = reports.read_enumerators(ROOT)
update = enumerators.get("Update", {})
equal([update.get(i) for i in (0, 1)], ["inner", "pml"], "the sources' enumerators")
equal(enumerators.get("Directions", {}).get(7), "xyz", "an enumerator with a value of its own")

finish()

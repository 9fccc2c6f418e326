#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The 25-point acoustic update as other packages write it, beside this program's; float, no layers.

variants/acoustic/contenders has the kernels, a module a package; what is not installed is said so.
Each is compared with numpy in double on a small ragged grid, then timed: the median of five runs
after one to warm up. The same call measures this program's kernels on the same grid."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from tessera_tools import command_line, errors, files, program, results

sys.path.append(str(files.ROOT / "variants/acoustic"))  # of the source tree
contenders = importlib.import_module("contenders")
DECK = files.ROOT / "inputs/sai-table2.toml"
OURS = [f"acoustic/{name}" for name in
        ("naive*", "jam", "gmem:fullx16*", "st_async", "st_bulk", "two_step")]
PACKAGES = sorted(module.name.removeprefix("with_")
                  for module in pkgutil.iter_modules(contenders.__path__))
SMALL, BOUND = (37, 41, 53), 2e-6  # cells; relative L2 of float to double after six steps


def arrays(cells, kind):
    """u, u- and vp of cells (z, y, x) with zeros around."""
    random = np.random.default_rng(1)
    return [np.pad(scale * random.random(cells, np.float32), contenders.R).astype(kind)
            for scale in (1, 1, 0.1)]


def error(make):
    """Relative L2 to numpy in double after six steps."""
    advance, plain = contenders.contender(contenders.slices)(*arrays(SMALL, np.float64))
    run, field = make(*arrays(SMALL, np.float32))
    advance(6)
    run(6)
    return float(np.linalg.norm(field() - plain()) / np.linalg.norm(plain()))


def timed(make, fields, options):
    """GCell/s of five runs."""
    run, _ = make(*(field.copy() for field in fields))
    run(2)
    samples = []
    for _ in range(5):
        begun = time.perf_counter()
        run(options.steps)
        samples.append(options.cells**3 * options.steps / 1e9 / (time.perf_counter() - begun))
    return samples


def measured(options):
    """A row a kernel of each package, or one that says why there is none."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX: not three quarters
    fields = arrays([options.cells] * 3, np.float32)
    for package in options.package or PACKAGES:
        try:
            module = importlib.import_module(f"contenders.with_{package}")
            version = getattr(sys.modules.get(package), "__version__", "")
        except ImportError as missing:
            yield {"what": package, "said": f"not installed ({missing.name or missing})"}
            continue
        for what, make in module.CONTENDERS.items():
            row = {"what": what, "version": f"{package} {version}"}
            try:
                row["error"] = error(make)
                if row["error"] < BOUND:
                    row["gcell_per_s"] = timed(make, fields, options)
                else:
                    row["said"] = "wrong"
            except Exception as failed:  # any package's own: no device, no compiler, too old
                row["said"] = f"{type(failed).__name__}: {errors.one_line(failed)[:60]}"
            yield row


def ours(options):
    """Rows of this program: the best tile of each variant."""
    path = options.output.with_suffix(".tessera.json")
    sets = [*(f"case.n{axis}={options.cells}" for axis in "xyz"), f"case.steps={options.steps}",
            "acoustic.pml_cells=0", "measure.repetitions=5"]
    with program.run_folder(path) as folder:
        tessera, tiles = program.find_tessera(options.tessera), program.run_options(OURS, sets)
        program.execute([tessera, "run", str(DECK), *tiles, "-o", str(folder)])
    rows = results.read(path).rows
    for variant in sorted({row.variant for row in rows if row.rate}):
        best = results.best(row for row in rows if row.variant == variant)
        yield {"what": best.name, "version": f"tessera {best.file.revision}",
               "gcell_per_s": [best.cells / 1e9 / sample for sample in best.samples]}


def main():
    parser = command_line.parser(__doc__, "  elsewhere.py --cells 1000 --package triton -o h100.json")
    for option, least, usual in (("--cells", 16, 320), ("--steps", 1, 10)):
        command_line.add_number(parser, option, int, least, 2000, default=usual, help=f"{usual}")
    parser.add_argument("--package", action="append", choices=PACKAGES,
                        help="this one alone (may be repeated; all)")
    command_line.add_tessera(parser)
    parser.add_argument("-o", "--output", type=Path, default=Path("elsewhere.json"),
                        help="rows; this program's result beside it (elsewhere.json)")
    options = parser.parse_args()
    rows = [*ours(options), *measured(options)]
    for row in rows:
        samples = row.get("gcell_per_s")
        rate = f"{statistics.median(samples):.3f}" if samples else "-"
        print(f"{row['what']:<36} {rate:>9}  {row.get('said', row.get('version', ''))}")
    content = {"cells": options.cells, "steps": options.steps, "rows": rows}
    options.output.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    errors.run(main)

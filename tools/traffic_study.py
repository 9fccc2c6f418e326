#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The study of the traffic model: predicted against counted volumes and measured times.

Runs inputs/su-baseline.toml and inputs/su-zblock.toml for each stencil and size, with hardware
counters where asked, fits the machine file's model constants to every second case whose arrays take
at least four times the shared cache, and judges the prediction by the others, in the layout of the
paper's Tables 3 and 4 and Figures 2 and 5. Smaller cases are reported too.
"""

from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, note_read
from tessera_tools.program import find_tessera
from tessera_tools.traffic_cases import (
    DECKS,
    STENCILS,
    Study,
    calibrate,
    collect,
    fitted_machine,
    predict,
    run_all,
    shared_cache_bytes,
)
from tessera_tools.traffic_tables import plot, write_errors, write_runs

EXAMPLES = """
  traffic_study.py --tessera build/cuda-hopper90/tessera --machine my-machine.json --counters
  traffic_study.py --tessera build/openmp/tessera --machine my-cpu.json --sizes 64 128 256 \\
    --variants 'low_order/*:full*'
  traffic_study.py --machine my-machine.json --reuse     # tables and plots of what lies in --out"""


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    command_line.add_tessera(parser)
    command_line.add_run_options(parser, "globs in place of the decks' samples")
    parser.add_argument("--machine", type=Path, required=True,
                        help="machine file of this machine (tessera machine -o)")
    parser.add_argument("--registers", type=Path, help="the compiler's table (ci/resources.sh)")
    parser.add_argument("--out", type=Path, default=Path("out/traffic-study"))
    command_line.add_number(parser, "--sizes", int, 1, 10000, nargs="+",
                            default=[64, 128, 256, 512, 768])
    parser.add_argument("--stencils", nargs="+", choices=STENCILS, default=STENCILS)
    parser.add_argument("--kinds", nargs="+", choices=list(DECKS), default=list(DECKS))
    parser.add_argument("--counters", action="store_true", help="count volumes (ncu, rocprofv3)")
    parser.add_argument("--reuse", action="store_true", help="run nothing: what lies in --out")
    arguments = parser.parse_args()
    command_line.refuse_together(parser, "reuse", ["counters"])
    for name in ("sizes", "stencils", "kinds"):
        command_line.refuse_twice(f"--{name}", getattr(arguments, name))
    return arguments


def main():
    arguments = parse_arguments()
    study = Study(
        tessera=find_tessera(arguments.tessera), out=arguments.out, machine=arguments.machine,
        registers=arguments.registers, kinds=arguments.kinds, stencils=arguments.stencils,
        sizes=arguments.sizes, variants=arguments.variants, settings=arguments.set,
        reuse=arguments.reuse,
    )
    if not study.machine.is_file():
        raise ToolError(f"{study.machine}: no such machine file")
    for path in filter(None, (study.machine, study.registers)):
        note_read(path)  # by the program
    check_output(fitted_machine(study))
    if not any(study.cases()):
        raise ToolError(f"--reuse: {study.out} has no result of these kinds, stencils and sizes, "
                        f"such as {next(study.all_cases()).result.name}: run the study without "
                        "--reuse first")
    study.out.mkdir(parents=True, exist_ok=True)
    if not arguments.reuse:
        run_all(study, arguments.counters)
    machine = calibrate(study)
    records = collect(study, predict(study, machine), shared_cache_bytes(machine))
    write_errors(records, study.sizes, study.out)
    plot(records, study.out)
    write_runs(records, study.out)
    print(f"\ntables, plots and {len(records)} runs: {study.out}")


if __name__ == "__main__":
    errors.run(main)

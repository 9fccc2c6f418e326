# SPDX-License-Identifier: Apache-2.0
"""Tessera as a Ramble application, for Benchpark: repo/tessera/application.py there."""

from ramble.appkit import (ExecutableApplication, executable, figure_of_merit, success_criteria, tags,
                           workload, workload_variable)


class Tessera(ExecutableApplication):
    """Blocking strategies of stencils on Kokkos: one grid, weak and strong scaling, acoustic."""

    name = "tessera"
    tags("seismic", "structured-grid", "stencil", "single-node", "multi-node", "weak-scaling",
         "strong-scaling", "high-memory-bandwidth", "regular-memory-access", "mpi", "c++", "kokkos",
         "openmp", "cuda", "hip")

    executable("run", "tessera run {deck} --fom --set case.nx={nx} --set case.ny={ny} --set case.nz={nz}"
               " --set case.steps={steps}", use_mpi=True)
    executable("verify", "tessera verify '{variants}'", use_mpi=True)

    workload("single", executables=["run"])
    workload("weak", executables=["run"])
    workload("strong", executables=["run"])
    workload("verify", executables=["verify"])

    runs = ["single", "weak", "strong"]
    workload_variable("deck", default="inputs/sai-table2.toml", description="what is computed",
                      workloads=["single"])
    workload_variable("deck", default="inputs/scaling-acoustic-weak.toml", description="what is computed",
                      workloads=["weak"])
    workload_variable("deck", default="inputs/scaling-acoustic-strong.toml", description="what is computed",
                      workloads=["strong"])
    for axis in ("nx", "ny", "nz"):
        workload_variable(axis, default="1000", description=f"cells along {axis[1]}, of all ranks",
                          workloads=runs)
    workload_variable("steps", default="20", description="time steps of a sample", workloads=runs)
    workload_variable("variants", default="*", description="globs over family/variant:configuration",
                      workloads=["verify"])

    log = "{experiment_run_dir}/{experiment_name}.out"
    # Forms that docs/results.md, "What harnesses parse", keeps between versions.
    figure_of_merit("{variant}", log_file=log, group_name="rate", units="GCell/s",
                    fom_regex=r"^FOM (?P<variant>\S+) = (?P<rate>\S+) GCell/s")
    figure_of_merit("verdict", log_file=log, group_name="verdict", units="",
                    fom_regex=r"^(?P<verdict>PASS|FAIL)$")
    success_criteria("pass", mode="string", match=r"^PASS$", file=log)

# SPDX-License-Identifier: Apache-2.0
"""Benchpark's experiments of Tessera: experiments/tessera/experiment.py there.

    benchpark system init --dest=my-system SYSTEM
    benchpark experiment init --dest=weak --system=my-system tessera+openmp+weak workload=weak
"""

from benchpark.directives import variant
from benchpark.experiment import Experiment
from benchpark.programming_model import ProgrammingModel, ProgrammingModelType
from benchpark.scaling import Scaling, ScalingMode


class Tessera(Experiment,
              ProgrammingModel(ProgrammingModelType.Openmp, ProgrammingModelType.Cuda,
                               ProgrammingModelType.Rocm),
              Scaling(ScalingMode.Strong, ScalingMode.Weak)):
    variant("workload", default="single", values=("single", "weak", "strong"),
            description="one grid on one node; a grid a rank; one grid on more and more ranks")
    variant("version", default="main", description="of the Spack package")

    def compute_applications_section(self):
        test = self.spec.satisfies("exec_mode=test")
        edge = 200 if test else 1000
        self.add_experiment_variable("nx", edge, True)
        self.add_experiment_variable("ny", edge, True)
        # Ranks divide z, the slow axis: weak scaling adds planes.
        self.add_experiment_variable("nz", edge, True)
        self.add_experiment_variable("steps", 4 if test else 20)
        self.add_experiment_variable("ranks", 1)
        self.set_required_variables(n_resources="{ranks}", process_problem_size="{nx}*{ny}*{nz}/{ranks}",
                                    total_problem_size="{nx}*{ny}*{nz}")
        scaled = lambda var, step, dim, factor: var.val(dim) * factor  # noqa: E731
        kept = lambda var, step, dim, factor: var.val(dim)  # noqa: E731
        self.register_scaling_config({
            ScalingMode.Strong: {"ranks": scaled, "nz": kept},
            ScalingMode.Weak: {"ranks": scaled, "nz": scaled}})
        on_device = self.spec.satisfies("+cuda") or self.spec.satisfies("+rocm")
        self.add_experiment_variable("n_gpus" if on_device else "n_ranks", "{n_resources}", True)
        if not on_device:
            self.add_experiment_variable("n_threads_per_proc", 1, True)

    def compute_package_section(self):
        self.add_package_spec(self.name, [f"tessera@{self.spec.variants['version'][0]} +mpi"])

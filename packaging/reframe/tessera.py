# SPDX-License-Identifier: Apache-2.0
"""ReFrame tests of an installed `tessera`: its variants equal their references, and how fast they are.

    reframe -C SYSTEM.py -c packaging/reframe/tessera.py -r
    reframe -c packaging/reframe/tessera.py -r -n TesseraRun -S deck=inputs/sai-table2.toml -S num_tasks=4
    reframe -c packaging/reframe/tessera.py -r -S program=build/openmp/tessera -S 'changes=case.nx=300'

References of your system go into `reference`, named as the lines FOM of a run.
"""

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.builtins import run_after, run_before, sanity_function, variable

# Forms that docs/results.md, "What harnesses parse", keeps between versions.
FOM = r"^FOM (?P<name>\S+) = (?P<value>\S+) (?P<unit>\S+)$"
VERDICT = r"^(?P<verdict>PASS|FAIL)$"


class TesseraBase(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    program = variable(str, value="tessera")

    @run_after("init")
    def set_program(self):
        self.executable = self.program

    @sanity_function
    def passed(self):
        return sn.assert_eq(sn.extractsingle(VERDICT, self.stdout, "verdict", item=-1), "PASS")


@rfm.simple_test
class TesseraVerify(TesseraBase):
    """Every variant that a glob takes equals its reference."""

    variants = variable(str, value="low_order/*")

    @run_after("init")
    def set_options(self):
        self.executable_opts = ["verify", f"'{self.variants}'"]


@rfm.simple_test
class TesseraRun(TesseraBase):
    """The rates of a deck, a figure a valid row."""

    deck = variable(str, value="inputs/quick.toml")
    changes = variable(typ.List[str], value=[])

    @run_after("init")
    def set_options(self):
        self.executable_opts = ["run", self.deck, "--fom", "-o", "result"]
        for change in self.changes:
            self.executable_opts += ["--set", f"'{change}'"]

    @run_before("performance")
    def set_figures(self):
        output = f"{self.stagedir}/{sn.evaluate(self.stdout)}"
        figures = sn.evaluate(sn.extractall(FOM, output, ["name", "value", "unit"], [str, float, str]))
        self.perf_variables = {name: sn.make_performance_function(sn.defer(value), unit)
                               for name, value, unit in figures}

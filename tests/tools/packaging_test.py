# SPDX-License-Identifier: Apache-2.0
"""The files of packaging/ on stand-ins of the programs that read them, and on the real output of
`tessera run`: what they name exists, and their expressions find what a run prints."""

import json
import os
import re
import shlex
import subprocess
from types import SimpleNamespace

from common import ROOT, TESSERA, check, equal, run_tests

# isort: split
import packaging_tools as tools

PACKAGING = ROOT / "packaging"
OPTIONS = set(re.findall(r"TESSERA_\w+", (ROOT / "cmake" / "TesseraOptions.cmake").read_text()))
PRESETS = {one["name"] for one in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}


def known_options(words, where):
    for name in re.findall(r"-D(TESSERA_\w+)=", " ".join(words)):
        check(name in OPTIONS, f"{where}: no option {name}")


def spack_recipe(folder):
    tools.spack()
    recipe, said = tools.load(PACKAGING / "spack" / "package.py")
    variants = {args[0] for name, args, _ in said if name == "variant"}
    for name, args, named in said:
        for text in [named.get("when", ""), *(args if name == "conflicts" else ())]:
            for word in re.findall(r"[+~](\w+)", text):
                check(word in variants | {"cuda", "rocm"}, f"{name}{args}: no variant {word}")
    package = recipe.Tessera()
    for on in ((), ("cuda",), ("rocm", "few"), tuple(variants)):
        package.spec = tools.Spec(*on)
        arguments = package.cmake_args()
        known_options(arguments, f"spack {on}")
        check("-DTESSERA_FETCH=False" in arguments, "libraries are Spack's")
        equal([word for word in arguments if "CXX_COMPILER" in word], {
            "cuda": ["-DCMAKE_CXX_COMPILER=/kokkos/nvcc_wrapper"],
            "rocm": ["-DCMAKE_CXX_COMPILER=/hip/hipcc"]}.get("".join(on[:1]), []), f"compiler of {on}")
    refused = {args[0]: named["when"] for name, args, named in said if name == "conflicts" and "msg" in named}
    equal(refused, {"+cuda": "+rocm", "cuda_arch=none": "+cuda", "amdgpu_target=none": "+rocm"},
          "one backend and an architecture")
    package.prefix = SimpleNamespace(bin=SimpleNamespace(tessera=TESSERA))
    os.chdir(folder)
    package.test_quick()


def ramble_application(folder):
    """Its commands run, its figures and its criterion are found in what they print."""
    tools.ramble()
    _, said = tools.load(PACKAGING / "benchpark" / "application.py")
    of = lambda kind: [(args, named) for name, args, named in said if name == kind]  # noqa: E731
    commands = {args[0]: args[1] for args, _ in of("executable")}
    small = {"deck": "inputs/quick.toml", "nx": 56, "ny": 56, "nz": 56, "steps": 1,
             "variants": "low_order/baseline:8x8x8"}
    for (workload,), named in of("workload"):
        values = {args[0]: more["default"] for args, more in of("workload_variable")
                  if workload in more["workloads"]}
        for command in named["executables"]:
            needed = set(re.findall(r"{(\w+)}", commands[command]))
            check(needed <= set(values), f"{workload}: {needed - set(values)} has no value")
        if "deck" in values:
            check((ROOT / values["deck"]).is_file(), f"no deck {values['deck']}")
    words = shlex.split(commands["run"].format(**small))
    output = subprocess.run([TESSERA, *words[1:], "-v", "acoustic/gmem:8x8x8", "-v", "acoustic/naive:default"],
                            cwd=folder, capture_output=True, text=True).stdout
    matched = {args[0]: [re.search(named["fom_regex"], line) for line in output.splitlines()]
               for args, named in of("figure_of_merit")}
    rates = {m["variant"]: float(m["rate"]) for m in matched["{variant}"] if m}
    equal(len(rates), 6, f"two variants in three decompositions, in {output}")
    check(all(rate > 0 for rate in rates.values()), f"rates {rates}")
    equal([m["verdict"] for m in matched["verdict"] if m], ["PASS"], "verdict")
    (_, criterion), = of("success_criteria")
    check(re.search(criterion["match"], output.splitlines()[-1]), "PASS is the last line")
    check(not re.search(criterion["match"], "FAIL"), "FAIL is no success")
    # ReFrame's, on the same text.
    tools.reframe()
    test, _ = tools.load(PACKAGING / "reframe" / "tessera.py")
    found = [m for m in (re.search(test.FOM, line) for line in output.splitlines()) if m]
    equal({m["name"]: float(m["value"]) for m in found}, rates, "ReFrame's figures")
    equal({m["unit"] for m in found}, {"GCell/s"}, "their unit")
    equal(re.findall(test.VERDICT, output, re.M), ["PASS"], "ReFrame's verdict")
    for kind in (test.TesseraRun, test.TesseraVerify):
        one = kind()
        one.set_program()
        one.set_options()
        equal(one.executable, "tessera", "the program")
    equal(test.TesseraRun().deck, "inputs/quick.toml", "the deck")


def benchpark_experiment(_):
    tools.benchpark()
    experiment, said = tools.load(PACKAGING / "benchpark" / "experiment.py")
    check(("workload",) in [args for _, args, _ in said], "a variant workload, which Benchpark requires")
    text = (PACKAGING / "benchpark" / "application.py").read_text()
    for on, resource in (((), "n_ranks"), (("cuda",), "n_gpus")):
        one = experiment.Tessera(*on)
        one.compute_applications_section()
        one.compute_package_section()
        check({"nx", "ny", "nz", "steps", resource} <= set(one.variables), f"variables {one.variables}")
        for name in ("nx", "ny", "nz", "steps"):
            check(f"{{{name}}}" in text, f"the application reads no {name}")
        value = SimpleNamespace(val=lambda dim: 100)
        after = {mode: {name: scale(value, 0, name, 2) for name, scale in of.items()}
                 for mode, of in one.scaling.items()}
        equal(after, {"strong": {"ranks": 200, "nz": 100}, "weak": {"ranks": 200, "nz": 200}},
              "what a doubling scales")
        # Text would be repeated, and a required variable replaces one of its name.
        check(all(isinstance(one.variables[name], int) for name in after["weak"]), "numbers are scaled")
        check("tessera" in one.packages, "its Spack package")


def container_files(_):
    for name in ("Containerfile", "Containerfile.cuda13"):
        text = (PACKAGING / name).read_text()
        known_options(text.split(), name)
        presets = set(re.findall(r"--preset (\S+)", text))
        check(presets and presets <= PRESETS, f"{name}: presets {presets}")
        equal(len(re.findall(r"^FROM \S+[:]\S*\d", text, re.M)), 2, f"{name}: two stages of pinned images")


run_tests(spack_recipe, ramble_application, benchpark_experiment, container_files)

# SPDX-License-Identifier: Apache-2.0
"""tools/compare.py: Phi and cascades of published examples, who is best where, what is never mixed,
verdicts between two runs, tables for other programs, bad input."""

import csv
import io
import json
import math
import os
import sys
from functools import partial
from pathlib import Path

from common import ROOT, check, check_error, equal, made, preload, raises, run_tests, tool_named, write

from tessera_tools import comparison, difference, portability, ratios, results, schemas
from tessera_tools.errors import ToolError

preload("pandas")
SAI = ROOT / "inputs/published/sai-table2.toml"
tool = tool_named("compare")


def row(variant, tile, rate, share=None, **more):
    """A row of 100^3 in ten steps; unsupported without a rate."""
    spread = more.pop("spread", 0)
    seconds = 1e6 / rate / 1e9 if rate else 0
    samples = [seconds * (1 + step * spread) for step in (-1, -1, 0, 1, 1)]
    return made.row(f"acoustic/{variant}:{tile}", rate, **{
        "decomposition": "seven", "reason": "" if rate else "too large",
        "samples_s": samples if rate else [], "iqr_s": 2 * spread * seconds,
        "fraction_of_roofline": share, **more})


def content(name, rows, kind="gpu", date="2026-01-01T00:00:00Z", copy=(10, 10, 10), **more):
    low, middle, high = copy
    machine = {"name": name, "device": f"a {name}", "kind": kind, **more.pop("machine", {})}
    return made.content(rows, machine, **{
        "date": date, "streams": made.streams(middle, low, high), **more})


def three(folder, *changes):
    """Two GPUs and a host, on which b does not run."""
    rows = {"one": [row("a", "8", 40, 0.4), row("a", "16", 50, 0.5), row("b", "8", 100, 1.0)],
            "two": [row("a", "8", 80, 0.8), row("b", "8", 40, 0.4)],
            "host": [row("a", "8", 1, 0.5), row("b", "8", None)]}
    files = {name: content(name, of, "cpu" if name == "host" else "gpu")
             for name, of in rows.items()}
    for change in changes:
        change(files)
    return [write(folder / f"{name}.json", file) for name, file in files.items()]


def near(found, expected, text):
    check(found is not None and math.isclose(found, expected, rel_tol=1e-12), f"{text}: {found}")


def test_published_definitions(_):
    """The six synthetic applications of Sewall et al. 2020 on ten platforms, A to J."""
    phi = portability.performance_portability
    falling = [0.1 * (i + 1) for i in range(10)]
    tenth = sum(1 / n for n in range(1, 11))  # harmonic number
    equal(phi([1.0] + 9 * [0.0]), 0, "unportable")
    for efficiencies, expected in (([1.0] + 9 * [0.1], 10 / 91), (5 * [1.0, 0.1], 10 / 55),
                                   (10 * [0.3], 0.3), (10 * [0.7], 0.7), (falling, 1 / tenth)):
        near(phi(efficiencies), expected, f"Phi of {efficiencies}")
    for wrong in ([], [0.5, -0.1], [math.nan]):
        raises(ToolError, lambda: phi(wrong), "", f"{wrong} has no Phi")  # noqa: B023
    steps = portability.cascade(falling)
    equal([at for at, _, _ in steps], list(range(9, -1, -1)), "the best platform first")
    near(steps[0][2], 1, "Phi of one")
    near(steps[1][2], 2 / (1 + 1 / 0.9), "of two")
    near(steps[9][2], 1 / tenth, "of all")
    equal([at for at, _, _ in portability.cascade([0.5, 0.5, 0])], [0, 1, 2], "ties keep their order")
    tau = portability.rank_correlation
    equal([tau([1, 2, 3], [10, 20, 30]), tau([1, 2, 3], [3, 2, 1])], [1, -1], "alike and opposite")
    near(tau([1, 2, 3, 4], [1, 3, 2, 4]), 4 / 6, "five pairs of six agree")
    near(tau([1, 1, 2], [1, 2, 3]), 2 / math.sqrt(6), "a tie in one list")
    equal([tau([1, 1], [1, 2]), tau([1], [1])], [None, None], "nothing to rank")
    raises(ToolError, lambda: tau([1, 2], [1]), "2 and 1", "lists of two lengths")


def test_figures(folder):
    found = comparison.compare(three(folder))
    problem, = found.problems
    configurations, shares = problem.table("configuration"), problem.table("application")
    equal(list(configurations.loc["acoustic/a"]), ["16", "8", "8"], "the best tile of a platform")
    equal(list(shares.loc["acoustic/a"]), [0.5, 1.0, 1.0], "of the best there")
    equal(list(problem.best.variant), ["acoustic/b", "acoustic/a", "acoustic/a"], "the best")
    equal(found.sets, {"measured GPUs": ["A", "B"], "measured hosts": ["C"],
                       "all measured": ["A", "B", "C"]}, "sets")
    application, bound = (partial(problem.phi, kind) for kind in ("application", "architectural"))
    near(application("ABC")["acoustic/a"], 3 / (1 / 0.5 + 1 + 1), "Phi of all three")
    equal(application("ABC")["acoustic/b"], 0, "0 where it fails")
    near(bound("AB")["acoustic/b"], 2 / (1 + 1 / 0.4), "of bounds")
    near(bound("AB", "all").iloc[0], 2 / (1 + 1 / 0.8), "of the best")
    check(math.isnan(application("AB", "full")["acoustic/a:16"]), "none where it was not run")
    near(application("AB", "full")["acoustic/a:8"], 2 / (1 / 0.4 + 1), "of one tile everywhere")
    equal((problem.one_variant("ABC"), problem.one_variant("C")), ("acoustic/a", "acoustic/a"), "one")
    families = found.families().set_index("set")
    best = families.loc["measured GPUs"]
    near(best.phi, 2 / (1 + 1 / 0.8), "a family's Phi")
    near(best.one_variant_phi_of_best, application("AB").max(), "its one variant")
    near(best.one_variant_phi, bound("AB")[best.one_variant], "and what that attains")
    equal(families.one_variant["all measured"], "acoustic/a", "of those that ran everywhere")
    text = tool(*three(folder), "--problems").stdout
    for part in ("if only one may be written, acoustic/a: Phi 75.0 % of the best; A loses 50.0 %",
                 "A B -1.00", "Phi bound % A B", "unsupported"):
        check(part in text, f"{part} in {text}")


def test_what_differs(folder):
    """Grids, steps and revisions that differ are told; a rate above its bound counts as the bound."""
    def change(files):
        for of in files["two"]["results"]:
            of |= {"ny": 50, "steps": 20}
        files["two"]["build"]["git_revision"] = "fedcba9876543210"
        files["one"]["results"][0] |= {"fraction_of_roofline": 1.3,
                                       "energy": {"cells_per_joule": 2.5e7}}

    files = three(folder, change)
    found = comparison.compare(files)
    problem, = found.problems
    equal([said.split()[0] for said in problem.doubts], ["grids", "steps", "revisions"], "differences")
    check(any("1 rows of one lie above" in remark and "acoustic/a:8 at 130 %" in remark
              for remark in found.remarks), f"above the bound: {found.remarks}")
    equal(problem.table("architectural", "full")["A"]["acoustic/a:8"], 1.0, "the bound at most")
    text = tool(*files, "--configurations").stdout
    text = text[text.index("\n\nacoustic/iso25"):]
    check("GCell/s" not in text and "130.0!" in text and "A Mcell/J" in text and "B Mcell" not in text,
          text)
    apart = comparison.compare([*three(folder), SAI])
    equal(list(apart.sets), ["measured GPUs", "measured hosts", "all measured", "published GPUs"], "apart")
    both = comparison.compare([*three(folder), SAI], ["one", "V100"])
    equal(both.sets, {"one, V100 (of several origins)": ["A", "D"]}, "mixed where asked for")

    def smaller_too(files):
        files["one"]["results"].append(row("a", "8", 60, 0.6, nx=200))

    chosen, = comparison.compare(three(folder, smaller_too)).problems
    check(not chosen.grids_differ and chosen.grids["A"] == "100 x 100 x 100", "the grid that most ran")


def test_newest(folder):
    """Of rows that are there twice the newest counts, one of tune only where run has none."""
    old = write(folder / "old.json", content("m", [row("a", "8", 1)]))
    new = write(folder / "new.json", content("m", [row("a", "8", 2)], date="2026-02-01T00:00:00Z"))
    tuned = write(folder / "tuned.json", content("m", [row("a", "8", 9)], roofline=None, streams=None,
                                                 date="2999-01-01T00:00:00Z"))
    for files in ([old, tuned, new], [new, old, tuned]):
        found = comparison.compare(files)
        equal(list(found.rows.gcell_per_s), [2.0], "the newest of run")
        check(found.remarks[0].startswith("2 rows"), f"{found.remarks}")
    equal(list(comparison.compare([tuned]).rows.gcell_per_s), [9.0], "alone it is compared")


def test_published(_):
    """Sai, section VI and Table II: plain 8x8x8 blocks are first on a V100, fixed registers on a P100
    (32x32) and an NVS 510 (16x8). Several steps a pass have no one-step bound; bytes alone are one."""
    problem, = comparison.compare([SAI]).problems
    equal(list(problem.best.full), ["acoustic/gmem:8x8x8", "acoustic/st_reg_fixed:32x32",
                                    "acoustic/st_reg_fixed:16x8"], "first")
    near(problem.table("application")["A"]["acoustic/semi"], 53.88 / 172.84, "seconds on the V100")
    for table, bounded in (("ebisu-a100", False), ("amd-bandwidth", True)):
        for problem in comparison.compare([f"published/{table}.toml"]).problems:
            for share in problem.best.share_of_bound:
                check(0.5 < share < 1 if bounded else math.isnan(share), f"{table}: {share}")


def test_faster(folder):
    """The first table and its sentence: the best of each problem, ratios, the roofs of the same runs."""
    one = [row("a", "8", 40), row("b", "8", 100, spread=0.06), row("c", "8", 50, stencil="acoustic/other"),
           row("j", "8", 10, family="jacobi", stencil="jacobi/j"), row("alone", "8", 9, precision="double")]
    two = [row("a", "8", 104), row("c", "8", 200, stencil="acoustic/other", nx=50),
           row("j", "8", 5, family="jacobi", stencil="jacobi/j")]
    files = [write(folder / "one.json", content("one", one)), write(folder / "two.json", content(
        "two", two, copy=(20, 20, 20), roofline={"peak_gflop_per_s": 250.0}))]
    of = ratios.ratios(comparison.compare(files)).set_index("problem")
    equal({name: (line.ratio, line.verdict, line.alike) for name, line in of.iterrows()}, {
        "acoustic/iso25 seven float": (1.04, "too noisy to tell", True),
        "acoustic/other seven float": (4.0, "faster", False),
        "jacobi/j seven float": (0.5, "slower", True)}, "ratios")
    equal([set(of[key]) for key in ratios.ROOFS], [{2.0}, {2.0}, {0.5}], "roofs")
    shown = tool(*files, "--markdown", folder / "page.md").stdout.splitlines()
    equal([line.split() for line in shown[2:4]], [
        "problem best on A A GCell/s best on B B GCell/s B/A copy triad peak".split(),
        "acoustic/iso25 seven float b 100 a 104 1.04? 2.00 2.00 0.50".split()], "the first table")
    check("~4.00" in shown[4] and "alone" not in "".join(shown), f"of another grid; of one alone: {shown}")
    # Of equal grids alone: B is 1.04 and 0.5 times as fast, sqrt(1.04 * 0.5) = 1 / 1.39.
    for part in ("A (one) is 1.39 times as fast as B (two)", "acoustic 0.96, jacobi 2.00", "(1 more are of different"):
        check(part in shown[0], f"{part} in {shown[0]}")
    page = (folder / "page.md").read_text("utf-8")
    check(shown[0] in page and "| jacobi/j seven float | j | 10 | j | 5 | 0.50 |" in page, page)


def test_decompositions(folder):
    """A problem counts once, in the decomposition that is fastest on each platform."""
    files = [write(folder / f"{name}.json", content(name, [
        row("a", "8", first), row("a", "8", second, decomposition="single")]))
             for name, first, second in (("one", 100, 60), ("two", 110, 120))]
    said = tool(*files).stdout.splitlines()[0]
    check("B (two) is 1.20 times" in said and "Of 1 problem: 1 faster" in said, said)


def test_other_grids(folder):
    """Rates of different grids alone make nobody faster."""
    files = [write(folder / f"{name}.json", content(name, [row("a", "8", rate, nx=nx)]))
             for name, rate, nx in (("one", 40, 64), ("two", 400, 50))]
    said = tool(*files).stdout.splitlines()[0]
    check("cannot be said" in said and "times as fast" not in said, said)


def test_doubts(folder):
    """What a run found to doubt in itself is told of its file."""
    write(folder / "f.json", content("m", [row("a", "8", 1)], doubtful=["a debug build", "a busy machine"],
                                     date="2025-01-01T00:00:00Z"))
    run = write(folder / "run.json", content("m", [row("a", "8", 1)]))
    for arguments in ((folder / "f.json",), ("--difference", folder / "f.json", run)):
        said = tool(*arguments).stdout
        check("f.json: a debug build" in said and "f.json: a busy machine" in said, f"{arguments}: {said}")


def as_p3_takes(path):
    """What the P3 analysis library (0.2.0) asks of a file: application_efficiency(foms="higher"), pp()
    and cascade(), by their sources; Phi of each application."""
    import pandas
    table = pandas.read_csv(path)
    equal(table.problem.nunique(), 1, "cascade() takes one problem")
    equal(table.groupby(["platform", "application"]).size().max(), 1, "pp() takes one efficiency a pair")
    check((pandas.to_numeric(table.fom) > 0).all(), "a fom of 0 is the best of foms='lower'")
    wrong = table.fom / table.groupby("platform").fom.transform("max") - table["app eff"]
    check(wrong.abs().max() < 1e-12, "app eff")
    for key in {"app eff", "arch eff"} & set(table):
        check(pandas.to_numeric(table[key]).between(0, 1).all(), f"{key} is a share")
    wide = table.pivot(index="application", columns="platform", values="app eff").fillna(0)
    return {name: portability.performance_portability(list(of)) for name, of in wide.iterrows()}, table


def test_tables(folder):
    files = three(folder)
    done = tool(*files, "--cascade", "--p3", folder / "p3", "--long-csv", folder / "long.csv")
    equal(done.returncode, 0, done.stderr)
    check("acoustic/a:  B 100.0 100.0  C 100.0 100.0  A 50.0 75.0" in done.stdout, "a cascade")
    check("if only one" not in tool(*files).stdout, "without --problems it is short")
    path, = (folder / "p3").iterdir()
    phi, table = as_p3_takes(path)
    equal(phi, {"acoustic/a": 0.75, "acoustic/b": 0.0}, "the library's Phi is ours")
    equal(set(table.problem), {"acoustic/iso25 seven float 100x100x100"}, "problem, as in result.csv")
    tool(*files, "--configurations", "--p3", folder / "p3")
    check("acoustic/a:16" in set(as_p3_takes(path)[1].application), "configurations")
    long = list(csv.DictReader(io.StringIO((folder / "long.csv").read_text("utf-8"))))
    equal([(r["platform"], r["status"], r["noisy"]) for r in long][-1], ("host", "unsupported", "False"),
          "every row")
    found = json.loads(tool(*files, "--json").stdout)
    equal(schemas.violations(found, "comparison"), [], "JSON keeps to its schema")
    equal([p["platform"] for p in found["platforms"]], ["one", "two", "host"], "JSON")
    equal({r["letter"]: r["application"] for r in found["rows"] if r["variant"] == "acoustic/b"},
          {"A": 1.0, "B": 0.5, "C": 0.0}, "its rows")
    unbounded = three(folder, lambda files: files["one"]["results"][2].pop("fraction_of_roofline"),
                      lambda files: [of.update(nx=200) for of in files["two"]["results"]])
    tool(*unbounded, "--p3", folder / "p3")
    _, table = as_p3_takes(path)
    check("arch eff" not in table, "a rate without a bound")
    equal(set(table.problem), {"acoustic/iso25 seven float"}, "without the grid where grids differ")


def verdict(folder, before, after, **options):
    """Of a made-up row; rates with what else row() and content() take."""
    files = []
    for number, (rate, more) in enumerate((before, after)):
        of = {key: more.pop(key) for key in ("copy", "machine") if key in more}
        files.append(results.read(write(folder / f"{number}.json", content(
            "m", [row("a", "8", rate, **more)], date=f"2026-01-0{number + 1}T00:00:00Z", **of))))
    return difference.difference(files[:1], files[1], **options).rows.verdict[0]


def test_verdicts(folder):
    for before, after, options, expected in (
            ((100, {}), (98, {}), {}, "same"), ((100, {}), (90, {}), {}, "slower"),
            ((100, {}), (111, {}), {}, "faster"), ((100, {}), (90, {}), {"tolerance": 0.2}, "same"),
            # The spread of both runs, each run's own copy bandwidth, and its range.
            ((100, {"spread": 0.06}), (91, {"spread": 0.06}), {}, "too noisy to tell"),
            ((100, {"spread": 0.06}), (100, {"spread": 0.06}), {"tolerance": 0.2}, "same"),
            ((100, {"copy": (1, 10, 11)}), (17, {"copy": (8, 10, 11)}), {}, "slower"),
            ((100, {"spread": 0.06}), (67, {"spread": 0.06}), {}, "slower"),
            ((100, {}), (80, {"copy": (8, 8, 8)}), {}, "same"),
            ((100, {}), (80, {"copy": (8, 8, 8)}), {"absolute": True}, "slower"),
            ((100, {}), (91, {"copy": (8, 10, 11)}), {}, "too noisy to tell"),
            ((100, {}), (91, {"copy": (8, 10, 11)}), {"absolute": True}, "slower"),
            ((100, {}), (None, {}), {}, "lost"), ((None, {}), (100, {}), {}, "gained"),
            ((None, {}), (None, {}), {}, "never")):
        equal(verdict(folder, before, after, **options), expected, f"{before} {after} {options}")
    wide = {"concurrency": 16}
    raises(ToolError, lambda: verdict(folder, (1, {"machine": {"concurrency": 2}}),
                                      (1, {"machine": wide})), "a m, 16 threads", "other processors")
    equal(verdict(folder, (1, {"machine": {"concurrency": 2}}), (1, {"machine": wide}),
                  any_machine=True), "same", "--any-machine")
    raises(ToolError, lambda: verdict(folder, (1, {"steps": 20}), (1, {})), "case.steps=20", "steps")


def test_difference(folder):
    """Of several stored files the newest valid row; the run itself is left out."""
    def file(name, rate, date, **more):
        return write(folder / f"{name}.json", content("m", [row("a", "8", rate)], date=date, **more))

    file("old", 50, "2026-01-01T00:00:00Z")
    file("broken", None, "2026-03-01T00:00:00Z")
    file("other", 900, "2026-04-01T00:00:00Z", machine={"device": "another"})
    run = file("run", 60, "2026-02-01T00:00:00Z")
    done = tool("--difference", folder, run, "--json")
    found = json.loads(done.stdout)
    equal(schemas.violations(found, "difference"), [], "JSON keeps to its schema")
    equal([(Path(r["stored"]).name, r["verdict"]) for r in found["rows"]], [("old.json", "faster")],
          "the newest valid one")
    check(any("run.json: left out" in remark for remark in found["remarks"]), f"{found['remarks']}")
    equal((found["after"], done.returncode), ("revision 0123456789 of 2026-02-01T00:00:00Z", 0), "run")
    text = tool("--difference", folder, run).stdout
    check("1 faster, 0 gained, 0 same, 0 too noisy to tell;" in text, text)
    slow = file("slow", 10, "2026-05-01T00:00:00Z")
    check_error(tool("--difference", run, slow), "1 of 1 rows became slower", "exit status 1")
    check_error(tool("--difference", run, run), "the run itself", "nothing else stored")
    check_error(tool("--difference", run), "--difference", "one file")


def test_bad_input(folder):
    one, two, _ = three(folder, lambda files: files["two"]["machine"].update(name="one"))
    check_error(tool(one, two), "two machines", "one name")
    equal(tool(one, f"b={two}").returncode, 0, "a name each")
    check_error(tool("nowhere.json"), "nowhere.json", "no file")
    cut = folder / "cut.json"
    for what in ('{"schema": "tessera-result-1", "results": [', {"schema": "tessera-result-9"},
                 {"schema": "tessera-machine-1"}, {"schema": "tessera-prediction-1"}):
        check_error(tool(write(cut, what)), "cut.json", str(what))
    predicted = json.loads((ROOT / "results/predicted/v100/ete-37-random-gpu.json").read_text("utf-8"))
    predicted["cases"][0]["rows"][0]["gcell_per_s"] = "fast"
    check_error(tool(write(cut, predicted)), "cases[0].rows[0].gcell_per_s: ", "no rate")
    (folder / "studies" / "mine").mkdir(parents=True)
    write(folder / "studies/mine/result.json", content("mine", [row("a", "8", 1)]))
    done = tool(folder / "studies")
    equal((done.returncode, done.stderr), (0, ""), "a study, a folder of runs; without a bound")
    check_error(tool(f" ={one}"), "NAME=PATH", "no name")
    check_error(tool(ROOT / "inputs/quick.toml"), "quick.toml", "a deck")
    check_error(tool(SAI, "--platforms", "K40"), "K40", "no such platform")
    check_error(tool(one, "--long-csv", one), "one.json: is there and no .csv file", "an input as output")
    apart = write(folder / "apart.json", content("apart", [row("a", "8", 1, precision="double")]))
    check_error(tool(one, apart), "two of the 2 platforms", "nothing in common")
    check_error(tool(one, "--difference", "--tolerance", "nan"), "--tolerance", "no number")
    check_error(tool(one, "--absolute"), "--absolute", "an option without effect")


def test_without_pandas(folder):
    """A package of this name that is not there: one line says what to install."""
    fake = folder / "pandas"
    fake.mkdir()
    (fake / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pandas'\", name='pandas')\n", encoding="utf-8")
    import subprocess
    done = subprocess.run([sys.executable, ROOT / "tools/compare.py", SAI], capture_output=True,
                          text=True, check=False, env={**os.environ, "PYTHONPATH": str(folder)})
    check_error(done, "pip install pandas", "no pandas")


run_tests(test_published_definitions, test_figures, test_what_differs, test_newest, test_published,
          test_faster, test_decompositions, test_other_grids, test_doubts, test_tables, test_verdicts, test_difference, test_bad_input,
          test_without_pandas)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set machines side by side: which is faster, efficiencies, performance portability; or a run beside
stored ones of the same machine.

Takes result files, published tables, files of `tessera predict -o` and folders of these; NAME=PATH
gives a platform a name. docs/compare.md says what the figures mean. Needs pandas
(1.5 or newer) and jsonschema.

  % bound   share of what bounds the platform (architectural efficiency)
  % best    of the best variant there (application efficiency); Mcell/J likewise, by energy
  Phi       harmonic mean over the platforms named, 0 where a variant is unsupported or invalid on one

Measured, published and predicted platforms form sets of their own unless --platforms names them.
Exit status: 0; 1 where an input is bad, or --difference finds something slower or valid no more.
"""

import json
import re
from itertools import combinations
from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.columns import text
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, make_folder, write_whole

EXAMPLES = """
  compare.py results/nvidia-h100 results/nvidia-h200
  compare.py results/nvidia-h100 results/nvidia-h200 --markdown out/h200.md
  compare.py published/sai-table2.toml --cascade
  compare.py laptop=out/quick desk=out/desk --p3 out/p3
  compare.py --difference results/nvidia-h100 out/sai-table2/result.json"""
LONG = ["letter", "make", "bytes_per_cell", "flop_per_byte", "tuning", "row", "machine"]


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    add = parser.add_argument
    add("inputs", nargs="+", metavar="FILE-or-FOLDER")
    add("-p", "--platforms", action="append", default=[], metavar="GLOB",
        help="over platform names: these form the set, of whatever origin")
    add("--problems", action="store_true", help="also a table of each problem: all variants, rankings")
    add("--configurations", action="store_true",
        help="--problems with a line a configuration, the same on all platforms")
    add("--cascade", action="store_true",
        help="--problems with each variant's platforms from best to worst, and Phi so far")
    add("--markdown", type=Path, metavar="FILE", help="write the first table as a page for slides")
    add("--json", action="store_true", help="print JSON")
    add("--p3", type=Path, metavar="FOLDER",
        help="write a file a problem for the P3 analysis library, a line a variant and platform")
    add("--long-csv", type=Path, metavar="FILE", help="write every row, a line each")
    add("--difference", action="store_true",
        help="set the last file, a run, beside stored ones (files, folders) of the same machine: row "
             "by row faster, slower or the same")
    command_line.add_number(parser, "--tolerance", float, 0, 100, default=3, metavar="PERCENT",
                            help="what --difference takes for none (3); the spread counts too")
    add("--absolute", action="store_true",
        help="--difference: compare GCell/s, not shares of each run's copy bandwidth")
    add("--any-machine", action="store_true",
        help="--difference: with stored files of other machines too")
    arguments = parser.parse_args()
    idle = ["platforms", "p3", "long_csv", "markdown"] if arguments.difference else \
        ["tolerance", "absolute", "any_machine"]
    command_line.refuse_idle(parser, arguments, idle,
                             f"{'beside' if arguments.difference else 'without'} --difference")
    for one in ("difference", "json"):
        if getattr(arguments, one):
            command_line.refuse_idle(parser, arguments, ["problems", "configurations", "cascade"],
                                     f"beside --{one}")
    return arguments


def records(table):
    """A frame for JSON."""
    return json.loads(table.to_json(orient="records"))


def percents(values, form="{:.1f}"):
    return (100 * values.astype(float)).map(form.format, na_action="ignore")


def print_difference(arguments):
    from tessera_tools import difference, results
    if len(arguments.inputs) < 2:
        raise ToolError("--difference requires stored files or folders, and last the run")
    *stored, run = arguments.inputs
    found = difference.difference(results.read_all(stored), results.read(run), arguments.tolerance / 100,
                                  arguments.absolute, arguments.any_machine)
    print(json.dumps({"schema": "tessera-difference-2", **vars(found), "rows": records(found.rows)}, indent=1)
          if arguments.json else found.text())
    if found.worse:
        raise ToolError(f"{found.worse} of {len(found.rows)} rows became slower or are valid no more")


def problem_table(problem, by):
    """A line a variant or configuration; of variants the last is the best of each platform."""
    import pandas

    def both(of):
        return pandas.concat([of(by), of("all")]) if by == "variant" else of(by)

    def table(value):
        return both(lambda name: problem.table(value, name))

    rate, status, share, above = map(table, ("gcell_per_s", "status", "share_of_bound", "above"))
    best, joule, shown = table("application"), table("cells_per_joule") / 1e6, {}
    for at in problem.letters:
        failed = status[at].where(rate[at].isna())
        if not problem.grids_differ:
            shown[f"{at} GCell/s"] = rate[at].map("{:.4g}".format, na_action="ignore").fillna(failed)
        bound = percents(share[at]).where(above[at] != True, percents(share[at], "{:.1f}!"))  # noqa: E712
        shown[f"{at} % bound"] = bound.fillna(failed) if problem.grids_differ else bound
        shown[f"{at} % best"] = percents(best[at].where(rate[at].notna()))
        if joule[at].notna().any():
            shown[f"{at} Mcell/J"] = joule[at].map("{:.4g}".format, na_action="ignore")
    kinds = {"architectural": "bound", "application": "best"}
    if joule.notna().any(axis=None):
        kinds["energy"] = "Mcell/J"
    for members in problem.sets.values():
        for kind, word in kinds.items():
            shown[f"Phi {word} % {' '.join(members)}"] = percents(
                both(lambda name: problem.phi(kind, members, name)))  # noqa: B023
    return text(pandas.DataFrame(shown).rename_axis(columns=by), index=True)


def print_decision(problem, cascades):
    """Who is first where, how alike the rankings are, and what one variant alone would cost."""
    from tessera_tools.portability import cascade, rank_correlation
    best, rate = problem.table("application"), problem.table("gcell_per_s")
    for name, members in problem.sets.items():
        one = problem.one_variant(members)
        print(f"{name} ({' '.join(members)}): " + (
            "no variant ran on all of them" if one is None else
            f"if only one may be written, {one}: Phi {100 * problem.phi('application', members)[one]:.1f} "
            "% of the best; " + ", ".join(f"{at} loses {100 - 100 * best[at][one]:.1f} %" for at in members)))
        taus = {pair: rank_correlation(*rate[list(pair)].dropna().values.T) for pair in combinations(members, 2)}
        known = [f"{' '.join(pair)} {tau:+.2f}" for pair, tau in taus.items() if tau is not None]
        if known:
            print(f"  rank correlation (Kendall's tau-b): {', '.join(known)}")
        if cascades:
            print(f"cascade over {name} ({' '.join(members)}): platform, % of the best, Phi so far")
            for variant, line in best[members].dropna().iterrows():
                steps = (f"  {members[at]} {100 * e:.1f} {100 * phi:.1f}" for at, e, phi in cascade(list(line)))
                print(f"  {variant}:{''.join(steps)}")


def report(found, arguments):
    from tessera_tools import ratios
    shown = ratios.table(found).set_index("problem").rename_axis(index=None, columns="problem")
    print(*ratios.sentences(found), "", text(shown, index=True), sep="\n")
    platforms = found.platforms.assign(revisions=[
        ", ".join(of) if len(of) < 2 else f"{len(of)} revisions" for of in found.platforms.revisions])
    print("", text(platforms.drop(columns="files"), index=True), sep="\n")
    if len(found.letters) > 1:
        print(f"marks: {ratios.MARKS}")
    for remark in found.remarks:
        print(f"note: {remark}")
    every = arguments.problems or arguments.configurations or arguments.cascade
    for problem in found.problems if every else []:
        first = problem.letters[0]
        case = [f"{problem.grids[first]} cells, {problem.steps[first]} steps"] if not problem.doubts else []
        names = ", ".join(f"{at} {found.platforms.platform[at]}" for at in problem.letters)
        print(f"\n{problem.name}: {'; '.join([*case, *problem.doubts])}\n({names})\n"
              f"{problem_table(problem, 'variant')}")
        if arguments.configurations:
            print(f"\n{problem_table(problem, 'full')}")
        print_decision(problem, arguments.cascade)
    families = found.families()
    above = (families.one_variant_phi > families.phi).any()
    for key in ("phi", "one_variant_phi", "one_variant_phi_of_best"):
        families[key] = percents(families[key])
    print("\neach family: the best variant a platform and problem, and one variant for all of them:\n"
          + text(families.rename(columns={
              "left_out": "left out", "phi": "Phi bound %", "one_variant": "one variant",
              "one_variant_phi": "its Phi bound %", "one_variant_phi_of_best": "its Phi best %"})))
    if above:
        print("where one variant's Phi bound % is the higher one: faster variants move fewer bytes and have a higher bound")


def write_p3(found, folder, by):
    """Files for the P3 analysis library, one a problem as it takes them, foms="higher": a row of each
    variant that ran, or configuration; without "arch eff" where a bound is not known. The texts are those
    of result.csv, without the grid where platforms ran several."""
    import pandas
    make_folder(folder)
    for problem in found.problems:
        grid = [] if problem.grids_differ else [problem.grids[problem.letters[0]].replace(" ", "")]
        cells = problem.cells(by)
        table = pandas.DataFrame([{
            "application": getattr(row, by), "problem": " ".join([problem.name, *grid]), "platform": row.platform,
            "fom": row.gcell_per_s, "app eff": row.application, "arch eff": row.architectural}
            for row in cells[cells.gcell_per_s > 0].itertuples()])
        name = re.sub(r"[^a-z0-9]+", "-", problem.name.lower())
        write_whole(folder / f"{name}.csv", table.dropna(axis="columns").to_csv(index=False, lineterminator="\n"))


def print_comparison(arguments):
    from tessera_tools import comparison, ratios
    for output, end in ((arguments.long_csv, ".csv"), (arguments.markdown, ".md")):
        if output:
            check_output(output, end)
    found = comparison.compare(arguments.inputs, arguments.platforms)
    if arguments.json:
        ranked = found.ranked.drop(columns=[*LONG[1:], "full", "all"])
        print(json.dumps({"schema": "tessera-comparison-2", "platforms": records(
            found.platforms.reset_index(names="letter")), "sets": found.sets, "rows": records(ranked),
            "ratios": records(ratios.ratios(found).drop(columns=["whole", "one", "other"])),
            "families": records(found.families()),
            "remarks": found.remarks}, indent=1))
    else:
        report(found, arguments)
    if arguments.markdown:
        make_folder(arguments.markdown.parent)
        write_whole(arguments.markdown, ratios.markdown(found))
    if arguments.p3:
        write_p3(found, arguments.p3, "full" if arguments.configurations else "variant")
    if arguments.long_csv:
        write_whole(arguments.long_csv, found.rows.drop(columns=LONG).to_csv(index=False, lineterminator="\n"))


def main():
    arguments = parse_arguments()
    (print_difference if arguments.difference else print_comparison)(arguments)


if __name__ == "__main__":
    errors.run(main)

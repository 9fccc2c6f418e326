#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Set machines side by side: efficiencies, performance portability, rankings; or a run beside stored
ones of the same machine.

Takes result files, published tables, files of `tessera predict -o` and folders of these; NAME=PATH
gives a platform a name. docs/studies.md says what the figures mean. Needs pandas
(1.5 or newer) and jsonschema.

  % bound   share of what bounds the platform (architectural efficiency)
  % best    of the best variant there (application efficiency)
  Phi       harmonic mean over the platforms named, 0 where a variant is unsupported or invalid on one

Measured, published and predicted platforms form sets of their own unless --platforms names them.
Exit status: 0; 1 where an input is bad, or --difference finds something slower or valid no more.
"""

import json
import shutil
import sys
from itertools import combinations
from pathlib import Path

from tessera_tools import command_line, errors
from tessera_tools.errors import ToolError
from tessera_tools.files import check_output, write_whole

EXAMPLES = """
  compare.py results/nvidia-h100 results/nvidia-h200
  compare.py published/sai-table2.toml --cascade
  compare.py laptop=out/quick desk=out/desk --csv p3.csv
  compare.py --difference results/nvidia-h100 out/sai-table2"""
OF_TEXT = ("configurations", "cascade", "summary")
LONG = ["letter", "make", "bytes_per_cell", "flop_per_byte", "tuning", "row", "machine"]


def parse_arguments():
    parser = command_line.parser(__doc__, EXAMPLES)
    add = parser.add_argument
    add("inputs", nargs="+", metavar="FILE-or-FOLDER")
    add("-p", "--platforms", action="append", default=[], metavar="GLOB",
        help="over platform names: these form the set, of whatever origin")
    add("--configurations", action="store_true",
        help="also a line a configuration, the same on all platforms")
    add("--cascade", action="store_true",
        help="also each variant's platforms from best to worst, and Phi so far")
    add("--summary", action="store_true",
        help="platforms, remarks and families alone, without the table of each problem")
    add("--json", action="store_true", help="print JSON")
    add("--csv", type=Path, metavar="FILE",
        help="write a line a variant, problem and platform, for the P3 analysis library")
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
    command_line.refuse_together(parser, "difference", (*OF_TEXT, "platforms", "csv", "long_csv"))
    command_line.refuse_together(parser, "json", OF_TEXT)
    command_line.refuse_together(parser, "summary", ("configurations", "cascade"))
    command_line.refuse_without(parser, ["difference"], ["tolerance", "absolute", "any_machine"])
    return arguments


def records(table):
    """A frame for JSON."""
    return json.loads(table.to_json(orient="records"))


def text(table, index=False):
    """A frame as a terminal shows it, broken between columns; in one piece into a file or a pipe."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return table.fillna("-").to_string(index=index, line_width=width)


def percents(values, marked=False):
    return (100 * values.astype(float)).map("{:.1f}".format, na_action="ignore") + ("!" if marked else "")


def print_difference(arguments):
    from tessera_tools import difference, results
    if len(arguments.inputs) < 2:
        raise ToolError("--difference requires stored files or folders, and last the run")
    *stored, run = arguments.inputs
    found = difference.difference(results.read_all(stored), results.read(run), arguments.tolerance / 100,
                                  arguments.absolute, arguments.any_machine)
    if arguments.json:
        print(json.dumps({"schema": "tessera-difference-2", **vars(found), "rows": records(found.rows)},
                         indent=1))
    else:
        rows = found.rows[found.rows.verdict != "never"].drop(columns=["stored", "stored_date", "reason"])
        print(f"before: {found.before}\nafter: {found.after}\n", text(rows.assign(
            spread=percents(rows.spread), ratio=rows.ratio.round(3)).rename(columns={
                "before": "before GCell/s", "after": "after GCell/s", "spread": "spread %",
                "ratio": f"{found.measure} ratio"})), sep="")
        for remark in found.remarks:
            print(f"note: {remark}")
        counts = (f"{found.count(verdict)} {verdict}" for verdict in difference.VERDICTS[:-1])
        print(f"{', '.join(counts)}; {found.count('never')} valid in neither; {found.only_before} rows only "
              f"before, {found.only_after} only after")
    worse = found.count(*difference.FAILURES)
    if worse:
        raise ToolError(f"{worse} of {len(found.rows)} rows became slower or are valid no more")


def problem_table(problem, by):
    """A line a variant or configuration; of variants the last is the best of each platform."""
    import pandas

    def of(value):
        tables = [problem.table(value, by)]
        return pandas.concat([*tables, problem.table(value, "all")] if by == "variant" else tables)

    rate, status, share, above = (of(key) for key in ("gcell_per_s", "status", "share_of_bound", "above"))
    best, joule, shown = of("application"), of("cells_per_joule") / 1e6, {}
    for at in problem.letters:
        failed = status[at].where(rate[at].isna())
        if not problem.grids_differ:
            shown[f"{at} GCell/s"] = rate[at].map("{:.4g}".format, na_action="ignore").fillna(failed)
            failed = None
        bound = percents(share[at]).where(above[at] != True, percents(share[at], True))  # noqa: E712
        shown[f"{at} % bound"] = bound if failed is None else bound.fillna(failed)
        shown[f"{at} % best"] = percents(best[at].where(rate[at].notna()))
        if joule[at].notna().any():
            shown[f"{at} Mcell/J"] = joule[at].map("{:.4g}".format, na_action="ignore")
    for members in problem.sets.values():
        for kind, word in (("architectural", "bound"), ("application", "best")):
            phi = problem.phi(kind, members, by)
            if by == "variant":
                phi = pandas.concat([phi, problem.phi(kind, members, "all")])
            shown[f"Phi {word} % {' '.join(members)}"] = percents(phi)
    return text(pandas.DataFrame(shown).rename_axis(columns=by), index=True)


def decision(problem, cascades):
    """Who is first where, how alike the rankings are, and what one variant alone would cost."""
    from tessera_tools.portability import cascade, rank_correlation
    best, rate = problem.table("application"), problem.table("gcell_per_s")
    for name, members in problem.sets.items():
        one = problem.one_variant(members)
        print(f"{name} ({' '.join(members)}): " + (
            "no variant ran on all of them" if one is None else
            f"if only one may be written, {one}: Phi {100 * problem.phi('application', members)[one]:.1f} "
            "% of the best; " + ", ".join(f"{at} loses {100 - 100 * best[at][one]:.1f} %" for at in members)))
        taus = []
        for pair in combinations(members, 2):
            both = rate[list(pair)].dropna()
            tau = rank_correlation(*(both[at] for at in pair))
            taus += [] if tau is None else [f"{' '.join(pair)} {tau:+.2f}"]
        if taus:
            print(f"  rank correlation (Kendall's tau-b): {', '.join(taus)}")
        if cascades:
            print(f"cascade over {name} ({' '.join(members)}): platform, % of the best, Phi so far")
            for variant, line in best[members].dropna().iterrows():
                steps = (f"  {members[at]} {100 * e:.1f} {100 * phi:.1f}" for at, e, phi in cascade(list(line)))
                print(f"  {variant}:{''.join(steps)}")


def report(found, arguments):
    platforms = found.platforms.assign(revisions=[
        ", ".join(of) if len(of) < 2 else f"{len(of)} revisions" for of in found.platforms.revisions])
    print(text(platforms.drop(columns="files"), index=True))
    for remark in found.remarks:
        print(f"note: {remark}")
    for problem in [] if arguments.summary else found.problems:
        case = "; ".join([f"{problem.grids[problem.letters[0]]} cells, {problem.steps[problem.letters[0]]} "
                          "steps" if not problem.doubts else "", *problem.doubts])
        print(f"\n{problem.name}: {case.removeprefix('; ')}\n{problem_table(problem, 'variant')}")
        if arguments.configurations:
            print(f"\n{problem_table(problem, 'full')}")
        decision(problem, arguments.cascade)
    families = found.families()
    for key in ("phi", "one_variant_phi", "one_variant_phi_of_best"):
        families[key] = percents(families[key])
    print("\neach family: the best variant a platform and problem, and one variant for all of them:\n"
          + text(families.rename(columns={
              "left_out": "left out", "phi": "Phi bound %", "one_variant": "one variant",
              "one_variant_phi": "its Phi bound %", "one_variant_phi_of_best": "its Phi best %"})))


def p3_csv(found, path):
    """The columns of the P3 analysis library, a line a variant, problem and platform. It takes
    efficiencies from 0 to 1 and none that is empty: above 1 is taken for 1, what was not run has no
    line, and where a rate has no bound the column "arch eff" is left out."""
    import pandas
    lines = [{"problem": f"{problem.name} {problem.grids[row.letter]}", "application": row.variant,
              "platform": row.platform, "fom": row.gcell_per_s if row.gcell_per_s > 0 else 0,
              "app eff": row.application, "arch eff": row.architectural}
             for problem in found.problems for row in problem.cells().itertuples()]
    table = pandas.DataFrame(lines)
    unbounded = int(table["arch eff"].isna().sum())
    if unbounded:
        table = table.drop(columns="arch eff")
        print(f'compare.py: warning: {path}: without "arch eff", since {unbounded} rates have no known '
              "bound: --platforms chooses platforms that have one", file=sys.stderr)
    write_whole(path, table.to_csv(index=False, lineterminator="\n"))


def print_comparison(arguments):
    from tessera_tools import comparison
    for output in filter(None, (arguments.csv, arguments.long_csv)):
        check_output(output, ".csv")
    found = comparison.compare(arguments.inputs, arguments.platforms)
    if arguments.json:
        ranked = found.ranked.drop(columns=[*LONG[1:], "full", "all"])
        print(json.dumps({"schema": "tessera-comparison-2", "platforms": records(
            found.platforms.reset_index(names="letter")), "sets": found.sets, "rows": records(ranked),
            "families": records(found.families()), "remarks": found.remarks}, indent=1))
    else:
        report(found, arguments)
    if arguments.csv:
        p3_csv(found, arguments.csv)
    if arguments.long_csv:
        write_whole(arguments.long_csv, found.rows.drop(columns=LONG).to_csv(index=False, lineterminator="\n"))


def main():
    arguments = parse_arguments()
    (print_difference if arguments.difference else print_comparison)(arguments)


if __name__ == "__main__":
    errors.run(main)

# SPDX-License-Identifier: Apache-2.0
"""A comparison, or a difference, as a terminal shows it, and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas

from .comparison import positions
from .difference import VERDICTS, count
from .points import COLUMNS, Collection


def letter(at: int) -> str:
    """What stands for a platform in headings: A, B, ... Z, AA, ..."""
    text, rest = "", at + 1
    while rest > 0:
        rest, last = divmod(rest - 1, 26)
        text = chr(ord("A") + last) + text
    return text


def letters(platforms: Iterable[int]) -> str:
    return " ".join(map(letter, platforms))


def _percent(value: float | None, mark: bool = False) -> str:
    return "-" if value is None else f"{100 * value:.1f}{'!' if mark else ''}"


def _table(lines: Sequence[dict], name: str, width: int | None) -> str:
    """Lines of one table, the column `name` to the left; one that is wider than the terminal is broken
    into several with that column in each."""
    frame = pandas.DataFrame(list(lines)).set_index(name)
    frame.index.name, frame.columns.name = None, name
    return frame.fillna("").to_string(line_width=width) + "\n"


def problem_name(problem: dict) -> str:
    return " ".join(filter(None, (problem[key] for key in (
        "stencil", "decomposition", "precision", "model", "details"))))


def grid_name(run: dict) -> str:
    return f"{run['nx']} x {run['ny']} x {run['nz']}" if run["nx"] else "unknown grid"


def _steps(run: dict) -> str:
    return " and ".join(str(n) if n else "unknown" for n in run["steps"]) or "unknown"


def _runs(problem: dict) -> str:
    """What a reader must know of grids, steps and revisions before he compares."""
    def each(say):
        return ", ".join(f"{letter(p)} {say(run)}" for p, run in
                         zip(problem["platforms"], problem["runs"]))

    first = problem["runs"][0]
    said = [f"grids differ, so efficiencies are compared, not rates: {each(grid_name)}"
            if problem["grids_differ"] else f"{grid_name(first)} cells",
            f"steps differ or are unknown: {each(_steps)}"
            if problem["steps_differ"] else f"{_steps(first)} steps"]
    if problem["revisions_differ"]:
        said.append("revisions of the code differ")
    return "; ".join(said)


def _useful_sets(problem: dict) -> list[dict]:
    """Those that hold at least two platforms of a problem, each selection once."""
    found = {}
    for chosen in problem["sets"]:
        if len(chosen["platforms"]) > 1:
            found.setdefault(tuple(chosen["platforms"]), chosen)
    return list(found.values())


def _line(problem: dict, line: dict, energy: list[bool], tiles: bool) -> dict:
    shown = {}
    for at, (platform, cell) in enumerate(zip(problem["platforms"], line["cells"])):
        of = letter(platform)
        valid = cell is not None and cell["gcell_per_s"] is not None
        word = "-" if cell is None else cell["status"]
        if tiles:
            shown[f"{of} tile"] = cell["configuration"] if cell else ""
            if cell and line is problem["application"]:
                shown[f"{of} tile"] = cell["variant"].split("/")[-1]
        if not problem["grids_differ"]:
            shown[f"{of} GCell/s"] = f"{cell['gcell_per_s']:.4g}" if valid else word
            word = "-"
        share = cell and cell["architectural_efficiency"]
        shown[f"{of} % bound"] = _percent(share, cell["above_bound"]) if valid else word
        shown[f"{of} % best"] = _percent(cell["application_efficiency"]) if valid else "-"
        if energy[at]:
            joule = cell and cell["cells_per_joule"]
            shown[f"{of} Mcell/J"] = f"{joule / 1e6:.4g}" if joule else "-"
    for chosen in _useful_sets(problem):
        over = letters(chosen["platforms"])
        entry = next(entry for entry in chosen["phi"] if entry["name"] == line["name"])
        shown[f"Phi bound % {over}"] = _percent(entry["phi_architectural"])
        shown[f"Phi best % {over}"] = _percent(entry["phi_application"])
    return shown


def _lines(problem: dict, kind: str, width: int | None) -> str:
    energy = [any(line["cells"][at] and line["cells"][at]["cells_per_joule"]
                  for line in problem["configurations"]) for at in range(len(problem["platforms"]))]
    tuned = kind == "variants"
    name = "variant, tuned" if tuned else "configuration"
    lines = [*problem[kind], problem["application"]] if tuned else problem[kind]
    return _table([{name: line["name"], **_line(problem, line, energy, tuned and width is None)}
                   for line in lines], name, width)


def _decision(problem: dict) -> str:
    """Who is first where, how alike the rankings are, and what one variant alone would cost."""
    said = ""
    for chosen in _useful_sets(problem):
        said += f"{chosen['name']} ({letters(chosen['platforms'])}): "
        one = next((line for line in problem["variants"] if line["name"] == chosen["one_variant"]), None)
        if one is None:
            said += "no variant ran on all of them\n"
        else:
            phi = next(e["phi_application"] for e in chosen["phi"] if e["name"] == one["name"])
            lost = [f"{letter(problem['platforms'][at])} loses "
                    f"{_percent(1 - one['cells'][at]['application_efficiency'])} %"
                    for at in positions(problem, chosen)]
            said += (f"if only one may be written, {one['name']}: Phi {_percent(phi)} % of the best; "
                     f"{', '.join(lost)}\n")
        taus = [f"{''.join(map(letter, pair['platforms']))} {pair['tau_b']:+.2f}"
                for pair in chosen["rank_correlation"] if pair["tau_b"] is not None]
        if taus:
            said += f"  rank correlation (Kendall's tau-b): {', '.join(taus)}\n"
    return said


def _cascade(problem: dict) -> str:
    said = ""
    variants = {line["name"] for line in problem["variants"]}
    for chosen in _useful_sets(problem):
        said += (f"cascade over {chosen['name']} ({letters(chosen['platforms'])}): platform, % of the "
                 "best, Phi so far\n")
        for entry in chosen["phi"][:len(variants)]:
            steps = [f"  {letter(s['platform'])} {_percent(s['efficiency'])} {_percent(s['phi'])}"
                     for s in entry.get("cascade", ())]
            said += f"  {entry['name']}:{''.join(steps)}\n" if steps else ""
    return said


def _families(found: dict, width: int | None) -> str:
    lines = [{"family": entry["family"], "set": entry["set"],
              "platforms": letters(entry["platforms"]), "problems": entry["problems"],
              "left out": entry["problems_left_out"],
              "Phi bound %": _percent(entry["phi_architectural"]),
              "one variant": entry["one_variant"] or "-",
              "its Phi bound %": _percent(entry["one_variant_phi_architectural"]),
              "its Phi best %": _percent(entry["one_variant_phi_application"])}
             for entry in found["families"]]
    return ("each family: the best variant a platform and problem, and one variant for all of them:\n"
            + _table(lines, "family", width))


def report(found: dict, width: int | None, configurations: bool = False, cascades: bool = False,
           summary: bool = False) -> str:
    """Platforms and remarks; for each problem its table, Phi over each set, ranks and the one variant
    to take; then each family's Phi. `width` of the terminal; None: each table in one piece, with the
    tiles that won."""
    said = _table([{"": letter(at), "platform": p["name"], "device": p["device"],
                    "kind": p["kind"] or "-", "figures": p["origin"],
                    "revision": f"{len(p['revisions'])} revisions" if len(p["revisions"]) > 1
                    else "".join(p["revisions"]) or "-"}
                   for at, p in enumerate(found["platforms"])], "", width)
    said += "".join(f"note: {remark}\n" for remark in found["remarks"])
    for problem in [] if summary else found["problems"]:
        said += f"\n{problem_name(problem)}: {_runs(problem)}\n" + _lines(problem, "variants", width)
        if configurations:
            said += "\n" + _lines(problem, "configurations", width)
        said += _decision(problem) + (_cascade(problem) if cascades else "")
    return said + "\n" + _families(found, width)


def p3_csv(found: dict) -> tuple[str, int]:
    """The columns of the P3 analysis library, a line a variant, problem and platform; and how many
    rates have no known bound. The library takes efficiencies from 0 to 1 and none that is empty: above
    1 is taken for 1, what was not run has no line, and where a rate has no bound the column "arch eff"
    is left out."""
    lines = []
    for problem in found["problems"]:
        for line in problem["variants"]:
            for at, cell in enumerate(line["cells"]):
                if cell is None:
                    continue
                valid = cell["gcell_per_s"] is not None
                lines.append({
                    "problem": f"{problem_name(problem)} {grid_name(problem['runs'][at])}",
                    "application": line["name"],
                    "platform": found["platforms"][problem["platforms"][at]]["name"],
                    "fom": cell["gcell_per_s"] if valid else 0,
                    "app eff": cell["application_efficiency"] if valid else 0,
                    "arch eff": cell["architectural_efficiency"] if valid else 0})
    frame = pandas.DataFrame(lines)
    frame["arch eff"] = frame["arch eff"].astype(float).clip(upper=1)
    unbounded = int(frame["arch eff"].isna().sum())
    if unbounded:
        frame = frame.drop(columns="arch eff")
    return frame.to_csv(index=False, lineterminator="\n"), unbounded


def long_csv(data: Collection) -> str:
    """Every row of every file, a line each, with all that tells them apart."""
    platforms = pandas.DataFrame(data.platforms)[["name", "origin", "kind", "device"]]
    rows = data.points.join(platforms, on="platform").drop(columns="platform")
    rows = rows.rename(columns={"name": "platform"}).assign(noisy=rows.noisy.map(str).str.lower())
    kept = [column for column in COLUMNS[1:]
            if column not in ("bytes_per_cell", "flop_per_byte", "tuning")]
    return rows[["platform", "origin", "kind", "device", *kept]].to_csv(
        index=False, lineterminator="\n")


def difference_report(found: dict, width: int | None) -> str:
    """The rows and the verdicts' counts."""
    lines = []
    for row in found["rows"]:
        before, after = row["before_gcell_per_s"], row["after_gcell_per_s"]
        if row["verdict"] == "never":
            continue
        lines.append({"row": row["name"],
                      "before GCell/s": f"{before:.4g}" if before else "-",
                      "after GCell/s": f"{after:.4g}" if after else "-",
                      f"{found['measure']} ratio":
                          f"{row['ratio']:.3f}" if before and after else "-",
                      "spread %": _percent(row["spread"]) if before and after else "-",
                      "verdict": row["verdict"]})
    said = f"before: {found['before']}\nafter: {found['after']}\n"
    said += _table(lines, "row", width) if lines else ""
    said += "".join(f"note: {remark}\n" for remark in found["remarks"])
    said += ", ".join(f"{count(found, verdict)} {verdict}" for verdict in VERDICTS[:-1])
    never = count(found, "never")
    said += f"; {never} valid in neither" if never else ""
    if found["only_before"] or found["only_after"]:
        said += f"; {found['only_before']} rows only before, {found['only_after']} only after"
    return said + "\n"

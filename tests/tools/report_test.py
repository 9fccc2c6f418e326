# SPDX-License-Identifier: Apache-2.0
"""tools/report.py on made-up files and on the committed ones. A browser opens pages in
report_browser_test.py."""

import json
import re
import sys
from importlib.util import find_spec

from common import ROOT, check, check_error, equal, made, preload, run_tests, tool_named, write

from tessera_tools import compared_rows

preload("plotly.offline", "pandas", "matplotlib.pyplot", "jsonschema")
# A reason that would end the page's data, were it not written as text.
REASON = "needs </script><b>40000 B</b> of scratch"
run = tool_named("report")


def row(variant, rate, share, stencil="7pt-1", **more):
    """A row of 300^3; unsupported without a rate."""
    return made.row(f"low_order/{variant}:32x4", rate, **{
        "stencil": f"low_order/{stencil}", "precision": "double", "nx": 300, "ny": 300, "nz": 300,
        "reason": "" if rate else REASON, "effective_gb_per_s": 16 * rate if rate else None,
        "fraction_of_copy": share, "gflop_per_s": 8 * rate if rate else None, "flop_per_byte": 0.5,
        "fraction_of_roofline": share, **more})


def content(name, rows, revision="0123456789abcdef", **more):
    return made.content(
        rows, {"name": name, "device": f"Made Up {name}"}, {"git_revision": revision}, **{
            "copy": 1000.0, "command_line": "tessera run made-up.toml",
            "roofline": {"precision": "double", "gb_per_s": 1000.0, "peak_gflop_per_s": 9000.0,
                         "l2_gb_per_s": 4000.0}, **more})


def study_of(page):
    """The data in a page, and the page without scripts."""
    found = re.search(r'<script type="application/json" id="study">(.*?)</script>', page, re.S)
    check(found, "the page holds its data")
    return json.loads(found[1]), re.sub(r"<script.*?</script>", "", page, flags=re.S)


def made_up(folder):
    """On north zvector wins 100 to 50 GCell/s; on south, where plain cannot run, it is alone."""
    counted = {"profiler": "ncu", "nx": 300, "ny": 300, "nz": 300, "dram_bytes_per_cell": 18.0,
               "l2_bytes_per_cell": 40.0, "dram_flop_per_byte": 0.44, "l2_flop_per_byte": 0.2,
               "dram_busy": 0.91, "issue_busy": 0.2}
    model = {"model": "traffic model (docs/model.md)", "gcell_per_s": 110.0,
             "binding": "device memory"}
    north = write(folder / "north.json", content("north", [
        row("zvector", 100.0, 0.8, counters=counted, predicted=model,
            energy={"cells_per_joule": 5e7}),
        row("baseline", 50.0, 0.4)]))
    south = write(folder / "south.json", content("south", [
        row("zvector", 20.0, 0.4), row("baseline", None, None)], revision="fedcba9876543210"))
    return north, south


def report_of_made_up(folder, *options):
    """The report of made-up results and tiles: what the program did, and the page."""
    north, south = made_up(folder)
    out = folder / "made" / "here" / "report.html"
    # As `tessera tune` writes it: its platform and its rates are in no Phi, and its map is drawn.
    tiles = write(folder / "tiles.json", content("tuned", [
        row("zvector", rate, 0.1, stencil="7pt-2", configuration=f"32x{y}x{z}")
        for y, z, rate in ((4, 8, 10.0), (4, 16, 20.0), (8, 8, 30.0))], copy=None))
    return run(north, south, tiles, "-o", out, *options), out


def test_made_up(folder):
    figures = folder / "figures"
    result, out = report_of_made_up(folder, "--svg", figures)
    check(result.returncode == 0, f"made-up files: {result.stderr}")
    if result.returncode:
        return
    data, page = study_of(out.read_text(encoding="utf-8"))
    check(not re.search(r"(src|href)=[\"']?(https?:|//)", page), "nothing is fetched")
    for part in ("What binds the fastest on north: counters: device memory (1).",
                 "counters: device memory, busy 91 %", "2.00 x low_order/baseline",
                 # Harmonic mean of 0.8 and 0.4.
                 "<td>low_order</td><td>53 %</td><td>measured GPUs: A B</td>",
                 # The first screen: whether B is faster, and by what roofs.
                 "A (north) is 5.00 times as fast as B (south)", "copy 1.00, triad 1.00, peak 1.00",
                 "<td>zvector</td><td>100</td><td>zvector</td><td>20</td><td>0.20</td><td>1.00</td>",
                 "<td>50</td>", "<td>A</td><td>north</td>",
                 "revisions of the code differ", "tessera run made-up.toml",
                 "Made Up north"):
        check(part in page, f"the summary says: {part}")
    check("<b>40000" not in page, "what a file says is text")
    check(len(data["rows"]) == 7 and any(REASON in line for line in data["rows"]), "all rows")
    groups = [chart["group"] for chart in data["charts"]]
    # Both efficiencies of one problem; two platforms; a stored prediction is not drawn.
    check({g: groups.count(g) for g in groups} ==
          {"roofline": 2, "bars": 1, "heat": 2, "cascade": 1, "navigation": 1, "tiles": 1}, f"charts: {groups}")
    heads = re.findall("<button>(.*?)</button></th>", page)
    equal(heads[:3], ["variant", "configuration", "GCell/s"], "rates are in the window")
    tile_map = next(chart for chart in data["charts"] if chart["group"] == "tiles")
    check(tile_map["wide"]["data"][0]["z"] == [[10.0, 20.0], [30.0, None]], "rates of tiles")
    equal([(cell["x"], cell["y"], cell["text"]) for cell in tile_map["wide"]["layout"]["annotations"]],
          [(0, 0, "10 (32)"), (1, 0, "20 (32)"), (0, 1, "30 (32)")], "rate and x in each cell")
    heat = next(chart for chart in data["charts"] if chart["group"] == "heat")
    equal([cell["text"] for cell in heat["wide"]["layout"]["annotations"]], ["80", "40", "40", "0"], "numbers")
    names = [trace["name"] for trace in data["charts"][0]["wide"]["data"]]
    check("device memory, counted" in names and "L2, counted" in names
          and any(name.startswith("L2: 4000 GB/s") for name in names), f"roofline: {names}")
    files = sorted(figures.glob("*.svg"))
    check(len(files) == len(groups) and all(b"</svg>" in f.read_bytes() for f in files),
          f"an SVG a chart: {files}")


def test_names(folder):
    """A path with a = in it is a path, where it is there; else what stands before is a name."""
    north, _ = made_up(folder)
    inside = folder / "size=2"
    inside.mkdir()
    for path in (folder / "out=1.json", inside / "north.json", inside / "a=b=c.json"):
        path.write_bytes(north.read_bytes())
        equal(compared_rows.split_input(str(path)), ("", path), "a path")
        equal(compared_rows.split_input(f"mine={path}"), ("mine", path), "a path with a name")
    equal(compared_rows.split_input(f"mine={inside}"), ("mine", inside), "a folder with a name")


def test_errors(folder):
    north, south = made_up(folder)
    out = ("-o", folder / "error.html")
    alone = write(folder / "east.json", content("east", [row("zvector", 1.0, 0.5, stencil="19pt")]))
    for part, *arguments in (
            ("none.json", folder / "none.json", *out), ("was run on two", north, alone, *out),
            ("nowhere", north, south, "-p", "nowhere", *out),
            ("north.json: cannot be made", north, "-o", north / "report.html")):
        check_error(run(*arguments), part, part)
    check(not (folder / "error.html").exists(), "no page where something fails")


def report_of_committed(folder):
    """The report of the committed GPUs: what the program did, and the page."""
    out = folder / "committed.html"
    folders = [ROOT / "results" / name for name in ("nvidia-h100", "nvidia-h200")]
    return run(*folders, "--tessera", sys.argv[2], "-o", out), out


def test_committed(folder):
    """Whatever lies in results/ can be reported; predictions are those of today's program."""
    result, out = report_of_committed(folder)
    check(result.returncode == 0, f"committed results: {result.stderr}")
    if result.returncode == 0:
        data, _ = study_of(out.read_text(encoding="utf-8"))
        groups = {chart["group"] for chart in data["charts"]}
        check(groups >= {"roofline", "bars", "heat", "cascade", "predicted"}, f"charts: {groups}")
        check(all(chart["wide"]["data"] for chart in data["charts"]), "each chart has traces")
        for chart in (chart["wide"]["data"] for chart in data["charts"] if chart["group"] == "cascade"):
            lines = [(trace["line"]["color"], trace["line"]["dash"]) for trace in chart]
            equal(len(set(lines)), len(lines), f"no two lines alike: {lines}")


def test_study(folder):
    """A folder of runs with a machine file is predicted too: what ci/study.sh draws."""
    (folder / "study/jacobi").mkdir(parents=True)
    for name, to in (("machine.json", "machine.json"), ("jacobi-3d-gpu.json", "jacobi/result.json")):
        (folder / "study" / to).write_bytes((ROOT / "results/nvidia-h100" / name).read_bytes())
    done = run(folder / "study", "--tessera", sys.argv[2], "-o", folder / "study.html")
    check(done.returncode == 0, done.stderr)
    data, _ = study_of((folder / "study.html").read_text(encoding="utf-8"))
    drawn, = (chart["wide"]["data"] for chart in data["charts"] if chart["group"] == "predicted")
    check(drawn[0]["name"] == "jacobi" and "<br>jacobi" in drawn[0]["hovertext"][0], "by its run's name")


def main(folder):
    if find_spec("plotly"):
        test_made_up(folder)
        test_committed(folder)
        test_study(folder)
        test_errors(folder)
    else:
        print("no Plotly: not tested")
    test_names(folder)


if __name__ == "__main__":
    run_tests(main)

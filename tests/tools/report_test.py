# SPDX-License-Identifier: Apache-2.0
"""tools/report.py on made-up files and on the committed ones; in a browser where one is found."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT, TESSERA = Path(sys.argv[1]), sys.argv[2]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or \
    shutil.which("google-chrome")
# Folder that keeps pictures of the page.
SCREENSHOTS = os.environ.get("TESSERA_SCREENSHOTS")
# A reason that would end the page's data, were it not written as text.
REASON = "needs </script><b>40000 B</b> of scratch"
failures = []


def check(condition, text):
    """Notes a failure and goes on, so that one run tells them all."""
    if not condition:
        failures.append(text)
        print(f"FAILED: {text}")


def run(*arguments, **environment):
    command = [sys.executable, ROOT / "tools" / "report.py", *arguments, "--tessera", TESSERA]
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def check_error(result, part, text):
    check(result.returncode == 1, f"{text}: exit status 1, not {result.returncode}")
    lines = result.stderr.strip().splitlines()
    check(len(lines) == 1 and part in lines[0], f"{text}: one line with '{part}', not {lines}")


def row(variant, rate, share, stencil="7pt-1", **more):
    """A row of 300^3; unsupported without a rate."""
    seconds = 0.3**3 / rate if rate else None
    return {"family": "low_order", "stencil": f"low_order/{stencil}", "precision": "double",
            "variant": f"low_order/{variant}", "configuration": "32x4", "decomposition": "",
            "nx": 300, "ny": 300, "nz": 300, "steps": 10, "steps_per_sample": 10,
            "temporal_depth": 1, "status": "valid" if rate else "unsupported",
            "reason": "" if rate else REASON, "noisy": False, "iqr_s": 0.0,
            "samples_s": [seconds] * 5 if rate else [],
            "gcell_per_s": {"min": rate, "median": rate, "max": rate} if rate else None,
            "effective_gb_per_s": 16 * rate if rate else None, "fraction_of_copy": share,
            "fraction_of_update": share, "gflop_per_s": 8 * rate if rate else None,
            "flop_per_byte": 0.5, "roofline_gflop_per_s": 8 * rate / share if rate else None,
            "fraction_of_roofline": share, "resources": {}, "predicted": {}, "counters": {},
            "published": {}, "u_min": 0.0, "u_max": 1.0, **more}


def content(name, rows, revision="0123456789abcdef"):
    streams = {"precision": "double", "array_bytes": 10**9, "unit": "GB/s", "copy": 1000.0,
               "triad": 1000.0, "update": 1000.0, "range": {
                   key: {"min": 999.0, "median": 1000.0, "max": 1001.0}
                   for key in ("copy", "triad", "update")} | {"copy_streaming": None}}
    return {"schema": "tessera-result-1", "date": "2026-11-26T10:00:00Z",
            "command_line": "tessera run made-up.toml",
            "machine": {"name": name, "device": f"Made Up {name}", "kind": "gpu",
                        "concurrency": 1000, "execution_space": "Cuda"},
            "build": {"git_revision": revision, "git_dirty": False},
            "deck": {"case": {"family": "low_order", "steps": 10}}, "streams": streams,
            "roofline": {"precision": "double", "gb_per_s": 1000.0, "peak_gflop_per_s": 9000.0,
                         "l2_gb_per_s": 4000.0}, "results": rows}


def write(path, what):
    path.write_text(what if isinstance(what, str) else json.dumps(what), encoding="utf-8")
    return path


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
        row("zvector", 100.0, 0.8, counters=counted, predicted=model),
        row("baseline", 50.0, 0.4)]))
    south = write(folder / "south.json", content("south", [
        row("zvector", 20.0, 0.4), row("baseline", None, None)], revision="fedcba9876543210"))
    return north, south


def made_up_shot(folder):
    """The output directory of a shot of two receivers."""
    shot = folder / "shot"
    shot.mkdir(exist_ok=True)
    write(shot / "shot.json", {"schema": "tessera-shot-1", "variant": "acoustic/gmem", "nx": 10,
                               "configuration": "8x8x8", "ny": 11, "nz": 12, "steps_done": 7,
                               "precision": "float", "date": "2026-11-26T10:00:00Z",
                               "status": "valid", "machine": {"device": "Made Up <b>"}})
    write(shot / "gather.csv", "# source_x_m,1\n# source_y_m,1\n# source_z_m,1\n"
                               "# receiver_x_m,0,9\n# receiver_y_m,1,1\n# receiver_z_m,1,1\n"
                               "time_s,receiver_1,receiver_2\n0.1,1,2\n0.2,2,-1\n0.3,0,1\n")
    return shot


def test_made_up(folder):
    north, south = made_up(folder)
    out, figures = folder / "report.html", folder / "figures"
    tiles = write(folder / "tiles.json", content("north", [
        row("zvector", rate, 0.1, stencil="7pt-2", configuration=f"32x{y}x{z}")
        for y, z, rate in ((4, 8, 10.0), (4, 16, 20.0), (8, 8, 30.0))]))
    result = run(north, south, tiles, made_up_shot(folder), "-o", out, "--svg", figures)
    check(result.returncode == 0, f"made-up files: {result.stderr}")
    if result.returncode:
        return
    data, page = study_of(out.read_text(encoding="utf-8"))
    check(not re.search(r"(src|href)=[\"']?(https?:|//)", page), "nothing is fetched")
    for part in ("low_order on north, 2 problems: fastest low_order/zvector (2), at 10 % to 80 % of "
                 "the bound.", "What binds the fastest on north: counters: device memory (1), "
                 "roofline: device memory (1).",
                 "counters: device memory, busy 91 %", "2.00 x low_order/baseline",
                 # Harmonic mean of 0.8 and 0.4.
                 "north, south</td><td>1</td><td>1</td><td>53 %</td>",
                 "<td>low_order/zvector</td><td>100 %</td><td>nothing</td>",
                 "Rows are of several revisions of the code.", "tessera run made-up.toml",
                 "acoustic/gmem:8x8x8, 10 x 11 x 12 cells, 7 steps, float; Made Up &lt;b&gt;",
                 '<img src="data:image/png;base64,iVBOR'):
        check(part in page, f"the summary says: {part}")
    check("<b>40000" not in page, "what a file says is text")
    check(len(data["rows"]) == 7 and any(REASON in line for line in data["rows"]), "all rows")
    groups = [chart["group"] for chart in data["charts"]]
    # Both efficiencies of one problem; two platforms; one with a prediction.
    check({g: groups.count(g) for g in groups} ==
          {"roofline": 2, "bars": 2, "heat": 4, "cascade": 1, "tiles": 1, "predicted": 1},
          f"charts: {groups}")
    tile_map = next(chart for chart in data["charts"] if chart["group"] == "tiles")
    check(tile_map["wide"]["data"][0]["z"] == [[10.0, 20.0], [30.0, None]], "rates of tiles")
    names = [trace["name"] for trace in data["charts"][0]["wide"]["data"]]
    check("device memory, counted" in names and "L2, counted" in names
          and any(name.startswith("L2: 4000 GB/s") for name in names), f"roofline: {names}")
    files = sorted(figures.glob("*.svg"))
    check(len(files) == len(groups) and all(b"</svg>" in f.read_bytes() for f in files),
          f"an SVG a chart: {files}")
    test_browser(out, len(groups))
    test_table(out)
    test_phone(out)


def test_errors(folder):
    north, south = made_up(folder)
    out = ("-o", folder / "error.html")
    check_error(run(folder / "none.json", *out), "none.json", "no such file")
    check_error(run(write(folder / "cut.json", north.read_text("utf-8")[:400]), *out), "cut.json",
                "truncated")
    other = content("west", [row("zvector", 1.0, 0.5)])
    other["schema"] = "tessera-result-99"
    check_error(run(write(folder / "other.json", other), *out), "tessera-result-99", "schema")
    alone = content("east", [row("zvector", 1.0, 0.5, stencil="19pt")])
    check_error(run(north, write(folder / "east.json", alone), *out), "was run on two",
                "nothing in common")
    check_error(run(north, south, "-p", "nowhere", *out), "nowhere", "an empty set")
    check_error(run(north, "-o", folder / "no" / "report.html"), "no such folder", "output")
    check_error(run(made_up_shot(folder), *out), "shots alone", "no result")
    check(not (folder / "error.html").exists(), "no page where something fails")
    # A package of this name that is not there.
    fake = folder / "fake" / "plotly"
    fake.mkdir(parents=True)
    write(fake / "__init__.py", "raise ModuleNotFoundError(\"No module named 'plotly'\", "
                                "name='plotly')\n")
    check_error(run(north, *out, PYTHONPATH=str(fake.parent)), "python3-plotly", "no Plotly")


def test_committed(folder):
    """Whatever lies in results/ can be reported."""
    folders = [ROOT / "results" / name for name in ("nvidia-h100", "nvidia-h200")]
    out = folder / "committed.html"
    result = run(*folders, "-o", out)
    check(result.returncode == 0, f"committed results: {result.stderr}")
    if result.returncode == 0:
        data, _ = study_of(out.read_text(encoding="utf-8"))
        groups = {chart["group"] for chart in data["charts"]}
        check(groups >= {"roofline", "bars", "heat", "cascade", "predicted"}, f"charts: {groups}")
        check(all(chart["wide"]["data"] for chart in data["charts"]), "each chart has traces")
        test_browser(out, len(data["charts"]))


def browse(path, fragment="", *options):
    """The page as the browser leaves it, and what it wrote to the console."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--enable-logging=stderr", "--virtual-time-budget=60000", *(options or ["--dump-dom"]),
             f"{path.as_uri()}{fragment}"], capture_output=True, text=True, check=False,
            timeout=300)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_browser(path, charts):
    """Every chart has drawn its traces, and the console is silent."""
    if not BROWSER:
        return
    page, console = browse(path, "#all")
    drawn = re.findall(r'data-traces="([0-9]+)"', page)
    check(len(drawn) == charts and "0" not in drawn, f"{len(drawn)} of {charts} charts drawn")
    check(page.count("main-svg") >= charts, "drawn as SVG")
    check(not console, f"console: {console[:3]}")


def test_table(path):
    """The table filters and sorts: by rate, those without one last."""
    if not BROWSER:
        return
    script = """<script>
    const input = document.getElementById("filter");
    const rates = () => [...document.querySelectorAll("#rows tbody tr")]
      .map((line) => line.cells[9].textContent).join(",");
    document.querySelectorAll("#rows th button")[9].click();
    document.body.dataset.up = rates();
    document.querySelectorAll("#rows th button")[9].click();
    document.body.dataset.down = rates();
    input.value = "south ZVECTOR"; input.dispatchEvent(new Event("input"));
    document.body.dataset.filtered = rates();
    </script>"""
    text = path.read_text(encoding="utf-8").replace("</body>", script + "</body>")
    page, console = browse(write(path.with_name("table.html"), text))
    for part in ('data-up="10,20,20,30,50,100,"', 'data-down="100,50,30,20,20,10,"', 'data-filtered="20"'):
        check(part in page, f"the table: {part}")
    check(not console, f"console: {console[:3]}")


def test_phone(path):
    """At 390 px nothing is wider than the page. Browsers have no window of that width: a frame."""
    if not BROWSER:
        return
    script = """<script>addEventListener("load", () => setTimeout(() => parent.postMessage(
      `${innerWidth} ${Math.max(...[...document.querySelectorAll(".chart, .box, p, ul, h2, select")]
        .map((part) => part.getBoundingClientRect().right))} ` +
      `${document.documentElement.clientWidth}`, "*"), 3000));</script>"""
    text = path.read_text(encoding="utf-8").replace("</body>", script + "</body>")
    write(path.with_name("inner.html"), text)
    frame = write(path.with_name("frame.html"), """<body style="margin: 0"><script>
      addEventListener("message", (event) => { document.body.dataset.widths = event.data; });
      </script><iframe src="inner.html" style="width: 390px; height: 3000px; border: 0"></iframe>
      </body>""")
    page, _ = browse(frame)
    widths = re.search(r'data-widths="390 ([0-9.]+) ([0-9]+)"', page)
    check(widths and float(widths[1]) <= int(widths[2]),
          f"the rightmost edge within the page: {widths and widths[0]}")
    if SCREENSHOTS:
        for shot, what, width in (("phone", frame, 400), ("desk", path, 1280)):
            picture = Path(SCREENSHOTS) / f"report-{shot}.png"
            browse(what, "", f"--window-size={width},3000", f"--screenshot={picture}")
            check(picture.exists() and picture.stat().st_size > 20000, f"a screenshot: {picture}")


with tempfile.TemporaryDirectory() as name:
    if find_spec("plotly"):
        test_made_up(Path(name))
        test_committed(Path(name))
        if not BROWSER:
            print("no Chromium: pages were not opened")
    else:
        print("no Plotly: only errors are tested")
    test_errors(Path(name))
sys.exit(1 if failures else 0)

# SPDX-License-Identifier: Apache-2.0
"""The pages of tools/report.py in headless Chromium: charts are drawn, the table works, a phone can
read them, and no error is on the console. Skipped, with status 77, where there is no browser."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from common import check, finish, write
from report_test import report_of_committed, report_of_made_up, study_of

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or \
    shutil.which("google-chrome")
# Folder that keeps pictures of the page.
SCREENSHOTS = os.environ.get("TESSERA_SCREENSHOTS")
# A status that says "not here", as Automake and CTest have it.
SKIPPED = 77


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
    page, console = browse(path, "#all")
    drawn = re.findall(r'data-traces="([0-9]+)"', page)
    check(len(drawn) == charts and "0" not in drawn, f"{len(drawn)} of {charts} charts drawn")
    check(page.count("main-svg") >= charts, "drawn as SVG")
    check(not console, f"console: {console[:3]}")


def test_table(path):
    """The table filters and sorts: by rate, those without one last."""
    script = """<script>
    const input = document.getElementById("filter");
    const rates = () => [...document.querySelectorAll("#rows tbody tr")]
      .map((line) => line.cells[2].textContent).join(",");
    document.querySelectorAll("#rows th button")[2].click();
    document.body.dataset.up = rates();
    document.querySelectorAll("#rows th button")[2].click();
    document.body.dataset.down = rates();
    input.value = "south ZVECTOR"; input.dispatchEvent(new Event("input"));
    document.body.dataset.filtered = rates();
    </script>"""
    text = path.read_text(encoding="utf-8").replace("</body>", script + "</body>")
    page, console = browse(write(path.with_name("table.html"), text))
    for part in ('data-up="10,20,20,30,50,100,"', 'data-down="100,50,30,20,20,10,"',
                 'data-filtered="20"'):
        check(part in page, f"the table: {part}")
    check(not console, f"console: {console[:3]}")


def test_phone(path):
    """At 390 px nothing is wider than the page. Browsers have no window of that width: a frame."""
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
            picture = Path(SCREENSHOTS) / f"{path.stem}-{shot}.png"
            browse(what, "", f"--window-size={width},3000", f"--screenshot={picture}")
            check(picture.exists() and picture.stat().st_size > 20000, f"a screenshot: {picture}")


def test_columns(path):
    """At 1280 px every table but the one of all rows shows all its columns."""
    script = """<script>addEventListener("load", () => {
      document.body.dataset.hidden = [...document.querySelectorAll("table.short")]
        .filter((table) => table.scrollWidth > table.parentElement.clientWidth).length;
    });</script>"""
    text = path.read_text(encoding="utf-8").replace("</body>", script + "</body>")
    page, _ = browse(write(path.with_name("columns.html"), text), "", "--window-size=1280,2000",
                     "--dump-dom")
    check('data-hidden="0"' in page, "tables beyond the edge of their boxes")


def main():
    if not BROWSER or not find_spec("plotly"):
        print("skipped: " + ("no Plotly" if BROWSER else "no Chromium") + " here")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for result, out in (report_of_made_up(folder), report_of_committed(folder)):
            check(result.returncode == 0, f"{out.name}: {result.stderr}")
            if result.returncode:
                continue
            data, _ = study_of(out.read_text(encoding="utf-8"))
            test_browser(out, len(data["charts"]))
            test_columns(out)
            test_phone(out)
            if out.name == "report.html":
                test_table(out)
    finish()


if __name__ == "__main__":
    main()

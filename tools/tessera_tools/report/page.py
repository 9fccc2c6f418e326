# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file: nothing in it is fetched from anywhere."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from .. import ratios
from ..charts.chart import Chart
from ..charts.plotly_figures import figures
from ..comparison import Comparison
from ..errors import ToolError
from . import summary, tables
from .page_parts import anchor, bullets, heading, table

HERE = Path(__file__).resolve().parent
# Group of charts -> its heading, in the page's order.
GROUPS = {"roofline": "Rooflines", "bars": "Variants", "heat": "Efficiencies",
          "cascade": "Φ cascades", "navigation": "Code convergence", "tiles": "Tiles", "predicted": "Predicted and measured"}


def render(found: Comparison, charts: list[Chart], title: str) -> str:
    """The whole page."""
    from plotly.offline import get_plotlyjs
    parts = {"Summary": _summary(found)}
    for group, head in GROUPS.items():
        members = [chart for chart in charts if chart.group == group]
        if members:
            parts[head] = _charts(group, head, members)
    parts["Winners"] = _winners(found)
    parts |= {"Rows": _rows(), "Files": _files(found)}
    links = " ".join(f'<a href="#{anchor(head)}">{escape(head)}</a>' for head in parts)
    data = {"charts": [figures(chart) for chart in charts], "rows": tables.rows(found)}
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<link rel="icon" href="data:,">\n'
            f"<title>{escape(title)}</title>\n<style>\n{_part('page.css')}</style>\n</head><body>\n"
            f"<h1>{escape(title)}</h1>\n<nav>{links}</nav>\n" + "\n".join(parts.values())
            + f'\n<script type="application/json" id="study">{_embedded(data)}</script>\n'
            f"<script>\n{get_plotlyjs()}\n</script>\n<script>\n{_part('page.js')}</script>\n"
            "</body></html>\n")


def _part(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _embedded(data) -> str:
    """JSON that no text in it can end."""
    try:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise ToolError("a figure of the results is not a number") from None
    return text.replace("<", "\\u003c")


def _summary(found: Comparison) -> str:
    platforms = [[at, of.platform, of.device, of.kind, of.origin, ", ".join(of.revisions) or "-",
                  str(len(of.files))] for at, of in found.platforms.iterrows()]
    shown = ratios.table(found)
    parts = [heading("Summary"), bullets(ratios.sentences(found)), table(shown.columns, shown.values),
             f'<p class="note">{ratios.MARKS}.</p>', "<h3>Platforms</h3>",
             table(("", "platform", "device", "kind", "origin", "revisions", "files"), platforms),
             "<h3>Performance portability</h3>",
             '<p class="note">Φ: the harmonic mean of the best choice&#39;s share of its bound '
             "over the platforms of the set and the problems that all of them ran; 0 where one is "
             "unsupported or invalid.</p>",
             table(summary.PHI, summary.family_phi(found)),
             bullets(summary.binding_sentences(found))]
    return "\n".join(parts)


def _winners(found: Comparison) -> str:
    """What takes room: who wins where, problem by problem, and what to bear in mind."""
    parts = [heading("Winners"), "<h3>The fastest of each problem</h3>",
             table(summary.WINNERS, summary.winners(found))]
    said = summary.mistrust(found)
    if said:
        parts += ["<h3>To bear in mind</h3>", bullets(said)]
    return "\n".join(parts)


def _charts(group: str, head: str, charts: list[Chart]) -> str:
    options = "".join(f"<option>{escape(chart.name)}</option>" for chart in charts)
    return (f'{heading(head)}\n<section data-group="{group}">'
            f'<select aria-label="{escape(head)}">{options}</select></section>')


def _rows() -> str:
    heads = "".join(f"<th><button>{escape(column)}</button></th>" for column in tables.COLUMNS)
    return (f"{heading('Rows')}\n<p><input type=\"search\" id=\"filter\" "
            'placeholder="all of these words" aria-label="Filter"> <span id="count" class="note">'
            '</span> <button id="all-rows">Show all</button></p>\n'
            f'<div class="box"><table id="rows"><thead><tr>{heads}</tr></thead><tbody></tbody>'
            "</table></div>")


def _files(found: Comparison) -> str:
    parts = [heading("Files")]
    for platform, file in found.files:
        said = "".join(f"<h4>{escape(name)}</h4><pre>{escape(text)}</pre>"
                       for name, text in tables.metadata(file))
        parts.append(f"<details><summary>{escape(platform)}: "
                     f"{escape(file.path.name)}, {file.date}, revision {escape(file.revision)}, "
                     f"{len(file.rows)} rows</summary>{said}</details>")
    return "\n".join(parts)

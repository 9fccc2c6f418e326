# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file: nothing in it is fetched from anywhere."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from ..errors import ToolError
from . import summary, tables
from .charts import Chart
from .plotly_figures import figures
from .study import Study

HERE = Path(__file__).resolve().parent
# Group of charts -> its heading, in the page's order.
GROUPS = {"roofline": "Rooflines", "bars": "Variants", "heat": "Efficiencies",
          "cascade": "Φ cascades", "predicted": "Predicted and measured"}


def render(study: Study, charts: list[Chart], title: str) -> str:
    """The whole page."""
    from plotly.offline import get_plotlyjs
    sections = [_summary(study)]
    sections += [_charts(group, heading, [c for c in charts if c.group == group])
                 for group, heading in GROUPS.items() if any(c.group == group for c in charts)]
    sections += [_rows(), _files(study)]
    heads = ["Summary", *(GROUPS[g] for g in GROUPS if any(c.group == g for c in charts)), "Rows",
             "Files"]
    links = " ".join(f'<a href="#{_anchor(head)}">{escape(head)}</a>' for head in heads)
    data = {"charts": [figures(chart) for chart in charts], "rows": tables.rows(study)}
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<link rel="icon" href="data:,">\n'
            f"<title>{escape(title)}</title>\n<style>\n{_part('page.css')}</style>\n</head><body>\n"
            f"<h1>{escape(title)}</h1>\n<nav>{links}</nav>\n" + "\n".join(sections)
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


def _anchor(heading: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in heading.lower())


def _heading(text: str) -> str:
    return f'<h2 id="{_anchor(text)}">{escape(text)}</h2>'


def _table(heads, lines) -> str:
    """A short table, in a box of its own."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in line) + "</tr>"
                   for line in lines)
    return (f'<div class="box"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
            "</table></div>")


def _list(sentences) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in sentences) + "</ul>"


def _summary(study: Study) -> str:
    platforms = [[p["name"], p["device"], p["kind"], p["origin"], str(len(p["files"])),
                  ", ".join(revision[:10] for revision in p["revisions"]) or "-"]
                 for p in study.platforms]
    parts = [_heading("Summary"),
             _table(("platform", "device", "kind", "origin", "files", "revisions"), platforms),
             _list([*summary.family_sentences(study), *summary.binding_sentences(study)])]
    said = summary.mistrust(study)
    if said:
        parts += ["<h3>To bear in mind</h3>", _list(said)]
    parts += ["<h3>Performance portability</h3>",
              '<p class="note">Φ: the harmonic mean of the best choice&#39;s share of its bound '
              "over the platforms of the set and the problems that all of them ran; 0 where one is "
              "unsupported or invalid.</p>",
              _table(summary.PHI, summary.family_phi(study))]
    chosen = summary.choices(study)
    if chosen:
        parts += ["<h3>If only one variant may be written</h3>", _table(summary.CHOICE, chosen)]
    parts += ["<h3>The fastest of each problem</h3>",
              _table(summary.WINNERS, summary.winners(study))]
    return "\n".join(parts)


def _charts(group: str, heading: str, charts: list[Chart]) -> str:
    options = "".join(f"<option>{escape(chart.name)}</option>" for chart in charts)
    return (f'{_heading(heading)}\n<section data-group="{group}">'
            f'<select aria-label="{escape(heading)}">{options}</select></section>')


def _rows() -> str:
    heads = "".join(f"<th><button>{escape(column)}</button></th>" for column in tables.COLUMNS)
    return (f"{_heading('Rows')}\n<p><input type=\"search\" id=\"filter\" "
            'placeholder="all of these words" aria-label="Filter"> <span id="count" class="note">'
            '</span> <button id="all-rows">Show all</button></p>\n'
            f'<div class="box"><table id="rows"><thead><tr>{heads}</tr></thead><tbody></tbody>'
            "</table></div>")


def _files(study: Study) -> str:
    parts = [_heading("Files")]
    for file in study.files:
        said = "".join(f"<h4>{escape(name)}</h4><pre>{escape(text)}</pre>"
                       for name, text in tables.metadata(file))
        parts.append(f"<details><summary>{escape(study.platform(file))}: "
                     f"{escape(file.path.name)}, {file.date}, revision {escape(file.revision)}, "
                     f"{len(file.rows)} rows</summary>{said}</details>")
    return "\n".join(parts)

# SPDX-License-Identifier: Apache-2.0
"""Pieces of HTML that the report is put together from."""

from __future__ import annotations

from html import escape


def anchor(heading: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in heading.lower())


def heading(text: str) -> str:
    return f'<h2 id="{anchor(text)}">{escape(text)}</h2>'


def table(heads, lines) -> str:
    """A short table, in a box of its own."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in line) + "</tr>"
                   for line in lines)
    return (f'<div class="box"><table class="short"><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def bullets(sentences) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in sentences) + "</ul>"

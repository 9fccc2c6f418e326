# SPDX-License-Identifier: Apache-2.0
"""Result files as the program writes them."""

from __future__ import annotations

import json


def text_of(content, levels: int = 2, indent: int = 0) -> str:
    """A result file's text as the program writes it: its first levels indented, what lies deeper on
    its member's line, so that a row is a line."""
    if levels == 0 or not isinstance(content, dict | list) or not content:
        return json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    inner = " " * (indent + 2)
    texts = [(f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(content, dict) else "")
             + text_of(member, levels - 1, indent + 2)
             for key, member in (content.items() if isinstance(content, dict)
                                 else enumerate(content))]
    begin, end = "{}" if isinstance(content, dict) else "[]"
    return begin + ",".join(f"\n{inner}{text}" for text in texts) + "\n" + " " * indent + end

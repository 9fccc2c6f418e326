# SPDX-License-Identifier: Apache-2.0
"""The kernels' own names, out of what a compiler or a profiler calls an instantiation."""

from __future__ import annotations

import re

# The launchers' native::kernel is no kernel of ours: the functor that it launches is.
_OURS = re.compile(r"tessera::(?:\(anonymous namespace\)::|<unnamed>::|(?!native::)\w+::)*(\w+)")


def functor_match(demangled: str):
    """Where the functor of a kernel of ours is named; None for another's kernel."""
    return next((m for m in _OURS.finditer(demangled) if m[1] != "native"), None)


def functor(demangled: str) -> str:
    """A kernel's functor, of ours with its template arguments: GmemKernel<float, Tile<8, 8, 8>>."""
    found = functor_match(demangled)
    if not found:
        return demangled
    depth, end = 0, found.end()
    for end in range(found.end(), len(demangled)):
        depth += (demangled[end] == "<") - (demangled[end] == ">" and demangled[end - 1] != "-")
        if depth <= 0:
            break
    follows = demangled[found.end():found.end() + 1]
    arguments = demangled[found.end():end + 1] if follows == "<" else ""
    return found[1] + arguments.replace("tessera::", "")


def template_arguments(text: str, start: int) -> list[str]:
    """The arguments of the template whose `<` is at `start`; [] without one."""
    depth, begin, arguments = 0, start + 1, []
    if text[start:begin] != "<":
        return []
    for i in range(start, len(text)):
        if text[i] in "<(":
            depth += 1
        elif text[i] in ">)":
            depth -= 1
        if (text[i] == "," and depth == 1) or depth == 0:
            arguments.append(text[begin:i].strip())
            begin = i + 1
        if depth == 0:
            return arguments
    return []

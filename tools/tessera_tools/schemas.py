# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of Tessera's files (schemas/): which one a file has, and what breaks it.

    from tessera_tools import schemas
    print(schemas.kind_of(content), schemas.errors("inputs/quick.toml"))
    schemas.check(content, "result", path)  # a ToolError where it breaks its schema

Needs the module jsonschema.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path

from .errors import ToolError, one_line
from .files import ROOT, read_json, read_toml

FOLDER = ROOT / "schemas"
# A file's "schema" without its version -> its JSON Schema.
NAMED = {"tessera-result": "result", "tessera-machine": "machine", "tessera-study": "study",
         "tessera-prediction": "prediction", "tessera-published": "published",
         "tessera-tuned": "tuned", "tessera-shot": "shot-result",
         "tessera-survey": "survey", "tessera-run": "run", "tessera-network": "network",
         "tessera-scaling": "scaling", "tessera-comparison": "comparison",
         "tessera-difference": "difference"}


def read(path: str | os.PathLike) -> dict:
    """The content of a JSON or TOML file, told apart by the name's end."""
    return read_toml(path) if Path(path).suffix == ".toml" else read_json(path)


def kind_of(content) -> str | None:
    """The JSON Schema that content should keep to: by its `schema`; of TOML without one by its
    tables: a suite has [[run]], a deck of a shot [model] and [[source]]. None for other content."""
    if not isinstance(content, dict):
        return None
    if "schema" in content:
        return NAMED.get(str(content["schema"]).rpartition("-")[0])
    if "case" in content:
        return "shot" if "model" in content and "source" in content else "deck"
    return "suite" if "run" in content else None


def is_number(value) -> bool:
    """A JSON number that a few products and quotients do not take out of range: 0, or 1e-90 to 1e90
    with either sign; true and false are none."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and (value == 0 or 1e-90 <= abs(value) <= 1e90))


@functools.cache
def validator(kind: str):
    """A jsonschema validator of one of the schemas, by the name of its file without its end. Numbers
    are those that tools can calculate with, and 8.0 is no count."""
    import jsonschema
    types = jsonschema.Draft7Validator.TYPE_CHECKER.redefine_many({
        "number": lambda _, value: is_number(value),
        "integer": lambda _, value: isinstance(value, int) and is_number(value)})
    draft = jsonschema.validators.extend(jsonschema.Draft7Validator, type_checker=types)
    return draft(json.loads((FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8")))


def _deepest(error):
    """Of a choice none of whose branches fits, the error of the branch that came furthest."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return error


def _place(error) -> str:
    text = ""
    for key in error.absolute_path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else str(key)
    return text


def _line(error) -> str:
    """Where a schema is broken, and why."""
    if error.schema is False:
        said = "does not belong here"
    elif len(error.message) <= 160:
        said = one_line(error.message)
    else:
        said = f"does not keep to {error.validator} {str(error.validator_value)[:80]}"
    return ": ".join(filter(None, [_place(error), said]))


def violations(content, kind: str) -> list[str]:
    """What breaks the schema, a line each; empty where nothing does."""
    found = map(_deepest, validator(kind).iter_errors(content))
    return list(map(_line, sorted(found, key=lambda error: list(map(str, error.absolute_path)))))


def check(content, kind: str, path: str | os.PathLike) -> None:
    """A ToolError where the content of a file breaks its schema: the file, the place, what is wrong."""
    error = next(validator(kind).iter_errors(content), None)
    if error is not None:
        raise ToolError(f"{path}: {_line(_deepest(error))}")


def errors(path: str | os.PathLike) -> list[str]:
    """What breaks the schema of a file; a ToolError where it is no file of Tessera's."""
    content = read(path)
    kind = kind_of(content)
    if kind is None:
        raise ToolError(f"{path}: no kind of file that has a schema")
    return violations(content, kind)

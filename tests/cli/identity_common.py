# SPDX-License-Identifier: Apache-2.0
"""What the tests of identities share: the keys of a schema, and how another value is written."""

import json

from trust_common import ROOT


def tables_of(kind):
    """The keys of each table of a schema; of lists of tables, of their elements."""
    def keys(node):
        if "$ref" in node:
            node = schema["definitions"][node["$ref"].rsplit("/", 1)[1]]
        if "properties" in node:
            return set(node["properties"])
        found = [keys(part) for part in (*node.get("anyOf", ()), node.get("items", {}))
                 if isinstance(part, dict) and part]
        return set().union(*found)
    schema = json.loads((ROOT / f"schemas/{kind}.schema.json").read_text("utf-8"))
    return {name: keys(node) for name, node in schema["properties"].items()}


def words(text):
    """`VALUE other.key=VALUE` as the value and what else is set."""
    parts = text.split(" ")
    cut = next((i for i, part in enumerate(parts) if "=" in part and i > 0), len(parts))
    return " ".join(parts[:cut]), parts[cut:]

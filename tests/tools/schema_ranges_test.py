# SPDX-License-Identifier: Apache-2.0
"""The ranges of machine and network files: the schemas have the readers', of every number.

The readers know them (src/program/results/number_range.hpp, src/program/predict/network.cpp) and say them where a
number lies outside. Arguments: the repository's root, the tessera binary.
"""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
TESSERA = sys.argv[2]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from checks import check, equal, run_tests  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
from tessera_tools import schemas  # noqa: E402
from tessera_tools.files import read_json  # noqa: E402

MACHINE = {"schema": "tessera-machine-1", "name": "n", "kind": "cpu", "device": "d", "source": "s",
           "memory": {"theoretical_gb_per_s": 100},
           "caches": [{"level": "L1"}], "core": [{"precision": "float", "vector_bytes": 32}]}
NETWORK = {"schema": "tessera-network-1", "name": "n", "source": "s",
           "levels": [{"name": "a", "latency_us": 1, "gb_per_s": 2}]}
UNKNOWN = "qqqqqqqqqqqq"
# Behind all other numbers of its file.
LAST = {"machine": (("model", "runs"), -1), "network": (("levels", 1), {UNKNOWN: 1})}


def numbers(schema, path=()):
    """The number keys of a schema, each with its rules: an item of a list stands for all."""
    found = {}
    for key, rules in schema["properties"].items():
        place = (*path, key)
        if rules.get("type") in ("number", "integer"):
            found[place] = rules
        elif "properties" in rules:
            found |= numbers(rules, place)
        elif "items" in rules:
            found |= numbers(rules["items"], (*place, 0))
    return found


def with_value(content, path, value):
    """A copy with a value at a path, whose tables are made where there are none."""
    changed = copy.deepcopy(content)
    at = changed
    for key in path[:-1]:
        at = at[key] if isinstance(at, list) else at.setdefault(key, {})
    if isinstance(at, list):
        at.append(value)
    else:
        at[path[-1]] = value
    return changed


def said_of(kind, content, folder):
    """What the reader says of a file of a kind that it must refuse."""
    path = folder / "file.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    command = ["plan", "j2d5pt", "--machine", path] if kind == "machine" else [
        "predict", ROOT / "inputs/quick.toml", "--machine", "H100", "--ranks", "2x1x1",
        "--network", path]
    result = subprocess.run([TESSERA, *map(str, command)], capture_output=True, text=True,
                            check=False)
    check(result.returncode == 1 and "file.json: " in result.stderr,
          f"{content} is taken: {result.stderr}")
    return result.stderr.partition("file.json: ")[2].strip()


def name_of(path):
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]


def range_of(kind, content, path, folder):
    """A number's range by its reader: whether it is whole, the least, the most."""
    key = path[-1]
    if kind == "machine":
        said = said_of(kind, with_value(content, path, -1), folder)
        found = re.fullmatch(rf"{re.escape(name_of(path))} is -1, must be a (whole |)number from "
                             r"(\S+) to (\S+)", said)
        check(found, f"{path}: {said}")
        return (found[1] != "", float(found[2]), float(found[3])) if found else None
    limits = []
    for value, way in ((-1, "below"), (1e300, "above")):
        said = said_of(kind, with_value(content, path, value), folder)
        found = re.search(rf"{key} = \S+ is {way} (\S+)$", said)
        check(found, f"{path}: {said}")
        limits.append(float(found[1]) if found else None)
    if None in limits:
        return None
    part = with_value(content, path, limits[0] + 0.5)
    said = said_of(kind, with_value(part, *LAST[kind]), folder)
    return (f"{key} = " in said, *limits)


def test_every_number(folder):
    """Whole or not, the least and the most, to the last digit."""
    for kind, content in (("machine", MACHINE), ("network", NETWORK)):
        found = numbers(read_json(schemas.FOLDER / f"{kind}.schema.json"))
        check(len(found) >= {"machine": 80, "network": 5}[kind], f"{kind}: {len(found)} numbers")
        for path, rules in found.items():
            equal((rules["type"] == "integer", rules.get("minimum"), rules.get("maximum")),
                  range_of(kind, content, path, folder), f"{kind}.schema.json, {name_of(path)}")
            check(not {"exclusiveMinimum", "exclusiveMaximum"} & set(rules), f"{kind}: {path}")


def test_ends(folder):
    """Of each range of the schemas the ends are taken, and what lies beyond them is not, by schema
    and reader alike."""
    for kind, content in (("machine", MACHINE), ("network", NETWORK)):
        check(not schemas.violations(content, kind), f"{kind}: the file that is changed is wrong")
        of_range = {}
        for path, rules in numbers(read_json(schemas.FOLDER / f"{kind}.schema.json")).items():
            of_range.setdefault((rules["type"], rules["minimum"], rules["maximum"]), path)
        for (of_type, least, most), path in of_range.items():
            whole = of_type == "integer"
            step = 1 if whole else 1e-9
            values = [(least, True), (most, True), (least - step * (1 if whole else most), False),
                      (most + step * (1 if whole else most), False)]
            if whole:
                values.append((least + 0.5, False))
            for value, fine in values:
                changed = with_value(content, path, value)
                equal(not schemas.violations(changed, kind), fine, f"schema: {path} = {value}")
                # One that is taken leaves the error of what is read behind it.
                said = said_of(kind, with_value(changed, *LAST[kind]), folder)
                refused = re.search(rf"\b{path[-1]}( is|:? =) ", said) is not None
                equal(not refused, fine, f"reader: {path} = {value}: {said}")


def test_keys_of_machines(folder):
    """Schema and reader know the same keys of each table."""
    rules = read_json(schemas.FOLDER / "machine.schema.json")["properties"]
    tables = {(): rules, ("caches", 0): rules["caches"]["items"]["properties"],
              ("core", 0): rules["core"]["items"]["properties"]}
    for table in ("memory", "peak", "latency", "limits"):
        tables[(table,)] = rules[table]["properties"]
    for table, properties in tables.items():
        said = said_of("machine", with_value(MACHINE, (*table, UNKNOWN), 1), folder)
        known = said.partition("known keys: ")[2].split(", ")
        equal(set(known), set(properties), f"keys of {table}")
    # Those of `model` are too many for a message.
    source = (ROOT / "src/program/results/machine_file.cpp").read_text("utf-8")
    equal(set(re.findall(r'\{"(\w+)", &ModelConstants::', source)),
          set(rules["model"]["properties"]), "keys of model")


def test_bandwidths(folder):
    """One of the bandwidths is wanted, by the schema too; streaming stores are none."""
    for key in ("copy", "triad", "update", "theoretical"):
        check(not schemas.violations({**MACHINE, "memory": {f"{key}_gb_per_s": 1}}, "machine"), key)
    streaming = {**MACHINE, "memory": {"copy_streaming_gb_per_s": 1}}
    check(schemas.violations(streaming, "machine"), "schema: streaming stores alone")
    check("no memory bandwidth" in said_of("machine", streaming, folder), "reader: the same")


run_tests(test_every_number, test_ends, test_keys_of_machines, test_bandwidths)

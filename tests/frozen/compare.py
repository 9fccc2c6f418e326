#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands again with a new binary and names each value that differs.

compare.py --tessera NEWBIN [--frozen FILE] [--only GLOB] [--ignore 'COMMAND | KEY'] [--loose]

Fields and gathers are equal to the bit, unless --loose: then within a few roundings (of the type) of the
largest value. Other computed numbers are equal to 1e-9 of their size, whatever the order of a sum:
predictions and plans are short formulas in double. Misfits of fits may lose digits: MISFIT below.
"""

import argparse
import gzip
import fnmatch
import json
import math
import sys
from pathlib import Path

import capture

NUMBERS = 1e-9
# |S| - cos is the small difference of numbers near 1, of coefficients from a solve of condition 1e4 and
# less: 1e-16 * 1e4 absolute.
MISFIT = 1e-11
# Growth of rounding in some 1000 steps: eps * steps at the most, of the largest value.
LOOSE = {"<f4": 2e-5, "<f8": 1e-12}
EXACT_WORDS = ("u_min", "u_max", "worst_of_bound")  # as fields: of bits


def same_number(a, b, key, loose):
    if a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)):
        return True
    if isinstance(a, bool) or isinstance(b, bool) or (isinstance(a, int) and isinstance(b, int)):
        return False
    field = key.endswith(EXACT_WORDS)
    if field and not loose:
        return False
    limit = LOOSE["<f4"] if field else NUMBERS
    absolute = MISFIT if "misfit" in key or ".growth" in key or key.startswith("table.") else 0
    return abs(a - b) <= limit * max(abs(a), abs(b)) + absolute


def array_difference(a, b, loose):
    """Empty where two arrays are the same, else what differs."""
    if (a["array"], a["shape"]) != (b["array"], b["shape"]):
        return f"{a['array']} {a['shape']}, now {b['array']} {b['shape']}"
    if a["sha256"] == b["sha256"]:
        return ""
    scale = max(abs(a["min"]), abs(a["max"]))
    limit = LOOSE.get(a["array"], 0) * scale
    old, new = capture.whole(a), capture.whole(b)
    if old is not None and new is not None:
        apart = abs(old - new)
        largest, how_many = float(apart.max()), int((apart > 0).sum())
        text = (f"{how_many} of {old.size} values, by {largest:.3g} at most, "
                f"{largest / scale if scale else math.inf:.3g} of the largest")
    else:
        largest = max(abs(a[key] - b[key]) for key in ("min", "max", "rms"))
        text = f"checksum; min, max and rms by {largest:.3g} at most"
    return "" if loose and largest <= limit else text


def difference(a, b, key, loose):
    """Empty where two values are the same, else both in short."""
    if isinstance(a, dict) and isinstance(b, dict):
        return array_difference(a, b, loose)
    if isinstance(a, list) and isinstance(b, list):
        if all(isinstance(v, str) for v in a + b):
            gone, new = sorted(set(a) - set(b)), sorted(set(b) - set(a))
            if not gone and not new and len(a) == len(b):
                return ""
            return f"without {gone[:5]}, with {new[:5]} ({len(a)}, now {len(b)})"
        if len(a) == len(b) and not any(difference(x, y, key, loose) for x, y in zip(a, b)):
            return ""
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if same_number(a, b, key, loose):
            return ""
    elif a == b:
        return ""
    return f"{str(a)[:100]}, now {str(b)[:100]}"


def differences(old, new, loose):
    """[(command, key, what)] of all values of the commands of `old`."""
    found = []
    for command, values in old.items():
        now = new.get(command, {})
        for key in sorted(values.keys() | now.keys()):
            if key not in now:
                what = "is missing"
            elif key not in values:
                what = f"is new: {str(now[key])[:60]}"
            else:
                what = difference(values[key], now[key], key, loose)
            if what:
                found.append((command, key, what))
    return found


def read_ignored(options):
    patterns = list(options.ignore or [])
    if options.ignore_file:
        for line in Path(options.ignore_file).read_text(encoding="utf-8").splitlines():
            line = line.split("  #", 1)[0].strip()
            if line and not line.startswith("#"):
                patterns.append(line)
    return patterns


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--tessera", help="the new binary")
    what.add_argument("--values", help="what freeze.py stored of it, instead of running it")
    parser.add_argument("--frozen", default=Path(__file__).parent / "frozen.json.gz",
                        help="what freeze.py made, or that with gzip (default: frozen.json.gz)")
    parser.add_argument("--only", action="append", help="glob over commands (may be repeated)")
    parser.add_argument("--ignore", action="append", help="glob over 'COMMAND | KEY' (may be repeated)")
    parser.add_argument("--ignore-file", help="such globs, a line each; '  #' begins the reason")
    parser.add_argument("--loose", action="store_true", help="fields within roundings, not to the bit")
    parser.add_argument("--keep", help="a new folder for what the commands write, which stays")
    options = parser.parse_args()
    stored = Path(options.frozen).read_bytes()
    frozen = json.loads(gzip.decompress(stored) if stored[:2] == b"\x1f\x8b" else stored)
    only = options.only or ["*"]
    old = {name: values for name, values in frozen["values"].items()
           if any(fnmatch.fnmatchcase(name, pattern) for pattern in only)}
    if not old:
        raise SystemExit(f"no command of {options.frozen} is named {', '.join(only)}")
    if options.values:
        stored = json.loads(Path(options.values).read_text(encoding="utf-8"))
        new, problems, host = stored["values"], [], stored["host"]
    else:
        new, _, problems, host = capture.capture(options.tessera, list(old), options.keep,
                                                 talk=lambda text: None)
    if host != frozen["host"]:
        print(f"frozen on {frozen['host']}, here {host}: bits may differ (--loose)")
    patterns = read_ignored(options)
    found, ignored = [], 0
    for command, key, what in differences(old, new, options.loose):
        if any(fnmatch.fnmatchcase(f"{command} | {key}", pattern) for pattern in patterns):
            ignored += 1
        else:
            found.append((command, key, what))
    for command, key, what in found:
        print(f"{command} | {key}: {what}")
    broken = {command for command, _, _ in found}
    for problem in problems:
        if problem.split(":", 1)[0] in broken:
            print("problem:", problem)
    count = sum(len(values) for values in old.values())
    print(f"{len(old)} commands, {count} values, {len(found)} differ"
          + (f", {ignored} ignored" if ignored else ""))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

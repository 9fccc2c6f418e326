#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of commands.toml and stores their values: freeze.py --tessera BIN --out FOLDER."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import capture


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tessera", required=True, help="the binary to freeze")
    parser.add_argument("--out", required=True, help="folder of frozen.json")
    parser.add_argument("--only", action="append", help="glob over commands (may be repeated)")
    parser.add_argument("--keep", help="a new folder for what the commands write, which stays")
    options = parser.parse_args()
    values, seconds, problems, host = capture.capture(options.tessera, options.only or ["*"], options.keep)
    version = subprocess.run([options.tessera, "--version"], capture_output=True, text=True, check=True)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    frozen = {"schema": "tessera-frozen-1", "version": version.stdout.strip(), "host": host,
              "values": values}
    text = json.dumps(frozen, indent=0, sort_keys=True, allow_nan=True)
    (out / "frozen.json").write_text(text + "\n", encoding="utf-8")
    for problem in problems:
        print("problem:", problem)
    count = sum(len(part) for part in values.values())
    print(f"{len(values)} commands, {count} values, {sum(seconds.values()):.0f} s, "
          f"{len(text) / 1e6:.1f} MB: {out / 'frozen.json'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

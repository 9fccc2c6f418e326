#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the docs' pictures from stored data: the README's, and of the papers' figures Sai's 3, and
EBISU's 9, its ladder, with a roofline.

A picture keeps in its description a digest of what it shows, so that --check can say without
drawing whether it is of today's data.
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import ladder
import plot_roofline
from tessera_tools import command_line, errors, plotting, published, results
from tessera_tools.doc_tables import TABLES, headline
from tessera_tools.doc_tables.data import Data
from tessera_tools.errors import ToolError
from tessera_tools.files import ROOT

EXAMPLES = """
  docs_pictures.py                # all, to docs/images
  docs_pictures.py --check
  docs_pictures.py sai-figure3"""

MARK = "tessera-picture: "
ROOFLINE = "results/nvidia-h100/counted/acoustic-gpu.json"
LADDERS = [f"results/nvidia-h100/jacobi-ladder-{dims}-gpu.json" for dims in ("2d", "3d")]
TABLE_4 = "inputs/published/sai-table4.toml"


def roofline(root):
    """Sai's figure 3, of an H100, the paper's V100 hollow."""
    parts, words = plot_roofline.parts_of(results.read(root / ROOFLINE), "seven",
                                          published.read(root / TABLE_4))
    return [list(part) for part in parts], lambda: plot_roofline.draw(parts, words)


def ebisu_ladder(root):
    """EBISU's ladder on an H100, in two and in three dimensions."""
    found = ladder.ladders([row for name in LADDERS for row in ladder.read_rows(root / name)])
    shown = [[key.stencil, key.precision, key.grid, stage, row.name, row.rate]
             for key, stages in found.items() for stage, row in stages.items()]
    return shown, lambda: ladder.draw(found)


def glance(root):
    """The best of each family beside its baseline, in shares of the bound."""
    bars = headline.bars(TABLES["glance"], Data(root))
    return [asdict(bar) for bar in bars], lambda: headline.draw(bars)


PICTURES = {"headline": glance, "sai-figure3": roofline, "ebisu-ladder": ebisu_ladder}


def description(name, data):
    """What stands in the picture: its name, and a digest of what it shows."""
    text = json.dumps(data, sort_keys=True)
    return f"{MARK}{name} {hashlib.sha256(text.encode()).hexdigest()}"


def is_fresh(path, wanted):
    """Whether a picture was drawn of that."""
    try:
        return wanted in path.read_text(encoding="utf-8")
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror}") from None


def main():
    parser = command_line.parser(__doc__, EXAMPLES)
    parser.add_argument("pictures", nargs="*", help=f"of {', '.join(PICTURES)} (all)")
    parser.add_argument("--check", action="store_true",
                        help="draw nothing; fail where a picture is of other data")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR",
                        help="the folder that holds docs/, results/ and inputs/")
    arguments = parser.parse_args()
    for name in arguments.pictures or PICTURES:
        if name not in PICTURES:
            raise ToolError(f"no picture {name}: there are {', '.join(PICTURES)}")
        data, draw = PICTURES[name](arguments.root)
        path = arguments.root / "docs" / "images" / f"{name}.svg"
        if not arguments.check:
            # Text stays text: small files. The README's is of outlines, the same everywhere.
            plotting.pyplot().rcParams["svg.fonttype"] = "path" if name == "headline" else "none"
            print(plotting.save(draw(), path, metadata={"Description": description(name, data)}))
        elif not is_fresh(path, description(name, data)):
            raise ToolError(f"{path}: not of today's data; run tools/docs_pictures.py {name}")
    return 0


if __name__ == "__main__":
    errors.run(main)
